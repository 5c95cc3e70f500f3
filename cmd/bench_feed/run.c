/* cmd/bench_feed/run.c - opens one pipeline with the options of the run, and collects its
 * measurements.
 *
 * The callbacks run on the threads of the pipeline.  They touch only the trace, the quarantine, and
 * the live view, which is wiped before a warning. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench_feed/bench_feed.h"
#include "bench_feed/trace.h"

/* Skipped records that are named without -v. */
enum { NAMED = 10 };

/* The longest upload when a link is measured. */
#define LINK_SECONDS 0.05

/* The main thread asks, again and again. */
static bool interrupted(void *ctx)
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

int feed_open(struct feed *f)
{
	const struct feed_settings *s = f->s;
	bool limited = s->epochs || s->steps || s->seconds > 0;
	const struct tfr_pipeline_opts opts = {
		.set = f->set,
		.devices = f->devices,
		.device_count = f->device_count,
		.stages = f->stages,
		.images_optional = f->images_optional,
		.where = s->where,
		.features = f->features,
		.feature_count = f->feature_count,
		.shuffle_files = s->shuffle_files,
		.drop_remainder = s->drop_remainder,
		.fast_decode = s->fast_decode,
		.verify = s->verify_transfers,
		.pageable = s->pageable,
		.no_overlap = s->no_overlap,
		.normalise_on_device = s->normalise_on,
		.steps_per_transfer = (unsigned)s->steps_per_transfer,
		.epochs = limited ? s->epochs : 1,
		.steps = s->steps,
		.seconds = limited ? s->seconds : 30,
		.seed = s->seed,
		.threads = (unsigned)s->jobs,
		.memory = s->memory,
		.stall_timeout = s->stall_timeout,
		.skip_bad = strcmp(s->on_error, "fail") != 0,
		.skipped = record_skipped,
		.warn = warn_of_name,
		.cancelled = interrupted,
		.traced = f->trace ? piece_done : NULL,
		.ctx = f,
	};
	struct tfr_error err;
	enum tfr_status status;

	if (s->cold)
		feed_make_cold(f->c, f->set);
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

void feed_measure_links(struct feed *f)
{
	size_t sizes[TFR_DEVICES_MAX];
	struct tfr_error err;

	if (*f->interrupted || !f->stats.device_bytes || !f->device_count)
		return;
	for (unsigned i = 0; i < f->device_count; i++)
		sizes[i] = link_size(f, i);
	feed_guard_phase(f->guard, "measuring links", FEED_GUARD_SLOW);
	/* A rate of 0 was not measured: the report leaves it out. */
	(void)tfr_device_links(f->devices, f->device_count, sizes, f->s->pageable, f->link, &err);
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

void feed_close(struct feed *f)
{
	struct tfr_pipeline *p = f->pipeline;

	f->pipeline = NULL;
	feed_guard_phase(f->guard, "closing", f->c->exit ? 0 : FEED_GUARD_SLOW);
	tfr_pipeline_close(p);
	feed_guard_phase(f->guard, NULL, 0);
}

uint64_t feed_peak_rss(void)
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

void feed_gather(struct feed *f)
{
	size_t n;

	f->peak_rss = feed_peak_rss();
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
