/* tfr-private/survey.h - describes the records of a data set: features, their kinds, lengths and
 * contents (the schema), and on request the distributions of their values (the statistics).
 *
 * One pass over the records, on all processors.  A survey depends on the records alone, not on the
 * number of threads.  Except for drift, it does not depend on how the records are divided among
 * files either. */
#ifndef TFR_PRIVATE_SURVEY_H
#define TFR_PRIVATE_SURVEY_H

#include <tfr-private/example.h>
#include <tfr-private/media.h>
#include <tfr-private/sweep.h>
#include <tfr-private/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The content of a value of kind bytes. */
enum tfr_value_content {
	TFR_VALUE_EMPTY,   /* no bytes */
	TFR_VALUE_IMAGE,   /* by its first bytes, as in tfr_image_sniff() */
	TFR_VALUE_TEXT,	   /* UTF-8 without control characters other than white space */
	TFR_VALUE_TENSOR,  /* a serialized TensorProto */
	TFR_VALUE_MESSAGE, /* fields of protobuf from the first byte to the last */
	TFR_VALUE_BINARY,  /* anything else */
	TFR_CONTENTS,
};

struct tfr_survey;

struct tfr_survey_opts {
	struct tfr_sweep_opts common;
	bool values; /* collect distributions, too, which a schema does not need */
};

/* Records must be Examples or SequenceExamples.  The context of a SequenceExample is examined like
 * the features of an Example; tfr_survey_totals() has their number.  Memory: a few
 * blocks per thread, and less than 1 MiB per feature.  TFR_EUSAGE: more than 65536 features.  Other
 * statuses are those of any pass over the input. */
enum tfr_status tfr_survey_run(struct tfr_survey **s, const struct tfr_survey_opts *opts,
	struct tfr_sweep_report *report, struct tfr_error *err);
void tfr_survey_free(struct tfr_survey *s); /* accepts NULL */

struct tfr_survey_totals {
	uint64_t files, records, sequences;
	size_t features;
	/* The feature lists of the SequenceExamples, as a survey that is part of `s`.  NULL: there
	 * are none. */
	const struct tfr_survey *lists;
};
struct tfr_survey_totals tfr_survey_totals(const struct tfr_survey *s);

/* --- the schema --- */

enum tfr_schema_form {
	TFR_SCHEMA_TEXT,   /* a table for people */
	TFR_SCHEMA_JSON,   /* the input of check --schema; described in tfr-schema(1) */
	TFR_SCHEMA_PYTHON, /* an input function of tf.data */
	TFR_SCHEMA_DALI,   /* an input function of DALI */
	TFR_SCHEMA_TORCH,  /* an input function of PyTorch, with PyPI's tfrecord */
	TFR_SCHEMA_PBTXT,  /* a tensorflow.metadata.v0.Schema as text */
	TFR_SCHEMA_FORMS,
};

/* The schema as text, which the caller frees.  TFR_EDATA: this form cannot express it.  Except for
 * TEXT and JSON, that is a feature of two kinds, or a name that is not UTF-8. For DALI and TORCH it
 * is also feature lists, and compressed files that their readers do not support. */
enum tfr_status tfr_survey_schema(const struct tfr_survey *s, enum tfr_schema_form form,
	char **text, size_t *size, struct tfr_error *err);
/* Reports each feature that has more than one kind, with the first record of each. */
void tfr_survey_contradictions(
	const struct tfr_survey *s, void (*tell)(void *ctx, const char *text), void *ctx);
/* Reports the features in which files differ from most of the others: absent or present in all
 * records, of another kind, of another length.  Not for a survey with `values`, nor with more than
 * 65536 files. */
void tfr_survey_drift(
	const struct tfr_survey *s, void (*tell)(void *ctx, const char *text), void *ctx);

/* --- the statistics: after a survey with `values` --- */

enum { TFR_QUANTILES = 7, TFR_TOP_VALUES = 10 };
/* 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 */
extern const double tfr_quantiles[TFR_QUANTILES];

/* The values between two numbers, both inclusive. */
struct tfr_bin {
	double low, high;
	uint64_t count;
};

/* The distribution of numbers.  The mean and the deviation (of the population) have a relative
 * error of at most 10^-12, and are the same for any order of the values.  Quantile q is the value
 * of rank ceil(q * count), within 1/128 of itself, or exact for integers below 64 in magnitude. All
 * members are 0 if there are no numbers. */
struct tfr_distribution {
	uint64_t count;
	double min, max, mean, deviation;
	double quantiles[TFR_QUANTILES];
	struct tfr_bin *bins; /* ascending, without empty ones; each within 1/64 of its values */
	size_t bin_count;
};

struct tfr_top_value {
	int64_t number; /* for int64 */
	float real;	/* for float */
	struct tfr_bytes bytes;
	uint64_t
		count; /* exact, or too large by at most 1/2048 of all values, in 97 of 100 cases */
};

