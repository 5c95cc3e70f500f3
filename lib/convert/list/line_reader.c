/* convert/list/line_reader.c - a window over the file that grows to the longest row and no further.
 */
#include "convert/list/line_reader.h"

#include <string.h>

enum { BLOCK = 256 << 10, LINE_MAX_BYTES = INT32_MAX - (1 << 16) };

enum tfr_status tfr_lines_open(struct tfr_lines *l, const char *path, struct tfr_error *err)
{
	*l = (struct tfr_lines){ .feed = '\n' };
	return tfr_source_open(&l->source, path, err);
}

enum tfr_status tfr_lines_fill(struct tfr_lines *l, size_t room, bool row, struct tfr_error *err)
{
	size_t n;

	if (l->row) {
		memmove(l->buf.data, l->buf.data + l->row, l->buf.size - l->row);
		l->buf.size -= l->row;
		l->at -= l->row;
		l->row = 0;
	}
	if (l->buf.size > LINE_MAX_BYTES)
		return tfr_fail(err, TFR_EDATA, "a %s of 2 GiB or more in '%s', line %llu",
			row ? "row" : "line", tfr_source_name(l->source),
			(unsigned long long)(row ? l->first : l->number + 1));
	TFR_NEED_MEMORY(tfr_buf_reserve(&l->buf, room), err, "reading a list");
	TFR_TRY(tfr_source_read_some(
		l->source, l->buf.data + l->buf.size, l->buf.cap - l->buf.size, &n, err));
	l->buf.size += n;
	l->end = n == 0;
	return TFR_OK;
}

/* Whether the first line ends in CR alone: no LF was read yet, and CR, outside of quotes, is before
 * another byte. */
static bool ends_in_cr(const struct tfr_lines *l)
{
	const uint8_t *from = l->buf.data + l->at, *end = l->buf.data + l->buf.size;
	bool quoted = false;

	for (const uint8_t *p = from; p + 1 < end && *p != '\n'; p++) {
		quoted ^= *p == '"';
		if (*p == '\r' && !quoted)
			return p[1] != '\n' && !memchr(p, '\n', (size_t)(end - p));
	}
	return false;
}

enum tfr_status tfr_lines_more(
	struct tfr_lines *l, const char **line, size_t *size, struct tfr_error *err)
{
	size_t searched = 0;

	for (;;) {
		size_t left = l->buf.size - l->at;
		const uint8_t *from = left ? l->buf.data + l->at : NULL;
		const uint8_t *feed;

		if (left && !l->number && l->feed != '\r' && ends_in_cr(l))
			l->feed = '\r';
		feed = left > searched ? memchr(from + searched, l->feed, left - searched) : NULL;
		if (feed || (l->end && left)) {
			*line = (const char *)from;
			*size = feed ? (size_t)(feed + 1 - from) : left;
			l->at += *size;
			l->next += *size;
			l->number++;
			return TFR_OK;
		}
		if (l->end)
			return TFR_END;
		searched = left;
		TFR_TRY(tfr_lines_fill(l, BLOCK, l->at > l->row, err));
	}
}

enum tfr_status tfr_lines_next(
	struct tfr_lines *l, const char **line, size_t *size, struct tfr_error *err)
{
	l->row = l->at;
	l->offset = l->next;
	l->first = l->number + 1;
	return tfr_lines_more(l, line, size, err);
}

void tfr_lines_return(struct tfr_lines *l)
{
	l->at = l->row;
	l->next = l->offset;
	l->number = l->first - 1;
}

void tfr_lines_clear(struct tfr_lines *l)
{
	tfr_source_close(l->source);
	tfr_buf_clear(&l->buf);
}
