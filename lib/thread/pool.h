/* thread/pool.h - jobs given one by one, done by a few threads in any order, waited for in the
 * order the giver likes.
 *
 * The pool knows nothing of the jobs.  Who waits for a job works meanwhile: it does that job itself
 * where nobody has begun it, else another one.  So `threads` threads are busy and not one more, a
 * pool of one thread has none of its own, and where the system refuses threads all is done by those
 * who wait.  Threads are started as jobs come that nobody is free for.  Any thread may give a job
 * and wait for it; one pool can serve many givers. */
#ifndef TFR_THREAD_POOL_H
#define TFR_THREAD_POOL_H

#include "base/error.h"

struct tfr_pool;

/* Embedded in what the work is on.  Zero-initialised, with `work`, is a job not given. */
struct tfr_job {
	void (*work)(struct tfr_job *job);
	struct tfr_job *prev, *next; /* of those that wait */
	enum { TFR_JOB_IDLE, TFR_JOB_WAITS, TFR_JOB_RUNS, TFR_JOB_DONE } state;
};

/* `threads`: the caller's is one of them.  NULL: out of memory. */
struct tfr_pool *tfr_pool_new(unsigned threads);
/* Only when no job waits or runs.  Accepts NULL. */
void tfr_pool_free(struct tfr_pool *p);
unsigned tfr_pool_threads(const struct tfr_pool *p);

/* `job` must not wait or run already, and must stay where it is until it was waited for. */
void tfr_pool_give(struct tfr_pool *p, struct tfr_job *job);
/* Returns when the job is done; at once when it was never given. */
void tfr_pool_wait(struct tfr_pool *p, struct tfr_job *job);
/* Takes back a job that nobody has begun, else waits for it.  False: it was done. */
bool tfr_pool_take_back(struct tfr_pool *p, struct tfr_job *job);
bool tfr_pool_done(struct tfr_pool *p, const struct tfr_job *job);
/* Jobs that nobody has begun. */
size_t tfr_pool_backlog(struct tfr_pool *p);

#endif
