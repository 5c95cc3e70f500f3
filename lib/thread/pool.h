/* thread/pool.h - a pool of threads that runs jobs in any order; the caller waits for each job.
 *
 * The pool knows nothing about the jobs.  A thread waiting for a job runs other jobs: that job
 * itself if no thread has begun it, otherwise another one.  So exactly `threads` threads are busy,
 * a pool of one thread has none of its own, and if the system refuses threads, the waiting ones do
 * all the work.  Threads are started when a job comes and none is free.  Any thread may add a job
 * and wait for it, and several may share a pool. */
#ifndef TFR_THREAD_POOL_H
#define TFR_THREAD_POOL_H

#include "base/error.h"

struct tfr_pool;

/* Embedded in the object to work on.  Zero-initialised except for `work` is a job not yet given. */
struct tfr_pool_job {
	void (*work)(struct tfr_pool_job *job);
	struct tfr_pool_job *prev, *next; /* of the waiting jobs */
	enum { TFR_JOB_IDLE, TFR_JOB_WAITS, TFR_JOB_RUNS, TFR_JOB_DONE } state;
};

/* `threads` include the caller's.  NULL: out of memory. */
struct tfr_pool *tfr_pool_new(unsigned threads);
/* No job may wait or run.  Accepts NULL. */
void tfr_pool_free(struct tfr_pool *p);
unsigned tfr_pool_threads(const struct tfr_pool *p);

/* `job` must not wait or run already, and must not move until tfr_pool_wait() returns. */
void tfr_pool_give(struct tfr_pool *p, struct tfr_pool_job *job);
/* Returns when the job is done, or at once if it was never given. */
void tfr_pool_wait(struct tfr_pool *p, struct tfr_pool_job *job);
/* Takes back a job that no thread has begun, otherwise waits for it.  False: it was run. */
bool tfr_pool_take_back(struct tfr_pool *p, struct tfr_pool_job *job);
bool tfr_pool_done(struct tfr_pool *p, const struct tfr_pool_job *job);
/* The number of jobs that no thread has begun. */
size_t tfr_pool_backlog(struct tfr_pool *p);

#endif
