/* cmd/common/html_page.c - a text file for a browser: HTML, or JSON for another program's window.
 *
 * Data goes through page_escaped(), which escapes characters with a meaning in HTML and characters
 * that are not harmless, or is written as base64.  The first failure to write is kept and reported
 * by page_status(), so that a caller need not check each piece. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/html_page.h"

struct page {
	struct tfr_stream_writer *out;
	uint64_t size;
	enum tfr_status status;
	struct tfr_error err;
};

enum tfr_status page_open(struct page **page, const char *path, bool force, struct tfr_error *err)
{
	struct tfr_writer_opts opts = {
		.compression = TFR_COMPRESSION_NONE,
		.force = force,
		.temporaries = cmd_temporaries(),
	};
	struct page *p = calloc(1, sizeof(*p));

	*page = p;
	if (!p)
		return cmd_fill_no_memory(err);
	p->status = tfr_stream_writer_open(&p->out, path, &opts, &p->err);
	return page_status(p, err);
}

enum tfr_status page_status(const struct page *p, struct tfr_error *err)
{
	if (p->status)
		*err = p->err;
	return p->status;
}

uint64_t page_size(const struct page *p)
{
	return p->size;
}

struct tfr_stream_writer *page_writer(const struct page *p)
{
	return p->out;
}

enum tfr_status page_publish(struct page *p, struct tfr_error *err)
{
	return p->status ? page_status(p, err) : tfr_stream_writer_publish(p->out, err);
}

void page_close(struct page *p)
{
	if (!p)
		return;
	tfr_stream_writer_close(p->out);
	free(p);
}

static void page_put(struct page *p, const void *bytes, size_t n)
{
	struct iovec piece = { (void *)(uintptr_t)bytes, n };

	p->size += n;
	if (n && !p->status)
		p->status = tfr_stream_writer_put(p->out, &piece, 1, &p->err);
}

void page_text(struct page *p, const char *text)
{
	page_put(p, text, strlen(text));
}

void page_format(struct page *p, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	page_text(p, text);
}

const char *page_entity(uint8_t c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void page_escaped(struct page *p, const void *text, size_t size)
{
	const uint8_t *b = text;
	size_t plain = 0; /* bytes before p that need no escape */

	for (size_t i = 0, len; i < size; i += len ? len : 1) {
		bool blank = b[i] == '\n' || b[i] == '\t';
		const char *instead = page_entity(b[i]);

		len = tfr_text_harmless(b + i, size - i);
		if (!instead && (len || blank))
			continue;
		page_put(p, b + plain, i - plain);
		if (instead)
			page_text(p, instead);
		else
			page_format(p, "\\x%02x", b[i]);
		plain = i + 1;
	}
	page_put(p, b + plain, size - plain);
}

void page_base64(struct page *p, const uint8_t *b, size_t size)
{
	enum { BLOCK = 768 };
	char text[BLOCK / 3 * 4];

	for (size_t i = 0, n; i < size; i += n) {
		n = size - i < BLOCK ? size - i : BLOCK;
		tfr_base64_digits(text, b + i, n);
		page_put(p, text, (n + 2) / 3 * 4);
	}
}
