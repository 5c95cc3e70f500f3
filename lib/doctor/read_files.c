/* doctor/read_files.c - reads the files, completely or in stretches, several at a time, and combines the
 * facts in the order of the files, so that they do not depend on the number of threads.
 *
 * The first record of a stretch is searched for, as after damage.  The size of a stretch is known
 * before it is read, so no file can cause a larger read.
 *
 * A batch of B records after a shuffle buffer of K is drawn from about K consecutive records.  If
 * all records were read, tfr_mixing does exactly that.  A sample cannot fill the buffer.  But B
 * records that are K / B apart are representative of B records drawn from those K.  If even batches
 * of such records have too few classes, so have the batches after the buffer.  A stretch of records
 * of one class shows the same. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/media.h>

#include "base/array.h"
#include "base/compare.h"
#include "base/rng.h"
#include "doctor/doctor.h"
#include "inspect/check/check.h"
#include "inspect/stats/identity.h"
#include "io/source.h"
#include "record/framing.h"
#include "record/resync.h"
#include "sweep/file_sweep.h"
#include "thread/threads.h"
#include "xxhash.h"

enum { MOST_STRETCH = 64 << 20, MOST_LABELS = 1 << 22 };
enum { MOST_FEATURES = 4096, LEAST_STRETCH = 64 << 10, LARGE_RECORD = 1 << 10 };

enum { LEAST_SHARE = 64 << 10, LEAST_JUDGED = 64, MOST_OF_STRETCH = 64, LEAST_OF_STRETCH = 8 };
enum { MOST_PLACES = 256 };
enum { BATCH = 64, SHUFFLE_BUFFER = 2048 }; /* with which the order is judged */

/* If all files together are larger, a sample is read. */
static const uint64_t MOST_READ = (uint64_t)4 << 30, USUAL_SAMPLE = 256 << 20;

/* What a worker keeps while it reads a file. */
struct looker {
	struct tfr_example *example;
	struct tfr_buf window;
	const char *path, *label; /* label NULL: none */
	struct tfr_dlook *look;
	uint64_t share; /* bytes to read of the file */
	uint64_t most;	/* of them, from its start */
	uint64_t each;	/* bytes of a stretch; 0: there are none */
	double average; /* of a stretch: mean size of a record in bytes; 0: its number is known */
	bool begins;	/* the next record is the first of a stretch */
	bool random;	/* the stretch begins at a random position */
};

struct scan {
	struct tfr_fault_policy faults;
	struct tfr_doctor *d;
	struct looker *lookers; /* one per worker */
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

/* --- the contents of a record --- */

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "looking at a file");
}

void tfr_dlook_clear(struct tfr_dlook *l)
{
	for (size_t i = 0; i < l->feature_count; i++)
		free(l->features[i].name);
	free(l->features);
	free(l->labels);
	free(l->damage);
	tfr_dclasses_clear(&l->classes);
	tfr_dhashes_clear(&l->hashes);
	tfr_dhashes_clear(&l->items);
	*l = (struct tfr_dlook){ 0 };
}

static int compare_feature(const struct tfr_dfeature *a, const struct tfr_feature *f)
{
	int c = tfr_compare_bytes(a->name, a->size, f->key, f->key_size);

	return c ? c : (int)a->kind - (int)f->kind;
}

/* Finds the feature, or the position to insert it, starting from *at, which is usually right, since
 * both lists are sorted. */
static bool find_feature(const struct tfr_dlook *l, const struct tfr_feature *f, size_t *at)
{
	size_t low = *at, high = l->feature_count;

	if (low < high && !compare_feature(&l->features[low], f))
		return true;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_feature(&l->features[mid], f) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*at = low;
	return low < l->feature_count && !compare_feature(&l->features[low], f);
}

