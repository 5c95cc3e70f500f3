/* pipeline/control.h - the lock of a running feed, its waits, and its end.
 *
 * One lock guards the queues of the source, the flow and the transfer, because a claim takes input
 * from one of them and room in another at once.  Nothing blocks and no pixel moves under it; small
 * records pass it by the hundred, so that one lock serves millions of records a second.  The header
 * of each says what the lock guards there.
 *
 * A feed ends in one of four ways: a limit, the last record, damage in a file (after everything
 * before it is delivered), or a failure (at once: tfr_control_fail()). */
#ifndef TFR_PIPELINE_CONTROL_H
#define TFR_PIPELINE_CONTROL_H

#include <errno.h>
#include <pthread.h>

#include "pipeline/settings.h"
#include "pipeline/source/sample.h"
#include "sweep/fault_policy.h"

/* A thread of its own (a reader, an uploader) waits here; the end of the feed wakes all. */
struct tfr_waiter {
	pthread_cond_t changed;
	struct tfr_waiter *next;
};

struct tfr_control {
	pthread_mutex_t lock;
	pthread_cond_t work;	 /* workers wait for it */
	pthread_cond_t arrivals; /* the consumer waits for a batch, or for the news of an end */
	struct tfr_waiter *waiters;
	unsigned idle_workers;
	bool stopping;		/* every wait ends, now and later */
	enum tfr_status failed; /* and the first failure */
	struct tfr_error failure;
	/* Counts the moves of anything through the feed: a feed without a move is stalled.  Waking
	 * the workers counts as one. */
	uint64_t moves;
	const struct tfr_set *files;
	struct tfr_fault_policy faults; /* records that cannot be used */
};

void tfr_control_init(struct tfr_control *c, const struct tfr_pipeline_opts *opts);
void tfr_control_clear(struct tfr_control *c);

/* ---- without the lock ---- */

/* Adds to an error that nothing moved for so long.  Returns TFR_ESYS. */
static inline enum tfr_status tfr_control_timed_out(struct tfr_error *err)
{
	if (err)
		err->sys_errno = ETIMEDOUT;
	return TFR_ESYS;
}

/* Nothing moved for so long: stage `row` waits, for `path` if it is not NULL.  Returns TFR_ESYS. */
enum tfr_status tfr_control_stalled(
	const struct tfr_settings *settings, unsigned row, const char *path, struct tfr_error *err);

void tfr_control_stop(struct tfr_control *c);
/* A record that cannot be used is left out and reported (skip_bad), or ends the feed. */
void tfr_control_bad_record(
	struct tfr_control *c, const struct tfr_pipeline_sample *s, struct tfr_error *err);

/* ---- with the lock ---- */

/* A waiter stays registered until the control is cleared. */
void tfr_control_add_waiter(struct tfr_control *c, struct tfr_waiter *w);
/* Workers wait for a sample, for room in a batch, or for an end. */
void tfr_control_wait_for_work(struct tfr_control *c);
void tfr_control_wake_workers(struct tfr_control *c);
/* For work that one worker takes: the others would find nothing. */
void tfr_control_wake_worker(struct tfr_control *c);
/* At most until `ns`. */
void tfr_control_consumer_wait(struct tfr_control *c, uint64_t ns);
/* Ends the feed at once.  Only the first failure is reported. */
void tfr_control_fail(struct tfr_control *c, enum tfr_status status, const struct tfr_error *err);

#endif
