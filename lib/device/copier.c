/* device/copier.c - the work of host and sim: copies, normalisation, and simulated time.
 *
 * An event is a job of one of the three queues.  The due time of paced work counts from its
 * request, so a thread that is late once does not stay late.  `link_free_ns` and `compute_free_ns`
 * belong to their queue's thread. */
#include "device/copier.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "device/row.h"
#include "device/stream_copy.h"

/* --- queues --- */

/* Threads that run jobs in order, one thread per queue.  A job may have to wait for the jobs that
 * were added to another queue before it.
 *
 * A job is embedded in the object that it works on and is itself the link of its queue, so adding
 * one never fails.  One lock guards all queues of a device and their jobs; jobs run without it.
 *
 * A thread takes the head of its queue, runs it without the lock, and unlinks it afterwards: a
 * queue without a head has no work in progress. */

enum { QUEUES = 3 };

struct tfr_queue_job {
	struct tfr_queue_job *next;
	void (*run)(struct tfr_queue_job *job); /* on the queue's thread */
	uint64_t asked_ns;			/* when it was added */
	bool pending;				/* added and not yet done */
	bool cut;				/* it must not sleep any more */
	const struct tfr_queue *behind;		/* the queue that it waits for; NULL: none */
	uint64_t ahead;				/* until so many jobs of it are done */
};

struct tfr_queue {
	struct tfr_queues *all;
	pthread_t thread;
	pthread_cond_t work;
	struct tfr_queue_job *head, *tail; /* the head runs */
	uint64_t added, finished;	   /* jobs so far */
	bool started;
};

struct tfr_queues {
	pthread_mutex_t lock;
	pthread_cond_t done;
	pthread_cond_t cut; /* a job was cut short; by CLOCK_MONOTONIC */
	bool closing;
	struct tfr_queue at[QUEUES];
};

static void *queue_main(void *arg)
{
	struct tfr_queue *own = arg;
	struct tfr_queues *q = own->all;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		struct tfr_queue_job *job = own->head;

		if (!job) {
			if (q->closing)
				break;
			pthread_cond_wait(&own->work, &q->lock);
			continue;
		}
		if (job->behind && job->behind->finished < job->ahead) {
			pthread_cond_wait(&q->done, &q->lock);
			continue;
		}
		pthread_mutex_unlock(&q->lock);
		job->run(job);
		pthread_mutex_lock(&q->lock);
		own->head = job->next;
		if (!own->head)
			own->tail = NULL;
		own->finished++;
		job->pending = false;
		pthread_cond_broadcast(&q->done);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* Runs the remaining jobs, then ends the threads. */
static void queues_close(struct tfr_queues *q)
{
	pthread_mutex_lock(&q->lock);
	q->closing = true;
	for (unsigned i = 0; i < QUEUES; i++)
		if (q->at[i].started)
			pthread_cond_signal(&q->at[i].work);
	pthread_mutex_unlock(&q->lock);
	for (unsigned i = 0; i < QUEUES; i++) {
		if (q->at[i].started)
			pthread_join(q->at[i].thread, NULL);
		if (q->at[i].all)
			pthread_cond_destroy(&q->at[i].work);
	}
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->done);
	pthread_cond_destroy(&q->cut);
}

/* 0, or the errno of a failure to start a thread. */
static int queues_open(struct tfr_queues *q)
{
	pthread_condattr_t attr;

	*q = (struct tfr_queues){ 0 };
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->done, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->cut, &attr);
	pthread_condattr_destroy(&attr);
	for (unsigned i = 0; i < QUEUES; i++) {
		struct tfr_queue *own = &q->at[i];
		int rc;

		own->all = q;
		pthread_cond_init(&own->work, NULL);
		rc = pthread_create(&own->thread, NULL, queue_main, own);
		if (rc) {
			queues_close(q);
			return rc;
		}
		own->started = true;
	}
	return 0;
}

static void enqueue(struct tfr_queues *q, struct tfr_queue *to, const struct tfr_queue *behind,
	struct tfr_queue_job *job)
{
	pthread_mutex_lock(&q->lock);
	job->behind = behind;
	job->ahead = behind ? behind->added : 0;
	job->next = NULL;
	job->pending = true;
	job->cut = false;
	job->asked_ns = tfr_clock_ns();
	if (to->tail)
		to->tail->next = job;
	else
		to->head = job;
	to->tail = job;
	to->added++;
	pthread_cond_signal(&to->work);
	pthread_mutex_unlock(&q->lock);
}

