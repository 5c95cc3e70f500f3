/* shard/manifests.c - finds the manifest of a set, of a finished run, and of each file of many
 * sets.
 *
 * The files of a set follow each other in the inputs, so a new manifest is looked for only when the
 * previous one does not describe a file.  The files of a finished run are compared by size and
 * time, as its inputs are, so a script that repeats a finished run reads nothing. */
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
#include "io/output.h"
#include "io/path.h"
#include "io/source.h"
#include "shard/set_name.h"

/* --- one manifest --- */

/* About 200 bytes per shard are usual, and class names may be added. */
enum { MOST_A_SHARD = 1 << 10, MOST_BESIDE = 16 << 20 };

/* A foreign file under the name of a manifest must neither block the reader nor fill the memory. */
enum tfr_status tfr_manifest_read(
	const char *path, uint32_t shards, struct tfr_manifest **m, struct tfr_error *err)
{
	size_t most = MOST_BESIDE + (size_t)MOST_A_SHARD * shards;
	TFR_AUTO_BUF text = { 0 };
	struct stat st;

	TFR_TRY(tfr_source_read_regular(path, most, &text, "reading a manifest", err));
	if (text.size > most)
		return tfr_fail(err, TFR_EDATA, "larger than %zu bytes", most);
	TFR_TRY(tfr_manifest_parse(m, text.data, text.size, err));
	if (!tfr_is_url(path))
		return TFR_OK;
	if (tfr_stat(path, &st))
		return tfr_fail_errno(err, errno, path, "cannot access");
	for (size_t i = 0; i < (*m)->count; i++)
		(*m)->shards[i].published = st.st_mtim.tv_sec;
	return TFR_OK;
}

enum tfr_status tfr_manifest_look(
	const char *path, uint32_t shards, struct tfr_manifest **m, struct tfr_error *err)
{
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, err);

	*m = NULL;
	return status ? status : tfr_manifest_read(path, shards, m, err);
}

/* In version 0.1.0 all sets with one base shared a manifest, "out/train.manifest.json", so this one
 * may belong to another set, which its first shard shows.  One that cannot be read may belong to
 * this set. */
static enum tfr_status read_former(const struct tfr_set_name *name, struct tfr_manifest **m,
	char **path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *former = tfr_asprintf("%s.manifest.json", name->base);
	TFR_AUTO_FREE char *first = tfr_set_name_file(name, 0);
	enum tfr_status status;

	TFR_NEED_MEMORY(former && first, err, "looking for a manifest");
	if (access(former, F_OK))
		return errno == ENOENT || errno == ENOTDIR
			       ? TFR_END
			       : tfr_fail_errno(err, errno, former, "cannot open");
	status = tfr_manifest_read(former, name->count, m, err);
	if (!status && (!(*m)->count || strcmp((*m)->shards[0].name, tfr_base_name(first)))) {
		tfr_manifest_free(*m);
		*m = NULL;
		return TFR_END;
	}
	if (path)
		*path = TFR_STEAL(former);
	return status;
}

enum tfr_status tfr_manifest_find(const struct tfr_set_name *name, struct tfr_manifest **m,
	char **path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *own = tfr_set_name_manifest(name);
	struct tfr_error missing = { 0 };
	enum tfr_status status;

	*m = NULL;
	if (path)
		*path = NULL;
	TFR_NEED_MEMORY(own, err, "looking for a manifest");
	status = tfr_manifest_read(own, name->count, m, &missing);
	if (status == TFR_ESYS && missing.sys_errno == ENOENT) {
		status = read_former(name, m, path, err);
		if (status != TFR_END)
			return status;
	}
	tfr_error_pass(&missing, err);
	if (path)
		*path = TFR_STEAL(own);
	return status;
}

bool tfr_manifest_fits(
	const struct tfr_manifest_shard *shard, const char *path, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || st->st_size < 0 || (uint64_t)st->st_size != shard->bytes)
		return false;
	/* The store gives an object its time when it is complete, and the manifest is the last. */
	if (tfr_is_url(path))
		return st->st_mtim.tv_sec <= shard->published;
	return tfr_stat_mtime(st) == shard->mtime;
}