static bool insert_feature(struct tfr_dlook *l, const struct tfr_feature *f, size_t at)
{
	struct tfr_dfeature new = { .size = f->key_size, .kind = f->kind, .min = UINT32_MAX };

	assert(at <= l->feature_count);
	if (TFR_ARRAY_RESERVE(l->features, l->feature_cap, l->feature_count + 1))
		return false;
	new.name = malloc(f->key_size + 1);
	if (!new.name)
		return false;
	if (f->key_size)
		memcpy(new.name, f->key, f->key_size);
	new.name[f->key_size] = '\0';
	new.first = l->records - 1;
	memmove(l->features + at + 1, l->features + at, (l->feature_count - at) * sizeof(new));
	l->features[at] = new;
	l->feature_count++;
	return true;
}

static bool note_features(struct looker *k)
{
	struct tfr_dlook *l = k->look;
	size_t n = tfr_example_count(k->example), at = 0;

	for (size_t i = 0; i < n; i++, at++) {
		const struct tfr_feature *f = tfr_example_at(k->example, i);
		uint32_t count = f->count < UINT32_MAX ? (uint32_t)f->count : UINT32_MAX;
		struct tfr_dfeature *in;

		if (!find_feature(l, f, &at)) {
			if (l->feature_count == MOST_FEATURES)
				continue;
			if (!insert_feature(l, f, at))
				return false;
		}
		in = &l->features[at];
		in->records += in->records < UINT32_MAX;
		in->min = count < in->min ? count : in->min;
		in->max = count > in->max ? count : in->max;
	}
	return true;
}

static bool note_label(struct looker *k, uint64_t place, size_t size)
{
	struct tfr_dlook *l = k->look;
	struct tfr_dclass class = { 0 };

	if (!k->label)
		return true;
	if (!tfr_dlook_class(k->example, k->label, &class)) {
		l->unlabelled++;
		return true;
	}
	class.records = 1;
	if (k->begins && k->random) {
		class.places = 1;
		class.weight = 1 / (double)(size + TFR_RECORD_OVERHEAD);
	}
	if (!tfr_dclasses_add(&l->classes, &class))
		return false;
	if (l->label_count == MOST_LABELS)
		return true;
	if (TFR_ARRAY_RESERVE(l->labels, l->label_cap, l->label_count + 1))
		return false;
	l->labels[l->label_count++] = (struct tfr_dlabel){ class.hash, place, k->begins };
	k->begins = false;
	return true;
}

/* The limits of TensorFlow 2.21: 2^29 samples of a JPEG (core/lib/jpeg/jpeg_mem.cc), 2^29 pixels of
 * a PNG (core/kernels/image/decode_image_op.cc). */
static bool is_oversized(const struct tfr_bytes *image)
{
	struct tfr_image_info info;
	uint64_t samples;

	if (tfr_image_probe(image->data, image->size, &info, NULL))
		return false;
	samples = (uint64_t)info.width * info.height;
	if (info.format == TFR_IMAGE_JPEG)
		samples *= info.channels;
	return samples >= 1 << 29 &&
	       (info.format == TFR_IMAGE_JPEG || info.format == TFR_IMAGE_PNG);
}

/* Records the hash that identifies the record in another set.  An Example without features is
 * skipped. */
static bool note_content(struct tfr_dlook *l, const struct tfr_example *ex,
	const struct tfr_record *rec, const struct tfr_digest *digest)
{
	struct tfr_bytes value = { 0 };

	if (ex && !tfr_example_count(ex) && !tfr_is_sequence_example(rec->data, rec->size))
		return true;
	if (ex)
		value = tfr_example_identity(ex);
	l->oversized += value.size && is_oversized(&value);
	if (value.size && !tfr_dhashes_add(&l->items, XXH3_64bits(value.data, value.size)))
		return false;
	if (!value.size && rec->size >= LARGE_RECORD && !tfr_dhashes_add(&l->items, digest->sum))
		return false;
	return tfr_dhashes_add(&l->hashes, digest->sum);
}

