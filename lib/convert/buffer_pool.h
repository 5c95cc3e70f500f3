/* convert/buffer_pool.h - reuses the buffers of written records to read the next files.
 *
 * The last buffer returned is the first to be used again, because its bytes are still in the
 * processor's cache.  A buffer that waited its turn in the ring of items is not.  Reading into a
 * cached buffer and writing from it saves the trip to memory, a fifth of all the work. */
#ifndef TFR_CONVERT_BUFFER_POOL_H
#define TFR_CONVERT_BUFFER_POOL_H

#include <pthread.h>

#include "base/buf.h"

struct tfr_spares {
	pthread_mutex_t lock;
	struct tfr_buf *at;
	size_t count, most;
};

/* Allocates a pool of at most `most` buffers.  False: out of memory. */
bool tfr_spares_init(struct tfr_spares *s, size_t most);
void tfr_spares_clear(struct tfr_spares *s);
/* Exchanges an empty buffer for one with memory, if there is one.  Any thread may call it. */
void tfr_spares_take(struct tfr_spares *s, struct tfr_buf *to);
/* Takes a buffer and leaves an empty one; if the pool is full, the buffer stays with the caller. */
void tfr_spares_give(struct tfr_spares *s, struct tfr_buf *from);

#endif
