/* cmd/bench_feed/report.c - the report of bench-feed for a person, as wide as the terminal.
 *
 * Shares in the table are of the time of the threads that can work in a stage, over the entire run.
 * The last lines judge by the time from the first batch to the last. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/remote.h>

#include "bench_feed/bench_feed.h"
#include "common/screen.h"
#include "common/table.h"

enum { LABEL = 12, SPARKS = 40 };

static void print_field(const char *label, const char *text)
{
	text_field(stdout, LABEL, label, text);
}

/* print_field() as a callback. */
static void print_fact(void *ctx, const char *label, const char *text)
{
	(void)ctx;
	print_field(label, text);
}

static void TFR_PRINTF(4, 5)
	put_format(feed_put *put, void *ctx, const char *label, const char *format, ...)
{
	char text[1600];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(ctx, label, text);
}

/* "PCIe generation 4, 8 lanes (of generation 5, 16 lanes)". */
static void put_link(char *text, size_t size, const struct tfr_device_info *info)
{
	bool less = info->link_generation < info->link_generation_max ||
		    info->link_width < info->link_width_max;
	size_t used;

	if (!info->link_generation || !info->link_width)
		return;
	used = (size_t)snprintf(text, size, ", PCIe generation %u, %u lanes", info->link_generation,
		info->link_width);
	if (less && info->link_generation_max && info->link_width_max && used < size)
		snprintf(text + used, size - used, " (of generation %u, %u lanes)",
			info->link_generation_max, info->link_width_max);
}

/* What identifies a device of a driver: who reads the report later must know which one it was. */
static void put_identity(const struct tfr_device_info *info, feed_put *put, void *ctx)
{
	char text[300], node[32] = "", link[80] = "";

	if (info->node >= 0)
		snprintf(node, sizeof(node), ", NUMA node %d", info->node);
	put_link(link, sizeof(link), info);
	snprintf(text, sizeof(text), "%s%s%s%s%s", info->uuid, *info->pci ? ", PCI " : "",
		info->pci, link, node);
	put(ctx, "", text + (strncmp(text, ", ", 2) ? 0 : 2));
	if (*info->unbound)
		put_format(put, ctx, "", "staging memory may be on another NUMA node (%s)",
			info->unbound);
}

static void put_driver(const struct tfr_device_info *info, feed_put *put, void *ctx)
{
	char text[120] = "", cuda[32] = "";

	if (info->cuda)
		snprintf(cuda, sizeof(cuda), "CUDA %d.%d", info->cuda / 1000,
			info->cuda % 1000 / 10);
	snprintf(text, sizeof(text), "%s%s%s", info->driver, *info->driver && *cuda ? ", " : "",
		cuda);
	if (*text)
		put(ctx, "driver", text);
}

/* A device of this process has no identity: the first one stands for all. */
static void put_devices(const struct feed *f, feed_put *put, void *ctx)
{
	const struct tfr_device *first = f->device_count ? f->devices[0] : NULL;
	bool identified;
	char text[700];

	if (!first) {
		put(ctx, "device", "none: the list ends before upload");
		return;
	}
	identified = *f->info[0].model;
	for (unsigned i = 0; i < (identified ? f->device_count : 1); i++) {
		const char *reason = tfr_device_reason(f->devices[i]);

		snprintf(text, sizeof(text), "%s: %s%s%s", tfr_device_name(f->devices[i]),
			tfr_device_description(f->devices[i]), *reason ? "; " : "", reason);
		if (f->device_count > 1 && !identified)
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				"; and %u more, batches in turn", f->device_count - 1);
		put(ctx, i ? "" : "device", text);
		if (identified)
			put_identity(&f->info[i], put, ctx);
	}
	put_driver(&f->info[0], put, ctx);
}

/* The list, with a blank after each comma, where it can be wrapped. */
static void put_stage_list(const char *list, feed_put *put, void *ctx)
{
	size_t size = 2 * strlen(list) + 1, used = 0;
	char *text = malloc(size);

	if (!text)
		return;
	for (; *list; list++) {
		text[used++] = *list;
		if (*list == ',' && list[1] != ' ')
			text[used++] = ' ';
	}
	text[used] = '\0';
	put(ctx, "stages", text);
	free(text);
}

