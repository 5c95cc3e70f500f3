/* cmd/shard/shard.c - tfr shard: convert images, annotations and other files to sets of records. */
#include <stdlib.h>
#include <string.h>

#include "common/cmd.h"
#include "common/selection.h"
#include "common/text.h"
#include "shard/options.h"

/* Options that do not change what is written: a run can be resumed with others. */
static const char *const indifferent[] = { "output", "force", "resume", "checkpoint", "memory",
	"jobs", "json", "max-skipped", "no-sandbox", "part", "progress", "quiet", "tmpdir",
	"expect", "expect-sum", "allow-empty", NULL };

/* --- sets that name a folder of INPUT --- */

/* The splits of an input that was refused. */
struct splits_found {
	struct split_found {
		char *folder;
		uint64_t files;
		bool classes; /* it has class folders */
	} * list;
	size_t n;
};

/* Parses "SET=FOLDER/" into `share`, which gets copies.  False: `text` has another form, or, if
 * *status is not 0, out of memory. */
static bool splits_parse(const char *text, struct tfr_share *share, enum tfr_status *status)
{
	const char *equals = strrchr(text, '='), *folder = equals ? equals + 1 : "";
	size_t n = strlen(folder);

	*status = TFR_OK;
	if (!n || folder[n - 1] != '/' || equals == text)
		return false;
	share->fraction = 0;
	share->set = strndup(text, (size_t)(equals - text));
	share->folder = strdup(folder);
	*status = share->set && share->folder ? TFR_OK : TFR_ENOMEM;
	return !*status;
}

/* False: out of memory. */
static bool splits_add(struct splits_found *s, const struct tfr_found_split *found)
{
	struct split_found *larger = reallocarray(s->list, s->n + 1, sizeof(*larger));
	char *folder = larger ? strdup(found->folder) : NULL;

	if (larger)
		s->list = larger;
	if (folder)
		larger[s->n++] = (struct split_found){ folder, found->files, found->folders };
	return folder != NULL;
}

/* --- names of sets --- */

/* Makes "out/val@2.tfrecord" for the split "val", like "out/all@16.tfrecord".  The largest split
 * gets the given number of shards, and the others a number in proportion to their files. */
static char *name_set(const char *like, const char *split, uint64_t files, uint64_t most)
{
	struct tfr_set_name name;
	const char *base, *extension, *slash;
	char *text = NULL, count[32] = "";
	bool is_set = tfr_set_name_parse(&name, like, NULL) == TFR_OK;
	uint64_t shards = is_set ? name.count : 0;

	base = is_set ? name.base : strcmp(like, "-") ? like : ".tfrecord";
	slash = strrchr(base, '/');
	extension = is_set ? name.extension : strchr(slash ? slash : base, '.');
	if (is_set && name.automatic)
		strcpy(count, "@auto");
	else if (is_set)
		snprintf(count, sizeof(count), "@%llu",
			(unsigned long long)(most ? (shards * files + most - 1) / most : 1));
	if (asprintf(&text, "%.*s%s%s%s", slash ? (int)(slash - base) + 1 : 0, base, split, count,
		    extension ? extension : "") < 0)
		text = NULL;
	if (is_set)
		tfr_set_name_clear(&name);
	return text;
}

static void print_sets(const struct splits_found *s, const char *like, bool tfds)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = s->list[i].files > most ? s->list[i].files : most;
	for (size_t i = 0; i < s->n; i++) {
		char *set = tfds ? strdup(s->list[i].folder)
				 : name_set(like, s->list[i].folder, s->list[i].files, most);
		char *text = NULL;

		if (set && asprintf(&text, "%s=%s/", set, s->list[i].folder) >= 0) {
			fputs(" -o ", stderr);
			cmd_put_word(stderr, text);
			free(text);
		}
		free(set);
	}
}

/* --- the other words --- */

/* Prints a word; of a word with a set, only the other letters ("-f" of "-fo").  *skip: the next
 * word is the set. */
