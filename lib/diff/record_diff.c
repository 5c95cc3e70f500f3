/* diff/record_diff.c - matches the records of two sets, or finds what both have.
 *
 * In the sorted notes of both sides, equal records are adjacent.  The first of A is paired with the
 * first of B, and so on.  With keys, records without an equal one are sorted again, by key and
 * place, and paired in the same way: those records changed.  Without keys, two sides are equal if
 * they have the same number of records and the same 128-bit sum of their hashes; then nothing is
 * sorted.
 *
 * The overlap is the groups of equal keys, or of equal contents, that have records of both sides.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "diff/first_rows.h"
#include "diff/record_table.h"

/* --- pairs --- */

/* Pairs the rows of both sides, two by two in the order of each side.
 *
 * Rows arrive sorted by group, side and place.  The first row of A in a group is paired with the
 * first of B, and so on; the surplus is in one side only.  The places of A wait for those of B:
 * some thousands in a queue, beyond that in a sorter, by their ranks. */

struct pairing {
	const struct tfr_record_table *table;
	size_t prefix; /* bytes that identify the group */
	enum tfr_status (*match)(
		void *ctx, const uint8_t *a, const uint8_t *b, struct tfr_error *err);
	/* `row`: a complete row of the group, with the side and place of this record. */
	enum tfr_status (*only)(void *ctx, const uint8_t *row, struct tfr_error *err);
	void *ctx;

	uint8_t group[TFR_NOTE_MAX]; /* the last row, or any row of its group */
	bool any;
	uint8_t *held; /* places of A */
	size_t n_held, at;
	struct tfr_sorter *large; /* NULL: all places are in `held` */
	uint64_t ranks[2];	  /* of the last row of each side, in `large` */
};

enum { HELD = 4096, RANKED = 8 + TFR_NOTE_SIDED };

static enum tfr_status take_single(
	struct pairing *p, const uint8_t sided[TFR_NOTE_SIDED], struct tfr_error *err)
{
	memcpy(p->group + p->prefix, sided, TFR_NOTE_SIDED);
	return p->only(p->ctx, p->group, err);
}

static enum tfr_status rank_place(
	struct pairing *p, const uint8_t sided[TFR_NOTE_SIDED], struct tfr_error *err)
{
	uint8_t ranked[RANKED];

	assert(p->large && sided[0] < 2);
	tfr_put_be(ranked, p->ranks[sided[0]]++, 8);
	memcpy(ranked + 8, sided, TFR_NOTE_SIDED);
	return tfr_sorter_add(p->large, ranked, 1, err);
}

/* Moves the held places to a sorter. */
static enum tfr_status move_to_sorter(struct pairing *p, struct tfr_error *err)
{
	uint8_t sided[TFR_NOTE_SIDED] = { 0 };

	assert(!p->large && !p->at); /* B comes after A in a group */
	p->large = tfr_record_table_sorter(p->table, RANKED, 8);
	p->ranks[0] = p->ranks[1] = 0;
	TFR_NEED_MEMORY(p->large, err, "comparing records");
	for (size_t i = 0; i < p->n_held; i++) {
		memcpy(sided + 1, p->held + i * TFR_ROW_PLACE, TFR_ROW_PLACE);
		TFR_TRY(rank_place(p, sided, err));
	}
	p->n_held = 0;
	return TFR_OK;
}

static enum tfr_status hold_place(
	struct pairing *p, const uint8_t place[TFR_ROW_PLACE], struct tfr_error *err)
{
	assert(p->n_held < HELD);
	if (!p->held)
		p->held = malloc(HELD * TFR_ROW_PLACE);
	TFR_NEED_MEMORY(p->held, err, "comparing records");
	memcpy(p->held + p->n_held++ * TFR_ROW_PLACE, place, TFR_ROW_PLACE);
	return TFR_OK;
}

/* Two rows of one rank are adjacent, that of A first. */
static enum tfr_status end_large(struct pairing *p, struct tfr_error *err)
{
	uint8_t a[RANKED];
	bool waits = false;
	enum tfr_status status;
	const void *next;

	while (!(status = tfr_sorter_next(p->large, &next, err))) {
		const uint8_t *row = next;

		if (waits && row[8]) { /* of the same rank, since lower ones of A are done */
			waits = false;
			TFR_TRY(p->match(p->ctx, a + 9, row + 9, err));
		} else if (row[8]) {
			TFR_TRY(take_single(p, row + 8, err));
		} else {
			if (waits)
				TFR_TRY(take_single(p, a + 8, err));
			memcpy(a, row, RANKED);
			waits = true;
		}
	}
	if (status != TFR_END)
		return status;
	if (waits)
		TFR_TRY(take_single(p, a + 8, err));
	tfr_sorter_free(p->large);
	p->large = NULL;
	return TFR_OK;
}

