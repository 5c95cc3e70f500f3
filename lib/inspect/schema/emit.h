/* inspect/schema/emit.h - a schema written out: a row a form. */
#ifndef TFR_INSPECT_SCHEMA_EMIT_H
#define TFR_INSPECT_SCHEMA_EMIT_H

#include "inspect/survey.h"

/* A feature as the schema has it: all its kinds in one. */
struct tfr_field {
	const struct tfr_surveyed *f; /* of its kind; of the first, where there are several */
	unsigned kinds;		      /* that hold values or lists; 0: it is unset wherever it is */
	uint64_t unset;		      /* records that have it without a kind */
	bool required;		      /* every record has a list of that kind */
	bool fixed;		      /* `length` values each, more than 0; of a list each step */
	uint64_t length;
	struct tfr_range steps; /* of a list: in a record */
	/* What its values are that are not empty: TFR_CONTENTS where they differ, EMPTY where there
	 * are none. */
	enum tfr_value_content content;
};

/* The field that begins at *i of the list; *i moves past it.  False: there are no more. */
bool tfr_field_next(const struct tfr_survey *s, size_t *i, struct tfr_field *field);

/* "image"; TFR_CONTENTS is "mixed". */
const char *tfr_content_name(enum tfr_value_content content);

/* The text of one form; `failed` stays set when memory runs out. */
struct tfr_emit {
	const struct tfr_survey *s;
	struct tfr_buf out;
	bool failed;
};
void tfr_emit(struct tfr_emit *e, const char *format, ...) TFR_PRINTF(2, 3);

void tfr_emit_python(struct tfr_emit *e);
void tfr_emit_dali(struct tfr_emit *e);
void tfr_emit_torch(struct tfr_emit *e);
void tfr_emit_pbtxt(struct tfr_emit *e);

/* --- parts that several forms of Python code share --- */

/* The first line, a comment: how many records and files were read. */
void tfr_emit_origin(struct tfr_emit *e);
/* The name as a string of Python. */
void tfr_emit_name(struct tfr_emit *e, const struct tfr_surveyed *f);
/* IMAGES, the features that are one image in every record, and IMAGE_SIZE: the size of all of them,
 * or this one where sizes differ.  False: there are no such features. */
enum { TFR_EMIT_IMAGE_SIZE = 224 };
bool tfr_emit_images(struct tfr_emit *e);
bool tfr_emit_has_images(const struct tfr_survey *s);
/* How the first file is compressed; NONE where it cannot be opened again. */
enum tfr_compression tfr_emit_compression(const struct tfr_survey *s);

#endif
