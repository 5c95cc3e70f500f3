/* stream.c - streams and events.
 *
 * A stream is a thread that does what was put on it, in order.  Its clock has, for each stream, the
 * number of the last work there that is known to precede what is put on it next; events carry it
 * from stream to stream.  Work on memory that other work of an unordered stream still uses is a
 * fault of the caller.  Copies in one direction share the link of their device, one after the
 * other.  Once work has failed, the work after it is not done, on any stream of the context; events
 * are reached nevertheless. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

/* Copies from pageable memory of at most this size return once it was read (CUDA Driver API, API
 * synchronization behavior). */
enum { STAGED_MOST = 64 << 10 };

enum work_kind { RECORD, WAIT, COPY, LAUNCH };

struct work {
	struct work *next;
	enum work_kind kind;
	struct CUevent_st *event;
	uint64_t number; /* of the event's record */
	uint64_t place;	 /* on its stream */
	unsigned error;	 /* what it fails with */
	struct fake_use uses[FAKE_USES];
	struct {
		void *to;
		const void *from;
		size_t size;
		int direction;
		void *staged; /* a copy of pageable memory, or NULL */
	} copy;
	struct fake_launch launch;
};

struct CUstream_st {
	struct fake_object object;
	struct work *head, *tail;
	unsigned id;
	uint64_t queued, finished; /* numbers of its last work */
	uint64_t clock[FAKE_STREAMS];
	bool closing;
	int users; /* its thread, and calls that wait for work */
};

