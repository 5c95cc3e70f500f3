/* cmd/bench_feed.c - tfr bench-feed: the whole feed to device memory, measured stage by stage.
 *
 * Batches are taken as fast as they come and handed straight back.  However the run ends (a limit,
 * a signal, damage), what was measured is printed before anything is said about the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "feed_report.h"

struct feed_settings {
	const char *device, *size, *augment, *on_error;
	uint64_t batch, shuffle, cycle_length, block_length, prefetch, epochs, steps, seed, jobs,
		memory;
	double seconds;
	bool drop_remainder, allow_missing, json, quiet, verbose;
	int compression;
};

static const struct feed_settings defaults = {
	.device = "auto",
	.size = "224",
	.augment = "random-resized-crop,flip,normalise",
	.on_error = "fail",
	.batch = 64,
	.shuffle = 2048,
	.cycle_length = 4,
	.block_length = 1,
	.memory = 1ull << 30,
};

static const struct opt options[] = {
	OPT(STRING, 0, "device", "SPEC", "host|sim:|cuda:0|auto",
		"where batches go: host, sim:BANDWIDTH,LATENCY (sim:25G,10us), cuda:0 or auto "
		"[auto: cuda if one answers, else host]",
		struct feed_settings, device),
	OPT(COUNT, 0, "batch", "N", NULL, "records in a batch [64]", struct feed_settings, batch),
	OPT(STRING, 0, "size", "W[xH]", NULL, "pixels of a picture in a batch [224]",
		struct feed_settings, size),
	OPT(STRING, 0, "augment", "LIST", NULL,
		"random-resized-crop, centre-crop or resize, then flip, normalise "
		"[random-resized-crop,flip,normalise]",
		struct feed_settings, augment),
	OPT(COUNT, 0, "shuffle-buffer", "N", NULL,
		"records the shuffle buffer holds; 0: no shuffling [2048]", struct feed_settings,
		shuffle),
	OPT(COUNT, 0, "cycle-length", "N", NULL, "files read at once, in turn [4]",
		struct feed_settings, cycle_length),
	OPT(COUNT, 0, "block-length", "N", NULL,
		"records from a file before the next one's turn [1]", struct feed_settings,
		block_length),
	OPT(COUNT, 0, "prefetch", "N", NULL, "batches in flight [as memory allows, at most 3]",
		struct feed_settings, prefetch),
	OPT(FLAG, 0, "drop-remainder", NULL, NULL,
		"leave out an epoch's last batch when it is short", struct feed_settings,
		drop_remainder),
	OPT(COUNT, 0, "epochs", "N", NULL, "stop after N epochs [without a limit: 1 or 30 s]",
		struct feed_settings, epochs),
	OPT(COUNT, 0, "steps", "N", NULL, "stop after N batches", struct feed_settings, steps),
	OPT(REAL, 0, "seconds", "S", NULL, "stop after S seconds", struct feed_settings, seconds),
	OPT(COUNT, 0, "seed", "N", NULL, "of shuffling, crops and flips [0]", struct feed_settings,
		seed),
	OPT(SIZE, 'm', "memory", "SIZE", NULL, "what everything together may take [1G]",
		struct feed_settings, memory),
	OPT_JOBS(struct feed_settings, jobs),
	OPT(STRING, 0, "on-error", "HOW", "fail|skip|quarantine=",
		"a record without a whole picture: fail, skip, or quarantine=FILE [fail]",
		struct feed_settings, on_error),
	OPT_COMPRESSION(struct feed_settings, compression),
	OPT_MISSING(struct feed_settings, allow_missing),
	OPT_JSON(struct feed_settings, json),
	OPT(FLAG, 'v', "verbose", NULL, NULL, "say where memory goes, name every skipped record",
		struct feed_settings, verbose),
	OPT_QUIET(struct feed_settings, quiet),
	OPTIONS_END,
};

/* How many skipped records are named without -v. */
enum { NAMED = 10 };

