/* rewrite/resample/target.h - a target distribution, as a user writes it.
 *
 *   uniform          the same weight for every class
 *   proportional^E   the share of the class to the power of E; proportional: E is 1
 *   0=0.5,1=0.5      the classes and their weights; a name with , or = in it is in quotes
 *   FILE             lines CLASS TAB WEIGHT
 *
 * The name of an existing file is always read as a file.  Names have the escapes of
 * tfr_class_unescape(). */
#ifndef TFR_REWRITE_RESAMPLE_TARGET_H
#define TFR_REWRITE_RESAMPLE_TARGET_H

#include "rewrite/resample/classify.h"

enum tfr_target_form { TFR_TARGET_UNIFORM, TFR_TARGET_PROPORTIONAL, TFR_TARGET_LIST };

/* Zero is `uniform`. */
struct tfr_target {
	enum tfr_target_form form;
	double exponent;	  /* of PROPORTIONAL */
	struct tfr_classes names; /* of LIST, each a text, in the order given */
	double *weights;	  /* of LIST, one per name: finite, 0 or more, not all 0 */
	size_t cap;
};

/* TFR_EUSAGE, TFR_ESYS, TFR_ENOMEM. */
enum tfr_status tfr_target_open(struct tfr_target *t, const char *spec, struct tfr_error *err);
void tfr_target_clear(struct tfr_target *t);

/* The parts of tfr_target_open() that do not read a file. */
enum tfr_status tfr_target_parse(struct tfr_target *t, const char *spec, struct tfr_error *err);
/* `lines` is modified. */
enum tfr_status tfr_target_parse_lines(
	struct tfr_target *t, char *lines, size_t size, const char *path, struct tfr_error *err);

/* The weights of `classes`, scaled so that the largest is in [1, 2); no weights if there are no
 * classes.  TFR_EDATA: a list names a class that does not occur.  Two names for the same class are
 * impossible. */
enum tfr_status tfr_target_weights(const struct tfr_target *t, const struct tfr_classing *classing,
	const struct tfr_classes *classes, double *weights, struct tfr_error *err);

#endif
