/* tests/support/temp.h - a directory of its own for a test, removed with all that is in it. */
#ifndef TESTS_SUPPORT_TEMP_H
#define TESTS_SUPPORT_TEMP_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int temp_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline char *temp_enter_in(const char *parent)
{
	char *dir = malloc(strlen(parent) + 32);

	sprintf(dir, "%s/tfr-test-XXXXXX", parent);
	cr_assert_not_null(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
	return dir;
}

/* Makes the directory and enters it, so that tests name files plainly. */
static inline char *temp_enter(void)
{
	return temp_enter_in("/tmp");
}

/* The same on a RAM disk, where there is one: for tests that force many small files to disk. */
static inline char *temp_enter_fast(void)
{
	return temp_enter_in(access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
}

static inline void temp_leave(char *dir)
{
	cr_assert_eq(chdir("/"), 0);
	nftw(dir, temp_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(dir);
}

static inline void temp_write(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	cr_assert_not_null(f);
	cr_assert_eq(fwrite(data, 1, size, f), size);
	fclose(f);
}

static inline size_t temp_read(const char *path, void *data, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	cr_assert_not_null(f, "%s", path);
	n = fread(data, 1, size, f);
	fclose(f);
	return n;
}

/* How many names the directory holds, temporaries included. */
static inline int temp_count(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

#endif
