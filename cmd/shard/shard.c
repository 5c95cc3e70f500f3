/* cmd/shard/shard.c - tfr shard: images with what belongs to them, and other files, into sets of
 * records. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "shard/shard.h"
#include "shard/annotations.h"
#include "shard/choice.h"
#include "shard/follow.h"
#include "shard/images.h"
#include "shard/audio.h"
#include "shard/splits.h"

struct shard_settings {
	struct opt_list outputs, types, embeds;
	const char *root;
	const char *tfds;
	struct shard_beside beside;
	uint64_t jobs, memory, seed, label_base;
	const char *from, *on_error, *tmpdir;
	uint64_t shard_size, records_per_shard;
	int level, compress, progress;
	bool force, shuffle, keep_order, verify, quiet, dry_run, json, allow_missing, no_sandbox;
	bool follow, per_epoch, resume;
	double checkpoint, max_skipped;
	struct expecting expect;
	struct choice_settings choice;
	struct image_settings images;
	struct sound_settings sounds;
};

static const struct shard_settings defaults = {
	.memory = 1 << 30, .checkpoint = 10, .max_skipped = 50, .sounds = SOUNDS_DEFAULT
};

/* Options that do not change what is written: a run is resumed whatever they are. */
static const char *const indifferent[] = { "output", "force", "resume", "checkpoint", "memory",
	"jobs", "json", "max-skipped", "no-sandbox", "progress", "quiet", "tmpdir", "expect",
	"expect-sum", "allow-empty", NULL };

