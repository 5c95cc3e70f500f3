/* doctor/scan_files.c - inspects several files at a time and combines the results in the order of
 * the files, so they do not depend on the number of threads.
 *
 * A batch of B records after a shuffle buffer of K is drawn from about K consecutive records.  If
 * all records were read, tfr_mixing does exactly that.  A sample cannot fill the buffer.  But B
 * records that are K / B apart are representative of B records drawn from those K.  If even batches
 * of such records have too few classes, so have the batches after the buffer.  A stretch of records
 * of one class shows the same. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "doctor/doctor.h"
#include "sweep/file_sweep.h"
#include "thread/threads.h"

enum { LEAST_SHARE = 64 << 10, LEAST_JUDGED = 64, STRETCH = 64, LEAST_STRETCH = 8 };
enum { MOST_PLACES = 256 };
enum { BATCH = 64, SHUFFLE_BUFFER = 2048 }; /* with which the order is judged */

/* If all files together are larger, a sample is read. */
static const uint64_t MOST_READ = (uint64_t)4 << 30, USUAL_SAMPLE = 256 << 20;

/* The state kept for a set while its files are added. */
struct scan {
	struct tfr_fault_policy faults;
	struct tfr_doctor *d;
	struct tfr_dlook_opts *opts;  /* one per worker */
	struct tfr_dlooker **lookers; /* one per worker */
	unsigned threads;
	uint64_t sample, total, every; /* one of `every` files is inspected */
	size_t *set_of;		       /* the set of each file */
	/* For the current set: */
	struct tfr_mixing *mixing; /* NULL: no label, or not all can be read */
	struct tfr_order_report all;
	bool too_many;	   /* too many classes */
	uint64_t *thinned; /* hashes */
	size_t n, cap;
	uint64_t base, next; /* records before this file; the next record that counts */
	uint64_t in_file;    /* records of this file that `mixing` has received */
};

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "looking at the files");
}

static uint64_t share_of(const struct scan *r, uint64_t size)
{
	double share = (double)r->sample * ((double)size / (double)(r->total ? r->total : 1));

	if (r->d->opts->full)
		return UINT64_MAX;
	if (r->total <= r->sample) /* compressed data grows when it is read */
		share = share > (double)size ? share : (double)size;
	return share > LEAST_SHARE ? (uint64_t)share : LEAST_SHARE;
}

static const char *path_of(void *ctx, uint64_t file)
{
	const struct scan *r = ctx;

	return r->d->files[file].path;
}

static void start_look(void *ctx, uint64_t file, void *result)
{
	(void)ctx, (void)file;
	tfr_dlook_clear(result);
}

static enum tfr_status prepare_file(void *ctx, unsigned worker, unsigned threads, uint64_t i,
	void *result, struct tfr_file_start *from, struct tfr_error *err)
{
	struct scan *r = ctx;
	const struct tfr_dfile *f = &r->d->files[i];

	(void)threads, (void)from;
	assert(i < r->d->file_count && worker < r->threads && r->every);
	if (!r->d->opts->full && i % r->every && i + 1 != r->d->file_count)
		return TFR_END;
	r->opts[worker] = (struct tfr_dlook_opts){ .label = r->d->sets[r->set_of[i]].label,
		.share = share_of(r, f->size),
		.places = MOST_PLACES / r->d->file_count };
	return tfr_dlook_begin(r->lookers[worker], f->path, &r->opts[worker], result, err);
}

static enum tfr_status take_records(
	void *ctx, unsigned worker, void *result, struct tfr_run *run, struct tfr_error *err)
{
	struct scan *r = ctx;

	(void)result;
	return tfr_dlook_take(r->lookers[worker], &r->faults, run, err);
}

static enum tfr_status end_file(
	void *ctx, unsigned worker, struct tfr_reading *in, void *result, struct tfr_error *err)
{
	struct scan *r = ctx;
	const struct tfr_dlook *look = result;
	enum tfr_status status = tfr_dlook_end(r->lookers[worker], in, err);

	tfr_progress_add(r->d->opts->progress, look->records, look->bytes);
	return status;
}

/* --- the order --- */

static enum tfr_status put_thinned(
	struct scan *r, const struct tfr_dlabel *label, struct tfr_error *err)
{
	uint64_t place = r->base + label->place;

