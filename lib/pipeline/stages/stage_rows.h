/* pipeline/stages/stage_rows.h - readers of arguments for the array of stages, and the check of
 * their order. */
#ifndef TFR_PIPELINE_STAGE_ROWS_H
#define TFR_PIPELINE_STAGE_ROWS_H

#include "pipeline/stages/stages.h"

/* As struct tfr_stage_row has them. */
enum tfr_status tfr_stage_argument_none(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_read(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_cache(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_decode(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_resize(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_size(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_random_crop(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_five_crop(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_mirror(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_pixels(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_degrees(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_normalise(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_cast(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_chw(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_length(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_random_length(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_mono(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_channels(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_audio_cast(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_shuffle(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_batch(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);
enum tfr_status tfr_stage_argument_prefetch(
	struct tfr_stage *st, const char *arg, struct tfr_error *err);

/* Checks that the stages make sense in this order. */
enum tfr_status tfr_stage_list_check_order(const struct tfr_stage_list *s, struct tfr_error *err);

/* Fails with: "'%s' is not what stage '%s' takes", and how the argument is written. */
enum tfr_status tfr_stage_wrong(const struct tfr_stage *st, const char *arg, struct tfr_error *err);

#endif
