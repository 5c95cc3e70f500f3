/* cmd/shard/shard.c - tfr shard: convert images, annotations and other files to sets of records. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin.h"
#include "common/cmd.h"
#include "common/part.h"
#include "shard/options.h"
#include "shard/splits.h"

/* --- following --- */

/* One set for each writer of a FIFO.
 *
 * A process that writes an epoch opens the FIFO, writes records and closes it.
 *
 * One of our descriptors is always open, so that no writer gets SIGPIPE.  The next one is opened
 * before the last one is closed.  Since it has seen no writer yet, poll() on it waits until one
 * has come, even if that writer has already gone.  A signal can end the process anywhere: an
 * epoch that is being written has only temporary files. */

static const char PLACE[] = "{epoch}";

static int check(struct cmd *c, const struct tfr_convert_opts *o)
{
	struct stat st;

	if (o->input_count != 1 || tfr_stat(o->inputs[0], &st) || !S_ISFIFO(st.st_mode))
		return cmd_usage(c, "--follow reads one FIFO, as mkfifo creates it");
	if (o->from && strcmp(o->from, "records"))
		return cmd_usage(c, "--follow reads records");
	if (o->dry_run || o->resume)
		return cmd_usage(c, "--follow and %s exclude each other",
			o->resume ? "--resume" : "--dry-run");
	if (o->target_count != 1 || !strstr(o->targets[0].set, PLACE))
		return cmd_usage(c, "--follow needs one -o with '{epoch}' in its name, in place of "
				    "the number of the epoch");
	return 0;
}

/* Fills in the pattern with the epoch's number. */
static char *name_epoch(const char *pattern, unsigned long epoch)
{
	char number[24], *name, *to;
	size_t places = 0;

	snprintf(number, sizeof(number), "%lu", epoch);
	for (const char *p = pattern; (p = strstr(p, PLACE)); p++)
		places++;
	name = to = malloc(strlen(pattern) + places * sizeof(number) + 1);
	while (name && *pattern) {
		if (!strncmp(pattern, PLACE, strlen(PLACE))) {
			to = stpcpy(to, number);
			pattern += strlen(PLACE);
		} else {
			*to++ = *pattern++;
		}
	}
	if (name)
		*to = '\0';
	return name;
}

static int fail(struct cmd *c, const char *path)
{
	struct tfr_error err = { .status = TFR_ESYS };

	snprintf(err.message, sizeof(err.message), "cannot read '%s': %s", path, strerror(errno));
	return cmd_fail(c, &err);
}

/* Waits for a writer.  *fd becomes a descriptor that reads its bytes; the old one is closed.
 * Returns 0, or the exit status after a failure. */
static int wait_for_writer(struct cmd *c, const char *path, int *fd)
{
	struct pollfd ready = { .events = POLLIN };
	int last = *fd;

	for (;;) {
		ready.fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
		if (last >= 0)
			close(last);
		*fd = last = ready.fd;
		if (ready.fd < 0 || (poll(&ready, 1, -1) < 0 && errno != EINTR))
			return fail(c, path);
		if (ready.revents & POLLIN)
			break;
	}
	if (fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) & ~O_NONBLOCK))
		return fail(c, path);
	return 0;
}

/* Calls run() for each epoch with options that have its descriptor and set, until run() returns a
 * status other than 0.  Returns the exit status. */
static int shard_follow(struct cmd *c, const struct tfr_convert_opts *o,
	int (*run)(struct cmd *c, struct tfr_convert_opts *o))
{
	int fd = -1;

	if (check(c, o))
		return c->exit;
	for (unsigned long epoch = 0; !c->exit; epoch++) {
		struct tfr_share target = o->targets[0];
		struct tfr_convert_opts own = *o;
		char *name = name_epoch(target.set, epoch);

		if (!name)
			return cmd_no_memory(c);
		target.set = name;
		own.from = "records";
		own.targets = &target;
		own.descriptor = &fd;
		if (!wait_for_writer(c, o->inputs[0], &fd))
			run(c, &own);
		free(name);
	}
	if (fd >= 0)
		close(fd);
	return c->exit;
}

/* --- the command --- */