static enum tfr_status note_record(
	struct looker *k, const struct tfr_record *rec, struct tfr_error *err)
{
	struct tfr_dlook *l = k->look;
	uint64_t place = k->average ? (uint64_t)((double)rec->offset / k->average) : rec->index;
	struct tfr_digest digest;
	enum tfr_likeness like;
	enum tfr_status status;

	tfr_digest_record(rec, &digest);
	l->records++;
	l->bytes += rec->size + TFR_RECORD_OVERHEAD;
	l->sum += digest.sum;
	if (rec->size > l->largest)
		l->largest = rec->size;
	if (!rec->size) /* an Example without features, or an empty record of another kind */
		return TFR_OK;
	status = tfr_example_parse(k->example, rec->data, rec->size, NULL);
	if (status == TFR_ENOMEM)
		return no_memory(err);
	like = status ? tfr_likeness_of(rec->data, rec->size)
		      : tfr_likeness_parsed(k->example, rec->data, rec->size);
	if (status || tfr_types_strange(like))
		return note_content(l, NULL, rec, &digest) ? TFR_OK : no_memory(err);
	l->examples++;
	if (!note_content(l, k->example, rec, &digest) || !note_features(k) ||
		!note_label(k, place, rec->size))
		return no_memory(err);
	return TFR_OK;
}

/* --- faults --- */

static enum tfr_status keep_damage(struct tfr_dlook *l, const char *text, struct tfr_error *err)
{
	l->faults++;
	if (!l->damage)
		l->damage = strdup(text);
	return l->damage ? TFR_OK : no_memory(err);
}

static enum tfr_status note_failure(
	struct tfr_dlook *l, const struct tfr_error *why, struct tfr_error *err)
{
	char text[5000];

	if (tfr_doctor_ends(why->status, why))
		return tfr_error_pass(why, err);
	l->system |= why->status == TFR_ESYS;
	return keep_damage(l, tfr_error_format(why, text, sizeof(text)), err);
}

/* Damage is a fact of the file and ends it, except for a bad record. */
static enum tfr_status meet_fault(
	struct tfr_fault_policy *p, const struct tfr_fault_met *fault, struct tfr_error *err)
{
	(void)p;
	TFR_TRY(note_failure(fault->result, fault->why, err));
	return fault->bad ? TFR_OK : TFR_END;
}

static enum tfr_status fault_at(
	struct looker *k, uint64_t offset, const char *what, struct tfr_error *err)
{
	char text[5000];

	snprintf(text, sizeof(text), "%s in '%.4500s', offset %llu", what, k->path,
		(unsigned long long)offset);
	return keep_damage(k->look, text, err);
}

/* --- reading a file from its start --- */

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

static uint64_t share_of(const struct scan *r, uint64_t size)
{
	double share = (double)r->sample * ((double)size / (double)(r->total ? r->total : 1));

	if (r->d->opts->full)
		return UINT64_MAX;
	if (r->total <= r->sample) /* compressed data grows when it is read */
		share = share > (double)size ? share : (double)size;
	return share > LEAST_SHARE ? (uint64_t)share : LEAST_SHARE;
}

/* Divides the share of a file that is larger, if its first header shows that its bytes are those of
 * records. */
static enum tfr_status plan_stretches(struct looker *k, uint64_t places, struct tfr_error *err)
{
	TFR_AUTO_SOURCE source = NULL;
	struct tfr_error fault = { 0 };
	uint8_t head[TFR_RECORD_HEADER];
	size_t got = 0;
	uint64_t size;

	if (tfr_source_open(&source, k->path, &fault)) {
		TFR_TRY(note_failure(k->look, &fault, err));
		return TFR_END;
	}
	size = tfr_source_left(source);
	if (tfr_source_read(source, head, sizeof(head), &got, &fault)) {
		got = 0;
		if (tfr_doctor_ends(fault.status, &fault))
			return tfr_error_pass(&fault, err);
	}
	if (k->share >= size || got < sizeof(head) || !tfr_header_verifies(head))
		return TFR_OK;
	k->each = k->share / (places < 2 ? 2 : places);
	k->each = k->each < LEAST_STRETCH ? LEAST_STRETCH : k->each;
	k->most = k->each;
	return TFR_OK;
}

