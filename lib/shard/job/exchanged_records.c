/* shard/job/exchanged_records.c - reads the exchanges of all parts.
 *
 * The tables are not trusted: their numbers are checked against each other, and what is read is
 * checked by the record's own checksums. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "io/source.h"
#include "record/framing.h"
#include "shard/job/record_exchange.h"

enum { READ_MOST = 4 << 20 };

struct part {
	struct tfr_source *source; /* opened at first use */
	const char *name;
	uint64_t *turns; /* of each set: the places of all parts before */
	const uint8_t *totals, *runs;
	uint64_t n_runs, bytes;
};

struct tfr_exchanged {
	struct tfr_job *job;
	struct part *parts;
	uint32_t n_parts, n_sets, n_buckets;
	uint32_t *first; /* of each set, and the end: its first bucket */
	struct tfr_bucket_totals *aligned;
	pthread_mutex_t lock; /* of the sources */
};

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "reading the records of the parts");
}

static const char wrong[] = "has a table that cannot be";

/* The first part decides how many sets and buckets there are. */
static enum tfr_status take_shape(struct tfr_exchanged *x, uint32_t k, const uint64_t counts[4],
	struct tfr_unread *section, struct tfr_error *err)
{
	uint64_t buckets = 0, set[2];

	if (!k) {
		if (counts[0] > UINT16_MAX || counts[1] > UINT32_MAX / 2)
			return tfr_job_bad_record(x->job, k, wrong, err);
		x->n_sets = (uint32_t)counts[0];
		x->n_buckets = (uint32_t)counts[1];
		x->first = calloc(x->n_sets + 1, sizeof(*x->first));
	}
	x->parts[k].turns = calloc(x->n_sets + 1, sizeof(uint64_t));
	if (!x->first || !x->parts[k].turns)
		return no_memory(err);
	if (counts[0] != x->n_sets || counts[1] != x->n_buckets)
		return tfr_job_bad_record(x->job, k, wrong, err);
	for (uint32_t i = 0; i < x->n_sets; i++) {
		if (!tfr_unread_copy(section, set, sizeof(set)) || set[0] > x->n_buckets ||
			(k && x->first[i] != buckets))
			return tfr_job_bad_record(x->job, k, wrong, err);
		x->first[i] = (uint32_t)buckets;
		x->parts[k].turns[i] = set[1];
		buckets += set[0];
		if (buckets > x->n_buckets)
			return tfr_job_bad_record(x->job, k, wrong, err);
	}
	x->first[x->n_sets] = (uint32_t)buckets;
	return buckets == x->n_buckets ? TFR_OK : tfr_job_bad_record(x->job, k, wrong, err);
}

static enum tfr_status load_part(struct tfr_exchanged *x, uint32_t k, struct tfr_error *err)
{
	struct part *p = &x->parts[k];
	struct tfr_unread section = { 0 };
	enum tfr_status status = tfr_job_find(x->job, k, "exchange", &section, err);
	uint64_t counts[4], row, before = 0;

	if (status)
		return status;
	if (!tfr_unread_copy(&section, counts, sizeof(counts)))
		return tfr_job_bad_record(x->job, k, wrong, err);
	status = take_shape(x, k, counts, &section, err);
	if (status)
		return status;
	p->n_runs = counts[2];
	p->bytes = counts[3];
	row = x->n_buckets * sizeof(uint64_t);
	p->totals = tfr_unread_take(
		&section, x->n_buckets * (uint64_t)sizeof(struct tfr_bucket_totals));
	if (p->totals && row && p->n_runs <= (uint64_t)(section.end - section.p) / row)
		p->runs = tfr_unread_take(&section, p->n_runs * row);
	if (!p->totals || (!p->runs && p->n_runs) || section.p == section.end || section.end[-1] ||
		memchr(section.p, '/', (size_t)(section.end - section.p)))
		return tfr_job_bad_record(x->job, k, wrong, err);
	p->name = (const char *)section.p;
	for (uint64_t i = 0; i < p->n_runs * x->n_buckets; i++) {
		uint64_t end;

		memcpy(&end, p->runs + i * sizeof(end), sizeof(end));
		if (end < before || end > p->bytes)
			return tfr_job_bad_record(x->job, k, wrong, err);
		before = end;
	}
	return TFR_OK;
}

/* From the places of each part to those of all parts before it. */
static void add_up_turns(struct tfr_exchanged *x)
{
	for (uint32_t i = 0; i < x->n_sets; i++) {
		uint64_t places = 0;

		for (uint32_t k = 0; k < x->n_parts; k++) {
			uint64_t own = x->parts[k].turns[i];

			x->parts[k].turns[i] = places;
			places += own;
		}
	}
}

static enum tfr_status copy_totals(struct tfr_exchanged *x, struct tfr_error *err)
{
	size_t row = x->n_buckets * sizeof(*x->aligned);

	x->aligned = malloc(x->n_parts * row + 1);
	if (!x->aligned)
		return no_memory(err);
	for (uint32_t k = 0; row && k < x->n_parts; k++)
		memcpy(x->aligned + (size_t)k * x->n_buckets, x->parts[k].totals, row);
	return TFR_OK;
}

enum tfr_status tfr_exchanged_open(
	struct tfr_exchanged **out, struct tfr_job *job, struct tfr_error *err)
{
	struct tfr_exchanged *x = calloc(1, sizeof(*x));
	enum tfr_status status = TFR_OK;

