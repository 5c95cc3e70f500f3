/* shard/publication.c - carries out the steps of tfr-records(5), PUBLISHING.
 *
 * Both a failure here and a crash are undone by tfr_journal_undo(). */
#include "shard/publication.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/suffix.h"
#include "io/path.h"
#include "io/temporaries.h"
#include "thread/lanes.h"

enum { AT_ONCE = 8 };

struct tfr_publication_object {
	struct tfr_output *o; /* NULL: the object is removed */
	char *url;
	enum tfr_publication_role role;
	bool replaces, placed;
	/* The store did not say whether there is such an object: to those who may not list, S3
	 * says that a missing one is forbidden. */
	bool unknown;
};

/* --- the files --- */

enum tfr_status tfr_publication_lock(
	struct tfr_publication *p, struct tfr_lock *t, struct tfr_error *err)
{
	struct tfr_journal *j = &p->journal;

	if (!j->token)
		j->token = tfr_random_token();
	TFR_NEED_MEMORY(
		!TFR_ARRAY_RESERVE(p->locks, p->cap_locks, j->n_locks + 1u), err, "publishing");
	p->locks[j->n_locks] = t;
	p->current = j->n_locks;
	return tfr_journal_add_lock(j, tfr_lock_path(t)) ? TFR_OK
							 : tfr_fail_nomem(err, "publishing");
}

/* The absolute path of a file in the folder of `path`. */
static enum tfr_status make_absolute(
	struct tfr_publication *p, const char *path, char **absolute, struct tfr_error *err)
{
	TFR_AUTO_FREE char *folder = tfr_folder_of(path);

	*absolute = NULL;
	TFR_NEED_MEMORY(folder, err, "publishing");
	if (!p->folder || strcmp(folder, p->folder) != 0) {
		free(p->folder);
		free(p->real);
		p->folder = folder;
		folder = NULL;
		p->real = realpath(p->folder, NULL);
	}
	if (!p->real) {
		int saved = errno;

		free(p->folder);
		p->folder = NULL;
		return tfr_fail_errno(err, saved, path, "cannot publish");
	}
	*absolute = tfr_asprintf("%s/%s", strcmp(p->real, "/") ? p->real : "", tfr_base_name(path));
	return *absolute ? TFR_OK : tfr_fail_nomem(err, "publishing");
}

static enum tfr_status add_output(
	struct tfr_publication *p, struct tfr_journal_entry *e, struct tfr_error *err)
{
	const char *temp = tfr_output_temporary(e->output);
	const struct stat *st = tfr_output_stat(e->output);
	TFR_AUTO_FREE char *temporary = NULL, *old = NULL;
	struct stat now;

	e->inode = st->st_ino;
	e->size = (uint64_t)st->st_size;
	e->mtime = tfr_stat_mtime(st);
	if (temp)
		TFR_TRY(make_absolute(p, temp, &temporary, err));
	e->temp = temporary;
	if (tfr_journal_placed(e)) {
		/* That of a run that is resumed may have its name already, and keeps it: a set that
		 * was complete before stays so if this run fails. */
		e->inode = e->size = e->mtime = 0;
		e->temp = NULL;
	} else if (lstat(e->path, &now)) {
		if (errno != ENOENT)
			return tfr_fail_errno(err, errno, e->path, "cannot access");
	} else {
		if (!tfr_output_replaces(e->output))
			return tfr_fail_path(
				err, TFR_EEXIST, tfr_output_path(e->output), "will not overwrite");
		old = tfr_hidden_name(e->path, p->journal.token, "old");
		TFR_NEED_MEMORY(old, err, "publishing");
		e->old = old;
	}
	TFR_NEED_MEMORY(tfr_journal_add(&p->journal, e), err, "publishing");
	return TFR_OK;
}

static enum tfr_status add_object(struct tfr_publication *p, struct tfr_output *o, const char *url,
	enum tfr_publication_role role, struct tfr_error *err)
{
	struct tfr_publication_object one = { .o = o, .url = strdup(url), .role = role };
	enum tfr_status status = TFR_END;
	struct tfr_error why;
	struct stat st;

	if (!one.url || TFR_ARRAY_RESERVE(p->objects, p->cap_objects, p->n_objects + 1)) {
		free(one.url);
		return tfr_fail_nomem(err, "publishing");
	}
	/* Without -f, the store refuses to replace. */
	if (!o || tfr_output_replaces(o))
		status = tfr_look(url, &st, &why);
	one.unknown = status == TFR_ESYS && why.sys_errno == EACCES;
	one.replaces = !status || one.unknown;
	if ((!o && status == TFR_END) || (status && status != TFR_END && !one.unknown)) {
		free(one.url);
		return status == TFR_END ? TFR_OK : tfr_error_pass(&why, err);
	}
	p->objects[p->n_objects++] = one;
	return TFR_OK;
}

enum tfr_status tfr_publication_add(struct tfr_publication *p, struct tfr_output *o,
	enum tfr_publication_role role, struct tfr_error *err)
{
	struct tfr_journal_entry e = { .role = role, .lock = p->current, .output = o };
	TFR_AUTO_FREE char *path = NULL;

