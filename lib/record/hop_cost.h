/* record/hop_cost.h - decides whether to read the next header alone, or everything up to it.
 *
 * In the page cache, a header costs a short system call.  On a disk it costs a round trip, which
 * can take longer than reading the record.  So hops are timed in batches.  If they are not cheap,
 * reading is timed as well, and the cheaper of the two is used until the next batch.  Only the time
 * depends on this, never the count.
 *
 * Hops that wait for a disk hardly delay each other, while streams share its bandwidth.  So the two
 * are compared for all threads together: hopping with all `threads`, reading with `streams`. */
#ifndef TFR_RECORD_HOP_COST_H
#define TFR_RECORD_HOP_COST_H

#include <stdbool.h>
#include <stdint.h>

/* What the threads that count one file share. */
struct tfr_hop_costs {
	uint64_t (*clock)(void); /* nanoseconds */
	unsigned threads;	 /* that count, at least `streams` */
	unsigned streams;	 /* threads that would read the file; at least 1 */
	unsigned readers;	 /* threads that read on now */
	uint64_t read_ps;	 /* picoseconds per byte of one of `streams`; 0: not measured */
};

/* What each thread has.  Zero-initialised except for `shared`. */
struct tfr_hop_timer {
	struct tfr_hop_costs *shared;
	uint64_t since, from; /* when and at which offset the batch or the reading began */
	uint64_t until;	      /* everything before this offset is read; 0: only headers */
	uint64_t stretch;     /* bytes to read on for */
	unsigned hops, batches, costly;
	bool timing; /* a batch has begun */
};

/* Whether to read on, that is everything from the header at `header` on.  `read`: where the bytes
 * end that were read so far.  `record`: the mean size of the last records. */
bool tfr_hop_reads_on(struct tfr_hop_timer *t, uint64_t header, uint64_t read, uint64_t record);
/* This thread leaves its place in the file. */
void tfr_hop_stop(struct tfr_hop_timer *t);

#endif
