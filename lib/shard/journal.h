/* shard/journal.h - what a command is about to rename, so that another process can finish or undo it.
 *
 * tfr-records(5), PUBLISHING, has the order of events.  The journal is written when every new file
 * is on disk and nothing has changed yet.  It holds all files of a command and the lock files of all
 * its sets, by absolute paths; each of those lock files contains a copy. */
#ifndef TFR_SHARD_JOURNAL_H
#define TFR_SHARD_JOURNAL_H

#include "base/buf.h"
#include "base/error.h"

enum tfr_journal_role {
	TFR_JOURNAL_MEMBER, /* a file of records, or one beside them */
	TFR_JOURNAL_PROOF   /* says that others are complete: removed first, placed last */
};

struct tfr_journal_entry {
	enum tfr_journal_role role;
	uint32_t lock;		     /* the lock of its set */
	uint64_t inode, size, mtime; /* of the new file; all 0: none, or it had its name before */
	char *path;
	char *temp; /* where the new file has a temporary name; NULL */
	char *old;  /* the second name of the file that is replaced; NULL: there was none */
};

struct tfr_journal {
	uint64_t token; /* of this command: 64 random bits */
	char **locks;	/* the last of them is cleared last */
	uint32_t n_locks, cap_locks;
	struct tfr_journal_entry *entries; /* when all proofs have their names, it is committed */
	uint32_t n, cap;
};

/* Adds a lock file or an entry, whose texts are copied.  False: out of memory. */
bool tfr_journal_add_lock(struct tfr_journal *j, const char *path);
bool tfr_journal_add(struct tfr_journal *j, const struct tfr_journal_entry *entry);
void tfr_journal_clear(struct tfr_journal *j);

/* Appends the journal as the text of a lock file.  False: out of memory. */
bool tfr_journal_format(const struct tfr_journal *j, struct tfr_buf *text);
/* Reads one.  TFR_END: it is empty, or was not written completely, so that no name has changed, or
 * is no journal.  TFR_ENOMEM. */
enum tfr_status tfr_journal_parse(
	struct tfr_journal *j, const void *text, size_t size, struct tfr_error *err);

/* Whether the new file of an entry is under its name. */
bool tfr_journal_placed(const struct tfr_journal_entry *e);
/* Whether every proof of the locks that are marked in held[] is under its name: a power cut before
 * the last step was on disk may have kept any of them. */
bool tfr_journal_is_committed(const struct tfr_journal *j, const bool *held);
/* Gives the entries of the locks in held[] their old files back: new proofs go first, old ones come
 * back last, each group forced to disk; new files get their temporary names back or are removed.
 * TFR_EEXIST: a name has neither the old nor the new file.  May be repeated. */
enum tfr_status tfr_journal_undo(
	const struct tfr_journal *j, const bool *held, struct tfr_error *err);
/* After the commit point: removes the old files of those entries, on disk too. */
enum tfr_status tfr_journal_finish(
	const struct tfr_journal *j, const bool *held, struct tfr_error *err);
/* Forces to disk the folders in which names of a role have changed. */
enum tfr_status tfr_journal_sync(const struct tfr_journal *j, const bool *held,
	enum tfr_journal_role role, struct tfr_error *err);

#endif
