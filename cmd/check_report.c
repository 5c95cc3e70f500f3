/* cmd/check_report.c - the faults that check finds, for people and for three kinds of machine.
 *
 * A format is a row of formats[].  It is told each fault of a file, then the file; what it prints
 * is well-formed whatever a file is called.  Faults of one kind in the contents of records are one
 * fault, the first, with a count: they wait for the end, or, where a format prints each file by
 * itself, for the end of the file. */
#include "check_report.h"

#include <stdlib.h>
#include <string.h>

struct format {
	void (*start)(struct check_report *r);
	/* `reason` is one harmless line.  `system`: the file could not be read, which is an error
	 * on standard error already. */
	void (*fault)(struct check_report *r, const struct tfr_error *err, const char *reason,
		bool system);
	/* The same of a kind of faults in records; NULL: as a fault, the count after its reason. */
	void (*kind)(struct check_report *r, const struct tfr_error *err, const char *reason,
		uint64_t records, uint64_t files);
	void (*file)(struct check_report *r, const struct tfr_check_file *file);
	void (*end)(struct check_report *r, bool quick);
	bool closing_line;   /* on standard error, for people */
	bool kinds_per_file; /* they are counted for each file */
};

enum { MOST_KINDS = 1000 };

/* Faults of one kind, by the first. */
struct kind {
	uint64_t hash, records, files;
	uint64_t last_file; /* that has one */
	enum tfr_status status;
	bool has_record;
	uint64_t record, offset;
	char *path, *reason;
};

struct check_report {
	struct cmd *c;
	const struct format *format;
	struct tfr_check_file all;
	uint64_t files, bad_files;
	struct tfr_json *json;
	struct kind *kinds;
	size_t kind_count, kind_cap;

	/* JUnit: a suite says how many failed before its first case, so the cases wait. */
	struct text {
		FILE *f;
		char *data;
		size_t size;
	} cases, lines;
	uint64_t failures, errors, lines_here;
	bool refused; /* by the system, in this file */
};

