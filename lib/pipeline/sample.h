/* pipeline/sample.h - a record on its way through the feed, and the store of buffers for them.
 *
 * A record is copied once, from the reader's block into a sample; from there on only pointers move.
 * The store keeps what comes back by size class, eight classes an octave, so that records of like
 * size find a buffer without malloc and little is wasted on them. */
#ifndef TFR_PIPELINE_SAMPLE_H
#define TFR_PIPELINE_SAMPLE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	struct sample *next;
	uint64_t epoch, ordinal; /* its place in the unshuffled stream */
	uint64_t record, offset; /* its place in its file */
	uint32_t file;
	uint32_t size_class;
	size_t size;		/* of the payload */
	const uint8_t *picture; /* inside data; NULL: not looked for */
	size_t picture_size;
	uint8_t data[];
};

enum { SAMPLE_CLASSES = 8 * 64 };

struct sample_store {
	pthread_mutex_t lock;
	struct sample *idle[SAMPLE_CLASSES];
	uint64_t idle_bytes, idle_limit; /* what comes back beyond the limit is freed */
};

void sample_store_init(struct sample_store *store, uint64_t idle_limit);
void sample_store_clear(struct sample_store *store);
/* A sample with room for `size` bytes of payload; NULL: out of memory.  Any thread. */
struct sample *sample_get(struct sample_store *store, size_t size);
void sample_put(struct sample_store *store, struct sample *s);
/* The bytes a payload of `size` takes in memory: for the plan. */
uint64_t sample_footprint(size_t size);

#endif
