/* cmd/doctor.c - tfr doctor: problems in the layout of data sets.
 *
 * A finding is printed as its level, name and set, then its sentence, then a line with only the
 * command. That line is never broken, so that it can be pasted. */
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/findings.h"
#include "common/screen.h"

enum { INDENT = 2 };

struct doctor_settings {
	const char *label;
	uint64_t sample, jobs, max_record;
	bool full, quiet;
	int format, progress;
};

static const struct opt options[] = {
	OPT_HEADING("Inspection"),
	OPT(SIZE, 0, "sample-size", "SIZE", NULL,
		"read a sample of about SIZE, the default above 4 GiB of files [256M]",
		struct doctor_settings, sample),
	OPT_GONE("sample", "Use --sample-size SIZE."),
	OPT(FLAG, 0, "full", NULL, NULL, "read every byte instead", struct doctor_settings, full),
	OPT(STRING, 0, "label", "FEATURE", NULL,
		"the feature that is a record's class [found by its name]", struct doctor_settings,
		label),
	OPT_GONE("readers", "Compare N with the number of files that the closing line prints."),
	OPT_GONE("batch", "Use tfr stats --order FEATURE --batch N."),
	OPT_GONE("shuffle-buffer", "Use tfr stats --order FEATURE --shuffle-buffer N."),
	OPT_HEADING("Output"),
	OPT_FORMAT(struct doctor_settings, format),
	OPT_HEADING("Running"),
	OPT_JOBS(struct doctor_settings, jobs),
	OPT_RECORD_MEMORY(struct doctor_settings, max_record),
	OPT_PROGRESS(struct doctor_settings, progress),
	OPT_QUIET(struct doctor_settings, quiet),
	OPTIONS_END,
};

/* --- text --- */

/* False: out of memory. */
static bool print_finding(const struct tfr_doctor_finding *f)
{
	size_t size = 4 * strlen(f->subject) + 1;
	char *subject = malloc(size);
	bool complete;

	if (!subject)
		return false;
	printf("%s: %s: %s\n", tfr_gravity_name(f->level), f->name,
		tfr_escape_line(subject, size, f->subject));
	complete = text_field(stdout, INDENT, NULL, f->text);
	if (f->command)
		printf("  %s: %s\n", f->fixes ? "fix" : "see", f->command);
	free(subject);
	return complete;
}

static void print_closing_line(struct cmd *c, const struct tfr_doctor *d)
{
	uint64_t files = 0, bytes = 0, records = 0, read = 0, levels[3] = { 0 };
	char text[6][TFR_COUNTED_TEXT], all_size[TFR_SIZE_TEXT], read_size[TFR_SIZE_TEXT];
	bool complete = true;

	for (size_t i = 0; i < tfr_doctor_sets(d); i++) {
		struct tfr_doctor_set s = tfr_doctor_set(d, i);

		files += s.files;
		bytes += s.bytes;
		records += s.records;
		read += s.read;
		complete &= s.complete;
	}
	for (size_t i = 0; i < tfr_doctor_count(d); i++)
		levels[tfr_doctor_finding(d, i)->level]++;
	cmd_closing_line(c, "%s of %s and %s: %s, %s, %s; %s of %s read, %s (%.2f s)",
		tfr_format_grouped(tfr_doctor_sets(d), "set", text[0]),
		tfr_format_grouped(files, "file", text[1]), tfr_format_size(bytes, all_size),
		tfr_format_grouped(levels[TFR_GRAVITY_ERROR], "error", text[2]),
		tfr_format_grouped(levels[TFR_GRAVITY_WARNING], "warning", text[3]),
		tfr_format_grouped(levels[TFR_GRAVITY_NOTE], "note", text[4]),
		tfr_format_grouped(records, "record", text[5]), tfr_format_size(read, read_size),
		complete ? "all of them" : "a sample", cmd_seconds());
}

/* --- JSON --- */

static void print_json(struct cmd *c, const struct tfr_doctor *d)
{
	struct tfr_json *j = cmd_json_open(2);

	tfr_doctor_json(d, j);
	tfr_json_close_object(j);
	cmd_print_json(c, j, stdout);
}

