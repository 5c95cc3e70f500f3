/* diff/record_table.c - reads both sides and makes one row per record.
 *
 * Workers hash records, and add some hundred rows to the sorter at a time.  The kinds of the keys
 * are remembered.  A number in A and the same digits as bytes in B would never match, which is a
 * mistake by the user rather than a finding. */
#include "diff/record_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* for the streaming state on the stack */
#include <xxhash.h>

#include "diff/first_rows.h"
#include "inspect/stats/identity.h"
#include "sweep/sweep.h"

#define MEMORY ((uint64_t)1 << 30)

enum { BATCH = 512, KINDS = TFR_KIND_INT64 + 1 };

struct tfr_note_worker {
	uint8_t rows[BATCH * TFR_NOTE_MAX];
	size_t n;
	unsigned __int128 sum;
	struct tfr_example *example; /* for `identity` */
	bool kinds[2][KINDS]; /* by side: those of the keys */
};

/* --- hashes --- */

static void put_hash(uint8_t *out, XXH128_hash_t h)
{
	XXH128_canonicalFromHash((XXH128_canonical_t *)out, h);
}

/* Hashes names in bytewise order, each with its length and the hash of its values. */
static XXH128_hash_t hash_features(const struct tfr_example *ex)
{
	XXH3_state_t state;
	uint8_t row[8 + TFR_NOTE_HASH];

	XXH3_INITSTATE(&state);
	XXH3_128bits_reset(&state);
	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);

		tfr_put_be(row, f->key_size, 8);
		tfr_values_hash(f, row + 8);
		XXH3_128bits_update(&state, row, sizeof(row));
		XXH3_128bits_update(&state, f->key, f->key_size);
	}
	return XXH3_128bits_digest(&state);
}

static enum tfr_status hash_content(const struct tfr_record_table *n, struct tfr_note_worker *w,
	const struct tfr_swept *s, XXH128_hash_t *h, struct tfr_error *err)
{
	enum tfr_status status = TFR_EDATA;
	struct tfr_bytes value = { 0 }; /* that identifies the record */

	if (n->o->identity)
		status = tfr_example_parse(w->example, s->rec.data, s->rec.size, err);
	if (!status)
		value = tfr_example_identity(w->example);
	if (value.size)
		*h = XXH3_128bits_withSeed(value.data, value.size, 1);
	else if (n->o->features && !tfr_is_sequence_example(s->rec.data, s->rec.size))
		*h = hash_features(s->example);
	else
		*h = XXH3_128bits(s->rec.data, s->rec.size);
	return status == TFR_ENOMEM ? status : TFR_OK;
}

/* --- keys --- */

static enum tfr_status hash_key(struct tfr_record_table *n, struct tfr_note_worker *w,
	const struct tfr_swept *s, uint8_t *row, struct tfr_error *err)
{
	const struct tfr_feature *key = NULL;

	TFR_TRY(tfr_key_find(s->example, n->o->key, &key, err));
	if (key->kind == TFR_KIND_FLOAT)
		return tfr_fail(
			err, TFR_EDATA, "feature '%s' is float, which names no record", n->o->key);
	assert(key->kind <= TFR_KIND_INT64);
	w->kinds[n->side][key->kind] = true;
	tfr_values_hash(key, row);
	return TFR_OK;
}

static enum tfr_status check_kinds(const struct tfr_record_table *n, struct tfr_error *err)
{
	bool kinds[2][KINDS] = { 0 };

	for (unsigned k = 0; k < n->n_workers; k++)
		for (unsigned i = 0; i < 2 * KINDS; i++)
			kinds[i / KINDS][i % KINDS] |= n->workers[k].kinds[i / KINDS][i % KINDS];
	if (!(kinds[0][TFR_KIND_BYTES] || kinds[1][TFR_KIND_BYTES]) ||
		!(kinds[0][TFR_KIND_INT64] || kinds[1][TFR_KIND_INT64]))
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EDATA, "'tfr schema' names a record of each kind.",
		"feature '%s' is bytes in %s and int64 in %s", n->o->key,
		kinds[0][TFR_KIND_BYTES] ? "A" : "B", kinds[1][TFR_KIND_INT64] ? "B" : "A");
}

/* --- the sweeps --- */

