/* doctor/file_scan.c - the facts about the records of a file, which is read completely or in
 * stretches.
 *
 * The first record of a stretch is searched for, as after damage.  The size of a stretch is known
 * before it is read, so no file can cause a larger read. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/media.h>

#include "base/array.h"
#include "base/compare.h"
#include "base/rng.h"
#include "doctor/doctor.h"
#include "inspect/check/content_types.h"
#include "inspect/stats/identity.h"
#include "io/source.h"
#include "record/framing.h"
#include "record/resync.h"
#include "xxhash.h"

enum { MOST_STRETCH = 64 << 20, MOST_LABELS = 1 << 22 };
enum { MOST_FEATURES = 4096, LEAST_STRETCH = 64 << 10, LARGE_RECORD = 1 << 10 };

struct tfr_dlooker {
	struct tfr_example *example;
	struct tfr_buf window;
	/* Of the file that is read: */
	const char *path;
	const struct tfr_dlook_opts *opts;
	struct tfr_dlook *look;
	uint64_t most;	/* bytes to read from its start */
	uint64_t each;	/* bytes of a stretch; 0: there are none */
	bool begins;	/* the next record is the first of a stretch */
	bool random;	/* the stretch begins at a random position */
	double average; /* of a stretch: mean size of a record in bytes; 0: its number is known */
};

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "looking at a file");
}

struct tfr_dlooker *tfr_dlooker_new(void)
{
	struct tfr_dlooker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->example = tfr_example_new();
	if (w->example)
		return w;
	tfr_dlooker_free(w);
	return NULL;
}

void tfr_dlooker_free(struct tfr_dlooker *w)
{
	if (!w)
		return;
	tfr_example_free(w->example);
	tfr_buf_clear(&w->window);
	free(w);
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

/* --- the contents of a record --- */

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

static bool note_features(struct tfr_dlooker *k)
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

static bool note_label(struct tfr_dlooker *k, uint64_t place, size_t size)
{
	struct tfr_dlook *l = k->look;
	struct tfr_dclass class = { 0 };

	if (!k->opts->label)
		return true;
	if (!tfr_dlook_class(k->example, k->opts->label, &class)) {
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
	struct tfr_dlooker *k, const struct tfr_record *rec, struct tfr_error *err)
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

enum tfr_status tfr_dlook_fault(
	struct tfr_fault_policy *p, const struct tfr_fault_met *fault, struct tfr_error *err)
{
	(void)p;
	TFR_TRY(note_failure(fault->to, fault->why, err));
	return fault->bad ? TFR_OK : TFR_END;
}

static enum tfr_status fault_at(
	struct tfr_dlooker *k, uint64_t offset, const char *what, struct tfr_error *err)
{
	char text[5000];

	snprintf(text, sizeof(text), "%s in '%.4500s', offset %llu", what, k->path,
		(unsigned long long)offset);
	return keep_damage(k->look, text, err);
}

/* --- reading a file from its start --- */

enum tfr_status tfr_dlook_take(struct tfr_dlooker *k, struct tfr_fault_policy *faults,
	struct tfr_run *run, struct tfr_error *err)
{
	const struct tfr_run_origin of = { faults, k->path, k->look };
	struct tfr_record rec;
	enum tfr_status status;

	while (k->look->bytes < k->most) {
		status = tfr_run_next_intact(&of, run, &rec, err);
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
	struct tfr_dlooker *k, const struct stretch *s, size_t at, struct tfr_error *err)
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
	struct tfr_dlooker *k, const struct stretch *s, struct tfr_error *err)
{
	size_t at = find_record(s), size;
	struct tfr_record rec;
	struct tfr_run run;
	enum tfr_status status;

	assert(s->size && at <= s->size);
	/* The stretch may be inside a record larger than any before, but then that record would be
	 * all zeros. */
	if (at == s->size && !s->data[0] && !memcmp(s->data, s->data + 1, s->size - 1))
		return fault_at(k, s->offset, "nothing but zeros", err);
	k->begins = true;
	size = tfr_run_of_bytes(&run, s->data + at, s->size - at, s->offset + at);
	while ((status = tfr_run_next(&run, &rec, NULL)) != TFR_END)
		TFR_TRY(status ? fault_at(k, rec.offset, "data checksum mismatch", err)
			       : note_record(k, &rec, err));
	return note_rest(k, s, at + size, err);
}

static enum tfr_status read_stretch(struct tfr_dlooker *k, const struct tfr_source *source,
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
static enum tfr_status read_stretches(struct tfr_dlooker *k, struct tfr_error *err)
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
	count = k->opts->share / each < 2 ? 2 : k->opts->share / each;
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

/* The file is sampled if it is larger than its share, and its first header shows that its bytes are
 * those of records. */
enum tfr_status tfr_dlook_begin(struct tfr_dlooker *k, const char *path,
	const struct tfr_dlook_opts *opts, struct tfr_dlook *look, struct tfr_error *err)
{
	TFR_AUTO_SOURCE source = NULL;
	struct tfr_error fault = { 0 };
	uint8_t head[TFR_RECORD_HEADER];
	size_t got = 0;
	uint64_t size;

	k->path = path;
	k->opts = opts;
	k->look = look;
	k->begins = true;
	k->random = false;
	k->average = 0;
	k->most = opts->share;
	k->each = 0;
	look->opened = true;
	if (tfr_source_open(&source, path, &fault)) {
		TFR_TRY(note_failure(look, &fault, err));
		return TFR_END;
	}
	size = tfr_source_left(source);
	if (tfr_source_read(source, head, sizeof(head), &got, &fault)) {
		got = 0;
		if (tfr_doctor_ends(fault.status, &fault))
			return tfr_error_pass(&fault, err);
	}
	if (opts->share >= size || got < sizeof(head) || !tfr_header_verifies(head))
		return TFR_OK;
	k->each = opts->share / (opts->places < 2 ? 2 : opts->places);
	k->each = k->each < LEAST_STRETCH ? LEAST_STRETCH : k->each;
	k->most = k->each;
	return TFR_OK;
}

enum tfr_status tfr_dlook_end(
	struct tfr_dlooker *k, const struct tfr_reading *in, struct tfr_error *err)
{
	struct tfr_dlook *l = k->look;

	if (!in->reader)
		return TFR_OK;
	l->complete = in->over;
	l->compression = tfr_reader_compression(in->reader);
	l->members = tfr_reader_members(in->reader);
	return k->each && !l->complete && !l->faults ? read_stretches(k, err) : TFR_OK;
}
