/* pipeline/transfer/buffers.h - the inside of the transfer: batches in staging memory, batches on
 * devices, and the thread of each device. */
#ifndef TFR_PIPELINE_BUFFERS_H
#define TFR_PIPELINE_BUFFERS_H

#include "pipeline/control.h"
#include "pipeline/transfer/transfer.h"

/* Where things are in a batch: known beforehand but for ragged features and payloads. */
struct tfr_batch_layout {
	bool images, masks;
	bool audio; /* the images are audio: one row of samples each */
	struct tfr_image_form image, mask;
	uint64_t image_bytes, mask_bytes; /* of one */
	uint64_t mask_at, features_at;
	uint64_t bytes;	 /* of a full batch */
	uint64_t stride; /* from a batch of a transfer to the next */
};

enum tfr_staged_state { STAGED_EMPTY, STAGED_OPEN, STAGED_CLOSED, STAGED_READY };

/* One batch in staging memory.  Workers write to its places, and one completes it, without the
 * lock; counts change with the lock. */
struct tfr_staged_batch {
	enum tfr_staged_state state;
	struct tfr_staging_buffer *home;
	uint64_t number, epoch;
	uint32_t assigned, done, records;
	bool unwanted;			  /* a short one to be left out: its number is used again */
	bool gaps;			  /* some of `bad` are set */
	bool *bad;			  /* places without an image */
	struct tfr_pipeline_sample *
		*samples;		  /* of records, by place; of an image's copies the first */
	struct tfr_bytes *records_at;	  /* for features, by place */
	uint32_t pieces; /* of the first of `samples`: copied already, or being copied */
	uint64_t payload_bytes;
	uint64_t used; /* bytes, once it is ready */
	struct tfr_tensor *tensors;
	unsigned tensor_count;
	struct tfr_staged_batch *next; /* in the queue of those to be completed */
};

/* Memory that was outgrown, where freeing it would wait for the device. */
enum { OUTGROWN_MAX = 40 };
struct tfr_outgrown {
	void *memory[OUTGROWN_MAX];
	unsigned count;
};

enum tfr_staging_state { STAGING_FREE, STAGING_FILLING, STAGING_FLYING };

/* The batches of one transfer. */
struct tfr_staging_buffer {
	enum tfr_staging_state state;
	struct tfr_uploader *uploader;
	uint8_t *memory;
	uint64_t capacity;
	struct tfr_outgrown outgrown;
	struct tfr_staged_batch *batches;
	unsigned ready;	 /* of them */
	uint64_t bytes;	 /* while flying */
	unsigned target; /* while flying */
};

enum tfr_device_buffer_state { DEVICE_FREE, DEVICE_FLYING, DEVICE_FULL };

/* A batch on its device. */
struct tfr_device_batch {
	struct tfr_batch batch; /* as it is handed out */
	uint64_t at;		/* in the buffer */
	uint64_t payload_bytes;
	struct tfr_tensor *tensors;
	struct tfr_event *made; /* floats, of its images */
};

struct tfr_device_buffer {
	enum tfr_device_buffer_state state;
	uint8_t *memory;
	uint64_t capacity;
	struct tfr_outgrown outgrown;
	uint64_t made_at; /* floats that the device makes, after all that travelled */
	struct tfr_event *event;
	struct tfr_device_batch *batches;
	uint64_t number; /* of its first batch */
	unsigned count, held;
	bool handed_out;     /* all of them */
	uint64_t started_ns; /* its upload */
};

/* A device with the transfers on their way to it: transfer t goes to uploader t %
 * uploader_count. */
