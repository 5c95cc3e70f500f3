/* rewrite/resample/class_table.h - the values that make classes, each once, with how many records
 * it has.
 *
 * A class is known by a number or by bytes.  The table numbers its classes from 0: in the order
 * they came, and after tfr_classes_sort() numbers before bytes, numbers by value, bytes bytewise.
 * One thread at a time changes a table; any number may look into it while nobody does.  Who counts
 * on many threads gives each a small table of its own, and brings these together under a lock. */
#ifndef TFR_REWRITE_RESAMPLE_CLASS_TABLE_H
#define TFR_REWRITE_RESAMPLE_CLASS_TABLE_H

#include <tfr-private/example.h>

#include "base/buf.h"
#include "base/hash_index.h"

/* More are not classes but keys. */
enum { TFR_CLASSES_MAX = 1000000 };
#define TFR_CLASS_NONE UINT32_MAX

/* A small table holds this much, for it to stay in a processor's cache. */
enum { TFR_CLASSES_SMALL = 4096, TFR_CLASSES_SMALL_TEXT = 1 << 20 };

struct tfr_counted_class {
	enum tfr_kind kind; /* INT64: `number`; BYTES: `text` */
	int64_t number;
	struct tfr_bytes text;
};

/* As small as can be, there may be a million. */
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

/* How long all names together may be, and what to do about it or about too many classes. */
struct tfr_classes_bounds {
	uint32_t text_bytes; /* whole MiB */
	const char *hint;    /* or NULL */
};

/* Zero is an empty table, of any length of names. */
struct tfr_classes {
	const struct tfr_classes_bounds *bounds; /* NULL: none but TFR_CLASSES_MAX */
	struct tfr_classes_item *items;
	size_t n, cap;
	struct tfr_hash_index index;
	struct tfr_buf text;
};

/* The class that value 0 of a feature is, a view into it; the feature has a value.  False: floats
 * make no classes. */
bool tfr_class_of(const struct tfr_feature *f, struct tfr_counted_class *class);
/* Whether `a` comes before (< 0) or behind (> 0) `b`. */
int tfr_class_compare(const struct tfr_counted_class *a, const struct tfr_counted_class *b);

void tfr_classes_clear(struct tfr_classes *c);
/* Forgets the classes, keeps the memory. */
void tfr_classes_reset(struct tfr_classes *c);

/* Adds `records` to a class, which is made where it is new; *index, where that is not NULL, is its
 * number.  TFR_EUSAGE: more classes, or longer names, than the bounds allow.  TFR_ENOMEM. */
enum tfr_status tfr_classes_add(struct tfr_classes *c, const struct tfr_counted_class *class,
	uint64_t records, uint32_t *index, struct tfr_error *err);
/* Adds all of `from`. */
enum tfr_status tfr_classes_merge(
	struct tfr_classes *into, const struct tfr_classes *from, struct tfr_error *err);
/* Whether a small table should be brought home and reset before `class` is added. */
bool tfr_classes_full(const struct tfr_classes *c, const struct tfr_counted_class *class);
/* The class's number, or TFR_CLASS_NONE. */
uint32_t tfr_classes_find(const struct tfr_classes *c, const struct tfr_counted_class *class);
/* A view into the table. */
struct tfr_counted_class tfr_classes_at(const struct tfr_classes *c, size_t i);
/* Numbers the classes anew, in order. */
void tfr_classes_sort(struct tfr_classes *c);

#endif