	if (!tfr_output_is_file(o))
		return TFR_OK;
	if (tfr_output_is_object(o))
		return add_object(p, o, tfr_output_path(o), role, err);
	if (tfr_output_replaces(o))
		TFR_TRY(tfr_output_prepare(o, err));
	TFR_TRY(make_absolute(p, tfr_output_path(o), &path, err));
	e.path = path;
	return add_output(p, &e, err);
}

enum tfr_status tfr_publication_withdraw(struct tfr_publication *p, const char *path,
	enum tfr_publication_role role, struct tfr_error *err)
{
	struct tfr_journal_entry e = { .role = role, .lock = p->current };
	TFR_AUTO_FREE char *absolute = NULL, *old = NULL;
	struct stat st;

	if (tfr_is_url(path))
		return add_object(p, NULL, path, role, err);
	if (lstat(path, &st))
		return errno == ENOENT ? TFR_OK : tfr_fail_errno(err, errno, path, "cannot access");
	TFR_TRY(make_absolute(p, path, &absolute, err));
	old = tfr_hidden_name(absolute, p->journal.token, "old");
	e.path = absolute;
	e.old = old;
	TFR_NEED_MEMORY(old && tfr_journal_add(&p->journal, &e), err, "publishing");
	return TFR_OK;
}

void tfr_publication_clear(struct tfr_publication *p)
{
	for (size_t i = 0; i < p->n_objects; i++)
		free(p->objects[i].url);
	free(p->objects);
	tfr_journal_clear(&p->journal);
	free(p->locks);
	free(p->folder);
	free(p->real);
	*p = (struct tfr_publication){ 0 };
}

/* --- objects --- */

/* Those who may not list may not be allowed to remove, either. */
static enum tfr_status remove_former(
	const struct tfr_publication_object *one, struct tfr_error *err)
{
	if (!one->unknown)
		return tfr_file_remove(one->url, err);
	tfr_file_remove(one->url, NULL);
	return TFR_OK;
}

/* The manifests of what is replaced are removed before anything else changes. */
static enum tfr_status remove_object_proofs(struct tfr_publication *p, struct tfr_error *err)
{
	for (size_t i = 0; i < p->n_objects; i++)
		if (p->objects[i].role == TFR_PUBLISH_PROOF && p->objects[i].replaces)
			TFR_TRY(remove_former(&p->objects[i], err));
	return TFR_OK;
}

static enum tfr_status place_object(
	struct tfr_publication_object *one, bool proofs, struct tfr_error *err)
{
	if ((one->role != TFR_PUBLISH_MEMBER) != proofs)
		return TFR_OK;
	if (!one->o)
		return one->role != TFR_PUBLISH_PROOF ? remove_former(one, err) : TFR_OK;
	TFR_TRY(tfr_output_place(one->o, one->replaces, err));
	one->placed = true;
	return TFR_OK;
}

static enum tfr_status place_member(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct tfr_publication *p = ctx;

	(void)lanes, (void)worker, (void)slot;
	return place_object(&p->objects[i], false, err);
}

/* Members in parallel: each waits for its server, and small ones are sent only now. */
static enum tfr_status place_object_members(struct tfr_publication *p, struct tfr_error *err)
{
	struct tfr_lanes job = { .threads = AT_ONCE, .count = p->n_objects, .work = place_member };

	if (job.threads > p->n_objects)
		job.threads = (unsigned)p->n_objects;
	return p->n_objects ? tfr_lanes_run(&job, p, err) : TFR_OK;
}

static enum tfr_status place_object_proofs(struct tfr_publication *p, struct tfr_error *err)
{
	for (size_t i = 0; i < p->n_objects; i++)
		TFR_TRY(place_object(&p->objects[i], true, err));
	return TFR_OK;
}

/* Objects have no journal, and by now another run may have written to a name: what was placed
 * remains. */
static void hint_at_placed(const struct tfr_publication *p, struct tfr_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_objects; i++)
		n += p->objects[i].placed;
	if (n && err)
		tfr_error_hint(err,
			"%s%s%zu object%s complete and remain%s. Run the command again with -f "
			"to replace %s.",
			tfr_error_hint_text(err), *tfr_error_hint_text(err) ? " " : "", n,
			n == 1 ? " is" : "s are", n == 1 ? "s" : "", n == 1 ? "it" : "them");
}

/* --- publishing --- */

static enum tfr_status write_journal(struct tfr_publication *p, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };

	TFR_NEED_MEMORY(tfr_journal_format(&p->journal, &text), err, "publishing");
	for (uint32_t k = 0; k < p->journal.n_locks; k++)
		TFR_TRY(tfr_lock_begin(p->locks[k], text.data, text.size, err));
	return TFR_OK;
}

/* Gives second names to the files that are replaced. */
static enum tfr_status keep_old(struct tfr_publication *p, const bool *held, struct tfr_error *err)
{
	bool some = false;
	struct stat st;

