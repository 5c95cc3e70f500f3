/* convert/archive/tar.c - reads a tar archive header by header: ustar, GNU's long names and pax
 * (POSIX.1-2017, pax, "ustar Interchange Format" and "pax Header Block"; GNU tar's manual,
 * "Basic Tar Format").
 *
 * A header has 512 bytes; the member's bytes follow, padded to a multiple of 512.  Nothing is
 * trusted before its checksum is verified, and no length before so many bytes have arrived.
 * Another archive can follow the end of one, as cat joins them. */
#include <stdlib.h>
#include <string.h>

#include "convert/archive/members.h"

enum {
	BLOCK = 512,
	LONGEST = 1 << 20, /* bytes of a long name or of pax records */
	STEP = 1 << 20,
};

struct tar {
	struct tfr_archive m;
	struct tfr_buf path, extra; /* of the member, and of the headers before it */
	bool has_path, has_size, pax, sparse, strange; /* set by the headers before it */
	uint64_t size;
	uint64_t left, padding; /* of the last member, not yet read */
	bool ended;		/* the previous block was all zeros */
};

/* --- a header --- */

static uint64_t sum_of(const uint8_t *h, bool with_signs)
{
	uint64_t sum = 0;

	for (int i = 0; i < BLOCK; i++) {
		uint8_t c = i >= 148 && i < 156 ? ' ' : h[i];

		sum += with_signs ? (uint64_t)(int64_t)(int8_t)c : c;
	}
	return sum;
}

/* Octal digits between spaces or NULs, or, as in GNU tar and star, 0x80 and a big-endian number. */
static bool number(const uint8_t *p, size_t n, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	if (p[0] & 0x80) {
		if (p[0] != 0x80)
			return false; /* negative */
		for (i = 1; i < n; i++) {
			if (*value >> 55)
				return false;
			*value = *value << 8 | p[i];
		}
		return true;
	}
	while (i < n && p[i] == ' ')
		i++;
	for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
		*value = *value << 3 | (uint64_t)(p[i] - '0');
	return i == n || !p[i] || p[i] == ' ';
}

static bool is_header(const uint8_t *h)
{
	uint64_t told;

	return number(h + 148, 8, &told) && (told == sum_of(h, false) || told == sum_of(h, true));
}

static bool is_zero(const uint8_t *h)
{
	return !h[0] && !memcmp(h, h + 1, BLOCK - 1);
}

bool tfr_tar_recognises(const uint8_t *head, size_t size)
{
	return size >= BLOCK && (is_header(head) || is_zero(head));
}

static enum tfr_status cut_short(struct tar *t, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, t->m.feed.name,
		"archive truncated at byte %llu:", (unsigned long long)tfr_feed_end(&t->m.feed));
}

static enum tfr_status damaged(struct tar *t, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, t->m.feed.name, "%s at byte %llu of the archive", what,
		(unsigned long long)t->m.feed.place);
}

/* --- headers before a member --- */

/* Reads the payload of a header, and adds a NUL. */
static enum tfr_status read_extra(struct tar *t, uint64_t size, struct tfr_error *err)
{
	uint64_t padded = (size + BLOCK - 1) / BLOCK * BLOCK;
	size_t got;

	if (size > LONGEST)
		return damaged(t, "a name longer than 1 MiB", err);
	t->extra.size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(&t->extra, (size_t)padded + 1), err, "reading an archive");
	TFR_TRY(tfr_feed_read(&t->m.feed, t->extra.data, (size_t)padded, &got, err));
	if (got < padded)
		return cut_short(t, err);
	t->extra.size = (size_t)size;
	t->extra.data[size] = '\0';
	return TFR_OK;
}

static bool set_path(struct tar *t, const uint8_t *p, size_t n)
{
	t->has_path = true;
	t->strange |= memchr(p, 0, n) != NULL;
	t->path.size = 0;
	return tfr_buf_append(&t->path, p, n) && tfr_buf_append(&t->path, "", 1);
}

static bool pax_size(const uint8_t *p, size_t n, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9' || *value > INT64_MAX / 10 - 1)
			return false;
		*value = *value * 10 + (uint64_t)(p[i] - '0');
	}
	return n > 0;
}

static bool key_is(const uint8_t *key, size_t n, const char *name)
{
	return n == strlen(name) && !memcmp(key, name, n);
}

