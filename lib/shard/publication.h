/* shard/publication.h - the protocol by which the outputs of a command get their names together or
 * not at all (tfr-records(5), PUBLISHING).
 *
 * A lock is the right to write a set or a file of records: a lock file beside it, which holds the
 * journal while names change.  A publication takes the locks of all sets of a command, then their
 * files: members first, then proofs; the last file is the commit point.  All files are sealed.
 *
 * Objects have no second names, and another process may replace them at any time: a failure leaves
 * those that are complete, and the missing manifest says that they are not a set. */
#ifndef TFR_SHARD_PUBLICATION_H
#define TFR_SHARD_PUBLICATION_H

#include <tfr-private/io.h>

#include "base/buf.h"
#include "io/output.h"

/* --- the journal --- */

/* The list of renames of a command, so that another process can finish or undo it.
 *
 * tfr-records(5), PUBLISHING, describes the order of events.  The journal is written when every new
 * file is on disk and no name has changed yet.  It lists all files of a command and the lock files
 * of all its sets, by absolute paths.  Each of those lock files contains a copy. */

/* Members are placed before the others.  The lock file does not tell the other two apart. */
enum tfr_publication_role {
	TFR_PUBLISH_MEMBER, /* a file of records, or one beside them */
	TFR_PUBLISH_LAST,   /* a file of records whose name is the commit point */
	TFR_PUBLISH_PROOF /* a manifest: an existing one is removed before anything else changes */
};

struct tfr_journal_entry {
	enum tfr_publication_role role;
	uint32_t lock; /* the lock of its set */
	uint64_t inode, size,
		mtime; /* of the new file; all 0: there is none, or it already has its name */
	char *path;
	char *temp; /* the temporary name of the new file; NULL: it has none */
	char *old;  /* the second name of the file that is replaced; NULL: nothing is replaced */
	/* Not in a lock file: */
	struct tfr_output *output; /* NULL: the file is removed */
	bool aside;		   /* it could not get a second link and is renamed */
};

struct tfr_journal {
	uint64_t token; /* of this command: 64 random bits */
	char **locks;	/* the last one is cleared last */
	uint32_t n_locks;
	size_t cap_locks;
	struct tfr_journal_entry
		*entries; /* the publication is committed when all proofs have their names */
	uint32_t n;
	size_t cap;
};

/* Adds a lock file or an entry; the texts are copied.  False: out of memory. */
bool tfr_journal_add_lock(struct tfr_journal *j, const char *path);
bool tfr_journal_add(struct tfr_journal *j, const struct tfr_journal_entry *entry);
void tfr_journal_clear(struct tfr_journal *j);
#define TFR_AUTO_JOURNAL __attribute__((cleanup(tfr_journal_clear))) struct tfr_journal

/* Appends the journal as the text of a lock file.  False: out of memory. */
bool tfr_journal_format(const struct tfr_journal *j, struct tfr_buf *text);
/* Reads a journal.  TFR_END: the text is empty or incomplete, so that no name has changed, or is
 * not a journal.  TFR_ENOMEM. */
enum tfr_status tfr_journal_parse(
	struct tfr_journal *j, const void *text, size_t size, struct tfr_error *err);

/* Whether the new file of an entry has its name. */
bool tfr_journal_placed(const struct tfr_journal_entry *e);
/* Whether every proof of the locks marked in held[] has its name.  After a power cut before the
 * last step was on disk, any subset of them may. */
bool tfr_journal_is_committed(const struct tfr_journal *j, const bool *held);
/* Restores the old files of the entries of the locks in held[].  New proofs are removed first, old
 * ones are restored last, and each group is forced to disk.  New files get their temporary names
 * back or are removed.  TFR_EEXIST: a name has neither the old nor the new file.  May be repeated.
 */
enum tfr_status tfr_journal_undo(
	const struct tfr_journal *j, const bool *held, struct tfr_error *err);
/* After the commit point: removes the old files of those entries and forces that to disk. */
enum tfr_status tfr_journal_finish(
	const struct tfr_journal *j, const bool *held, struct tfr_error *err);
/* Forces the folders to disk in which names of members, or those of proofs, have changed. */
enum tfr_status tfr_journal_sync(
	const struct tfr_journal *j, const bool *held, bool proofs, struct tfr_error *err);

/* --- locks --- */

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

/* --- publications --- */

struct tfr_publication {
	struct tfr_journal journal; /* of the files */
	struct tfr_publication_object *objects;
	size_t n_objects, cap_objects;
	struct tfr_lock **locks; /* one for each of its locks */
	size_t cap_locks;
	uint32_t current;    /* the lock of the files that are added now */
	char *folder, *real; /* the last folder that was looked up */
	struct tfr_temporaries *temporaries; /* while names change, with the mask of signals */
	sigset_t saved;
};

/* Adds a lock.  Files that are added from here on belong to its set; set `current` to return to an
 * earlier one. */
enum tfr_status tfr_publication_lock(
	struct tfr_publication *p, struct tfr_lock *t, struct tfr_error *err);
/* Adds a sealed file, which stays the caller's; streams are ignored.  TFR_EEXIST: the name is
 * taken, and the file was opened without `force`. */
enum tfr_status tfr_publication_add(struct tfr_publication *p, struct tfr_output *o,
	enum tfr_publication_role role, struct tfr_error *err);
/* Adds a file to remove, if it exists. */
enum tfr_status tfr_publication_withdraw(struct tfr_publication *p, const char *path,
	enum tfr_publication_role role, struct tfr_error *err);
/* Publishes all files.  On failure, all names are as they were. */
enum tfr_status tfr_publication_commit(
	struct tfr_publication *p, struct tfr_temporaries *temporaries, struct tfr_error *err);
void tfr_publication_clear(struct tfr_publication *p);

#endif