struct feed {
	struct cmd *c;
	const struct feed_settings *s;
	struct tfr_set *set;
	struct tfr_device *device;
	struct tfr_pipeline *pipeline;
	const volatile bool *interrupted;
	struct tfr_writer *quarantine;
	bool quarantine_failed;
	uint64_t named;
};

static bool interrupted(void *ctx)
{
	return *((struct feed *)ctx)->interrupted;
}

/* One call at a time, on any thread. */
static void record_skipped(void *ctx, const struct tfr_error *why, const void *record, size_t size)
{
	struct feed *f = ctx;
	struct tfr_error err;
	char text[8192];

	if (f->quarantine && !f->quarantine_failed &&
		tfr_writer_put(f->quarantine, record, size, &err)) {
		f->quarantine_failed = true;
		cmd_error(f->c, &err);
	}
	if (f->s->verbose || f->named < NAMED)
		cmd_warn(f->c, "%s", tfr_error_format(why, text, sizeof(text)));
	else if (f->named == NAMED)
		cmd_warn(f->c, "more records were skipped; -v names them all");
	f->named++;
}

/* "224" or "320x240". */
static int parse_dimensions(struct cmd *c, const char *text, uint32_t *width, uint32_t *height)
{
	char *end;
	unsigned long w, h;

	w = h = strtoul(text, &end, 10);
	if (end != text && *end == 'x' && end[1] >= '0' && end[1] <= '9')
		h = strtoul(end + 1, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || !w || !h || w > 16384 || h > 16384)
		return cmd_usage(c, "--size takes W or WxH in pixels, 1 to 16384, not '%s'", text);
	*width = (uint32_t)w;
	*height = (uint32_t)h;
	return 0;
}

static int open_quarantine(struct feed *f)
{
	const struct tfr_writer_opts opts = { .temporaries = cmd_temporaries() };
	const char *how = f->s->on_error;
	struct tfr_error err;

	if (!strcmp(how, "fail") || !strcmp(how, "skip"))
		return 0;
	if (strncmp(how, "quarantine=", 11) || !how[11])
		return cmd_usage(
			f->c, "--on-error takes fail, skip or quarantine=FILE, not '%s'", how);
	return tfr_writer_open(&f->quarantine, how + 11, &opts, &err) ? cmd_fail(f->c, &err) : 0;
}

/* Counts that must not be 0, and those that must fit 32 bits. */
static int check_counts(struct cmd *c, const struct feed_settings *s)
{
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = { { "batch", s->batch }, { "cycle-length", s->cycle_length },
		{ "block-length", s->block_length } };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (!counts[i].value || counts[i].value > UINT32_MAX)
			return cmd_usage(c, "--%s takes a number from 1 on", counts[i].name);
	if (s->prefetch > 64)
		return cmd_usage(c, "--prefetch takes at most 64");
	if (s->seconds < 0)
		return cmd_usage(c, "--seconds takes a time, not a negative one");
	return 0;
}

/* Whether the list begins with what gives pictures a size. */
static bool shapes(const char *list)
{
	static const char *const names[] = { "random-resized-crop", "centre-crop", "resize" };
	size_t size = strcspn(list, ",");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == size && !strncmp(names[i], list, size))
			return true;
	return false;
}

/* The stages that the options stand for. */
static void compose(
	const struct feed_settings *s, uint32_t width, uint32_t height, char *text, size_t size)
{
	size_t first = shapes(s->augment) ? strcspn(s->augment, ",") : 0;
	int n = snprintf(text, size, "read=%llu:%llu,parse,", (unsigned long long)s->cycle_length,
		(unsigned long long)s->block_length);

	if (s->shuffle > 1)
		n += snprintf(text + n, size - (size_t)n, "shuffle=%llu,",
			(unsigned long long)s->shuffle);
	n += snprintf(text + n, size - (size_t)n, "decode,%.*s=%ux%u%s%s,", first ? (int)first : 6,
		first ? s->augment : "resize", width, height, first ? "" : ",", s->augment + first);
	n += snprintf(text + n, size - (size_t)n, "batch=%llu,", (unsigned long long)s->batch);
	if (s->prefetch)
		n += snprintf(text + n, size - (size_t)n, "prefetch=%llu,",
			(unsigned long long)s->prefetch);
	snprintf(text + n, size - (size_t)n, "upload");
}

