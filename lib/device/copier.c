/* device/copier.c - the devices that processors of this machine play: host and sim.
 *
 * Such a device has three threads.  One copies in order, as fast as memory allows or at a set pace.
 * One normalises what has arrived.  The third sleeps for the time of computing.  host is a copier
 * without a pace; sim is one with a pace, to try other links.  The link of a paced one is occupied
 * for size / bandwidth, one copy after another, and a copy has arrived `latency` after its last
 * byte left: latencies overlap, as on a bus.  A processor moves the bytes of sim as well: so a link
 * that is faster than memcpy cannot be simulated, and the processor time of the copy is in the
 * result.
 *
 * An event is a job of one of the three queues, and is itself the link of its queue, so adding one
 * never fails.  A thread takes the head of its queue, runs it without the lock, and unlinks it
 * afterwards: a queue without a head has no work in progress.  The due time of paced work counts
 * from its request, so a thread that is late once does not stay late. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <tfr-private/text.h>

#include "base/clock.h"
#include "base/error.h"
#include "device/row.h"
#include "device/stream_copy.h"

enum { PAGE = 4096, HUGE_PAGE = 2 << 20, BOUNCE = 4 << 20 };
enum { LINK, KERNELS, COMPUTE, QUEUES };

struct pace {
	double bandwidth; /* bytes per second; 0: as fast as possible */
	uint64_t latency_ns;
};

struct copier_event {
	struct tfr_event event; /* first */
	struct copier_event *next;
	void (*run)(struct copier_event *ev); /* on the queue's thread */
	uint64_t asked_ns;		      /* when it was added */
	bool pending;			      /* added and not yet done */
	bool cut;			      /* it must not sleep any more */
	const struct queue *behind;	      /* the queue that it waits for; NULL: none */
	uint64_t ahead;			      /* until so many jobs of it are done */
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

struct queue {
	struct copier *copier;
	pthread_t thread;
	pthread_cond_t work;
	struct copier_event *head, *tail; /* the head runs */
	uint64_t added, finished;	  /* jobs so far */
	bool started;
};

/* A block of pageable memory, whose uploads take another path. */
struct pageable {
	struct pageable *next;
	char *memory;
	size_t size;
};

struct copier {
	struct pace pace;
	/* Of the LINK's and the COMPUTE queue's thread: paced, when the last copy has left. */
	uint64_t link_free_ns, compute_free_ns;
	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t done;
	pthread_cond_t cut; /* a job was cut short; by CLOCK_MONOTONIC */
	bool closing;
	struct queue queues[QUEUES];
	struct pageable *pageable;
	char *bounce; /* paced: the bounce buffer of pageable memory */
};

/* --- queues --- */

static void *queue_main(void *arg)
{
	struct queue *own = arg;
	struct copier *c = own->copier;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		struct copier_event *job = own->head;

		if (!job) {
			if (c->closing)
				break;
			pthread_cond_wait(&own->work, &c->lock);
			continue;
		}
		if (job->behind && job->behind->finished < job->ahead) {
			pthread_cond_wait(&c->done, &c->lock);
			continue;
		}
		pthread_mutex_unlock(&c->lock);
		job->run(job);
		pthread_mutex_lock(&c->lock);
		own->head = job->next;
		if (!own->head)
			own->tail = NULL;
		own->finished++;
		job->pending = false;
		pthread_cond_broadcast(&c->done);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Runs the remaining jobs, then ends the threads. */
static void close_copier(struct tfr_device *dev)
{
	struct copier *c = dev->state;

	pthread_mutex_lock(&c->lock);
	c->closing = true;
	for (unsigned i = 0; i < QUEUES; i++)
		pthread_cond_signal(&c->queues[i].work);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < QUEUES; i++) {
		if (c->queues[i].started)
			pthread_join(c->queues[i].thread, NULL);
		pthread_cond_destroy(&c->queues[i].work);
	}
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->done);
	pthread_cond_destroy(&c->cut);
	free(c->bounce);
	free(c);
}

static enum tfr_status open_copier(struct tfr_device *dev, struct pace pace, struct tfr_error *err)
{
	struct copier *c = dev->state = calloc(1, sizeof(*c));
	pthread_condattr_t attr;
	int rc = 0;