/* Options that do not change what is written: a run can be resumed with others. */
static const char *const indifferent[] = { "output", "force", "resume", "checkpoint", "memory",
	"jobs", "json", "max-skipped", "no-sandbox", "part", "progress", "quiet", "tmpdir",
	"expect", "expect-sum", "allow-empty", NULL };

static int parse_on_error(struct cmd *c, const char *how, struct tfr_convert_opts *o)
{
	static const char quarantine[] = "quarantine=";

	if (!how)
		return 0;
	if (!strcmp(how, "skip")) {
		o->on_error = TFR_ON_ERROR_SKIP;
	} else if (!strcmp(how, "fail")) {
		o->on_error = TFR_ON_ERROR_FAIL;
	} else if (!strncmp(how, quarantine, strlen(quarantine)) && how[strlen(quarantine)]) {
		o->on_error = TFR_ON_ERROR_QUARANTINE;
		o->quarantine = how + strlen(quarantine);
	} else {
		return cmd_usage_word(c, "on-error", "skip, fail or quarantine=FILE", how);
	}
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

static void warn(void *ctx, const char *text)
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
	char name[4 * 4096];

	if (!t->json) {
		printf("%s\t%llu\t%llu\n", tfr_escape_name(name, sizeof(name), shard->file),
			(unsigned long long)shard->records, (unsigned long long)shard->bytes);
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
	char sum[17];

	if (s->dry_run)
		tfr_json_close_array(t->json);
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
		snprintf(sum, sizeof(sum), "%016llx", (unsigned long long)r->sum);
		tfr_json_f64(t->json, "seconds", cmd_seconds());
		tfr_json_string(t->json, "sum", sum);
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
	const struct shard_settings *s = c->settings;
	struct cmd_summary summary = {
		.read = r->files - r->left,
		.written = r->records,
		.skipped = r->skipped,
		.bytes = r->payload_bytes,
		.read_bytes = r->bytes,
		.seconds = cmd_seconds(),
		.sum = r->sum,
	};

	if (r->resumed && !s->quiet && !s->json)
		fprintf(stderr, "tfr %s: resumed after %llu items\n", c->command->name,
			(unsigned long long)r->resumed);
	if (s->dry_run || s->json)
		return;
	warn_of_findings(c, r);
	cmd_print_summary(c, &summary);
}

/* What is left to do after a part, with the names of the sets. */
static void print_part(struct cmd *c, const struct tfr_convert_opts *o, uint32_t shards)
{
	char names[1024] = "";
	size_t at = 0;

	if (c->part >= shards)
		cmd_closing_line(c, "part %u of %u has no shards: there are only %u", c->part,
			c->parts, shards);
	for (size_t t = 0; t < o->target_count && at < sizeof(names); t++) {
		const char *set = o->targets[t].set, *word = strstr(set, "@auto");

		at += (size_t)snprintf(names + at, sizeof(names) - at, " %.*s%s%s",
			word ? (int)(word - set) : (int)strlen(set), set, word ? "@*" : "",
			word ? word + 5 : "");
	}
	cmd_closing_line(c, "part %u of %u is written; after all parts, run: tfr finish%s", c->part,
		c->parts, names);
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

static int convert(struct cmd *c, struct tfr_convert_opts *o)
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
		return cmd_no_memory(c);
	}
	if (talk.json && s->dry_run)
		tfr_json_open_array(talk.json, "shards");
	o->options = options_text;
	o->progress = &progress;
	o->warn = warn;
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
	return c->exit;
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
	if (s->on_error && !strncmp(s->on_error, "quarantine", 10) &&
		cmd_refuse_in_part(c, true, "--on-error quarantine", alone))
		return c->exit;
	if (cmd_refuse_in_part(c, s->resume, "--resume", "A part that failed is run again.") ||
		cmd_refuse_in_part(c, s->follow, "--follow", alone) ||
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
		!cmd_check_operands_apart(c)) {
		if (s->follow)
			shard_follow(c, o, convert);
		else
			convert(c, o);
	}
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
	if (s->follow && s->tfds)
		return cmd_usage(c, "--follow and --tfds exclude each other");
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