	assert(r->all.batch);
	if (place < r->next)
		return TFR_OK;
	if (TFR_ARRAY_RESERVE(r->thinned, r->cap, r->n + 1))
		return no_memory(err);
	r->thinned[r->n++] = label->hash;
	r->next = place + r->all.buffer / r->all.batch + 1;
	return TFR_OK;
}

static enum tfr_status put_label(
	struct scan *r, const struct tfr_dlabel *label, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (; r->mixing && !status && r->in_file < label->place; r->in_file++)
		status = tfr_mixing_skip(r->mixing, err);
	r->in_file++;
	if (!status && r->mixing && !r->too_many)
		status = tfr_mixing_put(r->mixing, label->hash, err);
	if (status == TFR_EUSAGE) { /* too many classes: it is not a label */
		r->too_many = true;
		status = TFR_OK;
	}
	return status ? status : put_thinned(r, label, err);
}

/* The probability that this many records are of one class in a random order. */
static double chance_of(const struct tfr_dset *s, size_t n)
{
	double sum = 0, all = 0;

	for (size_t i = 0; i < s->classes.n; i++)
		all += (double)s->classes.list[i].records;
	for (size_t i = 0; i < s->classes.n; i++)
		sum += pow((double)s->classes.list[i].records / all, (double)n);
	return sum;
}

/* Examines the start of each stretch of a file.  The classes of the complete set are not known yet;
 * those found so far suffice. */
static void note_stretches(struct tfr_dset *s, const struct tfr_dlook *look)
{
	for (size_t i = 0, end; i < look->label_count; i = end) {
		bool pure = true;
		size_t n;

		for (end = i + 1; end < look->label_count && !look->labels[end].begins;)
			end++;
		n = end - i < STRETCH ? end - i : STRETCH;
		if (n < LEAST_STRETCH)
			continue;
		for (size_t k = i; k < i + n; k++)
			pure &= look->labels[k].hash == look->labels[i].hash;
		s->stretches++;
		s->pure += pure;
		s->pure_by_chance += chance_of(s, n);
	}
}

static enum tfr_status judge_sample(struct scan *r, struct tfr_dset *s, struct tfr_error *err)
{
	struct tfr_mixing *m = NULL;
	enum tfr_status status;

	s->order = (struct tfr_order_report){ .batch = r->all.batch, .buffer = 1 };
	if (s->order.batch > r->n / 8)
		s->order.batch = r->n / 8;
	s->stride = r->all.buffer / r->all.batch + 1;
	if (r->n < LEAST_JUDGED)
		return TFR_OK;
	status = tfr_mixing_open(&m, s->label, &s->order, err);
	for (size_t i = 0; !status && i < r->n; i++)
		status = tfr_mixing_put(m, r->thinned[i], err);
	if (!status)
		status = tfr_mixing_judge(m, err);
	s->ordered = !status;
	tfr_mixing_close(m);
	return status;
}

static enum tfr_status begin_set(struct scan *r, struct tfr_dset *s, struct tfr_error *err)
{
	const struct tfr_doctor_opts *o = r->d->opts;

	r->all = (struct tfr_order_report){ .batch = BATCH, .buffer = SHUFFLE_BUFFER };
	r->n = 0;
	r->base = r->next = 0;
	r->too_many = false;
	s->complete = true;
	if (!s->label || (!o->full && r->total > r->sample))
		return TFR_OK;
	return tfr_mixing_open(&r->mixing, s->label, &r->all, err);
}

static enum tfr_status end_set(struct scan *r, struct tfr_dset *s, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	s->classes.over |= r->too_many;
	if (s->label && !r->too_many && s->complete && r->mixing) {
		status = tfr_mixing_judge(r->mixing, err);
		s->order = r->all;
		s->ordered = s->order.batches > 0;
	} else if (s->label && !s->classes.over) {
		status = judge_sample(r, s, err);
	}
	tfr_mixing_close(r->mixing);
	r->mixing = NULL;
	return status;
}

/* --- from files to sets --- */

static enum tfr_status take_look(
	struct scan *r, struct tfr_dset *s, struct tfr_dfile *f, struct tfr_error *err)
{
	struct tfr_dlook *look = &f->look;
	enum tfr_status status = TFR_OK;
	bool ok = tfr_dhashes_merge(&s->hashes, &look->hashes) &&
		  tfr_dhashes_merge(&s->items, &look->items);

