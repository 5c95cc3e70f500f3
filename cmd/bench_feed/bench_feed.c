/* cmd/bench_feed/bench_feed.c - tfr bench-feed: runs the input pipeline and measures each stage.
 *
 * Wrong options and inputs are refused before the pipeline opens, and the output files are opened
 * before it.  However the run ends (a limit, a signal, damage), the report is printed first and the
 * error after it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_feed/bench_feed.h"
#include "bench_feed/outputs.h"
#include "bench_feed/trace.h"
#include "builtin.h"
#include "common/selection.h"

static int open_quarantine(struct feed *f)
{
	const struct tfr_writer_opts opts = { .temporaries = cmd_temporaries() };
	const char *path = selection_quarantine(f->s->on_error);
	struct tfr_error err;

	if (selection_check_on_error(f->c, f->s->on_error))
		return f->c->exit;
	return path && tfr_writer_open(&f->quarantine, path, &opts, &err) ? cmd_fail(f->c, &err)
									  : 0;
}

static int read_features(struct feed *f)
{
	const struct opt_list *list = &f->s->features;
	struct tfr_error err;

	if (!list->count)
		return 0;
	f->features = calloc(list->count, sizeof(*f->features));
	if (!f->features)
		return cmd_no_memory(f->c);
	for (size_t i = 0; i < list->count; i++, f->feature_count++)
		if (tfr_batch_feature_parse(&f->features[i], list->values[i], &err))
			return cmd_fail(f->c, &err);
	return 0;
}

static int compose(struct feed *f)
{
	if (f->s->stages)
		f->stages = strdup(f->s->stages);
	else
		f->stages = feed_compose(f->s, !f->feature_count);
	f->images_optional = !f->s->stages && !f->s->augment && !f->s->size;
	if (f->s->compute)
		feed_parse_compute(f->s->compute, &f->compute.mean, &f->compute.deviation);
	return f->stages ? 0 : cmd_no_memory(f->c);
}

static int open_outputs(struct feed *f)
{
	const struct feed_settings *s = f->s;
	struct tfr_error err;

	if ((s->compare && feed_comparison_open(&f->comparison, s->compare, &err)) ||
		(s->trace && feed_trace_open(&f->trace, s->trace, s->force, &err)) ||
		(s->html && page_open(&f->html, s->html, s->force, &err)))
		return cmd_fail(f->c, &err);
	return 0;
}

static void write_files(struct feed *f)
{
	struct tfr_error err;

	if (feed_trace_publish(f->trace, f, &err))
		cmd_error(f->c, &err);
	if (f->html && feed_html(f->html, f, &err))
		cmd_error(f->c, &err);
}

static void report(struct feed *f)
{
	struct tfr_error err;

	if (f->comparison)
		feed_comparison_make(f->comparison, f, f->s->tolerance >= 0 ? f->s->tolerance : 5);
	if (f->s->json)
		feed_report_json(f);
	else
		feed_report_text(f);
	if (f->comparison && !f->s->json)
		feed_comparison_print(f->comparison);
	fflush(stdout);
	write_files(f);
	if (f->comparison && feed_comparison_judge(f->comparison, &err))
		cmd_error(f->c, &err);
}

static void run(struct feed *f)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;

	f->history = feed_history_new(f);
	if (!f->history) {
		cmd_no_memory(f->c);
		return;
	}
	if (feed_open(f) || !f->pipeline)
		return;
	if (f->comparison &&
		feed_comparison_fits(f->comparison, tfr_pipeline_describe(f->pipeline), &err)) {
		cmd_error(f->c, &err);
		return;
	}
	if (f->comparison)
		feed_comparison_warn(f->comparison, f);
	tfr_pipeline_stats(f->pipeline, &f->stats);
	feed_trace_name_stages(f->trace, &f->stats);
	feed_history_start(f->history);
	status = feed_consume(f, &err);
	feed_history_stop(f->history);
	feed_gather(f);
	f->verified = f->s->verify_transfers && f->stats.batches &&
		      (status == TFR_END || status == TFR_ECANCELLED);
	if (status == TFR_END)
		feed_measure_links(f);
	f->reported = true;
	report(f);
	feed_hint_stuck(f, &err);
	if (status != TFR_END && status != TFR_ECANCELLED)
		cmd_error(f->c, &err);
	feed_is_stuck(f, &err);
}

/* However the run ended, the records that were skipped are worth keeping. */
static void publish_quarantine(struct feed *f)
{
	struct tfr_error err;

	if (f->quarantine && !f->quarantine_failed && tfr_writer_publish(f->quarantine, &err))
		cmd_error(f->c, &err);
	tfr_writer_close(f->quarantine);
	f->quarantine = NULL;
}

