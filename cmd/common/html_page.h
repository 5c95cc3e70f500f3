/* cmd/common/html_page.h - writes a text file piece by piece; it appears complete or not at all. */
#ifndef TFR_CMD_COMMON_HTML_PAGE_H
#define TFR_CMD_COMMON_HTML_PAGE_H

#include "common/cmd.h"

struct page;

/* `*page` must be closed even if this fails. */
enum tfr_status page_open(struct page **page, const char *path, bool force, struct tfr_error *err);
/* The first failure so far. */
enum tfr_status page_status(const struct page *page, struct tfr_error *err);
/* The output, to be published together with a set. */
struct tfr_stream_writer *page_writer(const struct page *p);
/* Bytes written so far. */
uint64_t page_size(const struct page *page);
enum tfr_status page_publish(struct page *page, struct tfr_error *err);
/* Discards a page that was not published.  Accepts NULL. */
void page_close(struct page *page);

void page_text(struct page *page, const char *text);
/* At most 1023 bytes. */
void page_format(struct page *page, const char *format, ...) TFR_PRINTF(2, 3);
/* The entity of a character with a meaning in HTML and XML; NULL: it has none. */
const char *page_entity(uint8_t c);
/* Writes any bytes as HTML text: characters that tfr_text_harmless() refuses become \xNN. */
void page_escaped(struct page *page, const void *text, size_t size);
void page_base64(struct page *page, const uint8_t *bytes, size_t size);

#endif
