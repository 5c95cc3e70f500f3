/* shard/lock.h - the right to write a set or a file of records: a lock file beside it, which holds
 * the journal while names change (tfr-records(5), PUBLISHING). */
#ifndef TFR_SHARD_LOCK_H
#define TFR_SHARD_LOCK_H

#include <tfr-private/io.h>

#include "base/error.h"
#include "shard/journal.h"

struct tfr_lock;

struct tfr_lock_opts {
	const char *subject; /* its name in errors: "out/train@16.tfrecord" */
	struct tfr_temporaries *temporaries;
	void (*warn)(
		void *ctx, const char *text); /* reports what was undone or finished; may be NULL */
	void *ctx;
};

/* Locks `.NAME.lock` for `path`, "out/NAME", and finishes or undoes a publication that a killed run
 * had begun there.  TFR_ESYS: also if another run holds the lock, or the file belongs to another
 * user. TFR_EEXIST: the publication cannot be undone, because a file has changed since. */
enum tfr_status tfr_lock_open(struct tfr_lock **t, const char *path,
	const struct tfr_lock_opts *opts, struct tfr_error *err);
/* Removes the lock file, unless it holds a journal.  Accepts NULL. */
void tfr_lock_close(struct tfr_lock *t);

/* The folder, by an absolute path without links; belongs to the lock. */
const char *tfr_lock_folder(const struct tfr_lock *t);
const char *tfr_lock_path(const struct tfr_lock *t); /* likewise */

/* Writes a journal into the lock file and forces it to disk.  From here on no signal handler
 * removes the file. */
enum tfr_status tfr_lock_begin(
	struct tfr_lock *t, const void *journal, size_t size, struct tfr_error *err);
/* Empties the lock file: the journal is no longer needed. */
enum tfr_status tfr_lock_end(struct tfr_lock *t, struct tfr_error *err);
/* Removes the lock file and gives up the lock: everything is published. */
void tfr_lock_publish(struct tfr_lock *t);

/* Whether some process holds the lock `.NAME.lock` for `path`. */
bool tfr_lock_is_locked(const char *path);

#endif
