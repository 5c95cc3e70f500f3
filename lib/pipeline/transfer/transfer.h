/* pipeline/transfer/transfer.h - batches: assembled in staging memory, sent to devices, handed out.
 *
 * Batches are numbered as they are begun; batch n travels in transfer n / K (K steps per transfer),
 * to device t % count, through that device's staging buffers in turn.  So what reaches which device
 * does not depend on which worker finishes first.  A batch whose places are all done and that needs
 * more (a gap closed, features parsed, records copied) waits for a worker to complete it.
 *
 * The feed's lock guards the transfer.  What it hands to one thread is that thread's until it comes
 * back: a place, a batch to be completed, a buffer while it is uploaded. */
#ifndef TFR_PIPELINE_TRANSFER_H
#define TFR_PIPELINE_TRANSFER_H

#include "pipeline/images/recipe.h"
#include "pipeline/report/statistics.h"
#include "pipeline/settings.h"
#include "pipeline/source/sample.h"

struct tfr_transfer;
struct tfr_staged_batch;

/* ---- from start to end: without the lock ---- */

enum tfr_status tfr_transfer_new(struct tfr_transfer **transfer,
	const struct tfr_pipeline_context *feed, struct tfr_error *err);
/* Describes the images of a batch, or its audio; `mask` may be NULL. */
void tfr_transfer_set_images(struct tfr_transfer *tr, const struct tfr_image_form *image,
	const struct tfr_image_form *mask, bool audio);
/* Lays out a batch whose payloads or features take `records_bytes` (0: it has none), and fills
 * in the size of a batch, of a transfer and of audio clips. */
void tfr_transfer_plan(
	struct tfr_transfer *tr, uint64_t records_bytes, struct tfr_pipeline_plan *plan);
/* What so many buffers take for one device; `held`: of the records of a batch, until it is
 * complete. */
uint64_t tfr_transfer_bytes(const struct tfr_transfer *tr, unsigned staging, unsigned device,
	bool device_counted, uint64_t held);
/* Allocates the buffers of the plan, and starts a thread for each device; in traces they are
 * numbered from `first_thread`. */
enum tfr_status tfr_transfer_start(
	struct tfr_transfer *tr, unsigned first_thread, struct tfr_error *err);
/* The feed ends: no upload under way is waited for longer than it really takes. */
void tfr_transfer_cut_short(struct tfr_transfer *tr);
/* Joins the threads, once the feed is stopping and its workers have ended. */
void tfr_transfer_stop(struct tfr_transfer *tr);
void tfr_transfer_free(struct tfr_transfer *tr); /* accepts NULL */

/* ---- assembling: with the lock ---- */

/* Whether a batch is open or can be, and `ahead` more after it. */
bool tfr_transfer_room(const struct tfr_transfer *tr, unsigned ahead);
/* Opens the next batch, unless one is open.  There must be room. */
void tfr_transfer_open_batch(struct tfr_transfer *tr);

/* A place in a batch. */
struct tfr_batch_place {
	struct tfr_staged_batch *batch;
	uint32_t at;
};

/* The next place, of a batch that holds records of `epoch`.  There must be room. */
struct tfr_batch_place tfr_transfer_next_place(struct tfr_transfer *tr, uint64_t epoch);
/* Where the image of a place goes, or its mask; without the lock. */
uint8_t *tfr_transfer_place_memory(
	const struct tfr_transfer *tr, struct tfr_batch_place place, bool mask);
/* Bytes of an image and its mask. */
uint64_t tfr_transfer_image_bytes(const struct tfr_transfer *tr);
/* The image is there, or failed (`good` false).  `record`, with features: the sample whose record
 * it was made of, which the batch takes over; NULL for all copies but the first. */
void tfr_transfer_place_done(struct tfr_transfer *tr, struct tfr_batch_place place,
	struct tfr_pipeline_sample *record, bool good, uint64_t bytes);

/* Where the next samples of a batch of records go; NULL: no batch is open. */
struct tfr_pipeline_sample **tfr_transfer_sample_room(const struct tfr_transfer *tr);
/* Adds samples to the open batch, which takes them over; they may already be where sample_room()
 * returned. */
void tfr_transfer_add_samples(
	struct tfr_transfer *tr, struct tfr_pipeline_sample **samples, unsigned count);

/* Records whose payloads one worker copies to their places. */
struct tfr_batch_piece {
	struct tfr_staged_batch *batch;
	uint32_t from, count; /* places */
	uint64_t at;	      /* after the offsets of a full batch */
};

/* Places left in the open batch, or in the next one. */
unsigned tfr_transfer_places(const struct tfr_transfer *tr);
/* Adds samples to the open batch, which takes them over.  True: the caller copies the piece.
 * False: they are copied when the batch is complete. */
bool tfr_transfer_add_piece(struct tfr_transfer *tr, struct tfr_pipeline_sample **samples,
	unsigned count, struct tfr_batch_piece *piece);
/* Copies it; without the lock. */
void tfr_transfer_copy_piece(
	struct tfr_transfer *tr, const struct tfr_batch_piece *piece, struct tfr_work_time *time);
void tfr_transfer_piece_done(struct tfr_transfer *tr, const struct tfr_batch_piece *piece);

/* An epoch ends: the open batch is short, or left out (drop_remainder). */
void tfr_transfer_end_epoch(struct tfr_transfer *tr);
/* Nothing more comes: incomplete transfers are uploaded as they are. */
void tfr_transfer_end(struct tfr_transfer *tr);

/* Records that leave a list without batch: taken, and counted once they are given back. */
void tfr_transfer_begin_drop(struct tfr_transfer *tr);
void tfr_transfer_end_drop(
	struct tfr_transfer *tr, uint64_t records, uint64_t bytes, uint64_t epoch);

/* A batch that a worker is to complete; NULL: there is none. */
struct tfr_staged_batch *tfr_transfer_take_incomplete(struct tfr_transfer *tr);
bool tfr_transfer_has_incomplete(const struct tfr_transfer *tr);
/* Completes it; without the lock. */
enum tfr_status tfr_transfer_complete(struct tfr_transfer *tr, struct tfr_staged_batch *b,
	struct tfr_batch_parser *parser, struct tfr_work_time *time, struct tfr_error *err);
/* Ends the completion: the batch is ready, or dropped. */
void tfr_transfer_completed(struct tfr_transfer *tr, struct tfr_staged_batch *b, bool good);

/* ---- handing out: with the lock ---- */

/* The consumer begins, or ends, to wait. */
void tfr_transfer_ask(struct tfr_transfer *tr, bool asked);
/* Whether a batch can be handed out. */
bool tfr_transfer_find_batch(struct tfr_transfer *tr);
/* Whether every batch there will be has been handed out. */
bool tfr_transfer_all_delivered(const struct tfr_transfer *tr);
/* Returns the bytes of its payloads. */
uint64_t tfr_transfer_deliver(struct tfr_transfer *tr, struct tfr_batch *batch);
void tfr_transfer_release(struct tfr_transfer *tr, const struct tfr_batch *batch);
/* Releases a batch that is alone in its transfer and returns its memory, which is the caller's. */
void *tfr_transfer_take(struct tfr_transfer *tr, const struct tfr_batch *batch);

/* ---- reports: with the lock ---- */

/* Fails if an upload is under way to the device whose turn it is. TFR_OK: none is. */
enum tfr_status tfr_transfer_stalled(const struct tfr_transfer *tr, struct tfr_error *err);
/* The queues of batches, and the devices. */
void tfr_transfer_report(const struct tfr_transfer *tr, struct tfr_report_facts *facts,
	struct tfr_pipeline_stats *stats);

#endif
