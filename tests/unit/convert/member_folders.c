/* The folders of members in any order are those of a scan: sorted part by part, each with its
 * range. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "convert/archive/member_folders.h"

/* One of a few texts, which stay valid for some calls. */
static const char *path_of(const struct tfr_member_folders *f, uint32_t dir)
{
	static struct tfr_buf paths[4];
	static unsigned next;
	struct tfr_buf *path = &paths[next++ % 4];

	cr_assert(tfr_scan_dir_path(&f->scan, dir, path));
	return (const char *)path->data;
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !n || (!strncmp(path, folder, n) && (path[n] == '/' || !path[n]));
}

static void check_tree(const struct tfr_member_folders *f)
{
	cr_assert_str_eq(path_of(f, 0), "");
	for (uint32_t d = 0; d < f->scan.n_dirs; d++) {
		const struct tfr_scan_dir *dir = &f->scan.dirs[d];

		cr_assert_eq(tfr_member_folders_find(f, path_of(f, d), strlen(path_of(f, d))), d);
		for (uint32_t e = 0; e < f->scan.n_dirs; e++)
			cr_assert_eq(tfr_scan_is_in(&f->scan, e, d),
				is_below(path_of(f, e), path_of(f, d)), "%s %s", path_of(f, e),
				path_of(f, d));
		cr_assert(dir->end > d && dir->end <= f->scan.n_dirs);
	}
}

Test(member_folders, in_any_order)
{
	static const char *const parts[] = { "a", "b", "a-b", "A", "\xff", "a.b", "aa", "0" };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 5, 0);
	for (int round = 0; round < 60; round++) {
		struct tfr_member_folders f = { 0 };
		unsigned members = tfr_rng_below(&rng, 40), in_a = 0;

		for (unsigned i = 0; i < members; i++) {
			char path[64] = "";
			bool *usable;

			for (unsigned k = tfr_rng_below(&rng, 5); k; k--) {
				if (*path)
					strcat(path, "/");
				strcat(path, parts[tfr_rng_below(&rng, 8)]);
			}
			in_a += is_below(path, "a");
			usable = tfr_member_folders_add(&f, path, strlen(path), 1);
			cr_assert(usable);
			*usable |= !strcmp(path, "a/b");
		}
		cr_assert(tfr_member_folders_finish(&f));
		check_tree(&f);
		cr_assert_eq(f.scan.dirs[0].last, members);
		for (uint32_t d = 0; d < f.scan.n_dirs; d++) {
			cr_assert(
				!strcmp(path_of(&f, d), "a") ? f.scan.dirs[d].last == in_a : true);
			cr_assert(!f.usable[d] || !strcmp(path_of(&f, d), "a/b"));
		}
		tfr_member_folders_clear(&f);
	}
}

/* Members that are never in the folder of the one before. */
Test(member_folders, many)
{
	struct tfr_member_folders f = { 0 };
	char path[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(path, sizeof(path), "%d/%d", i % 7, i % 100);
		cr_assert(tfr_member_folders_add(&f, path, strlen(path), 1));
	}
	cr_assert(tfr_member_folders_finish(&f));
	cr_assert_eq(f.scan.n_dirs, 1 + 7 + 700);
	cr_assert_eq(f.scan.dirs[0].last, 100000);
	check_tree(&f);
	tfr_member_folders_clear(&f);
}
