/* diff/changed_features.c - compares the features of changed records by sorting their hashes.
 *
 * A pair's number is its position in the order of A.  While A is read in order, the pairs in that
 * order say which records to examine.  Each feature of such a record becomes a row.  The place of
 * the other record goes, with the pair's number, to a sorter that yields the order of B.  That
 * order says which records to examine while B is read.  Sorted by pair and feature, the rows of
 * both sides are adjacent. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/escape.h"
#include "diff/record_table.h"

#include "rewrite/class_table.h"
#include "rewrite/pass.h"
#include "sweep/sweep.h"

enum {
	WANTED = TFR_ROW_PLACE + 8,	   /* place in B, pair */
	FEATURE = 8 + 4,		   /* pair, feature: what rows of both sides share */
	ROW = FEATURE + TFR_NOTE_HASH + 1, /* with the hash and the side */
	FEATURES_MAX = 1 << 16,
};

/* The counts of one feature. */
struct tally {
	uint64_t changed, only[2];
};

struct changed_run {
	const struct tfr_record_table *table;
	const struct tfr_diff_opts *o;
	struct tfr_diff_report *report;
	struct tfr_sorter *pairs, *wanted, *rows;
	unsigned side;
	const uint8_t *next; /* the next record to examine, then its data; NULL: none follows */
	uint64_t pair; /* the number of the next pair in A */
	struct tfr_example *example;
	struct tfr_classes names; /* of features, in the order of their first occurrence */
	struct tally *tallies;
	/* For the pairs that are examples: pair and feature, ascending. */
	struct tfr_buf found;
	uint64_t differing; /* pairs with at least one feature that differs */
};

static const char comparing[] = "comparing features";

/* --- the second pass over each side --- */

static enum tfr_status look_ahead(struct changed_run *r, struct tfr_error *err)
{
	const void *row;
	enum tfr_status status = tfr_sorter_next(r->side ? r->wanted : r->pairs, &row, err);

	r->next = status ? NULL : row;
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status add_features(
	struct changed_run *r, const struct tfr_swept *s, uint64_t pair, struct tfr_error *err)
{
	enum tfr_status status = tfr_example_parse(r->example, s->rec.data, s->rec.size, err);
	uint8_t row[ROW];

	if (status)
		return status == TFR_ENOMEM ? status : tfr_pass_changed(err);
	tfr_put_be(row, pair, 8);
	row[ROW - 1] = (uint8_t)r->side;
	for (size_t i = 0; i < tfr_example_count(r->example); i++) {
		const struct tfr_feature *f = tfr_example_at(r->example, i);
		struct tfr_counted_class name = { .kind = TFR_KIND_BYTES,
			.text = { (const uint8_t *)f->key, f->key_size } };
		uint32_t number;

		TFR_TRY(tfr_classes_add(&r->names, &name, 0, &number, err));
		if (number >= FEATURES_MAX)
			return tfr_fail(err, TFR_EUSAGE, "more than %d features", FEATURES_MAX);
		tfr_put_be(row + 8, number, 4);
		tfr_values_hash(f, row + FEATURE);
		TFR_TRY(tfr_sorter_add(r->rows, row, 1, err));
	}
	return TFR_OK;
}

/* Called for the record of A of the next pair: requests the record of B. */
static enum tfr_status take_pair(struct changed_run *r, uint64_t *pair, struct tfr_error *err)
{
	uint8_t wanted[WANTED];

