/* inspect/stats/facts.h - the facts about one feature of one kind, in some of the records.
 *
 * Facts merge to the facts of all records, however these are divided and in any order.
 * Data in proportion to the number of values (distributions) is kept only on request. */
#ifndef TFR_INSPECT_STATS_FACTS_H
#define TFR_INSPECT_STATS_FACTS_H

#include <tfr-private/example.h>
#include <tfr-private/media.h>
#include <tfr-private/survey.h>

#include "inspect/stats/distinct.h"
#include "inspect/stats/frequent.h"
#include "inspect/stats/series.h"

/* Minimum and maximum; empty if `min` is above `max`. */
struct tfr_range {
	uint64_t min, max;
};

/* Identifies a record; those of the first file sort first. */
struct tfr_occurrence {
	uint64_t file, record, offset;
};

enum { TFR_FORMATS = TFR_IMAGE_JP2 + 1 };

enum {
	TFR_FACTS_COUNTS = 6 + TFR_CONTENTS + TFR_FORMATS,
	TFR_FACTS_RANGES = 6,
	TFR_FACTS_SERIES = 5
};

/* Members of one type are an array, too, for what is done to all of them.  Those that only a
 * feature list has are last: the state of a feature ends before them. */
struct tfr_facts {
	union {
		struct {
			uint64_t records; /* that have it */
			uint64_t empty;	  /* of these: those without a value */
			uint64_t values, bytes;
			uint64_t contents[TFR_CONTENTS]; /* values of kind bytes, by content */
			uint64_t formats[TFR_FORMATS];	 /* images by format */
			uint64_t damaged; /* number of the images that could not be measured */
			/* For a feature list, where `empty` counts records in which it has no step:
			 */
			uint64_t all_steps;
		};
		uint64_t counts[TFR_FACTS_COUNTS];
	};
	struct tfr_occurrence first;
	union {
		struct {
			struct tfr_range length; /* values per record; for a list, per step */
			struct tfr_range size;	 /* size of a value of kind bytes */
			struct tfr_range width, height, channels;
			struct tfr_range steps; /* of a feature list, per record */
		};
		struct tfr_range ranges[TFR_FACTS_RANGES];
	};
	/* If distributions are requested: */
	union {
		struct {
			struct tfr_series lengths;
			struct tfr_series numbers; /* int64s, or the sizes of bytes values */
			struct tfr_series widths, heights;
			struct tfr_series step_counts; /* of a feature list, per record */
		};
		struct tfr_series series[TFR_FACTS_SERIES];
	};
	struct tfr_floats floats;
};

/* For distributions: the facts that all workers add to concurrently. */
struct tfr_values {
	struct tfr_distinct distinct;
	struct tfr_tops *tops;
	uint64_t too_long; /* atomic: values too long to be among the most frequent */
};

/* Zero-initialised is not empty, since ranges are not. */
void tfr_facts_init(struct tfr_facts *f);
void tfr_facts_clear(struct tfr_facts *f);
size_t tfr_facts_bytes(const struct tfr_facts *f);

/* A feature of a record, or a step of a feature list. */
struct tfr_seen {
	const struct tfr_feature *feature;
	struct tfr_occurrence place;
	uint64_t salt; /* pseudo-random, from the record and its position in its file */
	bool step;     /* tfr_facts_add_list() gets the record after its steps */
};

/* `values` and `tally` are both NULL, or both not.  False: out of memory. */
bool tfr_facts_add(struct tfr_facts *f, const struct tfr_seen *seen, struct tfr_values *values,
	struct tfr_tally *tally);
/* Adds a record with a feature list of so many steps. */
bool tfr_facts_add_list(struct tfr_facts *f, const struct tfr_occurrence *place, uint64_t steps,
	bool distributions);
bool tfr_facts_merge(struct tfr_facts *into, const struct tfr_facts *from);
/* `list`: of a feature list, which has additional facts. */
void tfr_facts_state(struct tfr_facts *f, bool list, struct tfr_state *s);

void tfr_range_add(struct tfr_range *r, uint64_t value);
void tfr_range_merge(struct tfr_range *into, const struct tfr_range *from);

/* --- the content of a bytes value (value_content.c) --- */

/* Returns any content except TFR_VALUE_IMAGE. */
enum tfr_value_content tfr_value_content_of(const uint8_t *p, size_t size);

/* Its two tests, and their plain twins.  UTF-8 without control characters other than white
 * space: */
bool tfr_is_text(const uint8_t *p, size_t size);
bool tfr_is_text_plain(const uint8_t *p, size_t size);
/* Whether the bytes are complete protobuf fields up to the end.  Groups, which are obsolete, do not
 * count: random bytes that begin like a group are costly to scan. */
bool tfr_is_message(const uint8_t *p, size_t size);
bool tfr_is_message_plain(const uint8_t *p, size_t size);

/* A bijection that changes every bit (Stafford's variant 13 of MurmurHash3's finalizer). */
static inline uint64_t tfr_mix(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return v ^ v >> 31;
}

#endif
