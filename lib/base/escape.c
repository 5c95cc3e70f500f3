/* base/escape.c - a file name may hold a newline or an escape sequence; what is printed of it must
 * not. */
#include <stdio.h>

#include <tfr/text.h>

char *tfr_escape_line(char *text, size_t size, const char *raw)
{
	size_t n = 0;

	for (; *raw; raw++) {
		unsigned char c = (unsigned char)*raw;
		size_t need = c < 0x20 || c == 0x7f ? 4 : 1;

		if (n + need >= size)
			break;
		if (need == 4)
			snprintf(text + n, 5, "\\x%02x", c);
		else
			text[n] = (char)c;
		n += need;
	}
	text[n] = '\0';
	return text;
}
