/* device/link.c - measures the bandwidth of links: uploads of one size back to back, two in flight,
 * so that a link never waits for a call.
 *
 * Only the time in which a link was occupied counts, by the device's own clock.  The first uploads
 * do not count: they touch memory, and the clocks of links and memory rise.  Several links may
 * share a switch, a root port or the memory: each has a thread, whose uploads begin to count when
 * all have begun, and continue until the last has been measured. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "device/row.h"
#include "thread/threads.h"

enum { UNDER_WAY = 2, MEASURE_NS = 200000000, LEAST = 3 };

struct link_group {
	unsigned count;
	atomic_uint begun, measured;
};

struct link_bench {
	struct tfr_device *dev;
	struct link_group *group;
	enum tfr_memory kind;
	size_t size;
	void *from, *to;
	struct tfr_event *events[UNDER_WAY];
	double rate;
	enum tfr_status status;
	struct tfr_error err;
	struct tfr_thread thread;
};

static enum tfr_status prepare_link(struct link_bench *b)
{
	TFR_TRY(tfr_device_alloc(b->dev, b->kind, b->size, &b->from, &b->err));
	TFR_TRY(tfr_device_alloc(b->dev, TFR_MEMORY_DEVICE, b->size, &b->to, &b->err));
	for (unsigned i = 0; i < UNDER_WAY; i++)
		TFR_TRY(tfr_event_new(&b->events[i], b->dev, &b->err));
	memset(b->from, 1, b->size);
	return TFR_OK;
}

static void clear_link(struct link_bench *b)
{
	for (unsigned i = 0; i < UNDER_WAY; i++)
		tfr_event_free(b->events[i]);
	tfr_device_free(b->dev, b->kind, b->from);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, b->to);
}

/* One upload more begins, and the oldest ends. */
static void upload_next(struct link_bench *b, uint64_t n, double *seconds)
{
	b->status = tfr_device_upload(
		b->dev, b->to, b->from, b->size, b->events[(n + 1) % UNDER_WAY], &b->err);
	if (b->status == TFR_OK)
		b->status = tfr_event_wait(b->events[n % UNDER_WAY], seconds, &b->err);
}

static bool reached_by_all(const atomic_uint *these, const struct link_group *g)
{
	return atomic_load(these) == g->count;
}

static void measure_link(struct link_bench *b)
{
	uint64_t n = 0, counted = 0, until = 0;
	double busy = 0, seconds = 0;

	b->status = tfr_device_upload(b->dev, b->to, b->from, b->size, b->events[0], &b->err);
	if (b->status == TFR_OK)
		upload_next(b, n++, &seconds);
	atomic_fetch_add(&b->group->begun, 1);
	while (b->status == TFR_OK && !reached_by_all(&b->group->begun, b->group))
		upload_next(b, n++, &seconds);
	until = tfr_clock_ns() + MEASURE_NS;
	while (b->status == TFR_OK && (counted < LEAST || tfr_clock_ns() < until)) {
		upload_next(b, n++, &seconds);
		busy += seconds;
		counted++;
	}
	if (b->status == TFR_OK && busy > 0)
		b->rate = (double)counted * (double)b->size / busy;
	atomic_fetch_add(&b->group->measured, 1);
	while (b->status == TFR_OK && !reached_by_all(&b->group->measured, b->group))
		upload_next(b, n++, &seconds);
}

/* On a link's thread. */
static void run_link(void *ctx, unsigned worker)
{
	struct link_bench *b = (struct link_bench *)ctx + worker;

	if (b->status == TFR_OK) {
		measure_link(b);
		return;
	}
	atomic_fetch_add(&b->group->begun, 1);
	atomic_fetch_add(&b->group->measured, 1);
}

static void run_all(struct link_bench *benches, unsigned count)
{
	for (unsigned i = 1; i < count; i++)
		if (!tfr_thread_start(&benches[i].thread, run_link, benches, i)) {
			if (benches[i].status == TFR_OK)
				benches[i].status = tfr_fail(&benches[i].err, TFR_ESYS,
					"device %s: cannot start a thread", benches[i].dev->name);
			run_link(benches, i);
		}
	run_link(benches, 0);
	for (unsigned i = 1; i < count; i++)
		tfr_thread_join(&benches[i].thread);
}

enum tfr_status tfr_device_links(struct tfr_device *const *devs, unsigned count,
	const size_t *sizes, bool pageable, double *bytes_per_second, struct tfr_error *err)
{
	TFR_AUTO_FREE struct link_bench *benches = calloc(count, sizeof(*benches));
	struct link_group group = { .count = count };
	enum tfr_status status = TFR_OK;

	for (unsigned i = 0; i < count; i++)
		if (sizes[i] == 0)
			return tfr_fail(err, TFR_EUSAGE, "measuring a link needs at least 1 byte");
	TFR_NEED_MEMORY(benches, err, "measuring links");
	for (unsigned i = 0; i < count; i++) {
		benches[i].dev = devs[i];
		benches[i].group = &group;
		benches[i].kind = pageable ? TFR_MEMORY_PAGEABLE : TFR_MEMORY_STAGING;
		benches[i].size = sizes[i];
		benches[i].status = prepare_link(&benches[i]);
	}
	run_all(benches, count);
	for (unsigned i = 0; i < count; i++) {
		clear_link(&benches[i]);
		bytes_per_second[i] = benches[i].rate;
		if (benches[i].status && !status) {
			status = benches[i].status;
			if (err)
				*err = benches[i].err;
		}
	}
	return status;
}