/* --- finished runs --- */

enum tfr_status tfr_options_compare(
	const char *then, const char *now, const char *which, struct tfr_error *err)
{
	size_t n, m;

	do {
		n = strcspn(then, "\n");
		m = strcspn(now, "\n");
		if (n != m || memcmp(then, now, n))
			break;
		then += n + (then[n] != 0);
		now += m + (now[m] != 0);
	} while (*then || *now);
	if (!*then && !*now)
		return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE, "%s had '%.*s', and this one has '%.*s'", which, (int)n,
		then, (int)m, now);
}

enum tfr_status tfr_terms_compare(const struct tfr_manifest *then, const struct tfr_set_info *now,
	const char *which, struct tfr_error *err)
{
	TFR_TRY(tfr_options_compare(then->options ?: "", now->options ?: "", which, err));
	if (then->inputs != now->inputs)
		return tfr_fail(err, TFR_EUSAGE, "%s had other or changed input files", which);
	return TFR_OK;
}

/* TFR_END: the files of a manifest are not in the folder of `target` with the sizes and times that
 * it states. */
static enum tfr_status check_files(
	const struct tfr_manifest *m, const char *target, struct tfr_error *err)
{
	if (!m->options || !m->count)
		return TFR_END;
	for (size_t i = 0; i < m->count; i++) {
		TFR_AUTO_FREE char *path = tfr_path_in_folder_of(target, m->shards[i].name);
		struct stat st;

		TFR_NEED_MEMORY(path, err, "looking for a finished run");
		TFR_TRY(tfr_look(path, &st, err));
		if (!tfr_manifest_fits(&m->shards[i], path, &st))
			return TFR_END;
	}
	return TFR_OK;
}

/* Sets the number of shards of a set that was written as @auto, by its first shard.  TFR_END: no
 * such set, or several. */
static enum tfr_status find_count(struct tfr_set_name *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *pattern = tfr_asprintf("%s-00000-of-*%s", name->base, name->extension);
	TFR_AUTO_NAMES found = { 0 };
	struct tfr_shard_file f;
	size_t n = 0;

	TFR_NEED_MEMORY(pattern, err, "looking for a finished run");
	TFR_TRY(tfr_glob(pattern, &found, err));
	for (size_t i = 0; i < found.n; i++)
		if (tfr_shard_file_of(name, found.list[i], &f)) {
			name->count = f.count;
			n++;
		}
	return n == 1 ? TFR_OK : TFR_END;
}

static enum tfr_status find_finished(struct tfr_manifest **m, struct tfr_set_name *name,
	const char *target, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL;
	enum tfr_status status = tfr_set_name_parse(name, target, err);

	if (status == TFR_END) {
		path = tfr_file_name_beside(target, "manifest.json");
		TFR_NEED_MEMORY(path, err, "looking for a finished run");
		TFR_TRY(tfr_manifest_read(path, 1, m, err));
		return check_files(*m, target, err);
	}
	TFR_TRY(status);
	if (name->automatic)
		TFR_TRY(find_count(name, err));
	if (!name->count)
		return TFR_END;
	TFR_TRY(tfr_manifest_find(name, m, NULL, err));
	return (*m)->count == name->count ? check_files(*m, name->base, err) : TFR_END;
}

enum tfr_status tfr_finished_find(
	struct tfr_manifest **m, const char *target, struct tfr_error *err)
{
	TFR_AUTO_SET_NAME name = { 0 };
	struct tfr_error why = { 0 };
	enum tfr_status status;

	*m = NULL;
	status = find_finished(m, &name, target, &why);
	if (!status)
		return TFR_OK;
	tfr_manifest_free(*m);
	*m = NULL;
	return status == TFR_EDATA ? TFR_END : tfr_absent_or_failed(target, status, &why, err);
}

/* --- the manifests beside many files --- */

/* One manifest, or why there is none. */
struct beside {
	char *own;		       /* the name of the set's manifest */
	struct tfr_manifest *manifest; /* NULL: `why` says why not */
	uint32_t members;	       /* by the names of its files */
	struct tfr_error why;	       /* TFR_OK: no fault */
};