	for (uint32_t k = 0; k < p->journal.n; k++) {
		struct tfr_journal_entry *e = &p->journal.entries[k];

		if (!e->old)
			continue;
		some = true;
		if (lstat(e->path, &st) == 0 && S_ISDIR(st.st_mode))
			return tfr_fail_errno(err, EISDIR, e->path, "cannot replace");
		if (link(e->path, e->old) == 0)
			continue;
		/* The file system has no links, or the file belongs to another user: rename it
		 * later. */
		if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK)
			return tfr_fail_errno(err, errno, e->path, "cannot keep the old");
		e->aside = true;
	}
	if (!some)
		return TFR_OK;
	TFR_TRY(tfr_journal_sync(&p->journal, held, false, err));
	return tfr_journal_sync(&p->journal, held, true, err);
}

static enum tfr_status remove_old(const struct tfr_journal_entry *e, struct tfr_error *err)
{
	if (e->aside ? rename(e->path, e->old) : unlink(e->path))
		return tfr_fail_errno(err, errno, e->path, "cannot remove the old");
	return TFR_OK;
}

/* Removes the old manifests first, so that none vouches for files that change. */
static enum tfr_status remove_proofs(
	struct tfr_publication *p, const bool *held, struct tfr_error *err)
{
	bool some = false;

	for (uint32_t k = 0; k < p->journal.n; k++) {
		const struct tfr_journal_entry *e = &p->journal.entries[k];

		if (e->role != TFR_PUBLISH_PROOF || !e->old)
			continue;
		TFR_TRY(remove_old(e, err));
		some = true;
	}
	return some ? tfr_journal_sync(&p->journal, held, true, err) : TFR_OK;
}

static enum tfr_status place_file(const struct tfr_journal_entry *e, struct tfr_error *err)
{
	bool replaces = e->old && e->role != TFR_PUBLISH_PROOF;

	if (replaces && (e->aside || !e->output))
		TFR_TRY(remove_old(e, err));
	return e->output ? tfr_output_place(e->output, replaces, err) : TFR_OK;
}

static enum tfr_status place_files(
	struct tfr_publication *p, const bool *held, bool proofs, struct tfr_error *err)
{
	for (uint32_t k = 0; k < p->journal.n; k++)
		if ((p->journal.entries[k].role != TFR_PUBLISH_MEMBER) == proofs)
			TFR_TRY(place_file(&p->journal.entries[k], err));
	return tfr_journal_sync(&p->journal, held, proofs, err);
}

/* Entries that cannot be undone now stay in the journal for the next run. */
static void undo_changes(struct tfr_publication *p, const bool *held)
{
	bool undone = tfr_journal_undo(&p->journal, held, NULL) == TFR_OK;

	for (uint32_t k = 0; k < p->journal.n; k++) {
		const struct tfr_journal_entry *e = &p->journal.entries[k];

		if (e->output && e->inode && !tfr_journal_placed(e))
			tfr_output_displaced(e->output);
	}
	for (uint32_t k = 0; undone && k < p->journal.n_locks; k++)
		tfr_lock_end(p->locks[k], NULL);
}

/* Servers may take long, so signals are not blocked: they end the run, as kill -9 can. */
static enum tfr_status change_objects(struct tfr_publication *p,
	enum tfr_status (*step)(struct tfr_publication *p, struct tfr_error *err),
	struct tfr_error *err)
{
	enum tfr_status status;

	if (!p->n_objects)
		return TFR_OK;
	tfr_temporaries_end(p->temporaries, &p->saved);
	status = step(p, err);
	tfr_temporaries_begin(p->temporaries, &p->saved);
	return status;
}

static enum tfr_status change_names(
	struct tfr_publication *p, const bool *held, struct tfr_error *err)
{
	TFR_TRY(write_journal(p, err));
	TFR_TRY(keep_old(p, held, err));
	TFR_TRY(remove_proofs(p, held, err));
	TFR_TRY(change_objects(p, remove_object_proofs, err));
	TFR_TRY(change_objects(p, place_object_members, err));
	TFR_TRY(place_files(p, held, false, err));
	TFR_TRY(change_objects(p, place_object_proofs, err));
	return place_files(p, held, true, err);
}

enum tfr_status tfr_publication_commit(
	struct tfr_publication *p, struct tfr_temporaries *temporaries, struct tfr_error *err)
{
	TFR_AUTO_FREE bool *held = calloc(p->journal.n_locks + 1, sizeof(*held));
	enum tfr_status status;

	TFR_NEED_MEMORY(held, err, "publishing");
	for (uint32_t k = 0; k < p->journal.n_locks; k++)
		held[k] = true;
	/* A signal handler waits until the names of files have changed. */
	p->temporaries = temporaries;
	tfr_temporaries_begin(temporaries, &p->saved);
	status = change_names(p, held, err);
	if (status) {
		undo_changes(p, held);
		hint_at_placed(p, err);
	} else {
		status = tfr_journal_finish(&p->journal, held, err);
		for (uint32_t k = 0; k < p->journal.n_locks; k++)
			tfr_lock_publish(p->locks[k]);
	}
	tfr_temporaries_end(temporaries, &p->saved);
	return status;
}
