/* cmd/diff/diff_findings.c - differences for CI services: each aspect that was compared is a test
 * case.
 *
 * An aspect that differs has one finding with its counts, and one for each of the first examples.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"

/* Adds an error, formatted as by printf, about a file if `path` is not NULL. */
static void add_difference(struct findings *f, const char *name, const char *path,
	const char *format, ...) TFR_PRINTF(4, 5);

static void add_difference(
	struct findings *f, const char *name, const char *path, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	findings_add(f, &(struct finding){ .name = name, .path = path, .text = text });
	free(text);
}

static void add_schema(struct findings *f, const struct diff_result *r)
{
	for (size_t i = 0; i < r->schema.n; i++) {
		const struct tfr_diff_schema *d = &r->schema.list[i];
		const char *name = d->feature ? d->feature : "the records";

		if (d->has[0] && d->has[1])
			add_difference(f, "schema", NULL, "%s: %s %s in A, %s in B", name, d->what,
				d->has[0], d->has[1]);
		else
			add_difference(f, "schema", NULL, "%s: only in %c: %s", name,
				d->has[0] ? 'A' : 'B', d->has[0] ? d->has[0] : d->has[1]);
	}
	findings_end_case(f, "schema");
}

static void add_values(struct findings *f, const struct diff_result *r)
{
	for (size_t i = 0; i < r->values_above; i++) {
		const struct tfr_diff_values *v = &r->values.list[i];
		const struct tfr_diff_aspect *a = &v->aspects[v->largest];

		add_difference(f, "values", NULL, "the %s of %s are %.3g apart (%s)", a->of,
			v->feature ? v->feature : "the records", v->distance,
			tfr_diff_measure_name(a->measure));
	}
	findings_end_case(f, "values");
}

static void add_pair(
	struct findings *f, const char *name, const struct tfr_diff_pair *p, const char *what)
{
	add_difference(f, name, p->at[0].path, "record %llu %s record %llu of %s",
		(unsigned long long)p->at[0].record, what, (unsigned long long)p->at[1].record,
		p->at[1].path);
}

static void add_records(struct findings *f, const struct diff_result *r)
{
	const struct tfr_diff_report *d = &r->records;
	char counted[TFR_COUNTED_TEXT];

	for (unsigned side = 0; side < 2; side++) {
		if (d->only[side])
			add_difference(f, "records", NULL, "%llu only in %c",
				(unsigned long long)d->only[side], "AB"[side]);
		for (size_t i = 0; i < d->only_count[side]; i++)
			add_difference(f, "records", d->only_at[side][i].path,
				"record %llu is only in %c",
				(unsigned long long)d->only_at[side][i].record, "AB"[side]);
	}
	if (d->changed)
		add_difference(f, "records", NULL, "%llu changed", (unsigned long long)d->changed);
	for (size_t i = 0; i < d->pair_count; i++)
		add_pair(f, "records", &d->pairs[i], "differs from");
	findings_end_case(f, "records");
	if (!r->ordered)
		return;
	if (d->steps_back)
		add_difference(f, "order", NULL, "%s back in B, in the order of A",
			tfr_format_counted(d->steps_back, "step", counted));
	for (size_t i = 0; i < d->step_count; i++)
		add_pair(f, "order", &d->steps[i], "is out of order with");
	findings_end_case(f, "order");
}

static void add_overlap(struct findings *f, const struct diff_result *r)
{
	const struct tfr_diff_report *o = &r->records;
	char counted[TFR_COUNTED_TEXT];

	if (o->shared)
		add_difference(f, "overlap", NULL, "%s of A and %llu of B are shared",
			tfr_format_counted(o->overlapping[0], "record", counted),
			(unsigned long long)o->overlapping[1]);
	for (size_t i = 0; i < o->step_count; i++)
		add_pair(f, "overlap", &o->steps[i], "is also");
	findings_end_case(f, "overlap");
}

static void add_classes(struct findings *f, const struct diff_result *r)
{
	const struct tfr_diff_class_report *c = &r->classes;

	if (c->differ)
		add_difference(f, "classes", NULL,
			"%llu with another number, the first: '%s' is %lld in A, %lld in B",
			(unsigned long long)c->differ, c->text, (long long)c->label[0],
			(long long)c->label[1]);
	findings_end_case(f, "classes");
}

void diff_print_findings(struct cmd *c, const struct diff_result *r, enum report_format format)
{
	struct findings *f = findings_new(c, format);

	if (!f)
		return;
	if (!r->aspects || r->aspects & DIFF_SCHEMA)
		add_classes(f, r);
	if (r->aspects & DIFF_SCHEMA)
		add_schema(f, r);
	if (r->aspects & DIFF_VALUES)
		add_values(f, r);
	if (r->aspects & DIFF_RECORDS)
		add_records(f, r);
	if (!r->aspects)
		add_overlap(f, r);
	findings_print(f);
	findings_free(f);
}
