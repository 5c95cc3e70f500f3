/* thread/pool.c - a list of waiting jobs, oldest first, and threads that take from it.
 *
 * One lock guards everything.  A job takes about a millisecond, so there is little contention. */
#include "thread/pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "thread/threads.h"

struct tfr_pool {
	pthread_mutex_t lock;
	pthread_cond_t given; /* or the pool ends; for the pool's threads */
	pthread_cond_t done;  /* for threads that wait for a job */
	struct tfr_pool_job *first, *last;
	size_t backlog;
	unsigned threads, started, free, waiting;
	bool ends;
	struct tfr_thread crew[];
};

struct tfr_pool *tfr_pool_new(unsigned threads)
{
	unsigned n = threads ? threads : 1;
	struct tfr_pool *p = calloc(1, sizeof(*p) + n * sizeof(p->crew[0]));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->given, NULL);
	pthread_cond_init(&p->done, NULL);
	p->threads = n;
	return p;
}

void tfr_pool_free(struct tfr_pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->ends = true;
	pthread_cond_broadcast(&p->given);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->started; i++)
		tfr_thread_join(&p->crew[i]);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->given);
	pthread_cond_destroy(&p->done);
	free(p);
}

unsigned tfr_pool_threads(const struct tfr_pool *p)
{
	return p->threads;
}

/* The functions up to the public ones are called, and return, with the lock held. */
static void unlink_job(struct tfr_pool *p, struct tfr_pool_job *job)
{
	*(job->prev ? &job->prev->next : &p->first) = job->next;
	*(job->next ? &job->next->prev : &p->last) = job->prev;
	job->prev = job->next = NULL;
	p->backlog--;
}

static void run_job(struct tfr_pool *p, struct tfr_pool_job *job)
{
	unlink_job(p, job);
	job->state = TFR_JOB_RUNS;
	pthread_mutex_unlock(&p->lock);
	job->work(job);
	pthread_mutex_lock(&p->lock);
	job->state = TFR_JOB_DONE;
	if (p->waiting)
		pthread_cond_broadcast(&p->done);
}

static void thread_main(void *ctx, unsigned worker)
{
	struct tfr_pool *p = ctx;

	(void)worker;
	pthread_mutex_lock(&p->lock);
	while (!p->ends) {
		if (p->first) {
			run_job(p, p->first);
			continue;
		}
		p->free++;
		pthread_cond_wait(&p->given, &p->lock);
		p->free--;
	}
	pthread_mutex_unlock(&p->lock);
}

void tfr_pool_give(struct tfr_pool *p, struct tfr_pool_job *job)
{
	pthread_mutex_lock(&p->lock);
	job->state = TFR_JOB_WAITS;
	job->next = NULL;
	job->prev = p->last;
	*(p->last ? &p->last->next : &p->first) = job;
	p->last = job;
	p->backlog++;
	if (p->backlog <= p->free)
		pthread_cond_signal(&p->given);
	else if (p->started + 1 < p->threads &&
		 tfr_thread_start(&p->crew[p->started], thread_main, p, p->started + 1))
		p->started++;
	pthread_mutex_unlock(&p->lock);
}

static void wait_for(struct tfr_pool *p, struct tfr_pool_job *job)
{
	while (job->state == TFR_JOB_WAITS || job->state == TFR_JOB_RUNS) {
		if (job->state == TFR_JOB_WAITS) {
			run_job(p, job);
		} else if (p->first) {
			run_job(p, p->first);
		} else {
			p->waiting++;
			pthread_cond_wait(&p->done, &p->lock);
			p->waiting--;
		}
	}
}

void tfr_pool_wait(struct tfr_pool *p, struct tfr_pool_job *job)
{
	pthread_mutex_lock(&p->lock);
	wait_for(p, job);
	pthread_mutex_unlock(&p->lock);
}

bool tfr_pool_take_back(struct tfr_pool *p, struct tfr_pool_job *job)
{
	bool untouched;

	pthread_mutex_lock(&p->lock);
	if (job->state == TFR_JOB_WAITS) {
		unlink_job(p, job);
		job->state = TFR_JOB_IDLE;
	}
	wait_for(p, job);
	untouched = job->state == TFR_JOB_IDLE;
	pthread_mutex_unlock(&p->lock);
	return untouched;
}

bool tfr_pool_done(struct tfr_pool *p, const struct tfr_pool_job *job)
{
	bool done;

	pthread_mutex_lock(&p->lock);
	done = job->state == TFR_JOB_DONE;
	pthread_mutex_unlock(&p->lock);
	return done;
}

size_t tfr_pool_backlog(struct tfr_pool *p)
{
	size_t n;

	pthread_mutex_lock(&p->lock);
	n = p->backlog;
	pthread_mutex_unlock(&p->lock);
	return n;
}
