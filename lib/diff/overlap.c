/* diff/overlap.c - finds what both sides have by a walk over sorted notes, which needs only the
 * first note of each side. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "diff/first_rows.h"
#include "diff/record_table.h"

struct overlap_run {
	const struct tfr_diff_opts *o;
	struct tfr_overlap_report *report;
	struct tfr_record_table table;
	struct tfr_firsts pairs; /* place in A, place in B */
	/* For the current content or key: */
	uint8_t group[TFR_NOTE_HASH];
	uint64_t n[2];
	uint8_t first[2 * TFR_ROW_PLACE];
};

static enum tfr_status end_group(struct overlap_run *r, struct tfr_error *err)
{
	bool shared = r->n[0] && r->n[1];

	for (unsigned side = 0; side < 2; side++) {
		r->report->records[side] += shared ? r->n[side] : 0;
		r->n[side] = 0;
	}
	r->report->shared += shared;
	if (shared && !tfr_firsts_add(&r->pairs, r->first))
		return tfr_fail_nomem(err, "comparing records");
	return TFR_OK;
}

static enum tfr_status walk_notes(struct overlap_run *r, struct tfr_error *err)
{
	enum tfr_status status;
	const void *next;

	while (!(status = tfr_sorter_next(r->table.sorter, &next, err))) {
		const uint8_t *row = next, *sided = row + TFR_NOTE_HASH;

		assert(sided[0] < 2);
		if ((r->n[0] || r->n[1]) && memcmp(row, r->group, TFR_NOTE_HASH))
			TFR_TRY(end_group(r, err));
		memcpy(r->group, row, TFR_NOTE_HASH);
		if (!r->n[sided[0]]++)
			memcpy(r->first + sided[0] * TFR_ROW_PLACE, sided + 1, TFR_ROW_PLACE);
	}
	r->report->temp_bytes = tfr_sorter_spilled(r->table.sorter);
	return status == TFR_END ? end_group(r, err) : status;
}

static enum tfr_status find_overlap(struct overlap_run *r, struct tfr_error *err)
{
	const struct tfr_set *const sets[2] = { r->o->sides[0].input, r->o->sides[1].input };
	struct tfr_overlap_report *report = r->report;

	TFR_TRY(tfr_diff_check_sides(sets, false, err));
	TFR_TRY(tfr_record_table_open(&r->table, r->o, false, err));
	TFR_TRY(tfr_record_table_take(&r->table, report->sides, err));
	TFR_TRY(walk_notes(r, err));
	TFR_NEED_MEMORY(tfr_note_pairs(r->o, &r->pairs, &report->pairs, &report->pair_count), err,
		"comparing records");
	return TFR_OK;
}

enum tfr_status tfr_overlap(
	const struct tfr_diff_opts *opts, struct tfr_overlap_report *report, struct tfr_error *err)
{
	struct overlap_run r = { .o = opts,
		.report = report,
		.pairs = { .row = 2 * TFR_ROW_PLACE, .max = opts->examples } };
	enum tfr_status status;

	*report = (struct tfr_overlap_report){ 0 };
	status = find_overlap(&r, err);
	tfr_firsts_clear(&r.pairs);
	tfr_record_table_close(&r.table);
	return status;
}

void tfr_overlap_report_clear(struct tfr_overlap_report *report)
{
	free(report->pairs);
	*report = (struct tfr_overlap_report){ 0 };
}
