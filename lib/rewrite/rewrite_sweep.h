/* rewrite/rewrite_sweep.h - sweeps with the options and the report of the rewriting functions. */
#ifndef TFR_REWRITE_REWRITE_SWEEP_H
#define TFR_REWRITE_REWRITE_SWEEP_H

#include <tfr-private/rewrite.h>

#include "sweep/sweep.h"

/* The options that concern a sweep. */
struct tfr_sweep_opts tfr_pass_opts(const struct tfr_rewrite_opts *opts);
/* tfr_sweep_run(), which sets the report's records, bad and taken. */
enum tfr_status tfr_pass_run(
	const struct tfr_sweep *sweep, struct tfr_rewrite_report *report, struct tfr_error *err);

/* Compares the report with opts->expect after the last record was read. */
enum tfr_status tfr_pass_expected(const struct tfr_rewrite_opts *opts,
	const struct tfr_rewrite_report *report, struct tfr_error *err);

#endif
