/* cmd/bench_feed/report.c - the report of bench-feed for a person, as wide as the terminal.
 *
 * Shares in the table are of the time of the threads that can work in a stage, over the entire run.
 * The last lines judge by the time from the first batch to the last. */
#include <stdlib.h>
#include <string.h>

#include <tfr/remote.h>

#include "bench_feed/bench_feed.h"
#include "common/figures.h"
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
	if (*info->unbound) {
		snprintf(text, sizeof(text), "staging memory may be on another NUMA node (%s)",
			info->unbound);
		put(ctx, "", text);
	}
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
	char total[TFR_SIZE_TEXT], limit[TFR_SIZE_TEXT], shuffle[TFR_SIZE_TEXT],
		batch[TFR_SIZE_TEXT];
	char read[TFR_SIZE_TEXT], scratch[TFR_SIZE_TEXT], cache[TFR_SIZE_TEXT],
		queues[TFR_SIZE_TEXT], text[600];

	snprintf(text, sizeof(text),
		"%s planned of %s: shuffle buffers %s, cache %s, between stages %s, batches %u "
		"staging + %u device x %s, reading %s, decoding %s",
		tfr_format_size(plan->total, total), tfr_format_size(plan->limit, limit),
		tfr_format_size(plan->shuffle_bytes, shuffle),
		tfr_format_size(plan->cache_bytes, cache),
		tfr_format_size(plan->queue_bytes, queues), plan->staging, plan->device,
		tfr_format_size(plan->transfer_bytes, batch),
		tfr_format_size(plan->read_bytes, read),
		tfr_format_size(plan->scratch_bytes, scratch));
	print_field("memory", text);
}

static void put_rates(const struct feed *f, feed_put *put, void *ctx)
{
	const struct tfr_pipeline_stats *st = &f->stats;
	char a[32], b[32], c[32], total[32], size[TFR_SIZE_TEXT], text[400];

	/* Verifying takes time of its own, so such a rate is not one of feeding alone. */
	snprintf(text, sizeof(text), "%s records/s, %s read, %s to the device%s",
		tfr_format_count(st->records_per_second, a),
		figure_bandwidth(st->bytes_per_second, b),
		figure_bandwidth(st->device_bytes_per_second, c),
		f->verified ? "; every batch was copied back and compared: no difference" : "");
	put(ctx, "rate", text);
	snprintf(text, sizeof(text), "%s records in %s batch%s, %s, in %s: %s records/s",
		tfr_format_count((double)st->records, a), tfr_format_count((double)st->batches, b),
		st->batches == 1 ? "" : "es", tfr_format_size(st->bytes, size),
		figure_duration(st->seconds, c),
		tfr_format_count(st->records_per_second_total, total));
	if (st->skipped)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "; %s skipped",
			tfr_format_count((double)st->skipped, a));
	put(ctx, "total", text);
	if (st->later_epochs_records_per_second <= 0)
		return;
	snprintf(text, sizeof(text), "the first at %s records/s, later ones at %s records/s",
		tfr_format_count(st->first_epoch_records_per_second, a),
		tfr_format_count(st->later_epochs_records_per_second, b));
	put(ctx, "epochs", text);
}

/* The shape of an audio batch and its rate. */
static void put_audio(const struct feed *f, feed_put *put, void *ctx)
{
	const struct tfr_pipeline_plan *plan = tfr_pipeline_plan(f->pipeline);
	double rate = feed_samples_per_second(f);
	char a[TFR_SIZE_TEXT], b[TFR_SIZE_TEXT], c[TFR_SIZE_TEXT], d[TFR_SIZE_TEXT], text[300];

	if (!plan->audio_samples || !f->stats.batches)
		return;
	snprintf(text, sizeof(text),
		"%s samples of %u channel%s at %s Hz: %s samples/s, %s s of audio per second",
		tfr_format_count(plan->audio_samples, a), plan->audio_channels,
		plan->audio_channels == 1 ? "" : "s", tfr_format_count(plan->audio_rate, b),
		tfr_format_count(rate, c), tfr_format_count(rate / plan->audio_rate, d));
	put(ctx, "audio", text);
}

