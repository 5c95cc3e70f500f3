/* shard/manifests.c - which manifest speaks of which file.
 *
 * The files of a set stand together in the inputs, so a manifest is looked for where the one before
 * does not serve. */
#include "shard/manifests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "io/source.h"
#include "shard/set_name.h"

/* Some 200 bytes a shard are usual, and there may be names of classes. */
enum { MOST_A_SHARD = 1 << 10, MOST_BESIDE = 16 << 20 };

/* One manifest, or why there is none. */
struct beside {
	char *path;
	struct tfr_manifest *manifest; /* NULL: `why` says why not */
	uint32_t members;	       /* that the names of its files speak of */
	char why[512];		       /* "": all is well */
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

/* What somebody put where a manifest is looked for must neither keep us nor fill the memory. */
static enum tfr_status read_whole(
	const char *path, size_t most, struct tfr_buf *text, struct tfr_error *err)
{
	struct tfr_source *source = NULL;
	enum tfr_status status;
	struct stat st;
	size_t got = 1;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return tfr_fail(err, TFR_EDATA, "not a regular file");
	status = tfr_source_open(&source, path, err);
	while (!status && got) {
		if (text->size > most)
			status = tfr_fail(err, TFR_EDATA, "larger than %zu bytes", most);
		else if (!tfr_buf_reserve(text, 64 << 10))
			status = tfr_fail_nomem(err, "reading a manifest");
		else
			status = tfr_source_read_some(
				source, text->data + text->size, 64 << 10, &got, err);
		if (!status)
			text->size += got;
	}
	tfr_source_close(source);
	return status;
}

/* Totals that are not those of the shards, or shards that are not those of the names. */
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
		snprintf(b->why, sizeof(b->why),
			"the manifest has %zu shards where the names say %u", m->count, b->members);
	else if (over || records != m->records || bytes != m->bytes || sum != m->sum)
		snprintf(b->why, sizeof(b->why),
			"the manifest's totals are not the sums of its shards");
}

static struct beside *open_beside(char *path, uint32_t members, struct tfr_error *err)
{
	struct beside *b = calloc(1, sizeof(*b));
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status;

	if (!b || !path) {
		free(b);
		free(path);
		return NULL;
	}
	b->path = path;
	b->members = members;
	status = read_whole(path, MOST_BESIDE + (size_t)MOST_A_SHARD * members, &text, err);
	if (!status)
		status = tfr_manifest_parse(&b->manifest, text.data, text.size, err);
	if (!status) {
		find_contradictions(b);
	} else {
		char reason[sizeof(b->why) - 64];

		err->path[0] = '\0';
		tfr_error_format(err, reason, sizeof(reason));
		snprintf(b->why, sizeof(b->why), "no manifest: %s", reason);
	}
	return b;
}

static enum tfr_status find_beside(struct tfr_manifests *all, size_t i, struct tfr_error *err)
{
	const char *file = tfr_set_path(all->set, i);
	struct beside *last = all->n ? all->besides[all->n - 1] : NULL;
	struct tfr_shard_file parts;
	struct tfr_error inner;
	char *path = NULL;

	if (!tfr_shard_file_parse(file, &parts))
		return TFR_OK;
	if (asprintf(&path, "%.*s.manifest.json", (int)parts.base_size, file) < 0)
		return tfr_fail_nomem(err, "looking for a manifest");
	if (!last || strcmp(last->path, path) || last->members != parts.count) {
		struct beside **larger =
			realloc(all->besides, (all->n + 1) * sizeof(*all->besides));

		if (larger)
			all->besides = larger;
		last = larger ? open_beside(path, parts.count, &inner) : NULL;
		if (!last) {
			if (!larger)
				free(path);
			return tfr_fail_nomem(err, "looking for a manifest");
		}
		all->besides[all->n++] = last;
		all->files[i].first = true;
	} else {
		free(path);
	}
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
	for (size_t i = 0; i < all->n; i++) {
		tfr_manifest_free(all->besides[i]->manifest);
		free(all->besides[i]->path);
		free(all->besides[i]);
	}
	free(all->besides);
	free(all->files);
	free(all);
}

const struct tfr_manifest_shard *tfr_manifests_at(
	const struct tfr_manifests *all, size_t i, const char **why, bool *first)
{
	const struct named *file = &all->files[i];
	const char *path = tfr_set_path(all->set, i), *slash = strrchr(path, '/');
	const struct tfr_manifest *m;

	*why = NULL;
	*first = file->first || !file->beside;
	if (!file->beside) {
		*why = "no manifest: the file is no member of a set";
		return NULL;
	}
	if (file->beside->why[0])
		*why = file->beside->why;
	m = file->beside->manifest;
	if (m && file->shard < m->count &&
		!strcmp(m->shards[file->shard].name, slash ? slash + 1 : path))
		return &m->shards[file->shard];
	if (!*why) {
		*why = "the manifest does not name this file";
		*first = true;
	}
	return NULL;
}

bool tfr_manifest_fits(const struct tfr_manifest_shard *shard, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 &&
	       (uint64_t)st.st_size == shard->bytes &&
	       (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec ==
		       shard->mtime;
}
