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
	unsigned side;
	const char *path;
};

static int compare_identities(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (int)x->side - (int)y->side;
}

static bool look_at_file(const char *path, struct stat *st)
{
	return strcmp(path, "-") ? !tfr_stat(path, st) : !fstat(STDIN_FILENO, st);
}

/* Skips files that cannot be examined: reading them later reports the reason. */
static enum tfr_status refuse_same_files(
	const struct tfr_set *const sides[2], struct tfr_error *err)
{
	size_t most = tfr_set_count(sides[0]) + tfr_set_count(sides[1]), n = 0;
	TFR_AUTO_FREE struct identity *all = calloc(most + 1, sizeof(*all));

	TFR_NEED_MEMORY(all, err, "comparing the inputs");
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < tfr_set_count(sides[side]); i++) {
			const char *path = tfr_set_path(sides[side], i);
			struct stat st;

			if (look_at_file(path, &st))
				all[n++] = (struct identity){ st.st_dev, st.st_ino, side, path };
		}
	qsort(all, n, sizeof(*all), compare_identities);
	for (size_t i = 1; i < n; i++)
		if (all[i].device == all[i - 1].device && all[i].inode == all[i - 1].inode &&
			all[i].side != all[i - 1].side)
			return tfr_fail(err, TFR_EUSAGE, "'%s' is on both sides", all[i].path);
	return TFR_OK;
}

enum tfr_status tfr_diff_check_sides(
	const struct tfr_set *const sides[2], bool twice, struct tfr_error *err)
{
	TFR_TRY(refuse_same_files(sides, err));
	for (unsigned side = 0; twice && side < 2; side++)
		TFR_TRY(tfr_pass_refuse_pipes(
			sides[side], "Put its records into a file first.", err));
	return TFR_OK;
}
