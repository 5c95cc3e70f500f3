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

/* The text of one form; `failed` stays set after memory ran out. */
struct tfr_emit {
	const struct tfr_survey *s;
	struct tfr_buf out;
	enum tfr_compression compression; /* of the files */
	bool failed;
	bool useless; /* the code would read nothing */
};
#define TFR_EMIT(e, ...) ((e)->failed |= !tfr_buf_printf(&(e)->out, __VA_ARGS__))

void tfr_emit_python(struct tfr_emit *e);
void tfr_emit_dali(struct tfr_emit *e);
void tfr_emit_torch(struct tfr_emit *e);
void tfr_emit_pbtxt(struct tfr_emit *e);

#endif
