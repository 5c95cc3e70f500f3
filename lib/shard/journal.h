/* shard/journal.h - the list of renames of a command, so that another process can finish or undo
 * it.
 *
 * tfr-records(5), PUBLISHING, describes the order of events.  The journal is written when every new
 * file is on disk and no name has changed yet.  It lists all files of a command and the lock files
 * of all its sets, by absolute paths.  Each of those lock files contains a copy. */
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
	uint32_t lock; /* the lock of its set */
	uint64_t inode, size,
		mtime; /* of the new file; all 0: there is none, or it already has its name */
	char *path;
	char *temp; /* the temporary name of the new file; NULL: it has none */
	char *old;  /* the second name of the file that is replaced; NULL: nothing is replaced */
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
/* Forces the folders to disk in which names of this role have changed. */
enum tfr_status tfr_journal_sync(const struct tfr_journal *j, const bool *held,
	enum tfr_journal_role role, struct tfr_error *err);

#endif