static bool print_word(const struct cmd *c, const char *word, bool *skip)
{
	const char *value, *letter;
	const struct opt *o = opt_find(c->command->options, word, &value);

	*skip = o && !value;
	if (!o || !o->name || strcmp(o->name, "output")) {
		fputc(' ', stderr);
		cmd_put_word(stderr, word);
		return false;
	}
	letter = strchr(word, o->letter);
	if (word[1] != '-' && letter > word + 1)
		fprintf(stderr, " %.*s", (int)(letter - word), word);
	return true;
}

/* Warns if some splits have classes and others do not. */
static void print_classless(const struct splits_found *s)
{
	char folder[4096];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->list[i].classes;
	for (size_t i = 0; n && i < s->n; i++)
		if (!s->list[i].classes)
			fprintf(stderr,
				"hint: '%s' has no class folders: its records get no labels.\n",
				tfr_escape_line(folder, sizeof(folder), s->list[i].folder));
}

/* Prints the given command, word by word, with one set for each split, so that pasting it runs the
 * same conversion.  `like` is the first of the given sets, which they replace.  Notes about the
 * splits follow. */
static void splits_print_command(
	struct cmd *c, const struct splits_found *s, const char *like, bool tfds)
{
	bool printed = false, operands = false;

	if (!s->n)
		return;
	fprintf(stderr, "  tfr %s", c->argv[1]);
	for (int i = 2; i < c->argc; i++) {
		bool skip = false, is_set = false;

		/* After "--", no word is an option. */
		if (!operands && !strcmp(c->argv[i], "--")) {
			operands = true;
			if (!printed)
				print_sets(s, like, tfds);
			printed = true;
		}
		if (!operands)
			is_set = print_word(c, c->argv[i], &skip);
		if (operands || (skip && !is_set && i + 1 < c->argc)) {
			fputc(' ', stderr);
			cmd_put_word(stderr, c->argv[operands ? i : i + 1]);
		}
		i += skip;
		if (is_set && !printed)
			print_sets(s, like, tfds);
		printed |= is_set;
	}
	if (!printed)
		print_sets(s, like, tfds);
	fputc('\n', stderr);
	print_classless(s);
}

static void splits_clear(struct splits_found *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].folder);
	free(s->list);
	*s = (struct splits_found){ 0 };
}

/* --- the conversion --- */

static int parse_on_error(struct cmd *c, const char *how, struct tfr_convert_opts *o)
{
	o->quarantine = selection_quarantine(how);
	if (!how)
		return 0;
	if (o->quarantine)
		o->on_error = TFR_ON_ERROR_QUARANTINE;
	else if (!strcmp(how, "skip"))
		o->on_error = TFR_ON_ERROR_SKIP;
	else if (!strcmp(how, "fail"))
		o->on_error = TFR_ON_ERROR_FAIL;
	else
		return cmd_usage_word(c, "on-error", "skip, fail or quarantine=FILE", how);
	return 0;
}

/* The values of -o.  A TFDS data set has the split "train" by default. */
static struct opt_list outputs_of(const struct shard_settings *s)
{
	static const char *train[] = { "train" };

	return s->tfds && !s->outputs.count ? (struct opt_list){ train, 1 } : s->outputs;
}

/* Fills the targets from the values of -o; their names are copies. */
static int parse_outputs(struct cmd *c, const struct opt_list *outputs, struct tfr_share *targets)
{
	const struct shard_settings *s = c->settings;
	struct tfr_error err;

	for (size_t i = 0; i < outputs->count; i++) {
		enum tfr_status status;
		char *set;

		if (!splits_parse(outputs->values[i], &targets[i], &status)) {
			if (status)
				return cmd_no_memory(c);
			if (tfr_share_parse(outputs->values[i], &set, &targets[i].fraction, &err))
				return cmd_fail(c, &err);
			targets[i].set = set;
		}
		if (cmd_check_terminal(c, targets[i].set, s->force))
			return c->exit;
	}
	return 0;
}

/* The context of the library's callbacks: the command, the JSON of a dry run, and the splits of an
 * input when no set names one. */
