/* inspect/schema/emit.h - writes a schema; each form is one row of a table. */
#ifndef TFR_INSPECT_SCHEMA_EMIT_H
#define TFR_INSPECT_SCHEMA_EMIT_H

#include "inspect/survey.h"

/* A feature in the schema, with all its kinds. */
struct tfr_field {
	const struct tfr_surveyed *f; /* of its kind; of the first kind if there are several */
	unsigned kinds; /* number of kinds with values or lists; 0: it is always unset */
	uint64_t unset; /* records in which it has no kind */
	bool required;	/* every record has a list of that kind */
	bool fixed; /* each list has `length` values, more than 0; for a feature list, each step */
	uint64_t length;
	struct tfr_range steps; /* for a feature list: steps per record */
	/* The content of its non-empty values: TFR_CONTENTS if they differ, EMPTY if there are
	 * none. */
	enum tfr_value_content content;
};

/* The field that begins at index *i of the list; advances *i past it.  False: there are no more. */
bool tfr_field_next(const struct tfr_survey *s, size_t *i, struct tfr_field *field);

/* "image"; TFR_CONTENTS is "mixed". */
const char *tfr_content_name(enum tfr_value_content content);

/* The text of one form; `failed` stays set after memory ran out. */
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

/* --- code that several Python forms share --- */

/* Writes the first line, a comment with the number of records and files read. */
void tfr_emit_origin(struct tfr_emit *e);
/* Writes the name as a Python string. */
void tfr_emit_name(struct tfr_emit *e, const struct tfr_surveyed *f);
/* Writes IMAGES, the features that are one image in every record, and IMAGE_SIZE: their common
 * size, or this one if sizes differ.  False: there are no such features. */
enum { TFR_EMIT_IMAGE_SIZE = 224 };
bool tfr_emit_images(struct tfr_emit *e);
bool tfr_emit_has_images(const struct tfr_survey *s);
/* The compression of the first file; NONE if it cannot be opened again. */
enum tfr_compression tfr_emit_compression(const struct tfr_survey *s);

#endif
