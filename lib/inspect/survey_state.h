/* inspect/survey_state.h - packs a survey into bytes, so it can be merged later. */
#ifndef TFR_INSPECT_SURVEY_STATE_H
#define TFR_INSPECT_SURVEY_STATE_H

#include "inspect/survey.h"

/* Equal surveys give equal bytes. */
void tfr_survey_pack(const struct tfr_survey *s, struct tfr_state *state);
/* TFR_EDATA: the bytes are not a survey. */
enum tfr_status tfr_survey_unpack(
	struct tfr_survey **s, const void *bytes, size_t size, struct tfr_error *err);
/* Writes the member `state` of an open object: the bytes, and a hash of them.  False: out of
 * memory. */
bool tfr_survey_put_state(const struct tfr_survey *s, struct tfr_json *j);
/* Reads a survey from the text of a JSON object; `path` is its name. */
enum tfr_status tfr_survey_parse(struct tfr_survey **s, const char *path, const char *text,
	size_t size, struct tfr_error *err);

#endif
