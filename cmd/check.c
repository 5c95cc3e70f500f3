/* cmd/check.c - tfr check: verifies that files are intact.
 *
 * Prints nothing on standard output if all files are intact; otherwise one line
 * `FILE:RECORD:OFFSET: reason` per fault. */
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/findings.h"

/* --- the report --- */

/* Each fault when it is found, and the summary, in each format.
 *
 * Faults of the same kind in the contents of records are reported as one: the first, with a
 * count. They are kept to the end of the run, or, if each file has a test case of its own, to
 * the end of the file. */

enum { MOST_KINDS = 1000 };

static const char further_kinds[] =
	"more than 1000 kinds of faults: further kinds are only counted";

/* Faults of one kind, represented by the first, whose path and text belong to it. */
struct kind {
	struct finding first;
	uint64_t hash, records, files;
	uint64_t last_file; /* the last file with such a fault */
};

struct check_report {
	struct cmd *c;
	enum report_format format;
	struct tfr_check_file all;
	uint64_t files, bad_files;
	struct tfr_json *json;		   /* for FORMAT_JSON */
	struct findings *findings;	   /* for FORMAT_JUNIT and FORMAT_GITHUB */
	struct kind kinds[MOST_KINDS + 1]; /* the last one holds all further kinds */
	size_t kind_count;
};

/* one->system: the file could not be read; that error is already on standard error.  `kind`: `one`
 * stands for all faults of this kind; NULL: for itself. */
static void print_fault(struct check_report *r, const struct finding *one, const struct kind *kind)
{
	if (r->findings) {
		findings_add(r->findings, one);
	} else if (one->system) {
		return;
	} else if (r->format == FORMAT_JSON) {
		tfr_json_open_object(r->json, NULL);
		tfr_json_string(r->json, "file", one->path);
		if (one->has_record) {
			tfr_json_u64(r->json, "record", one->record);
			tfr_json_u64(r->json, "offset", one->offset);
		}
		tfr_json_string(r->json, "reason", one->text);
		if (kind) {
			tfr_json_u64(r->json, "fault_records", kind->records);
			tfr_json_u64(r->json, "fault_files", kind->files);
		}
		tfr_json_close_object(r->json);
	} else {
		cmd_progress_hide();
		finding_print_line(stdout, one);
	}
}

static void end_json(struct check_report *r, bool quick)
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
	r->json = NULL; /* cmd_print_json() frees it */
	cmd_print_json(r->c, j, stdout);
}

/* --- kinds --- */

static void count_kind(
	struct check_report *r, const struct finding *one, const struct tfr_check_kind *kind)
{
	struct kind *k = r->kinds, *last = r->kinds + MOST_KINDS;

	while (k < r->kinds + r->kind_count && k < last && k->hash != kind->hash)
		k++;
	if (k == r->kinds + r->kind_count) {
		*k = (struct kind){ .first = *one, .hash = kind->hash };
		k->first.path = strdup(one->path);
		k->first.text = strdup(k < last ? one->text : further_kinds);
		r->kind_count++;
		if (!k->first.path || !k->first.text)
			cmd_no_memory(r->c);
	}
	k->records += kind->records;
	k->files += !k->files || k->last_file != r->files;
	k->last_file = r->files;
}

static void print_kind(struct check_report *r, const struct kind *k)
{
	bool in_records = k->first.has_record; /* otherwise the fault concerns files */
	unsigned long long files = k->files, faults = in_records ? k->records : files;
	struct finding one = k->first;
	char text[1200];
	int n = snprintf(text, sizeof(text), "%s", one.text);

	if (r->format != FORMAT_JSON)
		one.text = text;
	if (faults > 1 && n > 0)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "; the first of %llu %s", faults,
			in_records ? "records" : "files");
	if (in_records && files > 1 && n > 0)
		snprintf(text + n, sizeof(text) - (size_t)n, " in %llu files", files);
	print_fault(r, &one, k);
}

static void drop_kinds(struct check_report *r, bool print)
{
	for (struct kind *k = r->kinds; k < r->kinds + r->kind_count; k++) {
		if (print && k->first.path && k->first.text)
			print_kind(r, k);
		free((char *)k->first.path);
		free((char *)k->first.text);
	}
	r->kind_count = 0;
}

/* Accepts NULL. */
static void check_report_free(struct check_report *r)
{
	if (!r)
		return;
	findings_free(r->findings);
	drop_kinds(r, false);
	tfr_json_free(r->json);
	free(r);
}

