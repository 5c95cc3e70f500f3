/* inspect/survey_run.c - the pass over the records that makes a survey.
 *
 * Each worker keeps its own facts of each feature.  It merges them into the survey at the end, or
 * earlier if they would take much memory.  The features of a record are sorted, like the worker's
 * list, so the next feature is nearly always the next entry of the list. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "example/lists.h"
#include "inspect/survey.h"
#include "sweep/sweep.h"

enum { LOOK_EVERY = 1024, ROOM = 2 << 20 };

/* A worker's own facts about a feature. */
struct own {
	struct tfr_surveyed *shared;
	struct tfr_facts facts;
	struct tfr_tally *tally; /* NULL: no distributions */
	struct tfr_in_file in_file;
	uint32_t file; /* the file that `in_file` describes */
};

struct owned {
	struct own **list; /* sorted like the list of the survey */
	size_t n, cap;
};

struct TFR_APART worker {
	struct owned owned[2];	 /* features, then feature lists */
	struct tfr_lists *lists; /* NULL: no SequenceExample was found so far */
	uint64_t records, sequences;
	struct tfr_series sizes;
	uint32_t file;		  /* the current file */
	uint64_t records_of_file; /* records of that file that are not merged yet */
};

struct survey_run {
	struct tfr_survey *s;
	struct worker *workers;
	unsigned n_workers;
	bool spans_files; /* facts are kept per file */
};

static const char looking[] = "looking at the features";

/* --- merging --- */

/* Adds so many records whose numbers of values have this range. */
static void add_in_file(struct tfr_in_file *f, uint32_t records, uint32_t min, uint32_t max)
{
	uint64_t sum = (uint64_t)f->records + records;

	if (records && (!f->records || min < f->min))
		f->min = min;
	if (max > f->max)
		f->max = max;
	f->records = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static void leave_file(struct own *o)
{
	pthread_mutex_lock(&o->shared->lock);
	add_in_file(&o->shared->files[o->file], o->in_file.records, o->in_file.min, o->in_file.max);
	pthread_mutex_unlock(&o->shared->lock);
	o->in_file = (struct tfr_in_file){ 0 };
}

static bool merge_own(struct survey_run *r, struct own *o)
{
	bool ok = !o->tally || tfr_tally_flush(o->tally);

	pthread_mutex_lock(&o->shared->lock);
	ok = ok && tfr_facts_merge(&o->shared->facts, &o->facts);
	pthread_mutex_unlock(&o->shared->lock);
	tfr_facts_clear(&o->facts);
	if (r->spans_files)
		leave_file(o);
	return ok;
}

static bool merge_worker(struct survey_run *r, struct worker *w)
{
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < w->owned[k].n; i++)
			if (!merge_own(r, w->owned[k].list[i]))
				return false;
	return true;
}

static bool make_room(struct survey_run *r, struct worker *w)
{
	size_t bytes = 0;

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < w->owned[k].n; i++)
			bytes += tfr_facts_bytes(&w->owned[k].list[i]->facts);
	return bytes <= ROOM || merge_worker(r, w);
}

/* --- features --- */

static void free_own(struct own *o)
{
	tfr_facts_clear(&o->facts);
	free(o->tally);
	free(o);
}

static struct own *new_own(struct tfr_surveyed *shared)
{
	struct own *o = tfr_calloc_apart(1, sizeof(*o));

	if (!o)
		return NULL;
	tfr_facts_init(&o->facts);
	o->shared = shared;
	if (shared->values)
		o->tally = tfr_tally_new(shared->values->tops);
	if (!shared->values || o->tally)
		return o;
	free_own(o);
	return NULL;
}

static enum tfr_status insert_own(struct tfr_survey *s, struct owned *w, size_t at,
	const struct tfr_feature *f, struct tfr_error *err)
{
	struct tfr_surveyed *shared = NULL;
	struct own **list, *o;

	TFR_TRY(tfr_survey_get(s, f->key, f->key_size, f->kind, &shared, err));
	TFR_NEED_MEMORY(!TFR_ARRAY_RESERVE(w->list, w->cap, w->n + 1), err, looking);
	list = w->list;
	o = new_own(shared);
	TFR_NEED_MEMORY(o, err, looking);
	memmove(list + at + 1, list + at, (w->n - at) * sizeof(struct own *));
	list[at] = o;
	w->n++;
	return TFR_OK;
}

