/* cmd/show_html.h - tfr show --html: records as one page that needs nothing else. */
#ifndef TFR_CMD_SHOW_HTML_H
#define TFR_CMD_SHOW_HTML_H

#include "common/cmd.h"
#include "common/html_page.h"

struct show_html;

/* What a bytes value is, as struct tfr_print_opts asks it; cmd/show.c has it. */
const char *show_describe(void *ctx, const void *data, size_t size, bool brief);

/* `values` of each feature are shown; `command` is what the page calls itself. */
enum tfr_status show_html_open(struct show_html **h, const char *path, bool force,
	const char *command, unsigned values, struct tfr_error *err);
/* To put articles of another kind before or behind the records. */
struct page *show_html_page(struct show_html *h);
/* `text`: the record printed for a person; `example`: it is an Example, and drawn as one. */
enum tfr_status show_html_put(struct show_html *h, const struct tfr_record *rec, const char *path,
	const char *text, bool example, struct tfr_error *err);
enum tfr_status show_html_publish(struct show_html *h, struct tfr_error *err);
/* Frees it; what was not published is not there.  Accepts NULL. */
void show_html_close(struct show_html *h);

#endif