	*pair = r->pair++;
	memcpy(wanted, r->next + TFR_ROW_PLACE, TFR_ROW_PLACE);
	tfr_put_be(wanted + TFR_ROW_PLACE, *pair, 8);
	if (*pair < r->report->pair_count)
		for (unsigned side = 0; side < 2; side++)
			r->report->pairs[*pair].at[side] =
				tfr_note_place(r->o, side, r->next + side * TFR_ROW_PLACE);
	return tfr_sorter_add(r->wanted, wanted, 1, err);
}

static enum tfr_status take_record(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct changed_run *r = ctx;
	uint8_t place[TFR_ROW_PLACE];
	uint64_t pair;
	int c;

	(void)verdict;
	if (!r->next)
		return TFR_END;
	tfr_put_place(place, s->file, s->rec.index);
	c = memcmp(place, r->next, sizeof(place));
	if (c)
		return c > 0 ? tfr_pass_changed(err) : TFR_OK;
	if (r->side)
		pair = tfr_get_be(r->next + TFR_ROW_PLACE, 8);
	else
		TFR_TRY(take_pair(r, &pair, err));
	TFR_TRY(add_features(r, s, pair, err));
	return look_ahead(r, err);
}

/* All work depends on the order of the records. */
static enum tfr_status pass_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	(void)ctx;
	(void)worker;
	(void)s;
	(void)verdict;
	(void)err;
	return TFR_OK;
}

static enum tfr_status read_side(struct changed_run *r, struct tfr_error *err)
{
	struct tfr_sweep sweep = { .opts = r->o->sides[r->side],
		.phase = r->side ? "comparing features of B" : "comparing features of A",
		.again = true,
		.examine = pass_record,
		.settle = take_record,
		.ctx = r };
	struct tfr_sweep_report ignored = { 0 };

	TFR_TRY(look_ahead(r, err));
	TFR_TRY(tfr_sweep_run(&sweep, &ignored, err));
	return r->next ? tfr_pass_changed(err) : TFR_OK;
}

/* --- rows of both sides --- */

/* Counts one feature of a pair: `sides` have it, and `equal` says whether the values are. */
static enum tfr_status count_feature(struct changed_run *r, const uint8_t *row, unsigned sides,
	bool equal, struct tfr_error *err)
{
	uint64_t number = tfr_get_be(row + 8, 4);
	struct tally *t = &r->tallies[number];

	assert(number < r->names.n && sides && sides <= 3);
	if (equal)
		return TFR_OK;
	if (sides == 3)
		t->changed++;
	else
		t->only[sides == 2]++;
	TFR_NEED_MEMORY(tfr_get_be(row, 8) >= r->report->pair_count ||
				tfr_buf_append(&r->found, row, FEATURE),
		err, comparing);
	return TFR_OK;
}

static enum tfr_status compare_rows(struct changed_run *r, struct tfr_error *err)
{
	uint8_t last[ROW];
	unsigned sides = 0; /* bits: the sides that have the feature of `last` */
	bool equal = false;
	uint64_t differing = UINT64_MAX; /* the last pair with a feature that differs */
	enum tfr_status status;
	const void *row;

	for (;;) {
		status = tfr_sorter_next(r->rows, &row, err);
		if (status > TFR_END)
			return status;
		if (!status && sides && !memcmp(row, last, FEATURE)) {
			equal = !memcmp(row, last, FEATURE + TFR_NOTE_HASH);
			sides = 3;
			continue;
		}
		if (sides) {
			uint64_t pair = tfr_get_be(last, 8);

			TFR_TRY(count_feature(r, last, sides, equal, err));
			r->differing += !equal && pair != differing;
			differing = equal ? differing : pair;
		}
		if (status)
			return TFR_OK;
		memcpy(last, row, ROW);
		assert(last[ROW - 1] < 2);
		sides = 1u << last[ROW - 1];
		equal = false;
	}
}

/* --- the report --- */

/* NULL: out of memory. */
static char *shown_name(const struct tfr_bytes *name)
{
	TFR_AUTO_BUF text = { 0 };

	if (!tfr_escape_exactly(&text, name->data, name->size) || !tfr_buf_append(&text, "", 1))
		return NULL;
	return (char *)TFR_STEAL(text.data);
}

/* Lists the features that differ; `places` receives their positions in the report. */
static enum tfr_status list_features(
	struct changed_run *r, const uint32_t *order, uint32_t *places, struct tfr_error *err)
{
	struct tfr_diff_report *report = r->report;