struct talk {
	struct cmd *c;
	struct tfr_json *json; /* NULL: text */
	struct splits_found splits;
};

static void warn_of(void *ctx, const char *text)
{
	struct talk *t = ctx;

	cmd_warn_text(t->c, text);
}

static void note_split(void *ctx, const struct tfr_found_split *split)
{
	struct talk *t = ctx;

	if (!splits_add(&t->splits, split))
		splits_clear(&t->splits);
}

/* When the input has splits, the hint is the command that names them. */
static void print_failure(struct talk *t, const struct tfr_convert_opts *o, struct tfr_error *err)
{
	const struct shard_settings *s = t->c->settings;

	if (t->splits.n)
		tfr_error_hint(err, "Write one set for each split; all sets get the same labels:");
	cmd_error(t->c, err);
	splits_print_command(t->c, &t->splits, o->targets[0].set, s->tfds);
}

static void print_planned(void *ctx, const struct tfr_planned_shard *shard)
{
	struct talk *t = ctx;

	if (!t->json) {
		cmd_print_planned(shard->file, shard->records, shard->bytes);
		return;
	}
	tfr_json_open_object(t->json, NULL);
	tfr_json_string(t->json, "file", shard->file);
	tfr_json_u64(t->json, "records", shard->records);
	tfr_json_u64(t->json, "bytes", shard->bytes);
	tfr_json_close_object(t->json);
}

static void print_json(struct talk *t, const struct tfr_convert_report *r, bool records_on_stdout)
{
	const struct shard_settings *s = t->c->settings;

	if (s->dry_run)
		tfr_json_close_array(t->json);
	tfr_json_string(t->json, "kind", r->kind);
	tfr_json_u64(t->json, "read", r->files - r->left);
	tfr_json_u64(t->json, s->dry_run ? "records" : "written", r->records);
	tfr_json_u64(t->json, "skipped", r->skipped);
	tfr_json_u64(t->json, "unassigned", r->left);
	if (s->resume) {
		tfr_json_u64(t->json, "resumed", r->resumed);
		tfr_json_bool(t->json, "complete", r->complete);
	}
	tfr_json_u64(t->json, "bytes", r->bytes);
	if (!s->dry_run) {
		tfr_json_f64(t->json, "seconds", cmd_seconds());
		cmd_json_sum(t->json, "sum", r->sum);
	}
	tfr_json_close_object(t->json);
	cmd_print_json(t->c, t->json, records_on_stdout ? stderr : stdout);
	t->json = NULL;
}

/* Warns of unusual images, one line for each kind. */
static void warn_of_findings(struct cmd *c, const struct tfr_convert_report *r)
{
	for (unsigned i = TFR_FOUND_UNUSABLE + 1; i < TFR_FINDINGS; i++)
		if (r->found[i])
			cmd_warn(c, "%s: %llu (%s)", tfr_finding_text((enum tfr_finding)i),
				(unsigned long long)r->found[i],
				tfr_finding_code((enum tfr_finding)i));
}

static void print_end(struct cmd *c, const struct tfr_convert_report *r)
{
	char items[TFR_COUNTED_TEXT];
	const struct shard_settings *s = c->settings;
	struct cmd_summary summary = {
		.read = r->files - r->left,
		.written = r->records,
		.skipped = r->skipped,
		.bytes = r->payload_bytes,
		.read_bytes = r->bytes,
		.seconds = cmd_seconds(),
		.sum = r->sum,
		.kind = s->from ? NULL : r->kind_text,
	};

	if (r->resumed && !s->quiet && !s->json)
		fprintf(stderr, "tfr %s: resumed after %s\n", c->command->name,
			tfr_format_counted(r->resumed, "item", items));
	if (s->dry_run && !s->json && summary.kind)
		cmd_closing_line(c, "read as %s", summary.kind);
	if (s->dry_run || s->json)
		return;
	warn_of_findings(c, r);
	cmd_print_summary(c, &summary);
}

