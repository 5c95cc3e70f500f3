/* rewrite/resample/resample.h - what the files of a resampling share: the class of a record, the
 * target distribution, and the number of records that each class gives. */
#ifndef TFR_REWRITE_RESAMPLE_RESAMPLE_H
#define TFR_REWRITE_RESAMPLE_RESAMPLE_H

#include <tfr-private/rewrite.h>

#include "base/error.h"
#include "rewrite/class_table.h"

/* --- the class of a record, and the names of the classes (classify.c) ---
 *
 * struct tfr_classing defines how a data set is divided: by the value of a feature or by
 * expressions.  It is created once and shared.  Each worker has its own
 * struct tfr_classifier, because threads cannot share expressions.  Classes from
 * expressions are identified by their number; `names` has their names in that order. */

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

/* Removes escapes in place: those of tfr_escape_exactly(), and \\, \", \', \n, \r, \t and \xNN,
 * which users write.  False: an unknown escape, at *size. */
bool tfr_class_unescape(char *text, size_t *size);

/* --- a target distribution, as a user writes it (target.c) ---
 *
 *   uniform          the same weight for every class
 *   proportional^E   the share of the class to the power of E; proportional: E is 1
 *   0=0.5,1=0.5      the classes and their weights; a name with , or = in it is in quotes
 *   FILE             lines CLASS TAB WEIGHT
 *
 * The name of an existing file is always read as a file.  Names have the escapes of
 * tfr_class_unescape(). */

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

/* The same for a text that is not the name of a file, and for the text of a file, which is
 * modified. */
enum tfr_status tfr_target_parse(struct tfr_target *t, const char *spec, struct tfr_error *err);
enum tfr_status tfr_target_parse_lines(
	struct tfr_target *t, char *lines, size_t size, const char *path, struct tfr_error *err);

/* The weights of `classes`, scaled so that the largest is in [1, 2); no weights if there are no
 * classes.  TFR_EDATA: a list names a class that does not occur.  Two names for the same class are
 * impossible. */
enum tfr_status tfr_target_weights(const struct tfr_target *t, const struct tfr_classing *classing,
	const struct tfr_classes *classes, double *weights, struct tfr_error *err);

/* --- how many records each class gives (quota.c) ---
 *
 * Weights are integers, and a share is a weight divided by their sum, so that sizes and quotas are
 * exact.  Classes of equal weight get equal quotas, and counts that fit a target without remainder
 * are used to the last record. */

/* Larger sizes are refused: a double counts exactly up to here. */
#define TFR_QUOTA_MAX ((uint64_t)1 << 53)

struct tfr_quotas {
	uint64_t *weights;
	size_t n;
	unsigned __int128 sum; /* of the weights */
};

/* The weights are finite, and the largest of them in [1, 2); at most 2^20 of them. */
enum tfr_status tfr_quotas_open(
	struct tfr_quotas *s, const double *weights, size_t n, struct tfr_error *err);
void tfr_quotas_clear(struct tfr_quotas *s);

/* The largest size at which no class needs more than its records; *scarcest is the class that
 * limits it.  0, and scarcest n, if no class has a share. */
uint64_t tfr_quotas_largest(const struct tfr_quotas *s, const uint64_t *records, size_t *scarcest);
/* The smallest size at which every class with a share gives all of its records, or UINT64_MAX if
 * that exceeds TFR_QUOTA_MAX. */
uint64_t tfr_quotas_covering(const struct tfr_quotas *s, const uint64_t *records);
/* Divides `size`, at most TFR_QUOTA_MAX, by largest remainders; of equal remainders, the earlier
 * class gets the record.  No quota exceeds `most`, unless that is NULL: the size is then at most
 * tfr_quotas_largest(). */
enum tfr_status tfr_quotas_divide(const struct tfr_quotas *s, uint64_t size, const uint64_t *most,
	uint64_t *quotas, struct tfr_error *err);

#endif