/* NULL: out of memory; the error is printed. */
static struct check_report *check_report_new(struct cmd *c, enum report_format format)
{
	struct check_report *r = calloc(1, sizeof(*r));

	if (!r) {
		cmd_no_memory(c);
		return NULL;
	}
	r->c = c;
	r->format = format;
	if (format == FORMAT_JSON) {
		r->json = cmd_json_open(2);
		tfr_json_open_array(r->json, "faults");
	} else if (format != FORMAT_TEXT) {
		r->findings = findings_new(c, format);
	}
	if (format == FORMAT_TEXT || format == FORMAT_JSON || r->findings)
		return r;
	check_report_free(r);
	return NULL;
}

/* Callbacks for tfr_check_opts; ctx is the report. */
static void check_report_fault(
	void *ctx, const char *path, const struct tfr_error *err, const struct tfr_check_kind *kind)
{
	struct check_report *r = ctx;
	struct tfr_error bare = *err;
	char reason[1024];
	int status = tfr_status_exit_code(err->status);
	struct finding one = { .path = path,
		.has_record = err->has_record,
		.record = err->record,
		.offset = err->offset,
		.text = reason,
		.system = status > 1 };

	/* A failure of the system is not a fault of the data: it is an error, and is printed with
	 * the errors. */
	if (status > 1)
		cmd_error(r->c, err);
	else if (r->c->exit < status)
		r->c->exit = status;
	bare.has_record = false; /* the line has file, record and offset already */
	tfr_error_format(&bare, reason, sizeof(reason));
	if (kind && !(status > 1))
		count_kind(r, &one, kind);
	else
		print_fault(r, &one, NULL);
}

static void check_report_warn(void *ctx, const char *text)
{
	struct check_report *r = ctx;

	cmd_warn_text(r->c, text);
}

static void check_report_file(void *ctx, const struct tfr_check_file *file)
{
	struct check_report *r = ctx;

	r->files++;
	r->bad_files += file->faults != 0;
	tfr_check_file_add(&r->all, file);
	if (!file->records && !file->faults)
		cmd_warn_empty(r->c, file->path);
	if (r->format == FORMAT_JUNIT)
		drop_kinds(r, true);
	if (r->findings)
		findings_end_case(r->findings, file->path);
}

/* After the last file: a number of records or a sum that differs from the expected one is another
 * fault. */
static void check_report_expect(struct check_report *r, const struct tfr_expect *expect)
{
	const char *named = r->c->count ? r->c->operands[0] : "-";
	struct tfr_error err;
	char path[4096];

	if (!tfr_expect_check(expect, r->all.records, r->all.sum, &err))
		return;
	snprintf(path, sizeof(path), "%s%s", named, r->c->count > 1 ? ", ..." : "");
	r->all.faults++;
	r->bad_files += !r->bad_files;
	check_report_fault(r, path, &err, NULL);
	if (r->findings)
		findings_end_case(r->findings, "expected records");
}

static void print_closing_line(const struct check_report *r, bool quick, bool decode)
{
	char files[64], records[64], size[TFR_SIZE_TEXT], payload[64] = "", images[80] = "",
							  found[160] = "intact", lost[64] = "";

	if (!quick)
		snprintf(payload, sizeof(payload), ", %s",
			tfr_format_size(r->all.payload_bytes, size));
	if (decode)
		snprintf(images, sizeof(images), ", %s decoded",
			tfr_format_counted(r->all.images, "image", records));
	if (r->all.faults)
		snprintf(found, sizeof(found), "%s in %s",
			tfr_format_counted(r->all.faults, "fault", records),
			tfr_format_counted(r->bad_files, "file", files));
	if (r->all.lost_bytes)
		snprintf(lost, sizeof(lost), ", %s unreadable",
			tfr_format_size(r->all.lost_bytes, size));
	cmd_closing_line(r->c, "%s, %s%s%s: %s%s (%.2f s)",
		tfr_format_counted(r->files, "file", files),
		tfr_format_counted(r->all.records, "record", records), payload, images, found, lost,
		cmd_seconds());
}

/* `quick`: payloads were not read; `decode`: images were decoded. */
static void check_report_end(struct check_report *r, bool quick, bool decode)
{
	drop_kinds(r, true);
	if (r->format == FORMAT_JSON)
		end_json(r, quick);
	if (r->findings)
		findings_print(r->findings);
	fflush(stdout);
	if (r->format != FORMAT_JSON)
		print_closing_line(r, quick, decode);
}

/* --- the command --- */

