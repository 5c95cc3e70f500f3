/* device/queues.h - threads that run jobs in order, one thread per queue.  A job may have to wait
 * for the jobs that were added to another queue before it.
 *
 * A job is embedded in the object that it works on and is itself the link of its queue, so adding
 * one never fails.  One lock guards all queues of a device and their jobs; jobs run without it. */
#ifndef TFR_DEVICE_QUEUES_H
#define TFR_DEVICE_QUEUES_H

#include <pthread.h>

#include "base/error.h"

enum { QUEUES = 3 };

struct tfr_queue_job {
	struct tfr_queue_job *next;
	void (*run)(struct tfr_queue_job *job); /* on the queue's thread */
	uint64_t asked_ns;			/* when it was added */
	bool pending;				/* added and not yet done */
	bool cut;				/* it must not sleep any more */
	const struct tfr_queue *behind;		/* the queue that it waits for; NULL: none */
	uint64_t ahead;				/* until so many jobs of it are done */
};

struct tfr_queue {
	struct tfr_queues *all;
	pthread_t thread;
	pthread_cond_t work;
	struct tfr_queue_job *head, *tail; /* the head runs */
	uint64_t added, finished;	   /* jobs so far */
	bool started;
};

struct tfr_queues {
	pthread_mutex_t lock;
	pthread_cond_t done;
	pthread_cond_t cut; /* a job was cut short; by CLOCK_MONOTONIC */
	bool closing;
	struct tfr_queue at[QUEUES];
};

/* 0, or the errno of a failure to start a thread. */
int tfr_queues_open(struct tfr_queues *q);
/* Runs the remaining jobs, then ends the threads. */
void tfr_queues_close(struct tfr_queues *q);

void tfr_queues_put(struct tfr_queues *q, unsigned which, struct tfr_queue_job *job);
/* The job runs after those that are in queue `behind` now, too. */
void tfr_queues_put_behind(
	struct tfr_queues *q, unsigned which, unsigned behind, struct tfr_queue_job *job);
/* Returns at once for a job that was never added. */
void tfr_queues_wait(struct tfr_queues *q, const struct tfr_queue_job *job);
bool tfr_queues_done(struct tfr_queues *q, const struct tfr_queue_job *job);
/* For a running job: sleeps until this time of CLOCK_MONOTONIC in nanoseconds.  False: it was cut
 * short. */
bool tfr_queues_sleep(struct tfr_queues *q, const struct tfr_queue_job *job, uint64_t until_ns);
/* Ends the sleep of an added job, now or when it runs. */
void tfr_queues_cut(struct tfr_queues *q, struct tfr_queue_job *job);
/* Waits for the jobs that are in the queue now. */
void tfr_queues_drain(struct tfr_queues *q, unsigned which);

#endif
