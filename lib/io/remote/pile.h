/* io/remote/pile.h - bytes that wait to be sent: in memory, or in a file where memory is short.
 *
 * The piles of a process share a budget of memory.  A pile that cannot grow within it moves to a
 * nameless file in the folder for temporary files. */
#ifndef TFR_IO_REMOTE_PILE_H
#define TFR_IO_REMOTE_PILE_H

#include "io/remote/http/engine.h"

struct tfr_pile {
	uint8_t *data; /* NULL: in the file */
	size_t size, cap;
	int fd; /* -1: in memory */
};

#define TFR_EMPTY_PILE ((struct tfr_pile){ .fd = -1 })

/* Appends.  TFR_END: nothing was appended, because memory is short and `may_spill` is false; when
 * another pile was cleared, it may succeed.  `most`: the pile will not become larger. */
enum tfr_status tfr_pile_add(struct tfr_pile *p, const void *data, size_t size, size_t most,
	bool may_spill, struct tfr_error *err);
struct tfr_request_body tfr_pile_body(const struct tfr_pile *p);
/* The MD5 in base64, for Content-MD5; `text` has 25 bytes. */
enum tfr_status tfr_pile_md5(const struct tfr_pile *p, char *text, struct tfr_error *err);
void tfr_pile_clear(struct tfr_pile *p);

/* Fails if the piles of `uploads` objects of which each may hold `most` bytes fit neither in memory
 * nor on the disk. */
enum tfr_status tfr_pile_check(unsigned uploads, uint64_t most, struct tfr_error *err);

#endif