/* Of objects. */
static void put_requests(feed_put *put, void *ctx)
{
	char in[TFR_SIZE_TEXT], text[256];
	struct tfr_remote_statistics s;

	tfr_remote_statistics(&s);
	if (!s.requests)
		return;
	snprintf(text, sizeof(text),
		"%llu, %llu of them repeated; %s over %llu connections, %u at once; first byte "
		"after %.1f ms (p50), %.1f ms (p99)",
		(unsigned long long)s.requests, (unsigned long long)s.retries,
		tfr_format_size(s.bytes_in, in), (unsigned long long)s.connections, s.most_at_once,
		1000 * s.first_byte_p50, 1000 * s.first_byte_p99);
	put(ctx, "requests", text);
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
	char text[200], size[TFR_SIZE_TEXT], limit[TFR_SIZE_TEXT];

	for (unsigned i = 0; i < f->device_count; i++)
		pinned += f->info[i].pinned;
	snprintf(text, sizeof(text), "%s of %s allowed",
		tfr_format_size(feed_peak_memory_bytes(f), size),
		tfr_format_size(tfr_pipeline_plan(f->pipeline)->limit, limit));
	if (pinned)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ", %s of it pinned",
			tfr_format_size(pinned, size));
	if (f->driver_rss)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			", %s of it by the device's driver, which does not count",
			tfr_format_size(f->driver_rss, size));
	put(ctx, "peak memory", text);
}

/* The share of the processors from which on other programs are reported.  In a shorter run the
 * kernel's ticks are too coarse. */
#define LOAD_REPORTED 0.10
#define LOAD_SECONDS 0.5

bool feed_load_text(const struct feed *f, char text[FEED_LOAD_TEXT])
{
	const struct tfr_pipeline_stats *st = &f->stats;
	char share[32], stolen[32], host[80] = "";

	if (!st->load_known || st->other_load < LOAD_REPORTED || st->seconds < LOAD_SECONDS)
		return false;
	if (st->stolen_load >= LOAD_REPORTED)
		snprintf(host, sizeof(host), " (%s by the host of this virtual machine)",
			figure_share(st->stolen_load, stolen));
	snprintf(text, FEED_LOAD_TEXT,
		"other programs used %s of the processors%s: this machine can do more than these "
		"figures show",
		figure_share(st->other_load, share), host);
	return true;
}

/* Records per second in equal spans of the run, as bars.  The highest rate has the highest bar. */
static void print_over_time(const struct feed *f)
{
	static const char *const bars[2][8] = { { "_", ".", ":", "-", "=", "+", "*", "#" },
		{ "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" } };
	const char *const *levels = bars[screen_utf8()];
	double rates[SPARKS], most = 0, end = f->stats.seconds;
	unsigned room =
		screen_columns(stdout) > LABEL + SPARKS ? SPARKS : screen_columns(stdout) / 2;
	unsigned spans = feed_history_rates(f->history, rates, room);
	char text[SPARKS * 3 + 120] = "", rate[TFR_SIZE_TEXT], each[32];

	if (!spans)
		return;
	for (unsigned i = 0; i < spans; i++)
		most = rates[i] > most ? rates[i] : most;
	for (unsigned i = 0; i < spans; i++)
		strcat(text, levels[most > 0 ? (int)(rates[i] / most * 7 + 0.5) : 0]);
	printf("%-*s%s\n", LABEL, "over time", text);
	snprintf(text, sizeof(text), "%s each; the highest is %s records/s",
		figure_duration(end / spans, each), tfr_format_count(most, rate));
	print_field("", text);
}

static void print_waits(const struct tfr_pipeline_stats *st)
{
	char first[32], p50[32], p95[32], p99[32], max[32], text[400];

	if (!st->batches)
		return;
	if (st->batches == 1)
		snprintf(text, sizeof(text), "first %s",
			figure_duration(st->first_batch_seconds, first));
	else
		snprintf(text, sizeof(text), "first %s; then p50 %s, p95 %s, p99 %s, max %s",
			figure_duration(st->first_batch_seconds, first),
			figure_duration(st->wait_p50, p50), figure_duration(st->wait_p95, p95),
			figure_duration(st->wait_p99, p99), figure_duration(st->wait_max, max));
	print_field("batch wait", text);
}

static void print_link(const struct feed *f)
{
	double can = 0;
	char achieved[32], measured[32], share[32], text[300];

	for (unsigned i = 0; i < f->device_count; i++)
		can += f->link[i];
	if (can <= 0)
		return;
	snprintf(text, sizeof(text), "%s of the measured %s%s: %s",
		figure_bandwidth(f->stats.device_bytes_per_second, achieved),
		figure_bandwidth(can, measured), f->device_count > 1 ? " of all links" : "",
		figure_share(f->stats.device_bytes_per_second / can, share));
	print_field("link", text);
}

