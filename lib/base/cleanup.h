/* base/cleanup.h - variables whose values are released when their scope ends, in place of goto
 * ladders.
 *
 * TFR_AUTO_FREE char *p = NULL;  is released with free().  TFR_AUTO_CLOSE int fd = -1;  is
 * closed unless it is negative. */
#ifndef TFR_BASE_CLEANUP_H
#define TFR_BASE_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void tfr_auto_free(void *p)
{
	free(*(void **)p);
}

static inline void tfr_auto_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define TFR_AUTO_FREE __attribute__((cleanup(tfr_auto_free)))
#define TFR_AUTO_CLOSE __attribute__((cleanup(tfr_auto_close)))

/* Takes the value out of an auto variable: the scope no longer releases it. */
#define TFR_STEAL(p)                                                                               \
	({                                                                                         \
		__typeof__(p) stolen_ = (p);                                                       \
		(p) = NULL;                                                                        \
		stolen_;                                                                           \
	})

#endif
