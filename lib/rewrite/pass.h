/* rewrite/pass.h - a pass over the inputs, which is a sweep with the report of the rewriting
 * functions. */
#ifndef TFR_REWRITE_PASS_H
#define TFR_REWRITE_PASS_H

#include <tfr-private/rewrite.h>

#include "sweep/sweep.h"

/* tfr_sweep_run(), which sets the report's records, bad and taken. */
enum tfr_status tfr_pass_run(
	const struct tfr_sweep *sweep, struct tfr_rewrite_report *report, struct tfr_error *err);

/* The first input that cannot be read twice: standard input, or a pipe.  NULL: there is none. */
const char *tfr_pass_pipe(const struct tfr_set *input);
/* Fails with TFR_EUSAGE if there is one. */
enum tfr_status tfr_pass_refuse_pipes(
	const struct tfr_set *input, const char *hint, struct tfr_error *err);
/* The error of a second pass that does not find the records of the first. */
enum tfr_status tfr_pass_changed(struct tfr_error *err);

/* Compares the report with opts->expect after the last record was written. */
enum tfr_status tfr_pass_expected(const struct tfr_rewrite_opts *opts,
	const struct tfr_rewrite_report *report, struct tfr_error *err);

#endif
