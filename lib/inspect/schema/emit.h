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

/* The field that begins at *i of the list, which moves on behind it.  False: no more. */
bool tfr_field_next(const struct tfr_survey *s, size_t *i, struct tfr_field *field);

/* "image"; TFR_CONTENTS is "mixed". */
const char *tfr_content_name(enum tfr_value_content content);

/* Text of one form; out of memory stays in `failed`. */
struct tfr_emit {
	const struct tfr_survey *s;
	struct tfr_buf out;
	bool failed;
};
void tfr_emit(struct tfr_emit *e, const char *format, ...) TFR_PRINTF(2, 3);

void tfr_emit_python(struct tfr_emit *e);
void tfr_emit_dali(struct tfr_emit *e);
void tfr_emit_pbtxt(struct tfr_emit *e);

#endif