static enum tfr_status prepare_file(void *ctx, unsigned worker, unsigned threads, uint64_t i,
	void *result, struct tfr_file_start *from, struct tfr_error *err)
{
	struct scan *r = ctx;
	const struct tfr_dfile *f = &r->d->files[i];
	struct looker *k = &r->lookers[worker];

	(void)threads, (void)from;
	assert(i < r->d->file_count && worker < r->threads && r->every);
	if (!r->d->opts->full && i % r->every && i + 1 != r->d->file_count)
		return TFR_END;
	k->path = f->path;
	k->label = r->d->sets[r->set_of[i]].label;
	k->look = result;
	k->share = k->most = share_of(r, f->size);
	k->each = 0;
	k->average = 0;
	k->begins = true;
	k->random = false;
	k->look->opened = true;
	return plan_stretches(k, MOST_PLACES / r->d->file_count, err);
}

static enum tfr_status take_records(
	void *ctx, unsigned worker, void *result, struct tfr_record_run *run, struct tfr_error *err)
{
	struct scan *r = ctx;
	struct looker *k = &r->lookers[worker];
	const struct tfr_record_run_origin of = { &r->faults, k->path, result };
	struct tfr_record rec;
	enum tfr_status status;

	while (k->look->bytes < k->most) {
		status = tfr_record_run_next_intact(&of, run, &rec, err);
		if (status)
			return status == TFR_END ? TFR_OK : status;
		TFR_TRY(note_record(k, &rec, err));
	}
	return TFR_END;
}

/* --- stretches --- */

struct stretch {
	const uint8_t *data;
	size_t size;
	uint64_t offset; /* position in the file */
	bool last;	 /* it ends at the end of the file */
};

/* Returns the position of the first record that later bytes confirm, or `size` if there is none.
 * At most 16 times the stretch is read to verify false payloads. */
static size_t find_record(const struct stretch *s)
{
	uint64_t allowed = 16 * (uint64_t)s->size;
	enum tfr_proof proof = TFR_PROOF_BEYOND;
	size_t at = 0;

	while (proof == TFR_PROOF_BEYOND) {
		at += tfr_find_record(s->data + at, s->size - at, s->last, &allowed, &proof);
		at += proof == TFR_PROOF_BEYOND;
	}
	return at;
}

/* The bytes after the intact headers of a stretch. */
static enum tfr_status note_rest(
	struct looker *k, const struct stretch *s, size_t at, struct tfr_error *err)
{
	uint64_t length, offset = s->offset + at;

	if (s->size - at >= TFR_RECORD_HEADER && !tfr_header_length(s->data + at, &length))
		return fault_at(k, offset,
			length ? "impossible record length" : "length checksum mismatch", err);
	if (!s->last || at == s->size)
		return TFR_OK;
	return fault_at(k, offset,
		s->size - at < TFR_RECORD_HEADER ? "header cut off" : "record cut off", err);
}

static enum tfr_status take_stretch(
	struct looker *k, const struct stretch *s, struct tfr_error *err)
{
	size_t at = find_record(s), size;
	struct tfr_record rec;
	struct tfr_record_run run;
	enum tfr_status status;

	assert(s->size && at <= s->size);
	/* The stretch may be inside a record larger than any before, but then that record would be
	 * all zeros. */
	if (at == s->size && !s->data[0] && !memcmp(s->data, s->data + 1, s->size - 1))
		return fault_at(k, s->offset, "nothing but zeros", err);
	k->begins = true;
	size = tfr_record_run_of_bytes(&run, s->data + at, s->size - at, s->offset + at);
	while ((status = tfr_record_run_next(&run, &rec, NULL)) != TFR_END)
		TFR_TRY(status ? fault_at(k, rec.offset, TFR_PAYLOAD_FAULT, err)
			       : note_record(k, &rec, err));
	return note_rest(k, s, at + size, err);
}