struct tfr_uploader {
	struct tfr_transfer *transfer;
	struct tfr_device *device; /* NULL: the list ends before upload */
	unsigned number;
	unsigned thread; /* its number in traces */
	struct tfr_staging_buffer *staging;
	struct tfr_device_buffer *targets;
	/* Transfers that were begun, whose copies have arrived, whose batches are complete on the
	 * device, and that were handed out completely. */
	uint64_t transfers, arrived, landed, passed;
	unsigned *staged_in;	      /* the targets of those that have arrived, by their number */
	struct tfr_waiter ready;      /* a transfer is complete, or a target free */
	struct tfr_waiter arrival;    /* a copy has arrived, whose kernels are waited for */
	pthread_t id, kernel_waiter;
	bool started, kernel_waiter_started;
	struct tfr_span span;
	uint64_t link_done_ns, kernels_done_ns;	    /* when the last of each was seen to end */
	uint64_t busy_ns, sent_batches, sent_bytes; /* over this link */
	uint8_t *check;				    /* the copy of an upload, to be compared */
	uint64_t check_capacity;
	struct tfr_error err, kernel_err; /* of the two threads */
};

struct tfr_transfer {
	const struct tfr_settings *settings;
	struct tfr_control *control;
	struct tfr_statistics *statistics;
	struct tfr_sample_pool *pool;
	struct tfr_batch_layout layout;
	/* Floats that the device makes: where they start after a transfer of the planned size; all
	 * of a transfer.  A larger transfer moves the start: see struct tfr_device_buffer. */
	uint64_t made_at, made_bytes;
	struct tfr_uploader *uploaders;
	unsigned uploader_count;
	unsigned first_thread; /* number of the first uploader, in traces */

	uint64_t next_number;	       /* of the next batch to be opened */
	struct tfr_staged_batch *open; /* being filled; NULL: the next one is not begun */
	/* Batches whose places are done, to be completed by a worker: a queue. */
	struct tfr_staged_batch *incomplete, **incomplete_end;
	bool ended;	   /* nothing more comes to a batch */
	unsigned dropping; /* jobs that drop records and are not counted yet */
	uint64_t dropped_records, dropped_bytes, dropped_epoch; /* not delivered yet */

	uint64_t deliver_transfer;	  /* whose batch is delivered next, */
	unsigned deliver_batch;		  /* and which one of it */
	bool asked;			  /* the consumer waits */
	struct tfr_queue_meter assembled; /* batches that wait for their device */
	struct tfr_queue_meter arrived;	  /* batches that wait for the consumer */
};

/* ---- staging.c ---- */

/* The staging buffer whose upload began first and has not arrived; NULL: there is none. */
static inline struct tfr_staging_buffer *tfr_uploader_oldest(const struct tfr_uploader *l)
{
	return l->transfers > l->arrived
		       ? &l->staging[l->arrived % l->transfer->settings->plan.staging]
		       : NULL;
}

enum tfr_status tfr_staging_alloc(
	struct tfr_uploader *l, uint64_t size, void **memory, struct tfr_error *err);

/* The plan only estimates the size of a batch with ragged features or payloads.  These grow
 * memory that is not in use to the size of a larger one, without the lock.  After a failure the
 * memory is as it was.  TFR_ENOMEM: that is more than a quarter of the memory allowed, or than the
 * batch's share of a transfer, or there is no memory. */

/* Keeps the contents. */
enum tfr_status tfr_staging_grow(
	struct tfr_staging_buffer *b, uint64_t need, struct tfr_error *err);
/* For a transfer of so many bytes and the floats that the device makes after them. */
enum tfr_status tfr_device_buffer_grow(
	struct tfr_uploader *l, struct tfr_device_buffer *t, uint64_t bytes, struct tfr_error *err);

/* ---- uploader.c ---- */

/* Starts the threads of a device; returns errno. */
int tfr_uploader_start(struct tfr_uploader *l);
/* A transfer is complete, a target free, or the consumer waits: starts what can start.  With the
 * lock. */
void tfr_uploader_look(struct tfr_uploader *l);
/* Compares the device's memory with the staging memory.  Without the lock. */
enum tfr_status tfr_uploader_verify(struct tfr_uploader *l, const struct tfr_staging_buffer *b,
	const struct tfr_device_buffer *t, struct tfr_error *err);

#endif
