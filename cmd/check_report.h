/* cmd/check_report.h - what check prints: each fault as it is found, and the end. */
#ifndef TFR_CMD_CHECK_REPORT_H
#define TFR_CMD_CHECK_REPORT_H

#include "common/findings.h"

struct check_report;

/* NULL: out of memory, which is printed. */
struct check_report *check_report_new(struct cmd *c, enum report_format format);
void check_report_free(struct check_report *r); /* accepts NULL */
/* As tfr_check_opts has them; ctx is the report. */
void check_report_fault(void *ctx, const char *path, const struct tfr_error *err,
	const struct tfr_check_kind *kind);
void check_report_file(void *ctx, const struct tfr_check_file *file);
/* After the last file: another number of records or another sum than expected is one more fault. */
void check_report_expect(struct check_report *r, const struct tfr_expect *expect);
/* `quick`: no payload was read; `decode`: images were. */
void check_report_end(struct check_report *r, bool quick, bool decode);

#endif
