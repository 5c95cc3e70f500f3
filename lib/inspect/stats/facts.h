/* inspect/stats/facts.h - what is known of one feature of one kind, of some of the records.
 *
 * Facts of parts merge to the facts of the whole, whatever the parts and their order.  What takes
 * room in proportion to the values (distributions) is there only where it is asked for. */
#ifndef TFR_INSPECT_STATS_FACTS_H
#define TFR_INSPECT_STATS_FACTS_H

#include <tfr-private/example.h>
#include <tfr-private/media.h>
#include <tfr-private/survey.h>

#include "inspect/stats/distinct.h"
#include "inspect/stats/frequent.h"
#include "inspect/stats/int64_sum.h"

/* Least and most; empty where `min` is above `max`. */
struct tfr_range {
	uint64_t min, max;
};

/* Which record: those of the first file come first. */
struct tfr_occurrence {
	uint64_t file, record, offset;
};

enum { TFR_FORMATS = TFR_IMAGE_JP2 + 1 };

struct tfr_facts {
	uint64_t records; /* that have it */
	uint64_t empty;	  /* of these: without a value */
	uint64_t values, bytes;
	struct tfr_occurrence first;
	struct tfr_range length; /* values in a record; of a feature list in a step */
	/* Of a feature list, whose `empty` is records in which it has no step: */
	uint64_t all_steps;
	struct tfr_range steps;		 /* in a record */
	struct tfr_range size;		 /* bytes in a value of kind bytes */
	uint64_t contents[TFR_CONTENTS]; /* values of kind bytes by what they are */
	uint64_t formats[TFR_FORMATS];	 /* images by format */
	uint64_t damaged;		 /* images that could not be measured, among these */
	struct tfr_range width, height, channels;
	/* Where distributions are asked for: */
	struct tfr_series lengths;
	struct tfr_series step_counts;
	struct tfr_series numbers; /* int64s, or sizes of bytes */
	struct tfr_series widths, heights;
	struct tfr_floats floats;
};

/* Where distributions are asked for: what all workers add to at once. */
struct tfr_values {
	struct tfr_distinct distinct;
	struct tfr_tops *tops;
	uint64_t too_long; /* atomic: values too long to be among the most frequent */
};

/* Zero is not empty: ranges are. */
void tfr_facts_init(struct tfr_facts *f);
void tfr_facts_clear(struct tfr_facts *f);
size_t tfr_facts_bytes(const struct tfr_facts *f);

/* A feature as a record has it, or a step of a feature list. */
struct tfr_seen {
	const struct tfr_feature *feature;
	struct tfr_occurrence place;
	uint64_t salt; /* as good as random, of the record and its place in its file */
	bool step;     /* tfr_facts_add_list() is told of the record, behind all steps */
};

/* `values` and `tally` are both NULL, or neither.  False: out of memory. */
bool tfr_facts_add(struct tfr_facts *f, const struct tfr_seen *seen, struct tfr_values *values,
	struct tfr_tally *tally);
/* A record has a feature list of so many steps. */
bool tfr_facts_add_list(struct tfr_facts *f, const struct tfr_occurrence *place, uint64_t steps,
	bool distributions);
/* After the last record, before anything below. */
bool tfr_facts_settle(struct tfr_facts *f);
bool tfr_facts_merge(struct tfr_facts *into, const struct tfr_facts *from);
void tfr_facts_pack(const struct tfr_facts *f, struct tfr_pack *p);
void tfr_facts_unpack(struct tfr_facts *f, struct tfr_unpack *u);
/* What a feature list has beyond that. */
void tfr_facts_pack_steps(const struct tfr_facts *f, struct tfr_pack *p);
void tfr_facts_unpack_steps(struct tfr_facts *f, struct tfr_unpack *u);

void tfr_range_add(struct tfr_range *r, uint64_t value);
void tfr_range_merge(struct tfr_range *into, const struct tfr_range *from);

/* A bijection that leaves no bit where it was (Stafford's variant 13 of MurmurHash3's finalizer).
 */
static inline uint64_t tfr_mix(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return v ^ v >> 31;
}

#endif
