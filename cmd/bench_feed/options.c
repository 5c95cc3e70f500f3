/* cmd/bench_feed/options.c - the options of bench-feed, and which of them contradict each other.
 *
 * What only the list of stages or the device can judge is judged there, before the run as well. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/text.h>

#include "bench_feed/feed.h"

const struct feed_settings feed_defaults = {
	.device = "auto",
	.on_error = "fail",
	.batch = FEED_NOT_GIVEN,
	.cycle_length = FEED_NOT_GIVEN,
	.block_length = FEED_NOT_GIVEN,
	.prefetch = FEED_NOT_GIVEN,
	.steps_per_transfer = 1,
	.memory = 1ull << 30,
	.stall_timeout = 60,
	.tolerance = -1,
};

const struct opt feed_options[] = {
	OPT(STRING, 0, "device", "SPEC", "host|sim:|cuda:0|cuda:all|auto",
		"where batches go: host, sim:BANDWIDTH,LATENCY[,COUNT] (sim:25G,10us,2), cuda:0,1, "
		"cuda:all or auto [auto: cuda if one answers, else host]",
		struct feed_settings, device),
	OPT(STRING, 0, "stages", "LIST", NULL,
		"the whole feed in order, in place of the options from --batch to --prefetch",
		struct feed_settings, stages),
	OPT(COUNT, 0, "batch", "N", NULL, "records in a batch [64]", struct feed_settings, batch),
	OPT(STRING, 0, "size", "W[xH]", NULL, "pixels of an image in a batch [224]",
		struct feed_settings, size),
	OPT(STRING, 0, "augment", "LIST", NULL,
		"what is done to each image [random-resized-crop,flip,normalise]",
		struct feed_settings, augment),
	OPT(STRING, 0, "shuffle-buffer", "N[:MIN]", NULL,
		"records the shuffle buffer holds, and how many before it gives one; 0: no "
		"shuffling [2048]",
		struct feed_settings, shuffle),
	OPT(COUNT, 0, "cycle-length", "N", NULL, "files read at once, in turn [4]",
		struct feed_settings, cycle_length),
	OPT(COUNT, 0, "block-length", "N", NULL,
		"records from a file before the next one's turn [1]", struct feed_settings,
		block_length),
	OPT(POSITIVE, 0, "prefetch", "N", NULL, "batches in flight [as memory allows, at most 3]",
		struct feed_settings, prefetch),
	OPT(LIST, 0, "feature", "SPEC", OPT_COLUMN,
		"a column of the batch, NAME:int64[17], :float[*] (padded) or :float[] (ragged); "
		"several may be given",
		struct feed_settings, features),
	OPT(STRING, 0, "where", "EXPR", OPT_EXPRESSION, "only Examples for which EXPR holds",
		struct feed_settings, where),
	OPT(FLAG, 0, "shuffle-files", NULL, NULL, "another order of the files in each epoch",
		struct feed_settings, shuffle_files),
	OPT(FLAG, 0, "drop-remainder", NULL, NULL,
		"leave out an epoch's last batch when it is short", struct feed_settings,
		drop_remainder),
	OPT(FLAG, 0, "fast-decode", NULL, NULL, "decode faster, and less exactly",
		struct feed_settings, fast_decode),
	OPT(CHOICE, 0, "normalise-on", "WHERE", "host|device",
		"where bytes become floats: host or device [host]", struct feed_settings,
		normalise_on),
	OPT(COUNT, 0, "steps-per-transfer", "K", NULL, "batches that travel as one [1]",
		struct feed_settings, steps_per_transfer),
	OPT(FLAG, 0, "pageable", NULL, NULL, "upload from memory that is not pinned",
		struct feed_settings, pageable),
	OPT(FLAG, 0, "no-overlap", NULL, NULL, "one batch at a time: nothing goes on beside it",
		struct feed_settings, no_overlap),
	OPT(FLAG, 0, "verify-transfers", NULL, NULL,
		"copy every batch back from the device and compare it", struct feed_settings,
		verify_transfers),
	OPT(STRING, 0, "compute-ms", "MEAN[:SD]", NULL,
		"occupy the device so long with every batch [0: hand it straight back]",
		struct feed_settings, compute),
	OPT(POSITIVE, 0, "epochs", "N", NULL, "stop after N epochs [without a limit: 1 or 30 s]",
		struct feed_settings, epochs),
	OPT(POSITIVE, 0, "steps", "N", NULL, "stop after N batches", struct feed_settings, steps),
	OPT(REAL, 0, "seconds", "S", NULL, "stop after S seconds", struct feed_settings, seconds),
	OPT(REAL, 0, "stall-timeout", "S", NULL,
		"give up when nothing has moved for so long; 0: never [60]", struct feed_settings,
		stall_timeout),
	OPT(FLAG, 0, "ladder", NULL, NULL, "run the list cut off after each stage in turn",
		struct feed_settings, ladder),
	OPT(FLAG, 0, "cold", NULL, NULL, "take the inputs out of the page cache first",
		struct feed_settings, cold),
	OPT(COUNT, 0, "seed", "N", NULL, "of shuffling, crops and flips [0]", struct feed_settings,
		seed),
	OPT(SIZE, 'm', "memory", "SIZE", NULL, "what everything together may take [1G]",
		struct feed_settings, memory),
	OPT_JOBS(struct feed_settings, jobs),
	OPT(STRING, 0, "on-error", "HOW", "fail|skip|quarantine=",
		"a record without a whole image or sound: fail, skip, or quarantine=FILE [fail]",
		struct feed_settings, on_error),
	OPT_COMPRESSION(struct feed_settings, compression),
	OPT_MISSING(struct feed_settings, allow_missing),
	OPT_JSON(struct feed_settings, json),
	OPT(STRING, 0, "trace", "FILE", NULL, "every piece of work, for ui.perfetto.dev",
		struct feed_settings, trace),
	OPT(STRING, 0, "logdir", "DIR", NULL, "the figures over time, for TensorBoard",
		struct feed_settings, logdir),
	OPT(STRING, 0, "html", "FILE", NULL, "the report as a page, with images of a batch",
		struct feed_settings, html),
	OPT(STRING, 0, "compare", "FILE", NULL, "beside an earlier run's --json",
		struct feed_settings, compare),
	OPT(REAL, 0, "tolerance", "PERCENT", NULL,
		"with --compare: end with 1 when it became so much worse [5]", struct feed_settings,
		tolerance),
	OPT_PROGRESS(struct feed_settings, progress),
	OPT_FORCE(struct feed_settings, force),
	OPT(FLAG, 'v', "verbose", NULL, NULL, "say where memory goes, name every skipped record",
		struct feed_settings, verbose),
	OPT_QUIET(struct feed_settings, quiet),
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

static bool parse_whole(const char *text, char **end, uint64_t *n)
{
	if (*text < '0' || *text > '9')
		return false;
	*n = strtoull(text, end, 10);
	return *n < UINT64_MAX;
}

bool feed_parse_shuffle(const char *text, uint64_t *n, uint64_t *least)
{
	char *end;

	*least = 0;
	if (!parse_whole(text, &end, n))
		return false;
	if (*end == ':' && !parse_whole(end + 1, &end, least))
		return false;
	return !*end && *least <= *n;
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

/* Counts that must not be 0, and those that must fit 32 bits. */
static int check_numbers(struct cmd *c, const struct feed_settings *s)
{
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = { { "batch", s->batch }, { "cycle-length", s->cycle_length },
		{ "block-length", s->block_length },
		{ "steps-per-transfer", s->steps_per_transfer } };
	uint64_t n, least;
	double mean, deviation;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i].value != FEED_NOT_GIVEN &&
			(!counts[i].value || counts[i].value > UINT32_MAX))
			return cmd_usage(c, "--%s takes a number from 1 on", counts[i].name);
	if (s->prefetch != FEED_NOT_GIVEN && s->prefetch > 64)
		return cmd_usage(c, "--prefetch takes at most 64");
	if (s->size && !is_size(s->size))
		return cmd_usage(
			c, "--size takes W or WxH in pixels, 1 to 16384, not '%s'", s->size);
	if (s->shuffle && !feed_parse_shuffle(s->shuffle, &n, &least))
		return cmd_usage(c,
			"--shuffle-buffer takes N or N:MIN, and MIN is at most N, not '%s'",
			s->shuffle);
	if (s->compute && !feed_parse_compute(s->compute, &mean, &deviation))
		return cmd_usage(c, "--compute-ms takes MEAN or MEAN:SD in milliseconds, not '%s'",
			s->compute);
	return 0;
}

