/* tfr-private/survey.h - what a data set holds: its features, their kinds, lengths and contents
 * (the schema), and on request how their values are distributed (the statistics).
 *
 * One pass over the records, on all processors.  A survey depends on the records and on nothing
 * else: neither on the number of threads nor on how the records are divided among files, but for
 * what concerns files (drift). */
#ifndef TFR_PRIVATE_SURVEY_H
#define TFR_PRIVATE_SURVEY_H

#include <tfr-private/example.h>
#include <tfr-private/media.h>
#include <tfr-private/sweep.h>
#include <tfr-private/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a value of kind bytes is. */
enum tfr_value_content {
	TFR_VALUE_EMPTY,   /* no bytes */
	TFR_VALUE_IMAGE,   /* by its first bytes, as tfr_image_sniff() */
	TFR_VALUE_TEXT,	   /* UTF-8 without control characters other than white space */
	TFR_VALUE_TENSOR,  /* a serialized TensorProto */
	TFR_VALUE_MESSAGE, /* fields of protobuf from the first byte to the last */
	TFR_VALUE_BINARY,  /* something else */
	TFR_CONTENTS,
};

struct tfr_survey;

struct tfr_survey_opts {
	struct tfr_sweep_opts common;
	bool values;	/* distributions too, which a schema does not need */
	uint64_t first; /* only so many records of each file, the first; 0: all */
};

/* Records must be Examples or SequenceExamples, whose context is looked at as an Example's features
 * are; tfr_survey_sequences() says how many of these there were.  Memory: a few blocks a thread,
 * and less than 1 MiB a feature.  TFR_EUSAGE: more than 65536 features.  Else as every pass over
 * the input. */
enum tfr_status tfr_survey_run(struct tfr_survey **s, const struct tfr_survey_opts *opts,
	struct tfr_sweep_report *report, struct tfr_error *err);
void tfr_survey_free(struct tfr_survey *s); /* accepts NULL */
uint64_t tfr_survey_records(const struct tfr_survey *s);
uint64_t tfr_survey_sequences(const struct tfr_survey *s);
/* The feature lists of the SequenceExamples: a survey whose features they are, which is part of
 * `s`. NULL: there are none. */
const struct tfr_survey *tfr_survey_lists(const struct tfr_survey *s);

/* --- the schema --- */

enum tfr_schema_form {
	TFR_SCHEMA_TEXT,   /* a table for a person */
	TFR_SCHEMA_JSON,   /* what check --schema takes; tfr-schema(1) describes it */
	TFR_SCHEMA_PYTHON, /* an input function of tf.data */
	TFR_SCHEMA_DALI,   /* an input function of DALI */
	TFR_SCHEMA_TORCH,  /* an input function of PyTorch, by PyPI's tfrecord */
	TFR_SCHEMA_PBTXT,  /* a tensorflow.metadata.v0.Schema as text */
	TFR_SCHEMA_FORMS,
};

/* The schema as text, which the caller frees.  TFR_EDATA: this form cannot have it: a feature of
 * two kinds, or a name that is not UTF-8, but for TEXT and JSON; feature lists in DALI and TORCH,
 * and compressed files that their readers do not read. */
enum tfr_status tfr_survey_schema(const struct tfr_survey *s, enum tfr_schema_form form,
	char **text, size_t *size, struct tfr_error *err);
/* Tells each feature that has more than one kind, with the first record of each. */
void tfr_survey_contradictions(
	const struct tfr_survey *s, void (*tell)(void *ctx, const char *text), void *ctx);
/* Tells in what features files differ from most of the others: absent or always there, of another
 * kind, of another length.  Not after a survey with `values`, nor of more than 65536 files. */
void tfr_survey_drift(
	const struct tfr_survey *s, void (*tell)(void *ctx, const char *text), void *ctx);

/* --- the statistics: after a survey with `values` --- */

enum { TFR_QUANTILES = 7, TFR_TOP_VALUES = 10 };
/* 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 */
extern const double tfr_quantiles[TFR_QUANTILES];

/* What lies between two numbers, both included. */
struct tfr_bin {
	double low, high;
	uint64_t count;
};

/* How numbers are distributed.  Sums are exact: the mean is the double nearest to it, the deviation
 * (of the population) within 2^-51 of itself.  Quantile q is the value of rank ceil(q * count),
 * within 1/128 of itself, or exact for whole numbers below 64 in amount.  All are 0 where there are
 * no numbers. */
struct tfr_distribution {
	uint64_t count;
	double min, max, mean, deviation;
	double quantiles[TFR_QUANTILES];
	struct tfr_bin *bins; /* ascending, those that are not empty, each within 1/64 of itself */
	size_t bin_count;
};

struct tfr_top_value {
	int64_t number; /* of int64 */
	float real;	/* of float */
	struct tfr_bytes bytes;
	uint64_t count; /* exact, or at most 1/2048 of all values too many, in 97 of 100 cases */
};

