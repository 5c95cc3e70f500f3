/* cmd/check_report.h - what check prints: faults as they are told, and the end. */
#ifndef TFR_CMD_CHECK_REPORT_H
#define TFR_CMD_CHECK_REPORT_H

#include "common/cmd.h"

/* In the order of the words of --format. */
enum check_format { CHECK_TEXT, CHECK_JSON, CHECK_JUNIT, CHECK_GITHUB };

struct check_report;

/* NULL: out of memory, which is told. */
struct check_report *check_report_new(struct cmd *c, enum check_format format);
void check_report_free(struct check_report *r); /* accepts NULL */
/* As tfr_check_opts has them; ctx is the report. */
void check_report_fault(void *ctx, const struct tfr_error *err, const struct tfr_check_kind *kind);
void check_report_file(void *ctx, const struct tfr_check_file *file);
/* After the last file: records or a sum that are not those expected are a fault of the whole. */
void check_report_expect(struct check_report *r, const struct tfr_expect *expect);
/* `quick`: no payload was read; `decode`: images were. */
void check_report_end(struct check_report *r, bool quick, bool decode);

#endif