/* What is left to do after a part, with the names of the sets. */
static void print_part(struct cmd *c, const struct tfr_convert_opts *o, uint32_t shards)
{
	struct text words;
	bool room = text_open(&words);
	char *text;

	if (c->part >= shards)
		cmd_closing_line(c, "part %u of %u has no shards: there are only %u", c->part,
			c->parts, shards);
	for (size_t t = 0; room && t < o->target_count; t++) {
		const char *set = o->targets[t].set, *at = strstr(set, "@auto");
		char name[4096];

		/* "@*": the number of shards that @auto has got */
		snprintf(name, sizeof(name), "%.*s%s%s",
			(int)(at ? (size_t)(at - set) : strlen(set)), set, at ? "@*" : "",
			at ? at + 5 : "");
		fputc(' ', words.f);
		room = cmd_put_word(words.f, name);
	}
	text = text_close(&words);
	if (room && text)
		cmd_closing_line(c, "part %u of %u is written; after all parts, run: tfr finish%s",
			c->part, c->parts, text);
	else
		cmd_no_memory(c);
	free(text);
}

static void warn_of_left(struct cmd *c, const struct tfr_convert_report *r)
{
	if (r->left)
		cmd_warn(c, "%llu of %llu files are in no set: the fractions add up to less than 1",
			(unsigned long long)r->left, (unsigned long long)r->files);
}

static bool records_on_stdout(const struct tfr_convert_opts *o)
{
	for (size_t t = 0; t < o->target_count; t++)
		if (!strcmp(o->targets[t].set, "-"))
			return true;
	return false;
}

static void run_convert(struct cmd *c, struct tfr_convert_opts *o)
{
	const struct shard_settings *s = c->settings;
	struct talk talk = { .c = c, .json = s->json ? cmd_json_open(0) : NULL };
	char *options_text = opt_describe(shard_options, s, indifferent);
	struct tfr_progress progress = { 0 };
	struct tfr_convert_report report;
	struct tfr_error err;
	enum tfr_status status;

	if (!options_text || (s->json && !talk.json)) {
		tfr_json_free(talk.json);
		free(options_text);
		cmd_no_memory(c);
		return;
	}
	if (talk.json && s->dry_run)
		tfr_json_open_array(talk.json, "shards");
	o->options = options_text;
	o->progress = &progress;
	o->warn = warn_of;
	o->planned = print_planned;
	o->found_split = note_split;
	o->ctx = &talk;
	cmd_progress_start(c, &progress, (enum progress_mode)s->progress);
	status = tfr_convert(o, &report, &err);
	cmd_progress_stop();
	if (status) {
		print_failure(&talk, o, &err);
	} else {
		warn_of_left(c, &report);
		if (talk.json)
			print_json(&talk, &report, records_on_stdout(o) && !s->dry_run);
		if (report.complete && !s->json)
			cmd_print_complete(c, report.records, report.sum);
		else
			print_end(c, &report);
		if (c->parts && !report.complete)
			print_part(c, o, report.shards);
	}
	splits_clear(&talk.splits);
	tfr_json_free(talk.json);
	free(options_text);
}

static struct tfr_convert_opts make_opts(const struct cmd *c)
{
	const struct shard_settings *s = c->settings;

	return (struct tfr_convert_opts){
		.tfds = s->tfds,
		.threads = (unsigned)s->jobs,
		.memory = s->memory,
		.tmpdir = s->tmpdir,
		.label_base = (int64_t)s->label_base,
		.root = s->root,
		.from = s->from,
		.shuffle = s->shuffle,
		.keep_order = s->keep_order,
		.seed = s->seed,
		.verify = s->verify,
		.sha256 = s->sha256,
		.findings = s->report,
		.labels = s->labels,
		.synsets = s->synsets,
		.class_list = s->class_list,
		.no_classes = s->no_classes,
		.ignore_annotations = s->ignore_annotations,
		.stratify = s->stratify,
		.writer = {
			.threads = (unsigned)s->jobs,
			.compression = (enum tfr_compression)s->compress,
			.level = s->level,
			.part = c->part,
			.parts = c->parts,
			.force = s->force,
			.temporaries = cmd_temporaries(),
		},
		.command = c->line,
		.allow_missing = s->allow_missing,
		.shard_size = s->shard_size,
		.records_per_shard = s->records_per_shard,
		.dry_run = s->dry_run,
		.no_sandbox = s->no_sandbox,
		.resume = s->resume,
		.checkpoint = s->checkpoint > 0 ? s->checkpoint : -1,
		/* the library takes 0 for its default */
		.max_skipped = s->max_skipped > 0 ? s->max_skipped / 100 : 1e-18,
	};
}