	TFR_NEED_MEMORY(c, err, "opening a device");
	c->pace = pace;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->done, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->cut, &attr);
	pthread_condattr_destroy(&attr);
	for (unsigned i = 0; i < QUEUES; i++) {
		struct queue *own = &c->queues[i];

		own->copier = c;
		pthread_cond_init(&own->work, NULL);
		if (!rc)
			rc = pthread_create(&own->thread, NULL, queue_main, own);
		own->started = !rc;
	}
	if (!rc)
		return TFR_OK;
	close_copier(dev);
	return tfr_fail(
		err, TFR_ESYS, "device %s: cannot start a thread: %s", dev->name, strerror(rc));
}

/* Adds a job, which may have to wait for the jobs of the queue `behind` (QUEUES: none) that were
 * added before it. */
static void add_job(struct tfr_device *dev, unsigned which, unsigned behind,
	struct copier_event *job, void (*run)(struct copier_event *ev))
{
	struct copier *c = dev->state;
	struct queue *to = &c->queues[which];

	pthread_mutex_lock(&c->lock);
	job->run = run;
	job->behind = behind < QUEUES ? &c->queues[behind] : NULL;
	job->ahead = job->behind ? job->behind->added : 0;
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
	pthread_mutex_unlock(&c->lock);
}

/* Returns at once for a job that was never added. */
static enum tfr_status wait_for(struct tfr_event *event, double *seconds, struct tfr_error *err)
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

static bool is_done(struct tfr_event *event)
{
	struct copier *c = event->dev->state;
	bool done;

	pthread_mutex_lock(&c->lock);
	done = !((struct copier_event *)event)->pending;
	pthread_mutex_unlock(&c->lock);
	return done;
}

/* For a running job: sleeps until this time of CLOCK_MONOTONIC in nanoseconds.  False: it was cut
 * short. */
static bool sleep_until(struct copier *c, const struct copier_event *job, uint64_t until_ns)
{
	struct timespec ts = { .tv_sec = (time_t)(until_ns / 1000000000u),
		.tv_nsec = (long)(until_ns % 1000000000u) };
	bool slept;

	pthread_mutex_lock(&c->lock);
	while (!job->cut && tfr_clock_ns() < until_ns)
		pthread_cond_timedwait(&c->cut, &c->lock, &ts);
	slept = !job->cut;
	pthread_mutex_unlock(&c->lock);
	return slept;
}

/* Ends the sleep of an added job, now or when it runs. */
static void cut_short(struct tfr_event *event)
{
	struct copier *c = event->dev->state;

	pthread_mutex_lock(&c->lock);
	((struct copier_event *)event)->cut = true;
	pthread_cond_broadcast(&c->cut);
	pthread_mutex_unlock(&c->lock);
}

