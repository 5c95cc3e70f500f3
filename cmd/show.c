/* cmd/show.c - tfr show: prints records as text, as lines of JSON, or as a page of HTML.
 *
 * Text is cut to the width of a terminal, JSON never.  A page is complete or absent. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cmd.h"
#include "common/selection.h"
#include "show_html.h"

struct show_settings {
	uint64_t skip, limit, values, jobs, max_record;
	const char *where, *html;
	int as, bytes, color;
	bool json, force, allow_missing, quiet;
};

enum { BYTES_NAME, BYTES_BASE64 };
enum { HTML_LIMIT = 100 }; /* records on a page */
enum { COLOR_AUTO, COLOR_ALWAYS };

static const struct show_settings defaults = { .limit = UINT64_MAX };

static const struct opt options[] = {
	OPT(COUNT, 'n', "limit", "N", NULL, "show at most N records [all]", struct show_settings,
		limit),
	OPT(COUNT, 0, "skip", "N", NULL, "skip the first N records [0]", struct show_settings,
		skip),
	OPT(STRING, 0, "where", "EXPR", NULL,
		"show only records for which EXPR holds, such as 'image/class/label == 3'",
		struct show_settings, where),
	OPT(COUNT, 0, "values", "N", NULL, "show N values of each feature [8]",
		struct show_settings, values),
	OPT(CHOICE, 0, "as", "WHAT", "auto|example|elwc|tensor|raw",
		"the type of the records: auto, example, elwc, tensor or raw [auto: detect "
		"it from their fields]",
		struct show_settings, as),
	OPT(FLAG, 0, "json", NULL, NULL,
		"print one line of JSON per record: {\"feature\": [values]}", struct show_settings,
		json),
	OPT(STRING, 0, "html", "FILE", NULL,
		"write a page of images with labels, boxes and masks, of at most 100 records "
		"and 2 MB unless -n is given",
		struct show_settings, html),
	OPT_FORCE(struct show_settings, force),
	OPT(CHOICE, 0, "bytes", "HOW", "name|base64",
		"with --json, print bytes that are not text by size and type, or in base64 [name]",
		struct show_settings, bytes),
	OPT(CHOICE, 0, "color", "WHEN", "auto|always|never",
		"colour in text: auto, always or never [auto: on a terminal]", struct show_settings,
		color),
	OPT_GONE_COMPRESSION,
	OPT_GONE("as=event", "TensorBoard shows Events; --as raw shows their bytes."),
	OPT_MISSING(struct show_settings, allow_missing),
	OPT(JOB, 'j', "jobs", "N", NULL, "with --json, use N processors; 0 means all of them [0]",
		struct show_settings, jobs),
	OPT_RECORD_MEMORY(struct show_settings, max_record),
	OPT_QUIET(struct show_settings, quiet),
	OPTIONS_END,
};

struct show_run {
	struct cmd *c;
	const struct show_settings *s;
	struct selection selection;
	struct tfr_printer *printer;
	struct show_html *html;
	bool colour;
};

/* Names an image: "jpeg" in JSON, "jpeg 500x375 4:2:0" for a person. */
const char *show_describe(void *ctx, const void *data, size_t size, bool brief)
{
	static _Thread_local char text[64];
	struct tfr_image_info info;

	(void)ctx;
	if (tfr_image_sniff(data, size) == TFR_IMAGE_UNKNOWN)
		return NULL;
	if (brief)
		return tfr_image_format_name(tfr_image_sniff(data, size));
	if (tfr_image_probe(data, size, &info, NULL) && !info.width)
		return tfr_image_format_name(info.format);
	snprintf(text, sizeof(text), "%s %ux%u%s%s", tfr_image_format_name(info.format), info.width,
		info.height, info.subsampling[0] ? " " : "", info.subsampling);
	return text;
}

static void print_heading(const struct tfr_record *rec, const char *path, bool colour)
{
	char escaped[4 * 4200], size[TFR_SIZE_TEXT];

	printf(colour ? "\033[36m%s\033[0m record %llu, offset %llu, %s\n"
		      : "%s record %llu, offset %llu, %s\n",
		tfr_escape_line(escaped, sizeof(escaped), path), (unsigned long long)rec->index,
		(unsigned long long)rec->offset, tfr_format_size(rec->size, size));
}

static enum tfr_status show_record(
	struct show_run *run, const struct tfr_record *rec, const char *path, struct tfr_error *err)
{
	const char *text = NULL;
	size_t size = 0;

	TFR_TRY(tfr_printer_text(run->printer, rec->data, rec->size, &text, &size, err));
	if (run->html) {
		bool example = tfr_printer_content(run->printer) == TFR_CONTENT_EXAMPLE &&
			       !tfr_is_sequence_example(rec->data, rec->size);

		return show_html_put(run->html, rec, path, text, example, err);
	}
	print_heading(rec, path, run->colour);
	fwrite(text, 1, size, stdout);
	return TFR_OK;
}

/* NO_COLOR (no-color.org) applies if it is not empty; --color takes precedence. */
static bool wants_colour(int when)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}

