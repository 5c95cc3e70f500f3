/* shard/state_file.h - the saved state of a run, from which another run of the same build on the
 * same machine continues. */
#ifndef TFR_SHARD_STATE_FILE_H
#define TFR_SHARD_STATE_FILE_H

#include <tfr-private/io.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/unread.h"

#define TFR_STATE_MAGIC 8 /* bytes that identify the kind of state */

/* Writes the file completely or not at all; it is on disk when this returns.  `temporaries` may be
 * NULL.
 */
enum tfr_status tfr_state_save(const char *path, const char *magic, const struct tfr_buf *body,
	struct tfr_temporaries *temporaries, struct tfr_error *err);
/* Reads the file into `body`; *unread covers all of it.  TFR_END: no file, another kind, or
 * damaged. TFR_EDATA: not a regular file with one name that this user owns, or other users may
 * write to it or to its folder; the hint says how to begin again.  The body has passed a checksum,
 * which anyone can compute, so its numbers must be checked before use. */
enum tfr_status tfr_state_load(const char *path, const char *magic, struct tfr_buf *body,
	struct tfr_unread *unread, struct tfr_error *err);

#endif
