/* cmd/diff/diff_text.c - differences for a person.  Short words come first, names and places last,
 * so that long text extends past the end of a line and not into another column. */
#include <string.h>

#include "diff/diff.h"
#include "stats/stats.h"

static const char *plain_text(const char *raw, char text[4200])
{
	return tfr_escape_line(text, 4200, raw);
}

static const char *format_count(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_place(const char *before, const struct tfr_diff_place *at, const char *behind)
{
	char text[4200];

	printf("%s%s:%llu%s", before, plain_text(at->path, text), (unsigned long long)at->record,
		behind);
}

/* The most features that are named, or more if more examples are requested. */
enum { FEATURES = 20 };

static uint64_t most_features(const struct diff_result *r)
{
	return r->examples > FEATURES ? r->examples : FEATURES;
}

/* Prints the number of differences that are not among the examples. */
static void print_more(uint64_t all, uint64_t told)
{
	if (told && all > told)
		printf("  and %llu more\n", (unsigned long long)(all - told));
}

static void print_sides(const struct diff_result *r)
{
	char text[4200];

	for (unsigned side = 0; side < 2; side++) {
		const struct tfr_sweep_report *s = &r->sides[side];

		printf("%c  %llu ", "AB"[side], (unsigned long long)s -> taken);
		if (s->taken != s->records)
			printf("of %llu ", (unsigned long long)s->records);
		printf("record%s in %zu file%s", format_count(s->records), r->files[side],
			format_count(r->files[side]));
		if (s->bad)
			printf(", %llu bad", (unsigned long long)s->bad);
		printf(": %s\n", plain_text(r->inputs[side], text));
	}
}

/* --- schema --- */

static void print_schema(const struct diff_result *r)
{
	if (!r->schema.n) {
		printf("\nschema   the same\n");
		return;
	}
	printf("\nschema   %zu difference%s\n", r->schema.n, format_count(r->schema.n));
	for (size_t i = 0; i < r->schema.n && i < most_features(r); i++) {
		const struct tfr_diff_schema *d = &r->schema.list[i];
		const char *name = d->feature;

		if (!name)
			printf("  the records: %s in A, %s in B\n", d->has[0], d->has[1]);
		else if (d->has[0] && d->has[1])
			printf("  %s: %s %s in A, %s in B\n", name, d->what, d->has[0], d->has[1]);
		else
			printf("  %s: only in %c: %s\n", name, d->has[0] ? 'A' : 'B',
				d->has[0] ? d->has[0] : d->has[1]);
	}
	print_more(r->schema.n, most_features(r));
}

/* --- values --- */

/* "7: 3.1% of A, 24% of B" */
static void print_shares(enum tfr_kind kind, const struct tfr_diff_aspect *a)
{
	const struct tfr_feature_stats of = { .kind = kind };
	char text[STATS_VALUE];

	printf(" (%s: %.3g%% of A, %.3g%% of B)",
		a->which ? a->which : stats_value(&of, &a->value, text), 100 * a->shares[0],
		100 * a->shares[1]);
}

static void print_value(const struct tfr_diff_values *v)
{
	const struct tfr_diff_aspect *a = &v->aspects[v->largest];

	printf("  %-7.3g  %s  %s of %s", v->distance, a->measure == TFR_L_INFINITY ? "L∞" : "KS",
		a->of, v->feature ? v->feature : "the records");
	if (a->measure == TFR_L_INFINITY)
		print_shares(v->kind, a);
	printf("\n");
}

static void print_values(const struct diff_result *r)
{
	uint64_t told = r->values_above < most_features(r) ? r->values_above : most_features(r);

	if (!r->values_above) {
		printf("\nvalues   the same");
		if (r->values.n)
			printf(": none is farther apart than %g; the farthest is", r->threshold);
		printf("\n");
		if (r->values.n)
			print_value(&r->values.list[0]);
		return;
	}
	printf("\nvalues   %zu of %zu differ", r->values_above, r->values.compared);
	if (r->threshold > 0)
		printf(" by more than %g", r->threshold);
	printf("; KS: Kolmogorov-Smirnov, L∞: L-infinity\n");
	for (size_t i = 0; i < told; i++)
		print_value(&r->values.list[i]);
	print_more(r->values_above, told);
}

/* --- records --- */

static void print_by(const struct diff_result *r)
{
	char text[4200];

	if (r->key)
		printf("by '%s'%s", plain_text(r->key, text),
			r->features && r->aspects ? " and features" : "");
	else
		printf("by %s", r->features  ? "features"
				: r->aspects ? "content"
					     : "image or content");
}

static void print_only(const struct tfr_diff_report *d)
{
	for (unsigned side = 0; side < 2; side++) {
		for (size_t i = 0; i < d->only_count[side]; i++)
			print_place(side ? "  > " : "  < ", &d->only_at[side][i], "\n");
		print_more(d->only[side], d->only_count[side]);
	}
}

static void print_changed(const struct diff_result *r)
{
	const struct tfr_diff_report *d = &r->records;
	char text[4200];

	printf("\nchanged  %llu record%s", (unsigned long long)d->changed,
		format_count(d->changed));
	if (d->same)
		printf(", %llu of them only in how features are written",
			(unsigned long long)d->same);
	printf("\n");
	for (size_t i = 0; i < d->feature_count && i < most_features(r); i++) {
		const struct tfr_diff_feature *f = &d->features[i];

		printf("  %s:", f->name);
		if (f->changed)
			printf(" in %llu", (unsigned long long)f->changed);
		for (unsigned side = 0; side < 2; side++)
			if (f->only[side])
				printf("%s only in %c in %llu",
					f->changed || (side && f->only[0]) ? "," : "", "AB"[side],
					(unsigned long long)f -> only[side]);
		printf("\n");
	}
	print_more(d->feature_count, most_features(r));
	for (size_t i = 0; i < d->pair_count; i++) {
		const struct tfr_diff_pair *p = &d->pairs[i];

		print_place("  < ", &p->at[0], "\n");
		print_place("  > ", &p->at[1], p->feature_count ? ": " : "\n");
		for (size_t k = 0; k < p->feature_count; k++)
			printf("%s%s", plain_text(p->features[k], text),
				k + 1 < p->feature_count ? ", " : "\n");
	}
	print_more(d->changed, d->pair_count);
}

/* The first of `all` pairs. */
static void print_steps(const struct tfr_diff_report *d, uint64_t all)
{
	for (size_t i = 0; i < d->step_count; i++) {
		print_place("  < ", &d->steps[i].at[0], "\n");
		print_place("  > ", &d->steps[i].at[1], "\n");
	}
	print_more(all, d->step_count);
}

static void print_order(const struct tfr_diff_report *d)
{
	if (!d->steps_back) {
		printf("\norder    the same\n");
		return;
	}
	printf("\norder    %llu step%s back in B, in the order of A\n",
		(unsigned long long)d->steps_back, format_count(d->steps_back));
	print_steps(d, d->steps_back);
}

static void print_records(const struct diff_result *r)
{
	const struct tfr_diff_report *d = &r->records;

	printf("\nrecords  ");
	print_by(r);
	printf(": %llu in both", (unsigned long long)d->both);
	if (d->changed)
		printf(", %llu changed", (unsigned long long)d->changed);
	for (unsigned side = 0; side < 2; side++)
		if (d->only[side])
			printf(", %llu only in %c", (unsigned long long)d->only[side], "AB"[side]);
	printf("\n");
	for (unsigned side = 0; side < 2; side++)
		if (d->repeated[side])
			printf("  %llu key%s of %c name%s several records\n",
				(unsigned long long)d->repeated[side],
				format_count(d->repeated[side]), "AB"[side],
				d -> repeated[side] == 1 ? "s" : "");
	print_only(d);
	if (d->changed)
		print_changed(r);
	if (r->ordered)
		print_order(d);
}

static void print_overlap(const struct diff_result *r)
{
	const struct tfr_diff_report *o = &r->records;

	printf("\noverlap  ");
	print_by(r);
	if (!o->shared) {
		printf(": nothing\n");
		return;
	}
	printf(": %llu record%s of A and %llu of B share %llu %s\n",
		(unsigned long long)o->overlapping[0], format_count(o->overlapping[0]),
		(unsigned long long)o->overlapping[1], (unsigned long long)o->shared,
		r->key	      ? (o->shared == 1 ? "key" : "keys")
		: r->features ? (o->shared == 1 ? "content" : "contents")
			      : (o->shared == 1 ? "image or content" : "images or contents"));
	print_steps(o, o->shared);
}

static void print_classes(const struct diff_result *r)
{
	const struct tfr_diff_class_report *c = &r->classes;

	if (c->differ)
		printf("\nclasses  %llu with another number, the first: '%s' is %lld in A, %lld in "
		       "B\n",
			(unsigned long long)c->differ, c->text, (long long)c->label[0],
			(long long)c->label[1]);
}

void diff_print(const struct diff_result *r)
{
	print_sides(r);
	print_classes(r);
	if (r->aspects & DIFF_SCHEMA)
		print_schema(r);
	if (r->aspects & DIFF_VALUES)
		print_values(r);
	if (r->aspects & DIFF_RECORDS)
		print_records(r);
	if (!r->aspects)
		print_overlap(r);
}