/* The columns of a line on the terminal: COLUMNS takes precedence over the terminal's own size.  0:
 * not a terminal, or the user set a number of values. */
static unsigned terminal_columns(const struct show_settings *s)
{
	const char *columns = getenv("COLUMNS");
	unsigned long n = columns ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;

	if (s->values || s->html || !isatty(STDOUT_FILENO))
		return 0;
	if (!n && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		n = size.ws_col;
	return n >= 20 && n < 10000 ? (unsigned)n : 80;
}

/* TFR_END: all were shown. */
static enum tfr_status show_all(struct show_run *run, struct tfr_error *err)
{
	struct tfr_record rec;
	enum tfr_status status = TFR_OK;

	while (!status && !cmd_stdout_failed() && !(run->html && show_html_full(run->html)) &&
		!(status = tfr_select_next(run->selection.select, &rec, err))) {
		status = show_record(run, &rec, tfr_select_path(run->selection.select), err);
		if (status == TFR_EDATA) /* not of the type of --as */
			tfr_select_locate(run->selection.select, &rec, err);
	}
	if (!status && !run->html) /* standard output failed, which is reported at the end */
		return TFR_END;
	status = status ? status : TFR_END; /* or the page is full */
	if (status == TFR_END && run->html && show_html_publish(run->html, err))
		return err->status;
	return status;
}

/* Standard output takes lines until it fails, which is reported at the end. */
static enum tfr_status put_lines(void *ctx, const void *lines, size_t size, struct tfr_error *err)
{
	(void)ctx;
	(void)err;
	fwrite(lines, 1, size, stdout);
	return cmd_stdout_failed() ? TFR_END : TFR_OK;
}

/* As JSON, by all threads.  TFR_END: all were shown. */
static enum tfr_status show_json(
	struct show_run *run, const struct tfr_print_opts *print, struct tfr_error *err)
{
	struct tfr_export_opts o = {
		.target = "-",
		.to = "jsonl",
		.threads = (unsigned)run->s->jobs,
		.expect.allow_empty = true,
		.print = print,
		.put = put_lines,
	};
	struct tfr_export_report report;

	return tfr_export(run->selection.select, &o, &report, err) ?: TFR_END;
}

/* In the form that the options ask for.  TFR_END: all were shown. */
static enum tfr_status show_selection(
	struct show_run *run, const struct tfr_print_opts *print, struct tfr_error *err)
{
	const struct show_settings *s = run->s;
	struct show_html_opts page = { .path = s->html,
		.force = s->force,
		.command = "show",
		.title = "Records of",
		.inputs = run->c->operands,
		.input_count = run->c->count,
		.values = print->values,
		.limited = s->limit == UINT64_MAX };

	run->printer = tfr_printer_new(print);
	if (!run->printer)
		return cmd_fill_no_memory(err);
	if (s->html)
		TFR_TRY(show_html_open(&run->html, &page, err));
	return s->json ? show_json(run, print, err) : show_all(run, err);
}

static int check_usage(struct cmd *c, const struct show_settings *s)
{
	if (s->bytes && !s->json)
		return cmd_usage(c, "--bytes goes with --json");
	if (s->jobs && !s->json)
		return cmd_usage(c, "--jobs goes with --json");
	if (s->html && s->json)
		return cmd_usage(c, "--html and --json are two forms of output");
	if (s->force && !s->html)
		return cmd_usage(c, "--force goes with --html");
	return 0;
}

static int show_main(struct cmd *c)
{
	const struct show_settings *s = c->settings;
	struct selection_opts selection_opts = {
		.select = {
			.skip = s->skip,
			.limit = s->html && s->limit == UINT64_MAX ? HTML_LIMIT : s->limit,
			.where = s->where,
		},
		.allow_missing = s->allow_missing,
	};
	struct show_run run = { .c = c, .s = s, .colour = wants_colour(s->color) };
	struct tfr_print_opts print_opts = {
		.describe = show_describe,
		.base64 = s->bytes == BYTES_BASE64,
		.values = s->values ? (unsigned)s->values : 8,
		.as = (enum tfr_content)s->as,
		.colour = run.colour,
		.columns = terminal_columns(s),
	};
	struct tfr_error err = { 0 };
	enum tfr_status status;

	c->quiet = s->quiet;
	if (check_usage(c, s) || selection_open(c, &run.selection, &selection_opts))
		return c->exit;
	status = show_selection(&run, &print_opts, &err);
	if (status != TFR_END) {
		fflush(stdout);
		err.status = status;
		cmd_error(c, &err);
	}
	tfr_select_warn_unmatched(run.selection.select);
	show_html_close(run.html);
	tfr_printer_free(run.printer);
	selection_close(&run.selection);
	return c->exit;
}

const struct command cmd_show = {
	.name = "show",
	.operands = "[FILE]...",
	.summary = "show records and their features",
	.options = options,
	.settings_size = sizeof(struct show_settings),
	.defaults = &defaults,
	.main = show_main,
};
