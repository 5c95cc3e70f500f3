/* cmd/bench_feed/compare.c - compares this run with the --json of an earlier one.
 *
 * Only runs of the same list are compared, since another list does other work.  Few figures decide:
 * those that are stable in a run of some seconds.  The others help to find the reason. */
#include <assert.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_feed/bench_feed.h"

/* A larger file is not a report. */
enum { REPORT_MAX = 64 << 20 };

enum unit { RATE, BANDWIDTH, SECONDS, BYTES, SHARE };

struct figure {
	const char *name; /* in the report; a dot separates object and member */
	enum unit unit;
	bool more_is_better;
	bool decides;
};

static const struct figure figures[] = {
	{ "records_per_second", RATE, true, true },
	{ "records_per_second_total", RATE, true, false },
	{ "bytes_per_second", BANDWIDTH, true, false },
	{ "device_bytes_per_second", BANDWIDTH, true, true },
	{ "first_batch_seconds", SECONDS, false, false },
	{ "batch_wait_seconds.p50", SECONDS, false, false },
	{ "batch_wait_seconds.p95", SECONDS, false, false },
	{ "batch_wait_seconds.p99", SECONDS, false, false },
	{ "batch_wait_seconds.max", SECONDS, false, false },
	{ "idle_fraction", SHARE, false, false },
	{ "peak_rss_bytes", BYTES, false, true },
};

enum { FIGURES = sizeof(figures) / sizeof(*figures) };

struct feed_comparison {
	char *path;
	json_object *old;
	double before[FIGURES], now[FIGURES]; /* NaN: the report lacks the figure */
	double tolerance;		      /* percent */
};

static enum tfr_status no_report(const char *path, const char *why, struct tfr_error *err)
{
	*err = (struct tfr_error){ .status = TFR_EDATA };
	snprintf(err->message, sizeof(err->message), "not a report of bench-feed: '%.250s': %.64s",
		path, why);
	tfr_error_hint(err, "'tfr bench-feed --json ... > OLD.json' writes one.");
	return TFR_EDATA;
}

static double read_number(json_object *report, const char *name)
{
	const char *dot = strchr(name, '.');
	char outer[64];
	json_object *value;

	if (dot) {
		snprintf(outer, sizeof(outer), "%.*s", (int)(dot - name), name);
		report = json_object_object_get(report, outer);
		name = dot + 1;
	}
	value = json_object_object_get(report, name);
	if (!json_object_is_type(value, json_type_double) &&
		!json_object_is_type(value, json_type_int))
		return NAN;
	return json_object_get_double(value);
}

enum tfr_status feed_comparison_open(
	struct feed_comparison **comparison, const char *path, struct tfr_error *err)
{
	struct feed_comparison *k = calloc(1, sizeof(*k));
	enum tfr_status status;
	char why[128];

	*comparison = k;
	if (!k || !(k->path = strdup(path)))
		return cmd_fill_no_memory(err);
	status =
		tfr_json_read_file(&k->old, path, REPORT_MAX, 32, "reading an earlier report", err);
	if (status && status != TFR_EDATA)
		return status;
	if (status || !json_object_is_type(k->old, json_type_object))
		return no_report(path, "it is not a JSON object", err);
	if (!json_object_is_type(json_object_object_get(k->old, "pipeline"), json_type_string))
		return no_report(path, "it has no member 'pipeline'", err);
	for (unsigned i = 0; i < FIGURES; i++) {
		k->before[i] = read_number(k->old, figures[i].name);
		if (figures[i].decides && !isfinite(k->before[i])) {
			snprintf(why, sizeof(why), "it has no number '%s'", figures[i].name);
			return no_report(path, why, err);
		}
	}
	return TFR_OK;
}

void feed_comparison_close(struct feed_comparison *k)
{
	if (!k)
		return;
	json_object_put(k->old);
	free(k->path);
	free(k);
}

enum tfr_status feed_comparison_fits(
	const struct feed_comparison *k, const char *stages, struct tfr_error *err)
{
	const char *before = json_object_get_string(json_object_object_get(k->old, "pipeline"));

	if (!strcmp(before, stages))
		return TFR_OK;
	*err = (struct tfr_error){ .status = TFR_EUSAGE };
	snprintf(err->message, sizeof(err->message), "'%.300s' has other stages", k->path);
	tfr_error_hint(err,
		"Its stages are '%.250s'. Give them with --stages, or write a new report.", before);
	return TFR_EUSAGE;
}