	report->features = calloc(r->names.n + 1u, sizeof(*report->features));
	TFR_NEED_MEMORY(report->features, err, comparing);
	for (uint32_t i = 0; i < r->names.n; i++) {
		const struct tally *t = &r->tallies[order[i]];
		struct tfr_diff_feature *f = &report->features[report->feature_count];
		struct tfr_bytes name = tfr_classes_at(&r->names, order[i]).text;

		if (!t->changed && !t->only[0] && !t->only[1])
			continue;
		places[order[i]] = (uint32_t)report->feature_count;
		*f = (struct tfr_diff_feature){ .name = shown_name(&name),
			.changed = t->changed,
			.only = { t->only[0], t->only[1] } };
		TFR_NEED_MEMORY(f->name, err, comparing);
		report->feature_count++;
	}
	return TFR_OK;
}

/* Lists the features of one pair, whose rows begin at *at, and moves *at to their end. */
static enum tfr_status list_pair(
	struct changed_run *r, const uint32_t *places, size_t *at, struct tfr_error *err)
{
	const uint8_t *rows = r->found.data + *at;
	size_t left = r->found.size - *at, size = 0, n;
	struct tfr_diff_pair *pair = &r->report->pairs[tfr_get_be(rows, 8)];
	TFR_AUTO_FREE uint32_t *numbers = NULL;

	assert(left && left % FEATURE == 0);
	while (size < left && !memcmp(rows + size, rows, 8))
		size += FEATURE;
	n = size / FEATURE;
	numbers = calloc(n, sizeof(*numbers));
	pair->features = calloc(n, sizeof(*pair->features));
	TFR_NEED_MEMORY(numbers && pair->features, err, comparing);
	for (size_t i = 0; i < n; i++)
		numbers[i] = places[tfr_get_be(rows + i * FEATURE + 8, 4)];
	qsort(numbers, n, sizeof(*numbers), tfr_compare_u32);
	for (size_t i = 0; i < n; i++)
		pair->features[i] = r->report->features[numbers[i]].name;
	pair->feature_count = n;
	*at += size;
	return TFR_OK;
}

static enum tfr_status report_changes(struct changed_run *r, struct tfr_error *err)
{
	TFR_AUTO_FREE uint32_t *order = calloc(r->names.n + 1u, sizeof(*order));
	TFR_AUTO_FREE uint32_t *places = calloc(r->names.n + 1u, sizeof(*places));

	TFR_NEED_MEMORY(order && places, err, comparing);
	tfr_classes_order(&r->names, order);
	TFR_TRY(list_features(r, order, places, err));
	for (size_t at = 0; at < r->found.size;)
		TFR_TRY(list_pair(r, places, &at, err));
	assert(r->differing <= r->report->changed);
	r->report->same = r->report->changed - r->differing;
	return TFR_OK;
}

/* --- the complete comparison --- */

static enum tfr_status compare_changed(struct changed_run *r, struct tfr_error *err)
{
	size_t examples = r->o->examples;

	if (examples > r->report->changed)
		examples = (size_t)r->report->changed;
	r->wanted = tfr_record_table_sorter(r->table, WANTED, 8);
	r->rows = tfr_record_table_sorter(r->table, ROW, 2);
	r->example = tfr_example_new();
	r->report->pairs = calloc(examples + 1, sizeof(*r->report->pairs));
	TFR_NEED_MEMORY(r->wanted && r->rows && r->example && r->report->pairs, err, comparing);
	r->report->pair_count = examples;
	for (r->side = 0; r->side < 2; r->side++)
		TFR_TRY(read_side(r, err));
	r->tallies = calloc(r->names.n + 1u, sizeof(*r->tallies));
	TFR_NEED_MEMORY(r->tallies, err, comparing);
	TFR_TRY(compare_rows(r, err));
	return report_changes(r, err);
}

enum tfr_status tfr_changed_find(const struct tfr_record_table *table, struct tfr_sorter *pairs,
	struct tfr_diff_report *report, struct tfr_error *err)
{
	struct changed_run r = { .table = table, .o = table->o, .report = report, .pairs = pairs };
	enum tfr_status status = compare_changed(&r, err);

	tfr_sorter_free(r.pairs);
	tfr_sorter_free(r.wanted);
	tfr_sorter_free(r.rows);
	tfr_example_free(r.example);
	tfr_classes_clear(&r.names);
	free(r.tallies);
	tfr_buf_clear(&r.found);
	return status;
}