static enum tfr_status note_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct tfr_record_table *n = ctx;
	struct tfr_note_worker *w = &n->workers[worker];
	uint8_t *row = w->rows + w->n * n->row, *p = row;
	XXH128_hash_t h;

	(void)verdict;
	assert(worker < n->n_workers && w->n < BATCH);
	if (n->o->key) {
		TFR_TRY(hash_key(n, w, s, p, err));
		p += TFR_NOTE_HASH;
	}
	if (n->contents) {
		TFR_TRY(hash_content(n, w, s, &h, err));
		w->sum += (unsigned __int128)h.high64 << 64 | h.low64;
		put_hash(p, h);
		p += TFR_NOTE_HASH;
	}
	assert(p == row + n->prefix);
	*p = (uint8_t)n->side;
	tfr_put_place(p + 1, s->file, s->rec.index);
	return ++w->n == BATCH ? tfr_sorter_take(n->sorter, w->rows, &w->n, err) : TFR_OK;
}

static enum tfr_status take_side(
	struct tfr_record_table *n, struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct tfr_sweep sweep = { .opts = n->o->sides[n->side],
		.phase = n->side ? "reading B" : "reading A",
		.parse = n->o->parse || n->o->key || n->o->features,
		.examine = note_record,
		.ctx = n };
	enum tfr_status status = tfr_sweep_run(&sweep, report, err);

	for (unsigned k = 0; k < n->n_workers; k++) {
		struct tfr_note_worker *w = &n->workers[k];

		if (!status)
			status = tfr_sorter_take(n->sorter, w->rows, &w->n, err);
		n->sums[n->side] += w->sum;
		w->sum = 0;
	}
	return status;
}

static void free_workers(struct tfr_record_table *n)
{
	for (unsigned k = 0; n->workers && k < n->n_workers; k++)
		tfr_example_free(n->workers[k].example);
	free(n->workers);
	n->workers = NULL;
}

static bool make_workers(struct tfr_record_table *n)
{
	n->workers = calloc(n->n_workers, sizeof(*n->workers));
	for (unsigned k = 0; n->workers && n->o->identity && k < n->n_workers; k++) {
		n->workers[k].example = tfr_example_new();
		if (!n->workers[k].example)
			return false;
	}
	return n->workers != NULL;
}

enum tfr_status tfr_record_table_take(
	struct tfr_record_table *n, struct tfr_sweep_report reports[2], struct tfr_error *err)
{
	for (n->side = 0; n->side < 2; n->side++)
		TFR_TRY(take_side(n, &reports[n->side], err));
	if (n->o->key)
		TFR_TRY(check_kinds(n, err));
	free_workers(n);
	return TFR_OK;
}

/* --- opening and closing --- */

enum tfr_status tfr_record_table_open(
	struct tfr_record_table *n, const struct tfr_diff_opts *opts, struct tfr_error *err)
{
	bool contents = !opts->overlap || !opts->key;
	size_t hashes = (opts->key != NULL) + contents;

	*n = (struct tfr_record_table){ .o = opts,
		.contents = contents,
		.prefix = hashes * TFR_NOTE_HASH,
		.row = hashes * TFR_NOTE_HASH + TFR_NOTE_SIDED,
		.memory = opts->memory ? opts->memory : MEMORY,
		.n_workers = tfr_sweep_threads(opts->sides[0].threads) };
	if (tfr_spill_folders_choose(&n->folders, NULL, 0, "-"))
		n->sorter = tfr_record_table_sorter(n, n->row, 2);
	TFR_NEED_MEMORY(n->sorter && make_workers(n), err, "comparing records");
	return TFR_OK;
}

void tfr_record_table_close(struct tfr_record_table *n)
{
	tfr_sorter_free(n->sorter);
	free_workers(n);
	tfr_spill_folders_clear(&n->folders);
}

struct tfr_sorter *tfr_record_table_sorter(
	const struct tfr_record_table *n, size_t row, unsigned divisor)
{
	return tfr_sorter_new(row, n->memory / divisor, &n->folders, n->n_workers);
}

struct tfr_diff_place tfr_note_place(
	const struct tfr_diff_opts *opts, unsigned side, const uint8_t place[TFR_ROW_PLACE])
{
	assert(side < 2);
	return (struct tfr_diff_place){
		.path = tfr_set_path(opts->sides[side].input, (size_t)tfr_get_be(place, 4)),
		.record = tfr_get_be(place + 4, 8),
	};
}

bool tfr_note_pairs(const struct tfr_diff_opts *opts, struct tfr_firsts *rows,
	struct tfr_diff_pair **pairs, size_t *n)
{
	tfr_firsts_settle(rows);
	*pairs = calloc(rows->n + 1, sizeof(**pairs));
	*n = *pairs ? rows->n : 0;
	for (size_t i = 0; i < *n; i++)
		for (unsigned side = 0; side < 2; side++)
			(*pairs)[i].at[side] = tfr_note_place(
				opts, side, rows->rows + i * rows->row + side * TFR_ROW_PLACE);
	return *pairs;
}
