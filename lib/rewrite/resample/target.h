/* rewrite/resample/target.h - a wanted or a known distribution, as a user writes it.
 *
 *   uniform                 every class alike
 *   proportional^E          as the share of the class to the power of E; proportional: E is 1
 *   0=0.5,1=0.5             the classes and their weights; a name with , or = in it stands in
 * quotes FILE                    lines CLASS TAB WEIGHT
 *
 * A file that exists is a file, whatever its name looks like.  Names have the escapes of
 * tfr_class_unescape(). */
#ifndef TFR_REWRITE_RESAMPLE_TARGET_H
#define TFR_REWRITE_RESAMPLE_TARGET_H

#include "rewrite/resample/classify.h"

enum tfr_target_form { TFR_TARGET_UNIFORM, TFR_TARGET_PROPORTIONAL, TFR_TARGET_LIST };

/* Zero is `uniform`. */
struct tfr_target {
	enum tfr_target_form form;
	double exponent;	  /* of PROPORTIONAL */
	struct tfr_classes names; /* of LIST, each a text, in the order they came */
	double *weights;	  /* of LIST, one a name: finite, 0 or more, not all 0 */
	size_t cap;
};

/* `option` is what errors call it: "--target".  TFR_EUSAGE, TFR_ESYS, TFR_ENOMEM. */
enum tfr_status tfr_target_open(
	struct tfr_target *t, const char *spec, const char *option, struct tfr_error *err);
void tfr_target_clear(struct tfr_target *t);

/* The parts of it that read no file. */
enum tfr_status tfr_target_parse(
	struct tfr_target *t, const char *spec, const char *option, struct tfr_error *err);
/* `lines` is changed. */
enum tfr_status tfr_target_parse_lines(
	struct tfr_target *t, char *lines, size_t size, const char *path, struct tfr_error *err);

/* The weights of `classes`, the largest of them in [1, 2), none where there are no classes.  `have`
 * are the shares that the classes have, up to a factor; 0: the class does not occur.  TFR_EDATA: a
 * list wants a class that does not occur.  Two names of one class cannot be. */
enum tfr_status tfr_target_weights(const struct tfr_target *t, const char *option,
	const struct tfr_classing *classing, const struct tfr_classes *classes, const double *have,
	double *weights, struct tfr_error *err);

#endif
