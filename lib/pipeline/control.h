/* pipeline/control.h - the lock of a running feed, its waits, and its end.
 *
 * One lock guards the queues of all parts, because a claim takes input from one part and room in
 * another at once.  Nothing blocks and no pixel moves under it; small records pass it by the
 * hundred, so that one lock serves millions of records a second.  The header of each part says
 * what the lock guards there.
 *
 * A feed ends in one of four ways: a limit, the last record, damage in a file (after everything
 * before it is delivered), or a failure (at once: tfr_feed_fail()). */
#ifndef TFR_PIPELINE_CONTROL_H
#define TFR_PIPELINE_CONTROL_H

#include <pthread.h>

#include "pipeline/settings.h"
#include "pipeline/source/feed_sample.h"

struct tfr_feed_control;

/* A thread of its own (a reader, an uploader) waits here; the end of the feed wakes all. */
struct tfr_feed_waiter {
	pthread_cond_t changed;
	struct tfr_feed_waiter *next;
};

enum tfr_status tfr_feed_control_new(struct tfr_feed_control **control,
	const struct tfr_feed_settings *set, struct tfr_error *err);
void tfr_feed_control_free(struct tfr_feed_control *c); /* accepts NULL */

void tfr_feed_lock(struct tfr_feed_control *c);
void tfr_feed_unlock(struct tfr_feed_control *c);

/* ---- without the lock ---- */

/* Ends every wait, now and later. */
void tfr_feed_stop(struct tfr_feed_control *c);
/* A record that cannot be used is left out and reported (skip_bad), or ends the feed. */
void tfr_feed_bad_record(
	struct tfr_feed_control *c, const struct tfr_feed_sample *s, struct tfr_error *err);

/* ---- with the lock ---- */

/* A waiter stays registered until the control is freed. */
void tfr_feed_add_waiter(struct tfr_feed_control *c, struct tfr_feed_waiter *w);
void tfr_feed_wait(struct tfr_feed_control *c, struct tfr_feed_waiter *w);
static inline void tfr_feed_wake(struct tfr_feed_waiter *w)
{
	pthread_cond_signal(&w->changed);
}
/* Workers wait for a sample, for room in a batch, or for an end. */
void tfr_feed_wait_for_work(struct tfr_feed_control *c);
void tfr_feed_wake_workers(struct tfr_feed_control *c);
/* The consumer waits for a batch, or for the news that none will come; at most until `ns`. */
void tfr_feed_consumer_wait(struct tfr_feed_control *c, uint64_t ns);
void tfr_feed_wake_consumer(struct tfr_feed_control *c);

/* Counts the moves of anything through the feed: a feed without a move is stalled.  Waking the
 * workers counts as one. */
void tfr_feed_note_move(struct tfr_feed_control *c);
uint64_t tfr_feed_moves(const struct tfr_feed_control *c);

bool tfr_feed_stopping(const struct tfr_feed_control *c);
/* Ends the feed at once. Only the first failure is reported. */
void tfr_feed_fail(struct tfr_feed_control *c, enum tfr_status status, const struct tfr_error *err);
/* TFR_OK: it has not failed. */
enum tfr_status tfr_feed_failure(const struct tfr_feed_control *c, struct tfr_error *err);
uint64_t tfr_feed_skipped(const struct tfr_feed_control *c); /* records */

#endif
