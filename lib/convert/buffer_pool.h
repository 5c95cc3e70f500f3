/* convert/buffer_pool.h - buffers that records were written from, for the next files to be read
 * into.
 *
 * The last one that came is the first to go: its bytes are still near the processor, where those of
 * a buffer that waited its turn in the ring of items have long been driven out.  Reading into it
 * and writing from it then costs no trip to memory, which is a fifth of all the work there is. */
#ifndef TFR_CONVERT_BUFFER_POOL_H
#define TFR_CONVERT_BUFFER_POOL_H

#include <pthread.h>

#include "base/buf.h"

struct tfr_spares {
	pthread_mutex_t lock;
	struct tfr_buf *at;
	size_t count, most;
};

/* For at most `most` buffers.  False: out of memory. */
bool tfr_spares_init(struct tfr_spares *s, size_t most);
void tfr_spares_clear(struct tfr_spares *s);
/* Exchanges an empty buffer for one that has room, where there is one.  Any thread, as below. */
void tfr_spares_take(struct tfr_spares *s, struct tfr_buf *to);
/* Takes a buffer, which is empty then; one too many stays where it is. */
void tfr_spares_give(struct tfr_spares *s, struct tfr_buf *from);

#endif