/* Options that need all items in one process, or the end of all parts. */
static int check_part(struct cmd *c, const struct shard_settings *s)
{
	static const char alone[] = "Run the command without --part, or leave the option out.";
	static const char finish[] = "Give it to 'tfr finish', which sees all parts.";

	if (cmd_take_part(c, s->part))
		return c->exit;
	if (cmd_refuse_in_part(
		    c, selection_quarantine(s->on_error), "--on-error quarantine", alone) ||
		cmd_refuse_in_part(c, s->resume, "--resume", "If a part fails, run it again.") ||
		cmd_refuse_in_part(c, s->dry_run, "--dry-run", alone) ||
		cmd_refuse_in_part(c, s->report, "--report", alone) ||
		cmd_refuse_in_part(c, s->tfds, "--tfds", alone) ||
		cmd_refuse_in_part(c, s->shard_size, "--shard-size",
			"Name the number of shards, or @auto, which computes it.") ||
		cmd_refuse_in_part(c, s->records_per_shard, "--records-per-shard",
			"Name the number of shards, or @auto, which computes it.") ||
		cmd_refuse_in_part(c, s->expect.records, "--expect", finish) ||
		cmd_refuse_in_part(c, s->expect.sum, "--expect-sum", finish) ||
		cmd_refuse_in_part(c, s->expect.allow_empty, "--allow-empty", finish))
		return c->exit;
	return 0;
}

static int run_into(struct cmd *c, struct tfr_convert_opts *o, const struct opt_list *outputs)
{
	const struct shard_settings *s = c->settings;
	struct tfr_share *targets = calloc(outputs->count, sizeof(*targets));

	if (!targets)
		return cmd_no_memory(c);
	o->targets = targets;
	o->target_count = outputs->count;
	if (!shard_parse_columns(c, s, o) && !parse_outputs(c, outputs, targets) &&
		!cmd_check_operands_apart(c))
		run_convert(c, o);
	shard_free_columns(o);
	for (size_t i = 0; i < outputs->count; i++) {
		free((void *)(uintptr_t)targets[i].set);
		free((void *)(uintptr_t)targets[i].folder);
	}
	free(targets);
	return c->exit;
}

static int shard_main(struct cmd *c)
{
	const struct shard_settings *s = c->settings;
	struct opt_list outputs = outputs_of(s);
	struct tfr_convert_opts o;

	c->quiet = s->quiet;
	if (check_part(c, s))
		return c->exit;
	o = make_opts(c);
	if (shard_parse_input(c, s, &o))
		return c->exit;
	if (s->shuffle && s->keep_order)
		return cmd_usage(c, "--shuffle and --no-shuffle exclude each other");
	if (!outputs.count)
		return cmd_usage(c, "no output: name a set, such as -o train@16.tfrecord");
	if (s->max_skipped < 0 || s->max_skipped > 100)
		return cmd_usage(c, "--max-skipped takes a percentage from 0 to 100");
	if (cmd_expect(c, &s->expect, &o.expect) || parse_on_error(c, s->on_error, &o) ||
		shard_parse_images(c, s, &o) || shard_parse_audio(c, s, &o))
		return c->exit;
	return run_into(c, &o, &outputs);
}

const struct command cmd_shard = {
	.name = "shard",
	.operands = "[INPUT]...",
	.summary = "convert images and other files to records, or re-shard",
	.options = shard_options,
	.settings_size = sizeof(struct shard_settings),
	.defaults = &shard_defaults,
	.main = shard_main,
};
