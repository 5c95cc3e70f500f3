/* shard/journal.c - the journal in memory and in a lock file, and undoing a publication by it.
 *
 *   magic, u64 token, u32 locks, u32 entries,
 *   each lock: its path and NUL,
 *   each entry: u32 role, u32 lock, u64 inode, u64 size, u64 mtime, path, temp, old, each with NUL,
 *   u64 XXH3-64 of all bytes before it
 *
 * in the byte order of the machine: inode numbers mean nothing on another one.  A file is
 * recognised by inode number, size and modification time, so undoing never touches a file that
 * another program has put under one of the names. */
#include "shard/publication.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/array.h"
#include "base/unread.h"
#include "io/output.h"

static const char MAGIC[8] = "tfrjrnl1";

struct fixed {
	uint32_t role, lock;
	uint64_t inode, size, mtime;
};

enum { LEAST_ENTRY = sizeof(struct fixed) + 3 };

/* --- in memory --- */

bool tfr_journal_add_lock(struct tfr_journal *j, const char *path)
{
	if (TFR_ARRAY_RESERVE(j->locks, j->cap_locks, j->n_locks + 1u))
		return false;
	j->locks[j->n_locks] = strdup(path);
	return j->locks[j->n_locks] && ++j->n_locks;
}

static void clear_entry(struct tfr_journal_entry *e)
{
	free(e->path);
	free(e->temp);
	free(e->old);
}

bool tfr_journal_add(struct tfr_journal *j, const struct tfr_journal_entry *entry)
{
	struct tfr_journal_entry e = *entry;

	if (TFR_ARRAY_RESERVE(j->entries, j->cap, j->n + 1u))
		return false;
	e.path = strdup(entry->path);
	e.temp = entry->temp ? strdup(entry->temp) : NULL;
	e.old = entry->old ? strdup(entry->old) : NULL;
	if (!e.path || (entry->temp && !e.temp) || (entry->old && !e.old)) {
		clear_entry(&e);
		return false;
	}
	j->entries[j->n++] = e;
	return true;
}

void tfr_journal_clear(struct tfr_journal *j)
{
	for (uint32_t k = 0; k < j->n_locks; k++)
		free(j->locks[k]);
	for (uint32_t k = 0; k < j->n; k++)
		clear_entry(&j->entries[k]);
	free(j->locks);
	free(j->entries);
	*j = (struct tfr_journal){ 0 };
}

/* --- in a lock file --- */

static bool append_text(struct tfr_buf *b, const char *text)
{
	return tfr_buf_append(b, text ? text : "", (text ? strlen(text) : 0) + 1);
}

static bool append_entry(struct tfr_buf *b, const struct tfr_journal_entry *e)
{
	struct fixed f = { e->role != TFR_PUBLISH_MEMBER, e->lock, e->inode, e->size, e->mtime };

	return tfr_buf_append(b, &f, sizeof(f)) && append_text(b, e->path) &&
	       append_text(b, e->temp) && append_text(b, e->old);
}

bool tfr_journal_format(const struct tfr_journal *j, struct tfr_buf *text)
{
	const uint32_t counts[2] = { j->n_locks, j->n };
	size_t start = text->size;
	uint64_t sum;
	bool good;

	good = tfr_buf_append(text, MAGIC, sizeof(MAGIC)) &&
	       tfr_buf_append(text, &j->token, sizeof(j->token)) &&
	       tfr_buf_append(text, counts, sizeof(counts));
	for (uint32_t k = 0; good && k < j->n_locks; k++)
		good = append_text(text, j->locks[k]);
	for (uint32_t k = 0; good && k < j->n; k++)
		good = append_entry(text, &j->entries[k]);
	if (!good)
		return false;
	sum = XXH3_64bits(text->data + start, text->size - start);
	return tfr_buf_append(text, &sum, sizeof(sum));
}

/* NULL: the text has no NUL. */
static const char *take_text(struct tfr_unread *from)
{
	const uint8_t *start = from->p, *nul = memchr(start, 0, (size_t)(from->end - start));

	if (!nul)
		return NULL;
	from->p = nul + 1;
	return (const char *)start;
}

