/* cmd/show_html.h - tfr show --html: records as one page that needs no other file. */
#ifndef TFR_CMD_SHOW_HTML_H
#define TFR_CMD_SHOW_HTML_H

#include "common/cmd.h"
#include "common/html_page.h"

struct show_html;

/* Describes a bytes value, as struct tfr_print_opts requires; defined in cmd/show.c. */
const char *show_describe(void *ctx, const void *data, size_t size, bool brief);

struct show_html_opts {
	const char *path;
	bool force;
	const char *command, *title; /* "show"; "Records of", followed by the inputs */
	const char *const *inputs;
	size_t input_count;
	unsigned values; /* the values shown of each feature */
	bool limited;	 /* to 2 MB: images that do not fit are omitted */
};

enum tfr_status show_html_open(
	struct show_html **h, const struct show_html_opts *opts, struct tfr_error *err);
/* Whether a limited page is full: the caller may only add a note. */
bool show_html_full(const struct show_html *h);
/* For headings and other cards before or after the records. */
struct page *show_html_page(struct show_html *h);
/* `text` is the record as text; with `example`, the record is an Example and shown as one. */
enum tfr_status show_html_put(struct show_html *h, const struct tfr_record *rec, const char *path,
	const char *text, bool example, struct tfr_error *err);
enum tfr_status show_html_publish(struct show_html *h, struct tfr_error *err);
/* Frees it; a page that was not published does not appear.  Accepts NULL. */
void show_html_close(struct show_html *h);

#endif
