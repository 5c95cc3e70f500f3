/* cmd/common/findings.h - the findings of check, doctor, diff and schema, in the formats of CI
 * services.
 *
 * Each command prints --format text and json itself; this file prints junit and github for all of
 * them. The output is well-formed for any name of a file or feature. */
#ifndef TFR_CMD_FINDINGS_H
#define TFR_CMD_FINDINGS_H

#include "common/cmd.h"

/* In the order of the words of --format. */
enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_JUNIT, FORMAT_GITHUB };

/* `f` is an int, an enum report_format. */
#define OPT_FORMAT(settings, f)                                                                    \
	OPT(CHOICE, 0, "format", "FORMAT", "text|json|junit|github",                               \
		"print the findings as text, json, junit or github [text]", settings, f),          \
		OPT_ALIAS("json", "format=json")

struct finding {
	enum finding_level { FINDING_ERROR, FINDING_WARNING, FINDING_NOTE } level;
	const char *name; /* the check that found it; NULL: the command has only one */
	const char *path; /* the file; NULL or "-": none in the repository */
	bool has_record;
	uint64_t record, offset;
	const char *text; /* one line; NULL: out of memory, which findings_print() reports */
	bool system;	  /* the system failed, not the data */
};

/* Prints "PATH:RECORD:OFFSET: text", or as much of it as is known, as one harmless line. */
void finding_print_line(FILE *f, const struct finding *one);

struct findings;

/* `format` is FORMAT_JUNIT or FORMAT_GITHUB.  NULL: out of memory; the error is printed. */
struct findings *findings_new(struct cmd *c, enum report_format format);
void findings_free(struct findings *f); /* accepts NULL */
/* GitHub: prints a finding at once; JUnit: keeps it for the case. */
void findings_add(struct findings *f, const struct finding *one);
/* Ends a test case of JUnit, with all findings since the previous one.  It fails if one of them is
 * more than a note. */
void findings_end_case(struct findings *f, const char *name);
/* Prints the findings that were kept, on standard output. */
void findings_print(struct findings *f);

/* From now on, an error that ends the command by cmd_fail() is printed as a finding as well: inputs
 * that cannot be opened, or a disk that fails.  Until findings_print(); JUnit then has a suite of
 * one case, "inputs".  Does nothing for FORMAT_TEXT and FORMAT_JSON. */
void findings_report_failures(struct cmd *c, enum report_format format);

#endif
