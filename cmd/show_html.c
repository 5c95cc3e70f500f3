/* cmd/show_html.c - a contact sheet: one card per record, with its image under its boxes and masks.
 *
 * Data from records reaches the page through page_escaped() or as base64 only.  In addition, the
 * page forbids itself scripts and the network. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/html_page.h"
#include "show_html.h"

/* The limits of one card; and the bytes after which a limited page is full: below 2 MB with the
 * card that is being written. */
enum {
	MAX_ROWS = 1000,
	MAX_BOXES = 300,
	MAX_MASKS = 100,
	MAX_TEXT = 300,
	COLOURS = 8,
	FULL = 1800000
};

static const char *const colours[COLOURS] = { "#ff3b30", "#34c759", "#0a84ff", "#ff9f0a", "#bf5af2",
	"#64d2ff", "#ffd60a", "#ff375f" };

struct show_html {
	struct page *page;
	struct tfr_example *ex;
	struct tfr_json *json;
	unsigned values;
	bool limited;
};

/* Writes at most MAX_TEXT bytes, up to the end of a character.  Returns whether the text was cut.
 */
static bool put_start(struct show_html *h, const uint8_t *p, size_t size)
{
	size_t n = size;

	if (n > MAX_TEXT)
		for (n = MAX_TEXT; n && (p[n] & 0xc0) == 0x80;)
			n--;
	page_escaped(h->page, p, n);
	return n < size;
}

/* ---- The page ---- */

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"img-src data:; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n<title>tfr ";

/* After the name of the command. */
static const char style[] =
	"</title>\n<style>\n"
	":root { color-scheme: light dark; }\n"
	"body { font: 14px/1.4 system-ui, sans-serif; margin: 1rem; }\n"
	"main { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); "
	"gap: 1rem; align-items: start; }\n"
	"article { border: 1px solid #8886; border-radius: 6px; padding: .5rem; "
	"overflow: hidden; overflow-wrap: anywhere; }\n"
	"h1 { font-size: 1.4rem; margin: 0 0 1rem; overflow-wrap: anywhere; }\n"
	"main > h2 { grid-column: 1 / -1; font-size: 1.2rem; margin: .5rem 0 0; }\n"
	"article.wide { grid-column: 1 / -1; }\n"
	"article > svg, article > img { display: block; width: 100%; height: 16rem; "
	"object-fit: contain; background: #8882; }\n"
	"image, img { image-orientation: none; }\n"
	"rect { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; }\n"
	"svg text { paint-order: stroke; stroke: #000; stroke-width: .2em; fill: #fff; }\n"
	"article > svg.chart { height: auto; background: none; }\n"
	"svg.chart text { stroke: none; fill: currentColor; font-size: 12px; }\n"
	".bars { fill: #0a84ff; }\n.tick { fill: none; stroke: currentColor; opacity: .6; }\n"
	"td.share { width: 40%; }\ntd.share div { background: #0a84ff; height: .8em; }\n"
	"h3 { font-size: 1rem; margin: .4rem 0; }\n"
	"article > p { font-size: 12px; opacity: .7; margin: .2rem 0; }\n"
	"details { font-size: 12px; }\nsummary { opacity: .7; cursor: pointer; }\n"
	"table { border-collapse: collapse; width: 100%; }\n"
	"th, td { text-align: left; vertical-align: top; padding: .1rem .4rem .1rem 0; "
	"border-top: 1px solid #8884; font-weight: normal; }\n"
	"td:nth-child(2) { white-space: nowrap; }\n"
	"pre { font-size: 12px; overflow-x: auto; margin: .4rem 0 0; }\n"
	"</style>\n</head>\n<body>\n";

static double colour_channel(const char *colour, int i)
{
	char digits[3] = { colour[1 + 2 * i], colour[2 + 2 * i], '\0' };

	return (double)strtoul(digits, NULL, 16) / 255;
}

/* A mask is 0 outside the object and 1 or 255 inside: each filter makes 0 transparent, and gives 1
 * and 255 its colour. */