/* `--a` where `--b` makes it senseless. */
struct conflict {
	bool both;
	const char *a, *b;
	const char *hint;
};

static int refuse(struct cmd *c, const struct conflict *k)
{
	struct tfr_error err = { .status = TFR_EUSAGE };

	snprintf(err.message, sizeof(err.message), "--%s and --%s exclude each other", k->a, k->b);
	snprintf(err.hint, sizeof(err.hint), "%s", k->hint);
	return cmd_fail(c, &err);
}

static int check_conflicts(struct cmd *c, const struct feed_settings *s)
{
	static const char in_list[] = "Write it into the list, as the report's 'stages' shows it.";
	static const char no_images[] = "Batches of features have no images.";
	static const char rungs[] = "--ladder measures many short runs; give it a run of its own.";
	bool f = s->features.count > 0;
	const struct conflict all[] = {
		{ s->stages && s->batch != FEED_NOT_GIVEN, "stages", "batch", in_list },
		{ s->stages && s->size, "stages", "size", in_list },
		{ s->stages && s->augment, "stages", "augment", in_list },
		{ s->stages && s->shuffle, "stages", "shuffle-buffer", in_list },
		{ s->stages && s->cycle_length != FEED_NOT_GIVEN, "stages", "cycle-length",
			in_list },
		{ s->stages && s->block_length != FEED_NOT_GIVEN, "stages", "block-length",
			in_list },
		{ s->stages && s->prefetch != FEED_NOT_GIVEN, "stages", "prefetch", in_list },
		{ f && s->size, "feature", "size", no_images },
		{ f && s->augment, "feature", "augment", no_images },
		{ f && s->fast_decode, "feature", "fast-decode", no_images },
		{ f && s->normalise_on, "feature", "normalise-on device", no_images },
		{ s->ladder && s->compute, "ladder", "compute-ms", rungs },
		{ s->ladder && s->trace, "ladder", "trace", rungs },
		{ s->ladder && s->html, "ladder", "html", rungs },
		{ s->ladder && s->logdir, "ladder", "logdir", rungs },
		{ s->ladder && s->compare, "ladder", "compare", rungs },
		{ s->ladder && s->verify_transfers, "ladder", "verify-transfers", rungs },
		{ s->no_overlap && s->steps_per_transfer > 1, "no-overlap", "steps-per-transfer",
			"Several batches in one transfer are in flight together." },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].both)
			return refuse(c, &all[i]);
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
		return cmd_usage(c, "--tolerance means nothing without --compare");
	if ((s->trace && !strcmp(s->trace, "-")) || (s->html && !strcmp(s->html, "-")))
		return cmd_usage(
			c, "--trace and --html take a file: standard output has the report");
	if (s->ladder && reads_stdin(c))
		return cmd_usage(
			c, "--ladder reads its input many times, standard input is there once");
	if (s->cold && reads_stdin(c))
		return cmd_usage(c, "--cold means nothing for standard input");
	return 0;
}