static enum tfr_status read_stretch(struct looker *k, const struct tfr_source *source,
	uint64_t from, uint64_t to, uint64_t size, struct tfr_error *err)
{
	struct tfr_buf *b = &k->window;
	struct tfr_error fault = { 0 };
	struct stretch s = { .offset = from, .last = to == size };

	assert(from < to && k->look->records);
	k->average = (double)k->look->bytes / (double)k->look->records;
	b->size = 0;
	if (!tfr_buf_reserve(b, to - from))
		return no_memory(err);
	if (tfr_source_read_at(source, from, b->data, to - from, &s.size, &fault))
		return note_failure(k->look, &fault, err);
	s.data = b->data;
	/* A file that shrank in the meantime gives fewer bytes. */
	return s.size == to - from ? take_stretch(k, &s, err) : TFR_OK;
}

/* After the start of the file, divides the rest into parts of one size and reads one stretch at a
 * random position of each part; the last stretch is at the end.  Each stretch can hold a record as
 * large as the largest so far.  The same file gives the same positions. */
static enum tfr_status read_stretches(struct looker *k, struct tfr_error *err)
{
	struct tfr_dlook *l = k->look;
	uint64_t begin = l->bytes, size, least = 2 * l->largest + 4 * TFR_RECORD_OVERHEAD, count;
	uint64_t each = k->each > least ? k->each : least;
	TFR_AUTO_SOURCE source = NULL;
	struct tfr_error fault = { 0 };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 0, begin);
	if (each > MOST_STRETCH || !l->records)
		return TFR_OK;
	if (tfr_source_open(&source, k->path, &fault))
		return note_failure(k->look, &fault, err);
	size = tfr_source_left(source);
	count = k->share / each < 2 ? 2 : k->share / each;
	for (uint64_t i = 1; i < count && size != UINT64_MAX; i++) {
		uint64_t part = size / (count - 1), from = part * (i - 1), to;

		k->random = i + 1 < count;
		from += part > each ? tfr_rng_below(&rng, part - each) : 0;
		from = !k->random && size > each ? size - each : from;
		from = from < begin ? begin : from;
		to = !k->random || size - from < each ? size : from + each;
		if (from < to)
			TFR_TRY(read_stretch(k, source, from, to, size, err));
		begin = to;
	}
	return TFR_OK;
}

static enum tfr_status end_file(void *ctx, unsigned worker, struct tfr_reading *in, void *result,
	struct tfr_error *err)
{
	struct scan *r = ctx;
	struct looker *k = &r->lookers[worker];
	struct tfr_dlook *l = result;
	enum tfr_status status = TFR_OK;

	if (in->reader) {
		l->complete = in->over;
		l->compression = tfr_reader_compression(in->reader);
		l->members = tfr_reader_members(in->reader);
		tfr_reading_end(in);
		if (k->each && !l->complete && !l->faults)
			status = read_stretches(k, err);
	}
	tfr_progress_add(r->d->opts->progress, l->records, l->bytes);
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
		return tfr_fail_nomem(err, "looking at the files");
	r->thinned[r->n++] = label->hash;
	r->next = place + r->all.buffer / r->all.batch + 1;
	return TFR_OK;
}