static void print_memory(const struct tfr_pipeline_plan *plan)
{
	put_format(print_fact, NULL, "memory",
		"%s planned of %s: shuffle buffers %s, cache %s, between stages %s, batches %u "
		"staging + %u device x %s, reading %s, decoding %s",
		FEED_SIZE(plan->total), FEED_SIZE(plan->limit), FEED_SIZE(plan->shuffle_bytes),
		FEED_SIZE(plan->cache_bytes), FEED_SIZE(plan->queue_bytes), plan->staging,
		plan->device, FEED_SIZE(plan->transfer_bytes), FEED_SIZE(plan->read_bytes),
		FEED_SIZE(plan->scratch_bytes));
}

static void put_rates(const struct feed *f, feed_put *put, void *ctx)
{
	const struct tfr_pipeline_stats *st = &f->stats;

	/* Verifying takes time of its own, so such a rate is not one of feeding alone. */
	put_format(put, ctx, "rate", "%s records/s, %s read, %s to the device%s",
		FEED_COUNT(st->records_per_second), FEED_BANDWIDTH(st->bytes_per_second),
		FEED_BANDWIDTH(st->device_bytes_per_second),
		f->verified ? "; every batch was copied back and compared: no difference" : "");
	put_format(put, ctx, "total", "%s records in %s batch%s, %s, in %s: %s records/s%s%s%s",
		FEED_COUNT(st->records), FEED_COUNT(st->batches), st->batches == 1 ? "" : "es",
		FEED_SIZE(st->bytes), FEED_DURATION(st->seconds),
		FEED_COUNT(st->records_per_second_total), st->skipped ? "; " : "",
		st->skipped ? FEED_COUNT(st->skipped) : "", st->skipped ? " skipped" : "");
	if (st->later_epochs_records_per_second > 0)
		put_format(put, ctx, "epochs",
			"the first at %s records/s, later ones at %s records/s",
			FEED_COUNT(st->first_epoch_records_per_second),
			FEED_COUNT(st->later_epochs_records_per_second));
}

/* The shape of an audio batch and its rate. */
static void put_audio(const struct feed *f, feed_put *put, void *ctx)
{
	const struct tfr_pipeline_plan *plan = tfr_pipeline_plan(f->pipeline);
	double rate = feed_samples_per_second(f);

	if (plan->audio_samples && f->stats.batches)
		put_format(put, ctx, "audio",
			"%s samples of %u channel%s at %s Hz: %s samples/s, %s s of audio per "
			"second",
			FEED_COUNT(plan->audio_samples), plan->audio_channels,
			plan->audio_channels == 1 ? "" : "s", FEED_COUNT(plan->audio_rate),
			FEED_COUNT(rate), FEED_COUNT(rate / plan->audio_rate));
}

/* Of objects. */
static void put_requests(feed_put *put, void *ctx)
{
	struct tfr_remote_statistics s;

	tfr_remote_statistics(&s);
	if (s.requests)
		put_format(put, ctx, "requests",
			"%llu, %llu of them repeated; %s over %llu connections, %u at once; first "
			"byte after %.1f ms (p50), %.1f ms (p99)",
			(unsigned long long)s.requests, (unsigned long long)s.retries,
			FEED_SIZE(s.bytes_in), (unsigned long long)s.connections, s.most_at_once,
			1000 * s.first_byte_p50, 1000 * s.first_byte_p99);
}

void feed_facts(const struct feed *f, feed_put *put, void *ctx)
{
	put_devices(f, put, ctx);
	put_stage_list(tfr_pipeline_describe(f->pipeline), put, ctx);
	if (f->tensors && *f->tensors)
		put(ctx, "batch", f->tensors);
	put_rates(f, put, ctx);
	put_audio(f, put, ctx);
	put_requests(put, ctx);
}

void feed_peak_memory(const struct feed *f, feed_put *put, void *ctx)
{
	uint64_t pinned = 0;

	for (unsigned i = 0; i < f->device_count; i++)
		pinned += f->info[i].pinned;
	put_format(put, ctx, "peak memory", "%s of %s allowed%s%s%s%s%s%s",
		FEED_SIZE(feed_peak_memory_bytes(f)),
		FEED_SIZE(tfr_pipeline_plan(f->pipeline)->limit), pinned ? ", " : "",
		pinned ? FEED_SIZE(pinned) : "", pinned ? " of it pinned" : "",
		f->driver_rss ? ", " : "", f->driver_rss ? FEED_SIZE(f->driver_rss) : "",
		f->driver_rss ? " of it by the device's driver, which does not count" : "");
}

/* The share of the processors from which on other programs are reported.  In a shorter run the
 * kernel's ticks are too coarse. */
#define LOAD_REPORTED 0.10
#define LOAD_SECONDS 0.5

