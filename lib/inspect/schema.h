/* inspect/schema.h - the features that every record is to have: tfr-check(1) has the layout. */
#ifndef TFR_INSPECT_SCHEMA_H
#define TFR_INSPECT_SCHEMA_H

#include <tfr/example.h>

#include "base/error.h"

struct tfr_schema; /* read by any number of threads once it is open */

/* TFR_EUSAGE names the line that is wrong, and why. */
enum tfr_status tfr_schema_open(struct tfr_schema **s, const char *path, struct tfr_error *err);
/* The same of a text in memory, which `path` names. */
enum tfr_status tfr_schema_parse(struct tfr_schema **s, const char *path, const char *text,
	size_t size, struct tfr_error *err);
void tfr_schema_close(struct tfr_schema *s); /* accepts NULL */

/* For who reads another form: adds a feature, whose name has \\ and \xNN in it as a line of the
 * text has.  TFR_EUSAGE: no such kind, or the name ends in a backslash that means nothing. */
enum tfr_status tfr_schema_add(struct tfr_schema *s, bool required, const char *kind, uint64_t min,
	uint64_t max, const char *name, size_t size, struct tfr_error *err);
void tfr_schema_allow_only(struct tfr_schema *s);
/* schema_json.c: the features of a JSON object as tfr_survey_schema() writes it. */
enum tfr_status tfr_schema_read_json(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err);

/* Shows `found` each feature that is not as the schema wants it, in bytewise order of the names.
 * Both live until it returns.  A failure of `found` ends it and is returned. */
enum tfr_status tfr_schema_check(const struct tfr_schema *s, const struct tfr_example *ex,
	enum tfr_status (*found)(
		void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err),
	void *ctx, struct tfr_error *err);

#endif
