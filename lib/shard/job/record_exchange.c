/* shard/job/record_exchange.c - writes the exchange of a part.
 *
 * Records wait in one block of memory, each in the list of its bucket.  When the block is full, the
 * lists are written one after another, and the block is empty again.  A record that is larger than
 * the block is a run of its own, which is written from where it is. */
#include "shard/job/record_exchange.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "io/output.h"
#include "shard/job/create_once.h"

enum { BLOCK = 32 << 20, BLOCK_LEAST = 1 << 20, PIECES = 512 };

struct entry {
	size_t at, size;
	uint32_t next; /* of the same bucket, 0: none */
};

struct bucket {
	uint32_t first, last; /* entries that wait */
	uint64_t waiting;     /* their bytes */
	struct tfr_bucket_totals totals;
};

struct exchanged_set {
	uint32_t first, count; /* buckets */
	uint64_t turn;
	bool turned; /* `turn` was set, and is not the number of records */
};

struct tfr_exchange {
	pthread_mutex_t lock;
	char *name, *path;
	struct tfr_output *out;
	struct exchanged_set *sets;
	uint32_t n_sets;
	struct bucket *buckets;
	uint32_t n_buckets;
	size_t cap_buckets;
	uint8_t *block; /* `standard` bytes; NULL: no record has come yet */
	size_t used, standard;
	struct entry *entries; /* [0] is unused */
	uint32_t n_entries;
	size_t cap_entries;
	struct tfr_buf runs; /* of each run, the offset after each bucket: uint64_t */
	uint64_t n_runs, written;
	bool ended, kept;
};

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "exchanging records");
}

static enum tfr_status open_file(struct tfr_exchange *x, struct tfr_job *job, struct tfr_error *err)
{
	/* A loss is noticed when the records are read, and the part runs again. */
	struct tfr_output_opts opts = { .temporaries = tfr_job_temporaries(job), .unsynced = true };

	x->name = tfr_job_new_name(job, "data");
	x->path = x->name ? tfr_job_path(job, x->name) : NULL;
	return x->path ? tfr_output_open(&x->out, x->path, &opts, err) : no_memory(err);
}

enum tfr_status tfr_exchange_of(
	struct tfr_exchange **out, struct tfr_job *job, struct tfr_error *err)
{
	struct tfr_exchange **own = tfr_job_exchange(job);
	enum tfr_status status = TFR_OK;

	if (!*own) {
		*own = calloc(1, sizeof(**own));
		if (!*own)
			return no_memory(err);
		pthread_mutex_init(&(*own)->lock, NULL);
		(*own)->n_entries = 1;
		(*own)->standard = BLOCK;
		status = open_file(*own, job, err);
	}
	*out = *own;
	return status;
}

enum tfr_status tfr_exchange_add_set(
	struct tfr_exchange *x, uint32_t count, uint32_t *set, struct tfr_error *err)
{
	assert(!x->n_runs && x->n_entries == 1);
	if (TFR_ARRAY_ONE_MORE(x->sets, x->n_sets) ||
		TFR_ARRAY_RESERVE(x->buckets, x->cap_buckets, (size_t)x->n_buckets + count))
		return no_memory(err);
	*set = x->n_sets;
	x->sets[x->n_sets++] = (struct exchanged_set){ .first = x->n_buckets, .count = count };
	memset(x->buckets + x->n_buckets, 0, count * sizeof(*x->buckets));
	x->n_buckets += count;
	return TFR_OK;
}

void tfr_exchange_memory(struct tfr_exchange *x, uint64_t bytes)
{
	x->standard = bytes > BLOCK_LEAST ? (size_t)bytes : BLOCK_LEAST;
}

/* --- a run --- */

static enum tfr_status write_bucket(
	struct tfr_exchange *x, const struct bucket *b, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct iovec pieces[PIECES];
	int n = 0;

	for (uint32_t i = b->first; !status && i; i = x->entries[i].next) {
		pieces[n++] = (struct iovec){ x->block + x->entries[i].at, x->entries[i].size };
		if (n < PIECES && x->entries[i].next)
			continue;
		status = tfr_output_writev(x->out, pieces, n, err);
		n = 0;
	}
	return status;
}

/* Adds a row to the table; the caller fills it.  NULL: out of memory. */
static uint64_t *add_run(struct tfr_exchange *x)
{
	size_t at = x->runs.size, size = x->n_buckets * sizeof(uint64_t);

	if (!tfr_buf_reserve(&x->runs, size))
		return NULL;
	x->runs.size += size;
	x->n_runs++;
	return (uint64_t *)(void *)(x->runs.data + at);
}

static enum tfr_status write_run(struct tfr_exchange *x, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint64_t *ends;

	if (x->n_entries == 1)
		return TFR_OK;
	ends = add_run(x);
	if (!ends)
		return no_memory(err);
	for (uint32_t k = 0; !status && k < x->n_buckets; k++) {
		struct bucket *b = &x->buckets[k];

		status = write_bucket(x, b, err);
		x->written += b->waiting;
		ends[k] = x->written;
		b->first = b->last = 0;
		b->waiting = 0;
	}
	x->used = 0;
	x->n_entries = 1;
	return status;
}

/* Makes room for a record that the block can hold. */
static enum tfr_status make_room(struct tfr_exchange *x, size_t size, struct tfr_error *err)
{
	enum tfr_status status = x->standard - x->used < size ? write_run(x, err) : TFR_OK;

