/* rewrite/dedup.c - keeps the first of equal records.
 *
 * A first sweep notes a 128-bit hash and the position of every record.  After sorting, equal
 * records are adjacent, the first of them first.  The positions of the others are sorted, and a
 * second sweep in input order skips them.  Each list is sorted in half of the memory, on disk if
 * it needs more, so that memory does not grow with the data.  With 128 bits, the chance that any
 * two different ones of 10^12 records are taken for equal is 1 in 10^14. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/error.h"
#include "rewrite/pass.h"
#include "rewrite/record_key.h"
#include "rewrite/sort/sorter.h"

#define MEMORY ((uint64_t)1 << 30)

enum {
	HASH = TFR_VALUES_HASH,
	PLACE = TFR_ROW_PLACE,
	NOTE = HASH + PLACE,
	FOUND = 2 * PLACE, /* the later record, then the first */
	BATCH = 512,
};

struct dedup_worker {
	uint8_t notes[BATCH * NOTE];
	size_t n;
	bool images;
};

struct dedup_run {
	const struct tfr_dedup_opts *o;
	struct tfr_dedup_report *report;
	struct dedup_worker *workers;
	unsigned n_workers;
	struct tfr_sorter *notes, *found;
	struct tfr_set_writer *out;
	struct tfr_spill_folders folders;
	uint64_t noted;	     /* records */
	const uint8_t *next; /* the next record to skip; NULL: none follows */
};

/* --- the first sweep --- */

static enum tfr_status hash_record(const struct dedup_run *r, const struct tfr_swept *s,
	uint8_t hash[HASH], struct tfr_error *err)
{
	const struct tfr_feature *key;

	if (!r->o->key) {
		XXH128_canonicalFromHash(
			(XXH128_canonical_t *)hash, XXH3_128bits(s->rec.data, s->rec.size));
		return TFR_OK;
	}
	TFR_TRY(tfr_key_find(s->example, r->o->key, &key, err));
	tfr_values_hash(key, hash);
	return TFR_OK;
}

static enum tfr_status note_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct dedup_run *r = ctx;
	struct dedup_worker *w = &r->workers[worker];
	uint8_t *row = w->notes + w->n * NOTE;

	(void)verdict;
	TFR_TRY(hash_record(r, s, row, err));
	if (!r->o->key && !s->rec.index) /* one look per file, since it is for a message only */
		w->images |= memmem(s->rec.data, s->rec.size, "image/encoded", 13) != NULL;
	tfr_put_place(row + HASH, s->file, s->rec.index);
	return ++w->n == BATCH ? tfr_sorter_take(r->notes, w->notes, &w->n, err) : TFR_OK;
}

static enum tfr_status note_all(struct dedup_run *r, struct tfr_error *err)
{
	struct tfr_sweep sweep = { .opts = r->o->common.sweep,
		.phase = "comparing",
		.parse = r->o->key,
		.examine = note_record,
		.ctx = r };

	TFR_TRY(tfr_pass_run(&sweep, &r->report->common, err));
	for (unsigned k = 0; k < r->n_workers; k++) {
		r->report->images |= r->workers[k].images;
		TFR_TRY(tfr_sorter_take(r->notes, r->workers[k].notes, &r->workers[k].n, err));
	}
	r->noted = r->report->common.taken;
	return TFR_OK;
}

/* Equal notes are adjacent. */
static enum tfr_status find_duplicates(struct dedup_run *r, struct tfr_error *err)
{
	uint8_t first[NOTE], found[FOUND];
	bool any = false, counted = false;
	enum tfr_status status;
	const void *row;

	while (!(status = tfr_sorter_next(r->notes, &row, err))) {
		if (!any || memcmp(first, row, HASH)) {
			memcpy(first, row, NOTE);
			any = true;
			counted = false;
			continue;
		}
		memcpy(found, (const uint8_t *)row + HASH, PLACE);
		memcpy(found + PLACE, first + HASH, PLACE);
		r->report->duplicates++;
		r->report->groups += !counted;
		counted = true;
		TFR_TRY(tfr_sorter_add(r->found, found, 1, err));
	}
	r->report->temp_bytes = tfr_sorter_spilled(r->notes);
	tfr_sorter_free(r->notes); /* its memory becomes free for writing */
	r->notes = NULL;
	return status == TFR_END ? TFR_OK : status;
}

/* --- the second sweep --- */

static enum tfr_status look_ahead(struct dedup_run *r, struct tfr_error *err)
{
	const void *row;
	enum tfr_status status = tfr_sorter_next(r->found, &row, err);

	r->next = status ? NULL : row;
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status digest_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	const struct dedup_run *r = ctx;
	const struct tfr_feature *key;
	struct tfr_digest d;

