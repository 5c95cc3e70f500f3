/* base/escape.c - escapes names and texts from data for a terminal, a shell or an HTML page.
 *
 * base/utf8.h alone decides which characters are harmless.  Every other byte becomes \xNN. */
#include "base/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/utf8.h"

size_t tfr_text_harmless(const void *text, size_t size)
{
	size_t len = size ? tfr_utf8_length(text, size) : 0;

	return tfr_utf8_harmless(text, len) ? len : 0;
}

bool tfr_text_all_harmless(const void *text, size_t size)
{
	const uint8_t *p = text, *end = p + size;
	size_t len = 1;

	for (; p < end && len; p += len)
		len = tfr_text_harmless(p, (size_t)(end - p));
	return len;
}

/* Writes the next character in its printable form to `to` and the number of its bytes to *used.
 * Returns the number of bytes written. */
static size_t escape_one(char to[5], const uint8_t *p, size_t left, bool exact, size_t *used)
{
	size_t len = tfr_text_harmless(p, left);

	*used = len ? len : 1;
	if (exact && *p == '\\')
		return (size_t)sprintf(to, "\\\\");
	if (!len)
		return (size_t)sprintf(to, "\\x%02x", *p);
	memcpy(to, p, len);
	return len;
}

static char *escape(char *text, size_t size, const uint8_t *p, size_t left, bool exact)
{
	size_t used = 0, step;
	char one[5];

	for (; left; p += step, left -= step) {
		size_t n = escape_one(one, p, left, exact, &step);

		if (used + n >= size)
			break;
		memcpy(text + used, one, n);
		used += n;
	}
	text[used] = '\0';
	return text;
}

char *tfr_escape_bytes(char *text, size_t size, const void *raw, size_t n)
{
	return escape(text, size, raw, n, false);
}

char *tfr_escape_line(char *text, size_t size, const char *raw)
{
	return escape(text, size, (const uint8_t *)raw, strlen(raw), false);
}

char *tfr_escape_name(char *text, size_t size, const char *raw)
{
	return escape(text, size, (const uint8_t *)raw, strlen(raw), true);
}

bool tfr_escape_exactly(struct tfr_buf *b, const void *text, size_t size)
{
	const uint8_t *p = text, *end = p + size;
	bool room = true;
	char one[5];

	for (size_t step; room && p < end; p += step) {
		size_t n = escape_one(one, p, (size_t)(end - p), true, &step);

		room = tfr_buf_append(b, one, n);
	}
	return room;
}

/* --- for a shell --- */

static bool is_plain(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789@%+=:,./_-")];
}

/* Inside $'...', which bash, zsh and ksh support, and POSIX since 2024. */
static bool put_dollar(struct tfr_buf *b, const char *word)
{
	size_t left = strlen(word), len;
	bool room = tfr_buf_append(b, "$'", 2);

	for (; room && left; word += len, left -= len) {
		len = tfr_text_harmless(word, left);
		if (*word == '\'' || *word == '\\')
			room = tfr_buf_printf(b, "\\%c", *word);
		else if (len)
			room = tfr_buf_append(b, word, len);
		else /* in octal: some shells would read a digit after \xNN as part of it */
			room = tfr_buf_printf(b, "\\%03o", (unsigned char)*word);
		len = len ? len : 1;
	}
	return room && tfr_buf_append(b, "'", 1);
}

static bool put_single(struct tfr_buf *b, const char *word)
{
	bool room = tfr_buf_append(b, "'", 1);

	for (; room && *word; word++)
		room = *word == '\'' ? tfr_buf_append(b, "'\\''", 4) : tfr_buf_append(b, word, 1);
	return room && tfr_buf_append(b, "'", 1);
}

char *tfr_escape_word(const char *word)
{
	struct tfr_buf b = { 0 };
	bool room;

	if (is_plain(word))
		room = tfr_buf_append(&b, word, strlen(word));
	else
		room = tfr_text_all_harmless(word, strlen(word)) ? put_single(&b, word)
								 : put_dollar(&b, word);
	if (!room || !tfr_buf_append(&b, "", 1))
		tfr_buf_clear(&b);
	return (char *)b.data;
}