static int open_pipeline(struct feed *f, struct tfr_error *err)
{
	const struct feed_settings *s = f->s;
	bool limited = s->epochs || s->steps || s->seconds > 0;
	char text[1000];
	uint32_t width = 0, height = 0;
	struct tfr_pipeline_opts opts = {
		.set = f->set,
		.stages = text,
		.pictures_optional = true,
		.devices = &f->device,
		.device_count = 1,
		.compression = (enum tfr_compression)s->compression,
		.drop_remainder = s->drop_remainder,
		.epochs = limited ? s->epochs : 1,
		.steps = s->steps,
		.seconds = limited ? s->seconds : 30,
		.seed = s->seed,
		.threads = (unsigned)s->jobs,
		.memory = s->memory,
		.skip_bad = strcmp(s->on_error, "fail") != 0,
		.skipped = record_skipped,
		.cancelled = interrupted,
		.ctx = f,
	};

	if (parse_dimensions(f->c, s->size, &width, &height))
		return f->c->exit;
	compose(s, width, height, text, sizeof(text));
	if (tfr_pipeline_open(&f->pipeline, &opts, err))
		return err->status == TFR_ECANCELLED ? 0 : cmd_fail(f->c, err);
	return 0;
}

/* Takes batches until there are no more.  The end is in `err`: TFR_END, or what went wrong. */
static enum tfr_status consume(struct feed *f, struct tfr_error *err)
{
	struct tfr_batch batch;
	enum tfr_status status;

	while ((status = tfr_pipeline_next(f->pipeline, &batch, err)) == TFR_OK)
		tfr_pipeline_release(f->pipeline, &batch);
	return status;
}

static void run(struct feed *f)
{
	struct tfr_pipeline_stats stats;
	struct tfr_error err = { 0 };
	enum tfr_status status;

	if (open_pipeline(f, &err) || !f->pipeline)
		return;
	status = consume(f, &err);
	tfr_pipeline_stats(f->pipeline, &stats);
	if (f->s->json)
		feed_report_json(f->c, f->device, f->pipeline, &stats);
	else
		feed_report_text(f->device, f->pipeline, &stats, f->s->verbose);
	fflush(stdout);
	if (status != TFR_END && status != TFR_ECANCELLED)
		cmd_error(f->c, &err);
}

static int bench_feed_main(struct cmd *c)
{
	struct feed f = { .c = c, .s = c->settings };
	struct tfr_error err;

	c->quiet = f.s->quiet;
	if (check_counts(c, f.s) || open_quarantine(&f) ||
		cmd_open_inputs(c, f.s->allow_missing, &f.set))
		return c->exit;
	f.interrupted = cmd_catch_signals();
	if (tfr_device_open(&f.device, f.s->device, &err))
		cmd_error(c, &err);
	else
		run(&f);
	tfr_pipeline_close(f.pipeline);
	tfr_device_close(f.device);
	tfr_set_close(f.set);
	if (f.quarantine && !f.quarantine_failed && tfr_writer_publish(f.quarantine, &err))
		cmd_error(c, &err);
	tfr_writer_close(f.quarantine);
	cmd_end_of_signal();
	return c->exit;
}

const struct command cmd_bench_feed = {
	.name = "bench-feed",
	.operands = "[FILE]...",
	.summary = "measure the whole feed to device memory, stage by stage",
	.options = options,
	.settings_size = sizeof(struct feed_settings),
	.defaults = &defaults,
	.main = bench_feed_main,
};