/* Call after the last row. */
static enum tfr_status pairing_end(struct pairing *p, struct tfr_error *err)
{
	uint8_t sided[TFR_NOTE_SIDED] = { 0 };

	if (p->large)
		TFR_TRY(end_large(p, err));
	for (; p->at < p->n_held; p->at++) {
		memcpy(sided + 1, p->held + p->at * TFR_ROW_PLACE, TFR_ROW_PLACE);
		TFR_TRY(take_single(p, sided, err));
	}
	p->n_held = p->at = 0;
	return TFR_OK;
}

static enum tfr_status pairing_add(struct pairing *p, const uint8_t *row, struct tfr_error *err)
{
	const uint8_t *sided = row + p->prefix;

	assert(p->prefix + TFR_NOTE_SIDED <= TFR_NOTE_MAX && sided[0] < 2);
	if (!p->any || memcmp(p->group, row, p->prefix)) {
		if (p->any)
			TFR_TRY(pairing_end(p, err));
		memcpy(p->group, row, p->prefix);
		p->any = true;
	}
	if (!p->large && !sided[0] && p->n_held == HELD)
		TFR_TRY(move_to_sorter(p, err));
	if (p->large)
		return rank_place(p, sided, err);
	if (!sided[0])
		return hold_place(p, sided + 1, err);
	if (p->at < p->n_held)
		return p->match(p->ctx, p->held + p->at++ * TFR_ROW_PLACE, sided + 1, err);
	return p->only(p->ctx, row, err);
}

/* --- comparing --- */

enum { LEFT = TFR_NOTE_HASH + TFR_NOTE_SIDED }; /* key, side, place */

struct diff_run {
	const struct tfr_diff_opts *o;
	struct tfr_diff_report *report;
	struct tfr_record_table table;
	struct tfr_sorter *left;    /* with keys: the records without an equal one */
	struct tfr_sorter *changed; /* place in A, place in B */
	struct tfr_sorter *order;   /* of pairs: place in A, place in B */
	struct tfr_firsts only[2];
	struct tfr_firsts steps; /* or what is shared: place in A, place in B */
	/* For the current key, or content: the number of records of each side, and the first. */
	uint8_t group[TFR_NOTE_HASH];
	uint64_t of_group[2];
	uint8_t first[TFR_CHANGED_ROW];
};

/* --- findings --- */

/* Adds a place in A and one in B, if there is a sorter for them. */
static enum tfr_status add_places(
	struct tfr_sorter *to, const uint8_t *a, const uint8_t *b, struct tfr_error *err)
{
	uint8_t row[TFR_CHANGED_ROW];

	memcpy(row, a, TFR_ROW_PLACE);
	memcpy(row + TFR_ROW_PLACE, b, TFR_ROW_PLACE);
	return to ? tfr_sorter_add(to, row, 1, err) : TFR_OK;
}

static enum tfr_status take_equal(
	void *ctx, const uint8_t *a, const uint8_t *b, struct tfr_error *err)
{
	struct diff_run *r = ctx;

	r->report->both++;
	return add_places(r->order, a, b, err);
}

static enum tfr_status take_changed(
	void *ctx, const uint8_t *a, const uint8_t *b, struct tfr_error *err)
{
	struct diff_run *r = ctx;

	r->report->changed++;
	TFR_TRY(add_places(r->changed, a, b, err));
	return add_places(r->order, a, b, err);
}

/* A record that is in one side only. */
static enum tfr_status take_only(void *ctx, const uint8_t *row, struct tfr_error *err)
{
	const uint8_t *sided = row + TFR_NOTE_HASH;
	struct diff_run *r = ctx;

	assert(sided[0] < 2);
	r->report->only[sided[0]]++;
	TFR_NEED_MEMORY(tfr_firsts_add(&r->only[sided[0]], sided + 1), err, "comparing records");
	return TFR_OK;
}

/* Keeps the row: another record with its key may be its changed version. */
static enum tfr_status leave_row(void *ctx, const uint8_t *row, struct tfr_error *err)
{
	struct diff_run *r = ctx;
	uint8_t left[LEFT];

