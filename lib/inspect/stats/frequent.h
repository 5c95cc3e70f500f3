/* inspect/stats/frequent.h - the most frequent values of a feature.
 *
 * As long as no more than 1024 different values came, each is counted.  Beyond that a count-min
 * sketch (Cormode and Muthukrishnan 2005) of 5 rows of 4096 counters says how often a value came:
 * never too few, and too many by more than 1/2048 of all values in 3 of 100 cases (1/2 to the
 * power of 5).  Which values are asked for is drawn: each occurrence has a priority, a hash of the
 * value, of the record's checksum and of its place in the file, and the 1024 occurrences with the
 * lowest are kept.  A value that makes up 1 % of all is missed once in 30,000 times.
 *
 * All of this is a function of what came, not of its order, nor of how it was divided: counts are
 * sums, the sketch is linear, the lowest of parts hold the lowest of the whole. */
#ifndef TFR_INSPECT_STATS_FREQUENT_H
#define TFR_INSPECT_STATS_FREQUENT_H

#include <pthread.h>

#include "inspect/stats/varint_pack.h"

enum { TFR_TOPS_EXACT = 1024, TFR_TOPS_DRAWN = 1024, TFR_TOPS_TEXT = 256 };

/* A value, known by its hash: that of a number is a bijection.  `text`, of at most TFR_TOPS_TEXT
 * bytes, NULL for a number. */
struct tfr_value {
	uint64_t hash;
	uint64_t number; /* an int64, or the bits of a float */
	const uint8_t *text;
	uint32_t size;
};

struct tfr_tops;

struct tfr_tops *tfr_tops_new(void); /* NULL: out of memory */
void tfr_tops_free(struct tfr_tops *t);
/* After the last value, before anything below. */
void tfr_tops_settle(struct tfr_tops *t);
bool tfr_tops_merge(struct tfr_tops *into, const struct tfr_tops *from);
void tfr_tops_pack(const struct tfr_tops *t, struct tfr_pack *p);
void tfr_tops_unpack(struct tfr_tops *t, struct tfr_unpack *u);
/* Different values; UINT64_MAX: more than are counted. */
uint64_t tfr_tops_distinct(const struct tfr_tops *t);

/* How often the value of this hash came: exact as long as all are counted; else never too few. */
uint64_t tfr_tops_count(const struct tfr_tops *t, uint64_t hash);

/* One of the most frequent. */
struct tfr_top {
	struct tfr_value value;
	uint64_t count;
};
/* The up to `n` most frequent values, first the most frequent, equal ones in the order of number or
 * text, of those that were seen `least` times or more.  Views.  Returns how many; SIZE_MAX: out of
 * memory. */
size_t tfr_tops_list(
	const struct tfr_tops *t, bool floats, uint64_t least, struct tfr_top *top, size_t n);

/* --- a worker's own, small --- */

struct tfr_tally;

struct tfr_tally *tfr_tally_new(struct tfr_tops *tops);
/* Brings home what it holds. */
bool tfr_tally_flush(struct tfr_tally *t);
void tfr_tally_free(struct tfr_tally *t); /* without that */
/* `draw`: as good as random, and the same whenever this occurrence is seen. */
bool tfr_tally_add(struct tfr_tally *t, const struct tfr_value *v, uint64_t draw);

#endif
