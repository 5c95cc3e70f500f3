/* device/copier.c - the thread behind host and sim.
 *
 * Events are the queue: an upload links its event at the tail, the thread takes the head, copies,
 * waits until the pace allows, and marks it done.  `lock` guards every field of the copier and of
 * its events; the copy runs without it. When a paced copy is due is settled when it is asked for,
 * so a thread that is late once does not stay late. */
#include "device/copier.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

struct copier_event {
	struct tfr_event event; /* first */
	struct copier_event *next;
	void *to;
	const void *from;
	size_t size;
	uint64_t due_ns; /* paced: when it has arrived */
	double seconds;
	bool pending;
};

struct copier {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;		  /* the thread waits */
	pthread_cond_t done;		  /* callers wait */
	struct copier_event *head, *tail; /* the head is the one being copied */
	struct copier_pace pace;
	uint64_t link_free_ns; /* paced: when the last copy asked for has left */
	bool closing;
};

static void sleep_until(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static void carry_out(const struct copier *c, struct copier_event *ev)
{
	uint64_t start = tfr_clock_ns();

	memcpy(ev->to, ev->from, ev->size);
	if (c->pace.bandwidth > 0) {
		if (tfr_clock_ns() < ev->due_ns)
			sleep_until(ev->due_ns);
		ev->seconds = (double)ev->size / c->pace.bandwidth;
	} else {
		ev->seconds = (double)(tfr_clock_ns() - start) * 1e-9;
	}
}

static void *copier_main(void *arg)
{
	struct copier *c = arg;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		struct copier_event *ev = c->head;

		if (!ev) {
			if (c->closing)
				break;
			pthread_cond_wait(&c->work, &c->lock);
			continue;
		}
		pthread_mutex_unlock(&c->lock);
		carry_out(c, ev);
		pthread_mutex_lock(&c->lock);
		c->head = ev->next;
		if (!c->head)
			c->tail = NULL;
		ev->pending = false;
		pthread_cond_broadcast(&c->done);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

enum tfr_status copier_open(struct tfr_device *dev, struct copier_pace pace, struct tfr_error *err)
{
	struct copier *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return tfr_fail_nomem(err, "opening a device");
	c->pace = pace;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	pthread_cond_init(&c->done, NULL);
	rc = pthread_create(&c->thread, NULL, copier_main, c);
	if (rc) {
		free(c);
		return tfr_fail(err, TFR_ESYS, "device %s: no thread: %s", dev->name, strerror(rc));
	}
	dev->state = c;
	return TFR_OK;
}

void copier_close(struct tfr_device *dev)
{
	struct copier *c = dev->state;

	pthread_mutex_lock(&c->lock);
	c->closing = true;
	pthread_cond_signal(&c->work);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->thread, NULL);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->work);
	pthread_cond_destroy(&c->done);
	free(c);
}

/* Batches are tens of megabytes: huge pages save most of their page faults and of the copy's TLB
 * misses. */
enum tfr_status copier_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err)
{
	size_t align = size >= HUGE_PAGE ? HUGE_PAGE : PAGE;
	int rc = posix_memalign(memory, align, size);

	(void)kind;
	if (rc)
		return tfr_fail(err, TFR_ENOMEM, "device %s: no memory for a buffer of %zu bytes",
			dev->name, size);
	if (align == HUGE_PAGE)
		madvise(*memory, size, MADV_HUGEPAGE);
	return TFR_OK;
}

void copier_free(struct tfr_device *dev, enum tfr_memory kind, void *memory)
{
	(void)dev;
	(void)kind;
	free(memory);
}

enum tfr_status copier_event_new(
	struct tfr_event **out, struct tfr_device *dev, struct tfr_error *err)
{
	struct copier_event *ev = calloc(1, sizeof(*ev));

	(void)dev;
	if (!ev)
		return tfr_fail_nomem(err, "opening a device");
	*out = &ev->event;
	return TFR_OK;
}

void copier_event_free(struct tfr_event *ev)
{
	free(ev);
}

/* The link takes the bytes once it is free; they have arrived a latency later. */
static void settle_due(struct copier *c, struct copier_event *ev)
{
	uint64_t now = tfr_clock_ns();
	uint64_t start = c->link_free_ns > now ? c->link_free_ns : now;

	c->link_free_ns = start + (uint64_t)((double)ev->size / c->pace.bandwidth * 1e9);
	ev->due_ns = c->link_free_ns + c->pace.latency_ns;
}

enum tfr_status copier_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *event, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = dev->state;

	(void)err;
	pthread_mutex_lock(&c->lock);
	ev->to = to;
	ev->from = from;
	ev->size = size;
	ev->next = NULL;
	ev->pending = true;
	if (c->pace.bandwidth > 0)
		settle_due(c, ev);
	if (c->tail)
		c->tail->next = ev;
	else
		c->head = ev;
	c->tail = ev;
	pthread_cond_signal(&c->work);
	pthread_mutex_unlock(&c->lock);
	return TFR_OK;
}

enum tfr_status copier_wait(struct tfr_event *event, double *seconds, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = event->dev->state;

	(void)err;
	pthread_mutex_lock(&c->lock);
	while (ev->pending)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
	if (seconds)
		*seconds = ev->seconds;
	return TFR_OK;
}

bool copier_done(struct tfr_event *event)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = event->dev->state;
	bool done;

	pthread_mutex_lock(&c->lock);
	done = !ev->pending;
	pthread_mutex_unlock(&c->lock);
	return done;
}

enum tfr_status copier_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	struct copier *c = dev->state;

	(void)err;
	pthread_mutex_lock(&c->lock);
	while (c->head)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
	memcpy(to, from, size);
	return TFR_OK;
}
