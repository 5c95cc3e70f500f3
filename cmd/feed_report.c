/* cmd/feed_report.c - the report of bench-feed: 80 columns for a person, exact numbers for JSON.
 *
 * Shares in the table are of the time of the threads that can work in a stage, over the whole run;
 * the last lines judge by the time from the first batch to the last. */
#include <ctype.h>
#include <string.h>
#include <sys/resource.h>

#include "feed_report.h"

enum { WIDTH = 80, LABEL = 12 };

static uint64_t peak_rss(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}

/* Three digits and the unit that suits: "31.4 ms". */
static const char *duration(double seconds, char text[32])
{
	static const char *const units[] = { "s", "ms", "us", "ns" };
	unsigned unit = 0;

	while (seconds < 0.9995 && unit < 3) {
		seconds *= 1e3;
		unit++;
	}
	if (unit == 3 && seconds < 0.5)
		return "0 s";
	snprintf(text, 32, "%.*f %s",
		seconds < 9.995	  ? 2
		: seconds < 99.95 ? 1
				  : 0,
		seconds, units[unit]);
	return text;
}

/* Decimal, as links and disks are sold: "1.41 GB/s". */
static const char *bandwidth(double bytes, char text[32])
{
	static const char *const units[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" };
	unsigned unit = 0;

	while (bytes >= 999.5 && unit < 4) {
		bytes /= 1e3;
		unit++;
	}
	snprintf(text, 32, "%.*f %s",
		bytes < 9.995	? 2
		: bytes < 99.95 ? 1
				: 0,
		bytes, units[unit]);
	return text;
}

/* A label and a text behind it, wrapped between words. */
static void print_field(const char *label, const char *text)
{
	int column = printf("%-*s", LABEL, label);

	while (*text) {
		int word = (int)strcspn(text, " ");

		/* A number stays with its unit. */
		if (isdigit((unsigned char)text[0]) && text[word] &&
			isalpha((unsigned char)text[word + 1]))
			word += 1 + (int)strcspn(text + word + 1, " ");
		if (column > LABEL && column + 1 + word > WIDTH)
			column = printf("\n%*s", LABEL, "") - 1;
		column += printf("%s%.*s", column > LABEL ? " " : "", word, text);
		text += word;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_device(const struct tfr_device *device)
{
	const char *reason = tfr_device_reason(device);
	char text[600];

	snprintf(text, sizeof(text), "%s: %s%s%s", tfr_device_name(device),
		tfr_device_description(device), *reason ? "; " : "", reason);
	print_field("device", text);
}

static void print_memory(const struct tfr_pipeline_plan *plan)
{
	char total[TFR_SIZE_TEXT], limit[TFR_SIZE_TEXT], shuffle[TFR_SIZE_TEXT],
		batch[TFR_SIZE_TEXT];
	char read[TFR_SIZE_TEXT], scratch[TFR_SIZE_TEXT], text[600];

	snprintf(text, sizeof(text),
		"%s planned of %s: shuffle buffer %s, batches %u staging + %u device x %s, reading "
		"%s, "
		"decoding %s",
		tfr_format_size(plan->total, total), tfr_format_size(plan->limit, limit),
		tfr_format_size(plan->shuffle_bytes, shuffle), plan->staging, plan->device,
		tfr_format_size(plan->batch_bytes, batch), tfr_format_size(plan->read_bytes, read),
		tfr_format_size(plan->scratch_bytes, scratch));
	print_field("memory", text);
}

static void print_rates(const struct tfr_pipeline_stats *st)
{
	char a[32], b[32], c[32], size[TFR_SIZE_TEXT], text[400];

	snprintf(text, sizeof(text), "%s records/s, %s read, %s to the device",
		tfr_format_count(st->records_per_second, a), bandwidth(st->bytes_per_second, b),
		bandwidth(st->device_bytes_per_second, c));
	print_field("rate", text);
	snprintf(text, sizeof(text), "%s records in %s batch%s, %s, in %s",
		tfr_format_count((double)st->records, a), tfr_format_count((double)st->batches, b),
		st->batches == 1 ? "" : "es", tfr_format_size(st->bytes, size),
		duration(st->seconds, c));
	if (st->skipped)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "; %s skipped",
			tfr_format_count((double)st->skipped, a));
	print_field("total", text);
}

static void print_waits(const struct tfr_pipeline_stats *st)
{
	char first[32], p50[32], p95[32], p99[32], max[32], text[400];

	if (!st->batches)
		return;
	if (st->batches == 1)
		snprintf(text, sizeof(text), "first %s", duration(st->first_batch_seconds, first));
	else
		snprintf(text, sizeof(text), "first %s; then p50 %s, p95 %s, p99 %s, max %s",
			duration(st->first_batch_seconds, first), duration(st->wait_p50, p50),
			duration(st->wait_p95, p95), duration(st->wait_p99, p99),
			duration(st->wait_max, max));
	print_field("batch wait", text);
}

static void print_stage(const struct tfr_stage_stats *s, double seconds)
{
	double time = seconds * s->threads;
	char items[32], size[TFR_SIZE_TEXT], threads[32];

	snprintf(threads, sizeof(threads), "%u", s->threads);
	printf("%-*s%7s %7.1f%% %8.1f%% %8.1f%% %14s %14s\n", LABEL, s->name, threads,
		100 * s->busy / time, 100 * s->starved / time, 100 * s->blocked / time,
		tfr_format_count((double)s->items, items), tfr_format_size(s->bytes, size));
}

static void print_stages(const struct tfr_pipeline_stats *st)
{
	printf("\n%-*s%7s %8s %9s %9s %14s %14s\n", LABEL, "stage", "threads", "busy", "starved",
		"blocked", "items", "bytes");
	for (unsigned i = 0; i < st->stage_count; i++)
		print_stage(&st->stages[i], st->seconds);
	putchar('\n');
}

static void print_shuffle_note(
	const struct tfr_pipeline_plan *plan, const struct tfr_pipeline_stats *st)
{
	char text[300], a[32], b[32];

	if (st->shuffle_least >= plan->shuffle)
		return;
	snprintf(text, sizeof(text),
		"the shuffle buffer held %s records, not %s: they are larger than the first ones, "
		"and "
		"memory is bounded",
		tfr_format_count((double)st->shuffle_least, a),
		tfr_format_count((double)plan->shuffle, b));
	print_field("note", text);
}

void feed_report_text(const struct tfr_device *device, const struct tfr_pipeline *pipeline,
	const struct tfr_pipeline_stats *st, bool verbose)
{
	const struct tfr_pipeline_plan *plan = tfr_pipeline_plan(pipeline);
	char text[800], size[TFR_SIZE_TEXT], limit[TFR_SIZE_TEXT];

	print_device(device);
	print_field("stages", tfr_pipeline_describe(pipeline));
	print_rates(st);
	print_waits(st);
	if (verbose)
		print_memory(plan);
	snprintf(text, sizeof(text), "%s of %s allowed", tfr_format_size(peak_rss(), size),
		tfr_format_size(plan->limit, limit));
	print_field("peak memory", text);
	print_stages(st);
	print_shuffle_note(plan, st);
	if (!st->batches) {
		print_field("bottleneck:", "unknown, no batch was delivered");
		return;
	}
	snprintf(text, sizeof(text), "%s: %s; the device waits %.0f%%. What would change it: %s.",
		st->bottleneck, st->finding, 100 * st->idle_fraction, st->advice);
	print_field("bottleneck:", text);
}

static void json_stages(struct tfr_json *j, const struct tfr_pipeline_stats *st)
{
	tfr_json_open_array(j, "stages");
	for (unsigned i = 0; i < st->stage_count; i++) {
		const struct tfr_stage_stats *s = &st->stages[i];

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "name", s->name);
		tfr_json_u64(j, "threads", s->threads);
		tfr_json_f64(j, "busy", s->busy);
		tfr_json_f64(j, "starved", s->starved);
		tfr_json_f64(j, "blocked", s->blocked);
		tfr_json_u64(j, "items", s->items);
		tfr_json_u64(j, "bytes", s->bytes);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

static void json_waits(struct tfr_json *j, const struct tfr_pipeline_stats *st)
{
	tfr_json_f64(j, "first_batch_seconds", st->first_batch_seconds);
	tfr_json_open_object(j, "batch_wait_seconds");
	tfr_json_f64(j, "p50", st->wait_p50);
	tfr_json_f64(j, "p95", st->wait_p95);
	tfr_json_f64(j, "p99", st->wait_p99);
	tfr_json_f64(j, "max", st->wait_max);
	tfr_json_close_object(j);
	tfr_json_f64(j, "idle_fraction", st->idle_fraction);
}

static void json_totals(struct tfr_json *j, const struct tfr_pipeline_stats *st)
{
	tfr_json_f64(j, "records_per_second", st->records_per_second);
	tfr_json_f64(j, "bytes_per_second", st->bytes_per_second);
	tfr_json_f64(j, "device_bytes_per_second", st->device_bytes_per_second);
	json_waits(j, st);
	tfr_json_u64(j, "records", st->records);
	tfr_json_u64(j, "skipped", st->skipped);
	tfr_json_u64(j, "batches", st->batches);
	tfr_json_u64(j, "epochs", st->epochs);
	tfr_json_u64(j, "bytes", st->bytes);
	tfr_json_u64(j, "device_bytes", st->device_bytes);
	tfr_json_f64(j, "seconds", st->seconds);
}

void feed_report_json(struct cmd *c, const struct tfr_device *device,
	const struct tfr_pipeline *pipeline, const struct tfr_pipeline_stats *st)
{
	struct tfr_json *j = tfr_json_new();
	const char *text;

	tfr_json_pretty(j, 2);
	tfr_json_open_object(j, NULL);
	tfr_json_u64(j, "version", 1);
	tfr_json_string(j, "command", c->line);
	tfr_json_string(j, "device", tfr_device_name(device));
	tfr_json_string(j, "device_description", tfr_device_description(device));
	tfr_json_string(j, "device_reason", tfr_device_reason(device));
	tfr_json_string(j, "pipeline", tfr_pipeline_describe(pipeline));
	json_totals(j, st);
	json_stages(j, st);
	tfr_json_string(j, "bottleneck", st->bottleneck);
	tfr_json_string(j, "finding", st->finding);
	tfr_json_string(j, "advice", st->advice);
	tfr_json_u64(j, "planned_bytes", tfr_pipeline_plan(pipeline)->total);
	tfr_json_u64(j, "peak_rss_bytes", peak_rss());
	tfr_json_close_object(j);
	text = tfr_json_text(j, NULL);
	if (text)
		puts(text);
	else
		cmd_error(
			c, &(struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" });
	tfr_json_free(j);
}
