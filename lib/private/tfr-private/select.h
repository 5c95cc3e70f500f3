/* tfr-private/select.h - one stream of records out of many files, as options leave it.
 *
 * The order of selection is fixed: the files of a set, interleaved or one after another; several
 * such sets mixed; a list of numbers; an expression; every n-th or a sample; a shuffle; how many
 * are passed over; how many are given.  Each stage sees what the one before it leaves. */
#ifndef TFR_PRIVATE_SELECT_H
#define TFR_PRIVATE_SELECT_H

#include <tfr-private/example.h>
#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_select;

/* What becomes of a set that has no record left when it is drawn. */
enum tfr_mix_end {
	/* The others go on, by their weights among themselves: stop_on_empty_dataset=False, the
	 * default of tf.data. */
	TFR_MIX_DROP,
	/* The stream ends there: stop_on_empty_dataset=True. */
	TFR_MIX_STOP,
	/* It begins again, as each of the sets does with repeat(): the stream has no end but
	 * `limit`.  A set that has no record at all is dropped.  Not for what is no file, and not
	 * with `lost`. */
	TFR_MIX_REPEAT,
};

/* The order of tf.data.Dataset.sample_from_datasets(sets, weights, seed), the weights a list,
 * without a global seed, element by element
 * (tensorflow/python/data/ops/sample_from_datasets_op.py): for each record one of the sets is
 * drawn, independently of what was drawn before, with the probability that its weight is of all,
 * and its next record comes.  Weights are 0 or normal as floats, which is what TensorFlow makes of
 * them, and one of them is above 0; a set of weight 0 is not read.  A set that was dropped loses
 * its draws, as there; but where the weights that are left are less than one in 4096 of those that
 * draws are made by, draws are made by those that are left from then on, where tf.data would draw
 * on and on.  Sets belong to the caller and outlive the selection. */
struct tfr_mix {
	const struct tfr_set *const *sets;
	const double *weights;
	size_t count;
	enum tfr_mix_end end;
};

struct tfr_select_opts {
	enum tfr_framing framing; /* of all files */
	enum tfr_compression compression;
	/* The order of tf.data's interleave(cycle_length, block_length), deterministic as it is by
	 * default: a block of records from each of `cycle` places in turn; a file that ends cuts
	 * its block short, and its place takes the next file when its turn comes again
	 * (tensorflow/core/kernels/data/interleave_dataset_op.cc).  At most `cycle` files are open.
	 * 0: one file after another, which is what a cycle of 1 gives. */
	uint64_t cycle, block;
	/* In place of a set; each of its sets is read in the order of `cycle` and `block`, and
	 * drawn by `seed`.  Outlives the selection.  NULL: the set. */
	const struct tfr_mix *mix;
	/* "0,5,10-20,100-": the numbers, from 0, that the records have in the stream so far; the
	 * order is the stream's, whatever the list's.  Without `skip_damaged` and `mix`, a file
	 * whose index is up to date is read through it (tfr/lookup.h): what is not in the list is
	 * passed over unread, and unproved.  NULL: all. */
	const char *records;
	const char *where; /* NULL: all; see tfr_where_compile() */
	/* Number every_offset of those so far, and every `every`-th from there.  0: all. */
	uint64_t every, every_offset;
	/* Each record with this probability, 0 to 1, if `sampled`: drawn by `seed` and its number
	 * in the stream, so that the same are drawn whatever else selects.  Not with `every`. */
	bool sampled;
	double sample;
	/* The order of the first epoch of tf.data's shuffle(shuffle_buffer, seed), without a global
	 * seed; as many records are held in memory.  0: the order stays. */
	uint64_t shuffle_buffer, seed;
	uint64_t skip, limit; /* limit UINT64_MAX: all */

	/* Damage, and what the expression cannot parse, is warned of, counted and passed over: a
	 * record with a wrong data CRC, a stretch up to the next place where a record verifies, the
	 * rest of a file.  Each takes up one record's place in its block, and one number. */
	bool skip_damaged;
	/* With `skip_damaged`: is given every fault's bytes as they lie, see struct
	 * tfr_reader_opts; what the expression cannot parse is whole, framing and all.  A failure
	 * ends the selection.  May be NULL. */
	enum tfr_status (*lost)(void *ctx, const void *data, size_t size, struct tfr_error *err);

	/* Of a set of one file, not of a mix: it is read as it grows, and a record that is not
	 * whole yet is none when `wait` ends it.  NULL: the files are what they are. */
	const struct tfr_growing *growing;

	struct tfr_progress *progress; /* may be NULL */
	/* One line without its end: faults passed over, files without records, stale indexes; may
	 * be NULL. */
	void (*warn)(void *ctx, const char *text);
	/* In tfr_select_finish(), when the inputs were read to their end: a feature that `where`
	 * names and that no record has, unless the expression asks for its absence (exists, len, !=
	 * or a negation).  NULL: `warn` receives it. */
	void (*missing)(void *ctx, const struct tfr_error *err);
	void *ctx;
};

/* `set`, NULL where there is a mix, and the texts stay the caller's and must outlive the selection.
 * TFR_EUSAGE: the expression or the list is wrong, one of `cycle` and `block` is 0 and the other is
 * not, `sample` is no probability, a weight is none, or what is not to go together does. */
enum tfr_status tfr_select_open(struct tfr_select **s, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct tfr_error *err);
/* The next record: TFR_OK with a view until the next call, or TFR_END.  Other statuses as of
 * tfr_reader_next(), the place filled in. */
enum tfr_status tfr_select_next(
	struct tfr_select *s, struct tfr_record *rec, struct tfr_error *err);
/* The file the last record came from, as errors name it; lives as long as its set. */
const char *tfr_select_path(const struct tfr_select *s);
/* Says in `err` that it is about the last record. */
void tfr_select_locate(
	const struct tfr_select *s, const struct tfr_record *rec, struct tfr_error *err);
/* For a caller that cannot use the last record: says in `err` where it is.  With `skip_damaged` it
 * is then a fault that is passed over, and the answer is TFR_OK; else it is `status`. */
enum tfr_status tfr_select_reject(struct tfr_select *s, const struct tfr_record *rec,
	enum tfr_status status, struct tfr_error *err);
/* After the last record: warns of names in the expression that no record had, and of numbers in the
 * list that are past the end. */
void tfr_select_finish(struct tfr_select *s);
void tfr_select_close(struct tfr_select *s); /* accepts NULL */

/* Records read so far, and faults passed over. */
uint64_t tfr_select_read(const struct tfr_select *s);
uint64_t tfr_select_bad(const struct tfr_select *s);

#ifdef __cplusplus
}
#endif

#endif