	(void)worker;
	if (r->o->key) /* records without the key were skipped before */
		TFR_TRY(tfr_key_find(s->example, r->o->key, &key, err));
	tfr_digest_record(&s->rec, &d);
	memcpy(verdict, &d, sizeof(d));
	return TFR_OK;
}

static enum tfr_status write_record(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct iovec piece = { (void *)(uintptr_t)s->rec.data, s->rec.size };
	struct dedup_run *r = ctx;
	const struct tfr_dedup_opts *o = r->o;
	struct tfr_rewrite_report *report = &r->report->common;
	uint8_t place[PLACE];
	struct tfr_digest d;
	uint32_t shard;
	int c;

	memcpy(&d, verdict, sizeof(d));
	report->taken_sum += d.sum;
	tfr_put_place(place, s->file, s->rec.index);
	c = r->next ? memcmp(place, r->next, PLACE) : -1;
	if (c > 0)
		return tfr_pass_changed(err);
	if (!c && o->duplicate)
		TFR_TRY(o->duplicate(o->common.sweep.ctx, s->path, s->rec.index,
			tfr_set_path(o->common.sweep.input, (size_t)tfr_get_be(r->next + PLACE, 4)),
			tfr_get_be(r->next + PLACE + 4, 8), err));
	if (!c)
		return look_ahead(r, err);
	shard = (uint32_t)(report->written++ % tfr_set_writer_shards(r->out));
	report->bytes += d.size;
	report->sum += d.sum;
	return tfr_set_writer_put(r->out, shard, &piece, 1, &d, err);
}

static enum tfr_status write_rest(struct dedup_run *r, struct tfr_error *err)
{
	struct tfr_sweep sweep = { .opts = r->o->common.sweep,
		.phase = "writing",
		.parse = r->o->key,
		.again = true,
		.last = true,
		.verdict_size = sizeof(struct tfr_digest),
		.examine = digest_record,
		.settle = write_record,
		.ctx = r };

	TFR_TRY(look_ahead(r, err));
	TFR_TRY(tfr_pass_run(&sweep, &r->report->common, err));
	r->report->temp_bytes += tfr_sorter_spilled(r->found);
	if (r->next || r->report->common.taken != r->noted)
		return tfr_pass_changed(err);
	return TFR_OK;
}

/* --- around them --- */

static bool open_sorters(struct dedup_run *r)
{
	const struct tfr_dedup_opts *o = r->o;
	uint64_t memory = o->memory ? o->memory : MEMORY;

	if (!tfr_spill_folders_choose(&r->folders, o->tmpdirs, o->tmpdir_count, o->output))
		return false;
	r->workers = calloc(r->n_workers, sizeof(*r->workers));
	r->notes = tfr_sorter_new(NOTE, memory / 2, &r->folders, r->n_workers);
	r->found = tfr_sorter_new(FOUND, memory / 2, &r->folders, r->n_workers);
	return r->workers && r->notes && r->found;
}

static enum tfr_status run_dedup(struct dedup_run *r, struct tfr_error *err)
{
	const struct tfr_rewrite_opts *o = &r->o->common;
	TFR_AUTO_SET_INFO info = { .command = o->command, .seed = o->seed };

	TFR_TRY(tfr_pass_refuse_pipes(o->sweep.input,
		"Records are compared before they are written.  Put them into a file first.", err));
	TFR_TRY(tfr_set_writer_open(
		&r->out, r->o->output, &o->writer, o->sweep.warn, o->sweep.ctx, err));
	TFR_NEED_MEMORY(open_sorters(r), err, "comparing records");
	TFR_TRY(note_all(r, err));
	TFR_TRY(find_duplicates(r, err));
	TFR_TRY(write_rest(r, err));
	TFR_TRY(tfr_pass_expected(o, &r->report->common, err));
	TFR_TRY(tfr_set_info_carry(&info, o->sweep.input, err));
	info.beside[0] = o->sweep.quarantine;
	info.beside[1] = r->o->listing;
	return tfr_set_writer_publish(r->out, &info, err);
}

enum tfr_status tfr_dedup(
	const struct tfr_dedup_opts *opts, struct tfr_dedup_report *report, struct tfr_error *err)
{
	struct dedup_run r = { .o = opts,
		.report = report,
		.n_workers = tfr_sweep_threads(opts->common.sweep.threads) };
	enum tfr_status status;

	*report = (struct tfr_dedup_report){ 0 };
	status = run_dedup(&r, err);
	tfr_set_writer_close(r.out);
	tfr_sorter_free(r.notes);
	tfr_sorter_free(r.found);
	free(r.workers);
	tfr_spill_folders_clear(&r.folders);
	return status;
}
