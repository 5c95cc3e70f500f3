/* example/print/print.c - prints records as text for people and as JSON for programs.
 *
 * Text is abbreviated to at most a screen; JSON is complete and exact.  Bytes count as text if
 * they are UTF-8 (and, for people, printable); the caller may describe other bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "example/print/print.h"

/* Only bold and dim, which suit every colour scheme of a terminal. */
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

enum { FIRST = 1000 }; /* records that decide the type of ambiguous ones */

struct tfr_printer *tfr_printer_new(const struct tfr_print_opts *opts)
{
	struct tfr_printer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (opts)
		p->opts = *opts;
	p->opts.values = p->opts.values ? p->opts.values : 8;
	p->opts.width = p->opts.width ? p->opts.width : 60;
	p->ex = tfr_example_new();
	p->lists = tfr_lists_new();
	p->json = tfr_json_new();
	if (!p->ex || !p->lists || !p->json) {
		tfr_printer_free(p);
		return NULL;
	}
	return p;
}

void tfr_printer_free(struct tfr_printer *p)
{
	if (!p)
		return;
	tfr_example_free(p->ex);
	tfr_lists_free(p->lists);
	tfr_json_free(p->json);
	tfr_buf_clear(&p->text);
	tfr_buf_clear(&p->scratch);
	tfr_buf_clear(&p->joined);
	free(p);
}

const char *tfr_print_describe(const struct tfr_printer *p, struct tfr_bytes b, bool brief)
{
	return p->opts.describe ? p->opts.describe(p->opts.ctx, b.data, b.size, brief) : NULL;
}

/* ---- Lines for a terminal ---- */

/* A line that is too long ends in "…", after a complete value if one ends near the cut.  Columns
 * are counted as terminals do: two for East Asian characters and emoji, none for combining
 * characters, and none for colour sequences. */

enum { ESCAPE = '\033', LONGEST_NUMBER = 24 };

/* Ranges of code points with another width than one column (Unicode's EastAsianWidth W and F, and
 * the blocks of combining marks), in order. */
static const struct width {
	uint32_t first, last;
	unsigned columns;
} widths[] = {
	{ 0x300, 0x36f, 0 },
	{ 0x1100, 0x115f, 2 },
	{ 0x200b, 0x200f, 0 },
	{ 0x202a, 0x202e, 0 },
	{ 0x20d0, 0x20ff, 0 },
	{ 0x2e80, 0x303e, 2 },
	{ 0x3041, 0xa4cf, 2 },
	{ 0xac00, 0xd7a3, 2 },
	{ 0xf900, 0xfaff, 2 },
	{ 0xfe00, 0xfe0f, 0 },
	{ 0xfe30, 0xfe6f, 2 },
	{ 0xff00, 0xff60, 2 },
	{ 0xffe0, 0xffe6, 2 },
	{ 0x1f300, 0x1f64f, 2 },
	{ 0x1f680, 0x1f6ff, 2 },
	{ 0x1f7e0, 0x1f7eb, 2 },
	{ 0x1f7f0, 0x1f7f0, 2 },
	{ 0x1f900, 0x1f9ff, 2 },
	{ 0x1fa70, 0x1faff, 2 },
	{ 0x20000, 0x3fffd, 2 },
};

size_t tfr_text_step(const void *text, size_t n, unsigned *columns)
{
	const uint8_t *p = text;
	size_t len = tfr_utf8_length(p, n);
	uint32_t point = *p;

	len = len ? len : 1;
	if (len > 1)
		point = *p & (0x7fu >> len);
	for (size_t i = 1; i < len; i++)
		point = point << 6 | (p[i] & 0x3f);
	*columns = 1;
	for (size_t i = 0; point >= widths[0].first && i < sizeof(widths) / sizeof(*widths); i++)
		if (point >= widths[i].first && point <= widths[i].last)
			*columns = widths[i].columns;
	return len;
}

/* The bytes of the next character or colour sequence; adds its columns. */
static size_t step_character(const uint8_t *p, size_t n, size_t *columns)
{
	const uint8_t *end = *p == ESCAPE ? memchr(p, 'm', n) : NULL;
	unsigned of_one;
	size_t len;

	if (*p == ESCAPE)
		return end ? (size_t)(end - p) + 1 : n;
	len = tfr_text_step(p, n, &of_one);
	*columns += of_one;
	return len;
}

static size_t line_start(const struct tfr_printer *p)
{
	const uint8_t *end = memrchr(p->text.data, '\n', p->text.size);

	return end ? (size_t)(end - p->text.data) + 1 : 0;
}

