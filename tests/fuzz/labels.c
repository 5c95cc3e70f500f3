/* tests/fuzz/labels.c - no list of labels and no pattern crashes; what a list gives is in order and
 * found again by its name.
 *
 * The input is a list of labels; up to its first line break also a pattern, and what follows a
 * path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "convert/folder/class_lists.h"
#include "convert/folder/globs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_map(const char *path)
{
	struct tfr_label_map m;

	if (!tfr_label_map_read(&m, path, 0, NULL))
		for (size_t i = 0; i < m.n; i++)
			if ((i && m.classes[i].label <= m.classes[i - 1].label) ||
				tfr_label_map_find(&m, m.classes[i].text) != i)
				abort();
	tfr_label_map_clear(&m);
}

/* A class that a list of classes has is in no two of synsets, and each has a text. */
static void check_synsets(const char *path)
{
	struct tfr_names s = { 0 };
	struct tfr_names l = { 0 };
	bool named = !tfr_synsets_read(&s, path, NULL);

	if (!tfr_class_list_read(&l, path, NULL))
		for (size_t i = 0; i < l.n; i++) {
			const char *text = named ? tfr_synsets_find(&s, l.list[i]) : NULL;

			if (!*l.list[i] || (text && !*text))
				abort();
		}
	tfr_names_clear(&s);
	tfr_names_clear(&l);
}

static void check_glob(const uint8_t *data, size_t size)
{
	TFR_AUTO_FREE char *text = malloc(size + 1);
	char *path;

	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	path = strchr(text, '\n');
	if (!path)
		return;
	*path++ = '\0';
	/* What means a file means a folder of that name too. */
	if (tfr_glob_matches(text, path, false) && !tfr_glob_matches(text, path, true))
		abort();
	if (*path && !tfr_glob_matches("**", path, false))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("labels", MFD_CLOEXEC);
	char path[64];

	check_glob(data, size);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_map(path);
	check_synsets(path);
	close(fd);
	return 0;
}
