/* cmd/common/findings.c - JUnit's XML and GitHub's workflow commands.
 *
 * A suite of JUnit states the number of failed cases before its first case, so the cases are kept
 * in memory until the end.  One case has one failure with all its findings, because not every
 * reader's schema allows several. */
#include "common/findings.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/html_page.h"
#include "common/text.h"

struct findings {
	struct cmd *c;
	enum report_format format;
	uint64_t cases, failures, errors;
	struct text xml; /* the finished cases */

	/* The current case. */
	struct text lines, notes;
	uint64_t line_count, note_count;
	bool system;	 /* one of them is a failure of the system */
	bool incomplete; /* memory ran out: a finding or a case is missing */
};

/* Writes a character that has a meaning in the format. */
static void put_special(FILE *f, char c)
{
	const char *entity = page_entity((uint8_t)c);

	if (entity)
		fputs(entity, f);
	else
		fprintf(f, "%%%02X", (unsigned char)c);
}

/* Writes one line of text without control characters, and its `specials` as put_special() does. */
static void put_line(FILE *f, const char *text, const char *specials)
{
	size_t left = strlen(text), len;

	for (; left; text += len, left -= len) {
		len = tfr_text_harmless(text, left);
		if (strchr(specials, *text))
			put_special(f, *text);
		else if (len)
			fwrite(text, 1, len, f);
		else
			fprintf(f, "\\x%02x", (unsigned char)*text);
		len = len ? len : 1;
	}
}

void finding_print_line(FILE *f, const struct finding *one)
{
	if (one->path) {
		put_line(f, one->path, "");
		fputc(':', f);
	}
	if (one->has_record)
		fprintf(f, "%llu:%llu:", (unsigned long long)one->record,
			(unsigned long long)one->offset);
	if (one->path || one->has_record)
		fputc(' ', f);
	put_line(f, one->text, "");
	fputc('\n', f);
}

/* --- GitHub --- */

/* A command ends with its line, and a property also at ',' or ':'; '%' starts an escape (GitHub's
 * toolkit, core/src/command.ts). */
#define COMMAND_SPECIALS "%\r\n"
#define PROPERTY_SPECIALS COMMAND_SPECIALS ":,"

static void print_github(const struct findings *f, const struct finding *one)
{
	static const char *const levels[] = { "error", "warning", "notice" };

	printf("::%s ", levels[one->level]);
	if (one->path && strcmp(one->path, "-")) {
		printf("file=");
		put_line(stdout, one->path, PROPERTY_SPECIALS);
		printf(",");
	}
	printf("title=tfr %s::", f->c->command->name);
	if (one->name)
		printf("%s: ", one->name);
	if (one->has_record)
		printf("record %llu, offset %llu: ", (unsigned long long)one->record,
			(unsigned long long)one->offset);
	put_line(stdout, one->text, COMMAND_SPECIALS);
	printf("\n");
}

/* --- JUnit --- */

/* The characters that text, and the value of an attribute in double quotes, cannot hold. */
#define XML_SPECIALS "&<>\""

/* Writes lines whose control characters are escaped already: XML 1.0 cannot hold them (its section
 * 2.2). */
static void write_xml(FILE *f, const char *text, size_t size)
{
	for (; size; text++, size--)
		if (strchr(XML_SPECIALS, *text))
			put_special(f, *text);
		else
			fputc(*text, f);
}

/* The failure of a case: its first line as the message, all of them as its text. */
static void write_failure(const struct findings *f, const char *lines)
{
	const char *element = f->system ? "error" : "failure";

	fprintf(f->xml.f, "    <%s type=\"%s\" message=\"", element, f->system ? "system" : "data");
	write_xml(f->xml.f, lines, strcspn(lines, "\n"));
	if (f->line_count > 1)
		fprintf(f->xml.f, " (and %llu more)", (unsigned long long)f->line_count - 1);
	fputs("\">", f->xml.f);
	write_xml(f->xml.f, lines, strlen(lines));
	fprintf(f->xml.f, "</%s>\n", element);
}