static enum tfr_status put_label(
	struct scan *r, const struct tfr_dlabel *label, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (; r->mixing && r->in_file < label->place; r->in_file++)
		TFR_TRY(tfr_mixing_skip(r->mixing, err));
	r->in_file++;
	if (r->mixing && !r->too_many)
		status = tfr_mixing_put(r->mixing, label->hash, err);
	r->too_many |= status == TFR_EUSAGE; /* too many classes: it is not a label */
	TFR_TRY(r->too_many ? TFR_OK : status);
	return put_thinned(r, label, err);
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
		n = end - i < MOST_OF_STRETCH ? end - i : MOST_OF_STRETCH;
		if (n < LEAST_OF_STRETCH)
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
	TFR_AUTO_MIXING m = NULL;

	s->order = (struct tfr_order_report){ .batch = r->all.batch, .buffer = 1 };
	if (s->order.batch > r->n / 8)
		s->order.batch = r->n / 8;
	s->stride = r->all.buffer / r->all.batch + 1;
	if (r->n < LEAST_JUDGED)
		return TFR_OK;
	TFR_TRY(tfr_mixing_open(&m, s->label, &s->order, err));
	for (size_t i = 0; i < r->n; i++)
		TFR_TRY(tfr_mixing_put(m, r->thinned[i], err));
	TFR_TRY(tfr_mixing_judge(m, err));
	s->ordered = true;
	return TFR_OK;
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

/* After a failure, the doctor frees the look with all others. */
static enum tfr_status add_look(
	struct scan *r, struct tfr_dset *s, struct tfr_dfile *f, struct tfr_error *err)
{
	struct tfr_dlook *look = &f->look;
	bool ok = tfr_dhashes_merge(&s->hashes, &look->hashes) &&
		  tfr_dhashes_merge(&s->items, &look->items);

	for (size_t i = 0; ok && i < look->classes.n; i++)
		ok = tfr_dclasses_add(&s->classes, &look->classes.list[i]);
	if (!ok)
		return tfr_fail_nomem(err, "looking at the files");
	s->records += look->records;
	s->read += look->bytes;
	s->examples += look->examples;
	s->unlabelled += look->unlabelled;
	s->complete &= look->complete;
	note_stretches(s, look);
	r->in_file = 0;
	if (r->mixing)
		TFR_TRY(tfr_mixing_file(r->mixing, err));
	for (size_t i = 0; i < look->label_count; i++)
		TFR_TRY(put_label(r, &look->labels[i], err));
	r->base += look->bytes ? (uint64_t)((double)look->records *
					    ((double)f->size / (double)look->bytes))
			       : 0;
	return TFR_OK;
}

/* What the set has the sum of. */
static void drop_sums(struct tfr_dlook *look)
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

	assert(i >= s->first && i - s->first < s->files);
	f->look = *look;
	*look = (struct tfr_dlook){ 0 };
	d->files_left += !f->look.opened;
	if (i == s->first)
		TFR_TRY(begin_set(r, s, err));
	TFR_TRY(add_look(r, s, f, err));
	drop_sums(&f->look);
	return i + 1 == s->first + s->files ? end_set(r, s, err) : TFR_OK;
}

static void clear_slot(void *slot)
{
	tfr_dlook_clear(slot);
}

/* --- all files --- */

static enum tfr_status prepare(struct scan *r, struct tfr_error *err)
{
	struct tfr_doctor *d = r->d;
	struct tfr_error why = { 0 };
	bool ok;

	r->set_of = calloc(d->file_count + 1, sizeof(*r->set_of));
	r->lookers = calloc(r->threads, sizeof(*r->lookers));
	ok = r->set_of && r->lookers;
	for (unsigned k = 0; ok && k < r->threads; k++) {
		r->lookers[k].example = tfr_example_new();
		ok = r->lookers[k].example;
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
	return ok ? tfr_error_pass(&why, err) : tfr_fail_nomem(err, "looking at the files");
}

enum tfr_status tfr_doctor_read(struct tfr_doctor *d, struct tfr_error *err)
{
	struct scan r = { .faults = { .meet = meet_fault },
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
	for (unsigned k = 0; r.lookers && k < r.threads; k++) {
		tfr_example_free(r.lookers[k].example);
		tfr_buf_clear(&r.lookers[k].window);
	}
	free(r.lookers);
	free(r.set_of);
	free(r.thinned);
	return status;
}
