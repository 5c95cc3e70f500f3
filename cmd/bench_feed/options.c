/* cmd/bench_feed/options.c - the options of bench-feed, and which of them exclude each other.
 *
 * The list of stages and the device check their own arguments, also before the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "bench_feed/bench_feed.h"
#include "common/text.h"

const struct feed_settings feed_defaults = {
	.device = "auto",
	.on_error = "fail",
	.batch = FEED_NOT_GIVEN,
	.shuffle = FEED_NOT_GIVEN,
	.cycle_length = FEED_NOT_GIVEN,
	.block_length = FEED_NOT_GIVEN,
	.prefetch = FEED_NOT_GIVEN,
	.steps_per_transfer = 1,
	.opts = { .memory = 1ull << 30, .stall_timeout = 60 },
	.tolerance = -1,
};

const struct opt feed_options[] = {
	OPT_HEADING("Input"),
	OPT(STRING, 0, "where", "EXPR", NULL, "feed only the Examples for which EXPR holds",
		struct feed_settings, opts.where),
	OPT(FLAG, 0, "shuffle-files", NULL, NULL, "read the files in another order in each epoch",
		struct feed_settings, opts.shuffle_files),
	OPT_GONE_COMPRESSION,
	OPT_MISSING(struct feed_settings, allow_missing),
	OPT(STRING, 0, "on-error", "HOW", "fail|skip|quarantine=",
		"on a damaged image, audio clip or Example: fail, skip, or quarantine=FILE [fail]",
		struct feed_settings, on_error),
	OPT(FLAG, 0, "cold", NULL, NULL, "drop the inputs from the page cache first",
		struct feed_settings, cold),
	OPT_HEADING("Pipeline"),
	OPT(STRING, 0, "stages", "LIST", NULL,
		"all stages in order, in place of the next seven options", struct feed_settings,
		stages),
	OPT(COUNT, 0, "batch", "N", NULL, "records per batch [64]", struct feed_settings, batch),
	OPT(STRING, 0, "size", "W[xH]", NULL, "width and height of the images in a batch [224]",
		struct feed_settings, size),
	OPT(STRING, 0, "augment", "LIST", NULL,
		"stages between decoding and batching [random-resized-crop,flip,normalise]",
		struct feed_settings, augment),
	OPT(COUNT, 0, "shuffle-buffer", "N", NULL,
		"records in the shuffle buffer; 0: do not shuffle [2048]", struct feed_settings,
		shuffle),
	OPT(COUNT, 0, "cycle-length", "N", NULL, "files to read at once [4]", struct feed_settings,
		cycle_length),
	OPT(COUNT, 0, "block-length", "N", NULL, "records to take from a file in turn [1]",
		struct feed_settings, block_length),
	OPT(POSITIVE, 0, "prefetch", "N", NULL, "batches in flight [up to 3, as memory allows]",
		struct feed_settings, prefetch),
	OPT(LIST, 0, "feature", "SPEC", NULL,
		"batch a feature in place of images: NAME:int64[17], :float[*] (padded) or "
		":float[] (ragged); may be repeated",
		struct feed_settings, features),
	OPT(FLAG, 0, "drop-remainder", NULL, NULL, "leave out a short last batch of an epoch",
		struct feed_settings, opts.drop_remainder),
	OPT(FLAG, 0, "fast-decode", NULL, NULL, "decode JPEG faster and less exactly",
		struct feed_settings, opts.fast_decode),
	OPT(COUNT, 0, "seed", "N", NULL, "seed of shuffling, crops, flips and --compute-ms [0]",
		struct feed_settings, opts.seed),
	OPT_HEADING("Device"),
	OPT(STRING, 0, "device", "SPEC", "host|sim:|cuda:0|cuda:all|auto",
		"where batches go: host, sim:BANDWIDTH,LATENCY[,COUNT] (sim:25G,10us,2), cuda:0,1, "
		"cuda:all or auto [auto: cuda:0 if it works, else host]",
		struct feed_settings, device),
	OPT(STRING, 0, "compute-ms", "MEAN[:SD]", NULL,
		"simulate a training: occupy the device with each batch for MEAN ms [0: do not]",
		struct feed_settings, compute),
	OPT(CHOICE, 0, "normalise-on", "WHERE", "host|device",
		"where bytes become floats: host or device [host]", struct feed_settings,
		normalise_on),
	OPT(COUNT, 0, "steps-per-transfer", "K", NULL, "batches per transfer [1]",
		struct feed_settings, steps_per_transfer),
	OPT(FLAG, 0, "pageable", NULL, NULL, "upload from memory that is not pinned",
		struct feed_settings, opts.pageable),
	OPT(FLAG, 0, "no-overlap", NULL, NULL, "upload a batch only when it is asked for",
		struct feed_settings, opts.no_overlap),
	OPT(FLAG, 0, "verify-transfers", NULL, NULL,
		"copy every batch back from the device and compare it", struct feed_settings,
		opts.verify),
	OPT_ALIAS("verify", "verify-transfers"),
	OPT_HEADING("Limits"),
	OPT(POSITIVE, 0, "epochs", "N", NULL,
		"stop after N epochs [without a limit: 1 epoch or 30 s]", struct feed_settings,
		opts.epochs),
	OPT(POSITIVE, 0, "steps", "N", NULL, "stop after N batches", struct feed_settings,
		opts.steps),
	OPT(REAL, 0, "seconds", "S", NULL, "stop after S seconds", struct feed_settings,
		opts.seconds),
	OPT(REAL, 0, "stall-timeout", "S", NULL,
		"give up when nothing has moved for S seconds; 0: never [60]", struct feed_settings,
		opts.stall_timeout),
	OPT_HEADING("Output"),
	OPT_JSON(struct feed_settings, json),
	OPT(STRING, 0, "html", "FILE", NULL, "write the report as a page, with images of a batch",
		struct feed_settings, html),
	OPT(STRING, 0, "trace", "FILE", NULL, "write a timeline for ui.perfetto.dev",
		struct feed_settings, trace),
	OPT(STRING, 0, "compare", "FILE", NULL, "compare with the --json of an earlier run",
		struct feed_settings, compare),
	OPT(REAL, 0, "tolerance", "PERCENT", NULL,
		"with --compare, fail if a figure is worse by more than PERCENT [5]",
		struct feed_settings, tolerance),
	OPT_FORCE(struct feed_settings, force),
	OPT_HEADING("Running"),
	OPT(SIZE, 'm', "memory", "SIZE", NULL, "memory for everything together [1G]",
		struct feed_settings, opts.memory),
	OPT_JOBS(struct feed_settings, jobs),
	OPT_PROGRESS(struct feed_settings, progress),
	OPT(FLAG, 'v', "verbose", NULL, NULL, "report the memory plan, name every skipped record",
		struct feed_settings, verbose),
	OPT(FLAG, 'q', "quiet", NULL, NULL, "no warnings, no live view", struct feed_settings,
		quiet),
	OPT_GONE("logdir", "Use --json, whose member 'over_time' has the figures, or --html FILE."),
	OPT_GONE("sloppy", "Use a larger --cycle-length to hide slow files."),
	OPT_GONE("ladder",
		"The report has the time of each stage.  --stages with a shorter list measures "
		"the pipeline up to a stage."),
	OPT_GONE("tmpdir", "The stage cache keeps its input in memory: see --memory."),
	OPTIONS_END,
};

/* "25" or "25:5": two numbers that are not negative. */
static bool parse_two(const char *text, double *first, double *second)
{
	char *end;

	if ((*text < '0' || *text > '9') && *text != '.')
		return false;
	*first = tfr_text_f64(text, &end);
	*second = 0;
	if (*end == ':') {
		text = end + 1;
		if ((*text < '0' || *text > '9') && *text != '.')
			return false;
		*second = tfr_text_f64(text, &end);
	}
	return !*end && isfinite(*first) && isfinite(*second);
}