static const char *none_if_empty(const char *text)
{
	return text && *text ? text : NULL;
}

/* TFR_END: not a valid entry. */
static enum tfr_status take_entry(
	struct tfr_journal *j, struct tfr_unread *from, struct tfr_error *err)
{
	struct tfr_journal_entry e = { 0 };
	const char *path, *temp, *old;
	struct fixed f;

	if (!tfr_unread_copy(from, &f, sizeof(f)))
		return TFR_END;
	path = take_text(from);
	temp = take_text(from);
	old = take_text(from);
	if (!path || *path != '/' || !temp || (*temp && *temp != '/') || !old ||
		(*old && *old != '/') || f.role > 1 || f.lock >= j->n_locks)
		return TFR_END;
	e = (struct tfr_journal_entry){
		.role = f.role ? TFR_PUBLISH_PROOF : TFR_PUBLISH_MEMBER,
		.lock = f.lock,
		.inode = f.inode,
		.size = f.size,
		.mtime = f.mtime,
		.path = (char *)(uintptr_t)path,
		.temp = (char *)(uintptr_t)none_if_empty(temp),
		.old = (char *)(uintptr_t)none_if_empty(old),
	};
	TFR_NEED_MEMORY(tfr_journal_add(j, &e), err, "reading a journal");
	return TFR_OK;
}

static enum tfr_status take_all(
	struct tfr_journal *j, struct tfr_unread *from, struct tfr_error *err)
{
	uint32_t counts[2];

	if (!tfr_unread_copy(from, &j->token, sizeof(j->token)) ||
		!tfr_unread_copy(from, counts, sizeof(counts)) || !counts[0] || !counts[1] ||
		counts[0] > (uint64_t)(from->end - from->p) / 2 ||
		counts[1] > (uint64_t)(from->end - from->p) / LEAST_ENTRY)
		return TFR_END;
	for (uint32_t k = 0; k < counts[0]; k++) {
		const char *path = take_text(from);

		if (!path || *path != '/')
			return TFR_END;
		TFR_NEED_MEMORY(tfr_journal_add_lock(j, path), err, "reading a journal");
	}
	for (uint32_t k = 0; k < counts[1]; k++)
		TFR_TRY(take_entry(j, from, err));
	return from->p != from->end ? TFR_END : TFR_OK;
}

enum tfr_status tfr_journal_parse(
	struct tfr_journal *j, const void *text, size_t size, struct tfr_error *err)
{
	const uint8_t *p = text;
	struct tfr_unread from;
	enum tfr_status status;
	uint64_t sum;

	*j = (struct tfr_journal){ 0 };
	if (size < sizeof(MAGIC) + sizeof(sum) || memcmp(p, MAGIC, sizeof(MAGIC)) != 0)
		return TFR_END;
	memcpy(&sum, p + size - sizeof(sum), sizeof(sum));
	if (sum != XXH3_64bits(p, size - sizeof(sum)))
		return TFR_END;
	from = (struct tfr_unread){ p + sizeof(MAGIC), p + size - sizeof(sum) };
	status = take_all(j, &from, err);
	if (status)
		tfr_journal_clear(j);
	return status;
}

/* --- undoing --- */

static bool is_new(const struct tfr_journal_entry *e, const struct stat *st)
{
	return e->inode && S_ISREG(st->st_mode) && (uint64_t)st->st_ino == e->inode &&
	       (uint64_t)st->st_size == e->size && tfr_stat_mtime(st) == e->mtime;
}

bool tfr_journal_placed(const struct tfr_journal_entry *e)
{
	struct stat st;

	return lstat(e->path, &st) == 0 && is_new(e, &st);
}

static enum tfr_status cannot_undo(const struct tfr_journal_entry *e, struct tfr_error *err)
{
	return tfr_fail_errno(err, errno, e->path, "cannot give its old file back to");
}

/* Takes the new file away from its name.  If the old file is about to be renamed over it, the new
 * one only gets its temporary name back, so that the name always has a file. */
static bool take_away(const struct tfr_journal_entry *e, bool replaced)
{
	if (replaced && (!e->temp || link(e->path, e->temp) == 0))
		return true;
	return (e->temp ? rename(e->path, e->temp) : unlink(e->path)) == 0;
}