/* --- for CI services --- */

static void add_finding(struct findings *out, const struct tfr_doctor_finding *f)
{
	static const enum finding_level levels[] = { [TFR_GRAVITY_NOTE] = FINDING_NOTE,
		[TFR_GRAVITY_WARNING] = FINDING_WARNING,
		[TFR_GRAVITY_ERROR] = FINDING_ERROR };
	struct finding one = { .level = levels[f->level],
		.name = f->name,
		.path = f->subject,
		.text = f->text,
		.system = f->system };
	char *text = NULL;

	if (f->command)
		one.text = asprintf(&text, "%s; %s: %s", f->text, f->fixes ? "fix" : "see",
				   f->command) < 0
				   ? NULL
				   : text;
	findings_add(out, &one);
	free(text);
}

/* All findings of one set, file or folder are one case. */
static void add_case(
	struct findings *out, const struct tfr_doctor *d, const char *subject, bool *added)
{
	for (size_t i = 0; i < tfr_doctor_count(d); i++) {
		const struct tfr_doctor_finding *f = tfr_doctor_finding(d, i);

		if (added[i] || strcmp(f->subject, subject))
			continue;
		add_finding(out, f);
		added[i] = true;
	}
	findings_end_case(out, subject);
}

/* The sets come first, those without findings as cases that pass. */
static void print_findings(struct cmd *c, const struct tfr_doctor *d, enum report_format format)
{
	size_t count = tfr_doctor_count(d);
	bool *added = calloc(count + 1, sizeof(*added));
	struct findings *out = findings_new(c, format);

	for (size_t i = 0; added && out && i < tfr_doctor_sets(d); i++)
		add_case(out, d, tfr_doctor_set(d, i).name, added);
	for (size_t i = 0; added && out && i < count; i++)
		if (!added[i])
			add_case(out, d, tfr_doctor_finding(d, i)->subject, added);
	if (!added)
		cmd_no_memory(c);
	else if (out)
		findings_print(out);
	findings_free(out);
	free(added);
}

static void print_report(struct cmd *c, const struct tfr_doctor *d, enum report_format format)
{
	for (size_t i = 0; i < tfr_doctor_count(d); i++) {
		const struct tfr_doctor_finding *f = tfr_doctor_finding(d, i);
		int status = f->system ? 3 : f->level > TFR_GRAVITY_NOTE;

		c->exit = status > c->exit ? status : c->exit;
		if (format == FORMAT_TEXT && !print_finding(f)) {
			cmd_no_memory(c);
			return;
		}
	}
	if (format == FORMAT_JSON)
		print_json(c, d);
	else if (format != FORMAT_TEXT)
		print_findings(c, d, format);
	fflush(stdout);
	if (format != FORMAT_JSON)
		print_closing_line(c, d);
}

static int doctor_main(struct cmd *c)
{
	const struct doctor_settings *s = c->settings;
	struct tfr_progress progress = { 0 };
	struct tfr_doctor_opts opts = { .paths = c->operands,
		.count = c->count,
		.threads = (unsigned)s->jobs,
		.sample = s->sample,
		.full = s->full,
		.label = s->label,
		.progress = &progress };
	struct tfr_doctor *d = NULL;
	struct tfr_error err = { 0 };
	enum tfr_status status;

	c->quiet = s->quiet;
	if (!c->count)
		return cmd_usage(c, "no input: name a folder, a set or a file");
	if (s->full && s->sample)
		return cmd_usage(c, "--full reads everything; it cannot go with --sample-size");
	if (cmd_check_operands_apart(c))
		return c->exit;
	findings_report_failures(c, (enum report_format)s->format);
	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	status = tfr_doctor_run(&d, &opts, &err);
	cmd_progress_stop();
	if (status)
		return cmd_fail(c, &err);
	print_report(c, d, (enum report_format)s->format);
	tfr_doctor_free(d);
	return c->exit;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.operands = "PATH...",
	.summary = "find problems in data sets and print the commands that fix them",
	.options = options,
	.settings_size = sizeof(struct doctor_settings),
	.main = doctor_main,
};
