/* cmd/diff/diff.h - the result of tfr diff, and the functions that print it. */
#ifndef TFR_CMD_DIFF_DIFF_H
#define TFR_CMD_DIFF_DIFF_H

#include "common/findings.h"

enum { DIFF_SCHEMA = 1, DIFF_VALUES = 2, DIFF_RECORDS = 4, DIFF_ALL = 7 };

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
	struct tfr_diff_report records; /* or the overlap */
	struct tfr_diff_class_report classes;
	/* Both are empty if all records are equal, because nothing else can differ then. */
	struct tfr_diff_schemas schema;
	struct tfr_diff_distributions values;
	size_t values_above; /* those above the threshold, which come first */
};

void diff_print(const struct diff_result *r);
void diff_print_json(struct cmd *c, const struct diff_result *r);
void diff_print_findings(struct cmd *c, const struct diff_result *r, enum report_format format);

#endif
