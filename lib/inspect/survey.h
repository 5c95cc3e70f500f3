/* inspect/survey.h - the inside of a survey, for those who show, keep and compare it. */
#ifndef TFR_INSPECT_SURVEY_H
#define TFR_INSPECT_SURVEY_H

#include "inspect/stats/facts.h"

enum { TFR_SURVEY_FEATURES = 1 << 16, TFR_SURVEY_FILES = 1 << 16 };

/* A feature in one file. */
struct tfr_in_file {
	uint32_t records;  /* that have it; the most this holds is as good as more */
	uint32_t min, max; /* values, likewise */
};

/* A feature of one kind; a feature of two kinds has two of them. */
struct tfr_surveyed {
	char *name; /* `size` bytes and a NUL */
	size_t size;
	enum tfr_kind kind;
	pthread_mutex_t lock; /* of `facts` and `files` while there are workers */
	struct tfr_facts facts;
	struct tfr_values *values; /* NULL: no distributions */
	struct tfr_in_file *files; /* NULL: not kept */
};

struct tfr_survey {
	pthread_mutex_t lock;	    /* of the list while there are workers */
	struct tfr_surveyed **list; /* in order of name, then kind */
	size_t n, cap;
	bool values;
	uint64_t files, records, sequences;
	struct tfr_series sizes; /* of payloads, where there are distributions */
	/* The feature lists of SequenceExamples, a survey of their own, whose files are these;
	 * NULL: there are none. */
	struct tfr_survey *lists;
	bool of_lists;		/* it is that */
	char **paths;		/* of the files; NULL: not known */
	uint64_t *file_records; /* likewise */
};

struct tfr_survey *tfr_survey_new(bool values); /* NULL: out of memory */
/* Makes s->lists, of the files of `s`.  False: out of memory. */
bool tfr_survey_make_lists(struct tfr_survey *s);
/* The feature, made where it is new.  Any thread. */
enum tfr_status tfr_survey_get(struct tfr_survey *s, const void *name, size_t size,
	enum tfr_kind kind, struct tfr_surveyed **f, struct tfr_error *err);
/* By name, then kind. */
int tfr_survey_compare(
	const struct tfr_surveyed *a, const void *name, size_t size, enum tfr_kind kind);
/* A name as it is shown, by tfr_escape_exactly().  False: out of memory. */
bool tfr_survey_name(struct tfr_buf *text, const struct tfr_surveyed *f);

#endif