static enum tfr_status pax_record(struct tar *t, const uint8_t *key, size_t key_size,
	const uint8_t *value, size_t size, struct tfr_error *err)
{
	t->sparse |= key_size > 11 && !memcmp(key, "GNU.sparse.", 11);
	if (key_is(key, key_size, "size")) {
		t->has_size = true;
		if (!pax_size(value, size, &t->size))
			return damaged(t, "an invalid pax record before", err);
	}
	if ((key_is(key, key_size, "path") || key_is(key, key_size, "GNU.sparse.name")) &&
		!set_path(t, value, size))
		return tfr_fail_nomem(err, "reading an archive");
	return TFR_OK;
}

/* Parses records of the form "LENGTH KEY=VALUE\n", whose length counts the complete record. */
static enum tfr_status pax_records(struct tar *t, struct tfr_error *err)
{
	const uint8_t *p = t->extra.data, *end = p + t->extra.size;

	while (p < end && *p) {
		const uint8_t *digits = p, *equals;
		uint64_t n;

		while (p < end && *p >= '0' && *p <= '9')
			p++;
		if (p == end || *p != ' ' || !pax_size(digits, (size_t)(p - digits), &n) ||
			n > (uint64_t)(end - digits) || n < (uint64_t)(p - digits) + 3 ||
			digits[n - 1] != '\n')
			return damaged(t, "an invalid pax record before", err);
		p++;
		equals = memchr(p, '=', (size_t)(digits + n - 1 - p));
		if (!equals)
			return damaged(t, "an invalid pax record before", err);
		TFR_TRY(pax_record(t, p, (size_t)(equals - p), equals + 1,
			(size_t)(digits + n - 1 - (equals + 1)), err));
		p = digits + n;
	}
	return TFR_OK;
}

/* Handles a header that only describes the next one.  *yes: it was one. */
static enum tfr_status before_a_member(
	struct tar *t, const uint8_t *h, uint64_t size, bool *yes, struct tfr_error *err)
{
	char kind = (char)h[156];

	*yes = strchr("LKxgX", kind) && kind;
	if (!*yes)
		return TFR_OK;
	tfr_feed_take(&t->m.feed, BLOCK);
	TFR_TRY(read_extra(t, size, err));
	if (kind == 'K' || kind == 'g')
		return TFR_OK;
	if (kind != 'L') {
		t->pax = true;
		return pax_records(t, err);
	}
	if (!t->has_path && !set_path(t, t->extra.data, strlen((char *)t->extra.data)))
		return tfr_fail_nomem(err, "reading an archive");
	return TFR_OK;
}

/* --- a member --- */

static bool path_of(struct tar *t, const uint8_t *h)
{
	bool prefix = !memcmp(h + 257, "ustar", 6) && h[345];

	if (t->has_path)
		return true;
	t->path.size = 0;
	if (prefix && (!tfr_buf_append(&t->path, h + 345, strnlen((char *)h + 345, 155)) ||
			      !tfr_buf_append(&t->path, "/", 1)))
		return false;
	return tfr_buf_append(&t->path, h, strnlen((char *)h, 100)) &&
	       tfr_buf_append(&t->path, "", 1);
}

static void describe(const struct tar *t, char kind, struct tfr_member *member)
{
	static const char *const faults[] = { "a hard link", "a symbolic link", "a device",
		"a device", NULL, "a FIFO" };
	size_t n = t->path.size - 1;

	member->kind = TFR_MEMBER_OTHER;
	if (!kind || kind == '0' || kind == '7')
		member->kind =
			n && t->path.data[n - 1] == '/' ? TFR_MEMBER_FOLDER : TFR_MEMBER_FILE;
	else if (kind == '5' || kind == 'D' || kind == 'V')
		member->kind = TFR_MEMBER_FOLDER; /* or the name of a volume: nothing to read */
	else
		member->fault =
			kind >= '1' && kind <= '6' ? faults[kind - '1'] : "of an unknown kind";
	if (kind == 'S' || t->sparse)
		member->fault = "a sparse file";
	if (t->strange)
		member->fault = "a name with a NUL in it";
	if (member->fault)
		member->kind = TFR_MEMBER_OTHER;
}

/* The other blocks of a sparse file's map come before its bytes. */
static enum tfr_status pass_sparse_map(struct tar *t, bool more, struct tfr_error *err)
{
	const uint8_t *h;
	size_t got;

	while (more) {
		TFR_TRY(tfr_feed_peek(&t->m.feed, BLOCK, &h, &got, err));
		if (got < BLOCK)
			return cut_short(t, err);
		more = h[504];
		tfr_feed_take(&t->m.feed, BLOCK);
	}
	return TFR_OK;
}

static enum tfr_status take_member(struct tar *t, const uint8_t *h, uint64_t size,
	struct tfr_member *member, struct tfr_error *err)
{
	char kind = (char)h[156];
	bool sparse_map = kind == 'S' && h[482];

