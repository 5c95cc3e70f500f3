/* tfr-private/select.h - one stream of selected records from many files.
 *
 * The stages have a fixed order: first the files of a set, interleaved or one after another; then
 * several such sets mixed; a list of numbers; an expression; every n-th record or a sample; a
 * shuffle; `skip`; `limit`.  Each stage gets the records that the stage before it leaves. */
#ifndef TFR_PRIVATE_SELECT_H
#define TFR_PRIVATE_SELECT_H

#include <tfr-private/example.h>
#include <tfr-private/shard.h>
#include <tfr-private/sweep.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_select;

/* The order of tf.data.Dataset.sample_from_datasets(sets, weights, seed), with a list of weights
 * and without a global seed, element by element
 * (tensorflow/python/data/ops/sample_from_datasets_op.py).  For each record, one of the sets is
 * drawn independently, with a probability proportional to its weight, and gives its next record.
 * Weights are 0 or normal as floats, since TensorFlow converts them to floats, and at least one is
 * above 0.  A set of weight 0 is not read.  When a set is drawn that has no record left, the others
 * continue with their relative weights.  A later draw of it is discarded, as in TensorFlow.  When
 * the remaining weights are less than 1/4096 of those that are drawn from, later draws are made
 * among the remaining sets only; tf.data would continue to draw in vain.  The caller owns the sets,
 * which must outlive the selection. */
struct tfr_mix_opts {
	const struct tfr_set *const *sets;
	const double *weights;
	size_t count;
	/* The stream ends when a set is drawn that has no record left, as with
	 * stop_on_empty_dataset=True. */
	bool until_first;
};

struct tfr_select_opts {
	enum tfr_framing framing; /* of all files */
	enum tfr_compression compression;
	struct tfr_interleaving order; /* of the files of a set */
	/* Replaces the set.  Each set of the mix is read in `order`, and
	 * sets are drawn with `seed`.  Must outlive the selection.  NULL: the set. */
	const struct tfr_mix_opts *mix;
	/* "0,5,10-20,100-": numbers of records in the stream so far, from 0. The records keep the
	 * order of the stream, whatever the order of the list.  If faults end the
	 * selection, and without `mix`, a file with an up-to-date index is read through the index
	 * (tfr/lookup.h): records that are not in the list are neither read nor verified.  NULL:
	 * all. */
	const char *records;
	const char *where; /* NULL: all; see tfr_where_compile() */
	/* Record every_offset of the stream so far, and each `every`-th after it.  0: all. */
	uint64_t every, every_offset;
	/* If `sampled`: each record with this probability, 0 to 1. It is drawn from `seed` and the
	 * record's number in the stream, so the sample does not depend on the other selections.
	 * Not with `every`. */
	bool sampled;
	double sample;
	/* The order of the first epoch of tf.data's shuffle(shuffle_buffer, seed), without a global
	 * seed.  That many records are held in memory.  0: the order is kept. */
	uint64_t shuffle_buffer, seed;
	uint64_t skip, limit; /* limit UINT64_MAX: all */

	/* Also of records that the expression cannot parse.  A fault is a record with a wrong data
	 * CRC, a stretch up to the next record that verifies, or the rest of a file.  Each takes up
	 * one record's place in its block, and one number. */
	enum tfr_on_fault on_fault;
	/* If faults are skipped: receives the raw bytes of every fault, see struct tfr_reader_opts.
	 * A record that the expression cannot parse is written complete with its framing.  A
	 * failure ends the selection.  NULL: the bytes are dropped. */
	struct tfr_stream_writer *quarantine;

	/* For a set of one file, not for a mix: the file is read as it grows.  A record that is
	 * incomplete when `wait` ends the reading is ignored.  NULL: the files do not grow. */
	const struct tfr_growing *growing;

	struct tfr_progress *progress; /* may be NULL */
	/* Receives one line without a newline: skipped faults, files without records, stale
	 * indexes; may be NULL. */
	void (*warn)(void *ctx, const char *text);
	/* Called by tfr_select_warn_unmatched() after the inputs were read to their end, with a
	 * feature that `where` names and no record has, unless the expression asks for its absence
	 * (exists, len, != or a negation).  NULL: `warn` receives it. */
	void (*missing)(void *ctx, const struct tfr_error *err);
	void *ctx;
};

/* `set`, NULL with a mix, and the texts remain the caller's and must outlive the selection.
 * TFR_EUSAGE: the expression or the list is invalid, only one of the cycle and the block is 0,
 * `sample` is not a probability, a weight is invalid, or options exclude each other. */
enum tfr_status tfr_select_open(struct tfr_select **s, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct tfr_error *err);
/* The next record: TFR_OK with a view until the next call, or TFR_END.  Other statuses are those of
 * tfr_reader_next(), with the place filled in. */
enum tfr_status tfr_select_next(
	struct tfr_select *s, struct tfr_record *rec, struct tfr_error *err);
/* The file of the last record, as errors name it; lives as long as its set. */
const char *tfr_select_path(const struct tfr_select *s);
/* Adds the place of the last record to `err`. */
void tfr_select_locate(
	const struct tfr_select *s, const struct tfr_record *rec, struct tfr_error *err);
/* For a caller that cannot use the last record: adds its place to `err`.  If faults are
 * skipped, the record then counts as one and the result is TFR_OK; otherwise the result is
 * `status`.
 */
enum tfr_status tfr_select_reject(struct tfr_select *s, const struct tfr_record *rec,
	enum tfr_status status, struct tfr_error *err);
/* Call after the last record: warns of names in the expression that no record had, and of numbers
 * in the list past the end. */
void tfr_select_warn_unmatched(struct tfr_select *s);
void tfr_select_close(struct tfr_select *s); /* accepts NULL */

/* The number of records read so far, and of faults skipped. */
uint64_t tfr_select_records_read(const struct tfr_select *s);
uint64_t tfr_select_bad(const struct tfr_select *s);

#ifdef __cplusplus
}
#endif

#endif