static void put_filters(struct show_html *h)
{
	page_text(h->page, "<svg width=\"0\" height=\"0\" style=\"position: absolute\">\n");
	for (int i = 0; i < COLOURS; i++)
		page_format(h->page,
			"<filter id=\"m%d\" color-interpolation-filters=\"sRGB\"><feColorMatrix "
			"values=\"0 0 0 0 %.3f 0 0 0 0 %.3f 0 0 0 0 %.3f 255 0 0 0 0\"/>"
			"</filter>\n",
			i, colour_channel(colours[i], 0), colour_channel(colours[i], 1),
			colour_channel(colours[i], 2));
	page_text(h->page, "</svg>\n<main>\n");
}

/* "Records of 'a' and 2 more inputs" */
static void put_title(struct show_html *h, const struct show_html_opts *opts)
{
	const char *input = opts->input_count ? opts->inputs[0] : "standard input";

	page_format(h->page, "<h1>%s ", opts->title);
	page_escaped(h->page, input, strlen(input));
	if (opts->input_count > 1)
		page_format(h->page, " and %zu more", opts->input_count - 1);
	page_text(h->page, "</h1>\n");
}

enum tfr_status show_html_open(
	struct show_html **html, const struct show_html_opts *opts, struct tfr_error *err)
{
	struct show_html *h = calloc(1, sizeof(*h));

	*html = h;
	if (!h)
		return cmd_fill_no_memory(err);
	h->values = opts->values;
	h->limited = opts->limited;
	h->ex = tfr_example_new();
	h->json = tfr_json_new();
	if (!h->ex || !h->json)
		return cmd_fill_no_memory(err);
	if (page_open(&h->page, opts->path, opts->force, err))
		return err->status;
	page_text(h->page, head);
	page_text(h->page, opts->command);
	page_text(h->page, style);
	put_title(h, opts);
	put_filters(h);
	return page_status(h->page, err);
}

enum tfr_status show_html_publish(struct show_html *h, struct tfr_error *err)
{
	page_text(h->page, "</main>\n");
	if (show_html_full(h))
		page_text(h->page, "<p>The page is limited to 2 MB, and is full.</p>\n");
	page_text(h->page, "</body>\n</html>\n");
	return page_publish(h->page, err);
}

bool show_html_full(const struct show_html *h)
{
	return h->limited && page_size(h->page) >= FULL;
}

struct page *show_html_page(struct show_html *h)
{
	return h->page;
}

void show_html_close(struct show_html *h)
{
	if (!h)
		return;
	page_close(h->page);
	tfr_example_free(h->ex);
	tfr_json_free(h->json);
	free(h);
}

/* ---- The image ---- */

/* NULL: browsers do not show this format. */
static const char *mime_type(enum tfr_image_format format)
{
	switch (format) {
	case TFR_IMAGE_JPEG:
		return "image/jpeg";
	case TFR_IMAGE_PNG:
		return "image/png";
	case TFR_IMAGE_GIF:
		return "image/gif";
	case TFR_IMAGE_BMP:
		return "image/bmp";
	case TFR_IMAGE_WEBP:
		return "image/webp";
	case TFR_IMAGE_AVIF:
		return "image/avif";
	default:
		return NULL;
	}
}

static bool is_image(const struct tfr_feature *f, struct tfr_bytes *b)
{
	return tfr_feature_bytes(f, 0, b) && mime_type(tfr_image_sniff(b->data, b->size));
}

/* image/encoded, or else the first feature that is an image and not a mask. */
static bool find_image(const struct tfr_example *ex, struct tfr_bytes *b)
{
	static const char mask[] = "image/object/mask";

	if (is_image(tfr_example_get(ex, "image/encoded"), b))
		return true;
	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);

		if ((f->key_size != strlen(mask) || memcmp(f->key, mask, f->key_size)) &&
			is_image(f, b))
			return true;
	}
	return false;
}

static void put_data(struct show_html *h, const char *attribute, struct tfr_bytes b)
{
	page_format(h->page, " %s=\"data:%s;base64,", attribute,
		mime_type(tfr_image_sniff(b.data, b.size)));
	page_base64(h->page, b.data, b.size);
	page_text(h->page, "\"");
}

/* Whether the bytes, in base64, still fit on the page. */
static bool fits_page(const struct show_html *h, struct tfr_bytes b)
{
	return !h->limited || page_size(h->page) + b.size / 3 * 4 < FULL;
}

