/* rewrite/pass.c - what all passes over the inputs share: their report, the inputs that they
 * refuse, and the checks after them. */
#include "rewrite/pass.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

enum tfr_status tfr_pass_expected(const struct tfr_rewrite_opts *opts,
	const struct tfr_rewrite_report *report, struct tfr_error *err)
{
	TFR_TRY(tfr_expect_check(&opts->expect, report->taken, report->taken_sum, err));
	return tfr_expect_some(&opts->expect, report->records, report->written, err);
}

enum tfr_status tfr_pass_changed(struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "the inputs changed while they were read");
}

/* The first input that is a pipe, or NULL.  A missing file is reported when it is opened. */
static const char *find_pipe(const struct tfr_set *input)
{
	for (size_t i = 0; i < tfr_set_count(input); i++) {
		const char *path = tfr_set_path(input, i);
		struct stat st;

		if (!strcmp(path, "-") ||
			(!tfr_stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
			return path;
	}
	return NULL;
}

enum tfr_status tfr_pass_refuse_pipes(
	const struct tfr_set *input, const char *hint, struct tfr_error *err)
{
	const char *pipe = find_pipe(input);

	return pipe ? tfr_fail_hint(err, TFR_EUSAGE, hint, "'%s' cannot be read twice", pipe)
		    : TFR_OK;
}

enum tfr_status tfr_pass_refuse_by(const struct tfr_set *input, const char *of_stdin,
	const char *of_pipe, const char *hint, struct tfr_error *err)
{
	const char *pipe = find_pipe(input);

	if (!pipe)
		return TFR_OK;
	if (!strcmp(pipe, "-"))
		tfr_fail(err, TFR_EUSAGE, "%s", of_stdin);
	else
		tfr_fail_path(err, TFR_EUSAGE, pipe, "%s", of_pipe);
	tfr_error_hint(err, "%s", hint);
	return TFR_EUSAGE;
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