/* A feature of one kind, or a feature list.  One that comes in two kinds is there twice. */
struct tfr_feature_stats {
	const char *name; /* bytes that are no UTF-8 and control characters as \xNN */
	enum tfr_kind kind;
	uint64_t records; /* that have it */
	uint64_t empty;	  /* of these: without a value; of a list without a step */
	uint64_t values;
	uint64_t bytes;			/* of values, without names and framing */
	struct tfr_distribution length; /* values in a record; of a list in a step */
	/* Of a list, else 0: the steps of all records, and those in a record. */
	uint64_t all_steps;
	struct tfr_distribution steps;
	struct tfr_distribution
		numbers;  /* values; of bytes their sizes; of floats the finite ones */
	int64_t min, max; /* of int64, which a double need not hold */
	uint64_t nan, infinite, minus_infinite;
	/* Different values: exact up to 1024, beyond with a standard error of 0.8 %. */
	uint64_t distinct;
	bool distinct_exact;
	/* The most frequent ones: all up to 1024 different ones are counted; beyond, those of at
	 * least 1/512 of all values are looked for, and one of 1/100 is missed once in 30,000
	 * times. Bytes above 256 are never among them. */
	struct tfr_top_value top[TFR_TOP_VALUES];
	size_t top_count;
	bool top_exact;
	/* Of bytes: values by content; images by format, those that could not be measured. */
	uint64_t contents[TFR_CONTENTS];
	uint64_t formats[TFR_IMAGE_JP2 + 1];
	uint64_t damaged;
	struct tfr_distribution width, height; /* of the others */
	void *memory;			       /* what is pointed to */
};

size_t tfr_survey_count(const struct tfr_survey *s); /* features */
/* Feature `i`, in bytewise order of names, then of kinds; of tfr_survey_lists() a list.  Views into
 * `s` and into what tfr_feature_stats_clear() frees. */
enum tfr_status tfr_survey_feature(
	const struct tfr_survey *s, size_t i, struct tfr_feature_stats *f, struct tfr_error *err);
void tfr_feature_stats_clear(struct tfr_feature_stats *f);
uint64_t tfr_survey_files(const struct tfr_survey *s);
/* Payload bytes of records; the caller frees d->bins. */
enum tfr_status tfr_survey_sizes(
	const struct tfr_survey *s, struct tfr_distribution *d, struct tfr_error *err);

/* Its members into an open object, with all that merging takes in `state`. */
enum tfr_status tfr_survey_json(
	const struct tfr_survey *s, struct tfr_json *j, struct tfr_error *err);
/* Reads `state` of such an object out of a file.  TFR_EDATA: it is none. */
enum tfr_status tfr_survey_read(struct tfr_survey **s, const char *path, struct tfr_error *err);
/* Adds `from`: `into` is then what one pass over the records of both gives, to the bit. */
enum tfr_status tfr_survey_merge(
	struct tfr_survey *into, const struct tfr_survey *from, struct tfr_error *err);

/* --- the order --- */

struct tfr_order_opts {
	struct tfr_sweep_opts common; /* the files are read in order */
	const char *label;	      /* the feature whose value 0 is a record's class */
	uint64_t batch;		      /* 0: 64 */
	uint64_t buffer;	      /* of tf.data's shuffle(); 0: 2048 */
};

/* How well a set is mixed, by the classes of its records. */
/* Files read side by side, a record from each in turn, as tf.data's interleave() with a block of
 * one record does. */
struct tfr_order_cycle {
	uint64_t files;
	double entropy;
	bool enough;
	uint64_t enough_buffer;
};

enum { TFR_ORDER_CYCLES = 4 };

struct tfr_order_report {
	uint64_t records; /* that have a class */
	uint64_t absent;  /* that have none, and are passed over */
	uint64_t classes;
	/* Runs of records of one class: how many, the longest, and how long they are on average in
	 * a random order of these records. */
	uint64_t runs, longest_run;
	double random_run;
	/* The share of the variance of a record's place that its class explains (the correlation
	 * ratio, squared), and what it is on average in a random order. */
	double position, random_position;
	/* The entropy of the classes in a batch, in bits, on average over all full batches behind a
	 * shuffle buffer, and over all batches that the records can make; `enough`: at least 95 %
	 * of that.  0 batches: there are fewer records than a batch has. */
	uint64_t batch, buffer, batches;
	double entropy, random_entropy;
	bool enough;
	uint64_t enough_buffer; /* the smallest power of two that is, up to 2^17; 0: none */
	/* These are of the worst of the cycles: 1, 4 and 16 files side by side, and all of them;
	 * above 2^26 records only the first is judged. */
	struct tfr_order_cycle cycles[TFR_ORDER_CYCLES];
	unsigned cycle_count, worst;
};

/* TFR_EUSAGE: more than 65536 classes.  Else as every pass over the input. */
enum tfr_status tfr_order(
	const struct tfr_order_opts *opts, struct tfr_order_report *report, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
