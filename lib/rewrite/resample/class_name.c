/* rewrite/resample/class_name.c - names of classes as written by users. */
#include "rewrite/resample/class_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The byte of an escape sequence; *used is the number of its characters after the backslash. -1:
 * unknown. */
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