	memcpy(left, row, TFR_NOTE_HASH);
	memcpy(left + TFR_NOTE_HASH, row + 2 * TFR_NOTE_HASH, TFR_NOTE_SIDED);
	return tfr_sorter_add(r->left, left, 1, err);
}

/* --- walks --- */

static enum tfr_status end_group(struct diff_run *r, struct tfr_error *err)
{
	bool shared = r->o->overlap && r->of_group[0] && r->of_group[1];

	for (unsigned side = 0; side < 2; side++) {
		r->report->repeated[side] += r->of_group[side] > 1;
		r->report->overlapping[side] += shared ? r->of_group[side] : 0;
		r->of_group[side] = 0;
	}
	r->report->shared += shared;
	TFR_NEED_MEMORY(!shared || tfr_firsts_add(&r->steps, r->first), err, "comparing records");
	return TFR_OK;
}

/* Counts the records of each key, or content. */
static enum tfr_status count_row(struct diff_run *r, const uint8_t *row, struct tfr_error *err)
{
	const uint8_t *sided = row + r->table.prefix;

	assert(sided[0] < 2);
	if ((r->of_group[0] || r->of_group[1]) && memcmp(r->group, row, TFR_NOTE_HASH))
		TFR_TRY(end_group(r, err));
	memcpy(r->group, row, TFR_NOTE_HASH);
	if (!r->of_group[sided[0]]++)
		memcpy(r->first + sided[0] * TFR_ROW_PLACE, sided + 1, TFR_ROW_PLACE);
	return TFR_OK;
}

static enum tfr_status find_overlap(struct diff_run *r, struct tfr_error *err)
{
	enum tfr_status status;
	const void *row;

	while (!(status = tfr_sorter_next(r->table.sorter, &row, err)))
		TFR_TRY(count_row(r, row, err));
	return status == TFR_END ? end_group(r, err) : status;
}

static enum tfr_status pair_rows(
	struct diff_run *r, struct tfr_sorter *rows, struct pairing *p, struct tfr_error *err)
{
	bool count_keys = r->o->key && rows == r->table.sorter;
	enum tfr_status status;
	const void *row;

	while (!(status = tfr_sorter_next(rows, &row, err))) {
		if (count_keys)
			TFR_TRY(count_row(r, row, err));
		TFR_TRY(pairing_add(p, row, err));
	}
	if (status != TFR_END)
		return status;
	TFR_TRY(end_group(r, err));
	return pairing_end(p, err);
}

/* Pairs rows with equal prefixes, and frees their memory for the other sorters. */
static enum tfr_status match_rows(
	struct diff_run *r, struct tfr_sorter **rows, struct pairing p, struct tfr_error *err)
{
	enum tfr_status status;

	p.table = &r->table;
	p.ctx = r;
	status = pair_rows(r, *rows, &p, err);
	tfr_sorter_free(p.large);
	free(p.held);
	tfr_sorter_free(*rows);
	*rows = NULL;
	return status;
}

static enum tfr_status match_records(struct diff_run *r, struct tfr_error *err)
{
	struct pairing equal = { .prefix = r->table.prefix,
		.match = take_equal,
		.only = r->o->key ? leave_row : take_only };
	struct pairing changed = {
		.prefix = TFR_NOTE_HASH, .match = take_changed, .only = take_only
	};

	TFR_TRY(match_rows(r, &r->table.sorter, equal, err));
	return r->o->key ? match_rows(r, &r->left, changed, err) : TFR_OK;
}

/* Walks over the pairs in the order of A and finds the steps back in B. */
static enum tfr_status find_steps_back(struct diff_run *r, struct tfr_error *err)
{
	uint8_t last[TFR_ROW_PLACE] = { 0 };
	enum tfr_status status;
	const void *next;

	while (!(status = tfr_sorter_next(r->order, &next, err))) {
		const uint8_t *row = next;

		if (memcmp(row + TFR_ROW_PLACE, last, TFR_ROW_PLACE) < 0) {
			r->report->steps_back++;
			TFR_NEED_MEMORY(tfr_firsts_add(&r->steps, row), err, "comparing records");
		}
		memcpy(last, row + TFR_ROW_PLACE, TFR_ROW_PLACE);
	}
	return status == TFR_END ? TFR_OK : status;
}

/* --- the report --- */

