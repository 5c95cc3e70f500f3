/* cmd/bench_feed/bench_feed.c - tfr bench-feed: runs the input pipeline and measures each stage.
 *
 * Wrong options and inputs are refused before the pipeline opens, and the output files are opened
 * before it.  However the run ends (a limit, a signal, damage), the report is printed first and the
 * error after it.
 *
 * The callbacks run on the threads of the pipeline.  They touch only the trace, the quarantine, and
 * the live view, which is wiped before a warning. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bench_feed/bench_feed.h"
#include "common/cmd.h"
#include "common/on_error.h"

/* --- --cold: drops the inputs from the page cache ---
 *
 * The system drops the pages of a file on request, unless they are dirty or the file is in memory.
 * So dirty pages are written first.  Afterwards a few pages are read without waiting; those that
 * arrive at once were not dropped, and the user is warned that the run is not cold. */

enum { PROBES = 16 };

/* The share of some bytes, spread over the file, that are in memory. */
static double still_cached(int fd, uint64_t size)
{
	unsigned hits = 0;
	char byte;
	struct iovec one = { &byte, 1 };

	for (unsigned i = 0; i < PROBES; i++) {
		uint64_t at = size / PROBES * i + size / PROBES / 2;

		hits += preadv2(fd, &one, 1, (off_t)at, RWF_NOWAIT) == 1;
	}
	return (double)hits / PROBES;
}

/* The bytes that stay in memory. */
static uint64_t drop_from_cache(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t kept = 0;

	if (fd < 0)
		return 0; /* reading it will report why */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size) {
		fdatasync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		kept = (uint64_t)(still_cached(fd, (uint64_t)st.st_size) * (double)st.st_size);
	}
	close(fd);
	return kept;
}

static void make_cold(struct cmd *c, const struct tfr_set *set)
{
	uint64_t kept = 0, all = tfr_set_bytes(set);
	char left[TFR_SIZE_TEXT], whole[TFR_SIZE_TEXT];

	for (size_t i = 0; i < tfr_set_count(set); i++)
		kept += drop_from_cache(tfr_set_path(set, i));
	if (kept > all / 20)
		cmd_warn(c,
			"about %s of %s stay in memory: the system does not drop them, for "
			"example because the files are in a RAM disk",
			tfr_format_size(kept, left), tfr_format_size(all, whole));
}

/* --- one pipeline --- */

/* Skipped records that are named without -v. */
enum { NAMED = 10 };

/* The longest upload when a link is measured. */
#define LINK_SECONDS 0.05

/* The main thread asks, again and again. */
static bool is_interrupted(void *ctx)
{
	struct feed *f = ctx;

	feed_guard_alive(f->guard);
	return *f->interrupted;
}

