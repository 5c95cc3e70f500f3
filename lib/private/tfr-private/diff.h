/* tfr-private/diff.h - compares two sets: their records, their features, and the distributions of
 * values.
 *
 * The sides are called A and B, and are elements 0 and 1 of an array of two. */
#ifndef TFR_PRIVATE_DIFF_H
#define TFR_PRIVATE_DIFF_H

#include <tfr-private/survey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reports TFR_EUSAGE if the sides cannot be compared: one file is on both sides, under whatever
 * names; or, with `twice` (the sides are read more than once), one of them is a pipe. */
enum tfr_status tfr_diff_check_sides(
	const struct tfr_set *const sides[2], bool twice, struct tfr_error *err);

/* --- classes --- */

/* Classes that both sides have under the same name but with different numbers. */
struct tfr_diff_class_report {
	uint64_t differ;
	char text[256]; /* the name of the first, on one line */
	int64_t label[2];
};

/* Compares the numbers of classes by their names.  They come from the manifests or labels files
 * beside the sets, otherwise from image/class/label and image/class/text of records, of which about
 * 256 MiB are read.  Reports no differences where no source has the names, or where the other side
 * knows less than half of the classes of the smaller one. */
enum tfr_status tfr_diff_classes(const struct tfr_set *const sides[2],
	struct tfr_diff_class_report *report, struct tfr_error *err);

/* --- records --- */

struct tfr_diff_place {
	const char *path; /* owned by the set */
	uint64_t record;  /* counted from 0 in its file */
};

/* Two matching records: of equal content, or with one key. */
struct tfr_diff_pair {
	struct tfr_diff_place at[2];
	/* For records with one key that differ: the features that differ, in bytewise order. */
	const char **features;
	size_t feature_count;
};

/* A feature that differs between records with one key; both records have it, or only one. */
struct tfr_diff_feature {
	char *name; /* bytes that are not UTF-8 and control characters are written as \xNN, a
		       backslash twice */
	uint64_t changed, only[2];
};

/* The settings of tfr_diff_records().  Zero is a default for every member but the inputs. */
struct tfr_diff_opts {
	/* `on_fault`, `threads`, `progress`, `warn` and `ctx` must be the same in both. */
	struct tfr_sweep_opts sides[2];
	/* The feature, int64 or bytes, whose values identify a record.  A record without a value of
	 * it is bad.  NULL: records have no keys. */
	const char *key;
	/* Records are equal if their features are: the same kinds, and the same values in the same
	 * order, in whatever encoding.  Records must be Examples.  (SequenceExamples are compared
	 * byte by byte.)  Otherwise records are equal if their bytes are. */
	bool features;
	/* Finds what two sets that should be disjoint share, contents or, with a key, keys, in
	 * place of what differs.  Each side is read once; `ordered` must not be set. */
	bool overlap;
	/* With `overlap`, without a key: an Example is identified by its image/encoded of at
	 * least 128 bytes, otherwise by its largest bytes value of at least 256, otherwise as
	 * without this option. */
	bool identity;
	bool parse;	 /* records must be Examples, whatever the other options say */
	bool ordered;	 /* the order of records counts */
	uint64_t memory; /* bytes for the notes on records; 0: 1 GiB; at least 256 KiB.  More go
			  * to temporary files in $TMPDIR, or /tmp */
	size_t examples; /* how many examples of each finding to name, the first ones */
};

/* Must be cleared, whatever the call returned. */
struct tfr_diff_report {
	struct tfr_sweep_report sides[2];
	uint64_t both;	      /* pairs of equal records */
	uint64_t only[2];     /* records that only one side has */
	uint64_t changed;     /* pairs with one key that are not equal */
	uint64_t same;	      /* part of `changed`: no feature differs, only the encoding */
	uint64_t repeated[2]; /* keys that more than one record of the side has */
	/* With `ordered`: pairs, in the order of A, whose record in B precedes that of the previous
	 * pair; 0: the order is the same. */
	uint64_t steps_back;
	/* With `overlap`, these alone: contents, or keys, that are in both sides, and the records
	 * that have such a content or key. */
	uint64_t shared, overlapping[2];

	/* The first of each, in the order of A, or in that of B for records that A lacks. */
	struct tfr_diff_place *only_at[2];
	size_t only_count[2];
	struct tfr_diff_pair *pairs; /* changed records */
	size_t pair_count;
	/* Pairs that step back; with `overlap`, the first record in each side of what is shared. */
	struct tfr_diff_pair *steps;
	size_t step_count;
	struct tfr_diff_feature *features; /* features of changed records, in bytewise order */
	size_t feature_count;
};

