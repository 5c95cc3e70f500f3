/* Records of random files, against a naive match of all with all; in memory that spills and in
 * memory that does not, on one thread and several. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/diff.h>

#include "base/rng.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(diff, .init = setup, .fini = teardown);

enum { MOST = 6000, EXAMPLES = 9 };

/* A record: what `id` and `v` hold. */
struct row {
	int id, v;
};

struct side {
	struct row rows[MOST];
	size_t n;
	struct tfr_set *set;
};

static void write_side(struct side *s, const char *path)
{
	struct tfr_writer_opts opts = { .force = true };
	struct tfr_set_opts set = { .inputs = &path, .count = 1 };
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_writer *w = NULL;

	cr_assert_eq(tfr_writer_open(&w, path, &opts, NULL), TFR_OK);
	for (size_t i = 0; i < s->n; i++) {
		const uint8_t *data;
		size_t size;

		tfr_builder_reset(b);
		cr_assert_eq(tfr_builder_int64(b, "id", s->rows[i].id, NULL), TFR_OK);
		if (s->rows[i].v)
			cr_assert_eq(tfr_builder_int64(b, "v", s->rows[i].v, NULL), TFR_OK);
		cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_writer_put(w, data, size, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	tfr_builder_free(b);
	cr_assert_eq(tfr_set_open(&s->set, &set, NULL), TFR_OK);
}

static bool equal(const struct row *a, const struct row *b)
{
	return a->id == b->id && a->v == b->v;
}

/* What is expected, and the first of each. */
struct naive {
	uint64_t both, changed, only[2];
	uint64_t only_at[2][MOST];
	uint64_t changed_at[MOST][2];
};

/* Each of A, in order, takes the first of B that is free and belongs to it. */
static void match(const struct side *s, bool key, bool *taken[2], struct naive *n, bool changes)
{
	for (size_t i = 0; i < s[0].n; i++)
		for (size_t k = 0; !taken[0][i] && k < s[1].n; k++) {
			const struct row *a = &s[0].rows[i], *b = &s[1].rows[k];

			if (taken[1][k] || !(changes ? key && a->id == b->id : equal(a, b)))
				continue;
			taken[0][i] = taken[1][k] = true;
			if (changes) {
				n->changed_at[n->changed][0] = i;
				n->changed_at[n->changed++][1] = k;
			} else {
				n->both++;
			}
		}
}

static void expect(const struct side *s, bool key, struct naive *n)
{
	bool *taken[2] = { calloc(MOST, 1), calloc(MOST, 1) };

	memset(n, 0, sizeof(*n));
	match(s, key, taken, n, false);
	match(s, key, taken, n, true);
	for (unsigned side = 0; side < 2; side++) {
		for (size_t i = 0; i < s[side].n; i++)
			if (!taken[side][i])
				n->only_at[side][n->only[side]++] = i;
		free(taken[side]);
	}
}

static void check_report(const struct tfr_diff_report *r, const struct naive *n)
{
	cr_assert_eq(r->both, n->both);
	cr_assert_eq(r->changed, n->changed);
	for (unsigned side = 0; side < 2; side++) {
		cr_assert_eq(r->only[side], n->only[side]);
		cr_assert_eq(
			r->only_count[side], n->only[side] < EXAMPLES ? n->only[side] : EXAMPLES);
		for (size_t i = 0; i < r->only_count[side]; i++)
			cr_assert_eq(r->only_at[side][i].record, n->only_at[side][i]);
	}
	cr_assert_eq(r->pair_count, n->changed < EXAMPLES ? n->changed : EXAMPLES);
	for (size_t i = 0; i < r->pair_count; i++)
		for (unsigned side = 0; side < 2; side++)
			cr_assert_eq(r->pairs[i].at[side].record, n->changed_at[i][side]);
	for (size_t i = 0; i < r->pair_count; i++)
		cr_assert(r->pairs[i].feature_count == 1 && !strcmp(r->pairs[i].features[0], "v"));
	cr_assert_eq(r->feature_count, n->changed > 0);
	if (n->changed)
		cr_assert_eq(
			r->features[0].changed + r->features[0].only[0] + r->features[0].only[1],
			n->changed);
	cr_assert_eq(tfr_diff_differs(r), n->changed || n->only[0] || n->only[1]);
}

static void check(const struct side *s)
{
	struct naive *n = malloc(sizeof(*n));

	for (unsigned form = 0; form < 8; form++) {
		struct tfr_sweep_opts sweep = { .threads = form & 1 ? 3 : 1 };
		struct tfr_diff_opts o = { .sides = { sweep, sweep },
			.memory = form & 2 ? 1 : 0,
			.key = form & 4 ? "id" : NULL,
			.examples = EXAMPLES };
		struct tfr_diff_report r;
		struct tfr_error err = { 0 };

		o.sides[0].input = s[0].set;
		o.sides[1].input = s[1].set;
		expect(s, o.key, n);
		cr_assert_eq(tfr_diff_records(&o, &r, &err), TFR_OK, "%s", err.message);
		check_report(&r, n);
		tfr_diff_report_clear(&r);
	}
	free(n);
}

static void make(struct side *s, struct tfr_rng *rng, size_t n, unsigned ids, unsigned values)
{
	s->n = n;
	for (size_t i = 0; i < n; i++)
		s->rows[i] = (struct row){ (int)tfr_rng_below(rng, ids),
			(int)tfr_rng_below(rng, values) };
}

Test(diff, what_all_with_all_says)
{
	const struct {
		size_t n, m;
		unsigned ids, values;
	} cases[] = { { 0, 0, 1, 1 }, { 5, 0, 9, 2 }, { 0, 5, 9, 2 }, { 100, 100, 10, 3 },
		{ 300, 200, 1000000, 1 }, { 900, 1100, 600, 4 }, { 5500, 4500, 1, 2 },
		{ 5900, 5800, 4000, 3 } };
	struct side *s = calloc(2, sizeof(*s));
	struct tfr_rng rng;

	tfr_rng_init(&rng, 3, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		make(&s[0], &rng, cases[i].n, cases[i].ids, cases[i].values);
		make(&s[1], &rng, cases[i].m, cases[i].ids, cases[i].values);
		write_side(&s[0], "a");
		write_side(&s[1], "b");
		check(s);
		tfr_set_close(s[0].set);
		tfr_set_close(s[1].set);
	}
	free(s);
}

/* --- what goes wrong --- */

struct stop {
	const char *phase;   /* in which the caller wants no more */
	const char *replace; /* or this file is cut */
};

static bool progress(void *ctx, const char *phase, const struct tfr_progress *p)
{
	const struct stop *stop = ctx;

	(void)p;
	if (strcmp(phase, stop->phase))
		return true;
	return stop->replace && !truncate(stop->replace, 0);
}

static enum tfr_status run(struct side *s, struct stop *stop, struct tfr_error *err)
{
	/* One thread: the last of several to come by may find nothing left to end. */
	struct tfr_sweep_opts sweep = { .threads = 1, .progress = progress, .ctx = stop };
	struct tfr_diff_opts o = { .sides = { sweep, sweep }, .key = "id", .examples = EXAMPLES };
	struct tfr_diff_report r;
	enum tfr_status status;

	write_side(&s[0], "a");
	write_side(&s[1], "b");
	o.sides[0].input = s[0].set;
	o.sides[1].input = s[1].set;
	status = tfr_diff_records(&o, &r, err);
	tfr_diff_report_clear(&r);
	tfr_set_close(s[0].set);
	tfr_set_close(s[1].set);
	return status;
}

Test(diff, ends_where_the_caller_says)
{
	static const char *const phases[] = { "reading A", "reading B" };
	struct side *s = calloc(2, sizeof(*s));
	struct tfr_rng rng;

	tfr_rng_init(&rng, 4, 4);
	make(&s[0], &rng, 500, 100, 9);
	make(&s[1], &rng, 500, 100, 9);
	for (size_t i = 0; i < 2; i++) {
		struct stop stop = { .phase = phases[i] };

		cr_assert_eq(run(s, &stop, NULL), TFR_ECANCELLED, "%s", phases[i]);
	}
	free(s);
}

Test(diff, inputs_that_change_between_two_readings)
{
	struct side *s = calloc(2, sizeof(*s));
	struct stop stop = { .phase = "comparing features of A", .replace = "b" };
	struct tfr_error err = { 0 };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 4, 4);
	make(&s[0], &rng, 500, 100, 9);
	make(&s[1], &rng, 500, 100, 9);
	cr_assert_eq(run(s, &stop, &err), TFR_EDATA);
	cr_assert_str_eq(err.message, "the inputs changed while they were read");
	free(s);
}
