/* pipeline/settings.h - the options of a feed and what follows from them.
 *
 * tfr_pipeline_open() fills it in before any worker starts.  From then on all threads only read
 * it, so that no lock guards it.  Readers start earlier: they use `opts`, `cycle` and
 * `block_length`, which are settled before them. */
#ifndef TFR_PIPELINE_SETTINGS_H
#define TFR_PIPELINE_SETTINGS_H

#include <tfr-private/pipeline.h>

#include "pipeline/stages.h"
#include "pipeline/transfer/feature_block.h"

/* The rows of a report: the stages of the list, the consumer after them, and then the kernels. */
enum { TFR_ROWS_MAX = TFR_STAGES_MAX };

_Static_assert((int)TFR_ROWS_MAX > (int)STAGES_COUNT_MAX + 1, "rows for the consumer, kernels");

struct tfr_feed_settings {
	struct tfr_pipeline_opts opts; /* with the defaults filled in */
	struct tfr_pipeline_plan plan;
	struct tfr_stage_list list;
	unsigned rows; /* stages in the list; the consumer's row is row `rows`, the kernels' the
			  next */
	char *description;
	uint32_t cycle, block_length, batch;
	unsigned prefetch; /* batches in flight that were asked for; 0: as memory allows */
	bool images, masks, uploads, batches; /* what the list has; `images`: or audio */
	unsigned batch_row;
	unsigned tensors_max;		    /* in one batch */
	uint64_t source_epochs;		    /* that the files are read for; 0: no limit */
	struct tfr_feature_block *features; /* NULL: none */
	/* normalise_on_device: of each channel, in units of 0 … 255. */
	unsigned channels;
	float mean[4], std[4];
};

/* What every part of a feed works with.  All four outlive every part. */
struct tfr_feed_context {
	const struct tfr_feed_settings *set;
	struct tfr_feed_control *control;
	struct tfr_statistics *statistics;
	struct tfr_sample_pool *pool;
};

/* Whether decode makes audio of the records, and not images. */
static inline bool tfr_feeds_audio(const struct tfr_feed_settings *set)
{
	unsigned decode = tfr_stage_list_find(&set->list, STAGE_DECODE);

	return decode < set->list.count && set->list.at[decode].audio;
}

/* Whether devices make floats of what is uploaded: the kernels then have a row. */
static inline bool tfr_feeds_kernels(const struct tfr_feed_settings *set)
{
	return set->uploads && set->opts.normalise_on_device;
}

/* Reports a piece of work to the caller who traces the feed.  Without the lock. */
static inline void tfr_feed_trace(const struct tfr_feed_settings *set, unsigned stage,
	unsigned thread, uint64_t start, uint64_t end, uint64_t number)
{
	if (set->opts.traced)
		set->opts.traced(
			set->opts.ctx, &(struct tfr_trace){ stage, thread, start, end, number });
}

#endif
