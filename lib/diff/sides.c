/* diff/sides.c - checks whether two sets can be compared.  Files are identified by device and
 * inode, not by name. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/diff.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "rewrite/pass.h"

struct identity {
	dev_t device;
	ino_t inode;
	const char *path;
};

static int compare_identities(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

static bool look_at_file(const char *path, struct stat *st)
{
	return strcmp(path, "-") ? !tfr_stat(path, st) : !fstat(STDIN_FILENO, st);
}

/* Skips files that cannot be examined: reading them later reports the reason. */
static struct identity *identify_files(const struct tfr_set *set, size_t *n)
{
	struct identity *all = calloc(tfr_set_count(set) + 1, sizeof(*all));

	*n = 0;
	for (size_t i = 0; all && i < tfr_set_count(set); i++) {
		const char *path = tfr_set_path(set, i);
		struct stat st;

		if (look_at_file(path, &st))
			all[(*n)++] = (struct identity){ st.st_dev, st.st_ino, path };
	}
	if (all)
		qsort(all, *n, sizeof(*all), compare_identities);
	return all;
}

static enum tfr_status refuse_same_files(
	const struct tfr_set *const sides[2], struct tfr_error *err)
{
	size_t n[2];
	TFR_AUTO_FREE struct identity *a = identify_files(sides[0], &n[0]);
	TFR_AUTO_FREE struct identity *b = identify_files(sides[1], &n[1]);

	TFR_NEED_MEMORY(a && b, err, "comparing the inputs");
	for (size_t i = 0, k = 0; i < n[0] && k < n[1];) {
		int c = compare_identities(&a[i], &b[k]);

		if (!c)
			return tfr_fail(err, TFR_EUSAGE, "'%s' is on both sides", b[k].path);
		if (c < 0)
			i++;
		else
			k++;
	}
	return TFR_OK;
}

static enum tfr_status refuse_pipes(const struct tfr_set *set, struct tfr_error *err)
{
	const char *pipe = tfr_pass_pipe(set);

	if (!pipe)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EUSAGE, "Put its records into a file first.",
		"'%s' cannot be read twice", pipe);
}

enum tfr_status tfr_diff_check_sides(
	const struct tfr_set *const sides[2], bool twice, struct tfr_error *err)
{
	TFR_TRY(refuse_same_files(sides, err));
	for (unsigned side = 0; twice && side < 2; side++)
		TFR_TRY(refuse_pipes(sides[side], err));
	return TFR_OK;
}