/* Waits for the jobs that are in the queue now. */
static void drain(struct copier *c, const struct queue *q)
{
	uint64_t all;

	pthread_mutex_lock(&c->lock);
	all = q->added;
	while (q->finished < all)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

/* --- the work --- */

/* The work of a kernel on pixels, done by a processor: host and sim use it, and tests compare
 * kernels with it.
 *
 * Each operation rounds to float32: no multiplication by a reciprocal, no fused operations. */

/* Runs of values that are a multiple of the channels and fill vectors. */
enum { RUN = 48 };

static void normalise_plain(const struct tfr_normalise_job *what)
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
static void run_copy(struct copier_event *ev)
{
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
	begin = later(c->link_free_ns, ev->asked_ns);
	ev->seconds = (double)ev->copy.size / c->pace.bandwidth;
	c->link_free_ns = begin + (uint64_t)(ev->seconds * 1e9);
	/* The driver makes the two copies of pageable memory, and the link waits for it. */
	if (ev->copy.twice && end > c->link_free_ns) {
		ev->seconds = (double)(end - begin) * 1e-9;
		c->link_free_ns = end;
	}
	if (!sleep_until(c, ev, c->link_free_ns + c->pace.latency_ns))
		c->link_free_ns = tfr_clock_ns();
}

static void run_normalise(struct copier_event *ev)
{
	uint64_t start = tfr_clock_ns();

	normalise_plain(&ev->normalise);
	ev->seconds = (double)(tfr_clock_ns() - start) * 1e-9;
}

static void run_compute(struct copier_event *ev)
{
	struct copier *c = ev->event.dev->state;
	uint64_t start = later(c->compute_free_ns, ev->asked_ns);

	c->compute_free_ns = start + ev->compute_ns;
	if (!sleep_until(c, ev, c->compute_free_ns))
		c->compute_free_ns = later(start, tfr_clock_ns());
	ev->seconds = (double)(c->compute_free_ns - start) * 1e-9;
}

/* --- memory --- */

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
static enum tfr_status alloc_memory(struct tfr_device *dev, enum tfr_memory kind, size_t size,
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

static void free_memory(struct tfr_device *dev, enum tfr_memory kind, void *memory)
{
	if (kind == TFR_MEMORY_PAGEABLE)
		forget_pageable(dev->state, memory);
	free(memory);
}

/* --- requests --- */

static enum tfr_status new_event(
	struct tfr_event **out, struct tfr_device *dev, struct tfr_error *err)
{
	struct copier_event *ev = calloc(1, sizeof(*ev));

	(void)dev;
	TFR_NEED_MEMORY(ev, err, "opening a device");
	*out = &ev->event;
	return TFR_OK;
}

static void free_event(struct tfr_event *ev)
{
	free(ev);
}

static enum tfr_status upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *event, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;
	struct copier *c = dev->state;

	(void)err;
	ev->copy.to = to;
	ev->copy.from = from;
	ev->copy.size = size;
	ev->copy.twice = c->pace.bandwidth > 0 && is_pageable(c, from);
	add_job(dev, LINK, QUEUES, ev, run_copy);
	return TFR_OK;
}

static enum tfr_status normalise(struct tfr_device *dev, const struct tfr_normalise_job *what,
	struct tfr_event *event, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;

	(void)err;
	ev->normalise = *what;
	add_job(dev, KERNELS, LINK, ev, run_normalise);
	return TFR_OK;
}

static enum tfr_status compute(
	struct tfr_device *dev, double seconds, struct tfr_event *event, struct tfr_error *err)
{
	struct copier_event *ev = (struct copier_event *)event;

	(void)err;
	ev->compute_ns = (uint64_t)(seconds * 1e9);
	add_job(dev, COMPUTE, QUEUES, ev, run_compute);
	return TFR_OK;
}

static enum tfr_status download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	struct copier *c = dev->state;

	(void)err;
	drain(c, &c->queues[LINK]);
	drain(c, &c->queues[KERNELS]);
	memcpy(to, from, size);
	return TFR_OK;
}

/* --- host: its memory is plain memory, and an upload is one memcpy --- */

static enum tfr_status host_count(const char *args, unsigned *count, struct tfr_error *err)
{
	if (args)
		return tfr_fail(err, TFR_EUSAGE, "device host takes no argument: 'host:%s'", args);
	*count = 1;
	return TFR_OK;
}

static enum tfr_status host_open(
	struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err)
{
	(void)args;
	(void)nth;
	snprintf(dev->name, sizeof(dev->name), "host");
	snprintf(dev->description, sizeof(dev->description), "plain memory, one memcpy per upload");
	return open_copier(dev, (struct pace){ 0 }, err);
}

/* --- sim: a set bandwidth and latency --- */

struct unit {
	const char *text;
	double factor;
};

static const struct unit bandwidth_units[] = {
	{ "", 1 },
	{ "K", 1e3 },
	{ "M", 1e6 },
	{ "G", 1e9 },
	{ "T", 1e12 },
	{ NULL },
};

static const struct unit latency_units[] = {
	{ "ns", 1 },
	{ "us", 1e3 },
	{ "ms", 1e6 },
	{ "s", 1e9 },
	{ NULL },
};

