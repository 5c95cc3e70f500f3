/* inspect/schema/schema_read.h - the features that every record is to have: tfr-check(1) has the
 * layout. */
#ifndef TFR_INSPECT_SCHEMA_SCHEMA_READ_H
#define TFR_INSPECT_SCHEMA_SCHEMA_READ_H

#include <tfr-private/example.h>

#include "base/error.h"
#include "example/lists.h"
#include "inspect/stats/facts.h"

struct tfr_schema; /* read by any number of threads once it is open */

/* TFR_EUSAGE names the line that is wrong, and why. */
enum tfr_status tfr_schema_open(struct tfr_schema **s, const char *path, struct tfr_error *err);
/* The same of a text in memory, which `path` names. */
enum tfr_status tfr_schema_parse(struct tfr_schema **s, const char *path, const char *text,
	size_t size, struct tfr_error *err);
void tfr_schema_close(struct tfr_schema *s); /* accepts NULL */

/* A feature, or a feature list, as another form of a schema has it. */
struct tfr_schema_entry {
	bool required, is_list;
	const char *kind;
	struct tfr_range values; /* how many; of a list: in a step */
	struct tfr_range steps;	 /* of a list alone */
	const char *name;	 /* has \\ and \xNN in it as a line of the text has */
	size_t size;
};

/* TFR_EUSAGE: no such kind, or the name ends in a backslash that means nothing. */
enum tfr_status tfr_schema_add(
	struct tfr_schema *s, const struct tfr_schema_entry *e, struct tfr_error *err);
void tfr_schema_allow_only(struct tfr_schema *s);
/* schema_json.c: the features of a JSON object as tfr_survey_schema() writes it. */
enum tfr_status tfr_schema_read_json(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err);

/* Whether a record's feature lists matter to it. */
bool tfr_schema_of_lists(const struct tfr_schema *s);

typedef enum tfr_status tfr_schema_found(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err);

/* Shows `found` each feature, and then each feature list, that is not as the schema wants it, in
 * bytewise order of the names.  Both live until it returns.  A failure of `found` ends it and is
 * returned.  `lists`: those of a SequenceExample; NULL: it is none, and has none.  (schema_hold.c)
 */
enum tfr_status tfr_schema_check(const struct tfr_schema *s, const struct tfr_example *ex,
	struct tfr_lists *lists, tfr_schema_found *found, void *ctx, struct tfr_error *err);

#endif