void tfr_diff_report_clear(struct tfr_diff_report *report);
/* Whether tfr_diff_records() found any difference. */
bool tfr_diff_differs(const struct tfr_diff_report *report);

/* Compares two sets as multisets of records, wherever the records are in the files.
 *
 * Without a key, a record is in both sets or in one only.  With a key, records with one key are
 * matched: equal ones first, then the others in their order.  If one side has more records with a
 * key, the surplus is in that side only.  Records are equal if their 128-bit hashes (XXH3) are:
 * among 10^12 records, the chance that two different ones are taken for equal is 1 in 10^14.
 *
 * Each side is read once, and once more if records changed.  Memory: `memory`, a few blocks per
 * thread, the examples, and the names of features.
 *   TFR_EDATA   a record is damaged, is not an Example or lacks the key, and may not be skipped;
 *               keys are of two kinds; or the inputs changed between two readings
 *   TFR_EUSAGE  a pipe with a key, a file on both sides, or more than 65536 changed features
 *   TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM, TFR_ECANCELLED */
enum tfr_status tfr_diff_records(
	const struct tfr_diff_opts *opts, struct tfr_diff_report *report, struct tfr_error *err);

/* --- schemas --- */

struct tfr_diff_schema {
	char *feature;	  /* as above; NULL: the records themselves */
	const char *what; /* "feature", "kind", "length", "presence", "content", "records" */
	/* What each side has, in words; NULL: the side lacks the feature. */
	char *has[2];
};

/* Zero before the call; must be cleared, whatever it returned. */
struct tfr_diff_schemas {
	struct tfr_diff_schema *list;
	size_t n, cap;
};

/* Lists the differences between the schemas of two sets, in bytewise order of features.  The
 * differences are a feature that only one side has; another kind; another length; a length fixed on
 * one side only; a feature present in all records of one side only; another content of bytes.
 * SequenceExamples differ from Examples.  TFR_ENOMEM. */
enum tfr_status tfr_diff_schemas(const struct tfr_survey *const sides[2],
	struct tfr_diff_schemas *found, struct tfr_error *err);
void tfr_diff_schemas_clear(struct tfr_diff_schemas *found);

/* --- distributions --- */

/* The distance of two distributions: from 0, the same, to 1, nothing in common.
 *
 * KOLMOGOROV_SMIRNOV, for numbers: the largest difference between the cumulative shares of the two
 * sides.  Values are counted in bins that are the same for every data set.  Each bin is within 1/64
 * of its values, and exact for integers below 64 in magnitude (tfr-private/survey.h).  The reported
 * distance is never too large.  It is too small by at most the share of the fullest bin of either
 * side.
 *
 * L_INFINITY, for single values: the largest difference between the shares of one value, as
 * TensorFlow Data Validation compares categories.  It is exact for up to 1024 distinct values of at
 * most 256 bytes on each side (longer ones count as one value).  Beyond that, values that make up
 * at least 1/512 of all are considered, and each share is at most 1/2048 too large, in 97 of 100
 * cases. */
enum tfr_diff_measure { TFR_KOLMOGOROV_SMIRNOV, TFR_L_INFINITY };
const char *tfr_diff_measure_name(enum tfr_diff_measure measure);

enum { TFR_DIFF_ASPECTS = 9 };

struct tfr_diff_aspect {
	const char *of; /* "presence", "length", "values", "numbers", "finite", "sizes", "contents",
			   "formats", "width", "height" */
	enum tfr_diff_measure measure;
	double distance;
	/* For L_INFINITY: the value that differs the most, and its shares.  For `values`: `value`.
	 */
	const char *which;
	struct tfr_top_value value;
	double shares[2];
};

struct tfr_diff_values {
	char *feature; /* as above; NULL: the sizes of the records themselves */
	enum tfr_kind kind;
	double distance; /* the largest distance of all aspects */
	size_t count, largest;
	struct tfr_diff_aspect aspects[TFR_DIFF_ASPECTS];
};

/* Zero before the call; must be cleared, whatever it returned. */
struct tfr_diff_distributions {
	struct tfr_diff_values *list; /* those that differ, the farthest apart first */
	size_t n, cap;
	size_t compared; /* equal ones too */
};

/* Lists the distances between the distributions of two surveys with `values`: of the records, and
 * of each feature and kind.  If only one side has a feature, only its presence is compared.  The
 * surveys hold the values in the list.  TFR_ENOMEM. */
enum tfr_status tfr_diff_distributions(const struct tfr_survey *const sides[2],
	struct tfr_diff_distributions *found, struct tfr_error *err);
void tfr_diff_distributions_clear(struct tfr_diff_distributions *found);

#ifdef __cplusplus
}
#endif

#endif
