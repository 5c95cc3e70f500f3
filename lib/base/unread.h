/* base/unread.h - the unread bytes of a file in memory, taken from the front, never past the
 * end. */
#ifndef TFR_BASE_UNREAD_H
#define TFR_BASE_UNREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct tfr_unread {
	const uint8_t *p, *end;
};

/* Takes `size` bytes; NULL: there are fewer. */
static inline const void *tfr_unread_take(struct tfr_unread *c, uint64_t size)
{
	const uint8_t *p = c->p;

	if (size > (uint64_t)(c->end - c->p))
		return NULL;
	c->p += size;
	return p;
}

/* The same, copied to `to`, so that the bytes need not be aligned.  False: there are fewer. */
static inline bool tfr_unread_copy(struct tfr_unread *c, void *to, uint64_t size)
{
	const void *p = tfr_unread_take(c, size);

	if (p && size)
		memcpy(to, p, size);
	return p;
}

#endif