/* Columns left on the current line; SIZE_MAX: no limit. */
static size_t room_left(const struct tfr_printer *p)
{
	size_t columns = 0;

	if (!p->opts.columns)
		return SIZE_MAX;
	for (size_t i = line_start(p); i < p->text.size;)
		i += step_character(p->text.data + i, p->text.size - i, &columns);
	return columns < p->opts.columns ? p->opts.columns - columns : 0;
}

/* Whether a text with its quotes fits in so many columns. */
static bool fits_quoted(struct tfr_bytes text, size_t room)
{
	size_t columns = 2;

	for (size_t i = 0; i < text.size && columns <= room;)
		i += step_character(text.data + i, text.size - i, &columns);
	return columns <= room;
}

/* Cuts the current line to opts.columns. */
static bool cut_line(struct tfr_printer *p)
{
	size_t columns = 0, cut = 0, value = 0, value_columns = 0, cut_columns = 0;
	const uint8_t *text = p->text.data;

	if (!p->opts.columns)
		return true;
	for (size_t i = line_start(p); i < p->text.size;) {
		if (columns + 1 <= p->opts.columns) { /* leaves room for "…" */
			cut = i;
			cut_columns = columns;
			if (text[i] != ' ' && i > 2 && !memcmp(text + i - 2, ", ", 2)) {
				value = i;
				value_columns = columns;
			}
		}
		i += step_character(text + i, p->text.size - i, &columns);
	}
	if (columns <= p->opts.columns)
		return true;
	if (value && value_columns + LONGEST_NUMBER > cut_columns)
		cut = value;
	p->text.size = cut;
	return tfr_buf_printf(&p->text, "…%s", p->opts.colour ? "\033[0m" : "");
}

/* ---- Text ---- */

static bool is_printable(struct tfr_bytes b)
{
	for (size_t i = 0; i < b.size; i++)
		if ((b.data[i] < 0x20 && !strchr("\t\n\r", b.data[i])) || b.data[i] == 0x7f ||
			!b.data[i])
			return false;
	return tfr_is_utf8(b.data, b.size);
}

/* Quotes at most opts.width bytes, less if the line has no room for more.  JSON's escapes are
 * readable enough. */
static bool text_string(struct tfr_printer *p, struct tfr_bytes b)
{
	enum { BESIDE = 20 }; /* quotes and the size of a cut text */
	size_t shown = 0, size, room = room_left(p), width = p->opts.width;
	const char *quoted;

	if (!fits_quoted(b, room) && width + BESIDE > room)
		width = room > 2 * BESIDE ? room - BESIDE : BESIDE;
	if (b.size <= width)
		shown = b.size;
	while (shown < b.size) {
		size_t len = tfr_utf8_length(b.data + shown, b.size - shown);

		if (shown + len > width)
			break;
		shown += len;
	}
	tfr_json_reset(p->json);
	tfr_json_bytes(p->json, NULL, b.data, shown);
	quoted = tfr_json_text(p->json, &size);
	return quoted && tfr_buf_append(&p->text, quoted, size) &&
	       (shown == b.size || tfr_buf_printf(&p->text, "… (%zu bytes)", b.size));
}

bool tfr_print_text_json(struct tfr_printer *p)
{
	const char *text;
	size_t size;

	text = tfr_json_text(p->json, &size);
	if (text && *text == '"') { /* "NaN": a string only in JSON */
		text++;
		size -= 2;
	}
	return text && tfr_buf_append(&p->text, text, size);
}

bool tfr_print_text_bytes(struct tfr_printer *p, struct tfr_bytes b)
{
	char size[TFR_SIZE_TEXT];
	const char *what;

	if (is_printable(b))
		return text_string(p, b);
	what = tfr_print_describe(p, b, false);
	return tfr_buf_printf(&p->text, "%s%s%s", what ? what : "", what ? ", " : "",
		tfr_format_size(b.size, size));
}

static bool text_value(struct tfr_printer *p, struct tfr_cursor *c)
{
	struct tfr_bytes bytes;
	int64_t i;
	float f;

	if (tfr_cursor_bytes(c, &bytes))
		return tfr_print_text_bytes(p, bytes);
	tfr_json_reset(p->json);
	if (tfr_cursor_float(c, &f))
		tfr_json_f32(p->json, NULL, f);
	else if (tfr_cursor_int64(c, &i))
		tfr_json_i64(p->json, NULL, i);
	return tfr_print_text_json(p);
}

/* Prints the first values, at most `*room`, and subtracts their number from it. */
static bool text_values(struct tfr_printer *p, const struct tfr_feature *f, unsigned *room)
{
	struct tfr_cursor c;
	uint64_t n = 0;
	bool ok = true;

	tfr_cursor_init(&c, f);
	for (; ok && *room && n < f->count; n++, --*room)
		ok = (!n || tfr_buf_append(&p->text, ", ", 2)) && text_value(p, &c);
	return ok && (n == f->count || tfr_buf_printf(&p->text, n ? ", …" : "…"));
}

