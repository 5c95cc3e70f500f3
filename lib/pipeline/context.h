/* pipeline/context.h - what every part of a feed works with. */
#ifndef TFR_PIPELINE_CONTEXT_H
#define TFR_PIPELINE_CONTEXT_H

struct tfr_feed_settings;
struct tfr_feed_control;
struct tfr_statistics;
struct tfr_sample_pool;

/* All four outlive every part. */
struct tfr_feed_context {
	const struct tfr_feed_settings *set;
	struct tfr_feed_control *control;
	struct tfr_statistics *statistics;
	struct tfr_sample_pool *pool;
};

#endif