/* memcmp(a, b, n) == 0 for a few bytes, without a call. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
	uint64_t x, y, differ = 0;
	uint32_t head[2], tail[2];

	if (n < 4) {
		while (n && a[n - 1] == b[n - 1])
			n--;
		return !n;
	}
	if (n < 8) {
		memcpy(&head[0], a, 4);
		memcpy(&head[1], b, 4);
		memcpy(&tail[0], a + n - 4, 4);
		memcpy(&tail[1], b + n - 4, 4);
		return !((head[0] ^ head[1]) | (tail[0] ^ tail[1]));
	}
	for (size_t i = 0; i < n - 8 && !differ; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		differ = x ^ y;
	}
	memcpy(&x, a + n - 8, 8);
	memcpy(&y, b + n - 8, 8);
	return !(differ | (x ^ y));
}

static inline bool is_own(const struct own *o, const struct tfr_feature *f)
{
	return o->shared->kind == f->kind && o->shared->size == f->key_size &&
	       same_bytes(o->shared->name, f->key, f->key_size);
}

/* Moves *at to the feature, which is created if new. */
static enum tfr_status find_own(struct tfr_survey *s, struct owned *w, size_t *at,
	const struct tfr_feature *f, struct tfr_error *err)
{
	size_t low = *at, high = w->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (tfr_survey_compare(w->list[mid]->shared, f->key, f->key_size, f->kind) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*at = low;
	if (low < w->n && !tfr_survey_compare(w->list[low]->shared, f->key, f->key_size, f->kind))
		return TFR_OK;
	return insert_own(s, w, low, f, err);
}

/* Records that a record of that file has the feature; `count` is the range of the number of values.
 * A list without steps has an empty range and counts as one without values. */
static void note_in_file(struct own *o, uint32_t file, struct tfr_range count)
{
	uint64_t min = count.min > count.max ? 0 : count.min;

	if (o->file != file && o->in_file.records)
		leave_file(o);
	o->file = file;
	add_in_file(&o->in_file, 1, min < UINT32_MAX ? (uint32_t)min : UINT32_MAX,
		count.max < UINT32_MAX ? (uint32_t)count.max : UINT32_MAX);
}

static enum tfr_status take_features(struct survey_run *r, struct worker *w,
	const struct tfr_example *ex, struct tfr_seen *seen, struct tfr_error *err)
{
	size_t n = tfr_example_count(ex), at = 0;
	struct owned *owned = &w->owned[0];

	for (size_t i = 0; i < n; i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);
		struct own *o;

		/* Nearly always it is the next entry. */
		if (at == owned->n || !is_own(owned->list[at], f))
			TFR_TRY(find_own(r->s, owned, &at, f, err));
		o = owned->list[at++];
		seen->feature = f;
		TFR_NEED_MEMORY(
			tfr_facts_add(&o->facts, seen, o->shared->values, o->tally), err, looking);
		if (r->spans_files)
			note_in_file(o, w->file, (struct tfr_range){ f->count, f->count });
	}
	return TFR_OK;
}

/* --- feature lists --- */

/* State for one feature list of a record, by kind: its facts and the number of steps. */
struct walk {
	struct own *own[TFR_KIND_INT64 + 1];
	uint64_t steps[TFR_KIND_INT64 + 1];
	struct tfr_range lengths[TFR_KIND_INT64 + 1];
};

static enum tfr_status find_list(struct survey_run *r, struct worker *w, struct walk *walk,
	const struct tfr_feature_list *list, enum tfr_kind kind, struct tfr_error *err)
{
	struct tfr_feature f = { .key = list->key, .key_size = list->key_size, .kind = kind };
	size_t at = 0;

	TFR_TRY(find_own(r->s->lists, &w->owned[1], &at, &f, err));
	walk->own[kind] = w->owned[1].list[at];
	walk->lengths[kind] = (struct tfr_range){ UINT64_MAX, 0 };
	return TFR_OK;
}

/* A step without a kind counts as a step of the list's kind without values. */
static enum tfr_status take_steps(struct survey_run *r, struct worker *w, struct walk *walk,
	const struct tfr_feature_list *list, struct tfr_seen *seen, struct tfr_error *err)
{
	struct tfr_steps steps;
	struct tfr_feature f;
	enum tfr_status status;
	struct own *o;

	tfr_steps_init(&steps, list);
	while (!(status = tfr_steps_next(&steps, w->lists, &f, err))) {
		f.kind = f.kind ? f.kind : list->kind;
		if (!walk->own[f.kind])
			TFR_TRY(find_list(r, w, walk, list, f.kind, err));
		o = walk->own[f.kind];
		seen->feature = &f;
		TFR_NEED_MEMORY(
			tfr_facts_add(&o->facts, seen, o->shared->values, o->tally), err, looking);
		seen->salt += f.count + 1;
		walk->steps[f.kind]++;
		tfr_range_add(&walk->lengths[f.kind], f.count);
	}
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status take_list(struct survey_run *r, struct worker *w,
	const struct tfr_feature_list *list, struct tfr_seen *seen, struct tfr_error *err)
{
	struct walk walk = { 0 };

	TFR_TRY(find_list(r, w, &walk, list, list->kind, err));
	TFR_TRY(take_steps(r, w, &walk, list, seen, err));
	for (int k = 0; k <= TFR_KIND_INT64; k++) {
		struct own *o = walk.own[k];

		if (!o)
			continue;
		TFR_NEED_MEMORY(
			tfr_facts_add_list(&o->facts, &seen->place, walk.steps[k], r->s->values),
			err, looking);
		if (r->spans_files)
			note_in_file(o, w->file, walk.lengths[k]);
	}
	return TFR_OK;
}

/* --- a record --- */

static void count_file(struct survey_run *r, struct worker *w)
{
	if (r->spans_files)
		__atomic_fetch_add(
			&r->s->file_records[w->file], w->records_of_file, __ATOMIC_RELAXED);
	w->records_of_file = 0;
}

static enum tfr_status take_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct survey_run *r = ctx;
	struct worker *w = &r->workers[worker];
	struct tfr_seen seen = { .place = { s->file, s->rec.index, s->rec.offset } };
	bool sequence = tfr_is_sequence_example(s->rec.data, s->rec.size);

	(void)verdict;
	if (sequence) { /* a bad record does not count */
		if (!w->lists)
			w->lists = tfr_lists_new();
		TFR_NEED_MEMORY(w->lists, err, looking);
		TFR_TRY(tfr_lists_parse(w->lists, s->rec.data, s->rec.size, err));
	}
	w->sequences += sequence;
	if (s->file != w->file)
		count_file(r, w);
	w->file = s->file;
	w->records_of_file++;
	if (r->s->values)
		seen.salt =
			tfr_mix((s->rec.crc | (uint64_t)s->rec.size << 32) ^ tfr_mix(s->rec.index));
	TFR_NEED_MEMORY(
		!r->s->values || tfr_series_add(&w->sizes, (int64_t)s->rec.size), err, looking);
	TFR_NEED_MEMORY(++w->records % LOOK_EVERY || make_room(r, w), err, looking);
	TFR_TRY(take_features(r, w, s->example, &seen, err));
	seen.step = true;
	for (size_t i = 0; sequence && i < tfr_lists_count(w->lists); i++)
		TFR_TRY(take_list(r, w, tfr_lists_at(w->lists, i), &seen, err));
	return TFR_OK;
}

