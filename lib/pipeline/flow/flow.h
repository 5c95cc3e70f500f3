/* pipeline/flow/flow.h - the list compiled into nodes, the queues between them, and the workers
 * that run them.
 *
 * A node stands for neighbouring stages that are done together: the work of a worker on a few
 * samples at a time (parse and filter; decode and the images after it), or work that only one
 * worker at a time may do because it depends on the samples before (shuffle, cache, prefetch).
 * The last node takes images to their places, or records to their batch, or drops its input.
 *
 * The feed's lock guards the nodes and their queues.  A claim gives a slot of a node, or a place
 * in a batch, to one worker, who works on it without the lock until the job ends. */
#ifndef TFR_PIPELINE_FLOW_H
#define TFR_PIPELINE_FLOW_H

#include "pipeline/control.h"
#include "pipeline/transfer/transfer.h"

struct tfr_first_records;
struct tfr_flow;

/* ---- from start to end: without the lock ---- */

/* Compiles the list, and describes the images of a batch to the transfer. */
enum tfr_status tfr_flow_new(struct tfr_flow **flow, const struct tfr_pipeline_context *feed,
	struct tfr_transfer *transfer, struct tfr_error *err);
/* Sets how many samples a job takes and how many jobs may wait, by the size of samples, and
 * fills in the plan's shuffle, cache, queues and scratch memory. */
void tfr_flow_plan(
	struct tfr_flow *flow, const struct tfr_first_records *f, struct tfr_pipeline_plan *plan);
/* Gives memory that is left over to the shuffle buffers, or to the cache. */
void tfr_flow_share_room(struct tfr_flow *flow, const struct tfr_first_records *f, uint64_t room);
/* Images that the last node makes of one. */
uint32_t tfr_flow_copies(const struct tfr_flow *flow);
/* Starts the workers. */
enum tfr_status tfr_flow_start(struct tfr_flow *flow, struct tfr_error *err);
/* Joins them, once the feed is stopping. */
void tfr_flow_stop(struct tfr_flow *flow);
/* Reports the names in `where` that no record had, once the workers have ended. */
void tfr_flow_warn(struct tfr_flow *flow);
void tfr_flow_free(struct tfr_flow *flow); /* accepts NULL */

/* ---- with the lock ---- */

uint64_t tfr_flow_epochs(const struct tfr_flow *flow); /* that left the last node */
/* The last stage that nothing comes to. */
unsigned tfr_flow_waiting_row(const struct tfr_flow *flow);
/* The queues of the nodes, and the least that a full shuffle buffer held. */
void tfr_flow_report(const struct tfr_flow *flow, struct tfr_pipeline_stats *stats);

#endif
