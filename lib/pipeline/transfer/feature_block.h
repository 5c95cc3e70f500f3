/* pipeline/transfer/feature_block.h - features of a batch of records in one block of memory.
 *
 * A feature becomes tensors, side by side in the order that features were given in, each at a
 * multiple of 64 bytes, so that one transfer takes all of them.  Of `rows` records:
 *
 *     dense    NAME            rows x count
 *     padded   NAME            rows x the longest row
 *     ragged   NAME            values; NAME/row_splits: rows + 1 of int64 (or int32), CSR
 *     bytes    NAME            uint8, all texts one after the other; NAME/offsets: int64, one more
 *                              than there are values, counted row by row
 *
 * Ragged bytes have NAME/row_splits as well.
 *
 * float is float32.  How large a block will be is known once the records are parsed and before a
 * byte is written: memory can be had in between. */
#ifndef TFR_PIPELINE_FEATURE_BLOCK_H
#define TFR_PIPELINE_FEATURE_BLOCK_H

#include <tfr/batch.h>
#include <tfr/tensor.h>

/* Which features, and what their tensors are called.  Immutable, for all threads. */
struct tfr_feature_block {
	struct tfr_batch_feature *list; /* with bytes copied; names are of this struct */
	size_t count;
	/* The names of the tensors: count * 3, in order; NULL if there is none. */
	char **names;
	unsigned tensors;
};

/* TFR_EUSAGE as tfr_batch_parser_new().  `list` may go; what its `fill` points to may not. */
enum tfr_status tfr_feature_block_init(struct tfr_feature_block *f,
	const struct tfr_batch_feature *list, size_t count, struct tfr_error *err);
void tfr_feature_block_clear(struct tfr_feature_block *f);

/* A parser of these features, for one thread: give it records by tfr_batch_parse(), or one by one
 * by tfr_batch_add() and then tfr_batch_finish(). */
enum tfr_status tfr_feature_block_parser(
	const struct tfr_feature_block *f, struct tfr_batch_parser **p, struct tfr_error *err);

/* Bytes of the block of the batch that the parser has finished: a multiple of 64. */
uint64_t tfr_feature_block_bytes(
	const struct tfr_feature_block *f, const struct tfr_batch_parser *p);

/* Writes the block to `memory`, all of tfr_feature_block_bytes(), and describes it in f->tensors
 * tensors; `offset` is that of `memory` in the memory of the batch, a multiple of 64. */
void tfr_feature_block_write(const struct tfr_feature_block *f, const struct tfr_batch_parser *p,
	void *memory, uint64_t offset, struct tfr_tensor *tensors);

/* An estimate of the bytes of a block of `batch` records, from a parsed sample of them, for a
 * plan: padding and ragged rows as in the sample, and a quarter more. */
uint64_t tfr_feature_block_guess(
	const struct tfr_feature_block *f, const struct tfr_batch_parser *sample, uint64_t batch);

/* Removes "record 0 of the batch" from a message about a record that was parsed alone: the
 * message ends with the record's place in its file. */
void tfr_feature_error_alone(char *message);

#endif