	TFR_NEED_MEMORY(path_of(t, h), err, "reading an archive");
	if (t->has_size)
		size = t->size;
	/* A member without bytes can have a size; a link written by pax can have bytes. */
	if (kind && (strchr("23456V", kind) || (kind == '1' && !t->pax)))
		size = 0;
	tfr_feed_take(&t->m.feed, BLOCK);
	TFR_TRY(pass_sparse_map(t, sparse_map, err));
	if (size > INT64_MAX - BLOCK)
		return damaged(t, "a size past 2^63", err);
	if (!tfr_feed_has(&t->m.feed, size))
		return cut_short(t, err);
	*member = (struct tfr_member){
		.path = (const char *)t->path.data, .size = size, .place = t->m.feed.place
	};
	describe(t, kind, member);
	t->left = size;
	t->padding = (BLOCK - size % BLOCK) % BLOCK;
	t->has_path = t->has_size = t->pax = t->sparse = t->strange = false;
	return TFR_OK;
}

static enum tfr_status pass_rest(struct tar *t, struct tfr_error *err)
{
	bool there = true;

	TFR_TRY(tfr_feed_skip(&t->m.feed, t->left + t->padding, &there, err));
	if (!there)
		return cut_short(t, err);
	t->left = t->padding = 0;
	return TFR_OK;
}

static enum tfr_status next_header(
	struct tar *t, const uint8_t **h, uint64_t *size, struct tfr_error *err)
{
	size_t got;

	for (;;) {
		TFR_TRY(tfr_feed_peek(&t->m.feed, BLOCK, h, &got, err));
		if (!got && !t->has_path && !t->pax)
			return TFR_END;
		if (got < BLOCK)
			return t->ended ? TFR_END : cut_short(t, err);
		if (!is_zero(*h))
			break;
		t->ended = true;
		tfr_feed_take(&t->m.feed, BLOCK);
	}
	if (!is_header(*h) || !number(*h + 124, 12, size))
		return t->ended ? TFR_END : damaged(t, "not a tar header", err);
	t->ended = false;
	return TFR_OK;
}

static enum tfr_status next(struct tfr_archive *m, struct tfr_member *member, struct tfr_error *err)
{
	struct tar *t = (struct tar *)m;
	const uint8_t *h;
	uint64_t size = 0;
	bool again = true;

	TFR_TRY(pass_rest(t, err));
	while (again) {
		TFR_TRY(next_header(t, &h, &size, err));
		TFR_TRY(before_a_member(t, h, size, &again, err));
	}
	return take_member(t, h, size, member, err);
}

static enum tfr_status read_some(
	struct tfr_archive *m, struct tfr_buf *into, size_t most, struct tfr_error *err)
{
	struct tar *t = (struct tar *)m;

	while (most && t->left) {
		size_t n = most < t->left ? most : (size_t)t->left, got;

		/* In a file, the size was checked; from a pipe it can be a false claim. */
		if (!m->feed.seekable && n > STEP)
			n = STEP;
		TFR_NEED_MEMORY(tfr_buf_reserve(into, n), err, "reading an archive");
		TFR_TRY(tfr_feed_read(&m->feed, into->data + into->size, n, &got, err));
		if (got < n)
			return cut_short(t, err);
		into->size += n;
		t->left -= n;
		most -= n;
	}
	return TFR_OK;
}

static enum tfr_status rewind_tar(struct tfr_archive *m, struct tfr_error *err)
{
	struct tar *t = (struct tar *)m;

	(void)err;
	tfr_feed_seek(&m->feed, m->begin);
	t->left = t->padding = 0;
	t->has_path = t->has_size = t->pax = t->sparse = t->strange = t->ended = false;
	return TFR_OK;
}

static void close_tar(struct tfr_archive *m)
{
	struct tar *t = (struct tar *)m;

	tfr_buf_clear(&t->path);
	tfr_buf_clear(&t->extra);
	free(t);
}

static const struct tfr_archive_ops tar_ops = {
	.next = next,
	.read = read_some,
	.rewind = rewind_tar,
	.close = close_tar,
};

enum tfr_status tfr_tar_open(struct tfr_archive **m, struct tfr_feed *feed, struct tfr_error *err)
{
	struct tar *t = calloc(1, sizeof(*t));

	TFR_NEED_MEMORY(t, err, "reading an archive");
	t->m.ops = &tar_ops;
	t->m.feed = *feed;
	t->m.placed = t->m.rewindable = feed->seekable;
	*m = &t->m;
	return TFR_OK;
}