bool tfr_print_text_head(struct tfr_printer *p, const void *key, size_t key_size, size_t width,
	const char *kind, const char *count)
{
	const char *name;
	size_t size;

	/* Escaped as in JSON, without the quotes: a name may have any bytes. */
	tfr_json_reset(p->json);
	tfr_json_bytes(p->json, NULL, key, key_size);
	name = tfr_json_text(p->json, &size);
	return name &&
	       tfr_buf_printf(&p->text, "%*s%s%.*s%s%*s  %s%-5s  %-5s%s ", p->indent + 2, "",
		       p->opts.colour ? BOLD : "", (int)size - 2, name + 1,
		       p->opts.colour ? PLAIN : "", (int)(key_size < width ? width - key_size : 0),
		       "", p->opts.colour ? DIM : "", kind, count, p->opts.colour ? PLAIN : "");
}

bool tfr_print_end_line(struct tfr_printer *p)
{
	size_t end = strlen(PLAIN), size = p->text.size;
	bool dim = p->opts.colour && size > end + 1 &&
		   !memcmp(p->text.data + size - end - 1, PLAIN " ", end + 1);

	if (dim) /* of a head alone: the blanks are before the end of its colour */
		p->text.size -= end + 1;
	while (p->text.size && p->text.data[p->text.size - 1] == ' ')
		p->text.size--;
	return (!dim || tfr_buf_append(&p->text, PLAIN, end)) && cut_line(p) &&
	       tfr_buf_append(&p->text, "\n", 1);
}

bool tfr_print_text_features(struct tfr_printer *p, size_t width)
{
	bool ok = tfr_example_count(p->ex) ||
		  tfr_buf_printf(&p->text, "%*sno features\n", p->indent + 2, "");

	for (size_t i = 0; ok && i < tfr_example_count(p->ex); i++) {
		const struct tfr_feature *f = tfr_example_at(p->ex, i);
		unsigned room = p->opts.values;
		char count[32];

		snprintf(count, sizeof(count), "[%llu]", (unsigned long long)f->count);
		ok = tfr_print_text_head(p, f->key, f->key_size, width, tfr_kind_name(f->kind),
			     f->kind ? count : "") &&
		     text_values(p, f, &room) && tfr_print_end_line(p);
	}
	return ok;
}

/* The kind of a list is that of its first frame; bars separate the frames' values. */
static bool text_list(struct tfr_printer *p, const struct tfr_feature_list *l, size_t width)
{
	struct tfr_feature frame = { .kind = TFR_KIND_UNSET };
	unsigned room = p->opts.values;
	struct tfr_steps steps;
	enum tfr_status status;
	uint64_t i = 0;
	char count[40];
	bool ok;

	tfr_steps_init(&steps, l);
	status = tfr_steps_next(&steps, p->lists, &frame, NULL);
	snprintf(count, sizeof(count), "%llu frame%s", (unsigned long long)l->steps,
		l->steps == 1 ? "" : "s");
	ok = tfr_print_text_head(p, l->key, l->key_size, width, tfr_kind_name(frame.kind), count);
	for (; ok && room && status == TFR_OK; i++) {
		ok = (!i || tfr_buf_append(&p->text, " | ", 3)) && text_values(p, &frame, &room);
		status = tfr_steps_next(&steps, p->lists, &frame, NULL);
	}
	return ok && status != TFR_ENOMEM && (i == l->steps || tfr_buf_printf(&p->text, " | …")) &&
	       tfr_print_end_line(p);
}

size_t tfr_print_wider(size_t width, size_t size)
{
	return size > width && size <= 40 ? size : width;
}

static bool text_record(struct tfr_printer *p, bool sequence)
{
	size_t width = 8, lists = sequence ? tfr_lists_count(p->lists) : 0;
	bool ok;

	for (size_t i = 0; i < tfr_example_count(p->ex); i++)
		width = tfr_print_wider(width, tfr_example_at(p->ex, i)->key_size);
	for (size_t i = 0; i < lists; i++)
		width = tfr_print_wider(width, tfr_lists_at(p->lists, i)->key_size);
	ok = (!tfr_example_count(p->ex) && lists) || tfr_print_text_features(p, width);
	for (size_t i = 0; ok && i < lists; i++)
		ok = text_list(p, tfr_lists_at(p->lists, i), width);
	return ok;
}

/* ---- Both ---- */

static enum tfr_status print_example(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err)
{
	bool sequence;

