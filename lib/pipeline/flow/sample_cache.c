/* pipeline/flow/sample_cache.c - entries in order, and their bytes in slabs of memory or one
 * after the other in a file.
 *
 * The bytes of an entry are the payload.  Of pixels they are two forms, then the rows of the
 * image without gaps, then those of the mask.  Adding and getting need no lock: the node runs
 * one worker at a time. */
#include "pipeline/flow/sample_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/text.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "io/source.h"

enum { SLAB = 4 << 20, ENTRIES = 4096, WINDOW = 1 << 20, FORMS = 128, LINE = 64 };

_Static_assert(2 * sizeof(struct tfr_pixels) <= FORMS, "two forms before the pixels");

struct entry {
	uint64_t ordinal, record, offset, size;
	union {
		uint8_t *memory;
		uint64_t at; /* in the file */
	};
	uint64_t bytes;
	uint32_t image_at, image_size, mask_at, mask_size; /* encoded, in the payload */
	uint32_t file, copy;
	bool pixels;
};

struct slab {
	struct slab *next;
	size_t used, capacity;
	_Alignas(LINE) uint8_t bytes[];
};

struct tfr_sample_cache {
	struct entry **entries; /* by ENTRIES */
	uint64_t count;
	uint64_t bytes, limit; /* taken in memory */
	struct slab *slabs;
	int fd; /* -1: in memory */
	char *folder;
	uint64_t file_bytes;
	uint8_t *window; /* being written, or read from `window_at` on */
	size_t window_size;
	uint64_t window_at;
};

/* ---- a file without a name ---- */

static enum tfr_status open_file(
	struct tfr_sample_cache *c, const char *file, struct tfr_error *err)
{
	const char *slash = strrchr(file, '/');
	TFR_AUTO_FREE char *name = NULL;

