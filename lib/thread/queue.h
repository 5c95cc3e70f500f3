/* thread/queue.h - a first-in first-out queue of pointers, bounded in bytes, that either end can
 * finish.
 *
 * The producer finishes it with tfr_queue_end(): consumers drain what is there, then see the end.
 * A consumer finishes it with tfr_queue_stop(): producers see that at their next push and stop.
 * That makes shutdown simple from both sides. */
#ifndef TFR_THREAD_QUEUE_H
#define TFR_THREAD_QUEUE_H

#include "base/error.h"

struct tfr_queue;

/* `limit` bounds the summed `bytes` of what waits; one item alone may exceed it. */
enum tfr_status tfr_queue_new(struct tfr_queue **q, uint64_t limit, struct tfr_error *err);
/* Items still inside stay the caller's: stop and drain first if they own something. */
void tfr_queue_free(struct tfr_queue *q);
/* Waits for room.  False: the queue was stopped or ended, or memory ran out; the item stays the
 * caller's. */
bool tfr_queue_push(struct tfr_queue *q, void *item, uint64_t bytes);
/* Waits for an item.  NULL: ended and empty, or stopped. */
void *tfr_queue_pop(struct tfr_queue *q);
void tfr_queue_end(struct tfr_queue *q);
void tfr_queue_stop(struct tfr_queue *q);
/* After a stop: what is left, one at a time, without waiting; NULL when empty. */
void *tfr_queue_drain(struct tfr_queue *q);

#endif