/* A decimal number with its unit, up to `end`.  Negative: malformed. */
static double parse_quantity(const char *text, const char *end, const struct unit *units)
{
	char *rest;
	double number;

	/* strtod() also accepts "nan", "inf", "0x10", signs and blanks. */
	if (!isdigit((unsigned char)text[0]) || (text[1] | 32) == 'x')
		return -1;
	number = tfr_text_f64(text, &rest);
	if (rest == end && number == 0)
		return 0;
	for (; units->text; units++)
		if (rest <= end && strlen(units->text) == (size_t)(end - rest) &&
			strncmp(rest, units->text, (size_t)(end - rest)) == 0)
			return number * units->factor;
	return -1;
}

static enum tfr_status bad_spec(struct tfr_error *err, const char *args)
{
	return tfr_fail_hint(err, TFR_EUSAGE,
		"Give the bandwidth in bytes per second, the latency and, for several, "
		"their number: "
		"sim:25G,10us,4.",
		"'sim%s%s' is not a simulated device", args ? ":" : "", args ? args : "");
}

/* The parsed "25G,10us,4". */
struct sim_spec {
	struct pace pace;
	double latency_ns;
	unsigned count;
	int link_length; /* of the text before the count */
};

static enum tfr_status parse_spec(struct sim_spec *spec, const char *args, struct tfr_error *err)
{
	const char *comma = args ? strchr(args, ',') : NULL;
	const char *end;

	if (!comma)
		return bad_spec(err, args);
	end = strchrnul(comma + 1, ',');
	spec->pace.bandwidth = parse_quantity(args, comma, bandwidth_units);
	spec->latency_ns = parse_quantity(comma + 1, end, latency_units);
	spec->link_length = (int)(end - args);
	spec->count = 1;
	/* Less than a byte per second or hours of latency are a mistake, and the arithmetic would
	 * overflow. */
	if (!(spec->pace.bandwidth >= 1 && spec->pace.bandwidth <= 1e18) || spec->latency_ns < 0 ||
		spec->latency_ns > 3600e9)
		return bad_spec(err, args);
	spec->pace.latency_ns = (uint64_t)spec->latency_ns;
	if (*end) {
		size_t digits = strspn(end + 1, "0123456789");

		spec->count = digits <= 3 ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
		if (digits == 0 || end[1 + digits])
			return bad_spec(err, args);
		if (spec->count < 1 || spec->count > DEVICES_MAX)
			return tfr_fail(err, TFR_EUSAGE,
				"'sim:%s' is not 1 to %d simulated devices", args, DEVICES_MAX);
	}
	return TFR_OK;
}

static enum tfr_status sim_count(const char *args, unsigned *count, struct tfr_error *err)
{
	struct sim_spec spec = { 0 };

	TFR_TRY(parse_spec(&spec, args, err));
	*count = spec.count;
	return TFR_OK;
}

static enum tfr_status sim_open(
	struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err)
{
	struct sim_spec spec = { 0 };
	double bandwidth;

	TFR_TRY(parse_spec(&spec, args, err));
	bandwidth = spec.pace.bandwidth;
	snprintf(dev->name, sizeof(dev->name), "sim:%.*s", spec.link_length, args);
	if (spec.count > 1)
		snprintf(dev->name, sizeof(dev->name), "sim:%.*s#%u",
			spec.link_length < 48 ? spec.link_length : 48, args, nth);
	snprintf(dev->description, sizeof(dev->description),
		"a simulated link of %.4g %s/s, %.4g us latency",
		bandwidth * (bandwidth < 1e9 ? 1e-6 : 1e-9), bandwidth < 1e9 ? "MB" : "GB",
		spec.latency_ns * 1e-3);
	return open_copier(dev, spec.pace, err);
}

#define COPIER(name)                                                                               \
	const struct tfr_device_row tfr_device_##name = {                                          \
		.kind = #name,                                                                     \
		.in_process = true,                                                                \
		.count = name##_count,                                                             \
		.open = name##_open,                                                               \
		.close = close_copier,                                                             \
		.alloc = alloc_memory,                                                             \
		.free = free_memory,                                                               \
		.event_new = new_event,                                                            \
		.event_free = free_event,                                                          \
		.upload = upload,                                                                  \
		.normalise = normalise,                                                            \
		.compute = compute,                                                                \
		.wait = wait_for,                                                                  \
		.done = is_done,                                                                   \
		.cut_short = cut_short,                                                            \
		.download = download,                                                              \
	}

COPIER(host);
COPIER(sim);
