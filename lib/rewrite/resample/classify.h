/* rewrite/resample/classify.h - the class of a record, and the names of the classes.
 *
 * struct tfr_classing defines how a data set is divided: by the value of a feature or by
 * expressions.  It is created once and shared.  Each worker has its own
 * struct tfr_classifier, because threads cannot share expressions.  Classes from
 * expressions are identified by their number; `names` has their names in that order. */
#ifndef TFR_REWRITE_RESAMPLE_CLASSIFY_H
#define TFR_REWRITE_RESAMPLE_CLASSIFY_H

#include <tfr-private/rewrite.h>

#include "rewrite/resample/class_table.h"

/* The bounds of all tables of classes here, including the names in a target. */
extern const struct tfr_classes_bounds tfr_resample_bounds;

struct tfr_classing {
	const char *by;
	const struct tfr_resample_rule *rules;
	size_t n_rules;
	struct tfr_classes names; /* of rules; empty: a class is named by its value */
};

/* TFR_EUSAGE: rules with a missing or duplicate name. */
enum tfr_status tfr_classing_open(
	struct tfr_classing *c, const struct tfr_resample_opts *o, struct tfr_error *err);
void tfr_classing_clear(struct tfr_classing *c);

/* The class with that name, or TFR_CLASS_NONE.  If classes are numbers, the name is a decimal in
 * canonical form. */
uint32_t tfr_classing_find(const struct tfr_classing *c, const struct tfr_classes *classes,
	const struct tfr_bytes *name);
/* Appends the name of a class, escaped, without the NUL.  False: out of memory. */
bool tfr_classing_name(
	const struct tfr_classing *c, const struct tfr_counted_class *class, struct tfr_buf *b);
/* The same as a short text, for errors; longer names are cut. */
#define TFR_CLASS_TEXT 64
char *tfr_class_text(const struct tfr_classing *c, const struct tfr_counted_class *class,
	char text[TFR_CLASS_TEXT]);

struct tfr_classifier {
	const struct tfr_classing *classing;
	struct tfr_where **wheres; /* one per rule */
};

enum tfr_status tfr_classifier_open(
	struct tfr_classifier *k, const struct tfr_classing *classing, struct tfr_error *err);
void tfr_classifier_close(struct tfr_classifier *k);
/* The class of a record; its text is a view into the record.  TFR_EDATA: the record has no
 * class, because the feature is missing, has no value, or has a kind without classes. */
enum tfr_status tfr_classifier_look(struct tfr_classifier *k, const struct tfr_example *ex,
	struct tfr_counted_class *class, struct tfr_error *err);

/* --- the spelling of a class name in a target and in a report --- */

/* Reads a decimal number in canonical form: no blank, no plus sign, no leading zero. */
bool tfr_class_number(const void *text, size_t size, int64_t *number);

/* Removes escapes in place: those of tfr_escape_exactly(), and \\, \", \', \n, \r, \t and \xNN,
 * which users write.  False: an unknown escape, at *size. */
bool tfr_class_unescape(char *text, size_t *size);

#endif