	if (!status && !x->block) {
		x->block = mmap(NULL, x->standard, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (x->block == MAP_FAILED)
			x->block = NULL;
		else
			(void)!madvise(x->block, x->standard, MADV_HUGEPAGE);
	}
	if (!status && (!x->block || TFR_ARRAY_RESERVE(
					     x->entries, x->cap_entries, (size_t)x->n_entries + 1)))
		status = no_memory(err);
	return status;
}

static enum tfr_status keep_record(struct tfr_exchange *x, struct bucket *b,
	const struct iovec *pieces, int count, size_t size, struct tfr_error *err)
{
	enum tfr_status status = make_room(x, size, err);

	if (status)
		return status;
	x->entries[x->n_entries] = (struct entry){ x->used, size, 0 };
	for (int i = 0; i < count; i++) {
		if (pieces[i].iov_len)
			memcpy(x->block + x->used, pieces[i].iov_base, pieces[i].iov_len);
		x->used += pieces[i].iov_len;
	}
	if (b->last)
		x->entries[b->last].next = x->n_entries;
	else
		b->first = x->n_entries;
	b->last = x->n_entries++;
	b->waiting += size;
	return TFR_OK;
}

/* After the records before it. */
static enum tfr_status write_large(struct tfr_exchange *x, const struct bucket *b,
	const struct iovec *pieces, int count, size_t size, struct tfr_error *err)
{
	enum tfr_status status = write_run(x, err);
	uint64_t *ends = status ? NULL : add_run(x);

	if (!ends)
		return status ? status : no_memory(err);
	for (uint32_t k = 0; k < x->n_buckets; k++)
		ends[k] = x->written + (&x->buckets[k] < b ? 0 : size);
	x->written += size;
	for (int i = 0; !status && i < count; i++)
		status = tfr_output_writev(
			x->out, &(struct iovec){ pieces[i].iov_base, pieces[i].iov_len }, 1, err);
	return status;
}

static enum tfr_status put(struct tfr_exchange *x, struct bucket *b, const struct iovec *pieces,
	int count, const struct tfr_totals *totals, struct tfr_error *err)
{
	enum tfr_status status;
	size_t size = 0;

	for (int i = 0; i < count; i++)
		size += pieces[i].iov_len;
	status = size > x->standard ? write_large(x, b, pieces, count, size, err)
				    : keep_record(x, b, pieces, count, size, err);
	if (status)
		return status;
	b->totals.records += totals->records;
	b->totals.bytes += size;
	b->totals.payload_bytes += totals->payload_bytes;
	b->totals.sum += totals->sum;
	return TFR_OK;
}

enum tfr_status tfr_exchange_put(struct tfr_exchange *x, uint32_t set, uint32_t bucket,
	const struct iovec *pieces, int count, const struct tfr_totals *totals,
	struct tfr_error *err)
{
	enum tfr_status status;

	assert(set < x->n_sets && bucket < x->sets[set].count);
	pthread_mutex_lock(&x->lock);
	status = put(x, &x->buckets[x->sets[set].first + bucket], pieces, count, totals, err);
	pthread_mutex_unlock(&x->lock);
	return status;
}

void tfr_exchange_turn(struct tfr_exchange *x, uint32_t set, uint64_t turn)
{
	x->sets[set].turn = turn;
	x->sets[set].turned = true;
}

/* --- the end --- */

static uint64_t turn_of(const struct tfr_exchange *x, const struct exchanged_set *s)
{
	uint64_t records = 0;

	for (uint32_t k = 0; k < s->count; k++)
		records += x->buckets[s->first + k].totals.records;
	return s->turned ? s->turn : records;
}

/* The table: the name of the file, its sets, its buckets, its runs. */
static enum tfr_status put_table(struct tfr_exchange *x, struct tfr_job *job, struct tfr_error *err)
{
	uint64_t counts[4] = { x->n_sets, x->n_buckets, x->n_runs, x->written };
	TFR_AUTO_BUF text = { 0 };
	bool good = tfr_buf_append(&text, counts, sizeof(counts));

	for (uint32_t i = 0; good && i < x->n_sets; i++) {
		uint64_t set[2] = { x->sets[i].count, turn_of(x, &x->sets[i]) };

		good = tfr_buf_append(&text, set, sizeof(set));
	}
	for (uint32_t k = 0; good && k < x->n_buckets; k++)
		good = tfr_buf_append(&text, &x->buckets[k].totals, sizeof(x->buckets[k].totals));
	if (good && x->runs.size)
		good = tfr_buf_append(&text, x->runs.data, x->runs.size);
	good = good && tfr_buf_append(&text, x->name, strlen(x->name) + 1);
	return good ? tfr_job_put(job, "exchange", text.data, text.size, err) : no_memory(err);
}

enum tfr_status tfr_exchange_end(struct tfr_exchange *x, struct tfr_job *job, struct tfr_error *err)
{
	enum tfr_status status = x->ended ? TFR_OK : write_run(x, err);

	if (x->ended)
		return TFR_OK;
	x->ended = true;
	if (!status)
		status = tfr_output_seal(x->out, err);
	if (!status)
		status = tfr_output_publish(x->out, err);
	if (!status && !tfr_is_url(x->path))
		status = tfr_sync_directory_of(x->path, err);
	return status ? status : put_table(x, job, err);
}

void tfr_exchange_keep(struct tfr_exchange *x)
{
	x->kept = true;
}

void tfr_exchange_close(struct tfr_exchange *x)
{
	if (!x)
		return;
	tfr_output_close(x->out);
	if (x->ended && !x->kept && x->path)
		tfr_remove_once(x->path);
	tfr_buf_clear(&x->runs);
	if (x->block)
		munmap(x->block, x->standard);
	free(x->entries);
	free(x->sets);
	free(x->buckets);
	free(x->name);
	free(x->path);
	pthread_mutex_destroy(&x->lock);
	free(x);
}