uint64_t fake_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void fake_sleep_until(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static void change(void)
{
	pthread_cond_broadcast(&fake.change);
}

static void wait_for_change(void)
{
	pthread_cond_wait(&fake.change, &fake.lock);
}

/* --- work ------------------------------------------------------------------------------------ */

static void release_event(struct CUevent_st *ev)
{
	if (--ev->users == 0 && ev->destroyed)
		free(ev);
}

static void release_stream(struct CUstream_st *s)
{
	if (--s->users == 0)
		free(s);
}

/* An event that was recorded again on another stream may have reached that first. */
static void reach(struct work *w)
{
	if (w->number < w->event->done)
		return;
	w->event->done = w->number;
	w->event->at_ns = fake_now_ns();
}

/* The time until which the link is busy with a copy. */
static uint64_t occupy_link(struct CUctx_st *c, const struct work *w)
{
	uint64_t start = fake_now_ns(), *free_ns = &c->free_ns[w->copy.direction];

	if (fake_cuda.bandwidth <= 0)
		return start;
	if (*free_ns > start)
		start = *free_ns;
	*free_ns = start + (uint64_t)((double)w->copy.size / fake_cuda.bandwidth * 1e9);
	return *free_ns;
}

/* Copies, or runs a kernel; called and returns with the lock held. */
static unsigned do_work(struct CUctx_st *c, struct work *w)
{
	bool copies = w->kind == COPY;
	uint64_t end = copies ? occupy_link(c, w) : 0;
	unsigned error;

	pthread_mutex_unlock(&fake.lock);
	error = fake_injected(copies ? "copy" : "kernel", c->device);
	if (!error)
		error = w->error;
	if (!error && copies) {
		memcpy(w->copy.to, w->copy.from, w->copy.size);
		fake_sleep_until(end);
	} else if (!error) {
		fake_launch_run(&w->launch);
	}
	pthread_mutex_lock(&fake.lock);
	return error;
}

static void carry_out(struct CUstream_st *s, struct work *w)
{
	struct CUctx_st *c = s->object.context;

	if (w->kind == RECORD) {
		reach(w);
	} else if (w->kind == WAIT) {
		while (w->event->done < w->number && !c->error)
			wait_for_change();
	} else if (!c->error) {
		unsigned error = do_work(c, w);

		if (!c->error)
			c->error = error;
	}
}

static void finish(struct CUstream_st *s, struct work *w)
{
	s->head = w->next;
	if (!s->head)
		s->tail = NULL;
	s->finished++;
	s->object.context->working--;
	fake.copies -= w->kind == COPY;
	if (w->event)
		release_event(w->event);
	for (int i = 0; i < FAKE_USES; i++)
		if (w->uses[i].block)
			w->uses[i].block->users--;
	free(w->copy.staged);
	free(w);
	change();
}

static void *stream_main(void *arg)
{
	struct CUstream_st *s = arg;

	pthread_mutex_lock(&fake.lock);
	while (s->head || !s->closing) {
		if (s->head) {
			carry_out(s, s->head);
			finish(s, s->head);
		} else {
			wait_for_change();
		}
	}
	s->object.context->threads--;
	fake.streams[s->id] = NULL;
	fake.numbers[s->id] = s->queued;
	release_stream(s);
	change();
	pthread_mutex_unlock(&fake.lock);
	return NULL;
}

static bool overlap(const struct fake_use *a, const struct fake_use *b)
{
	return a->block && b->block && (a->writes || b->writes) && a->at < b->at + b->size &&
	       b->at < a->at + a->size;
}

static bool conflict(const struct work *a, const struct work *b)
{
	for (int i = 0; i < FAKE_USES; i++)
		for (int j = 0; j < FAKE_USES; j++)
			if (overlap(&a->uses[i], &b->uses[j]))
				return true;
	return false;
}

/* Aborts if unfinished work that need not precede `w` uses the same memory.  After a failure the
 * caller may be unable to order anything. */
static void check_order(const struct CUstream_st *s, const struct work *w)
{
	const struct CUctx_st *c = s->object.context;

	if (c->error || fake.failed[c->device])
		return;
	for (int id = 0; id < FAKE_STREAMS; id++) {
		const struct CUstream_st *other = fake.streams[id];

		for (const struct work *o = other ? other->head : NULL; o; o = o->next)
			if (o->place > s->clock[id] && conflict(o, w))
				fake_abort("two streams use the same %s at once, and one writes it",
					w->uses[0].block->pinned ? "pinned memory" : "memory");
	}
}

/* Returns the number of the work on its stream. */
static uint64_t append(struct CUstream_st *s, const struct work *w)
{
	struct work *copy = malloc(sizeof(*copy));

	check_order(s, w);
	*copy = *w;
	copy->place = s->clock[s->id] = ++s->queued;
	if (s->tail)
		s->tail->next = copy;
	else
		s->head = copy;
	s->tail = copy;
	s->object.context->working++;
	if (w->event)
		w->event->users++;
	for (int i = 0; i < FAKE_USES; i++)
		if (w->uses[i].block)
			w->uses[i].block->users++;
	change();
	return s->queued;
}

/* Work that fails in progress is reported by the call that waits for it. */
static unsigned error_after(const struct CUctx_st *c)
{
	return c->error ? c->error : fake.lost[c->device];
}

/* Waits until the stream has finished this number of things. */
static unsigned wait_for(struct CUstream_st *s, uint64_t number)
{
	struct CUctx_st *c = s->object.context;

	s->users++;
	while (s->finished < number)
		wait_for_change();
	release_stream(s);
	return error_after(c);
}

void fake_stream_launch(struct CUstream_st *s, const struct fake_launch *launch,
	const struct fake_use *uses, unsigned error)
{
	struct work w = { .kind = LAUNCH, .error = error, .launch = *launch };

	memcpy(w.uses, uses, sizeof(w.uses));
	append(s, &w);
}

/* --- streams --------------------------------------------------------------------------------- */

static void give_id(struct CUstream_st *s)
{
	while (s->id < FAKE_STREAMS && fake.streams[s->id])
		s->id++;
	if (s->id == FAKE_STREAMS)
		fake_abort("more than %d streams", FAKE_STREAMS);
	fake.streams[s->id] = s;
	s->queued = s->finished = s->clock[s->id] = fake.numbers[s->id];
}

unsigned cuStreamCreate(struct CUstream_st **stream, unsigned flags)
{
	struct CUctx_st *c;
	struct CUstream_st *s;
	pthread_t thread;

	ENTER(fake_enter_context(__func__, &c));
	if (!stream || flags > CUDA_STREAM_NON_BLOCKING)
		return CUDA_INVALID_VALUE;
	s = calloc(1, sizeof(*s));
	s->users = 1;
	pthread_mutex_lock(&fake.lock);
	fake_add(&s->object, FAKE_STREAM, c);
	give_id(s);
	c->threads++;
	pthread_mutex_unlock(&fake.lock);
	if (pthread_create(&thread, NULL, stream_main, s))
		fake_abort("%s: no thread", __func__);
	pthread_detach(thread);
	*stream = s;
	return CUDA_OK;
}

void fake_stream_destroy(struct CUstream_st *s)
{
	fake_remove(&s->object);
	s->closing = true;
	change();
}

/* Returns at once; work that was put on the stream is still done. */
unsigned cuStreamDestroy_v2(struct CUstream_st *s)
{
	bool usable;
	unsigned error = fake_enter_object(__func__, FAKE_STREAM, s, &usable);

	if (!usable)
		return error;
	pthread_mutex_lock(&fake.lock);
	fake_stream_destroy(s);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

unsigned cuStreamSynchronize(struct CUstream_st *s)
{
	unsigned error;

	ENTER(fake_enter_object(__func__, FAKE_STREAM, s, NULL));
	pthread_mutex_lock(&fake.lock);
	fake.spinning_waits += s->finished < s->queued;
	error = wait_for(s, s->queued);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

/* The next work of the stream comes after everything that the event came after. */
static void follow(struct CUstream_st *s, const struct CUevent_st *ev)
{
	for (int id = 0; id < FAKE_STREAMS; id++)
		if (s->clock[id] < ev->clock[id])
			s->clock[id] = ev->clock[id];
}

unsigned cuStreamWaitEvent(struct CUstream_st *s, struct CUevent_st *ev, unsigned flags)
{
	unsigned error = CUDA_OK;

	ENTER(fake_enter_object(__func__, FAKE_STREAM, s, NULL));
	if (flags)
		return CUDA_INVALID_VALUE;
	pthread_mutex_lock(&fake.lock);
	fake_must_exist(__func__, FAKE_EVENT, ev);
	if (ev->object.context != s->object.context)
		error = CUDA_INVALID_HANDLE;
	else if (ev->done < ev->recorded)
		append(s, &(struct work){ .kind = WAIT, .event = ev, .number = ev->recorded });
	if (!error)
		follow(s, ev);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

/* --- events ---------------------------------------------------------------------------------- */

enum { BLOCKING = CUDA_EVENT_BLOCKING_SYNC, NO_TIMING = 2 };

unsigned cuEventCreate(struct CUevent_st **event, unsigned flags)
{
	struct CUctx_st *c;
	struct CUevent_st *ev;

	ENTER(fake_enter_context(__func__, &c));
	if (!event || flags > (BLOCKING | NO_TIMING))
		return CUDA_INVALID_VALUE;
	ev = calloc(1, sizeof(*ev));
	ev->flags = flags;
	pthread_mutex_lock(&fake.lock);
	fake_add(&ev->object, FAKE_EVENT, c);
	pthread_mutex_unlock(&fake.lock);
	*event = ev;
	return CUDA_OK;
}

void fake_event_destroy(struct CUevent_st *ev)
{
	fake_remove(&ev->object);
	ev->destroyed = true;
	ev->users++;
	release_event(ev);
}

/* Returns at once; a stream that waits for the event still does. */
unsigned cuEventDestroy_v2(struct CUevent_st *ev)
{
	bool usable;
	unsigned error = fake_enter_object(__func__, FAKE_EVENT, ev, &usable);

	if (!usable)
		return error;
	pthread_mutex_lock(&fake.lock);
	fake_event_destroy(ev);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

unsigned cuEventRecord(struct CUevent_st *ev, struct CUstream_st *s)
{
	unsigned error = CUDA_OK;

	ENTER(fake_enter_object(__func__, FAKE_EVENT, ev, NULL));
	if (!s)
		return CUDA_INVALID_HANDLE; /* the default stream is not modelled */
	pthread_mutex_lock(&fake.lock);
	fake_must_exist(__func__, FAKE_STREAM, s);
	if (s->object.context != ev->object.context) {
		error = CUDA_INVALID_HANDLE;
	} else {
		append(s, &(struct work){ .kind = RECORD, .event = ev, .number = ++ev->recorded });
		memcpy(ev->clock, s->clock, sizeof(ev->clock));
	}
	pthread_mutex_unlock(&fake.lock);
	return error;
}

unsigned cuEventQuery(struct CUevent_st *ev)
{
	unsigned error;

	ENTER(fake_enter_object(__func__, FAKE_EVENT, ev, NULL));
	pthread_mutex_lock(&fake.lock);
	error = ev->done < ev->recorded ? CUDA_NOT_READY : CUDA_OK;
	pthread_mutex_unlock(&fake.lock);
	return error;
}

unsigned cuEventSynchronize(struct CUevent_st *ev)
{
	uint64_t number;
	unsigned error;

	ENTER(fake_enter_object(__func__, FAKE_EVENT, ev, NULL));
	pthread_mutex_lock(&fake.lock);
	number = ev->recorded;
	fake.spinning_waits += ev->done < number && !(ev->flags & BLOCKING);
	ev->users++;
	while (ev->done < number)
		wait_for_change();
	error = error_after(ev->object.context);
	release_event(ev);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

unsigned cuEventElapsedTime(float *ms, struct CUevent_st *start, struct CUevent_st *end)
{
	unsigned error = CUDA_OK;

	ENTER(fake_enter_object(__func__, FAKE_EVENT, start, NULL));
	pthread_mutex_lock(&fake.lock);
	fake_must_exist(__func__, FAKE_EVENT, end);
	if (end->object.context != start->object.context || !start->recorded || !end->recorded ||
		((start->flags | end->flags) & NO_TIMING))
		error = CUDA_INVALID_HANDLE;
	else if (start->done < start->recorded || end->done < end->recorded)
		error = CUDA_NOT_READY;
	else
		*ms = (float)((double)(int64_t)(end->at_ns - start->at_ns) * 1e-6);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

/* --- copies ---------------------------------------------------------------------------------- */

static uint64_t start_copy(struct CUstream_st *s, struct work *w)
{
	w->kind = COPY;
	if (!w->uses[0].block)
		w->error = CUDA_ILLEGAL_ADDRESS;
	if (++fake.copies > fake.most_copies)
		fake.most_copies = fake.copies;
	return append(s, w);
}

static void *on_host(tfr_cuda_ptr address)
{
	return (void *)(uintptr_t)(address & ~(tfr_cuda_ptr)DEVICE_BIT);
}

static bool is_pinned(const void *memory, size_t size)
{
	bool pinned;

	pthread_mutex_lock(&fake.lock);
	pinned = fake_block(memory, size, true);
	pthread_mutex_unlock(&fake.lock);
	return pinned;
}

unsigned cuMemcpyHtoDAsync_v2(tfr_cuda_ptr to, const void *from, size_t size, struct CUstream_st *s)
{
	struct work w = { .copy = { on_host(to), from, size, UPWARDS } };
	unsigned error = CUDA_OK;
	uint64_t number;

	ENTER(fake_enter_object(__func__, FAKE_STREAM, s, NULL));
	if (!is_pinned(from, size)) {
		w.copy.staged = memcpy(malloc(size ? size : 1), from, size);
		w.copy.from = w.copy.staged;
	}
	pthread_mutex_lock(&fake.lock);
	w.uses[0] = (struct fake_use){ fake_device_block(s->object.context, to, size), w.copy.to,
		size, true };
	if (!w.copy.staged)
		w.uses[1] = (struct fake_use){ fake_block(from, size, true), from, size, false };
	fake.pageable_copies += w.copy.staged != NULL;
	number = start_copy(s, &w);
	if (w.copy.staged && size > STAGED_MOST)
		error = wait_for(s, number);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

/* To pageable memory it returns when the bytes have arrived. */
unsigned cuMemcpyDtoHAsync_v2(void *to, tfr_cuda_ptr from, size_t size, struct CUstream_st *s)
{
	struct work w = { .copy = { to, on_host(from), size, DOWNWARDS } };
	unsigned error = CUDA_OK;
	uint64_t number;

	ENTER(fake_enter_object(__func__, FAKE_STREAM, s, NULL));
	pthread_mutex_lock(&fake.lock);
	w.uses[0] = (struct fake_use){ fake_device_block(s->object.context, from, size),
		w.copy.from, size, false };
	w.uses[1] = (struct fake_use){ fake_block(to, size, true), to, size, true };
	number = start_copy(s, &w);
	if (!w.uses[1].block)
		error = wait_for(s, number);
	pthread_mutex_unlock(&fake.lock);
	return error;
}