	if (!x)
		return no_memory(err);
	pthread_mutex_init(&x->lock, NULL);
	x->job = job;
	x->n_parts = tfr_job_parts(job);
	x->parts = calloc(x->n_parts, sizeof(*x->parts));
	if (!x->parts)
		status = no_memory(err);
	for (uint32_t k = 0; !status && k < x->n_parts; k++)
		status = load_part(x, k, err);
	if (!status)
		status = copy_totals(x, err);
	if (status) {
		tfr_exchanged_close(x);
		return status;
	}
	add_up_turns(x);
	*out = x;
	return TFR_OK;
}

void tfr_exchanged_close(struct tfr_exchanged *x)
{
	if (!x)
		return;
	for (uint32_t k = 0; x->parts && k < x->n_parts; k++) {
		tfr_source_close(x->parts[k].source);
		free(x->parts[k].turns);
	}
	free(x->parts);
	free(x->first);
	free(x->aligned);
	pthread_mutex_destroy(&x->lock);
	free(x);
}

uint32_t tfr_exchanged_sets(const struct tfr_exchanged *x)
{
	return x->n_sets;
}

uint32_t tfr_exchanged_buckets(const struct tfr_exchanged *x, uint32_t set)
{
	return set < x->n_sets ? x->first[set + 1] - x->first[set] : 0;
}

uint32_t tfr_exchanged_bucket(
	const struct tfr_exchanged *x, uint32_t part, uint32_t set, uint32_t shard)
{
	uint64_t count = tfr_exchanged_buckets(x, set);

	return (uint32_t)((shard + count - x->parts[part].turns[set] % count) % count);
}

const struct tfr_bucket_totals *tfr_exchanged_totals(
	const struct tfr_exchanged *x, uint32_t part, uint32_t set, uint32_t bucket)
{
	return &x->aligned[(size_t)part * x->n_buckets + x->first[set] + bucket];
}

static enum tfr_status open_source(struct tfr_exchanged *x, uint32_t k, struct tfr_error *err)
{
	struct part *p = &x->parts[k];
	TFR_AUTO_FREE char *path = NULL;
	enum tfr_status status = TFR_OK;

	pthread_mutex_lock(&x->lock);
	if (!p->source) {
		path = tfr_job_path(x->job, p->name);
		status = path ? tfr_source_open(&p->source, path, err) : no_memory(err);
	}
	pthread_mutex_unlock(&x->lock);
	return status;
}

/* The complete records at the start of `size` bytes. */
static size_t whole_records(const uint8_t *data, size_t size)
{
	size_t at = 0;

	while (size - at >= TFR_RECORD_OVERHEAD) {
		uint64_t length = tfr_load64(data + at);

		if (length > size - at - TFR_RECORD_OVERHEAD)
			break;
		at += (size_t)length + TFR_RECORD_OVERHEAD;
	}
	return at;
}

/* One piece: the bytes of a bucket in a run. */
static enum tfr_status read_piece(struct tfr_exchanged *x, uint32_t k, uint64_t from, uint64_t to,
	struct tfr_buf *block,
	enum tfr_status (*take)(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (block->size = 0; !status && from < to;) {
		size_t want = to - from < READ_MOST ? (size_t)(to - from) : READ_MOST, got, whole;

		if (!tfr_buf_reserve(block, want))
			return no_memory(err);
		status = tfr_source_read_at(
			x->parts[k].source, from, block->data + block->size, want, &got, err);
		if (status)
			return status;
		if (got < want)
			return tfr_job_bad_record(
				x->job, k, "names a file that is shorter than it was", err);
		block->size += got;
		from += got;
		whole = whole_records(block->data, block->size);
		if (whole)
			status = take(ctx, block->data, whole, err);
		memmove(block->data, block->data + whole, block->size - whole);
		block->size -= whole;
	}
	if (!status && block->size)
		return tfr_job_bad_record(x->job, k, "names a file that has changed", err);
	return status;
}

enum tfr_status tfr_exchanged_read(struct tfr_exchanged *x, uint32_t part, uint32_t set,
	uint32_t bucket, struct tfr_buf *block,
	enum tfr_status (*take)(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	const struct part *p = &x->parts[part];
	uint64_t at = x->first[set] + bucket;
	enum tfr_status status = p->n_runs ? open_source(x, part, err) : TFR_OK;

	for (uint64_t run = 0; !status && run < p->n_runs; run++) {
		uint64_t place = run * x->n_buckets + at, from = 0, to;

		memcpy(&to, p->runs + place * sizeof(to), sizeof(to));
		if (place)
			memcpy(&from, p->runs + (place - 1) * sizeof(from), sizeof(from));
		status = read_piece(x, part, from, to, block, take, ctx, err);
	}
	return status;
}

enum tfr_status tfr_exchanged_load(struct tfr_exchanged *x, uint32_t part, uint32_t set,
	uint32_t bucket, uint8_t *to, struct tfr_error *err)
{
	const struct part *p = &x->parts[part];
	uint64_t at = x->first[set] + bucket,
		 left = tfr_exchanged_totals(x, part, set, bucket)->bytes;
	enum tfr_status status = p->n_runs ? open_source(x, part, err) : TFR_OK;

	for (uint64_t run = 0; !status && run < p->n_runs; run++) {
		uint64_t place = run * x->n_buckets + at, from = 0, end;
		size_t got = 0;

		memcpy(&end, p->runs + place * sizeof(end), sizeof(end));
		if (place)
			memcpy(&from, p->runs + (place - 1) * sizeof(from), sizeof(from));
		if (end == from)
			continue;
		if (end - from > left)
			return tfr_job_bad_record(x->job, part, wrong, err);
		status = tfr_source_read_at(p->source, from, to, (size_t)(end - from), &got, err);
		if (!status && got < end - from)
			return tfr_job_bad_record(
				x->job, part, "names a file that is shorter than it was", err);
		to += got;
		left -= got;
	}
	return !status && left ? tfr_job_bad_record(x->job, part, wrong, err) : status;
}
