/* tfr-private/diff.h - two sets compared: their records, the features that these have, and how the
 * values of those are distributed.
 *
 * Sides are called A and B, 0 and 1 of an array of two. */
#ifndef TFR_PRIVATE_DIFF_H
#define TFR_PRIVATE_DIFF_H

#include <tfr-private/survey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What cannot be compared, TFR_EUSAGE: a file on both sides, whatever its names are; and with
 * `twice` a pipe, where the sides are read more than once. */
enum tfr_status tfr_diff_check_sides(
	const struct tfr_set *const sides[2], bool twice, struct tfr_error *err);

/* --- classes --- */

/* Classes that both sides have, by name, with different numbers. */
struct tfr_diff_class_report {
	uint64_t differ;
	char text[256]; /* the name of the first, on one line */
	int64_t label[2];
};

/* Compares the numbers of classes by their names: as the manifests or labels files beside the sets
 * have them, else as image/class/label and image/class/text of records do, of which some 256 MiB
 * are read.  Where nothing says it, or less than half of the classes of the smaller side are known
 * to the other, none differ. */
enum tfr_status tfr_diff_classes(const struct tfr_set *const sides[2],
	struct tfr_diff_class_report *report, struct tfr_error *err);

/* --- records --- */

struct tfr_diff_place {
	const char *path; /* belongs to the set */
	uint64_t record;  /* counted from 0 in its file */
};

/* Two records that belong together: of one content, or of one key. */
struct tfr_diff_pair {
	struct tfr_diff_place at[2];
	/* Of records of one key that differ: the features that do, in bytewise order. */
	const char **features;
	size_t feature_count;
};

/* A feature that differs between records of one key; it is in both, or in one of them only. */
struct tfr_diff_feature {
	char *name; /* bytes that are no UTF-8 and control characters as \xNN, a backslash twice */
	uint64_t changed, only[2];
};

/* What tfr_diff_records() is to do.  Zero is a default everywhere but in the inputs. */
struct tfr_diff_opts {
	/* `skip_damaged`, `threads`, `progress`, `warn` and `ctx` of the two are alike. */
	struct tfr_sweep_opts sides[2];
	/* The feature, int64 or bytes, whose values name a record.  A record without a value of it
	 * is bad.  NULL: records have no names. */
	const char *key;
	/* Records are equal that have equal features, of one kind, number and order of values,
	 * however they are written, and must be Examples.  (SequenceExamples are compared as they
	 * are written.)  Otherwise: equal bytes. */
	bool features;
	/* tfr_overlap() without a key: an Example is known by its image/encoded of at least 128
	 * bytes, else by its largest bytes value of at least 256, else as without this. */
	bool identity;
	bool parse;	 /* records must be Examples, whatever else is asked */
	bool ordered;	 /* tfr_diff_records(): their order counts */
	uint64_t memory; /* bytes for what is noted of records, 0: 1 GiB, at least 256 KiB */
	/* Folders for the temporary files with the rest, which are spread over them.  None: /tmp,
	 * or $TMPDIR. */
	const char *const *tmpdirs;
	size_t tmpdir_count;
	size_t examples; /* so many of each finding are named, the first */
};

/* To be cleared, whatever the call came to. */
struct tfr_diff_report {
	struct tfr_sweep_report sides[2];
	uint64_t both;	      /* pairs of equal records */
	uint64_t only[2];     /* records of one side only */
	uint64_t changed;     /* pairs of one key that are not equal */
	uint64_t same;	      /* of `changed`: no feature differs, only how they are written */
	uint64_t repeated[2]; /* keys that more than one record of the side has */
	/* With `ordered`: pairs, in the order of A, whose record of B lies before that of the pair
	 * before; 0: the order is the same. */
	uint64_t steps_back;
	uint64_t temp_bytes; /* written to temporary files */

	/* The first of each, in the order of A, or of B where A has none of them. */
	struct tfr_diff_place *only_at[2];
	size_t only_count[2];
	struct tfr_diff_pair *pairs; /* changed */
	size_t pair_count;
	struct tfr_diff_pair *steps; /* back */
	size_t step_count;
	struct tfr_diff_feature *features; /* of the changed, in bytewise order */
	size_t feature_count;
};

void tfr_diff_report_clear(struct tfr_diff_report *report);
/* Whether anything differs that tfr_diff_records() looked for. */
bool tfr_diff_differs(const struct tfr_diff_report *report);

