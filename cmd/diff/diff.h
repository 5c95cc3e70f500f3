/* cmd/diff/diff.h - the result of tfr diff, and the functions that print it. */
#ifndef TFR_CMD_DIFF_DIFF_H
#define TFR_CMD_DIFF_DIFF_H

#include "common/findings.h"

enum { DIFF_SCHEMA = 1, DIFF_VALUES = 2, DIFF_RECORDS = 4, DIFF_ALL = 7 };

/* A difference as the library reports it; the texts are our copies. */
struct diff_schema {
	char *feature, *what, *has[2];
};

struct diff_result {
	const char *inputs[2]; /* as given on the command line */
	size_t files[2];
	struct tfr_sweep_report sides[2];
	unsigned aspects; /* DIFF_…: what was compared; 0: the overlap */
	bool same;

	const char *key;
	bool features, ordered;
	double threshold;
	uint64_t examples;
	struct tfr_diff_report records;
	struct tfr_overlap_report overlap;
	struct tfr_diff_class_report classes;
	/* Both are empty if all records are equal, because nothing else can differ then. */
	struct diff_schema *schema;
	size_t schema_count;
	/* Features that differ, the most different first; the names are our copies. */
	struct tfr_diff_values *values;
	size_t values_count, values_above; /* those above the threshold come first */
	size_t compared;		   /* features that were compared, including equal ones */
};

void diff_print(const struct diff_result *r);
void diff_print_json(struct cmd *c, const struct diff_result *r);
void diff_print_findings(struct cmd *c, const struct diff_result *r, enum report_format format);

#endif
