/* tfr/survey.h - what a data set holds: its features, their kinds, lengths and contents (the
 * schema), and on request how their values are distributed (the statistics).
 *
 * One pass over the records, on all processors.  A survey depends on the records and on nothing
 * else: neither on the number of threads nor on how the records are divided among files, but for
 * what concerns files (drift). */
#ifndef TFR_SURVEY_H
#define TFR_SURVEY_H

#include <tfr/example.h>
#include <tfr/media.h>
#include <tfr/sweep.h>
#include <tfr/text.h>

/* What a value of kind bytes is. */
enum tfr_value_content {
	TFR_VALUE_EMPTY,   /* no bytes */
	TFR_VALUE_PICTURE, /* by its first bytes, as tfr_image_sniff() */
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

/* Records must be Examples; of SequenceExamples the context is looked at, and
 * tfr_survey_sequences() says how many there were.  Memory: a few blocks a thread, and less than
 * 1 MiB a feature.  TFR_EUSAGE: more than 65536 features.  Else as every pass over the input. */
TFR_API enum tfr_status tfr_survey_run(struct tfr_survey **s, const struct tfr_survey_opts *opts,
	struct tfr_sweep_report *report, struct tfr_error *err);
TFR_API void tfr_survey_free(struct tfr_survey *s); /* accepts NULL */
TFR_API uint64_t tfr_survey_records(const struct tfr_survey *s);
TFR_API uint64_t tfr_survey_sequences(const struct tfr_survey *s);

/* --- the schema --- */

enum tfr_schema_form {
	TFR_SCHEMA_TEXT,   /* a table for a person */
	TFR_SCHEMA_JSON,   /* what check --schema takes; tfr-schema(1) describes it */
	TFR_SCHEMA_PYTHON, /* a specification for tf.io.parse_example, and the call */
	TFR_SCHEMA_DALI,   /* the features of fn.readers.tfrecord */
	TFR_SCHEMA_PBTXT,  /* a tensorflow.metadata.v0.Schema as text */
};

/* The schema as text, which the caller frees.  TFR_EDATA: this form cannot have it: a feature of
 * two kinds, or a name that is not UTF-8, but for TEXT and JSON. */
TFR_API enum tfr_status tfr_survey_schema(const struct tfr_survey *s, enum tfr_schema_form form,
	char **text, size_t *size, struct tfr_error *err);
/* Tells each feature that has more than one kind, with the first record of each. */
TFR_API void tfr_survey_contradictions(
	const struct tfr_survey *s, void (*tell)(void *ctx, const char *text), void *ctx);
/* Tells in what features files differ from most of the others: absent or always there, of another
 * kind, of another length.  Not after a survey with `values`, nor of more than 65536 files. */
TFR_API void tfr_survey_drift(
	const struct tfr_survey *s, void (*tell)(void *ctx, const char *text), void *ctx);

#endif