bool feed_load_text(const struct feed *f, char text[FEED_LOAD_TEXT])
{
	const struct tfr_pipeline_stats *st = &f->stats;
	bool host = st->stolen_load >= LOAD_REPORTED;

	if (!st->load_known || st->other_load < LOAD_REPORTED || st->seconds < LOAD_SECONDS)
		return false;
	snprintf(text, FEED_LOAD_TEXT,
		"other programs used %s of the processors%s%s%s: this machine can do more than "
		"these figures show",
		FEED_SHARE(st->other_load), host ? " (" : "",
		host ? FEED_SHARE(st->stolen_load) : "",
		host ? " by the host of this virtual machine)" : "");
	return true;
}

/* Records per second in equal spans of the run, as bars.  The highest rate has the highest bar. */
static void print_over_time(const struct feed *f)
{
	static const char *const bars[2][8] = { { "_", ".", ":", "-", "=", "+", "*", "#" },
		{ "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" } };
	const char *const *levels = bars[screen_utf8()];
	double rates[SPARKS], most = 0;
	unsigned room =
		screen_columns(stdout) > LABEL + SPARKS ? SPARKS : screen_columns(stdout) / 2;
	unsigned spans = feed_history_rates(f->history, rates, room);
	char text[SPARKS * 3 + 1] = "";

	if (!spans)
		return;
	for (unsigned i = 0; i < spans; i++)
		most = rates[i] > most ? rates[i] : most;
	for (unsigned i = 0; i < spans; i++)
		strcat(text, levels[most > 0 ? (int)(rates[i] / most * 7 + 0.5) : 0]);
	printf("%-*s%s\n", LABEL, "over time", text);
	put_format(print_fact, NULL, "", "%s each; the highest is %s records/s",
		FEED_DURATION(f->stats.seconds / spans), FEED_COUNT(most));
}

static void print_waits(const struct tfr_pipeline_stats *st)
{
	if (st->batches == 1)
		put_format(print_fact, NULL, "batch wait", "first %s",
			FEED_DURATION(st->first_batch_seconds));
	else if (st->batches)
		put_format(print_fact, NULL, "batch wait",
			"first %s; then p50 %s, p95 %s, p99 %s, max %s",
			FEED_DURATION(st->first_batch_seconds), FEED_DURATION(st->wait_p50),
			FEED_DURATION(st->wait_p95), FEED_DURATION(st->wait_p99),
			FEED_DURATION(st->wait_max));
}

static void print_link(const struct feed *f)
{
	double can = 0, achieved = f->stats.device_bytes_per_second;

	for (unsigned i = 0; i < f->device_count; i++)
		can += f->link[i];
	if (can > 0)
		put_format(print_fact, NULL, "link", "%s of the measured %s%s: %s",
			FEED_BANDWIDTH(achieved), FEED_BANDWIDTH(can),
			f->device_count > 1 ? " of all links" : "", FEED_SHARE(achieved / can));
}

static void print_compute(const struct feed *f)
{
	const struct feed_compute *k = &f->compute;
	double computing = 0, idle = 0;

	if (k->mean <= 0)
		return;
	for (unsigned i = 0; i < f->device_count; i++) {
		computing += k->devices[i].computing;
		idle += k->devices[i].idle;
	}
	if (!k->steps)
		print_field("idle", "unknown after one step");
	else if (!k->idle_steps)
		put_format(print_fact, NULL, "idle", "never, in %s steps (%s of the time)",
			FEED_COUNT(k->steps), FEED_SHARE(idle / (idle + computing)));
	else
		put_format(print_fact, NULL, "idle",
			"%s of the time: %s of %s steps were delayed, from step %s on, by at most "
			"%s",
			FEED_SHARE(idle / (idle + computing)), FEED_COUNT(k->idle_steps),
			FEED_COUNT(k->steps), FEED_COUNT(k->first_idle_step),
			FEED_DURATION(k->longest));
}

/* A share of the time of a stage's threads. */
static void put_share(
	struct table *t, const struct tfr_stage_stats *s, double seconds, double spent)
{
	table_cell(t, "%.1f%%", 100 * feed_share(s, seconds, spent));
}

static void put_stage(struct table *t, const struct tfr_stage_stats *s, double seconds)
{
	table_cell(t, "%s", s->name);
	table_count(t, s->threads);
	put_share(t, s, seconds, s->busy);
	put_share(t, s, seconds, s->starved);
	put_share(t, s, seconds, s->blocked);
	table_cell(t, "%s", FEED_COUNT(s->items));
	table_cell(t, "%s", FEED_SIZE(s->bytes));
	if (s->queue_capacity)
		table_cell(t, "%.0f/%llu", s->queue_mean, (unsigned long long)s->queue_capacity);
	else
		table_cell(t, "%s", "");
}

