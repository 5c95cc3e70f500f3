/* shard/manifests.c - finds the manifest that describes each file.
 *
 * The files of a set follow each other in the inputs, so a new manifest is looked for only when the
 * previous one does not describe a file. */
#include "shard/manifests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suffix.h"
#include "io/source.h"
#include "shard/set_name.h"

/* About 200 bytes per shard are usual, and class names may be added. */
enum { MOST_A_SHARD = 1 << 10, MOST_BESIDE = 16 << 20 };

/* One manifest, or why there is none. */
struct beside {
	char *own;  /* the name of the set's manifest */
	char *path; /* of the manifest that was read, which may have the name of version 0.1.0 */
	struct tfr_manifest *manifest; /* NULL: `why` says why not */
	uint32_t members;	       /* by the names of its files */
	struct tfr_error why;	       /* TFR_OK: no fault */
};

struct named {
	const struct beside *beside; /* NULL: the file is no member of a set */
	uint32_t shard;
	bool first;
};

struct tfr_manifests {
	struct beside **besides;
	size_t n;
	struct named *files;
	const struct tfr_set *set;
};

/* A foreign file under the name of a manifest must neither block the reader nor fill the memory. */
static enum tfr_status read_whole(
	const char *path, size_t most, struct tfr_buf *text, struct tfr_error *err)
{
	enum tfr_status status =
		tfr_source_read_regular(path, most, text, "reading a manifest", err);

	if (!status && text->size > most)
		return tfr_fail(err, TFR_EDATA, "larger than %zu bytes", most);
	return status;
}

/* Finds totals that are not the sums of the shards, or a number of shards that differs from the
 * names. */
static void find_contradictions(struct beside *b)
{
	const struct tfr_manifest *m = b->manifest;
	uint64_t records = 0, bytes = 0, sum = 0;
	bool over = false;

	for (size_t i = 0; i < m->count; i++) {
		over |= __builtin_add_overflow(records, m->shards[i].records, &records);
		over |= __builtin_add_overflow(bytes, m->shards[i].bytes, &bytes);
		sum += m->shards[i].sum;
	}
	if (m->count != b->members)
		tfr_fail(&b->why, TFR_EDATA, "the manifest has %zu shards, the names say %u",
			m->count, b->members);
	else if (over || records != m->records || bytes != m->bytes || sum != m->sum)
		tfr_fail(
			&b->why, TFR_EDATA, "the manifest's totals are not the sums of its shards");
}

/* --- the manifest of a set --- */

enum tfr_status tfr_manifest_read(
	const char *path, uint32_t shards, struct tfr_manifest **m, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status =
		read_whole(path, MOST_BESIDE + (size_t)MOST_A_SHARD * shards, &text, err);
	struct stat st;

	if (!status)
		status = tfr_manifest_parse(m, text.data, text.size, err);
	if (status || !tfr_is_url(path))
		return status;
	if (tfr_stat(path, &st))
		status = tfr_fail_errno(err, errno, path, "cannot access");
	else
		for (size_t i = 0; i < (*m)->count; i++)
			(*m)->shards[i].published = st.st_mtim.tv_sec;
	return status;
}

/* Whether a manifest belongs to the set: its first shard is the first shard of the set. */
static bool describes(const struct tfr_manifest *m, const char *first)
{
	const char *slash = strrchr(first, '/');

	return m->count && !strcmp(m->shards[0].name, slash ? slash + 1 : first);
}

/* In version 0.1.0 all sets with one base shared the name of a manifest, so this one may belong to
 * another set.  One that cannot be read may belong to this set. */
static enum tfr_status read_former(const struct tfr_set_name *name, struct tfr_manifest **m,
	char **path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *former = tfr_set_name_former_manifest(name);
	TFR_AUTO_FREE char *first = tfr_set_name_file(name, 0);
	enum tfr_status status;

	TFR_NEED_MEMORY(former && first, err, "looking for a manifest");
	if (access(former, F_OK))
		return errno == ENOENT || errno == ENOTDIR
			       ? TFR_END
			       : tfr_fail_errno(err, errno, former, "cannot open");
	status = tfr_manifest_read(former, name->count, m, err);
	if (!status && !describes(*m, first)) {
		tfr_manifest_free(*m);
		*m = NULL;
		return TFR_END;
	}
	*path = former;
	former = NULL;
	return status;
}

enum tfr_status tfr_manifest_find(const struct tfr_set_name *name, struct tfr_manifest **m,
	char **path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *own = tfr_set_name_manifest(name);
	struct tfr_error missing = { 0 };
	enum tfr_status status;

	*m = NULL;
	*path = NULL;
	TFR_NEED_MEMORY(own, err, "looking for a manifest");
	status = tfr_manifest_read(own, name->count, m, &missing);
	if (status == TFR_ESYS && missing.sys_errno == ENOENT) {
		status = read_former(name, m, path, err);
		if (status != TFR_END)
			return status;
	}
	tfr_error_pass(&missing, err);
	*path = own;
	own = NULL;
	return status;
}