	if (slash)
		c->folder = strndup(file, slash == file ? 1 : (size_t)(slash - file));
	else
		c->folder = strdup(".");
	c->window = malloc(WINDOW);
	if (!c->folder || !c->window)
		return tfr_fail_nomem(err, "making a cache");
	c->fd = TEMP_FAILURE_RETRY(open(c->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	if (c->fd >= 0)
		return TFR_OK;
	/* Where a file cannot be without a name, the name is removed at once. */
	name = tfr_asprintf("%s/.tfr-cache-XXXXXX", c->folder);
	if (!name)
		return tfr_fail_nomem(err, "making a cache");
	c->fd = TEMP_FAILURE_RETRY(mkostemp(name, O_CLOEXEC));
	if (c->fd < 0)
		return tfr_fail_errno(err, errno, c->folder, "cannot make a cache in");
	unlink(name);
	return TFR_OK;
}

static enum tfr_status write_all(
	struct tfr_sample_cache *c, const uint8_t *data, size_t size, struct tfr_error *err)
{
	while (size) {
		ssize_t n = write(c->fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tfr_fail_errno(err, errno, c->folder, "cannot write the cache in");
		data += n;
		size -= (size_t)n;
	}
	return TFR_OK;
}

static enum tfr_status flush(struct tfr_sample_cache *c, struct tfr_error *err)
{
	size_t size = c->window_size;

	c->window_size = 0;
	return write_all(c, c->window, size, err);
}

static enum tfr_status append(
	struct tfr_sample_cache *c, const void *data, size_t size, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	c->file_bytes += size;
	if (c->window_size + size > WINDOW)
		status = flush(c, err);
	if (status == TFR_OK && size > WINDOW)
		return write_all(c, data, size, err);
	if (status == TFR_OK) {
		memcpy(c->window + c->window_size, data, size);
		c->window_size += size;
	}
	return status;
}

static enum tfr_status read_at(
	struct tfr_sample_cache *c, void *to, size_t size, uint64_t at, struct tfr_error *err)
{
	ssize_t n = tfr_fd_read(c->fd, to, size, (int64_t)at);

	if (n >= 0 && (size_t)n == size)
		return TFR_OK;
	return tfr_fail_errno(err, n < 0 ? errno : EIO, c->folder, "cannot read the cache in");
}

/* Small entries come out of a window of the file. */
static enum tfr_status read_entry(
	struct tfr_sample_cache *c, const struct entry *e, void *to, struct tfr_error *err)
{
	enum tfr_status status;

	if (e->bytes > WINDOW / 8)
		return read_at(c, to, e->bytes, e->at, err);
	if (e->at < c->window_at || e->at + e->bytes > c->window_at + c->window_size) {
		uint64_t left = c->file_bytes - e->at;
		size_t size = left < WINDOW ? (size_t)left : WINDOW;

		status = read_at(c, c->window, size, e->at, err);
		if (status)
			return status;
		c->window_at = e->at;
		c->window_size = size;
	}
	memcpy(to, c->window + (e->at - c->window_at), e->bytes);
	return TFR_OK;
}

/* ---- either ---- */

enum tfr_status tfr_sample_cache_new(
	struct tfr_sample_cache **out, const char *file, uint64_t limit, struct tfr_error *err)
{
	struct tfr_sample_cache *c = calloc(1, sizeof(*c));

	*out = c;
	if (!c)
		return tfr_fail_nomem(err, "making a cache");
	c->limit = limit;
	c->fd = -1;
	return file ? open_file(c, file, err) : TFR_OK;
}

void tfr_sample_cache_free(struct tfr_sample_cache *c)
{
	if (!c)
		return;
	while (c->slabs) {
		struct slab *s = c->slabs;

		c->slabs = s->next;
		free(s);
	}
	for (uint64_t i = 0; i * ENTRIES < c->count; i++)
		free(c->entries[i]);
	free(c->entries);
	free(c->folder);
	free(c->window);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}

void tfr_sample_cache_limit(struct tfr_sample_cache *c, uint64_t limit)
{
	c->limit = limit;
}

uint64_t tfr_sample_cache_count(const struct tfr_sample_cache *c)
{
	return c->count;
}

static uint64_t row_bytes(const struct tfr_pixels *px)
{
	return (uint64_t)px->width * px->channels * tfr_dtype_size(px->dtype);
}

static uint64_t pixel_bytes(const struct tfr_pixels *px)
{
	return px->data ? (row_bytes(px) * px->height + LINE - 1) / LINE * LINE : 0;
}

static uint64_t stored_bytes(const struct tfr_feed_sample *s)
{
	if (!s->pixels)
		return s->size;
	return FORMS + pixel_bytes(&s->pixels[0]) + pixel_bytes(&s->pixels[1]);
}

uint64_t tfr_sample_cache_entry_bytes(void)
{
	return sizeof(struct entry);
}

/* Room in memory for an entry's bytes; NULL: there is none. */
static uint8_t *take(struct tfr_sample_cache *c, uint64_t bytes)
{
	struct slab *s = c->slabs;
	uint64_t need = (bytes + LINE - 1) / LINE * LINE;

	if (bytes < LINE * 8) /* small records are packed */
		need = (bytes + 15) / 16 * 16;
	if (!s || s->capacity - s->used < need) {
		size_t capacity = need > SLAB / 4 ? (size_t)need : SLAB;

		s = aligned_alloc(LINE, (sizeof(*s) + capacity + LINE - 1) / LINE * LINE);
		if (!s)
			return NULL;
		*s = (struct slab){ .capacity = capacity };
		/* A slab for one large entry does not replace the slab that has room. */
		if (c->slabs && capacity != SLAB) {
			s->next = c->slabs->next;
			c->slabs->next = s;
		} else {
			s->next = c->slabs;
			c->slabs = s;
		}
	}
	s->used += need;
	return s->bytes + s->used - need;
}

static enum tfr_status too_much(const struct tfr_sample_cache *c, struct tfr_error *err)
{
	char limit[TFR_SIZE_TEXT];

	tfr_fail(err, TFR_ENOMEM, "the cache does not fit the %s that are left for it",
		tfr_format_size(c->limit, limit));
	tfr_error_hint(err, "Raise --memory, or cache in a file: cache=FILE.");
	return TFR_ENOMEM;
}

static struct entry *new_entry(struct tfr_sample_cache *c, const struct tfr_feed_sample *s)
{
	uint64_t block = c->count / ENTRIES;
	struct entry *e;

	if (c->count % ENTRIES == 0) {
		if (TFR_ARRAY_ONE_MORE(c->entries, block))
			return NULL;
		c->entries[block] = malloc(ENTRIES * sizeof(struct entry));
		if (!c->entries[block])
			return NULL;
	}
	e = &c->entries[block][c->count % ENTRIES];
	*e = (struct entry){
		.ordinal = s->ordinal,
		.record = s->record,
		.offset = s->offset,
		.size = s->size,
		.bytes = stored_bytes(s),
		.image_at = s->image ? (uint32_t)(s->image - s->data) : 0,
		.image_size = (uint32_t)s->image_size,
		.mask_at = s->mask ? (uint32_t)(s->mask - s->data) : 0,
		.mask_size = (uint32_t)s->mask_size,
		.file = s->file,
		.copy = s->copy,
		.pixels = s->pixels,
	};
	c->count++;
	return e;
}

/* The bytes of an entry, piece by piece. */
struct entry_writer {
	struct tfr_sample_cache *c;
	uint8_t *memory; /* NULL: to the file */
};

static enum tfr_status put(
	struct entry_writer *pen, const void *data, size_t size, struct tfr_error *err)
{
	if (!pen->memory)
		return append(pen->c, data, size, err);
	memcpy(pen->memory, data, size);
	pen->memory += size;
	return TFR_OK;
}

static enum tfr_status put_pixels(
	struct entry_writer *pen, const struct tfr_pixels *px, struct tfr_error *err)
{
	static const uint8_t zeros[LINE];
	uint64_t row = row_bytes(px), rest = pixel_bytes(px) - row * px->height;
	enum tfr_status status = TFR_OK;

	for (uint32_t y = 0; status == TFR_OK && y < px->height; y++)
		status = put(pen, (const uint8_t *)px->data + y * px->stride, row, err);
	return status ? status : put(pen, zeros, rest, err);
}

/* Points the forms to the pixels after them. */
static void point(struct tfr_pixels *forms, uint8_t *bytes)
{
	forms[0].data = bytes + FORMS;
	forms[0].stride = row_bytes(&forms[0]);
	if (forms[1].data) {
		forms[1].data = bytes + FORMS + pixel_bytes(&forms[0]);
		forms[1].stride = row_bytes(&forms[1]);
	}
}

static enum tfr_status put_sample(
	struct entry_writer pen, const struct tfr_feed_sample *s, struct tfr_error *err)
{
	union {
		uint8_t bytes[FORMS];
		struct tfr_pixels forms[2];
	} head = { { 0 } };
	enum tfr_status status;

	if (!s->pixels)
		return put(&pen, s->data, s->size, err);
	memcpy(head.forms, s->pixels, 2 * sizeof(*s->pixels));
	if (pen.memory)
		point(head.forms, pen.memory);
	status = put(&pen, head.bytes, FORMS, err);
	if (status == TFR_OK)
		status = put_pixels(&pen, &s->pixels[0], err);
	if (status == TFR_OK && s->pixels[1].data)
		status = put_pixels(&pen, &s->pixels[1], err);
	return status;
}

enum tfr_status tfr_sample_cache_add(
	struct tfr_sample_cache *c, const struct tfr_feed_sample *s, struct tfr_error *err)
{
	struct entry_writer pen = { .c = c };
	struct entry *e = new_entry(c, s);

	if (!e)
		return tfr_fail_nomem(err, "caching");
	c->bytes += sizeof(*e);
	if (c->fd >= 0) {
		e->at = c->file_bytes;
		return put_sample(pen, s, err);
	}
	c->bytes += e->bytes;
	if (c->bytes > c->limit)
		return too_much(c, err);
	e->memory = pen.memory = take(c, e->bytes ? e->bytes : 1);
	return e->memory ? put_sample(pen, s, err) : tfr_fail_nomem(err, "caching");
}

enum tfr_status tfr_sample_cache_seal(struct tfr_sample_cache *c, struct tfr_error *err)
{
	return c->fd >= 0 ? flush(c, err) : TFR_OK;
}

static enum tfr_status fill(struct tfr_sample_cache *c, const struct entry *e, uint64_t epoch,
	struct tfr_feed_sample *s, struct tfr_error *err)
{
	uint8_t *bytes = c->fd >= 0 ? s->memory : e->memory;
	enum tfr_status status = c->fd >= 0 ? read_entry(c, e, bytes, err) : TFR_OK;

	s->epoch = epoch;
	s->ordinal = e->ordinal;
	s->record = e->record;
	s->offset = e->offset;
	s->size = e->size;
	s->file = e->file;
	s->copy = e->copy;
	if (e->pixels) {
		s->pixels = (struct tfr_pixels *)bytes;
		if (c->fd >= 0 && status == TFR_OK)
			point(s->pixels, bytes);
		return status;
	}
	s->data = bytes;
	s->image = e->image_size ? bytes + e->image_at : NULL;
	s->image_size = e->image_size;
	s->mask = e->mask_size ? bytes + e->mask_at : NULL;
	s->mask_size = e->mask_size;
	return status;
}

enum { AT_ONCE = 256 };

enum tfr_status tfr_sample_cache_get(struct tfr_sample_cache *c, struct tfr_sample_pool *store,
	uint64_t first, unsigned n, uint64_t epoch, struct tfr_feed_sample **out,
	struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	size_t sizes[AT_ONCE];

	for (unsigned at = 0; at < n; at += AT_ONCE) {
		unsigned count = n - at < AT_ONCE ? n - at : AT_ONCE;

		for (unsigned i = 0; i < count; i++) {
			uint64_t k = first + at + i;

			sizes[i] = c->fd >= 0 ? c->entries[k / ENTRIES][k % ENTRIES].bytes : 0;
		}
		if (!tfr_samples_get(store, sizes, count, out + at)) {
			tfr_samples_put(store, out, at);
			return tfr_fail_nomem(err, "taking records out of the cache");
		}
		for (unsigned i = 0; status == TFR_OK && i < count; i++) {
			uint64_t k = first + at + i;

			status = fill(
				c, &c->entries[k / ENTRIES][k % ENTRIES], epoch, out[at + i], err);
		}
		if (status) {
			tfr_samples_put(store, out, at + count);
			return status;
		}
	}
	return TFR_OK;
}
