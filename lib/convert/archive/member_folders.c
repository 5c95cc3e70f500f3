/* convert/archive/member_folders.c - collects runs of members in one folder.
 *
 * Runs are sorted and merged when their number has doubled, so that memory grows with the
 * folders, not with the members.  Paths are compared part by part, so that a folder comes
 * directly before its contents, in the order of a scan. */
#include "convert/archive/member_folders.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 4096 /* runs that are too few to merge */ };

struct run {
	size_t text, size;
	uint64_t members;
	bool usable;
};

size_t tfr_member_folder_size(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static struct run *runs_of(const struct tfr_member_folders *f, size_t *n)
{
	*n = f->runs.size / sizeof(struct run);
	return (struct run *)(void *)f->runs.data;
}

/* A slash is less than any other byte: "a/b" comes before "a-b". */
static int compare(const char *a, size_t a_size, const char *b, size_t b_size)
{
	for (size_t i = 0; i < a_size && i < b_size; i++)
		if (a[i] != b[i])
			return a[i] == '/'   ? -1
			       : b[i] == '/' ? 1
					     : (unsigned char)a[i] - (unsigned char)b[i];
	return (a_size > b_size) - (a_size < b_size);
}

static int by_path(const void *a, const void *b, void *texts)
{
	const struct run *x = a, *y = b;

	return compare(
		(const char *)texts + x->text, x->size, (const char *)texts + y->text, y->size);
}

/* Merges the runs to one per folder.  False: out of memory. */
static bool merge(struct tfr_member_folders *f)
{
	struct tfr_buf texts = { 0 };
	size_t n, kept = 0;
	struct run *runs = runs_of(f, &n);

	if (n)
		qsort_r(runs, n, sizeof(*runs), by_path, f->texts.data);
	for (size_t i = 0; i < n; i++) {
		if (kept && !by_path(&runs[kept - 1], &runs[i], f->texts.data)) {
			runs[kept - 1].members += runs[i].members;
			runs[kept - 1].usable |= runs[i].usable;
		} else {
			runs[kept++] = runs[i];
		}
	}
	for (size_t i = 0; i < kept; i++) {
		size_t at = texts.size;

		if (!tfr_buf_append(&texts, f->texts.data + runs[i].text, runs[i].size) ||
			!tfr_buf_append(&texts, "", 1))
			return tfr_buf_clear(&texts), false;
		runs[i].text = at;
	}
	tfr_buf_clear(&f->texts);
	f->texts = texts;
	f->runs.size = kept * sizeof(*runs);
	f->compacted = kept;
	return true;
}

static bool append(struct tfr_member_folders *f, const char *folder, size_t size, unsigned members)
{
	struct run run = { f->texts.size, size, members, false };

	return tfr_buf_append(&f->texts, folder, size) && tfr_buf_append(&f->texts, "", 1) &&
	       tfr_buf_append(&f->runs, &run, sizeof(run));
}

bool *tfr_member_folders_add(
	struct tfr_member_folders *f, const char *folder, size_t size, unsigned members)
{
	size_t n;
	struct run *runs = runs_of(f, &n);

	if (n && runs[n - 1].size == size &&
		(!size || !memcmp(f->texts.data + runs[n - 1].text, folder, size))) {
		runs[n - 1].members += members;
		return &runs[n - 1].usable;
	}
	if (n > RUNS && n > 2 * f->compacted && !merge(f))
		return NULL;
	if (!append(f, folder, size, members))
		return NULL;
	runs = runs_of(f, &n);
	return &runs[n - 1].usable;
}

/* --- the tree --- */

/* Whether a run is in `folder`, at any depth. */
static bool is_in(
	const struct tfr_member_folders *f, const struct run *run, const char *folder, size_t size)
{
	const char *path = (const char *)f->texts.data + run->text;

	return run->size >= size && !memcmp(path, folder, size) &&
	       (!path[size] || path[size] == '/');
}

/* Adds the folders that contain only folders.  Those of the previous run already exist. */
static bool add_parents(struct tfr_member_folders *f)
{
	TFR_AUTO_BUF path = { 0 };
	size_t n, unused;

	runs_of(f, &n);
	for (size_t i = 0; i < n; i++) {
		const struct run *run = &runs_of(f, &unused)[i];

		path.size = 0;
		if (!tfr_buf_append(&path, f->texts.data + run->text, run->size + 1))
			return false;
		for (size_t size = run->size; size;) {
			size = tfr_member_folder_size((const char *)path.data);
			path.data[size] = '\0';
			if (!size)
				break;
			if (i && is_in(f, &runs_of(f, &unused)[i - 1], (const char *)path.data,
					 size))
				break;
			if (!append(f, (const char *)path.data, size, 0))
				return false;
		}
	}
	return append(f, "", 0, 0) && merge(f);
}

/* Ends folder `at` and its parents up to the one that contains `path`, and returns that one. */
static uint32_t close_until(
	struct tfr_member_folders *f, uint32_t at, uint32_t next, const char *path, size_t size)
{
	struct tfr_scan_dir *dirs = (struct tfr_scan_dir *)(void *)f->scan.dirs_.data;
	size_t n;
	const struct run *runs = runs_of(f, &n);

	while (at && !(size > runs[at].size && path[runs[at].size] == '/' &&
			     !memcmp(path, f->texts.data + runs[at].text, runs[at].size))) {
		dirs[at].end = next;
		dirs[dirs[at].parent].last += dirs[at].last;
		at = dirs[at].parent;
	}
	return at;
}

static bool build(struct tfr_member_folders *f)
{
	size_t n;
	const struct run *runs = runs_of(f, &n);
	uint32_t at = 0;

	f->usable = calloc(n, sizeof(*f->usable));
	f->paths = calloc(n, sizeof(*f->paths));
	if (!f->usable || !f->paths)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *path = (const char *)f->texts.data + runs[i].text;
		const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
		struct tfr_scan_dir dir = { .last = (uint32_t)runs[i].members,
			.name = f->scan.names.size };

		f->usable[i] = runs[i].usable;
		f->paths[i] = runs[i].text;
		dir.parent = at = close_until(f, at, (uint32_t)i, path, runs[i].size);
		if (!tfr_buf_append(&f->scan.names, name, strlen(name) + 1) ||
			!tfr_buf_append(&f->scan.dirs_, &dir, sizeof(dir)))
			return false;
		at = (uint32_t)i;
	}
	close_until(f, at, (uint32_t)n, "", 0);
	((struct tfr_scan_dir *)(void *)f->scan.dirs_.data)->end = (uint32_t)n;
	f->scan.dirs = (const struct tfr_scan_dir *)(void *)f->scan.dirs_.data;
	f->scan.n_dirs = n;
	return true;
}

bool tfr_member_folders_finish(struct tfr_member_folders *f)
{
	f->scan.root = NULL;
	if (!merge(f) || !add_parents(f) || !build(f))
		return false;
	tfr_buf_clear(&f->runs);
	return true;
}

uint32_t tfr_member_folders_find(
	const struct tfr_member_folders *f, const char *folder, size_t size)
{
	size_t low = 0, high = f->scan.n_dirs;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		const char *path = (const char *)f->texts.data + f->paths[middle];

		if (compare(path, strlen(path), folder, size) <= 0)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

void tfr_member_folders_clear(struct tfr_member_folders *f)
{
	tfr_buf_clear(&f->texts);
	tfr_buf_clear(&f->runs);
	f->scan.root = NULL;
	tfr_scan_clear(&f->scan);
	free(f->usable);
	free(f->paths);
	*f = (struct tfr_member_folders){ 0 };
}