/* A feature of one kind, or a feature list.  A feature with two kinds has two entries. */
struct tfr_feature_stats {
	const char *name; /* bytes that are not UTF-8 and control characters are written as \xNN */
	enum tfr_kind kind;
	uint64_t records; /* that have it */
	uint64_t empty;	  /* part of these: without a value; for a list, without a step */
	uint64_t values;
	uint64_t bytes;			/* size of the values, without names and framing */
	struct tfr_distribution length; /* values per record; for a list, per step */
	/* For a list, otherwise 0: the steps of all records, and the steps per record. */
	uint64_t all_steps;
	struct tfr_distribution steps;
	struct tfr_distribution
		numbers;  /* values; for bytes, their sizes; for floats, the finite ones */
	int64_t min, max; /* for int64, whose values a double cannot always hold */
	uint64_t nan, infinite, minus_infinite;
	/* Number of distinct values: exact up to 1024, beyond that with a standard error of 0.8 %.
	 */
	uint64_t distinct;
	bool distinct_exact;
	/* The most frequent values.  Up to 1024 distinct values, all are counted.  Beyond that,
	 * values that make up at least 1/512 of all are considered; a value of 1/100 is missed once
	 * in 30,000 times.  Values above 256 bytes are never included. */
	struct tfr_top_value top[TFR_TOP_VALUES];
	size_t top_count;
	bool top_exact;
	/* For bytes: values by content; images by format; images that could not be measured. */
	uint64_t contents[TFR_CONTENTS];
	uint64_t formats[TFR_IMAGE_JP2 + 1];
	uint64_t damaged;
	struct tfr_distribution width, height; /* of the images that were measured */
	void *memory;			       /* owns what the pointers refer to */
};

/* Feature `i`, in bytewise order of names, then of kinds; in a survey of feature lists, a list. The
 * pointers refer to `s` and to memory that tfr_feature_stats_clear() frees. */
enum tfr_status tfr_survey_feature(
	const struct tfr_survey *s, size_t i, struct tfr_feature_stats *f, struct tfr_error *err);
void tfr_feature_stats_clear(struct tfr_feature_stats *f);
/* The payload sizes of records, in bytes; the caller frees d->bins. */
enum tfr_status tfr_survey_sizes(
	const struct tfr_survey *s, struct tfr_distribution *d, struct tfr_error *err);

/* Writes the members of a survey into an open object; `state` has all that merging needs. */
enum tfr_status tfr_survey_json(
	const struct tfr_survey *s, struct tfr_json *j, struct tfr_error *err);
/* Reads `state` of such an object from a file.  TFR_EDATA: it is not a valid one. */
enum tfr_status tfr_survey_read(struct tfr_survey **s, const char *path, struct tfr_error *err);
/* Adds `from`.  `into` is then bit for bit the survey that one pass over the records of both would
 * give. */
enum tfr_status tfr_survey_merge(
	struct tfr_survey *into, const struct tfr_survey *from, struct tfr_error *err);

/* --- the order --- */

struct tfr_order_opts {
	struct tfr_sweep_opts common; /* the files are read in order */
	const char *label;	      /* the feature whose value 0 is a record's class */
	uint64_t batch;		      /* 0: 64 */
	uint64_t buffer;	      /* size of tf.data's shuffle buffer; 0: 2048 */
};

/* How well a set is shuffled, judged by the classes of its records. */
/* Files interleaved, one record from each in turn, as tf.data's interleave() does with a block
 * length of one. */
struct tfr_order_cycle {
	uint64_t files;
	double entropy;
	bool enough;
	uint64_t enough_buffer;
};

enum { TFR_ORDER_CYCLES = 4 };

struct tfr_order_report {
	uint64_t records; /* records with a class */
	uint64_t absent;  /* records without a class, which are skipped */
	uint64_t classes;
	/* Runs of records of one class: how many, the longest, and their mean length in a random
	 * order of these records. */
	uint64_t runs, longest_run;
	double random_run;
	/* The share of the variance of a record's position that its class explains (the squared
	 * correlation ratio), and its mean in a random order. */
	double position, random_position;
	/* The entropy of the classes in a batch, in bits: the mean over all full batches after a
	 * shuffle buffer, and over all possible batches of these records.  `enough`: at least 95 %
	 * of the latter.  0 batches: there are fewer records than one batch has. */
	uint64_t batch, buffer, batches;
	double entropy, random_entropy;
	bool enough;
	uint64_t enough_buffer; /* the smallest power of two that suffices, up to 2^17; 0: none */
	/* The worst of the cycles, which has these results: 1, 4 and 16 files interleaved, and all
	 * files.  Above 2^26 records, only the first cycle is judged. */
	struct tfr_order_cycle cycles[TFR_ORDER_CYCLES];
	unsigned cycle_count, worst;
};

/* TFR_EUSAGE: more than 65536 classes.  Other statuses are those of any pass over the input. */
enum tfr_status tfr_order(
	const struct tfr_order_opts *opts, struct tfr_order_report *report, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
