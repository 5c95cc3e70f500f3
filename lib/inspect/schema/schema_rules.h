/* inspect/schema/schema_rules.h - what a schema is made of, for who reads one and who holds records
 * to it.
 */
#ifndef TFR_INSPECT_SCHEMA_SCHEMA_RULES_H
#define TFR_INSPECT_SCHEMA_SCHEMA_RULES_H

#include <tfr-private/example.h>

enum { TFR_SCHEMA_WORD = 48 };

struct tfr_count {
	uint64_t min, max;
	char said[TFR_SCHEMA_WORD]; /* as it is written */
};

/* A feature, or a feature list. */
struct tfr_rule {
	char *name; /* `size` bytes */
	size_t size;
	enum tfr_kind kind;
	bool required;
	struct tfr_count values; /* of a list: in a step */
	struct tfr_count steps;	 /* of a list alone */
};

/* Sorted bytewise by name, each name once. */
struct tfr_rules {
	struct tfr_rule *at;
	size_t n, cap;
};

struct tfr_schema {
	struct tfr_rules features, lists;
	bool only; /* no others are allowed */
};

/* Bytewise, the shorter of two that begin alike first.  (schema_hold.c) */
int tfr_compare_names(const void *a, size_t a_size, const void *b, size_t b_size);

#endif
