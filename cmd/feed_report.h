/* cmd/feed_report.h - what bench-feed prints, for a person and for a program. */
#ifndef TFR_CMD_FEED_REPORT_H
#define TFR_CMD_FEED_REPORT_H

#include "cmd.h"

void feed_report_text(const struct tfr_device *device, const struct tfr_pipeline *pipeline,
	const struct tfr_pipeline_stats *stats, bool verbose);
void feed_report_json(struct cmd *c, const struct tfr_device *device,
	const struct tfr_pipeline *pipeline, const struct tfr_pipeline_stats *stats);

#endif
