/* example/where.h - a compiled --where expression: where_parse.c creates it, where.c evaluates
 * it. */
#ifndef TFR_EXAMPLE_WHERE_H
#define TFR_EXAMPLE_WHERE_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <tfr-private/example.h>

#include "base/buf.h"

enum {
	TFR_WHERE_MAX_NODES = 1000, /* bounds the recursion of parser and evaluation */
	TFR_WHERE_MAX_DEPTH = 100,  /* parentheses and ! */
};

enum tfr_where_what {
	WHERE_INTEGER,
	WHERE_REAL,
	WHERE_TEXT,
	WHERE_FEATURE, /* all values of a feature; from here on the operand names a feature */
	WHERE_ITEM,    /* one value of a feature */
	WHERE_LEN,
	WHERE_SIZE,
};

/* One side of a comparison. */
struct tfr_where_operand {
	enum tfr_where_what what;
	unsigned name;	/* of the feature */
	uint64_t index; /* WHERE_ITEM */
	int64_t i;
	long double real;
	char *text; /* owned */
	size_t text_size;
};

enum tfr_where_op {
	WHERE_OR,
	WHERE_AND,
	WHERE_NOT,
	WHERE_EXISTS,
	WHERE_EQ, /* from here on: comparisons of a and b */
	WHERE_NE,
	WHERE_LT,
	WHERE_LE,
	WHERE_GT,
	WHERE_GE,
	WHERE_MATCH,
};

struct tfr_where_node {
	enum tfr_where_op op;
	unsigned left, right;	       /* nodes, of OR, AND, NOT (left) */
	struct tfr_where_operand a, b; /* EXISTS: only a.name; only `a` can be WHERE_FEATURE */
	pcre2_code *pattern;
};

struct tfr_where {
	struct tfr_where_node *nodes;
	unsigned n_nodes, root;
	char **names; /* owned */
	unsigned n_names;
	struct tfr_feature_watch *watch; /* of the same names */
	pcre2_match_data *match_data;
	pcre2_match_context *match_context;
};

#endif
