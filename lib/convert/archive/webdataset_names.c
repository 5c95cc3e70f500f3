/* convert/archive/webdataset_names.c - a sample is its key and a list of fields, without their
 * bytes; a name with braces stands for several. */
#include "convert/archive/webdataset_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* --- samples --- */

size_t tfr_sample_key(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;
	const char *dot = strchr(last, '.');

	return dot && dot > last ? (size_t)(dot - path) : 0;
}

static bool is_image(const char *field)
{
	static const char *const names[] = { "jpg", "jpeg", "png", "webp", "gif", "bmp" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(field, names[i]))
			return true;
	return false;
}

bool tfr_sample_start(struct tfr_sample *s, const char *path)
{
	s->key.size = s->names.size = s->n_parts = 0;
	s->has_image = s->has_audio = false;
	return tfr_buf_append(&s->key, path, tfr_sample_key(path)) &&
	       tfr_buf_append(&s->key, "", 1);
}

bool tfr_sample_has(const struct tfr_sample *s, const char *path)
{
	size_t n = tfr_sample_key(path);

	return n && n == s->key.size - 1 && !memcmp(s->key.data, path, n);
}

/* ASCII letters become lower case; other characters stay. */
static bool append_field(struct tfr_buf *names, const char *field)
{
	size_t at = names->size, n = strlen(field) + 1;

	if (!tfr_buf_append(names, field, n))
		return false;
	for (uint8_t *p = names->data + at; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p |= 0x20;
	return true;
}

enum tfr_status tfr_sample_add(struct tfr_sample *s, const char *path, uint64_t place,
	uint64_t size, struct tfr_error *err)
{
	struct tfr_sample_field part = { .name = s->names.size, .place = place, .size = size };
	const char *field;

	TFR_NEED_MEMORY(
		append_field(&s->names, path + tfr_sample_key(path) + 1), err, "reading samples");
	field = (const char *)s->names.data + part.name;
	for (size_t i = 0; i < s->n_parts; i++)
		if (!strcmp(tfr_sample_field(s, i), field))
			return tfr_fail(err, TFR_EDATA,
				"sample '%.200s' has field '%.100s' twice, the second time in "
				"'%.200s'",
				(const char *)s->key.data, field, path);
	part.image = !s->has_image && is_image(field);
	part.audio = !s->has_audio && !strcmp(field, "wav");
	s->has_image |= part.image;
	s->has_audio |= part.audio;
	s->audio.size = part.audio ? 0 : s->audio.size;
	if (part.audio && !tfr_buf_append(&s->audio, path, strlen(path) + 1))
		return tfr_fail_nomem(err, "reading samples");
	if (TFR_ARRAY_RESERVE(s->parts, s->parts_cap, s->n_parts + 1))
		return tfr_fail_nomem(err, "reading samples");
	s->parts[s->n_parts++] = part;
	return TFR_OK;
}

void tfr_sample_clear(struct tfr_sample *s)
{
	tfr_buf_clear(&s->key);
	tfr_buf_clear(&s->names);
	free(s->parts);
	tfr_buf_clear(&s->audio);
	*s = (struct tfr_sample){ 0 };
}

/* --- braces --- */

enum { MOST = 1000000, DEEPEST = 64, DIGITS = 18 };

/* A text with a brace that has alternatives. */
struct brace {
	struct tfr_names *names;
	const char *text, *open, *close;
	unsigned depth;
	struct tfr_error *err;
};

static enum tfr_status expand(
	struct tfr_names *names, const char *text, unsigned depth, struct tfr_error *err);

enum tfr_status tfr_names_add(struct tfr_names *names, const char *text, struct tfr_error *err)
{
	if (names->n == MOST)
		return tfr_fail(err, TFR_EUSAGE, "braces that expand to over a million names");
	TFR_NEED_MEMORY(
		tfr_names_insert(names, names->n, text, strlen(text)), err, "listing the inputs");
	return TFR_OK;
}

/* The brace that closes the one at `open`; NULL: none. */
static const char *closing(const char *open)
{
	unsigned depth = 0;

	for (const char *p = open; *p; p++) {
		depth += *p == '{';
		depth -= *p == '}';
		if (!depth)
			return p;
	}
	return NULL;
}

/* Expands the text with the first `n` bytes of `middle` in place of the brace. */
static enum tfr_status replace(const struct brace *b, const char *middle, size_t n)
{
	TFR_AUTO_FREE char *whole = tfr_asprintf(
		"%.*s%.*s%s", (int)(b->open - b->text), b->text, (int)n, middle, b->close + 1);

	if (!whole)
		return tfr_fail_nomem(b->err, "listing the inputs");
	return expand(b->names, whole, b->depth + 1, b->err);
}

/* "A..B" between the braces.  TFR_END: there is something else. */
static enum tfr_status expand_range(const struct brace *b)
{
	const char *first = b->open + 1, *dots = first;
	char *end, number[32];
	long long k, last;

	while (isdigit((unsigned char)*dots))
		dots++;
	if (dots == first || dots - first >= DIGITS || strncmp(dots, "..", 2) ||
		!isdigit((unsigned char)dots[2]) || b->close - dots > DIGITS)
		return TFR_END;
	k = strtoll(first, NULL, 10);
	last = strtoll(dots + 2, &end, 10);
	if (end != b->close)
		return TFR_END;
	for (int step = k <= last ? 1 : -1;; k += step) {
		int n = snprintf(number, sizeof(number), "%0*lld",
			*first == '0' ? (int)(dots - first) : 1, k);

		TFR_TRY(replace(b, number, (size_t)n));
		if (k == last)
			return TFR_OK;
	}
}

/* Words between commas that are not in nested braces.  TFR_END: there is no comma. */
static enum tfr_status expand_words(const struct brace *b)
{
	const char *word = b->open + 1;
	unsigned inside = 0;

	for (const char *p = word; p <= b->close; p++) {
		if (p == b->close && word == b->open + 1)
			return TFR_END;
		if (p == b->close || (*p == ',' && !inside)) {
			TFR_TRY(replace(b, word, (size_t)(p - word)));
			word = p + 1;
		}
		inside += *p == '{';
		inside -= *p == '}';
	}
	return TFR_OK;
}

/* Replaces the first brace by each of its alternatives, and expands the result in the same way. */
static enum tfr_status expand(
	struct tfr_names *names, const char *text, unsigned depth, struct tfr_error *err)
{
	struct brace b = { names, text, text, NULL, depth, err };

	if (depth > DEEPEST)
		return tfr_fail(err, TFR_EUSAGE, "over %d braces in '%s'", DEEPEST, text);
	for (; (b.open = strchr(b.open, '{')); b.open++) {
		enum tfr_status status;

		b.close = closing(b.open);
		status = b.close ? expand_range(&b) : TFR_END;
		if (status == TFR_END && b.close)
			status = expand_words(&b);
		if (status != TFR_END)
			return status;
	}
	return tfr_names_add(names, text, err);
}

enum tfr_status tfr_braces_expand(struct tfr_names *names, const char *text, struct tfr_error *err)
{
	return expand(names, text, 0, err);
}
