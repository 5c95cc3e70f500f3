/* shard/publication.h - publishes all outputs of a command together or not at all.
 *
 * Objects have no second names, and another process may replace them at any time: a failure leaves
 * those that are complete, and the missing manifest says that they are not a set.
 *
 * Add the locks, then the files: members first, then proofs; the last file is the commit point
 * (tfr-records(5), PUBLISHING).  All files are sealed. */
#ifndef TFR_SHARD_PUBLICATION_H
#define TFR_SHARD_PUBLICATION_H

#include "io/output.h"
#include "shard/journal.h"
#include "shard/lock.h"

struct tfr_publication {
	struct tfr_journal journal; /* of the files */
	struct tfr_publication_object *objects;
	size_t n_objects, cap_objects;
	struct tfr_lock **locks;	    /* one for each of its locks */
	struct tfr_publication_file *files; /* one for each of its entries */
	size_t cap_locks, cap_files;
	uint32_t current;    /* the lock of the files that are added now */
	char *folder, *real; /* the last folder that was looked up */
	struct tfr_temporaries *temporaries; /* while names change, with the mask of signals */
	sigset_t saved;
};

enum tfr_publication_role {
	TFR_PUBLISH_MEMBER,
	TFR_PUBLISH_LAST, /* a file of records whose name is the commit point */
	TFR_PUBLISH_PROOF /* a manifest: an existing one is removed before anything else changes */
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
