/* thread/threads.h - how many processors there are, and a crew of threads that run one function
 * together. */
#ifndef TFR_THREAD_THREADS_H
#define TFR_THREAD_THREADS_H

#include <pthread.h>
#include <sched.h>

#include "base/error.h"

/* The processors this process may run on (its affinity mask, so that taskset is obeyed); at
 * least 1. */
unsigned tfr_cpu_count(void);

/* `wanted` threads as a user asks for them: 0 means one a processor. */
unsigned tfr_thread_count(unsigned wanted);

/* How many of `threads` each of `items` gets that are worked on at once; at least 1. */
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
/* False: the system refuses. */
bool tfr_thread_start(
	struct tfr_thread *t, void (*fn)(void *ctx, unsigned worker), void *ctx, unsigned worker);
void tfr_thread_join(struct tfr_thread *t); /* accepts one that was not started */

/* Runs fn(ctx, 0) … fn(ctx, n - 1) on n threads, one of them the caller's, and returns when all
 * have ended.  When the system refuses a thread the others do its work only if `fn` shares work
 * between its callers, as all of ours do: a refusal is an error only when not even one could start,
 * which cannot happen since the caller's own always runs. */
void tfr_threads_run(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx);

#endif