/* What is known of one file. */
struct named_file {
	const struct beside *beside; /* NULL: the file is no member of a set */
	uint32_t shard;
	bool first;
};

struct tfr_manifests {
	struct beside **besides;
	size_t n;
	struct named_file *files;
	const struct tfr_set *set;
};

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

/* A bad or missing manifest is kept as the reason; only what the next set would meet as well is a
 * failure. */
static enum tfr_status read_beside(
	struct beside *b, const struct tfr_set_name *name, struct tfr_error *err)
{
	struct tfr_error why = { 0 };
	enum tfr_status status = tfr_manifest_find(name, &b->manifest, NULL, &why);
	bool absent = status != TFR_ESYS || why.sys_errno == ENOENT;
	char reason[512];

	if (!status) {
		find_contradictions(b);
		return TFR_OK;
	}
	if (status == TFR_ENOMEM || (status == TFR_ESYS && tfr_errno_of_process(why.sys_errno)))
		return tfr_error_pass(&why, err);
	tfr_error_format(&why, reason, sizeof(reason));
	tfr_fail(&b->why, absent ? TFR_EDATA : TFR_ESYS, "%s%s", absent ? "no manifest: " : "",
		reason);
	return TFR_OK;
}

static enum tfr_status add_beside(
	struct tfr_manifests *all, const struct tfr_set_name *name, struct tfr_error *err)
{
	struct beside *b;

	TFR_NEED_MEMORY(!TFR_ARRAY_ONE_MORE(all->besides, all->n), err, "looking for a manifest");
	b = calloc(1, sizeof(*b));
	TFR_NEED_MEMORY(b, err, "looking for a manifest");
	all->besides[all->n++] = b;
	b->own = tfr_set_name_manifest(name);
	TFR_NEED_MEMORY(b->own, err, "looking for a manifest");
	b->members = name->count;
	return read_beside(b, name, err);
}

static enum tfr_status find_beside(struct tfr_manifests *all, size_t i, struct tfr_error *err)
{
	const char *file = tfr_set_path(all->set, i);
	const struct beside *last = all->n ? all->besides[all->n - 1] : NULL;
	TFR_AUTO_SET_NAME name = { 0 };
	TFR_AUTO_FREE char *own = NULL;
	struct tfr_shard_file f;
	enum tfr_status status = tfr_shard_file_set(&name, file, err);

	if (status == TFR_END)
		return TFR_OK;
	TFR_TRY(status);
	own = tfr_set_name_manifest(&name);
	TFR_NEED_MEMORY(own, err, "looking for a manifest");
	if (!last || strcmp(last->own, own)) {
		TFR_TRY(add_beside(all, &name, err));
		all->files[i].first = true;
	}
	tfr_shard_file_parse(file, &f);
	all->files[i].beside = all->besides[all->n - 1];
	all->files[i].shard = f.shard;
	return TFR_OK;
}

static enum tfr_status find_all(struct tfr_manifests *all, struct tfr_error *err)
{
	const size_t count = tfr_set_count(all->set);

	all->files = calloc(count + 1, sizeof(*all->files));
	TFR_NEED_MEMORY(all->files, err, "looking for a manifest");
	for (size_t i = 0; i < count; i++)
		TFR_TRY(find_beside(all, i, err));
	return TFR_OK;
}

enum tfr_status tfr_manifests_open(
	struct tfr_manifests **out, const struct tfr_set *set, struct tfr_error *err)
{
	struct tfr_manifests *all = calloc(1, sizeof(*all));
	enum tfr_status status;

	TFR_NEED_MEMORY(all, err, "looking for a manifest");
	all->set = set;
	status = find_all(all, err);
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
	for (size_t i = 0; i < all->n; i++) {
		tfr_manifest_free(all->besides[i]->manifest);
		free(all->besides[i]->own);
		free(all->besides[i]);
	}
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
	const struct named_file *file = &all->files[i];
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
		!strcmp(m->shards[file->shard].name, tfr_base_name(path)))
		return &m->shards[file->shard];
	if (!*why) {
		*why = &unnamed;
		*first = true;
	}
	return NULL;
}
