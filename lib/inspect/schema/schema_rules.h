/* inspect/schema/schema_rules.h - the parts of a schema, for the code that reads one and the code
 * that checks records against it. */
#ifndef TFR_INSPECT_SCHEMA_SCHEMA_RULES_H
#define TFR_INSPECT_SCHEMA_SCHEMA_RULES_H

#include <tfr-private/example.h>

enum { TFR_SCHEMA_WORD = 48 };

struct tfr_count {
	uint64_t min, max;
	char said[TFR_SCHEMA_WORD]; /* as written in the schema */
};

/* A feature, or a feature list. */
struct tfr_rule {
	char *name; /* `size` bytes */
	size_t size;
	enum tfr_kind kind;
	bool required;
	struct tfr_count values; /* for a list: per step */
	struct tfr_count steps;	 /* for a list only */
};

/* Sorted by name, bytewise; names are unique. */
struct tfr_rules {
	struct tfr_rule *at;
	size_t n, cap;
};

struct tfr_schema {
	struct tfr_rules features, lists;
	bool only; /* no other features are allowed */
};

/* Compares bytewise; a prefix comes first.  (schema_check.c) */
int tfr_compare_names(const void *a, size_t a_size, const void *b, size_t b_size);

#endif