	for (size_t i = 0; ok && i < look->classes.n; i++)
		ok = tfr_dclasses_add(&s->classes, &look->classes.list[i]);
	if (!ok)
		return no_memory(err);
	s->records += look->records;
	s->read += look->bytes;
	s->examples += look->examples;
	s->unlabelled += look->unlabelled;
	s->complete &= look->complete;
	note_stretches(s, look);
	r->in_file = 0;
	if (r->mixing)
		status = tfr_mixing_file(r->mixing, err);
	for (size_t i = 0; !status && i < look->label_count; i++)
		status = put_label(r, &look->labels[i], err);
	r->base += look->bytes ? (uint64_t)((double)look->records *
					    ((double)f->size / (double)look->bytes))
			       : 0;
	return status;
}

static void drop_parts(struct tfr_dlook *look)
{
	tfr_dhashes_clear(&look->hashes);
	tfr_dhashes_clear(&look->items);
	tfr_dclasses_clear(&look->classes);
	free(look->labels);
	look->labels = NULL;
	look->label_count = look->label_cap = 0;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct scan *r = ctx;
	struct tfr_doctor *d = r->d;
	struct tfr_dset *s = &d->sets[r->set_of[i]];
	struct tfr_dfile *f = &d->files[i];
	struct tfr_dlook *look = slot;
	enum tfr_status status = i == s->first ? begin_set(r, s, err) : TFR_OK;

	assert(i >= s->first && i - s->first < s->files);
	f->look = *look;
	*look = (struct tfr_dlook){ 0 };
	d->files_left += !f->look.opened;
	if (!status)
		status = take_look(r, s, f, err);
	drop_parts(&f->look);
	if (!status && i + 1 == s->first + s->files)
		status = end_set(r, s, err);
	return status;
}

static void clear_slot(void *slot)
{
	tfr_dlook_clear(slot);
}

/* --- running the scan --- */

static enum tfr_status prepare(struct scan *r, struct tfr_error *err)
{
	struct tfr_doctor *d = r->d;
	struct tfr_error why = { 0 };
	bool ok;

	r->set_of = calloc(d->file_count + 1, sizeof(*r->set_of));
	r->lookers = calloc(r->threads, sizeof(struct tfr_dlooker *));
	r->opts = calloc(r->threads, sizeof(*r->opts));
	ok = r->set_of && r->lookers && r->opts;
	for (unsigned k = 0; ok && k < r->threads; k++) {
		r->lookers[k] = tfr_dlooker_new();
		ok = r->lookers[k] != NULL;
	}
	for (size_t i = 0; ok && !why.status && i < d->set_count; i++) {
		struct tfr_dset *s = &d->sets[i];

		for (size_t k = s->first; k < s->first + s->files; k++)
			r->set_of[k] = i;
		if (d->opts->label) {
			s->label = strdup(d->opts->label);
			ok = s->label;
		}
		for (size_t k = 0; ok && !s->label && !why.status && k < s->files && k < 4; k++)
			s->label = tfr_dlook_for_label(d->files[s->first + k].path, &why);
		r->total += s->bytes;
	}
	if (!d->opts->sample && r->total <= MOST_READ)
		r->sample = MOST_READ;
	r->every = 1;
	if (r->total > r->sample)
		r->every += d->file_count * LEAST_SHARE / (r->sample + 1);
	return ok ? tfr_error_pass(&why, err) : no_memory(err);
}

enum tfr_status tfr_doctor_read(struct tfr_doctor *d, struct tfr_error *err)
{
	struct scan r = { .faults = { .meet = tfr_dlook_fault },
		.d = d,
		.sample = d->opts->sample ? d->opts->sample : USUAL_SAMPLE,
		.threads = tfr_thread_count(d->opts->threads) };
	struct tfr_file_sweep sweep = { .files = d->file_count,
		.path = path_of,
		.faults = &r.faults,
		.threads = r.threads,
		.window = 2 * (uint64_t)r.threads,
		.result_size = sizeof(struct tfr_dlook),
		.start = start_look,
		.prepare = prepare_file,
		.records = take_records,
		.end = end_file,
		.deliver = deliver,
		.clear_result = clear_slot };
	enum tfr_status status = prepare(&r, err);

	if (!status)
		status = tfr_file_sweep_run(&sweep, &r, err);
	tfr_mixing_close(r.mixing);
	for (unsigned k = 0; r.lookers && k < r.threads; k++)
		tfr_dlooker_free(r.lookers[k]);
	free(r.lookers);
	free(r.opts);
	free(r.set_of);
	free(r.thinned);
	return status;
}