static void no_memory(struct check_report *r)
{
	cmd_error(r->c, &(struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" });
}

/* --- text --- */

static void write_line(FILE *f, const struct tfr_error *err, const char *reason)
{
	char path[4 * sizeof(err->path)];

	tfr_escape_line(path, sizeof(path), err->path);
	if (err->has_record)
		fprintf(f, "%s:%llu:%llu: %s\n", path, (unsigned long long)err->record,
			(unsigned long long)err->offset, reason);
	else
		fprintf(f, "%s: %s\n", path, reason);
}

static void text_fault(
	struct check_report *r, const struct tfr_error *err, const char *reason, bool system)
{
	(void)r;
	if (!system)
		write_line(stdout, err, reason);
}

/* --- JSON --- */

static void json_start(struct check_report *r)
{
	r->json = cmd_json_open(2);
	tfr_json_open_array(r->json, "faults");
}

static void open_json_fault(struct tfr_json *j, const struct tfr_error *err, const char *reason)
{
	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "file", err->path);
	if (err->has_record) {
		tfr_json_u64(j, "record", err->record);
		tfr_json_u64(j, "offset", err->offset);
	}
	tfr_json_string(j, "reason", reason);
}

static void json_fault(
	struct check_report *r, const struct tfr_error *err, const char *reason, bool system)
{
	if (system)
		return;
	open_json_fault(r->json, err, reason);
	tfr_json_close_object(r->json);
}

static void json_kind(struct check_report *r, const struct tfr_error *err, const char *reason,
	uint64_t records, uint64_t files)
{
	open_json_fault(r->json, err, reason);
	tfr_json_u64(r->json, "fault_records", records);
	tfr_json_u64(r->json, "fault_files", files);
	tfr_json_close_object(r->json);
}

static void json_end(struct check_report *r, bool quick)
{
	struct tfr_json *j = r->json;

	tfr_json_close_array(j);
	tfr_json_u64(j, "files", r->files);
	tfr_json_u64(j, "bad_files", r->bad_files);
	tfr_json_u64(j, "records", r->all.records);
	if (!quick)
		tfr_json_u64(j, "payload_bytes", r->all.payload_bytes);
	tfr_json_u64(j, "lost_bytes", r->all.lost_bytes);
	tfr_json_u64(j, "images", r->all.images);
	tfr_json_close_object(j);
	r->json = NULL; /* freed with the printing */
	cmd_print_json(r->c, j, stdout);
}

/* --- JUnit --- */

/* One line, or several of write_line(), as text or as the value of an attribute in double quotes.
 * They are harmless, and so characters that XML 1.0 can hold (its section 2.2). */
static void write_xml(FILE *f, const char *text)
{
	for (; *text; text++) {
		const char *special = strchr("&<>\"", *text);

		if (special)
			fputs((const char *[]){ "&amp;", "&lt;", "&gt;",
				      "&quot;" }[special - strchr("&<>\"", '&')],
				f);
		else
			fputc(*text, f);
	}
}

static void text_open(struct text *t)
{
	t->f = open_memstream(&t->data, &t->size);
}

static bool text_close(struct text *t)
{
	bool good = t->f && !ferror(t->f);

	if (t->f && fclose(t->f))
		good = false;
	t->f = NULL;
	return good;
}

static void junit_start(struct check_report *r)
{
	text_open(&r->cases);
	text_open(&r->lines);
	if (!r->cases.f || !r->lines.f)
		no_memory(r);
}

static void junit_fault(
	struct check_report *r, const struct tfr_error *err, const char *reason, bool system)
{
	if (!r->lines.f)
		return;
	r->refused |= system;
	r->lines_here++;
	write_line(r->lines.f, err, reason);
}

static void write_case(struct check_report *r, const char *path, const char *lines)
{
	FILE *f = r->cases.f;
	const char *element = r->refused ? "error" : "failure", *end = strchr(lines, '\n');
	char *first = strndup(lines, end ? (size_t)(end - lines) : 0);
	char name[4 * sizeof(((struct tfr_error *)NULL)->path)];

	fputs("  <testcase classname=\"tfr.check\" name=\"", f);
	write_xml(f, tfr_escape_line(name, sizeof(name), path));
	if (!r->lines_here) {
		fputs("\"/>\n", f);
	} else {
		fprintf(f, "\">\n    <%s type=\"%s\" message=\"", element,
			r->refused ? "system" : "data");
		write_xml(f, first ? first : "");
		if (r->lines_here > 1)
			fprintf(f, " (and %llu more)", (unsigned long long)r->lines_here - 1);
		fputs("\">", f);
		write_xml(f, lines);
		fprintf(f, "</%s>\n  </testcase>\n", element);
	}
	free(first);
}

/* One failure a case, with all its faults: more than one is not in every reader's schema. */
static void junit_file(struct check_report *r, const struct tfr_check_file *file)
{
	if (!r->cases.f || !r->lines.f)
		return;
	if (fflush(r->lines.f)) {
		no_memory(r);
		return;
	}
	write_case(r, file->path, r->lines_here ? r->lines.data : "");
	r->failures += r->lines_here && !r->refused;
	r->errors += r->refused;
	r->refused = false;
	r->lines_here = 0;
	text_close(&r->lines);
	free(r->lines.data);
	r->lines = (struct text){ 0 };
	text_open(&r->lines);
	if (!r->lines.f)
		no_memory(r);
}

static void junit_end(struct check_report *r, bool quick)
{
	(void)quick;
	if (!text_close(&r->cases)) {
		no_memory(r);
		return;
	}
	printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<testsuites>\n <testsuite name=\"tfr check\" tests=\"%llu\" failures=\"%llu\" "
	       "errors=\"%llu\" skipped=\"0\" time=\"%.3f\">\n%s </testsuite>\n</testsuites>\n",
		(unsigned long long)r->files, (unsigned long long)r->failures,
		(unsigned long long)r->errors, cmd_seconds(), r->cases.data);
}

/* --- GitHub --- */

/* A command ends with its line, and a property also at ',' or ':'; '%' starts an escape (GitHub's
 * toolkit, core/src/command.ts). */
static void print_escaped(const char *text, const char *specials)
{
	size_t left = strlen(text), len;

	for (; left; text += len, left -= len) {
		len = tfr_text_harmless(text, left);
		if (strchr(specials, *text))
			printf("%%%02X", (unsigned char)*text);
		else if (len)
			fwrite(text, 1, len, stdout);
		else
			printf("\\x%02x", (unsigned char)*text);
		len = len ? len : 1;
	}
}

