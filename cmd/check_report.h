/* cmd/check_report.h - the output of check: each fault when it is found, and the summary. */
#ifndef TFR_CMD_CHECK_REPORT_H
#define TFR_CMD_CHECK_REPORT_H

#include "common/findings.h"

struct check_report;

/* NULL: out of memory; the error is printed. */
struct check_report *check_report_new(struct cmd *c, enum report_format format);
void check_report_free(struct check_report *r); /* accepts NULL */
/* Callbacks for tfr_check_opts; ctx is the report. */
void check_report_fault(void *ctx, const char *path, const struct tfr_error *err,
	const struct tfr_check_kind *kind);
void check_report_file(void *ctx, const struct tfr_check_file *file);
/* After the last file: a number of records or a sum that differs from the expected one is another
 * fault. */
void check_report_expect(struct check_report *r, const struct tfr_expect *expect);
/* `quick`: payloads were not read; `decode`: images were decoded. */
void check_report_end(struct check_report *r, bool quick, bool decode);

#endif
