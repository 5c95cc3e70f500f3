/* thread/threads.h - the number of processors, threads, and functions that run on several threads.
 */
#ifndef TFR_THREAD_THREADS_H
#define TFR_THREAD_THREADS_H

#include <pthread.h>
#include <sched.h>

#include "base/error.h"

/* The number of processors in this process's affinity mask (see taskset(1)), at least 1. */
unsigned tfr_cpu_count(void);

/* Resolves a user's number of threads: 0 means one per processor. */
unsigned tfr_thread_count(unsigned wanted);

/* The share of `threads` for each of `items` that are worked on concurrently; at least 1. */
unsigned tfr_thread_share(unsigned threads, uint64_t items);

/* A thread that runs fn(ctx, worker).  It is started on the processor `worker` places after the
 * caller's.  Zero-initialised is not started; the struct must stay where it is until it is joined.
 */
struct tfr_thread {
	pthread_t thread;
	bool started, allowed_known;
	cpu_set_t allowed;
	void (*fn)(void *ctx, unsigned worker);
	void *ctx;
	unsigned worker;
};
/* False: the system refuses another thread. */
bool tfr_thread_start(
	struct tfr_thread *t, void (*fn)(void *ctx, unsigned worker), void *ctx, unsigned worker);
void tfr_thread_join(struct tfr_thread *t); /* accepts one that was not started */

/* Runs fn(ctx, 0) … fn(ctx, n - 1) on n threads, including the caller's, and returns when all have
 * ended.  `fn` must share its work between its callers: if the system refuses a thread, the others
 * do its work.  The caller's own always runs, so this cannot fail. */
void tfr_threads_run(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx);

#endif