static void put_masks(struct show_html *h, const struct tfr_image_info *info)
{
	struct tfr_cursor c;
	struct tfr_bytes b;

	tfr_cursor_init(&c, tfr_example_get(h->ex, "image/object/mask"));
	for (int i = 0; i < MAX_MASKS && tfr_cursor_bytes(&c, &b); i++) {
		if (tfr_image_sniff(b.data, b.size) != TFR_IMAGE_PNG || !fits_page(h, b))
			continue;
		page_format(h->page,
			"<image width=\"%u\" height=\"%u\" preserveAspectRatio=\"none\" "
			"filter=\"url(#m%d)\" opacity=\".45\"",
			info->width, info->height, i % COLOURS);
		put_data(h, "href", b);
		page_text(h->page, "/>\n");
	}
}

/* The class of box `i`: its text, or else its number. */
static void put_class(struct show_html *h, int i)
{
	struct tfr_bytes text;
	int64_t label;

	if (tfr_feature_bytes(
		    tfr_example_get(h->ex, "image/object/class/text"), (uint64_t)i, &text))
		put_start(h, text.data, text.size);
	else if (tfr_feature_int64(
			 tfr_example_get(h->ex, "image/object/class/label"), (uint64_t)i, &label))
		page_format(h->page, "%lld", (long long)label);
}

static void put_boxes(struct show_html *h, const struct tfr_image_info *info)
{
	static const char *const names[] = { "image/object/bbox/xmin", "image/object/bbox/ymin",
		"image/object/bbox/xmax", "image/object/bbox/ymax" };
	double w = info->width, height = info->height, em = (w > height ? w : height) / 16;
	struct tfr_cursor c[4];
	float v[4];

	for (int k = 0; k < 4; k++)
		tfr_cursor_init(&c[k], tfr_example_get(h->ex, names[k]));
	for (int i = 0; i < MAX_BOXES; i++) {
		for (int k = 0; k < 4; k++)
			if (!tfr_cursor_float(&c[k], &v[k]))
				return;
		/* Also false for NaN. */
		if (!(v[0] <= v[2] && v[1] <= v[3] && fabsf(v[0]) < 1e6f && fabsf(v[1]) < 1e6f &&
			    v[2] < 1e6f && v[3] < 1e6f))
			continue;
		page_format(h->page,
			"<rect x=\"%.7g\" y=\"%.7g\" width=\"%.7g\" height=\"%.7g\" "
			"stroke=\"%s\"/>\n<text x=\"%.7g\" y=\"%.7g\" font-size=\"%.4g\">",
			v[0] * w, v[1] * height, (v[2] - v[0]) * w, (v[3] - v[1]) * height,
			colours[i % COLOURS], v[0] * w + em / 4, v[1] * height + em, em);
		put_class(h, i);
		page_text(h->page, "</text>\n");
	}
}

/* An image that cannot be measured is shown without boxes and masks.  Returns whether one is shown.
 */
static bool put_image(struct show_html *h)
{
	char size[TFR_SIZE_TEXT];
	struct tfr_image_info info;
	struct tfr_bytes b;

	if (!find_image(h->ex, &b))
		return false;
	if (!fits_page(h, b)) {
		page_format(h->page,
			"<p>an image of %s is left out: the page is limited to 2 MB</p>\n",
			tfr_format_size(b.size, size));
		return false;
	}
	tfr_image_probe(b.data, b.size, &info, NULL);
	if (!info.width || !info.height) {
		page_text(h->page, "<img alt=\"\"");
		put_data(h, "src", b);
		page_text(h->page, ">\n");
		return true;
	}
	page_format(h->page, "<svg viewBox=\"0 0 %u %u\">\n<image width=\"%u\" height=\"%u\"",
		info.width, info.height, info.width, info.height);
	put_data(h, "href", b);
	page_text(h->page, "/>\n");
	put_masks(h, &info);
	put_boxes(h, &info);
	page_text(h->page, "</svg>\n");
	return true;
}

/* ---- The text of a card ---- */

static void put_bytes(struct show_html *h, struct tfr_bytes b)
{
	char size[TFR_SIZE_TEXT];
	const char *what;

	if (!tfr_is_utf8(b.data, b.size)) {
		what = show_describe(NULL, b.data, b.size, false);
		page_format(h->page, "%s%s%s", what ? what : "", what ? ", " : "",
			tfr_format_size(b.size, size));
		return;
	}
	if (put_start(h, b.data, b.size))
		page_format(h->page, "… (%s)", tfr_format_size(b.size, size));
}

