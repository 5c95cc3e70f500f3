/* tests/unit/export/export_run.h - runs an export of one file, and keeps what it says. */
#ifndef TESTS_UNIT_EXPORT_EXPORT_RUN_H
#define TESTS_UNIT_EXPORT_EXPORT_RUN_H

#include <tfr-private/export.h>

#include "support/examples.h"

struct exported {
	enum tfr_status status;
	struct tfr_error err;
	struct tfr_export_report report;
	uint64_t bad;
	char warned[2][400];
	size_t warnings;
};

static void exported_warn(void *ctx, const char *text)
{
	struct exported *e = ctx;

	cr_assert_lt(e->warnings, 2, "%s", text);
	snprintf(e->warned[e->warnings++], sizeof(*e->warned), "%s", text);
}

static inline struct exported export_of(
	const char *input, struct tfr_export_opts o, bool skip_damaged)
{
	struct tfr_select_opts how = { .limit = UINT64_MAX, .on_fault = skip_damaged };
	struct tfr_set_opts inputs = { .inputs = &input, .count = 1 };
	struct tfr_select *records = NULL;
	struct tfr_set *set = NULL;
	struct exported e = { 0 };

	o.warn = exported_warn;
	if (!o.put)
		o.ctx = &e;
	cr_assert_eq(tfr_set_open(&set, &inputs, NULL), TFR_OK);
	cr_assert_eq(tfr_select_open(&records, set, &how, NULL), TFR_OK);
	e.status = tfr_export(records, &o, &e.report, &e.err);
	e.bad = tfr_select_bad(records);
	tfr_select_close(records);
	tfr_set_close(set);
	return e;
}

static inline void expect_file(const char *path, const char *expected)
{
	size_t size;
	char *text = examples_slurp(path, &size);

	cr_assert_str_eq(text, expected, "%s:\n%s", path, text);
	cr_assert_eq(size, strlen(expected));
	free(text);
}

#endif
