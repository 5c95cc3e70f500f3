/* shard/state_file.h - what a run knows, in a file, for another run of the same build on the same
 * machine to go on with. */
#ifndef TFR_SHARD_STATE_FILE_H
#define TFR_SHARD_STATE_FILE_H

#include <tfr-private/io.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/unread.h"

#define TFR_STATE_MAGIC 8 /* bytes that say what kind of state it is */

/* Writes the file, whole or not at all; it is on disk when this returns.  `temporaries` may be
 * NULL.
 */
enum tfr_status tfr_state_save(const char *path, const char *magic, const struct tfr_buf *body,
	struct tfr_temporaries *temporaries, struct tfr_error *err);
/* Reads it into `body`; *unread is all of it.  TFR_END: there is none, it is of another kind, or
 * it is damaged.  TFR_EDATA: it is no regular file with one name that this user owns, or others
 * could have replaced it, since they may write to it or to its folder; the hint says how to begin
 * again.  The body has passed a checksum, which anyone can make: what takes numbers from it checks
 * them. */
enum tfr_status tfr_state_load(const char *path, const char *magic, struct tfr_buf *body,
	struct tfr_unread *unread, struct tfr_error *err);

#endif
