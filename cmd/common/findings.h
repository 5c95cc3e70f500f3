/* cmd/common/findings.h - what check, doctor, diff and schema find, in the forms that CI services
 * read.
 *
 * --format text and json are the command's own; junit and github are printed here, alike for all of
 * them.  What is printed is well-formed whatever a file or a feature is called. */
#ifndef TFR_CMD_FINDINGS_H
#define TFR_CMD_FINDINGS_H

#include "common/cmd.h"

/* In the order of the words of --format. */
enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_JUNIT, FORMAT_GITHUB };

/* A member of the command's settings, for OPT_FORMAT(). */
struct report_options {
	int format;
	bool json;
};
#define OPT_FORMAT(settings, f)                                                                    \
	OPT(CHOICE, 0, "format", "FORMAT", "text|json|junit|github",                               \
		"print the findings as text, json, junit or github [text]", settings, f.format),   \
		OPT(FLAG, 0, "json", NULL, NULL, "the same as --format json", settings, f.json)

/* The format that was asked for.  On failure the error is printed and the status returned. */
int cmd_report_format(struct cmd *c, const struct report_options *o, enum report_format *format);

struct finding {
	enum finding_level { FINDING_ERROR, FINDING_WARNING, FINDING_NOTE } level;
	const char *name; /* of the check that found it; NULL: the command has one */
	const char *path; /* of a file; NULL or "-": of none in the repository */
	bool has_record;
	uint64_t record, offset;
	const char *text; /* one line */
	bool system;	  /* the system failed, not the data */
};

/* Prints "PATH:RECORD:OFFSET: text", or as much of it as there is, as one harmless line. */
void finding_print_line(FILE *f, const struct finding *one);

struct findings;

/* `format` is FORMAT_JUNIT or FORMAT_GITHUB.  NULL: out of memory, which is printed. */
struct findings *findings_new(struct cmd *c, enum report_format format);
void findings_free(struct findings *f); /* accepts NULL */
/* GitHub prints a finding at once; JUnit keeps it for the case. */
void findings_add(struct findings *f, const struct finding *one);
/* Ends a test case of JUnit, which has all findings since the last: it fails if one of them is more
 * than a note. */
void findings_end_case(struct findings *f, const char *name);
/* Prints what is kept, on standard output. */
void findings_print(struct findings *f);

#endif