static void print_compute(const struct feed *f)
{
	const struct feed_compute *k = &f->compute;
	double computing = 0, idle = 0;
	char share[32], steps[TFR_SIZE_TEXT], waited[TFR_SIZE_TEXT], from[TFR_SIZE_TEXT],
		longest[32], text[400];

	if (k->mean <= 0)
		return;
	for (unsigned i = 0; i < f->device_count; i++) {
		computing += k->devices[i].computing;
		idle += k->devices[i].idle;
	}
	if (!k->steps)
		snprintf(text, sizeof(text), "unknown after one step");
	else if (!k->idle_steps)
		snprintf(text, sizeof(text), "never, in %s steps (%s of the time)",
			tfr_format_count((double)k->steps, steps),
			figure_share(idle / (idle + computing), share));
	else
		snprintf(text, sizeof(text),
			"%s of the time: %s of %s steps were delayed, from step %s on, by at most "
			"%s",
			figure_share(idle / (idle + computing), share),
			tfr_format_count((double)k->idle_steps, waited),
			tfr_format_count((double)k->steps, steps),
			tfr_format_count((double)k->first_idle_step, from),
			figure_duration(k->longest, longest));
	print_field("idle", text);
}

/* A share of the time of a stage's threads. */
static void put_share(
	struct table *t, const struct tfr_stage_stats *s, double seconds, double spent)
{
	table_cell(t, "%.1f%%", 100 * feed_share(s, seconds, spent));
}

static void put_stage(struct table *t, const struct tfr_stage_stats *s, double seconds)
{
	char text[TFR_SIZE_TEXT];

	table_cell(t, "%s", s->name);
	table_count(t, s->threads);
	put_share(t, s, seconds, s->busy);
	put_share(t, s, seconds, s->starved);
	put_share(t, s, seconds, s->blocked);
	table_cell(t, "%s", tfr_format_count((double)s->items, text));
	table_cell(t, "%s", tfr_format_size(s->bytes, text));
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
	char text[TFR_SIZE_TEXT], share[FIGURE_TEXT];

	table_cell(t, "%s", tfr_device_name(f->devices[i]));
	table_cell(t, "%s", tfr_format_count((double)d->batches, text));
	table_cell(t, "%s", tfr_format_size(d->bytes, text));
	table_cell(t, "%s", figure_share(d->busy / f->stats.seconds, share));
	table_cell(t, "%s", all > 0 ? figure_share(use->idle / all, share) : "-");
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
	char text[400], a[32], b[32];

	if (f->s->opts.fast_decode)
		print_field("note",
			"images decoded fast, not exactly: not comparable with other rates");
	if (f->stats.shuffle_least < plan->shuffle) {
		snprintf(text, sizeof(text),
			"the shuffle buffer held %s records, not %s: later records are larger than "
			"the first ones, and memory is limited",
			tfr_format_count((double)f->stats.shuffle_least, a),
			tfr_format_count((double)plan->shuffle, b));
		print_field("note", text);
	}
	if (feed_trace_dropped(f->trace)) {
		snprintf(text, sizeof(text), "the trace is full: it lacks the last %s pieces",
			tfr_format_count((double)feed_trace_dropped(f->trace), a));
		print_field("note", text);
	}
	if (feed_load_text(f, text))
		print_field("warning", text);
}

/* Without --compute-ms nothing is simulated that could wait. */
static void print_verdict(const struct feed *f)
{
	const struct tfr_pipeline_stats *st = &f->stats;
	char waits[40] = "", text[1600];

	if (!st->batches) {
		snprintf(text, sizeof(text), "unknown, no batch was delivered; until then %s: %s",
			st->bottleneck, st->finding);
		print_field("bottleneck:", text);
		return;
	}
	if (f->compute.mean > 0)
		snprintf(
			waits, sizeof(waits), "; the device waits %.0f%%", 100 * st->idle_fraction);
	snprintf(text, sizeof(text), "%s: %s%s. What would change it: %s.", st->bottleneck,
		st->finding, waits, st->advice);
	print_field("bottleneck:", text);
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