/* --- the complete pass --- */

/* Stores the names of the files, if facts are kept per file. */
static bool name_files(struct survey_run *r, const struct tfr_set *set)
{
	struct tfr_survey *s = r->s;

	s->files = tfr_set_count(set);
	if (s->values || s->files > TFR_SURVEY_FILES)
		return true;
	s->paths = calloc(s->files + 1, sizeof(*s->paths));
	s->file_records = calloc(s->files + 1, sizeof(*s->file_records));
	if (!s->paths || !s->file_records)
		return false;
	for (uint64_t i = 0; i < s->files; i++) {
		s->paths[i] = strdup(tfr_set_path(set, i));
		if (!s->paths[i])
			return false;
	}
	r->spans_files = true;
	return true;
}

static bool gather_workers(struct survey_run *r)
{
	bool ok = true;

	for (unsigned k = 0; k < r->n_workers; k++) {
		struct worker *w = &r->workers[k];

		if (w->records_of_file)
			count_file(r, w);
		ok = ok && merge_worker(r, w);
		r->s->records += w->records;
		r->s->sequences += w->sequences;
		ok = ok && tfr_series_merge(&r->s->sizes, &w->sizes);
	}
	for (struct tfr_survey *s = r->s; s && s->values; s = s->lists)
		for (size_t i = 0; i < s->n; i++)
			tfr_tops_settle(s->list[i]->values->tops);
	r->s->lists->records = r->s->records;
	if (!r->s->lists->n) {
		tfr_survey_free(r->s->lists);
		r->s->lists = NULL;
	}
	return ok;
}

static void clear_workers(struct survey_run *r)
{
	for (unsigned k = 0; r->workers && k < r->n_workers; k++) {
		struct worker *w = &r->workers[k];

		for (int list = 0; list < 2; list++) {
			for (size_t i = 0; i < w->owned[list].n; i++)
				free_own(w->owned[list].list[i]);
			free(w->owned[list].list);
		}
		tfr_lists_free(w->lists);
		tfr_series_clear(&w->sizes);
	}
	free(r->workers);
}

static bool open_run(struct survey_run *r, const struct tfr_survey_opts *opts)
{
	r->s = tfr_survey_new(opts->values);
	r->n_workers = tfr_sweep_threads(opts->common.threads);
	r->workers = tfr_calloc_apart(r->n_workers, sizeof(*r->workers));
	return r->s && r->workers && name_files(r, opts->common.input) &&
	       tfr_survey_make_lists(r->s);
}

static enum tfr_status survey_records(struct survey_run *r, const struct tfr_survey_opts *opts,
	struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct tfr_sweep sweep = { .opts = opts->common,
		.phase = "looking",
		.parse = true,
		.examine = take_record,
		.ctx = r };

	TFR_NEED_MEMORY(open_run(r, opts), err, looking);
	TFR_TRY(tfr_sweep_run(&sweep, report, err));
	TFR_NEED_MEMORY(gather_workers(r), err, looking);
	return TFR_OK;
}

enum tfr_status tfr_survey_run(struct tfr_survey **survey, const struct tfr_survey_opts *opts,
	struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct survey_run r = { 0 };
	enum tfr_status status = survey_records(&r, opts, report, err);

	clear_workers(&r);
	if (status)
		tfr_survey_free(r.s);
	else
		*survey = r.s;
	return status;
}