static const struct opt options[] = {
	OPT(LIST, 'o', "output", "SET[=FRACTION]", NULL,
		"write SET, such as 'out/train@16.tfrecord'; several times with fractions, such as "
		"'train@16.tfrecord=0.9', to divide by a hash of each path; one without takes the "
		"rest; with folders, such as 'train@16.tfrecord=train/', for the splits of INPUT",
		struct shard_settings, outputs),
	OPT(STRING, 0, "tfds", "DIR", NULL,
		"make DIR a data set that TensorFlow Datasets loads, of a folder of images; -o "
		"then names its splits, such as -o train=0.9 -o test; without it there is one, "
		"train",
		struct shard_settings, tfds),
	OPT(STRING, 0, "from", "KIND",
		"folder|audio|pairs|coco|voc|yolo|metadata|archive|webdataset|npy|hdf5|csv|tsv|tsv-"
		"raw|jsonl|records",
		"what the input is: folder, audio, pairs, coco, voc, yolo, metadata, archive, "
		"webdataset, npy, "
		"hdf5, "
		"csv, "
		"tsv, tsv-raw, "
		"jsonl or "
		"records [auto: what it "
		"looks like]",
		struct shard_settings, from),
	SHARD_BESIDE_OPTIONS(struct shard_settings),
	OPT(LIST, 0, "types", "NAME=TYPE,...", NULL,
		"of a list: columns that are int, float or bytes, whatever they look like",
		struct shard_settings, types),
	OPT(LIST, 0, "embed", "COLUMN[=FEATURE]", NULL,
		"of a list: a column of paths; the files' bytes become FEATURE; as image/encoded "
		"with all that belongs to an image [COLUMN]",
		struct shard_settings, embeds),
	OPT(STRING, 0, "root", "DIR", NULL,
		"with --embed: the folder to which the paths are relative [that of the list]",
		struct shard_settings, root),
	OPT(FLAG, 0, "follow", NULL, NULL,
		"with --per-epoch: read records from a FIFO, one writer after another, until "
		"interrupted",
		struct shard_settings, follow),
	OPT(FLAG, 0, "per-epoch", NULL, NULL,
		"with --follow: a set for each writer, numbered from 0 where its name has {epoch}",
		struct shard_settings, per_epoch),
	OPT_MISSING(struct shard_settings, allow_missing),
	OPT(SIZE, 0, "shard-size", "SIZE", NULL,
		"of a set named 'train@auto.tfrecord': shards of at most SIZE fill one after "
		"another [128M]",
		struct shard_settings, shard_size),
	OPT(POSITIVE, 0, "records-per-shard", "N", NULL,
		"likewise: N records in each shard but the last", struct shard_settings,
		records_per_shard),
	OPT(FLAG, 0, "dry-run", NULL, NULL,
		"print the shards, their records and about their bytes; write nothing",
		struct shard_settings, dry_run),
	OPT(FLAG, 0, "resume", NULL, NULL,
		"go on where a run with the same options was killed or failed, or begin",
		struct shard_settings, resume),
	OPT(REAL, 0, "checkpoint", "SECONDS", NULL,
		"how often to note how far the run is, for --resume; 0: never [10]",
		struct shard_settings, checkpoint),
	OPT_EXPECT_OUTPUT(struct shard_settings, expect),
	OPT_FORCE(struct shard_settings, force),
	OPT_COMPRESS(struct shard_settings, compress),
	OPT_LEVEL(struct shard_settings, level),
	OPT(COUNT, 0, "label-base", "N", NULL, "the label of the first class folder [0]",
		struct shard_settings, label_base),
	OPT(FLAG, 0, "shuffle", NULL, NULL,
		"shuffle the items by --seed; the default for folders, which have no order of "
		"their own",
		struct shard_settings, shuffle),
	OPT(FLAG, 0, "no-shuffle", NULL, NULL, "take the files of a folder in the order of paths",
		struct shard_settings, keep_order),
	OPT(COUNT, 0, "seed", "N", NULL, "seed of the shuffle [0]", struct shard_settings, seed),
	OPT(FLAG, 0, "verify", NULL, NULL,
		"decode every image whole, not only its header and end", struct shard_settings,
		verify),
	OPT(FLAG, 0, "no-sandbox", NULL, NULL,
		"of HDF5: read a file that you trust without the sandbox, where the system has "
		"none",
		struct shard_settings, no_sandbox),
	OPT_CHOICES(struct shard_settings, choice),
	OPT_IMAGES(struct shard_settings, images),
	OPT_SOUNDS(struct shard_settings, sounds),
	OPT(STRING, 0, "on-error", "HOW", "skip|fail|quarantine=",
		"items of no use, such as broken images: skip them with a warning, fail (the "
		"default for records), or quarantine=FILE: skip them and note PATH TAB REASON in "
		"FILE [skip]",
		struct shard_settings, on_error),
	OPT(REAL, 0, "max-skipped", "PERCENT", NULL,
		"fail and write nothing when more than PERCENT of the items are skipped [50]",
		struct shard_settings, max_skipped),
	OPT(SIZE, 'm', "memory", "SIZE", NULL, "items in memory at once [1G]",
		struct shard_settings, memory),
	OPT(STRING, 0, "tmpdir", "DIR", NULL,
		"of an archive of arrays: put what has to be unpacked in DIR [beside the set]",
		struct shard_settings, tmpdir),
	OPT_JOBS(struct shard_settings, jobs),
	OPT(FLAG, 0, "json", NULL, NULL,
		"a JSON object in place of the closing line, or of what --dry-run prints",
		struct shard_settings, json),
	OPT_PROGRESS(struct shard_settings, progress),
	OPT_QUIET(struct shard_settings, quiet),
	OPTIONS_END,
};

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

/* What -o names; of a TFDS data set the splits, and one where nothing is said. */
static struct opt_list outputs_of(const struct shard_settings *s)
{
	static const char *train[] = { "train" };

	return s->tfds && !s->outputs.count ? (struct opt_list){ train, 1 } : s->outputs;
}

/* The targets that -o names; their names are copies. */
static int parse_outputs(struct cmd *c, const struct opt_list *outputs, struct tfr_share *targets)
{
	const struct shard_settings *s = c->settings;
	struct tfr_error err = { .status = TFR_ENOMEM, .message = "out of memory" };

	for (size_t i = 0; i < outputs->count; i++) {
		enum tfr_status status;
		char *set;

		if (!splits_parse(outputs->values[i], &targets[i], &status)) {
			if (status || tfr_share_parse(
					      outputs->values[i], &set, &targets[i].fraction, &err))
				return cmd_fail(c, &err);
			targets[i].set = set;
		}
		if (cmd_check_terminal(c, targets[i].set, s->force))
			return c->exit;
	}
	return 0;
}

