/* device/queues.c - a thread takes the head of its queue, runs it without the lock, and unlinks it
 * afterwards: a queue without a head has no work in progress. */
#include "device/queues.h"

#include <time.h>

#include "base/clock.h"

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

int tfr_queues_open(struct tfr_queues *q)
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
			tfr_queues_close(q);
			return rc;
		}
		own->started = true;
	}
	return 0;
}

void tfr_queues_close(struct tfr_queues *q)
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

static void put(struct tfr_queues *q, struct tfr_queue *to, const struct tfr_queue *behind,
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

void tfr_queues_put(struct tfr_queues *q, unsigned which, struct tfr_queue_job *job)
{
	put(q, &q->at[which], NULL, job);
}

void tfr_queues_put_behind(
	struct tfr_queues *q, unsigned which, unsigned behind, struct tfr_queue_job *job)
{
	put(q, &q->at[which], &q->at[behind], job);
}

void tfr_queues_wait(struct tfr_queues *q, const struct tfr_queue_job *job)
{
	pthread_mutex_lock(&q->lock);
	while (job->pending)
		pthread_cond_wait(&q->done, &q->lock);
	pthread_mutex_unlock(&q->lock);
}

bool tfr_queues_done(struct tfr_queues *q, const struct tfr_queue_job *job)
{
	bool done;

	pthread_mutex_lock(&q->lock);
	done = !job->pending;
	pthread_mutex_unlock(&q->lock);
	return done;
}

bool tfr_queues_sleep(struct tfr_queues *q, const struct tfr_queue_job *job, uint64_t until_ns)
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

void tfr_queues_cut(struct tfr_queues *q, struct tfr_queue_job *job)
{
	pthread_mutex_lock(&q->lock);
	job->cut = true;
	pthread_cond_broadcast(&q->cut);
	pthread_mutex_unlock(&q->lock);
}

void tfr_queues_drain(struct tfr_queues *q, unsigned which)
{
	uint64_t all;

	pthread_mutex_lock(&q->lock);
	all = q->at[which].added;
	while (q->at[which].finished < all)
		pthread_cond_wait(&q->done, &q->lock);
	pthread_mutex_unlock(&q->lock);
}