	if (!p->parsed)
		TFR_TRY(tfr_example_parse(p->ex, data, size, err));
	sequence = tfr_is_sequence_example(data, size);
	if (sequence)
		TFR_TRY(tfr_lists_parse(p->lists, data, size, err));
	TFR_NEED_MEMORY((json ? tfr_print_json_example : text_record)(p, sequence), err,
		"printing a record");
	return TFR_OK;
}

/* Bytes that are neither text nor an image show their beginning, which often identifies them. */
static bool text_raw(struct tfr_printer *p, struct tfr_bytes b)
{
	size_t n = b.size < 32 ? b.size : 32;
	bool ok = tfr_print_text_head(p, "raw", 3, 8, "bytes", "") && tfr_print_text_bytes(p, b);

	if (is_printable(b))
		return ok && tfr_print_end_line(p);
	for (size_t i = 0; ok && i < n; i++)
		ok = tfr_buf_printf(&p->text, "%s%02x", i ? "" : ": ", b.data[i]);
	return ok && (n == b.size || tfr_buf_printf(&p->text, "…")) && tfr_print_end_line(p);
}

static enum tfr_status print_raw(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err)
{
	struct tfr_bytes b = { size ? data : (const uint8_t *)"", size };
	bool ok;

	if (json) {
		tfr_json_open_object(p->json, NULL);
		tfr_json_key(p->json, "raw", 3);
		ok = tfr_print_json_bytes(p, b);
		tfr_json_close_object(p->json);
	} else {
		ok = text_raw(p, b);
	}
	return ok ? TFR_OK : tfr_fail_nomem(err, "printing a record");
}

static enum tfr_status print_as(struct tfr_printer *p, enum tfr_content content, bool json,
	const void *data, size_t size, struct tfr_error *err)
{
	p->content = content == TFR_CONTENT_MESSAGE ? TFR_CONTENT_RAW : content;
	p->text.size = 0;
	p->indent = 0;
	tfr_json_reset(p->json);
	switch (p->content) {
	case TFR_CONTENT_ELWC:
		return tfr_print_elwc(p, json, data, size, err);
	case TFR_CONTENT_TENSOR:
		return tfr_print_tensor(p, json, data, size, err);
	case TFR_CONTENT_RAW:
		return print_raw(p, json, data, size, err);
	default:
		return print_example(p, json, data, size, err);
	}
}

/* After an Example, the next record is first parsed as another Example, because it is printed
 * from that. */
static enum tfr_likeness likeness(struct tfr_printer *p, const void *data, size_t size)
{
	p->parsed = p->content == TFR_CONTENT_EXAMPLE &&
		    tfr_example_parse(p->ex, data, size, NULL) == TFR_OK;
	return p->parsed ? tfr_likeness_parsed(p->ex, data, size) : tfr_likeness_of(data, size);
}

/* The type that a record is printed as.  An ambiguous record gets the type of the first records,
 * as far as they were seen. */
static enum tfr_content choose_content(struct tfr_printer *p, const void *data, size_t size)
{
	enum tfr_likeness like;

	if (p->opts.as)
		return p->opts.as;
	like = likeness(p, data, size);
	if (p->counted < FIRST) {
		p->counted++;
		p->counts.records[like]++;
	}
	return like >= TFR_IS_EXAMPLE ? tfr_content_alone(like)
				      : tfr_content_settle(&p->counts).most;
}

/* Records that do not parse as their type, or have no printed form, are printed as bytes, unless
 * opts.as requires a type. */
static enum tfr_status print_record(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err)
{
	enum tfr_status status = print_as(p, choose_content(p, data, size), json, data, size, err);

	if (status == TFR_EDATA && !p->opts.as)
		status = print_as(p, TFR_CONTENT_RAW, json, data, size, err);
	return status;
}

enum tfr_status tfr_printer_text(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err)
{
	TFR_TRY(print_record(p, false, data, size, err));
	TFR_NEED_MEMORY(tfr_buf_append(&p->text, "", 1), err, "printing a record");
	*text = (const char *)p->text.data;
	*text_size = p->text.size - 1;
	return TFR_OK;
}

enum tfr_status tfr_printer_json(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err)
{
	TFR_TRY(print_record(p, true, data, size, err));
	*text = tfr_json_text(p->json, text_size);
	return *text ? TFR_OK : tfr_fail_nomem(err, "printing a record");
}

bool tfr_printer_has_learned(const struct tfr_printer *p)
{
	return p->opts.as || p->counted == FIRST;
}

void tfr_printer_learn(struct tfr_printer *p, const struct tfr_printer *from)
{
	p->counts = from->counts;
	p->counted = from->counted;
}

enum tfr_content tfr_printer_content(const struct tfr_printer *p)
{
	return p->content;
}