/* Narrow terminals leave out the bytes first, then the queue. */
static void print_stages(const struct feed *f)
{
	const struct tfr_pipeline_stats *st = &f->stats;
	static const struct table_column columns[] = { { "stage", TABLE_TEXT, 19, 0 },
		{ "thr", TABLE_NUMBER, 0, 0 }, { "busy", TABLE_NUMBER, 6, 0 },
		{ "starved", TABLE_NUMBER, 0, 0 }, { "blocked", TABLE_NUMBER, 0, 0 },
		{ "items", TABLE_NUMBER, 6, 1 }, { "bytes", TABLE_NUMBER, 8, 3 },
		{ "queue", TABLE_NUMBER, 5, 2 } };
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));

	for (unsigned i = 0; i < st->stage_count; i++)
		put_stage(t, &st->stages[i], st->seconds);
	putchar('\n');
	table_finish(f->c, t, stdout);
	putchar('\n');
}

static void put_device(struct table *t, const struct feed *f, unsigned i)
{
	const struct tfr_device_stats *d = &f->stats.devices[i];
	const struct feed_device_use *use = &f->compute.devices[i];
	double all = use->idle + use->computing;

	table_cell(t, "%s", tfr_device_name(f->devices[i]));
	table_cell(t, "%s", FEED_COUNT(d->batches));
	table_cell(t, "%s", FEED_SIZE(d->bytes));
	table_cell(t, "%s", FEED_SHARE(d->busy / f->stats.seconds));
	table_cell(t, "%s", all > 0 ? FEED_SHARE(use->idle / all) : "-");
}

/* One row per device, if there are several. */
static void print_device_table(const struct feed *f)
{
	static const struct table_column columns[] = { { "device", TABLE_TEXT, 20, 0 },
		{ "batches", TABLE_NUMBER, 0, 0 }, { "bytes", TABLE_NUMBER, 8, 1 },
		{ "link busy", TABLE_NUMBER, 0, 0 }, { "idle", TABLE_NUMBER, 4, 0 } };
	struct table *t;

	if (f->device_count < 2)
		return;
	t = table_new(columns, sizeof(columns) / sizeof(*columns));
	for (unsigned i = 0; i < f->stats.device_count; i++)
		put_device(t, f, i);
	table_finish(f->c, t, stdout);
	putchar('\n');
}

static void print_notes(const struct feed *f)
{
	const struct tfr_pipeline_plan *plan = tfr_pipeline_plan(f->pipeline);
	char text[FEED_LOAD_TEXT];

	if (f->s->opts.fast_decode)
		print_field("note",
			"images decoded fast, not exactly: not comparable with other rates");
	if (f->stats.shuffle_least < plan->shuffle)
		put_format(print_fact, NULL, "note",
			"the shuffle buffer held %s records, not %s: later records are larger than "
			"the first ones, and memory is limited",
			FEED_COUNT(f->stats.shuffle_least), FEED_COUNT(plan->shuffle));
	if (feed_trace_dropped(f->trace))
		put_format(print_fact, NULL, "note",
			"the trace is full: it lacks the last %s pieces",
			FEED_COUNT(feed_trace_dropped(f->trace)));
	if (feed_load_text(f, text))
		print_field("warning", text);
}

/* Without --compute-ms nothing is simulated that could wait. */
static void print_verdict(const struct feed *f)
{
	const struct tfr_pipeline_stats *st = &f->stats;
	char waits[40] = "";

	if (f->compute.mean > 0)
		snprintf(
			waits, sizeof(waits), "; the device waits %.0f%%", 100 * st->idle_fraction);
	if (st->batches)
		put_format(print_fact, NULL, "bottleneck:", "%s: %s%s. What would change it: %s.",
			st->bottleneck, st->finding, waits, st->advice);
	else
		put_format(print_fact, NULL,
			"bottleneck:", "unknown, no batch was delivered; until then %s: %s",
			st->bottleneck, st->finding);
}

void feed_report_text(const struct feed *f)
{
	feed_facts(f, print_fact, NULL);
	print_over_time(f);
	print_waits(&f->stats);
	print_compute(f);
	print_link(f);
	if (f->s->verbose)
		print_memory(tfr_pipeline_plan(f->pipeline));
	feed_peak_memory(f, print_fact, NULL);
	print_stages(f);
	print_device_table(f);
	print_notes(f);
	print_verdict(f);
}
