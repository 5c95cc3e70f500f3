/* A stand-in for the CUDA runtime: a stream is a thread that carries out what is put on it in
 * order, so copies are as asynchronous as the real ones, at a set bandwidth, and any call can be
 * made to fail.
 *
 * It is stricter than the real one: a copy to memory that cudaMalloc did not give is an error, and
 * so is a call from a thread that never chose a device.  A copy from memory that cudaHostAlloc did
 * not give is counted; as with the real one, the call reads that memory before it returns. */
#include "cudart.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_runtime_api.h"

struct cudart_setup cudart = { .driver = 13000, .devices = 1, .error = cudaErrorLaunchFailure };

struct block {
	struct block *next;
	void *memory;
	size_t size;
	bool pinned;
};

struct CUevent_st {
	double at;   /* seconds */
	int pending; /* records of it not yet reached */
	cudaError_t error;
};

struct op {
	struct op *next;
	cudaEvent_t event; /* NULL: a copy */
	void *to;
	const void *from;
	size_t size;
	void *staged; /* what pageable memory held, or NULL */
};

struct CUstream_st {
	pthread_t thread;
	struct op *head, *tail;
	cudaError_t error; /* once failed, always failed */
	bool closing;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static struct block *blocks;
static int objects, calls, copies, most_copies, pageable_copies;
static __thread int current = -1;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Whether the call of this name is to fail now. */
static cudaError_t injected(const char *call)
{
	cudaError_t error = cudaSuccess;

	pthread_mutex_lock(&lock);
	if (cudart.fails && strcmp(cudart.fails, call) == 0 && calls++ >= cudart.after)
		error = (cudaError_t)cudart.error;
	pthread_mutex_unlock(&lock);
	return error;
}

#define INJECT()                                                                                   \
	do {                                                                                       \
		cudaError_t injected_ = injected(__func__);                                        \
		if (injected_ != cudaSuccess)                                                      \
			return injected_;                                                          \
		if (current < 0)                                                                   \
			return cudaErrorInvalidDevice;                                             \
	} while (0)

static bool holds(const void *memory, size_t size, bool pinned)
{
	for (struct block *b = blocks; b; b = b->next)
		if (b->pinned == pinned && (const char *)memory >= (char *)b->memory &&
			(const char *)memory + size <= (char *)b->memory + b->size)
			return true;
	return false;
}

bool cudart_all_freed(void)
{
	bool freed;

	pthread_mutex_lock(&lock);
	freed = !blocks && !objects;
	pthread_mutex_unlock(&lock);
	return freed;
}

int cudart_most_in_flight(void)
{
	int most;

	pthread_mutex_lock(&lock);
	most = most_copies;
	most_copies = 0;
	pthread_mutex_unlock(&lock);
	return most;
}

int cudart_pageable_copies(void)
{
	int n;

	pthread_mutex_lock(&lock);
	n = pageable_copies;
	pageable_copies = 0;
	pthread_mutex_unlock(&lock);
	return n;
}

const char *cudaGetErrorString(cudaError_t error)
{
	switch (error) {
	case cudaErrorMemoryAllocation:
		return "out of memory";
	case cudaErrorInvalidDevice:
		return "invalid device ordinal";
	case cudaErrorLaunchFailure:
		return "unspecified launch failure";
	default:
		return "some error";
	}
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = cudart.driver;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = 13000;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
	*count = cudart.devices;
	calls = 0;
	if (cudart.driver < 13000)
		return cudaErrorInsufficientDriver;
	return cudart.devices ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	(void)device;
	snprintf(prop->name, sizeof(prop->name), "Stand-in");
	prop->totalGlobalMem = (size_t)8 << 30;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	if (device >= cudart.devices)
		return cudaErrorInvalidDevice;
	current = device;
	return injected(__func__);
}

static cudaError_t allocate(void **memory, size_t size, bool pinned)
{
	struct block *b = malloc(sizeof(*b));

	*b = (struct block){ .memory = aligned_alloc(4096, (size + 4095) / 4096 * 4096),
		.size = size,
		.pinned = pinned };
	*memory = b->memory;
	pthread_mutex_lock(&lock);
	b->next = blocks;
	blocks = b;
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}

static cudaError_t release(void *memory, bool pinned)
{
	cudaError_t error = cudaErrorInvalidDevice;

	pthread_mutex_lock(&lock);
	while (copies) /* the real one waits for the device too */
		pthread_cond_wait(&change, &lock);
	for (struct block **p = &blocks; *p; p = &(*p)->next)
		if ((*p)->memory == memory && (*p)->pinned == pinned) {
			struct block *b = *p;

			*p = b->next;
			free(b->memory);
			free(b);
			error = cudaSuccess;
			break;
		}
	pthread_mutex_unlock(&lock);
	return error;
}

cudaError_t cudaHostAlloc(void **memory, size_t size, unsigned flags)
{
	(void)flags;
	INJECT();
	return allocate(memory, size, true);
}

cudaError_t cudaFreeHost(void *memory)
{
	return release(memory, true);
}

cudaError_t cudaMalloc(void **memory, size_t size)
{
	INJECT();
	return allocate(memory, size, false);
}

cudaError_t cudaFree(void *memory)
{
	return release(memory, false);
}

static void carry_out(const struct op *op)
{
	double start = now();

	memcpy(op->to, op->from, op->size);
	if (cudart.bandwidth > 0) {
		double left = start + (double)op->size / cudart.bandwidth - now();
		struct timespec ts = { .tv_sec = (time_t)left,
			.tv_nsec = (long)((left - (double)(time_t)left) * 1e9) };

		if (left > 0)
			while (nanosleep(&ts, &ts) && errno == EINTR)
				;
	}
}

static void *stream_main(void *arg)
{
	cudaStream_t s = arg;

	pthread_mutex_lock(&lock);
	while (s->head || !s->closing) {
		struct op *op = s->head;
		bool fails;

		if (!op) {
			pthread_cond_wait(&change, &lock);
			continue;
		}
		if (op->event) {
			op->event->at = now();
			op->event->error = s->error;
			op->event->pending--;
		} else {
			pthread_mutex_unlock(&lock);
			carry_out(op);
			fails = injected("copy") != cudaSuccess;
			pthread_mutex_lock(&lock);
			copies--;
			if (fails)
				s->error = (cudaError_t)cudart.error;
		}
		s->head = op->next;
		if (!s->head)
			s->tail = NULL;
		free(op->staged);
		free(op);
		pthread_cond_broadcast(&change);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Called with the lock held. */
static void append(cudaStream_t s, struct op op)
{
	struct op *copy = malloc(sizeof(*copy));

	*copy = op;
	if (s->tail)
		s->tail->next = copy;
	else
		s->head = copy;
	s->tail = copy;
	pthread_cond_broadcast(&change);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
	cudaStream_t s;

	(void)flags;
	INJECT();
	s = calloc(1, sizeof(*s));
	pthread_mutex_lock(&lock);
	objects++;
	pthread_mutex_unlock(&lock);
	pthread_create(&s->thread, NULL, stream_main, s);
	*stream = s;
	return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
	cudaError_t error;

	INJECT();
	pthread_mutex_lock(&lock);
	while (s->head)
		pthread_cond_wait(&change, &lock);
	error = s->error;
	pthread_mutex_unlock(&lock);
	return error;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	pthread_mutex_lock(&lock);
	s->closing = true;
	objects--;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&lock);
	pthread_join(s->thread, NULL);
	free(s);
	return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
	(void)flags;
	INJECT();
	*event = calloc(1, sizeof(**event));
	pthread_mutex_lock(&lock);
	objects++;
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	INJECT();
	pthread_mutex_lock(&lock);
	event->pending++;
	append(stream, (struct op){ .event = event });
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	cudaError_t error;

	INJECT();
	pthread_mutex_lock(&lock);
	error = event->pending ? cudaErrorNotReady : event->error;
	pthread_mutex_unlock(&lock);
	return error;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	cudaError_t error;

	INJECT();
	pthread_mutex_lock(&lock);
	while (event->pending)
		pthread_cond_wait(&change, &lock);
	error = event->error;
	pthread_mutex_unlock(&lock);
	return error;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	INJECT();
	pthread_mutex_lock(&lock);
	*ms = (float)((end->at - start->at) * 1e3);
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	pthread_mutex_lock(&lock);
	while (event->pending)
		pthread_cond_wait(&change, &lock);
	objects--;
	pthread_mutex_unlock(&lock);
	free(event);
	return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(
	void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	bool up = kind == cudaMemcpyHostToDevice;
	cudaError_t error = cudaSuccess;
	void *staged = NULL;

	INJECT();
	pthread_mutex_lock(&lock);
	if (up && !holds(from, size, true)) {
		pageable_copies++;
		staged = memcpy(malloc(size), from, size);
		from = staged;
	}
	if (!holds(up ? to : from, size, false)) {
		error = cudaErrorLaunchFailure;
		free(staged);
	} else {
		if (++copies > most_copies)
			most_copies = copies;
		append(stream,
			(struct op){ .to = to, .from = from, .size = size, .staged = staged });
	}
	pthread_mutex_unlock(&lock);
	return error;
}
