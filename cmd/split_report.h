/* cmd/split_report.h - the report of split, for a person and for a program. */
#ifndef TFR_CMD_SPLIT_REPORT_H
#define TFR_CMD_SPLIT_REPORT_H

#include "common/cmd.h"

/* Tables on standard error, at most 80 columns wide. */
void split_report_text(struct cmd *c, const struct tfr_split_report *r);
/* `stratify` is the feature, or NULL. */
void split_report_json(
	struct cmd *c, const struct tfr_split_report *r, const char *stratify, FILE *f);

#endif
