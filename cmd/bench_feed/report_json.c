/* cmd/bench_feed/report_json.c - the report as JSON: exact numbers, times in seconds. */
#include <stdio.h>
#include <string.h>

#include <tfr/remote.h>

#include "bench_feed/bench_feed.h"

static void put_stages(struct tfr_json *j, const struct tfr_pipeline_stats *st)
{
	tfr_json_open_array(j, "stages");
	for (unsigned i = 0; i < st->stage_count; i++) {
		const struct tfr_stage_stats *s = &st->stages[i];

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "name", s->name);
		tfr_json_string(j, "text", s->text);
		tfr_json_u64(j, "threads", s->threads);
		tfr_json_f64(j, "busy", s->busy);
		tfr_json_f64(j, "starved", s->starved);
		tfr_json_f64(j, "blocked", s->blocked);
		tfr_json_u64(j, "items", s->items);
		tfr_json_u64(j, "bytes", s->bytes);
		if (s->queue_capacity) {
			tfr_json_f64(j, "queue_mean", s->queue_mean);
			tfr_json_u64(j, "queue_capacity", s->queue_capacity);
		}
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

static void put_waits(struct tfr_json *j, const struct feed *f)
{
	const struct tfr_pipeline_stats *st = &f->stats;

	tfr_json_f64(j, "first_batch_seconds", st->first_batch_seconds);
	tfr_json_open_object(j, "batch_wait_seconds");
	tfr_json_f64(j, "p50", st->wait_p50);
	tfr_json_f64(j, "p95", st->wait_p95);
	tfr_json_f64(j, "p99", st->wait_p99);
	tfr_json_f64(j, "max", st->wait_max);
	tfr_json_close_object(j);
	tfr_json_open_array(j, "batch_waits");
	for (size_t i = 0; i < f->wait_count; i++) {
		tfr_json_open_object(j, NULL);
		tfr_json_f64(j, "seconds", f->waits[i].seconds);
		tfr_json_u64(j, "count", f->waits[i].count);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
	tfr_json_f64(j, "idle_fraction", st->idle_fraction);
	tfr_json_f64(j, "cpu_wait_fraction", st->cpu_wait);
	if (st->load_known) {
		tfr_json_f64(j, "other_load_fraction", st->other_load);
		tfr_json_f64(j, "stolen_load_fraction", st->stolen_load);
	}
}

static void put_audio(struct tfr_json *j, const struct feed *f)
{
	const struct tfr_pipeline_plan *plan = tfr_pipeline_plan(f->pipeline);

	if (!plan->audio_samples)
		return;
	tfr_json_f64(j, "samples_per_second", feed_samples_per_second(f));
	tfr_json_open_object(j, "audio");
	tfr_json_u64(j, "sample_rate", plan->audio_rate);
	tfr_json_u64(j, "samples", plan->audio_samples);
	tfr_json_u64(j, "channels", plan->audio_channels);
	tfr_json_close_object(j);
}

static void put_totals(struct tfr_json *j, const struct feed *f)
{
	const struct tfr_pipeline_stats *st = &f->stats;

	tfr_json_f64(j, "records_per_second", st->records_per_second);
	tfr_json_f64(j, "records_per_second_total", st->records_per_second_total);
	tfr_json_f64(j, "bytes_per_second", st->bytes_per_second);
	tfr_json_f64(j, "device_bytes_per_second", st->device_bytes_per_second);
	put_audio(j, f);
	put_waits(j, f);
	tfr_json_u64(j, "records", st->records);
	tfr_json_u64(j, "skipped", st->skipped);
	tfr_json_u64(j, "batches", st->batches);
	tfr_json_u64(j, "epochs", st->epochs);
	tfr_json_u64(j, "bytes", st->bytes);
	tfr_json_u64(j, "device_bytes", st->device_bytes);
	tfr_json_f64(j, "seconds", st->seconds);
	if (st->later_epochs_records_per_second > 0) {
		tfr_json_f64(
			j, "first_epoch_records_per_second", st->first_epoch_records_per_second);
		tfr_json_f64(
			j, "later_epochs_records_per_second", st->later_epochs_records_per_second);
	}
}

static void put_compute(struct tfr_json *j, const struct feed_compute *k)
{
	if (k->mean <= 0)
		return;
	tfr_json_open_object(j, "compute");
	tfr_json_f64(j, "mean_seconds", k->mean);
	tfr_json_f64(j, "deviation_seconds", k->deviation);
	tfr_json_u64(j, "steps", k->steps);
	tfr_json_f64(j, "idle_threshold_seconds", k->threshold);
	tfr_json_u64(j, "idle_steps", k->idle_steps);
	if (k->idle_steps)
		tfr_json_u64(j, "first_idle_step", k->first_idle_step);
	tfr_json_f64(j, "longest_idle_seconds", k->longest);
	tfr_json_close_object(j);
}

/* An unknown member is left out. */
static void put_text(struct tfr_json *j, const char *name, const char *text)
{
	if (*text)
		tfr_json_string(j, name, text);
}

static void put_number(struct tfr_json *j, const char *name, uint64_t number)
{
	if (number)
		tfr_json_u64(j, name, number);
}

static void put_info(struct tfr_json *j, const struct tfr_device_info *info)
{
	put_text(j, "model", info->model);
	put_text(j, "uuid", info->uuid);
	put_text(j, "mig_profile", info->mig);
	put_text(j, "pci_address", info->pci);
	put_number(j, "pcie_generation", info->link_generation);
	put_number(j, "pcie_lanes", info->link_width);
	put_number(j, "pcie_generation_max", info->link_generation_max);
	put_number(j, "pcie_lanes_max", info->link_width_max);
	if (info->node >= 0)
		tfr_json_i64(j, "numa_node", info->node);
	put_text(j, "numa_refused", info->unbound);
	put_text(j, "driver_version", info->driver);
	if (info->cuda) {
		char version[32];

		snprintf(version, sizeof(version), "%d.%d", info->cuda / 1000,
			info->cuda % 1000 / 10);
		tfr_json_string(j, "cuda_version", version);
	}
	put_number(j, "memory_bytes", info->memory);
	put_number(j, "pinned_bytes", info->pinned);
}

static void put_devices(struct tfr_json *j, const struct feed *f)
{
	tfr_json_open_array(j, "devices");
	for (unsigned i = 0; i < f->device_count; i++) {
		const struct feed_device_use *use = &f->compute.devices[i];
		const struct tfr_device_stats *d = &f->stats.devices[i];

		tfr_json_open_object(j, NULL);
		tfr_json_string(j, "name", tfr_device_name(f->devices[i]));
		tfr_json_string(j, "description", tfr_device_description(f->devices[i]));
		put_info(j, &f->info[i]);
		if (i < f->stats.device_count) {
			tfr_json_u64(j, "batches", d->batches);
			tfr_json_u64(j, "bytes", d->bytes);
			tfr_json_f64(j, "link_busy_seconds", d->busy);
		}
		if (f->link[i] > 0)
			tfr_json_f64(j, "link_bytes_per_second", f->link[i]);
		if (f->compute.mean > 0) {
			tfr_json_f64(j, "compute_seconds", use->computing);
			tfr_json_f64(j, "idle_seconds", use->idle);
		}
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

static void put_history(struct tfr_json *j, const struct feed *f)
{
	unsigned count;
	const struct feed_point *p = feed_history_points(f->history, &count);

	tfr_json_open_array(j, "over_time");
	for (unsigned i = 0; i < count; i++) {
		tfr_json_open_object(j, NULL);
		tfr_json_f64(j, "seconds", p[i].seconds);
		tfr_json_u64(j, "records", p[i].records);
		tfr_json_u64(j, "batches", p[i].batches);
		tfr_json_u64(j, "bytes", p[i].bytes);
		tfr_json_u64(j, "device_bytes", p[i].device_bytes);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

/* Of objects; absent if there were none. */
static void put_requests(struct tfr_json *j)
{
	struct tfr_remote_statistics s;

	tfr_remote_statistics(&s);
	if (!s.requests)
		return;
	tfr_json_open_object(j, "requests");
	tfr_json_u64(j, "sent", s.requests);
	tfr_json_u64(j, "repeated", s.retries);
	tfr_json_u64(j, "throttled", s.throttled);
	tfr_json_u64(j, "bytes", s.bytes_in);
	tfr_json_u64(j, "connections", s.connections);
	tfr_json_u64(j, "connections_at_once", s.most_at_once);
	tfr_json_f64(j, "first_byte_p50_seconds", s.first_byte_p50);
	tfr_json_f64(j, "first_byte_p99_seconds", s.first_byte_p99);
	tfr_json_close_object(j);
}

static void put_report(struct tfr_json *j, const struct feed *f)
{
	bool any = f->device_count > 0;

	tfr_json_string(j, "command", f->c->line);
	tfr_json_string(j, "device", any ? tfr_device_name(f->devices[0]) : "");
	tfr_json_string(j, "device_description", any ? tfr_device_description(f->devices[0]) : "");
	tfr_json_string(j, "device_reason", any ? tfr_device_reason(f->devices[0]) : "");
	tfr_json_string(j, "pipeline", tfr_pipeline_describe(f->pipeline));
	tfr_json_bool(j, "exact", !f->s->opts.fast_decode);
	tfr_json_bool(j, "verified", f->verified);
	tfr_json_string(j, "first_batch", f->tensors ? f->tensors : "");
	put_totals(j, f);
	put_stages(j, &f->stats);
	put_devices(j, f);
	put_requests(j);
	put_compute(j, &f->compute);
	put_history(j, f);
	if (f->trace)
		tfr_json_u64(j, "trace_dropped", feed_trace_dropped(f->trace));
	tfr_json_string(j, "bottleneck", f->stats.bottleneck);
	tfr_json_string(j, "finding", f->stats.finding);
	tfr_json_string(j, "advice", f->stats.advice);
	tfr_json_u64(j, "planned_bytes", tfr_pipeline_plan(f->pipeline)->total);
	tfr_json_u64(j, "peak_rss_bytes", f->peak_rss);
	tfr_json_u64(j, "peak_memory_bytes", feed_peak_memory_bytes(f));
	tfr_json_u64(j, "driver_rss_bytes", f->driver_rss);
}

void feed_report_json(const struct feed *f)
{
	struct tfr_json *j = cmd_json_open(2);

	put_report(j, f);
	if (f->comparison)
		feed_comparison_json(f->comparison, j);
	tfr_json_close_object(j);
	cmd_print_json(f->c, j, stdout);
}