static void github_fault(
	struct check_report *r, const struct tfr_error *err, const char *reason, bool system)
{
	(void)r;
	(void)system;
	printf("::error ");
	if (strcmp(err->path, "-")) { /* standard input is no file of the repository */
		printf("file=");
		print_escaped(err->path, "%\r\n:,");
		printf(",");
	}
	printf("title=tfr check::");
	if (err->has_record)
		printf("record %llu, offset %llu: ", (unsigned long long)err->record,
			(unsigned long long)err->offset);
	print_escaped(reason, "%\r\n");
	printf("\n");
}

/* --- all --- */

static const struct format formats[] = {
	[CHECK_TEXT] = { .fault = text_fault, .closing_line = true },
	[CHECK_JSON] = { .start = json_start,
		.fault = json_fault,
		.kind = json_kind,
		.end = json_end },
	[CHECK_JUNIT] = { .start = junit_start,
		.kinds_per_file = true,
		.fault = junit_fault,
		.file = junit_file,
		.end = junit_end,
		.closing_line = true },
	[CHECK_GITHUB] = { .fault = github_fault, .closing_line = true },
};

/* --- kinds --- */

static void drop_kinds(struct check_report *r)
{
	for (size_t i = 0; i < r->kind_count; i++) {
		free(r->kinds[i].path);
		free(r->kinds[i].reason);
	}
	r->kind_count = 0;
}

/* The kind; after MOST_KINDS of them the last, which is of all others. */
static struct kind *find_kind(struct check_report *r, uint64_t hash)
{
	for (size_t i = 0; i < r->kind_count; i++)
		if (r->kinds[i].hash == hash || i == MOST_KINDS)
			return &r->kinds[i];
	return NULL;
}

static bool add_kind(struct check_report *r, const struct tfr_error *err, const char *reason,
	const struct tfr_check_kind *kind)
{
	struct kind *k;

	if (r->kind_count == r->kind_cap) {
		size_t cap = r->kind_cap ? 2 * r->kind_cap : 16;

		k = realloc(r->kinds, cap * sizeof(*k));
		if (!k)
			return false;
		r->kinds = k;
		r->kind_cap = cap;
	}
	k = &r->kinds[r->kind_count];
	*k = (struct kind){ .hash = kind->hash,
		.records = kind->records,
		.files = 1,
		.last_file = r->files,
		.status = err->status,
		.has_record = err->has_record,
		.record = err->record,
		.offset = err->offset,
		.path = strdup(err->path) };
	if (r->kind_count < MOST_KINDS)
		k->reason = strdup(reason);
	else if (asprintf(&k->reason,
			 "more than %d kinds of faults: further kinds are only counted",
			 MOST_KINDS) < 0)
		k->reason = NULL;
	r->kind_count++;
	return k->path && k->reason;
}

static void count_kind(struct check_report *r, const struct tfr_error *err, const char *reason,
	const struct tfr_check_kind *kind)
{
	struct kind *k = find_kind(r, kind->hash);

	if (!k) {
		if (!add_kind(r, err, reason, kind))
			no_memory(r);
		return;
	}
	k->records += kind->records;
	k->files += k->last_file != r->files;
	k->last_file = r->files;
}

static void print_kind(struct check_report *r, const struct kind *k)
{
	struct tfr_error err = { .status = k->status,
		.has_record = k->has_record,
		.record = k->record,
		.offset = k->offset };
	unsigned long long records = k->records, files = k->files;
	char reason[1200];
	int n = snprintf(reason, sizeof(reason), "%.1023s", k->reason);

	snprintf(err.path, sizeof(err.path), "%s", k->path);
	if (r->format->kind) {
		r->format->kind(r, &err, reason, records, files);
		return;
	}
	if (!k->has_record && files > 1 && n > 0) /* it is a fault of files */
		snprintf(
			reason + n, sizeof(reason) - (size_t)n, "; the first of %llu files", files);
	else if (records > 1 && k->has_record && n > 0)
		n += snprintf(reason + n, sizeof(reason) - (size_t)n, "; the first of %llu records",
			records);
	if (files > 1 && k->has_record && n > 0)
		snprintf(reason + n, sizeof(reason) - (size_t)n, " in %llu files", files);
	r->format->fault(r, &err, reason, false);
}

