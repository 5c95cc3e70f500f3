/* rewrite/dedup_job.c - a merge of the notes of a part with those of each part before it.
 *
 * The notes of every part are sorted by hash and place.  As many of this part's as the memory holds
 * are loaded, and the notes of the other parts pass by.  Parts are in the order of the inputs, so
 * the first note that is found equal is that of the first record. */
#include "rewrite/dedup_job.h"

#include <stdlib.h>
#include <string.h>

#include "shard/job/part_notes.h"

enum { HASH = TFR_DEDUP_HASH, PLACE = TFR_DEDUP_PLACE, NOTE = TFR_DEDUP_NOTE, ROWS_LEAST = 1024 };

enum tfr_status tfr_dedup_note(struct tfr_job *job, struct tfr_sorter *rows, struct tfr_error *err)
{
	struct tfr_part_notes *notes = NULL;
	enum tfr_status status = tfr_part_notes_new(&notes, job, 1, err);
	const void *row;

	while (!status) {
		status = tfr_sorter_next(rows, &row, err);
		if (!status)
			status = tfr_part_notes_put(notes, 0, row, NOTE, err);
	}
	if (status == TFR_END)
		status = tfr_part_notes_end(notes, err);
	tfr_part_notes_free(notes);
	return status;
}

/* A record of this part. */
struct own {
	uint8_t note[NOTE];
	/* Of the first record of each hash: the number of equal ones in the parts before, and the
	 * first of them. */
	uint8_t first[PLACE];
	uint64_t before;
};

struct search {
	struct tfr_job *job;
	struct own *rows;
	size_t n, cap;
	uint64_t skip; /* rows to leave out while loading */
	size_t at;     /* of the merge */

	/* The hash of the last row, of which there were `count` so far, the first at `first`. */
	uint8_t hash[HASH], first[PLACE];
	uint64_t count;
	bool any;
};

static enum tfr_status load_rows(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct search *s = ctx;

	(void)err;
	for (size_t at = 0; size - at >= NOTE; at += NOTE) {
		if (s->skip) {
			s->skip--;
			continue;
		}
		if (s->n == s->cap)
			return TFR_END;
		memcpy(s->rows[s->n].note, data + at, NOTE);
		s->rows[s->n++].before = 0;
	}
	return TFR_OK;
}

/* Notes of an earlier part. */
static enum tfr_status merge(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct search *s = ctx;

	(void)err;
	for (size_t at = 0; size - at >= NOTE; at += NOTE) {
		const uint8_t *theirs = data + at;
		struct own *own;

		while (s->at < s->n && memcmp(s->rows[s->at].note, theirs, HASH) < 0)
			s->at++;
		if (s->at == s->n)
			return TFR_END;
		own = &s->rows[s->at];
		if (memcmp(own->note, theirs, HASH))
			continue;
		if (!own->before++)
			memcpy(own->first, theirs + HASH, PLACE);
	}
	return TFR_OK;
}

static enum tfr_status settle(struct search *s, struct tfr_sorter *found,
	struct tfr_dedup_report *report, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint8_t row[TFR_DEDUP_FOUND];

	for (size_t i = 0; !status && i < s->n; i++) {
		const struct own *own = &s->rows[i];

		if (!s->any || memcmp(s->hash, own->note, HASH)) {
			s->any = true;
			s->count = own->before;
			memcpy(s->hash, own->note, HASH);
			memcpy(s->first, own->before ? own->first : own->note + HASH, PLACE);
		}
		if (s->count) {
			memcpy(row, own->note + HASH, PLACE);
			memcpy(row + PLACE, s->first, PLACE);
			report->duplicates++;
			report->groups += s->count == 1;
			status = tfr_sorter_add(found, row, 1, err);
		}
		s->count++;
	}
	return status;
}

enum tfr_status tfr_dedup_find(struct tfr_job *job, uint64_t memory, struct tfr_sorter *found,
	uint64_t *noted, struct tfr_dedup_report *report, struct tfr_error *err)
{
	struct search s = { .job = job, .cap = (size_t)(memory / sizeof(struct own)) };
	uint32_t part = tfr_job_part(job);
	enum tfr_status status = TFR_OK;

	s.cap = s.cap > ROWS_LEAST ? s.cap : ROWS_LEAST;
	s.rows = calloc(s.cap, sizeof(*s.rows));
	if (!s.rows)
		return tfr_fail_nomem(err, "comparing records");
	*noted = 0;
	do {
		s.n = 0;
		s.skip = *noted;
		status = tfr_part_notes_read(job, part, 0, load_rows, &s, err);
		for (uint32_t k = 0; !status && s.n && k < part; k++) {
			s.at = 0;
			status = tfr_part_notes_read(job, k, 0, merge, &s, err);
		}
		if (!status)
			status = settle(&s, found, report, err);
		*noted += s.n;
	} while (!status && s.n == s.cap);
	free(s.rows);
	return status;
}