/* On any thread, one call at a time. */
static void record_skipped(void *ctx, const struct tfr_error *why, const void *record, size_t size)
{
	struct feed *f = ctx;
	struct tfr_error err;
	char text[8192];

	feed_history_hide(f->history);
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

static void warn_of_name(void *ctx, const char *text)
{
	struct feed *f = ctx;

	cmd_warn(f->c, "%s", text);
}

static void piece_done(void *ctx, const struct tfr_trace *piece)
{
	feed_trace_piece(((struct feed *)ctx)->trace, piece);
}

static int open_pipeline(struct feed *f)
{
	const struct feed_settings *s = f->s;
	struct tfr_pipeline_opts opts = s->opts;
	struct tfr_error err;
	enum tfr_status status;

	opts.set = f->set;
	opts.devices = f->devices;
	opts.device_count = f->device_count;
	opts.stages = f->stages;
	opts.images_optional = f->images_optional;
	opts.features = f->features;
	opts.feature_count = f->feature_count;
	opts.normalise_on_device = s->normalise_on;
	opts.steps_per_transfer = (unsigned)s->steps_per_transfer;
	if (!opts.epochs && !opts.steps && opts.seconds <= 0) {
		opts.epochs = 1;
		opts.seconds = 30;
	}
	opts.threads = (unsigned)s->jobs;
	opts.skip_bad = strcmp(s->on_error, "fail") != 0;
	opts.skipped = record_skipped;
	opts.warn = warn_of_name;
	opts.cancelled = is_interrupted;
	opts.traced = f->trace ? piece_done : NULL;
	opts.ctx = f;
	if (s->cold)
		make_cold(f->c, f->set);
	feed_guard_phase(f->guard, "opening the pipeline", FEED_GUARD_SLOW);
	status = tfr_pipeline_open(&f->pipeline, &opts, &err);
	feed_guard_phase(f->guard, NULL, 0);
	if (status)
		return err.status == TFR_ECANCELLED ? 0 : cmd_fail(f->c, &err);
	return 0;
}

/* The bytes of an upload when a link is measured: as many as in the run.  They are limited so that
 * measuring does not take memory that -m denied to the run, nor a minute on a slow link. */
static size_t link_size(const struct feed *f, unsigned i)
{
	const struct tfr_device_stats *d = &f->stats.devices[i];
	double size = (double)tfr_pipeline_plan(f->pipeline)->transfer_bytes;

	size = fmin(size, tfr_device_in_process(f->devices[i]) ? 8 << 20 : 256 << 20);
	if (d->busy > 0)
		size = fmin(size, fmax((double)d->bytes / d->busy * LINK_SECONDS, 1));
	return (size_t)size;
}

static void measure_links(struct feed *f)
{
	size_t sizes[TFR_DEVICES_MAX];
	struct tfr_error err;

	if (*f->interrupted || !f->stats.device_bytes || !f->device_count)
		return;
	for (unsigned i = 0; i < f->device_count; i++)
		sizes[i] = link_size(f, i);
	feed_guard_phase(f->guard, "measuring links", FEED_GUARD_SLOW);
	/* A rate of 0 was not measured: the report leaves it out. */
	(void)tfr_device_links(
		f->devices, f->device_count, sizes, f->s->opts.pageable, f->link, &err);
	feed_guard_phase(f->guard, NULL, 0);
}

bool feed_is_stuck(struct feed *f, const struct tfr_error *err)
{
	bool outside = f->device_count && !tfr_device_in_process(f->devices[0]);

	if (outside && (err->sys_errno == ETIMEDOUT || *f->interrupted))
		f->left_running = true;
	return f->left_running;
}

void feed_hint_stuck(const struct feed *f, struct tfr_error *err)
{
	bool outside = !f->device_count || !tfr_device_in_process(f->devices[0]);

	if (outside && err->sys_errno == ETIMEDOUT)
		tfr_error_hint(err, "If the GPU does not answer, 'nvidia-smi' and the kernel's log "
				    "may tell why.  "
				    "--stall-timeout sets how long to wait.");
}

static void close_pipeline(struct feed *f)
{
	struct tfr_pipeline *p = f->pipeline;

	f->pipeline = NULL;
	feed_guard_phase(f->guard, "closing", f->c->exit ? 0 : FEED_GUARD_SLOW);
	tfr_pipeline_close(p);
	feed_guard_phase(f->guard, NULL, 0);
}

static uint64_t peak_rss(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}

uint64_t feed_peak_memory_bytes(const struct feed *f)
{
	uint64_t bytes = f->peak_rss;

	for (unsigned i = 0; i < f->device_count; i++)
		bytes += f->info[i].pinned_outside;
	return bytes;
}

static void gather_stats(struct feed *f)
{
	size_t n;

	f->peak_rss = peak_rss();
	for (unsigned i = 0; i < f->device_count; i++)
		tfr_device_info(f->devices[i], &f->info[i]);
	tfr_pipeline_stats(f->pipeline, &f->stats);
	n = tfr_pipeline_waits(f->pipeline, NULL, 0);
	f->waits = calloc(n + 1, sizeof(*f->waits));
	f->wait_count = f->waits ? tfr_pipeline_waits(f->pipeline, f->waits, n) : 0;
	f->gathered = true;
	if (!f->waits)
		cmd_no_memory(f->c);
}

/* --- the run --- */

static int open_quarantine(struct feed *f)
{
	const struct tfr_writer_opts opts = { .temporaries = cmd_temporaries() };
	const char *path = on_error_quarantine(f->s->on_error);
	struct tfr_error err;

	if (on_error_check(f->c, f->s->on_error))
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

static int compose_stages(struct feed *f)
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

static void write_report(struct feed *f)
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

static void run_feed(struct feed *f)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;

	f->history = feed_history_new(f);
	if (!f->history) {
		cmd_no_memory(f->c);
		return;
	}
	if (open_pipeline(f) || !f->pipeline)
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
	gather_stats(f);
	f->verified = f->s->opts.verify && f->stats.batches &&
		      (status == TFR_END || status == TFR_ECANCELLED);
	if (status == TFR_END)
		measure_links(f);
	f->reported = true;
	write_report(f);
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
static void end_process(struct feed *f)
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
			gather_stats(f);
		write_report(f);
	}
	if (err)
		cmd_error(f->c, err);
	end_process(f);
}

static void clear_feed(struct feed *f)
{
	close_pipeline(f);
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
	uint64_t before = peak_rss();
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
		f->driver_rss = peak_rss() - before;
	return 0;
}

/* 0: the run can start.  Otherwise the exit status. */
static int prepare_feed(struct feed *f)
{
	if (feed_check_options(f->c, f->s) || read_features(f) || compose_stages(f) ||
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
	if (!prepare_feed(f))
		run_feed(f);
	if (f->left_running)
		end_process(f);
	clear_feed(f);
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
