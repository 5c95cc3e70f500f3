/* rewrite/class_table.h - the distinct values that define classes, with the number of records of
 * each.
 *
 * A class is identified by a number or by bytes.  The table numbers its classes from 0, in the
 * order of insertion.  After tfr_classes_sort() the order is numbers before bytes, numbers by
 * value, bytes bytewise.
 *
 * Only one thread at a time may change a table.  Any number of threads may read it while it does
 * not change.  To count with several threads, give each thread its own small table, which
 * tfr_classes_flush() merges under a lock when it is full. */
#ifndef TFR_REWRITE_CLASS_TABLE_H
#define TFR_REWRITE_CLASS_TABLE_H

#include <pthread.h>

#include <tfr-private/example.h>

#include "base/buf.h"
#include "base/hash_index.h"

/* A feature with more values is a key, not a class. */
enum { TFR_CLASSES_MAX = 1000000 };
#define TFR_CLASS_NONE UINT32_MAX

/* The size of a small table, which fits in a processor's cache. */
enum { TFR_CLASSES_SMALL = 4096, TFR_CLASSES_SMALL_TEXT = 1 << 20 };

struct tfr_counted_class {
	enum tfr_kind kind; /* INT64: `number`; BYTES: `text` */
	int64_t number;
	struct tfr_bytes text;
};

/* As small as possible, because there may be a million. */
struct tfr_classes_item {
	uint64_t records : 63;
	uint64_t is_text : 1;
	union {
		int64_t number;
		struct {
			uint32_t at, size; /* in the table's `text` */
		};
	};
};

/* The limit on the total length of all names, and the hint if it or the number of classes is
 * exceeded. */
struct tfr_classes_bounds {
	uint32_t text_bytes; /* a multiple of 1 MiB */
	const char *hint;    /* or NULL */
};

/* Zero is an empty table, without a limit on names. */
struct tfr_classes {
	const struct tfr_classes_bounds *bounds; /* NULL: only TFR_CLASSES_MAX */
	struct tfr_classes_item *items;
	size_t n, cap;
	struct tfr_hash_index index;
	struct tfr_buf text;
};

/* The class given by value 0 of a feature, as a view into it; the feature must have a value.
 * False: floats have no classes. */
bool tfr_class_of(const struct tfr_feature *f, struct tfr_counted_class *class);
/* Whether `a` comes before (< 0) or after (> 0) `b`. */
int tfr_class_compare(const struct tfr_counted_class *a, const struct tfr_counted_class *b);

void tfr_classes_clear(struct tfr_classes *c);
/* Removes the classes and keeps the memory. */
void tfr_classes_reset(struct tfr_classes *c);

/* Adds `records` to a class, which is created if it is new.  *index receives its number unless
 * index is NULL.  TFR_EUSAGE: more classes, or longer names, than the bounds allow.  TFR_ENOMEM. */
enum tfr_status tfr_classes_add(struct tfr_classes *c, const struct tfr_counted_class *class,
	uint64_t records, uint32_t *index, struct tfr_error *err);
/* Adds all of `from`. */
enum tfr_status tfr_classes_merge(
	struct tfr_classes *into, const struct tfr_classes *from, struct tfr_error *err);
/* Whether a small table must be flushed before `class` is added. */
bool tfr_classes_full(const struct tfr_classes *c, const struct tfr_counted_class *class);
/* Adds all of `small` to a table that other threads add to, and resets it. */
enum tfr_status tfr_classes_flush(struct tfr_classes *into, pthread_mutex_t *lock,
	struct tfr_classes *small, struct tfr_error *err);
/* The class's number, or TFR_CLASS_NONE. */
uint32_t tfr_classes_find(const struct tfr_classes *c, const struct tfr_counted_class *class);
/* A view into the table. */
struct tfr_counted_class tfr_classes_at(const struct tfr_classes *c, size_t i);
/* Renumbers the classes in order. */
void tfr_classes_sort(struct tfr_classes *c);
/* Fills the numbers of all classes, in the order of the classes. */
void tfr_classes_order(const struct tfr_classes *c, uint32_t *order);

#endif
