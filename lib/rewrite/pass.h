/* rewrite/pass.h - a pass over the inputs, which is a sweep with the report of the rewriting
 * functions. */
#ifndef TFR_REWRITE_PASS_H
#define TFR_REWRITE_PASS_H

#include <tfr-private/rewrite.h>

#include "sweep/sweep.h"

/* tfr_sweep_run(), which sets the report's records, bad and taken. */
enum tfr_status tfr_pass_run(
	const struct tfr_sweep *sweep, struct tfr_rewrite_report *report, struct tfr_error *err);

/* Fails with TFR_EUSAGE if an input cannot be read twice: standard input, or a pipe. */
enum tfr_status tfr_pass_refuse_pipes(
	const struct tfr_set *input, const char *hint, struct tfr_error *err);
/* The same, with the message for standard input, and the words before the path of a pipe. */
enum tfr_status tfr_pass_refuse_by(const struct tfr_set *input, const char *of_stdin,
	const char *of_pipe, const char *hint, struct tfr_error *err);
/* The error of a second pass that does not find the records of the first. */
enum tfr_status tfr_pass_changed(struct tfr_error *err);

/* Compares the report with opts->expect after the last record was written. */
enum tfr_status tfr_pass_expected(const struct tfr_rewrite_opts *opts,
	const struct tfr_rewrite_report *report, struct tfr_error *err);

#endif
