/* inspect/survey.h - the internals of a survey, for the code that shows, stores and compares it. */
#ifndef TFR_INSPECT_SURVEY_H
#define TFR_INSPECT_SURVEY_H

#include "inspect/stats/facts.h"

enum { TFR_SURVEY_FEATURES = 1 << 16, TFR_SURVEY_FILES = 1 << 16 };

/* A feature in one file. */
struct tfr_in_file {
	uint32_t records;  /* that have it; saturates at the maximum */
	uint32_t min, max; /* values, which saturate, too */
};

/* A feature of one kind; a feature with two kinds has two entries. */
struct tfr_surveyed {
	char *name; /* `size` bytes and a NUL */
	size_t size;
	enum tfr_kind kind;
	pthread_mutex_t lock; /* protects `facts` and `files` while there are workers */
	struct tfr_facts facts;
	struct tfr_values *values; /* NULL: no distributions */
	struct tfr_in_file *files; /* NULL: not kept */
};

struct tfr_survey {
	pthread_mutex_t lock;	    /* protects the list while there are workers */
	struct tfr_surveyed **list; /* sorted by name, then kind */
	size_t n, cap;
	bool values;
	uint64_t files, records, sequences;
	struct tfr_series sizes; /* of payloads, with distributions */
	/* The feature lists of SequenceExamples, as a survey of its own over the same files.  NULL:
	 * there are none. */
	struct tfr_survey *lists;
	bool of_lists;		/* this survey is of feature lists */
	char **paths;		/* names of the files; NULL: unknown */
	uint64_t *file_records; /* likewise */
};

struct tfr_survey *tfr_survey_new(bool values); /* NULL: out of memory */
/* Creates s->lists, over the files of `s`.  False: out of memory. */
bool tfr_survey_make_lists(struct tfr_survey *s);
/* Finds the feature, or creates it.  Callable from any thread. */
enum tfr_status tfr_survey_get(struct tfr_survey *s, const void *name, size_t size,
	enum tfr_kind kind, struct tfr_surveyed **f, struct tfr_error *err);
/* Compares by name, then kind. */
int tfr_survey_compare(
	const struct tfr_surveyed *a, const void *name, size_t size, enum tfr_kind kind);
/* A name for display, by tfr_escape_exactly().  False: out of memory. */
bool tfr_survey_name(struct tfr_buf *text, const struct tfr_surveyed *f);

/* "image"; TFR_CONTENTS is "mixed". */
const char *tfr_content_name(enum tfr_value_content content);
/* Opens the object `images`: images by format, and those that could not be measured. */
void tfr_survey_open_images(
	struct tfr_json *j, const uint64_t formats[TFR_FORMATS], uint64_t damaged);

/* --- a survey as bytes, so it can be merged later (survey_state.c) --- */

/* Equal surveys give equal bytes. */
void tfr_survey_pack(const struct tfr_survey *s, struct tfr_state *state);
/* TFR_EDATA: the bytes are not a survey. */
enum tfr_status tfr_survey_unpack(
	struct tfr_survey **s, const void *bytes, size_t size, struct tfr_error *err);
/* Writes the member `state` of an open object: the bytes, and a hash of them.  False: out of
 * memory. */
bool tfr_survey_put_state(const struct tfr_survey *s, struct tfr_json *j);
/* Reads a survey from the text of a JSON object; `path` is its name. */
enum tfr_status tfr_survey_parse(struct tfr_survey **s, const char *path, const char *text,
	size_t size, struct tfr_error *err);

#endif