/* Compares two sets of records, each counted as often as it comes, wherever it lies.
 *
 * Without a key, a record is in both or only on one side.  With one, records of one key belong
 * together: those that are equal first, then the others in their order; what is left of a key that
 * comes more often on one side is only there.  Equal is what has the same hash of 128 bits
 * (XXH3): of 10^12 records two different ones would be taken for equal once in 10^14 times.
 *
 * Each side is read once, and where records changed, once more.  Memory stays within `memory`, a
 * few blocks a thread, the examples, and the names of features. TFR_EDATA   a record is damaged, is
 * no Example or lacks the key, and may not be skipped; keys are of two kinds; the inputs changed
 * between two readings TFR_EUSAGE  a pipe with a key, a file on both sides, more than 65536
 * features that changed TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM, TFR_ECANCELLED. */
enum tfr_status tfr_diff_records(
	const struct tfr_diff_opts *opts, struct tfr_diff_report *report, struct tfr_error *err);

/* --- overlap --- */

struct tfr_overlap_report {
	struct tfr_sweep_report sides[2];
	uint64_t shared;     /* contents, or keys, that both sides have */
	uint64_t records[2]; /* records that have them */
	uint64_t temp_bytes;
	struct tfr_diff_pair *pairs; /* the first record of each side, in the order of A */
	size_t pair_count;
};

/* What two sets have in common that should have nothing: contents, or, with a key, keys. `features`
 * as above; `ordered` means nothing.  Each side is read once.  Failures as above. */
enum tfr_status tfr_overlap(
	const struct tfr_diff_opts *opts, struct tfr_overlap_report *report, struct tfr_error *err);
void tfr_overlap_report_clear(struct tfr_overlap_report *report);

/* --- schemas --- */

struct tfr_diff_schema {
	const char *feature; /* as above; NULL: of the records themselves */
	const char *what;    /* "feature", "kind", "length", "presence", "content", "records" */
	/* What each side has, as words; NULL: it lacks the feature. */
	const char *has[2];
};

/* Tells each difference between the schemas of two sets, in bytewise order of features: one that
 * only a side has; another kind; another length, or one fixed and the other not; one always there
 * and the other not; another content of bytes; SequenceExamples and Examples.  What is told lives
 * until `tell` returns.  TFR_ENOMEM. */
enum tfr_status tfr_diff_schemas(const struct tfr_survey *const sides[2],
	void (*tell)(void *ctx, const struct tfr_diff_schema *d), void *ctx, struct tfr_error *err);

/* --- distributions --- */

/* How far apart two distributions are: from 0, the same, to 1, nothing in common.
 *
 * KOLMOGOROV_SMIRNOV, of numbers: the most that the shares of values up to a number differ by, over
 * all numbers.  Values are counted in bins that are alike for every data set, each within 1/64 of
 * itself and exact for whole numbers below 64 in amount (tfr/survey.h); what is told is never too
 * large, and at most as much too small as the share of all values that the fullest bin has on
 * either side.
 *
 * L_INFINITY, of single values: the most that the share of one value differs by, over all of
 * them, as TensorFlow Data Validation compares categories.  Exact up to 1024 different values of at
 * most 256 bytes on each side (longer ones count as one value); beyond, values of 1/512 of all or
 * more are looked for, and each share is at most 1/2048 too large, in 97 of 100 cases. */
enum tfr_diff_measure { TFR_KOLMOGOROV_SMIRNOV, TFR_L_INFINITY };
const char *tfr_diff_measure_name(enum tfr_diff_measure measure);

enum { TFR_DIFF_ASPECTS = 9 };

struct tfr_diff_aspect {
	const char *of; /* "presence", "length", "values", "numbers", "finite", "sizes", "contents",
			   "formats", "width", "height" */
	enum tfr_diff_measure measure;
	double distance;
	/* Of L_INFINITY: which value differs the most, and its shares.  Of `values`: `value`. */
	const char *which;
	struct tfr_top_value value;
	double shares[2];
};

struct tfr_diff_values {
	const char *feature; /* as above; NULL: the records themselves, their sizes */
	enum tfr_kind kind;
	double distance; /* the largest of all aspects */
	size_t count, largest;
	struct tfr_diff_aspect aspects[TFR_DIFF_ASPECTS];
};

/* Tells how far apart the distributions of two sets are, of surveys with `values`: the records,
 * then each feature and kind in bytewise order, those that are alike too.  Where only one side has
 * it, all that is compared is its presence.  What is told lives until `tell` returns.  TFR_ENOMEM.
 */
enum tfr_status tfr_diff_distributions(const struct tfr_survey *const sides[2],
	void (*tell)(void *ctx, const struct tfr_diff_values *v), void *ctx, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
