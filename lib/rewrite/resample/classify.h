/* rewrite/resample/classify.h - which class a record is of, and what the classes are called.
 *
 * struct tfr_classing says how a data set is divided: by the value of a feature, by the range that
 * value lies in, or by expressions.  It is made once and shared; each worker has a struct
 * tfr_classifier of its own, since expressions are not shared between threads.  Ranges and
 * expressions are classes known by their number, with names that `names` has in that order. */
#ifndef TFR_REWRITE_RESAMPLE_CLASSIFY_H
#define TFR_REWRITE_RESAMPLE_CLASSIFY_H

#include <tfr-private/rewrite.h>

#include "rewrite/resample/class_table.h"

/* What tables hold here: all that classes are counted in, and what a target names. */
extern const struct tfr_classes_bounds tfr_resample_bounds;

struct tfr_classing {
	const char *by;
	double *edges; /* ascending */
	size_t n_edges;
	const struct tfr_resample_rule *rules;
	size_t n_rules;
	struct tfr_classes names; /* of ranges and rules; empty: a class's value is its name */
};

/* TFR_EUSAGE: edges that are not ascending numbers, rules without a name or of one that is taken.
 */
enum tfr_status tfr_classing_open(
	struct tfr_classing *c, const struct tfr_resample_opts *o, struct tfr_error *err);
void tfr_classing_clear(struct tfr_classing *c);

/* The class of that name, or TFR_CLASS_NONE.  Where classes are numbers the name is one in decimal,
 * as we write it. */
uint32_t tfr_classing_find(const struct tfr_classing *c, const struct tfr_classes *classes,
	const struct tfr_bytes *name);
/* Appends the name of a class, escaped, without the NUL.  False: out of memory. */
bool tfr_classing_name(
	const struct tfr_classing *c, const struct tfr_counted_class *class, struct tfr_buf *b);
/* The same into a small text, for errors; cut where it is longer. */
#define TFR_CLASS_TEXT 64
char *tfr_class_text(const struct tfr_classing *c, const struct tfr_counted_class *class,
	char text[TFR_CLASS_TEXT]);

struct tfr_classifier {
	const struct tfr_classing *classing;
	struct tfr_where **wheres; /* one a rule */
};

enum tfr_status tfr_classifier_open(
	struct tfr_classifier *k, const struct tfr_classing *classing, struct tfr_error *err);
void tfr_classifier_close(struct tfr_classifier *k);
/* The class of a record; its text is a view into the record.  TFR_EDATA: it has none: the feature
 * is not there, has no value, or is of a kind that makes no classes. */
enum tfr_status tfr_classifier_look(struct tfr_classifier *k, const struct tfr_example *ex,
	struct tfr_counted_class *class, struct tfr_error *err);

#endif