static void free_beside(struct beside *b)
{
	tfr_manifest_free(b->manifest);
	free(b->own);
	free(b->path);
	free(b);
}

static struct beside *open_beside(const struct tfr_set_name *name, struct tfr_error *err)
{
	struct beside *b = calloc(1, sizeof(*b));
	enum tfr_status status;

	if (b)
		b->own = tfr_set_name_manifest(name);
	if (!b || !b->own) {
		free(b);
		tfr_fail_nomem(err, "looking for a manifest");
		return NULL;
	}
	b->members = name->count;
	status = tfr_manifest_find(name, &b->manifest, &b->path, err);
	if (status == TFR_ENOMEM || (status == TFR_ESYS && tfr_errno_of_process(err->sys_errno))) {
		free_beside(b);
		return NULL;
	}
	if (!status) {
		find_contradictions(b);
	} else {
		char reason[512];
		bool absent = status != TFR_ESYS || err->sys_errno == ENOENT;

		tfr_error_format(err, reason, sizeof(reason));
		tfr_fail(&b->why, absent ? TFR_EDATA : TFR_ESYS, "%s%s",
			absent ? "no manifest: " : "", reason);
	}
	return b;
}

static struct beside *add_beside(
	struct tfr_manifests *all, const struct tfr_set_name *name, struct tfr_error *err)
{
	struct beside *b;

	if (TFR_ARRAY_ONE_MORE(all->besides, all->n)) {
		tfr_fail_nomem(err, "looking for a manifest");
		return NULL;
	}
	b = open_beside(name, err);
	if (b)
		all->besides[all->n++] = b;
	return b;
}

static enum tfr_status find_beside(struct tfr_manifests *all, size_t i, struct tfr_error *err)
{
	const char *file = tfr_set_path(all->set, i);
	struct beside *last = all->n ? all->besides[all->n - 1] : NULL;
	TFR_AUTO_SET_NAME name = { 0 };
	TFR_AUTO_FREE char *own = NULL;
	struct tfr_shard_file parts;
	struct tfr_error inner;
	enum tfr_status status = tfr_shard_file_set(&name, file, err);

	if (status)
		return status == TFR_END ? TFR_OK : status;
	own = tfr_set_name_manifest(&name);
	TFR_NEED_MEMORY(own, err, "looking for a manifest");
	if (!last || strcmp(last->own, own)) {
		last = add_beside(all, &name, &inner);
		if (!last)
			return tfr_error_pass(&inner, err);
		all->files[i].first = true;
	}
	tfr_shard_file_parse(file, &parts);
	all->files[i].beside = last;
	all->files[i].shard = parts.shard;
	return TFR_OK;
}

enum tfr_status tfr_manifests_open(
	struct tfr_manifests **out, const struct tfr_set *set, struct tfr_error *err)
{
	struct tfr_manifests *all = calloc(1, sizeof(*all));
	enum tfr_status status = TFR_OK;

	if (all) {
		all->set = set;
		all->files = calloc(tfr_set_count(set) + 1, sizeof(*all->files));
	}
	if (!all || !all->files)
		status = tfr_fail_nomem(err, "looking for a manifest");
	for (size_t i = 0; !status && i < tfr_set_count(set); i++)
		status = find_beside(all, i, err);
	if (status)
		tfr_manifests_close(all);
	else
		*out = all;
	return status;
}

void tfr_manifests_close(struct tfr_manifests *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		free_beside(all->besides[i]);
	free(all->besides);
	free(all->files);
	free(all);
}

const struct tfr_manifest_shard *tfr_manifests_at(
	const struct tfr_manifests *all, size_t i, const struct tfr_error **why, bool *first)
{
	static const struct tfr_error single = { .status = TFR_EDATA,
		.message = "no manifest: the file is not a member of a set" };
	static const struct tfr_error unnamed = { .status = TFR_EDATA,
		.message = "the manifest does not name this file" };
	const struct named *file = &all->files[i];
	const char *path = tfr_set_path(all->set, i);
	const struct tfr_manifest *m;

	*why = NULL;
	*first = file->first || !file->beside;
	if (!file->beside) {
		*why = &single;
		return NULL;
	}
	if (file->beside->why.status)
		*why = &file->beside->why;
	m = file->beside->manifest;
	if (m && file->shard < m->count &&
		!strcmp(m->shards[file->shard].name, tfr_last_part(path)))
		return &m->shards[file->shard];
	if (!*why) {
		*why = &unnamed;
		*first = true;
	}
	return NULL;
}

bool tfr_manifest_fits(
	const struct tfr_manifest_shard *shard, const char *path, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || st->st_size < 0 || (uint64_t)st->st_size != shard->bytes)
		return false;
	/* The store gives an object its time when it is complete, and the manifest is the last. */
	if (tfr_is_url(path))
		return st->st_mtim.tv_sec <= shard->published;
	return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec ==
	       shard->mtime;
}