static bool list_only(struct diff_run *r, unsigned side)
{
	struct tfr_firsts *f = &r->only[side];
	struct tfr_diff_place *list;

	tfr_firsts_settle(f);
	list = r->report->only_at[side] = calloc(f->n + 1, sizeof(*list));
	if (!list)
		return false;
	for (; r->report->only_count[side] < f->n; r->report->only_count[side]++)
		list[r->report->only_count[side]] = tfr_note_place(
			r->o, side, f->rows + r->report->only_count[side] * TFR_ROW_PLACE);
	return true;
}

static enum tfr_status report_examples(struct diff_run *r, struct tfr_error *err)
{
	struct tfr_diff_report *report = r->report;

	TFR_NEED_MEMORY(
		list_only(r, 0) && list_only(r, 1) &&
			tfr_note_pairs(r->o, &r->steps, &report->steps, &report->step_count),
		err, "comparing records");
	return TFR_OK;
}

/* --- the complete comparison --- */

static enum tfr_status open_run(struct diff_run *r, struct tfr_error *err)
{
	const struct tfr_diff_opts *o = r->o;
	const struct tfr_set *const sets[2] = { o->sides[0].input, o->sides[1].input };
	bool by_key = o->key && !o->overlap;

	TFR_TRY(tfr_diff_check_sides(sets, by_key, err));
	TFR_TRY(tfr_record_table_open(&r->table, o, err));
	if (by_key) {
		r->left = tfr_record_table_sorter(&r->table, LEFT, 8);
		r->changed = tfr_record_table_sorter(&r->table, TFR_CHANGED_ROW, 8);
	}
	if (o->ordered)
		r->order = tfr_record_table_sorter(&r->table, TFR_CHANGED_ROW, 8);
	TFR_NEED_MEMORY((!by_key || (r->left && r->changed)) && (!o->ordered || r->order), err,
		"comparing records");
	for (unsigned side = 0; side < 2; side++)
		r->only[side] = (struct tfr_firsts){ .row = TFR_ROW_PLACE, .max = o->examples };
	r->steps = (struct tfr_firsts){ .row = TFR_CHANGED_ROW, .max = o->examples };
	return TFR_OK;
}

/* 128-bit sums that agree by chance are as rare as hashes that do. */
static bool all_equal(const struct diff_run *r)
{
	return !r->o->key && !r->o->ordered && r->table.sums[0] == r->table.sums[1] &&
	       r->report->sides[0].taken == r->report->sides[1].taken;
}

static enum tfr_status compare_records(struct diff_run *r, struct tfr_error *err)
{
	TFR_TRY(open_run(r, err));
	TFR_TRY(tfr_record_table_take(&r->table, r->report->sides, err));
	if (r->o->overlap) {
		TFR_TRY(find_overlap(r, err));
		return report_examples(r, err);
	}
	if (all_equal(r)) {
		r->report->both = r->report->sides[0].taken;
		return report_examples(r, err);
	}
	TFR_TRY(match_records(r, err));
	if (r->order)
		TFR_TRY(find_steps_back(r, err));
	tfr_sorter_free(r->order); /* frees its memory for the other sorters */
	r->order = NULL;
	TFR_TRY(report_examples(r, err));
	if (!r->report->changed)
		return TFR_OK;
	return tfr_changed_find(&r->table, TFR_STEAL(r->changed), r->report, err);
}

enum tfr_status tfr_diff_records(
	const struct tfr_diff_opts *opts, struct tfr_diff_report *report, struct tfr_error *err)
{
	struct diff_run r = { .o = opts, .report = report };
	enum tfr_status status;

	*report = (struct tfr_diff_report){ 0 };
	status = compare_records(&r, err);
	tfr_sorter_free(r.left);
	tfr_sorter_free(r.changed);
	tfr_sorter_free(r.order);
	tfr_firsts_clear(&r.only[0]);
	tfr_firsts_clear(&r.only[1]);
	tfr_firsts_clear(&r.steps);
	tfr_record_table_close(&r.table);
	return status;
}

bool tfr_diff_differs(const struct tfr_diff_report *report)
{
	return report->only[0] || report->only[1] || report->changed || report->steps_back ||
	       report->shared;
}

void tfr_diff_report_clear(struct tfr_diff_report *report)
{
	for (size_t i = 0; i < report->pair_count; i++)
		free(report->pairs[i].features);
	for (size_t i = 0; i < report->feature_count; i++)
		free(report->features[i].name);
	free(report->features);
	free(report->pairs);
	free(report->steps);
	free(report->only_at[0]);
	free(report->only_at[1]);
	*report = (struct tfr_diff_report){ 0 };
}