static void queues_put(struct tfr_queues *q, unsigned which, struct tfr_queue_job *job)
{
	enqueue(q, &q->at[which], NULL, job);
}

/* Returns at once for a job that was never added. */
static void queues_wait(struct tfr_queues *q, const struct tfr_queue_job *job)
{
	pthread_mutex_lock(&q->lock);
	while (job->pending)
		pthread_cond_wait(&q->done, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

static bool queues_done(struct tfr_queues *q, const struct tfr_queue_job *job)
{
	bool done;

	pthread_mutex_lock(&q->lock);
	done = !job->pending;
	pthread_mutex_unlock(&q->lock);
	return done;
}

/* For a running job: sleeps until this time of CLOCK_MONOTONIC in nanoseconds.  False: it was cut
 * short. */
static bool queues_sleep(struct tfr_queues *q, const struct tfr_queue_job *job, uint64_t until_ns)
{
	struct timespec ts = { .tv_sec = (time_t)(until_ns / 1000000000u),
		.tv_nsec = (long)(until_ns % 1000000000u) };
	bool slept;

	pthread_mutex_lock(&q->lock);
	while (!job->cut && tfr_clock_ns() < until_ns)
		pthread_cond_timedwait(&q->cut, &q->lock, &ts);
	slept = !job->cut;
	pthread_mutex_unlock(&q->lock);
	return slept;
}

/* Ends the sleep of an added job, now or when it runs. */
static void queues_cut(struct tfr_queues *q, struct tfr_queue_job *job)
{
	pthread_mutex_lock(&q->lock);
	job->cut = true;
	pthread_cond_broadcast(&q->cut);
	pthread_mutex_unlock(&q->lock);
}

/* Waits for the jobs that are in the queue now. */
static void queues_drain(struct tfr_queues *q, unsigned which)
{
	uint64_t all;

	pthread_mutex_lock(&q->lock);
	all = q->at[which].added;
	while (q->at[which].finished < all)
		pthread_cond_wait(&q->done, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

/* --- the plain twin --- */

/* The work of a kernel on pixels, done by a processor: host and sim use it, and tests compare
 * kernels with it.
 *
 * Each operation rounds to float32: no multiplication by a reciprocal, no fused operations. */

/* Runs of values that are a multiple of the channels and fill vectors. */
enum { RUN = 48 };

static void device_normalise_plain(const struct tfr_normalise_job *what)
{
	const uint8_t *restrict from = what->from;
	float *restrict to = what->to;
	float mean[RUN], std[RUN];
	size_t at = 0;

	for (unsigned i = 0; i < RUN; i++) {
		mean[i] = what->mean[i % what->channels];
		std[i] = what->std[i % what->channels];
	}
	for (; at + RUN <= what->count; at += RUN)
		for (unsigned i = 0; i < RUN; i++)
			to[at + i] = ((float)from[at + i] - mean[i]) / std[i];
	for (unsigned i = 0; at < what->count; at++, i++)
		to[at] = ((float)from[at] - mean[i]) / std[i];
}

/* --- copying and computing --- */

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, BOUNCE = 4 << 20 };
enum { LINK, KERNELS, COMPUTE };

struct copier_event {
	struct tfr_event event; /* first */
	struct tfr_queue_job job;
	union {
		struct {
			void *to;
			const void *from;
			size_t size;
			bool twice; /* from pageable memory, over the bounce buffer */
		} copy;
		struct tfr_normalise_job normalise;
		uint64_t compute_ns;
	};
	double seconds;
};

/* A block of pageable memory, whose uploads take another path. */
struct pageable {
	struct pageable *next;
	char *memory;
	size_t size;
};

struct copier {
	struct tfr_queues queues;
	struct tfr_copier_pace pace;
	uint64_t link_free_ns; /* paced: when the last copy has left */
	uint64_t compute_free_ns;
	pthread_mutex_t lock; /* of the two pointers below */
	struct pageable *pageable;
	char *bounce; /* paced: the bounce buffer of pageable memory */
};

static struct copier_event *event_of(struct tfr_queue_job *job)
{
	return (struct copier_event *)((char *)job - offsetof(struct copier_event, job));
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Pageable memory is copied twice, as a driver does, which can only read memory that is pinned. */
static void copy_twice(const struct copier *c, char *to, const char *from, size_t size)
{
	for (size_t at = 0; at < size; at += BOUNCE) {
		size_t n = size - at < BOUNCE ? size - at : BOUNCE;

		memcpy(c->bounce, from + at, n);
		tfr_device_stream_copy(to + at, c->bounce, n);
	}
}

/* The link takes the bytes once it is free; they have arrived a latency later. */
static void run_copy(struct tfr_queue_job *job)
{
	struct copier_event *ev = event_of(job);
	struct copier *c = ev->event.dev->state;
	uint64_t start = tfr_clock_ns(), end, begin;

	if (ev->copy.twice)
		copy_twice(c, ev->copy.to, ev->copy.from, ev->copy.size);
	else
		tfr_device_stream_copy(ev->copy.to, ev->copy.from, ev->copy.size);
	end = tfr_clock_ns();
	if (c->pace.bandwidth <= 0) {
		ev->seconds = (double)(end - start) * 1e-9;
		return;
	}
	begin = later(c->link_free_ns, job->asked_ns);
	ev->seconds = (double)ev->copy.size / c->pace.bandwidth;
	c->link_free_ns = begin + (uint64_t)(ev->seconds * 1e9);
	/* The driver makes the two copies of pageable memory, and the link waits for it. */
	if (ev->copy.twice && end > c->link_free_ns) {
		ev->seconds = (double)(end - begin) * 1e-9;
		c->link_free_ns = end;
	}
	if (!queues_sleep(&c->queues, job, c->link_free_ns + c->pace.latency_ns))
		c->link_free_ns = tfr_clock_ns();
}

static void run_normalise(struct tfr_queue_job *job)
{
	struct copier_event *ev = event_of(job);
	uint64_t start = tfr_clock_ns();

	device_normalise_plain(&ev->normalise);
	ev->seconds = (double)(tfr_clock_ns() - start) * 1e-9;
}

static void run_compute(struct tfr_queue_job *job)
{
	struct copier_event *ev = event_of(job);
	struct copier *c = ev->event.dev->state;

	uint64_t start = later(c->compute_free_ns, job->asked_ns);

	c->compute_free_ns = start + ev->compute_ns;
	if (!queues_sleep(&c->queues, job, c->compute_free_ns))
		c->compute_free_ns = later(start, tfr_clock_ns());
	ev->seconds = (double)(c->compute_free_ns - start) * 1e-9;
}

enum tfr_status tfr_copier_open(
	struct tfr_device *dev, struct tfr_copier_pace pace, struct tfr_error *err)
{
	struct copier *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return tfr_fail_nomem(err, "opening a device");
	c->pace = pace;
	rc = queues_open(&c->queues);
	if (rc) {
		free(c);
		return tfr_fail(err, TFR_ESYS, "device %s: cannot start a thread: %s", dev->name,
			strerror(rc));
	}
	pthread_mutex_init(&c->lock, NULL);
	dev->state = c;
	return TFR_OK;
}

void tfr_copier_close(struct tfr_device *dev)
{
	struct copier *c = dev->state;

	queues_close(&c->queues);
	pthread_mutex_destroy(&c->lock);
	free(c->bounce);
	free(c);
}

/* Registers a block as pageable.  False: out of memory. */
static bool note_pageable(struct copier *c, void *memory, size_t size)
{
	struct pageable *block = malloc(sizeof(*block));
	bool noted;

	if (!block)
		return false;
	*block = (struct pageable){ .memory = memory, .size = size };
	pthread_mutex_lock(&c->lock);
	if (!c->bounce && c->pace.bandwidth > 0)
		c->bounce = malloc(BOUNCE);
	noted = c->bounce || c->pace.bandwidth <= 0;
	if (noted) {
		block->next = c->pageable;
		c->pageable = block;
	}
	pthread_mutex_unlock(&c->lock);
	if (!noted)
		free(block);
	return noted;
}

static void forget_pageable(struct copier *c, const void *memory)
{
	pthread_mutex_lock(&c->lock);
	for (struct pageable **p = &c->pageable; *p; p = &(*p)->next)
		if ((*p)->memory == memory) {
			struct pageable *block = *p;

			*p = block->next;
			free(block);
			break;
		}
	pthread_mutex_unlock(&c->lock);
}

static bool is_pageable(struct copier *c, const char *from)
{
	bool found = false;

	pthread_mutex_lock(&c->lock);
	for (struct pageable *p = c->pageable; p && !found; p = p->next)
		found = from >= p->memory && from < p->memory + p->size;
	pthread_mutex_unlock(&c->lock);
	return found;
}

/* Batches are tens of megabytes: huge pages save most of their page faults and of the copy's TLB
 * misses. */
enum tfr_status tfr_copier_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err)
{
	bool huge = size >= HUGE_PAGE && kind != TFR_MEMORY_PAGEABLE;
	int rc = posix_memalign(memory, huge ? HUGE_PAGE : PAGE, size);

	if (rc == 0 && kind == TFR_MEMORY_PAGEABLE && !note_pageable(dev->state, *memory, size)) {
		free(*memory);
		rc = ENOMEM;
	}
	if (rc)
		return tfr_fail(err, TFR_ENOMEM, "device %s: no memory for a buffer of %zu bytes",
			dev->name, size);
	if (huge)
		madvise(*memory, size, MADV_HUGEPAGE);
	return TFR_OK;
}

void tfr_copier_free(struct tfr_device *dev, enum tfr_memory kind, void *memory)
{
	if (kind == TFR_MEMORY_PAGEABLE)
		forget_pageable(dev->state, memory);
	free(memory);
}

enum tfr_status tfr_copier_event_new(
	struct tfr_event **out, struct tfr_device *dev, struct tfr_error *err)
{
	struct copier_event *ev = calloc(1, sizeof(*ev));

	(void)dev;
	if (!ev)
		return tfr_fail_nomem(err, "opening a device");
	*out = &ev->event;
	return TFR_OK;
}

void tfr_copier_event_free(struct tfr_event *ev)
{
	free(ev);
}

static void put(struct tfr_device *dev, unsigned queue, struct copier_event *ev,
	void (*run)(struct tfr_queue_job *job))
{
	struct copier *c = dev->state;

	ev->job.run = run;
	queues_put(&c->queues, queue, &ev->job);
}

enum tfr_status tfr_copier_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *event, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = dev->state;

	(void)err;
	ev->copy.to = to;
	ev->copy.from = from;
	ev->copy.size = size;
	ev->copy.twice = c->pace.bandwidth > 0 && is_pageable(c, from);
	put(dev, LINK, ev, run_copy);
	return TFR_OK;
}

enum tfr_status tfr_copier_normalise(struct tfr_device *dev, const struct tfr_normalise_job *what,
	struct tfr_event *event, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = dev->state;

	(void)err;
	ev->normalise = *what;
	ev->job.run = run_normalise;
	/* after the uploads before it */
	enqueue(&c->queues, &c->queues.at[KERNELS], &c->queues.at[LINK], &ev->job);
	return TFR_OK;
}

enum tfr_status tfr_copier_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *event, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;

	(void)err;
	ev->compute_ns = (uint64_t)(seconds * 1e9);
	put(dev, COMPUTE, ev, run_compute);
	return TFR_OK;
}

enum tfr_status tfr_copier_wait(struct tfr_event *event, double *seconds, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = event->dev->state;

	(void)err;
	queues_wait(&c->queues, &ev->job);
	if (seconds)
		*seconds = ev->seconds;
	return TFR_OK;
}

bool tfr_copier_done(struct tfr_event *event)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = event->dev->state;

	return queues_done(&c->queues, &ev->job);
}

void tfr_copier_cut_short(struct tfr_event *event)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = event->dev->state;

	queues_cut(&c->queues, &ev->job);
}

enum tfr_status tfr_copier_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	struct copier *c = dev->state;

	(void)err;
	queues_drain(&c->queues, LINK);
	queues_drain(&c->queues, KERNELS);
	memcpy(to, from, size);
	return TFR_OK;
}