static void print_kinds(struct check_report *r)
{
	for (size_t i = 0; i < r->kind_count; i++)
		if (r->kinds[i].path && r->kinds[i].reason)
			print_kind(r, &r->kinds[i]);
	drop_kinds(r);
}

struct check_report *check_report_new(struct cmd *c, enum check_format format)
{
	struct check_report *r = calloc(1, sizeof(*r));

	if (!r) {
		no_memory(&(struct check_report){ .c = c });
		return NULL;
	}
	r->c = c;
	r->format = &formats[format];
	if (r->format->start)
		r->format->start(r);
	return r;
}

void check_report_free(struct check_report *r)
{
	if (!r)
		return;
	text_close(&r->cases);
	text_close(&r->lines);
	free(r->cases.data);
	free(r->lines.data);
	drop_kinds(r);
	free(r->kinds);
	tfr_json_free(r->json);
	free(r);
}

void check_report_fault(void *ctx, const struct tfr_error *err, const struct tfr_check_kind *kind)
{
	struct check_report *r = ctx;
	struct tfr_error bare = *err;
	char reason[1024];
	int status = tfr_status_exit_code(err->status);

	/* What the system refused is no fault of the data: it is an error, and goes where errors
	 * go. */
	if (status > 1)
		cmd_error(r->c, err);
	else if (r->c->exit < status)
		r->c->exit = status;
	bare.has_record = false; /* the line has file, record and offset already */
	bare.path[0] = '\0';
	tfr_error_format(&bare, reason, sizeof(reason));
	if (kind && !(status > 1))
		count_kind(r, err, reason, kind);
	else
		r->format->fault(r, err, reason, status > 1);
}

void check_report_file(void *ctx, const struct tfr_check_file *file)
{
	struct check_report *r = ctx;

	r->files++;
	r->bad_files += file->faults != 0;
	r->all.records += file->records;
	r->all.payload_bytes += file->payload_bytes;
	r->all.faults += file->faults;
	r->all.lost_bytes += file->lost_bytes;
	r->all.images += file->images;
	r->all.sum += file->sum;
	if (!file->records && !file->faults)
		cmd_warn_empty(r->c, file->path);
	if (r->format->kinds_per_file)
		print_kinds(r);
	if (r->format->file)
		r->format->file(r, file);
}

void check_report_expect(struct check_report *r, const struct tfr_expect *expect)
{
	const char *named = r->c->count ? r->c->operands[0] : "-";
	struct tfr_error err;

	if (!tfr_expect_check(expect, r->all.records, r->all.sum, &err))
		return;
	snprintf(err.path, sizeof(err.path), "%s%s", named, r->c->count > 1 ? ", ..." : "");
	r->all.faults++;
	r->bad_files += !r->bad_files;
	check_report_fault(r, &err, NULL);
}

/* "2 files" */
static const char *counted(uint64_t n, const char *noun, char text[64])
{
	snprintf(text, 64, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
	return text;
}

static void print_closing_line(const struct check_report *r, bool quick, bool decode)
{
	char files[64], records[64], size[TFR_SIZE_TEXT], payload[64] = "", images[64] = "",
							  found[160] = "whole", lost[64] = "";

	if (!quick)
		snprintf(payload, sizeof(payload), ", %s",
			tfr_format_size(r->all.payload_bytes, size));
	if (decode)
		snprintf(images, sizeof(images), ", %llu images decoded",
			(unsigned long long)r->all.images);
	if (r->all.faults)
		snprintf(found, sizeof(found), "%s in %s", counted(r->all.faults, "fault", records),
			counted(r->bad_files, "file", files));
	if (r->all.lost_bytes)
		snprintf(lost, sizeof(lost), ", %s unreadable",
			tfr_format_size(r->all.lost_bytes, size));
	cmd_closing_line(r->c, "%s, %s%s%s: %s%s (%.2f s)", counted(r->files, "file", files),
		counted(r->all.records, "record", records), payload, images, found, lost,
		cmd_seconds());
}

void check_report_end(struct check_report *r, bool quick, bool decode)
{
	print_kinds(r);
	if (r->format->end)
		r->format->end(r, quick);
	fflush(stdout);
	if (r->format->closing_line)
		print_closing_line(r, quick, decode);
}
