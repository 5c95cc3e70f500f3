/* shard/job/record_exchange.h - records on their way from the part that read them to the one that
 * writes their shard.
 *
 * A part writes one file, or object.  Its records are in buckets, and each set that the command
 * writes has one bucket per shard.  Records are gathered in memory, and each time it is full, the
 * buckets are written one after another: a run.  So a reader of one bucket reads one piece per run.
 * The table of all pieces is a section of the part's record.
 *
 * A record is stored as it is framed in an uncompressed file, so its checksums prove that it came
 * through.  The number and the content sum of the records of each bucket are in the table. */
#ifndef TFR_SHARD_JOB_RECORD_EXCHANGE_H
#define TFR_SHARD_JOB_RECORD_EXCHANGE_H

#include <sys/uio.h>

#include <tfr/record.h>

#include "shard/job/job.h"

struct tfr_exchange;

/* What a bucket has. */
struct tfr_bucket_totals {
	uint64_t records, bytes; /* framed */
	uint64_t payload_bytes, sum;
};

/* The exchange of the part that runs, which is created when it is asked for first. */
enum tfr_status tfr_exchange_of(
	struct tfr_exchange **x, struct tfr_job *job, struct tfr_error *err);
/* Adds a set of `count` buckets; returns its number in *set. */
enum tfr_status tfr_exchange_add_set(
	struct tfr_exchange *x, uint32_t count, uint32_t *set, struct tfr_error *err);
/* Memory for records that wait; before the first record.  A larger one is written at once. */
void tfr_exchange_memory(struct tfr_exchange *x, uint64_t bytes);
/* Appends the pieces of `totals->records` framed records to a bucket.  Any thread. */
enum tfr_status tfr_exchange_put(struct tfr_exchange *x, uint32_t set, uint32_t bucket,
	const struct iovec *pieces, int count, const struct tfr_totals *totals,
	struct tfr_error *err);
/* The number of places by which the first record of the next part is ahead of that of this part: by
 * default the number of records. */
void tfr_exchange_turn(struct tfr_exchange *x, uint32_t set, uint64_t turn);
/* Completes the file and puts the table into the record of the part. */
enum tfr_status tfr_exchange_end(
	struct tfr_exchange *x, struct tfr_job *job, struct tfr_error *err);
/* The record was accepted: the file stays. */
void tfr_exchange_keep(struct tfr_exchange *x);
/* Removes the file unless it is kept.  Accepts NULL. */
void tfr_exchange_close(struct tfr_exchange *x);

/* --- reading --- */

struct tfr_exchanged;

/* Reads the tables of all parts, of the step that is due.  Sets have the numbers that they had when
 * they were written. */
enum tfr_status tfr_exchanged_open(
	struct tfr_exchanged **x, struct tfr_job *job, struct tfr_error *err);
void tfr_exchanged_close(struct tfr_exchanged *x); /* accepts NULL */
uint32_t tfr_exchanged_sets(const struct tfr_exchanged *x);
/* The buckets of a set; 0: there is no such set. */
uint32_t tfr_exchanged_buckets(const struct tfr_exchanged *x, uint32_t set);
/* The bucket of a part whose records belong to shard `shard`. */
uint32_t tfr_exchanged_bucket(
	const struct tfr_exchanged *x, uint32_t part, uint32_t set, uint32_t shard);
const struct tfr_bucket_totals *tfr_exchanged_totals(
	const struct tfr_exchanged *x, uint32_t part, uint32_t set, uint32_t bucket);
/* Copies the bytes of a bucket to `to`, which has room for its totals->bytes.  Any thread. */
enum tfr_status tfr_exchanged_load(struct tfr_exchanged *x, uint32_t part, uint32_t set,
	uint32_t bucket, uint8_t *to, struct tfr_error *err);
/* Passes the bytes of a bucket to take() in order, in pieces of whole records.  Any thread; `block`
 * is its memory. */
enum tfr_status tfr_exchanged_read(struct tfr_exchanged *x, uint32_t part, uint32_t set,
	uint32_t bucket, struct tfr_buf *block,
	enum tfr_status (*take)(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err),
	void *ctx, struct tfr_error *err);

#endif