struct check_settings {
	const char *schema, *part;
	uint64_t jobs, max_record;
	bool example, decode, manifest, strict, quick, allow_missing, quiet;
	int format, progress;
	struct expecting expect;
};

static const struct opt options[] = {
	OPT_HEADING("Checks"),
	OPT(FLAG, 0, "example", NULL, NULL, "each record must be an Example", struct check_settings,
		example),
	OPT(FLAG, 0, "decode", NULL, NULL,
		"each image must decode in full; names the bad ones (implies --example)",
		struct check_settings, decode),
	OPT_GONE("max-pixels", "The limit is 500,000,000 pixels."),
	OPT(STRING, 0, "schema", "FILE", NULL,
		"each record must have the features that FILE lists (implies --example)",
		struct check_settings, schema),
	OPT(FLAG, 0, "manifest", NULL, NULL, "each file must be what the manifest of its set says",
		struct check_settings, manifest),
	OPT(FLAG, 0, "strict", NULL, NULL,
		"what TensorFlow, DALI, PyPI's tfrecord or protobuf would read differently is a "
		"fault",
		struct check_settings, strict),
	OPT(FLAG, 0, "quick", NULL, NULL, "only the length checksums and the exact end: no payload",
		struct check_settings, quick),
	OPT_EXPECT(struct check_settings, expect),
	OPT_HEADING("Output"),
	OPT_FORMAT(struct check_settings, format),
	OPT_GONE_COMPRESSION,
	OPT_HEADING("Running"),
	OPT_MISSING(struct check_settings, allow_missing),
	OPT_PART(struct check_settings, part),
	OPT_JOBS(struct check_settings, jobs),
	OPT_RECORD_MEMORY(struct check_settings, max_record),
	OPT_PROGRESS(struct check_settings, progress),
	OPT_QUIET(struct check_settings, quiet),
	OPTIONS_END,
};

static void run_check(struct cmd *c, const struct tfr_set *set, const struct tfr_expect *expect,
	struct check_report *report)
{
	const struct check_settings *s = c->settings;
	struct tfr_progress progress = { .total_bytes = tfr_set_bytes(set) };
	struct tfr_check_opts opts = {
		.threads = (unsigned)s->jobs,
		.quick = s->quick,
		.example = s->example,
		.decode = s->decode,
		.strict = s->strict,
		.manifest = s->manifest,
		.sum = expect->has_sum,
		.schema = s->schema,
		.warn = check_report_warn,
		.progress = &progress,
		.fault = check_report_fault,
		.file = check_report_file,
		.ctx = report,
	};
	enum tfr_status status;
	struct tfr_error err;

	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	status = tfr_check_set(set, &opts, &err);
	cmd_progress_stop();
	if (status) { /* not everything was read: no statement about the total */
		cmd_fail(c, &err);
		return;
	}
	check_report_expect(report, expect);
	check_report_end(report, s->quick, s->decode);
}

/* Refuses options that contradict each other.  0: there are none. */
static int check_usage(struct cmd *c)
{
	const struct check_settings *s = c->settings;

	if (s->quick && (s->example || s->decode || s->strict || s->schema))
		return cmd_usage(c,
			"--quick reads no payload; it cannot go with --example, --decode, "
			"--schema or --strict");
	if (s->quick && s->expect.sum)
		return cmd_usage(c, "--quick reads no payload; it cannot go with --expect-sum");
	return 0;
}

static int check_main(struct cmd *c)
{
	const struct check_settings *s = c->settings;
	struct check_report *report;
	struct tfr_expect expect;
	struct tfr_set *set = NULL;

	c->quiet = s->quiet;
	findings_report_failures(c, (enum report_format)s->format);
	if (check_usage(c) || cmd_take_part(c, s->part) ||
		cmd_refuse_in_part(c, s->expect.records || s->expect.sum, "--expect",
			"It counts the records of all files: add up those of the parts.") ||
		cmd_expect(c, &s->expect, &expect) || cmd_open_inputs(c, s->allow_missing, &set))
		return c->exit;
	report = check_report_new(c, (enum report_format)s->format);
	if (report)
		run_check(c, set, &expect, report);
	check_report_free(report);
	tfr_set_close(set);
	return c->exit;
}

const struct command cmd_check = {
	.name = "check",
	.alias = "validate",
	.operands = "[FILE]...",
	.summary = "verify checksums; on request Examples and images",
	.options = options,
	.settings_size = sizeof(struct check_settings),
	.main = check_main,
};
