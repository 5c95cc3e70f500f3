/* inspect/schema/schema_rules.h - the features that every record must have; tfr-check(1) describes
 * the format. */
#ifndef TFR_INSPECT_SCHEMA_SCHEMA_RULES_H
#define TFR_INSPECT_SCHEMA_SCHEMA_RULES_H

#include <tfr-private/example.h>

#include "base/error.h"
#include "example/lists.h"

struct tfr_schema; /* can be read by any number of threads once it is open */

/* TFR_EUSAGE names the line that is wrong, and the reason. */
enum tfr_status tfr_schema_open(struct tfr_schema **s, const char *path, struct tfr_error *err);
/* The same for a text in memory; `path` is its name. */
enum tfr_status tfr_schema_parse(struct tfr_schema **s, const char *path, const char *text,
	size_t size, struct tfr_error *err);
void tfr_schema_close(struct tfr_schema *s); /* accepts NULL */

/* The fields of a Schema of TensorFlow Metadata that are not checked, each once: " NAME, NAME,"; ""
 * if there are none. */
const char *tfr_schema_unchecked(const struct tfr_schema *s);

/* Whether the schema has rules for feature lists. */
bool tfr_schema_of_lists(const struct tfr_schema *s);

typedef enum tfr_status tfr_schema_found(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err);

/* Passes each feature, and then each feature list, that violates the schema to `found`, in bytewise
 * order of the names.  The arguments live until `found` returns.  A failure of `found` ends the
 * check and is returned.  `lists`: those of a SequenceExample; NULL: the record is not one. */
enum tfr_status tfr_schema_check(const struct tfr_schema *s, const struct tfr_example *ex,
	struct tfr_lists *lists, tfr_schema_found *found, void *ctx, struct tfr_error *err);

#endif