/* What the library's callbacks get: who says it, where the JSON of a dry run grows, and what splits
 * an input has that names none. */
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

/* The command that names the splits takes the place of what to do about them. */
static void print_failure(struct talk *t, const struct tfr_convert_opts *o, struct tfr_error *err)
{
	const struct shard_settings *s = t->c->settings;

	if (t->splits.n)
		snprintf(err->hint, sizeof(err->hint),
			"Write a set for each split; all sets get the same labels:");
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
		fprintf(stderr, "tfr %s: resumed: %llu items were done\n", c->command->name,
			(unsigned long long)r->resumed);
	if (!s->dry_run && !s->json)
		images_print(c, r);
	if (!s->dry_run && !s->json)
		cmd_print_summary(c, &summary);
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
	char *options_text = opt_describe(options, s, indifferent);
	struct tfr_progress progress = { 0 };
	struct tfr_convert_report report;
	struct tfr_error err;
	enum tfr_status status;

	if (!options_text)
		return cmd_fail(
			c, &(struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" });
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
	}
	splits_clear(&talk.splits);
	tfr_json_free(talk.json);
	free(options_text);
	return c->exit;
}

static struct tfr_convert_opts what_is_asked(const struct cmd *c)
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
		.writer = {
			.threads = (unsigned)s->jobs,
			.compression = (enum tfr_compression)s->compress,
			.level = s->level,
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
		/* 0 is the default of the library */
		.max_skipped = s->max_skipped > 0 ? s->max_skipped / 100 : 1e-18,
	};
}

/* The inputs, where no option has named them. */
static int set_inputs(struct cmd *c, struct tfr_convert_opts *o)
{
	static const char *const standard_input[] = { "-" };
	const struct shard_settings *s = c->settings;

	if (o->inputs)
		return 0;
	if (!c->count && s->from && !strcmp(s->from, "records") && !isatty(STDIN_FILENO)) {
		o->inputs = standard_input;
		o->input_count = 1;
		return 0;
	}
	if (!c->count)
		return cmd_usage(
			c, "no input: name a folder of images, an archive, a list or records");
	o->inputs = c->operands;
	o->input_count = c->count;
	return 0;
}

static int run_into(struct cmd *c, struct tfr_convert_opts *o, const struct opt_list *outputs)
{
	const struct shard_settings *s = c->settings;
	struct tfr_share *targets = calloc(outputs->count, sizeof(*targets));

	if (!targets)
		return cmd_fail(
			c, &(struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" });
	o->targets = targets;
	o->target_count = outputs->count;
	if (!shard_parse_columns(c, &s->types, &s->embeds, o) &&
		!parse_outputs(c, outputs, targets) && !cmd_check_operands_apart(c)) {
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
	struct tfr_convert_opts o = what_is_asked(c);

	c->quiet = s->quiet;
	if (shard_beside_set(c, &s->beside, &o) || set_inputs(c, &o))
		return c->exit;
	if (s->follow != s->per_epoch)
		return cmd_usage(c, "--follow and --per-epoch go together: a set is whole when its "
				    "epoch is");
	if (s->follow && s->tfds)
		return cmd_usage(c, "--follow and --tfds exclude each other");
	if (s->shuffle && s->keep_order)
		return cmd_usage(c, "--shuffle and --no-shuffle exclude each other");
	if (!outputs.count)
		return cmd_usage(c, "no output: name a set, such as -o train@16.tfrecord");
	if (s->max_skipped < 0 || s->max_skipped > 100)
		return cmd_usage(c, "--max-skipped takes a percentage, from 0 to 100");
	if (cmd_expect(c, &s->expect, &o.expect) || parse_on_error(c, s->on_error, &o) ||
		choice_parse(c, &s->choice, &o) || images_parse(c, &s->images, &o) ||
		sounds_parse(c, &s->sounds, &o))
		return c->exit;
	return run_into(c, &o, &outputs);
}

const struct command cmd_shard = {
	.name = "shard",
	.operands = "[INPUT]...",
	.summary = "make records of images and other files, or re-shard",
	.options = options,
	.settings_size = sizeof(struct shard_settings),
	.defaults = &defaults,
	.main = shard_main,
};