static enum tfr_status undo_one(const struct tfr_journal_entry *e, struct tfr_error *err)
{
	struct stat now, old;
	bool there = lstat(e->path, &now) == 0, known = there || errno == ENOENT;
	bool replaced = e->old && lstat(e->old, &old) == 0, ours = there && is_new(e, &now);

	if (!known || (e->old && !replaced && errno != ENOENT))
		return cannot_undo(e, err);
	if (replaced && there && now.st_ino == old.st_ino && now.st_dev == old.st_dev)
		return unlink(e->old) ? cannot_undo(e, err) : TFR_OK;
	if (replaced && there && !ours) {
		tfr_fail_path(err, TFR_EEXIST, e->path,
			"changed after the run that was publishing it was killed:");
		tfr_error_hint(
			err, "Its former content is '%s'.  Rename or remove one of them.", e->old);
		return TFR_EEXIST;
	}
	if (ours && !take_away(e, replaced))
		return cannot_undo(e, err);
	if (replaced && rename(e->old, e->path))
		return cannot_undo(e, err);
	return TFR_OK;
}

enum tfr_status tfr_journal_sync(
	const struct tfr_journal *j, const bool *held, bool proofs, struct tfr_error *err)
{
	const char *last = NULL;
	size_t n = 0;

	/* The files of a set are in one folder and next to each other in the list. */
	for (uint32_t k = 0; k < j->n; k++) {
		const struct tfr_journal_entry *e = &j->entries[k];
		size_t folder = (size_t)(strrchr(e->path, '/') - e->path);

		if ((e->role != TFR_PUBLISH_MEMBER) != proofs || !held[e->lock] ||
			(last && n == folder && !memcmp(last, e->path, n)))
			continue;
		TFR_TRY(tfr_sync_directory_of(e->path, err));
		last = e->path;
		n = folder;
	}
	return TFR_OK;
}

/* New proofs go first, so that none vouches for files that are removed. */
static enum tfr_status remove_proofs(
	const struct tfr_journal *j, const bool *held, struct tfr_error *err)
{
	bool some = false;

	for (uint32_t k = 0; k < j->n; k++) {
		const struct tfr_journal_entry *e = &j->entries[k];

		if (e->role == TFR_PUBLISH_MEMBER || !held[e->lock] || !tfr_journal_placed(e))
			continue;
		if (!take_away(e, false))
			return cannot_undo(e, err);
		some = true;
	}
	return some ? tfr_journal_sync(j, held, true, err) : TFR_OK;
}

enum tfr_status tfr_journal_undo(
	const struct tfr_journal *j, const bool *held, struct tfr_error *err)
{
	TFR_TRY(remove_proofs(j, held, err));
	for (int proofs = 0; proofs < 2; proofs++) {
		for (uint32_t k = 0; k < j->n; k++)
			if ((j->entries[k].role != TFR_PUBLISH_MEMBER) == proofs &&
				held[j->entries[k].lock])
				TFR_TRY(undo_one(&j->entries[k], err));
		TFR_TRY(tfr_journal_sync(j, held, proofs, err));
	}
	return TFR_OK;
}

bool tfr_journal_is_committed(const struct tfr_journal *j, const bool *held)
{
	for (uint32_t k = 0; k < j->n; k++) {
		const struct tfr_journal_entry *e = &j->entries[k];

		if (e->role != TFR_PUBLISH_MEMBER && held[e->lock] && e->inode &&
			!tfr_journal_placed(e))
			return false;
	}
	return true;
}

/* Once the lock file is removed, no later run looks for old files that a power cut brings back. */
enum tfr_status tfr_journal_finish(
	const struct tfr_journal *j, const bool *held, struct tfr_error *err)
{
	bool some = false;

	for (uint32_t k = 0; k < j->n; k++)
		if (held[j->entries[k].lock] && j->entries[k].old)
			some = unlink(j->entries[k].old) == 0 || some;
	for (int proofs = 0; some && proofs < 2; proofs++)
		TFR_TRY(tfr_journal_sync(j, held, proofs, err));
	return TFR_OK;
}
