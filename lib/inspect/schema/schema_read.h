/* inspect/schema/schema_read.h - the features that every record must have; tfr-check(1) describes
 * the format. */
#ifndef TFR_INSPECT_SCHEMA_SCHEMA_READ_H
#define TFR_INSPECT_SCHEMA_SCHEMA_READ_H

#include <tfr-private/example.h>

#include "base/error.h"
#include "example/lists.h"
#include "inspect/stats/facts.h"

struct tfr_schema; /* can be read by any number of threads once it is open */

/* TFR_EUSAGE names the line that is wrong, and the reason. */
enum tfr_status tfr_schema_open(struct tfr_schema **s, const char *path, struct tfr_error *err);
/* The same for a text in memory; `path` is its name. */
enum tfr_status tfr_schema_parse(struct tfr_schema **s, const char *path, const char *text,
	size_t size, struct tfr_error *err);
void tfr_schema_close(struct tfr_schema *s); /* accepts NULL */

/* A feature, or a feature list, from another form of a schema. */
struct tfr_schema_entry {
	bool required, is_list;
	const char *kind;
	struct tfr_range values; /* how many; for a list: per step */
	struct tfr_range steps;	 /* for a list only */
	const char *name;	 /* may contain \\ and \xNN, like a line of the text form */
	size_t size;
};

/* TFR_EUSAGE: there is no such kind, or the name ends in an incomplete escape. */
enum tfr_status tfr_schema_add(
	struct tfr_schema *s, const struct tfr_schema_entry *e, struct tfr_error *err);
void tfr_schema_allow_only(struct tfr_schema *s);
/* schema_json.c: reads the features of a JSON object as tfr_survey_schema() writes it. */
enum tfr_status tfr_schema_read_json(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err);

/* Whether the schema has rules for feature lists. */
bool tfr_schema_of_lists(const struct tfr_schema *s);

typedef enum tfr_status tfr_schema_found(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err);

/* Passes each feature, and then each feature list, that violates the schema to `found`, in bytewise
 * order of the names.  The arguments live until `found` returns.  A failure of `found` ends the
 * check and is returned.  `lists`: those of a SequenceExample; NULL: the record is not one.
 * (schema_check.c) */
enum tfr_status tfr_schema_check(const struct tfr_schema *s, const struct tfr_example *ex,
	struct tfr_lists *lists, tfr_schema_found *found, void *ctx, struct tfr_error *err);

#endif