static void put_number(struct show_html *h)
{
	size_t size = 0;
	const char *text = tfr_json_text(h->json, &size);

	if (text && *text == '"') /* "NaN": a string only in JSON */
		page_escaped(h->page, text + 1, size - 2);
	else if (text)
		page_escaped(h->page, text, size);
	tfr_json_reset(h->json);
}

static void put_values(struct show_html *h, const struct tfr_feature *f)
{
	struct tfr_cursor c;
	struct tfr_bytes b;
	uint64_t i;
	float x;
	int64_t n;

	tfr_cursor_init(&c, f);
	for (i = 0; i < h->values && i < f->count; i++) {
		page_text(h->page, i ? ", " : "");
		if (tfr_cursor_bytes(&c, &b)) {
			put_bytes(h, b);
		} else if (tfr_cursor_float(&c, &x)) {
			tfr_json_f32(h->json, NULL, x);
			put_number(h);
		} else if (tfr_cursor_int64(&c, &n)) {
			tfr_json_i64(h->json, NULL, n);
			put_number(h);
		}
	}
	if (i < f->count)
		page_text(h->page, i ? ", …" : "…");
}

static void put_label(struct show_html *h)
{
	const struct tfr_feature *text = tfr_example_get(h->ex, "image/class/text");
	const struct tfr_feature *label =
		tfr_example_get(h->ex, "image/class/label") ?: tfr_example_get(h->ex, "label");
	bool named = text && text->kind == TFR_KIND_BYTES && text->count;
	bool numbered = label && label->kind == TFR_KIND_INT64 && label->count;

	if (!named && !numbered)
		return;
	page_text(h->page, "<h3>");
	if (named)
		put_values(h, text);
	if (numbered) {
		page_text(h->page, named ? " (" : "");
		put_values(h, label);
		page_text(h->page, named ? ")" : "");
	}
	page_text(h->page, "</h3>\n");
}

static void put_features(struct show_html *h)
{
	size_t n = tfr_example_count(h->ex), shown = n < MAX_ROWS ? n : MAX_ROWS;

	page_text(h->page, "<table>\n");
	for (size_t i = 0; i < shown; i++) {
		const struct tfr_feature *f = tfr_example_at(h->ex, i);

		page_text(h->page, "<tr><th>");
		if (put_start(h, (const uint8_t *)f->key, f->key_size))
			page_text(h->page, "…");
		page_format(h->page, "</th><td>%s", tfr_kind_name(f->kind));
		if (f->kind && f->count != 1)
			page_format(h->page, " [%llu]", (unsigned long long)f->count);
		page_text(h->page, "</td><td>");
		put_values(h, f);
		page_text(h->page, "</td></tr>\n");
	}
	page_text(h->page, "</table>\n");
	if (shown < n)
		page_format(h->page, "<p>… and %zu more</p>\n", n - shown);
}

enum tfr_status show_html_put(struct show_html *h, const struct tfr_record *rec, const char *path,
	const char *text, bool example, struct tfr_error *err)
{
	char size[TFR_SIZE_TEXT];
	bool image = false;

	page_text(h->page, example ? "<article>\n" : "<article class=\"wide\">\n");
	if (example) {
		TFR_TRY(tfr_example_parse(h->ex, rec->data, rec->size, err));
		image = put_image(h);
		put_label(h);
	}
	page_text(h->page, image ? "<details><summary>" : "<details open><summary>");
	page_escaped(h->page, path, strlen(path));
	page_format(h->page, " record %llu, %s</summary>\n", (unsigned long long)rec->index,
		tfr_format_size(rec->size, size));
	if (example) {
		put_features(h);
	} else {
		page_text(h->page, "<pre>");
		page_escaped(h->page, text, strlen(text));
		page_text(h->page, "</pre>\n");
	}
	page_text(h->page, "</details>\n</article>\n");
	if (!tfr_json_text(h->json, NULL)) /* a number is missing */
		return cmd_fill_no_memory(err);
	return page_status(h->page, err);
}
