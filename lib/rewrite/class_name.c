/* rewrite/class_name.c - names of classes in and out of the escapes that make any bytes a line of
 * text. */
#include "rewrite/class_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

bool tfr_class_number(const void *text, size_t size, int64_t *number)
{
	char copy[24], again[24];
	int n;

	if (!size || size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	*number = strtoll(copy, NULL, 10);
	n = snprintf(again, sizeof(again), "%lld", (long long)*number);
	return (size_t)n == size && !memcmp(copy, again, size);
}

/* C1 controls (U+0080 to U+009F) move a terminal's cursor as the first 32 characters do. */
static bool harmless(const uint8_t *p, size_t length)
{
	if (length == 1)
		return p[0] >= 0x20 && p[0] != 0x7f && p[0] != '\\';
	return length > 1 && !(p[0] == 0xc2 && p[1] < 0xa0);
}

bool tfr_class_escape(struct tfr_buf *b, const void *text, size_t size)
{
	const uint8_t *p = text, *end = p + size;
	bool room = true;

	while (room && p < end) {
		size_t length = tfr_utf8_length(p, (size_t)(end - p));

		if (harmless(p, length)) {
			room = tfr_buf_append(b, p, length);
		} else {
			length = 1;
			room = *p == '\\' ? tfr_buf_append(b, "\\\\", 2)
					  : tfr_buf_printf(b, "\\x%02x", *p);
		}
		p += length;
	}
	return room;
}

/* The byte an escape stands for; *used are its characters behind the backslash.  -1: none. */
static int escaped_byte(const char *p, size_t size, size_t *used)
{
	static const char letters[] = "\\\"'nrt", bytes[] = "\\\"'\n\r\t";
	const char *letter = size && *p ? strchr(letters, *p) : NULL;
	unsigned value;

	*used = 1;
	if (letter)
		return bytes[letter - letters];
	if (size < 3 || p[0] != 'x' || !isxdigit((unsigned char)p[1]) ||
		!isxdigit((unsigned char)p[2]))
		return -1;
	*used = 3;
	sscanf((char[]){ p[1], p[2], '\0' }, "%2x", &value);
	return (int)value;
}

bool tfr_class_unescape(char *text, size_t *size)
{
	size_t to = 0, used;

	for (size_t at = 0; at < *size; at++) {
		int byte = (unsigned char)text[at];

		if (byte == '\\') {
			byte = escaped_byte(text + at + 1, *size - at - 1, &used);
			if (byte < 0) {
				*size = at;
				return false;
			}
			at += used;
		}
		text[to++] = (char)byte;
	}
	*size = to;
	return true;
}
