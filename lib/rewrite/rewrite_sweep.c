/* rewrite/rewrite_sweep.c - converts between the options and reports of rewriting and those of a
 * sweep.
 *
 * Every pass over the inputs uses these functions, so that no option is forgotten. */
#include "rewrite/rewrite_sweep.h"

struct tfr_sweep_opts tfr_pass_opts(const struct tfr_rewrite_opts *opts)
{
	return (struct tfr_sweep_opts){
		.input = opts->input,
		.compression = opts->compression,
		.where = opts->where,
		.skip_damaged = opts->skip_damaged,
		.quarantine = opts->quarantine,
		.threads = opts->threads,
		.progress = opts->progress,
		.warn = opts->warn,
		.missing = opts->missing,
		.ctx = opts->ctx,
	};
}

enum tfr_status tfr_pass_expected(const struct tfr_rewrite_opts *opts,
	const struct tfr_rewrite_report *report, struct tfr_error *err)
{
	return tfr_expect_check(&opts->expect, report->taken, report->taken_sum, err);
}

enum tfr_status tfr_pass_run(
	const struct tfr_sweep *sweep, struct tfr_rewrite_report *report, struct tfr_error *err)
{
	struct tfr_sweep_report seen = { 0 };
	enum tfr_status status = tfr_sweep_run(sweep, &seen, err);

	report->records = seen.records;
	report->bad = seen.bad;
	report->taken = seen.taken;
	return status;
}
