/* tests/fuzz/names.c - any bytes as names of records, a line each: the paths stay below the folder,
 * and could all be there at once. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "export/form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 64 };

struct taken {
	char *files[MOST], *folders[16 * MOST];
	size_t n_files, n_folders;
};

static enum tfr_status note(void *ctx, const char *path, struct tfr_error *err)
{
	struct taken *t = ctx;

	(void)err;
	for (size_t i = 0; i < t->n_folders; i++)
		assert(strcmp(t->folders[i], path));
	for (size_t i = 0; i < t->n_files; i++)
		assert(strcmp(t->files[i], path));
	t->folders[t->n_folders++] = strdup(path);
	return TFR_OK;
}

static void check(struct taken *t, const char *path)
{
	char *copy = strdup(path), *rest = copy, *part;

	assert(*path != '/' && strlen(path) < 4096);
	while ((part = strsep(&rest, "/"))) {
		assert(*part && strcmp(part, ".") && strcmp(part, "..") && strlen(part) < 255);
		for (const char *p = part; *p; p++)
			assert((unsigned char)*p >= 0x20 && *p != 0x7f);
	}
	for (size_t i = 0; i < t->n_files; i++)
		assert(strcmp(t->files[i], path));
	for (size_t i = 0; i < t->n_folders; i++)
		assert(strcmp(t->folders[i], path));
	t->files[t->n_files++] = strdup(path);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unique_names names = { 0 };
	struct taken t = { 0 };
	const uint8_t *end = data + size;

	while (data < end && t.n_files < MOST) {
		const uint8_t *line = memchr(data, '\n', (size_t)(end - data));
		size_t n = (size_t)((line ? line : end) - data);
		TFR_AUTO_BUF path = { 0 };

		if (!tfr_unique_names_clean(&path, data, n))
			abort();
		if (path.size && !fuzz_out_of_memory) {
			if (!FUZZ_SAFE(tfr_buf_append(&path, "", 1)) ||
				tfr_unique_names_take(&names, &path, note, &t, NULL)) {
				abort();
				break;
			}
			check(&t, (const char *)path.data);
		}
		data += n + 1;
	}
	while (t.n_files)
		free(t.files[--t.n_files]);
	while (t.n_folders)
		free(t.folders[--t.n_folders]);
	tfr_unique_names_clear(&names);
	return 0;
}
