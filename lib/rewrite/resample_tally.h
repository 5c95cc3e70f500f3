/* rewrite/resample_tally.h - the classes of a data set and how many records each has.
 *
 * A class is known by a number or by bytes.  The table numbers its classes from 0: in the order
 * they came, and after tfr_tally_sort() numbers before bytes, numbers by value, bytes bytewise.
 * One thread at a time changes a table; any number may find in it while nobody does.  What a name
 * is written like, in a target and in a report, is settled here too. */
#ifndef TFR_REWRITE_RESAMPLE_TALLY_H
#define TFR_REWRITE_RESAMPLE_TALLY_H

#include <tfr/example.h>

#include "base/buf.h"

/* More than these is taken for a mistake: a class is meant to hold many records. */
enum { TFR_TALLY_MAX = 1000000, TFR_TALLY_BYTES_MAX = 32 << 20 };
#define TFR_CLASS_NONE UINT32_MAX

struct tfr_class_key {
	enum tfr_kind kind; /* INT64: `number`; BYTES: `text` */
	int64_t number;
	struct tfr_bytes text;
};

struct tfr_tally_item {
	uint64_t records;
	union {
		int64_t number;
		struct {
			uint32_t at, size; /* in the table's `text` */
		};
	};
	bool is_text;
};

/* Zero is an empty table. */
struct tfr_tally {
	struct tfr_tally_item *items;
	size_t n, cap;
	uint32_t *slots; /* a class number + 1; 0: empty */
	size_t n_slots;	 /* a power of two */
	struct tfr_buf text;
};

void tfr_tally_clear(struct tfr_tally *c);
/* Forgets the classes, keeps the memory. */
void tfr_tally_reset(struct tfr_tally *c);

/* Adds `records` to a class, which is made where it is new; *index, where that is not NULL, is its
 * number.  TFR_EUSAGE: more classes, or longer names, than the bounds above.  TFR_ENOMEM. */
enum tfr_status tfr_tally_add(struct tfr_tally *c, const struct tfr_class_key *key,
	uint64_t records, uint32_t *index, struct tfr_error *err);
/* Adds all of `from`. */
enum tfr_status tfr_tally_merge(
	struct tfr_tally *into, const struct tfr_tally *from, struct tfr_error *err);
/* The class's number, or TFR_CLASS_NONE. */
uint32_t tfr_tally_find(const struct tfr_tally *c, const struct tfr_class_key *key);
/* A view into the table. */
struct tfr_class_key tfr_tally_key(const struct tfr_tally *c, size_t i);
/* Whether key `a` comes before (< 0) or behind (> 0) `b`. */
int tfr_class_key_compare(const struct tfr_class_key *a, const struct tfr_class_key *b);
/* Numbers the classes anew, in order. */
void tfr_tally_sort(struct tfr_tally *c);

/* Reads a decimal number as we write it: no blank, no plus, no zero before it. */
bool tfr_class_number(const void *text, size_t size, int64_t *number);

/* Appends bytes as a target takes and a report shows them: UTF-8 as it is, but control characters
 * and what is no UTF-8 as \xNN and a backslash doubled.  False: out of memory. */
bool tfr_class_escape(struct tfr_buf *b, const void *text, size_t size);
/* Takes the escapes out, in place: \\, \", \', \n, \r, \t and \xNN.  False: another one, at *size.
 */
bool tfr_class_unescape(char *text, size_t *size);

#endif