bool feed_parse_compute(const char *text, double *mean, double *deviation)
{
	if (!parse_two(text, mean, deviation) || *mean > 3.6e6 || *deviation > 3.6e6)
		return false;
	*mean /= 1e3;
	*deviation /= 1e3;
	return *mean > 0 || *deviation <= 0;
}

/* "224" or "320x240". */
static bool is_size(const char *text)
{
	char *end;
	unsigned long w, h;

	w = h = strtoul(text, &end, 10);
	if (end != text && *end == 'x' && end[1] >= '0' && end[1] <= '9')
		h = strtoul(end + 1, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && !*end && w && h && w <= 16384 && h <= 16384;
}

/* Counts that must not be 0 and must fit in 32 bits. */
static int check_numbers(struct cmd *c, const struct feed_settings *s)
{
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = { { "batch", s->batch }, { "cycle-length", s->cycle_length },
		{ "block-length", s->block_length },
		{ "steps-per-transfer", s->steps_per_transfer } };
	double mean, deviation;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i].value != FEED_NOT_GIVEN &&
			(!counts[i].value || counts[i].value > UINT32_MAX))
			return cmd_usage(c, "--%s takes a number of at least 1", counts[i].name);
	if (s->prefetch != FEED_NOT_GIVEN && s->prefetch > 64)
		return cmd_usage(c, "--prefetch takes at most 64");
	if (s->size && !is_size(s->size))
		return cmd_usage(
			c, "--size takes W or WxH in pixels, 1 to 16384, not '%s'", s->size);
	if (s->compute && !feed_parse_compute(s->compute, &mean, &deviation))
		return cmd_usage(c, "--compute-ms takes MEAN or MEAN:SD in milliseconds, not '%s'",
			s->compute);
	return 0;
}

/* `--a` and `--b` exclude each other. */
struct conflict {
	bool both;
	const char *a, *b;
	const char *hint;
};

