/* record/parallel_read.h - one file on all processors: its runs are read one after the other, whoever's
 * turn it is, looked at by many threads at once, and what was found is delivered in order.
 *
 * A run belongs to the worker that looks at it, so that memory is a block a worker and one for the
 * reader; a record larger than a block takes the memory of one record a worker. */
#ifndef TFR_RECORD_SPREAD_H
#define TFR_RECORD_SPREAD_H

#include "record/record_run.h"

struct tfr_spread {
	struct tfr_reader *reader;
	unsigned threads;
	size_t slot_size; /* bytes of what is found in a run; zeroed once, then reused */

	/* Before a run is read: the slot as nothing was found yet; NULL: nothing to do. */
	void (*start)(void *ctx, void *slot);
	/* The reader failed, which belongs to what lies before the next run.  In the order of the
	 * file, and nobody else uses the reader.  *more is false: reading goes on where it is set.
	 */
	enum tfr_status (*fault)(void *ctx, void *slot, const struct tfr_error *failure, bool *more,
		struct tfr_error *err);
	/* Many at once, each worker one at a time. */
	enum tfr_status (*work)(
		void *ctx, unsigned worker, void *slot, struct tfr_run *run, struct tfr_error *err);
	/* In the order of the file. */
	enum tfr_status (*deliver)(void *ctx, void *slot, struct tfr_error *err);
	void (*clear_slot)(void *slot); /* NULL: a slot holds nothing */
};

/* A status of a function other than TFR_OK ends it, after what lies before was delivered. */
enum tfr_status tfr_spread_run(const struct tfr_spread *s, void *ctx, struct tfr_error *err);

/* Whether a file is worth more than one thread: starting them takes longer than reading a little.
 */
bool tfr_spread_serves(const char *path);

#endif
