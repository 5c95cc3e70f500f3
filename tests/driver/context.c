/* context.c - the devices' contexts, each thread's stack of them, and the checks that a call makes
 * before it does anything. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

enum { DEPTH = 32 };

static __thread struct {
	struct CUctx_st *at[DEPTH];
	unsigned depth;
} stack;

static struct CUctx_st *current(void)
{
	return stack.depth ? stack.at[stack.depth - 1] : NULL;
}

EXPORT struct CUctx_st *fake_cuda_current(unsigned *depth)
{
	if (depth)
		*depth = stack.depth;
	return current();
}

/* A child of fork() has the memory of a process that called cuInit, and no driver. */
static bool is_initialised(void)
{
	return fake.process == getpid();
}

unsigned fake_enter(const char *call, int device)
{
	return is_initialised() ? fake_injected(call, device) : CUDA_NOT_INITIALIZED;
}

static bool is_retained(const struct CUctx_st *c)
{
	bool retained;

	pthread_mutex_lock(&fake.lock);
	retained = c->references > 0;
	pthread_mutex_unlock(&fake.lock);
	return retained;
}

static unsigned error_of(const struct CUctx_st *c)
{
	unsigned error;

	pthread_mutex_lock(&fake.lock);
	error = c->error;
	pthread_mutex_unlock(&fake.lock);
	return error;
}

unsigned fake_enter_context(const char *call, struct CUctx_st **c)
{
	unsigned error;

	*c = NULL;
	if (!is_initialised())
		return CUDA_NOT_INITIALIZED;
	if (!current())
		return INVALID_CONTEXT;
	if (!is_retained(current()))
		return CONTEXT_DESTROYED;
	*c = current();
	error = error_of(*c);
	return error ? error : fake_injected(call, (*c)->device);
}

unsigned fake_enter_object(const char *call, enum fake_kind kind, const void *object, bool *usable)
{
	const struct fake_object *o = object;
	struct CUctx_st *c;
	unsigned error = fake_enter_context(call, &c);

	if (usable)
		*usable = false;
	if (!c)
		return error;
	if (!object)
		return CUDA_INVALID_HANDLE;
	pthread_mutex_lock(&fake.lock);
	fake_must_exist(call, kind, object);
	if (o->context != c)
		error = CUDA_INVALID_HANDLE;
	else if (usable)
		*usable = true;
	pthread_mutex_unlock(&fake.lock);
	return error;
}

void fake_must_exist(const char *call, enum fake_kind kind, const void *object)
{
	static const char *const names[FAKE_KINDS] = { "stream", "event", "block", "module",
		"function" };

	for (struct fake_object *o = fake.objects; o; o = o->next)
		if (o == object && o->kind == kind)
			return;
	fake_abort("%s: no such %s, or it was destroyed", call, names[kind]);
}

void fake_add(struct fake_object *object, enum fake_kind kind, struct CUctx_st *context)
{
	*object = (struct fake_object){ fake.objects, kind, context };
	fake.objects = object;
}

void fake_remove(struct fake_object *object)
{
	struct fake_object **p = &fake.objects;

	while (*p != object)
		p = &(*p)->next;
	*p = object->next;
}

bool fake_drain(struct CUctx_st *c)
{
	bool worked = c->working > 0;

	while (c->working > 0)
		pthread_cond_wait(&fake.change, &fake.lock);
	return worked;
}

/* The first object of a context whose kind is at most `last`. */
static struct fake_object *first_of(const struct CUctx_st *c, enum fake_kind last)
{
	for (struct fake_object *o = fake.objects; o; o = o->next)
		if (o->context == c && o->kind <= last)
			return o;
	return NULL;
}

void fake_context_clear(struct CUctx_st *c)
{
	struct fake_object *o;

	fake_drain(c);
	while ((o = first_of(c, FAKE_MODULE))) {
		fake.leaked++;
		if (o->kind == FAKE_STREAM)
			fake_stream_destroy((struct CUstream_st *)o);
		else if (o->kind == FAKE_EVENT)
			fake_event_destroy((struct CUevent_st *)o);
		else if (o->kind == FAKE_BLOCK)
			fake_block_free((struct fake_block *)o);
		else
			fake_module_free((struct CUmod_st *)o);
	}
	while (c->threads > 0)
		pthread_cond_wait(&fake.change, &fake.lock);
	c->error = 0;
	memset(c->free_ns, 0, sizeof(c->free_ns));
}

unsigned cuDevicePrimaryCtxRetain(struct CUctx_st **context, int device)
{
	ENTER(fake_enter(__func__, device));
	if (!context)
		return CUDA_INVALID_VALUE;
	if (device < 0 || device >= fake.count)
		return CUDA_INVALID_DEVICE;
	pthread_mutex_lock(&fake.lock);
	*context = &fake.contexts[device];
	(*context)->device = device;
	(*context)->references++;
	pthread_mutex_unlock(&fake.lock);
	return CUDA_OK;
}

unsigned cuDevicePrimaryCtxRelease_v2(int device)
{
	unsigned error = fake_enter(__func__, device);

	if (!is_initialised())
		return error;
	if (device < 0 || device >= fake.count)
		return CUDA_INVALID_DEVICE;
	pthread_mutex_lock(&fake.lock);
	if (fake.contexts[device].references == 0)
		error = INVALID_CONTEXT;
	else if (--fake.contexts[device].references == 0)
		fake_context_clear(&fake.contexts[device]);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

EXPORT unsigned cuDevicePrimaryCtxRelease(int device);

unsigned cuDevicePrimaryCtxRelease(int device)
{
	return cuDevicePrimaryCtxRelease_v2(device);
}

static bool is_context(const struct CUctx_st *c)
{
	return c >= fake.contexts && c < fake.contexts + FAKE_CUDA_DEVICES;
}

unsigned cuCtxPushCurrent_v2(struct CUctx_st *c)
{
	if (!is_initialised())
		return CUDA_NOT_INITIALIZED;
	if (!is_context(c) || !is_retained(c))
		return INVALID_CONTEXT;
	ENTER(fake_injected(__func__, c->device));
	if (stack.depth == DEPTH)
		fake_abort("%s: this thread has pushed %d contexts", __func__, DEPTH);
	stack.at[stack.depth++] = c;
	pthread_mutex_lock(&fake.lock);
	fake.pushed++;
	pthread_mutex_unlock(&fake.lock);
	return CUDA_OK;
}

/* Like every call that frees something, it does so even if it is set up to fail. */
unsigned cuCtxPopCurrent_v2(struct CUctx_st **c)
{
	unsigned error;

	if (!is_initialised())
		return CUDA_NOT_INITIALIZED;
	if (stack.depth == 0)
		return INVALID_CONTEXT;
	error = fake_injected(__func__, current()->device);
	stack.depth--;
	if (c)
		*c = stack.at[stack.depth];
	pthread_mutex_lock(&fake.lock);
	fake.pushed--;
	pthread_mutex_unlock(&fake.lock);
	return error;
}
