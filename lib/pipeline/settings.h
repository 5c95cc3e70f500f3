/* pipeline/settings.h - the options of a feed and what follows from them (options.c).
 *
 * tfr_pipeline_open() fills them in before any worker starts.  From then on all threads only read
 * them, so that no lock guards them.  Readers start earlier: they use `opts`, `cycle` and
 * `block_length`, which are settled before them. */
#ifndef TFR_PIPELINE_SETTINGS_H
#define TFR_PIPELINE_SETTINGS_H

#include <tfr-private/pipeline.h>

#include "pipeline/stages.h"

struct tfr_feature_block;
struct tfr_first_records;

/* The rows of a report: the stages of the list, the consumer after them, and then the kernels. */
enum { TFR_ROWS_MAX = TFR_STAGES_MAX };

_Static_assert((int)TFR_ROWS_MAX > (int)STAGES_COUNT_MAX + 1, "rows for the consumer, kernels");

struct tfr_settings {
	struct tfr_pipeline_opts opts; /* with the defaults filled in */
	struct tfr_pipeline_plan plan;
	struct tfr_stage_list list;
	unsigned rows; /* stages in the list; the consumer's row is row `rows`, the kernels' the
			  next */
	char *description;
	uint32_t cycle, block_length, batch;
	unsigned prefetch; /* batches in flight that were asked for; 0: as memory allows */
	/* What the list has; `images`: or audio. */
	bool images, audio, masks, uploads, batches;
	bool kernels; /* devices make floats of what is uploaded: that has a row of its own */
	const struct tfr_stage *decode; /* NULL: none */
	unsigned batch_row;
	unsigned uploaders; /* one for each device, and one for a list without upload */
	unsigned tensors_max;		    /* in one batch */
	uint64_t source_epochs;		    /* that the files are read for; 0: no limit */
	struct tfr_feature_block *features; /* NULL: none */
	/* normalise_on_device: of each channel, in units of 0 … 255. */
	unsigned channels;
	float mean[4], std[4];
};

/* Checks what can be checked before a record was seen.  The list of `opts`, or the default, is
 * parsed. */
enum tfr_status tfr_settings_init(
	struct tfr_settings *settings, const struct tfr_pipeline_opts *opts, struct tfr_error *err);
/* Once the first records were seen: the list, and what follows from it. */
enum tfr_status tfr_settings_settle(
	struct tfr_settings *settings, const struct tfr_first_records *f, struct tfr_error *err);
void tfr_settings_clear(struct tfr_settings *settings);

/* What everything in a feed works with, and what outlives it. */
struct tfr_pipeline_context {
	const struct tfr_settings *settings;
	struct tfr_control *control;
	struct tfr_statistics *statistics;
	struct tfr_sample_pool *pool;
	struct tfr_record_source *source; /* once it is open */
};

/* Reports a piece of work to the caller who traces the feed.  Without the lock. */
static inline void tfr_trace_work(const struct tfr_settings *settings, unsigned stage,
	unsigned thread, uint64_t start, uint64_t end, uint64_t number)
{
	if (settings->opts.traced)
		settings->opts.traced(settings->opts.ctx,
			&(struct tfr_trace){ stage, thread, start, end, number });
}

#endif