static int refuse_conflict(struct cmd *c, const struct conflict *k)
{
	struct tfr_error err = { .status = TFR_EUSAGE };

	snprintf(err.message, sizeof(err.message), "--%s and --%s exclude each other", k->a, k->b);
	tfr_error_hint(&err, "%s", k->hint);
	return cmd_fail(c, &err);
}

static int check_conflicts(struct cmd *c, const struct feed_settings *s)
{
	static const char in_list[] =
		"Write it into the list; the line 'stages' of a report shows how.";
	static const char no_images[] = "Batches of features have no images.";
	bool f = s->features.count > 0;
	const struct conflict all[] = {
		{ s->stages && s->batch != FEED_NOT_GIVEN, "stages", "batch", in_list },
		{ s->stages && s->size, "stages", "size", in_list },
		{ s->stages && s->augment, "stages", "augment", in_list },
		{ s->stages && s->shuffle != FEED_NOT_GIVEN, "stages", "shuffle-buffer", in_list },
		{ s->stages && s->cycle_length != FEED_NOT_GIVEN, "stages", "cycle-length",
			in_list },
		{ s->stages && s->block_length != FEED_NOT_GIVEN, "stages", "block-length",
			in_list },
		{ s->stages && s->prefetch != FEED_NOT_GIVEN, "stages", "prefetch", in_list },
		{ f && s->size, "feature", "size", no_images },
		{ f && s->augment, "feature", "augment", no_images },
		{ f && s->opts.fast_decode, "feature", "fast-decode", no_images },
		{ f && s->normalise_on, "feature", "normalise-on device", no_images },
		{ s->opts.no_overlap && s->steps_per_transfer > 1, "no-overlap",
			"steps-per-transfer",
			"The batches of one transfer are in flight together." },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].both)
			return refuse_conflict(c, &all[i]);
	return 0;
}

static bool reads_stdin(const struct cmd *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->operands[i], "-"))
			return true;
	return !c->count;
}

int feed_check_options(struct cmd *c, const struct feed_settings *s)
{
	if (check_numbers(c, s) || check_conflicts(c, s))
		return c->exit;
	if (s->tolerance >= 0 && !s->compare)
		return cmd_usage(c, "--tolerance needs --compare");
	if ((s->trace && !strcmp(s->trace, "-")) || (s->html && !strcmp(s->html, "-")))
		return cmd_usage(
			c, "--trace and --html take a file: the report goes to standard output");
	if (s->cold && reads_stdin(c))
		return cmd_usage(c, "--cold needs files, not standard input");
	return 0;
}

/* --- the stage list made from the short options ---
 *
 * Each option is a number or a name in the list.  Names are checked where the list is parsed, so
 * that --augment and --stages report the same errors. */

/* Stages that set the size of an image: without an argument they take --size. */
static bool sets_size(const char *name, size_t n)
{
	static const char *const names[] = { "random-resized-crop", "random-crop", "centre-crop",
		"five-crop", "resize", "pad" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	return false;
}

/* --augment, each stage with its size.  Without a stage that sets the size, resize comes first. */
static void put_augment(FILE *out, const char *list, const char *size)
{
	bool shaped = false;

	for (const char *name = list; *name;) {
		size_t n = strcspn(name, ","), word = strcspn(name, ",=*");

		shaped |= sets_size(name, word);
		name += n + (name[n] == ',');
	}
	if (!shaped)
		fprintf(out, ",resize=%s", size);
	while (*list) {
		size_t n = strcspn(list, ","), word = strcspn(list, ",=*");

		fprintf(out, ",%.*s", (int)word, list);
		if (sets_size(list, word) && list[word] != '=')
			fprintf(out, "=%s", size);
		fprintf(out, "%.*s", (int)(n - word), list + word);
		list += n + (list[n] == ',');
	}
}

static uint64_t given_or(uint64_t n, uint64_t otherwise)
{
	return n == FEED_NOT_GIVEN ? otherwise : n;
}

static void put_list(FILE *out, const struct feed_settings *s, bool images)
{
	uint64_t shuffle = given_or(s->shuffle, 2048);

	fprintf(out, "read=%llu:%llu", (unsigned long long)given_or(s->cycle_length, 4),
		(unsigned long long)given_or(s->block_length, 1));
	if (images || s->opts.where)
		fputs(",parse", out);
	if (s->opts.where)
		fputs(",filter", out);
	if (shuffle > 1)
		fprintf(out, ",shuffle=%llu", (unsigned long long)shuffle);
	if (images) {
		fputs(",decode", out);
		put_augment(out, s->augment ? s->augment : "random-resized-crop,flip,normalise",
			s->size ? s->size : "224");
	}
	fprintf(out, ",batch=%llu", (unsigned long long)given_or(s->batch, 64));
	if (given_or(s->prefetch, 0))
		fprintf(out, ",prefetch=%llu", (unsigned long long)s->prefetch);
	fputs(",upload", out);
}

char *feed_compose(const struct feed_settings *s, bool images)
{
	struct text text;

	if (text_open(&text))
		put_list(text.f, s, images);
	return text_close(&text);
}
