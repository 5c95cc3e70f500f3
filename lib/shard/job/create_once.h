/* shard/job/create_once.h - a file that appears complete, and for one process only. */
#ifndef TFR_SHARD_JOB_CREATE_ONCE_H
#define TFR_SHARD_JOB_CREATE_ONCE_H

#include <tfr-private/io.h>

#include "base/error.h"

/* Creates a file, or an object, with these bytes.  TFR_EEXIST: it exists, perhaps since a moment.
 */
enum tfr_status tfr_create_once(const char *path, const void *data, size_t size,
	struct tfr_temporaries *temporaries, struct tfr_error *err);
/* Removes a file or an object, if it is there. */
void tfr_remove_once(const char *path);
/* 64 random bits. */
uint64_t tfr_draw_number(void);

#endif
