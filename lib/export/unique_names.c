/* export/unique_names.c - makes file names safe and unique: all names given so far are in one
 * buffer, with a hash index. */
#include "export/form.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/utf8.h"

/* Bytes of a name, bytes of its ending, names of a path. */
enum { NAME = 200, ENDING = 16, DEPTH = 16 };

/* --- safe names --- */

static bool add_name_of_path(struct tfr_buf *path, const uint8_t *name, size_t n)
{
	size_t begin = path->size, keep = 0;
	const uint8_t *dot = memrchr(name, '.', n);

	if (n > NAME) {
		if (dot && dot > name && (size_t)(name + n - dot) <= ENDING)
			keep = (size_t)(name + n - dot);
		if (!tfr_buf_append(path, name, NAME - keep) ||
			!tfr_buf_append(path, name + n - keep, keep))
			return false;
	} else if (!tfr_buf_append(path,
			   n == 2 && !memcmp(name, "..", 2) ? (const void *)"_" : name,
			   n == 2 && !memcmp(name, "..", 2) ? 1 : n)) {
		return false;
	}
	/* A name in another encoding than UTF-8 stays. */
	for (size_t i = begin, len; i < path->size; i += len ? len : 1) {
		len = tfr_utf8_length(path->data + i, path->size - i);
		if (len && !tfr_utf8_harmless(path->data + i, len))
			memset(path->data + i, '_', len);
	}
	return true;
}

bool tfr_unique_names_clean(struct tfr_buf *path, const void *bytes, size_t size)
{
	const uint8_t *p = bytes, *end = p + size;
	size_t begin = path->size, depth = 0;

	while (p < end) {
		const uint8_t *slash = memchr(p, '/', (size_t)(end - p));
		size_t n = (size_t)((slash ? slash : end) - p);

		if (n && !(n == 1 && *p == '.')) {
			if (path->size > begin &&
				!tfr_buf_append(path, depth < DEPTH ? "/" : "_", 1))
				return false;
			if (!add_name_of_path(path, p, n))
				return false;
			depth++;
		}
		p += n + 1;
	}
	/* Joining the names beyond the limit may make the last one too long again. */
	if (depth > DEPTH) {
		uint8_t *slash = memrchr(path->data + begin, '/', path->size - begin);
		size_t at = slash ? (size_t)(slash - path->data) + 1 : begin;

		if (path->size - at > NAME)
			path->size = at + NAME;
	}
	return true;
}

bool tfr_unique_names_clean_name(struct tfr_buf *path, const void *bytes, size_t size)
{
	size_t begin = path->size;

	if (!tfr_unique_names_clean(path, bytes, size))
		return false;
	for (size_t i = begin; i < path->size; i++)
		if (path->data[i] == '/')
			path->data[i] = '_';
	if (path->size - begin > NAME)
		path->size = begin + NAME;
	return true;
}

/* --- names given --- */

static struct given_name *find_name(const struct unique_names *s, const uint8_t *name, size_t size)
{
	struct tfr_hash_probe p = tfr_hash_probe(XXH3_64bits(name, size));
	uint32_t i;

	while (tfr_hash_next(&s->index, &p, &i)) {
		const char *text = (const char *)s->text.data + s->list[i].text;

		assert(i < s->n);
		if (!strncmp(text, (const char *)name, size) && !text[size])
			return &s->list[i];
	}
	return NULL;
}

static bool add_name(struct unique_names *s, const uint8_t *name, size_t size, bool folder)
{
	size_t at = s->text.size;

	if (s->n == UINT32_MAX - 1 || TFR_ARRAY_RESERVE(s->list, s->cap, s->n + 1) ||
		!tfr_buf_append(&s->text, name, size) || !tfr_buf_append(&s->text, "", 1) ||
		tfr_hash_add(&s->index, XXH3_64bits(name, size), (uint32_t)s->n))
		return false;
	s->list[s->n++] = (struct given_name){ at, 1, folder };
	return true;
}

/* Inserts "-N" into a path: before the ending of its name that ends at `end`. */
static bool number_name(struct tfr_buf *path, size_t end, bool ending, uint32_t n, size_t *grown)
{
	char text[16];
	size_t size = (size_t)snprintf(text, sizeof(text), "-%u", n), at = end;
	const uint8_t *slash = memrchr(path->data, '/', end);
	size_t begin = slash ? (size_t)(slash - path->data) + 1 : 0;
	const uint8_t *dot = memrchr(path->data + begin, '.', end - begin);

	if (ending && dot && dot > path->data + begin)
		at = (size_t)(dot - path->data);
	if (!tfr_buf_reserve(path, size))
		return false;
	memmove(path->data + at + size, path->data + at, path->size - at);
	memcpy(path->data + at, text, size);
	path->size += size;
	*grown = size;
	return true;
}

/* Changes the name in `path` that ends at *end to an unused one; a folder may also be an existing
 * one. */
static bool make_unique(
	struct unique_names *s, struct tfr_buf *path, size_t *end, bool folder, bool *new)
{
	const struct given_name *taken = find_name(s, path->data, *end);
	size_t plain = *end, grown;
	TFR_AUTO_BUF original = { 0 };

	*new = !taken;
	if (*new)
		return add_name(s, path->data, *end, folder);
	if (folder && taken->folder)
		return true;
	if (!tfr_buf_append(&original, path->data, path->size))
		return false;
	for (uint32_t n = 2;; n++) {
		/* A folder may be one that was numbered before; a file never is. */
		if (!folder)
			n = ++find_name(s, original.data, plain)->last;
		memcpy(path->data, original.data, original.size);
		path->size = original.size;
		if (!number_name(path, plain, !folder, n, &grown))
			return false;
		*end = plain + grown;
		taken = find_name(s, path->data, *end);
		if (!taken)
			break;
		if (folder && taken->folder)
			return true;
	}
	*new = true;
	return add_name(s, path->data, *end, folder);
}

enum tfr_status tfr_unique_names_take(struct unique_names *s, struct tfr_buf *path,
	enum tfr_status (*folder)(void *ctx, const char *path, struct tfr_error *err), void *ctx,
	struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	size_t begin = 0, end;
	bool new;

	while (!status) {
		const uint8_t *slash = NULL;

		if (folder)
			slash = memchr(path->data + begin, '/', path->size - begin);
		end = slash ? (size_t)(slash - path->data) : path->size - 1;
		TFR_NEED_MEMORY(
			make_unique(s, path, &end, slash != NULL, &new), err, "naming files");
		if (!slash)
			break;
		if (new) {
			path->data[end] = '\0';
			status = folder(ctx, (const char *)path->data, err);
			path->data[end] = '/';
		}
		begin = end + 1;
	}
	return status;
}

void tfr_unique_names_clear(struct unique_names *s)
{
	tfr_buf_clear(&s->text);
	tfr_hash_clear(&s->index);
	free(s->list);
	*s = (struct unique_names){ 0 };
}