static void write_case(
	const struct findings *f, const char *name, const char *lines, const char *notes)
{
	fprintf(f->xml.f, "  <testcase classname=\"tfr.%s\" name=\"", f->c->command->name);
	put_line(f->xml.f, name, XML_SPECIALS);
	if (!f->line_count && !f->note_count) {
		fputs("\"/>\n", f->xml.f);
		return;
	}
	fputs("\">\n", f->xml.f);
	if (f->line_count)
		write_failure(f, lines);
	if (f->note_count) {
		fputs("    <system-out>", f->xml.f);
		write_xml(f->xml.f, notes, strlen(notes));
		fputs("</system-out>\n", f->xml.f);
	}
	fputs("  </testcase>\n", f->xml.f);
}

static void print_suite(const struct findings *f, const char *xml)
{
	printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<testsuites>\n <testsuite name=\"tfr %s\" tests=\"%llu\" failures=\"%llu\" "
	       "errors=\"%llu\" skipped=\"0\" time=\"%.3f\">\n%s </testsuite>\n</testsuites>\n",
		f->c->command->name, (unsigned long long)f->cases, (unsigned long long)f->failures,
		(unsigned long long)f->errors, cmd_seconds(), xml);
}

/* --- both formats --- */

struct findings *findings_new(struct cmd *c, enum report_format format)
{
	struct findings *f = calloc(1, sizeof(*f));

	assert(format == FORMAT_JUNIT || format == FORMAT_GITHUB);
	if (f) {
		f->c = c;
		f->format = format;
		if (text_open(&f->xml) && text_open(&f->lines) && text_open(&f->notes))
			return f;
	}
	cmd_no_memory(c);
	findings_free(f);
	return NULL;
}

void findings_free(struct findings *f)
{
	if (!f)
		return;
	free(text_close(&f->xml));
	free(text_close(&f->lines));
	free(text_close(&f->notes));
	free(f);
}

void findings_add(struct findings *f, const struct finding *one)
{
	bool note = one->level == FINDING_NOTE;
	FILE *to = note ? f->notes.f : f->lines.f;

	if (!one->text || !to) {
		f->incomplete = true;
		return;
	}
	if (f->format == FORMAT_GITHUB) {
		print_github(f, one);
		return;
	}
	f->system |= one->system;
	f->line_count += !note;
	f->note_count += note;
	if (one->name)
		fprintf(to, "%s: ", one->name);
	finding_print_line(to, one);
}

void findings_end_case(struct findings *f, const char *name)
{
	char *lines = text_close(&f->lines), *notes = text_close(&f->notes);

	if (f->format == FORMAT_JUNIT && lines && notes && f->xml.f) {
		write_case(f, name, lines, notes);
		f->cases++;
		f->failures += f->line_count && !f->system;
		f->errors += f->system;
	}
	f->incomplete |= !lines || !notes;
	free(lines);
	free(notes);
	f->line_count = f->note_count = 0;
	f->system = false;
	if (!text_open(&f->lines) || !text_open(&f->notes))
		f->incomplete = true;
}

void findings_print(struct findings *f)
{
	char *xml = f->format == FORMAT_JUNIT ? text_close(&f->xml) : NULL;

	f->c->failed = NULL;
	if (f->incomplete || (f->format == FORMAT_JUNIT && !xml))
		cmd_no_memory(f->c);
	else if (xml)
		print_suite(f, xml);
	free(xml);
}

/* --- errors that end the command --- */

static void report_failure(struct cmd *c, const struct tfr_error *err, enum report_format format)
{
	struct findings *f = findings_new(c, format);
	const char *path = tfr_error_path(err);
	char text[4 * TFR_ERROR_TEXT + 1024];

	if (!f)
		return;
	findings_add(f, &(struct finding){ .path = format == FORMAT_GITHUB && *path ? path : NULL,
				.text = tfr_error_format(err, text, sizeof(text)),
				.system = tfr_status_exit_code(err->status) == 3 });
	findings_end_case(f, "inputs");
	findings_print(f);
	findings_free(f);
}

static void junit_failure(struct cmd *c, const struct tfr_error *err)
{
	report_failure(c, err, FORMAT_JUNIT);
}

static void github_failure(struct cmd *c, const struct tfr_error *err)
{
	report_failure(c, err, FORMAT_GITHUB);
}

void findings_report_failures(struct cmd *c, enum report_format format)
{
	if (format == FORMAT_JUNIT)
		c->failed = junit_failure;
	else if (format == FORMAT_GITHUB)
		c->failed = github_failure;
}