/* Closing would wait for a driver that never returns, or for a step that a GPU still computes, so
 * the process ends without closing anything. */
static void leave(struct feed *f)
{
	publish_quarantine(f);
	feed_trace_abandon(f->trace);
	page_close(f->html);
	cmd_end_of_signal();
	fflush(stdout);
	_exit(f->c->exit);
}

void feed_end_stuck(struct feed *f, const struct tfr_error *err)
{
	if (f->pipeline && !f->reported) {
		feed_history_stop(f->history);
		if (!f->gathered)
			feed_gather(f);
		report(f);
	}
	if (err)
		cmd_error(f->c, err);
	leave(f);
}

static void clear(struct feed *f)
{
	feed_close(f);
	feed_history_free(f->history);
	feed_guard_phase(f->guard, "closing", f->c->exit ? 0 : FEED_GUARD_SLOW);
	tfr_devices_close(f->devices, f->device_count);
	feed_guard_free(f->guard);
	tfr_set_close(f->set);
	publish_quarantine(f);
	feed_trace_close(f->trace);
	page_close(f->html);
	feed_comparison_close(f->comparison);
	feed_gallery_clear(&f->gallery);
	for (size_t i = 0; i < f->feature_count; i++)
		tfr_batch_feature_clear(&f->features[i]);
	free(f->features);
	free(f->waits);
	free(f->tensors);
	free(f->stages);
}

static int open_devices(struct feed *f)
{
	uint64_t before = feed_peak_rss();
	struct tfr_error err;

	f->guard = feed_guard_new(f);
	if (!f->guard)
		return cmd_no_memory(f->c);
	feed_guard_phase(f->guard, "opening devices", FEED_GUARD_SLOW);
	if (tfr_devices_open(&f->devices, &f->device_count, f->s->device, &err))
		return cmd_fail(f->c, &err);
	feed_guard_phase(f->guard, NULL, 0);
	if (tfr_device_in_process(f->devices[0])) {
		feed_guard_free(f->guard);
		f->guard = NULL;
	}
	for (unsigned i = 0; i < f->device_count; i++)
		if ((f->s->normalise_on || f->compute.mean > 0) &&
			tfr_device_kernels(f->devices[i], &err))
			return cmd_fail(f->c, &err);
	if (!tfr_device_in_process(f->devices[0]))
		f->driver_rss = feed_peak_rss() - before;
	return 0;
}

/* 0: the run can start.  Otherwise the exit status. */
static int prepare(struct feed *f)
{
	if (feed_check_options(f->c, f->s) || read_features(f) || compose(f) ||
		open_quarantine(f) || open_outputs(f) ||
		cmd_open_inputs(f->c, f->s->allow_missing, &f->set))
		return f->c->exit;
	f->interrupted = cmd_catch_signals();
	return open_devices(f);
}

static int bench_feed_main(struct cmd *c)
{
	struct feed *f = calloc(1, sizeof(*f)); /* too large for a stack */

	if (!f)
		return cmd_no_memory(c);
	f->c = c;
	f->s = c->settings;
	c->quiet = f->s->quiet;
	if (!prepare(f))
		run(f);
	if (f->left_running)
		leave(f);
	clear(f);
	free(f);
	cmd_end_of_signal();
	return c->exit;
}

const struct command cmd_bench_feed = {
	.name = "bench-feed",
	.operands = "[FILE]...",
	.summary = "measure the input pipeline up to device memory",
	.options = feed_options,
	.settings_size = sizeof(struct feed_settings),
	.defaults = &feed_defaults,
	.main = bench_feed_main,
};
