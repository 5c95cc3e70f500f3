/* rewrite/classes.h - the values that a feature has, each once, numbered as they come. */
#ifndef TFR_REWRITE_CLASSES_H
#define TFR_REWRITE_CLASSES_H

#include <tfr/example.h>

/* More are not classes but keys.  Their texts together are bounded as well. */
enum { TFR_CLASSES_MAX = 1000000, TFR_CLASS_TEXTS_MAX = 64 << 20 };

struct tfr_class {
	enum tfr_kind kind; /* int64 or bytes */
	int64_t label;
	struct tfr_bytes text;
	uint64_t hash; /* of all this */
	uint32_t id;   /* counted from 0 */
};

struct tfr_classes; /* any number of threads may use it at once */

struct tfr_classes *tfr_classes_new(void); /* NULL: out of memory */
void tfr_classes_free(struct tfr_classes *t);

/* Value 0 of feature `name`: `class` is a view into the record, without an id.  TFR_EDATA: it has
 * none, or is of floats. */
enum tfr_status tfr_class_of(const struct tfr_example *ex, const char *name,
	struct tfr_class *class, struct tfr_error *err);
bool tfr_class_equal(const struct tfr_class *a, const struct tfr_class *b);

/* The table's own copy, which stays where it is as long as the table does; NULL: not in it. */
const struct tfr_class *tfr_classes_find(struct tfr_classes *t, const struct tfr_class *class);
/* The same, put in where it is new.  TFR_EUSAGE: too many, or too large. */
enum tfr_status tfr_classes_intern(struct tfr_classes *t, const struct tfr_class *class,
	const struct tfr_class **own, struct tfr_error *err);

/* When nothing is put in any more. */
size_t tfr_classes_count(const struct tfr_classes *t);
const struct tfr_class *tfr_classes_at(const struct tfr_classes *t, uint32_t id);
/* For sorting: numbers first, by size, then texts, bytewise. */
int tfr_class_compare(const struct tfr_class *a, const struct tfr_class *b);

#endif