void feed_comparison_warn(const struct feed_comparison *k, const struct feed *f)
{
	const char *before = json_object_get_string(json_object_object_get(k->old, "device")),
		   *now = f->device_count ? tfr_device_name(f->devices[0]) : "";

	if (before && strcmp(before, now))
		cmd_warn(f->c, "'%s' was measured on device %s, this run on %s", k->path, before,
			now);
	if (json_object_get_boolean(json_object_object_get(k->old, "verified")) !=
		f->s->opts.verify)
		cmd_warn(f->c, "'%s' was measured %s --verify-transfers, this run %s it", k->path,
			f->s->opts.verify ? "without" : "with",
			f->s->opts.verify ? "with" : "without");
}

void feed_comparison_make(struct feed_comparison *k, const struct feed *f, double tolerance)
{
	const struct tfr_pipeline_stats *st = &f->stats;
	const double now[FIGURES] = { st->records_per_second, st->records_per_second_total,
		st->bytes_per_second, st->device_bytes_per_second, st->first_batch_seconds,
		st->wait_p50, st->wait_p95, st->wait_p99, st->wait_max, st->idle_fraction,
		(double)f->peak_rss };

	memcpy(k->now, now, sizeof(now));
	k->tolerance = tolerance;
}

/* The change in percent of the earlier value, or in points for a share. */
static double change_of(const struct feed_comparison *k, unsigned i)
{
	double before = k->before[i], now = k->now[i];

	assert(i < FIGURES);
	if (!isfinite(before))
		return NAN;
	if (figures[i].unit == SHARE)
		return 100 * (now - before);
	if (before == now)
		return 0;
	return before != 0 ? 100 * (now - before) / before : INFINITY;
}

static bool is_worse(const struct feed_comparison *k, unsigned i)
{
	double by = change_of(k, i);

	if (!figures[i].decides || isnan(by))
		return false;
	return (figures[i].more_is_better ? -by : by) > k->tolerance;
}

static const char *figure_text(enum unit unit, double value, char text[FIGURE_TEXT])
{
	switch (unit) {
	case RATE:
		return tfr_format_count(value, text);
	case BANDWIDTH:
		return figure_bandwidth(value, text);
	case SECONDS:
		return figure_duration(value, text);
	case BYTES:
		return tfr_format_size((uint64_t)value, text);
	case SHARE:
		return figure_share(value, text);
	}
	return "";
}

void feed_comparison_print(const struct feed_comparison *k)
{
	char before[FIGURE_TEXT], now[FIGURE_TEXT], by[FIGURE_TEXT];

	printf("\n%-26s%14s%14s%12s\n", "compared", "before", "now", "change");
	for (unsigned i = 0; i < FIGURES; i++) {
		if (!isfinite(k->before[i]))
			continue;
		snprintf(by, sizeof(by), "%+.1f%s", change_of(k, i),
			figures[i].unit == SHARE ? " points" : "%");
		printf("%-26s%14s%14s%12s%s\n", figures[i].name,
			figure_text(figures[i].unit, k->before[i], before),
			figure_text(figures[i].unit, k->now[i], now), by,
			is_worse(k, i) ? "  worse" : "");
	}
}

void feed_comparison_json(const struct feed_comparison *k, struct tfr_json *j)
{
	tfr_json_open_object(j, "comparison");
	tfr_json_string(j, "with", k->path);
	tfr_json_f64(j, "tolerance", k->tolerance);
	tfr_json_open_array(j, "figures");
	for (unsigned i = 0; i < FIGURES; i++) {
		if (!isfinite(k->before[i]))
			continue;
		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "name", figures[i].name);
		tfr_json_f64(j, "before", k->before[i]);
		tfr_json_f64(j, "after", k->now[i]);
		tfr_json_f64(j, "change", change_of(k, i));
		tfr_json_bool(j, "judged", figures[i].decides);
		tfr_json_bool(j, "worse", is_worse(k, i));
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_close_object(j);
}

enum tfr_status feed_comparison_judge(const struct feed_comparison *k, struct tfr_error *err)
{
	size_t used = 0;

	*err = (struct tfr_error){ .status = TFR_EDATA };
	for (unsigned i = 0; i < FIGURES; i++)
		if (is_worse(k, i))
			used += (size_t)snprintf(err->message + used, sizeof(err->message) - used,
				"%s%s changed by %+.1f%%", used ? ", " : "", figures[i].name,
				change_of(k, i));
	if (!used)
		return TFR_OK;
	snprintf(err->message + used, sizeof(err->message) - used,
		", more than the tolerance of %g%%", k->tolerance);
	return TFR_EDATA;
}
