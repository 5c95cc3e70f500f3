/* export/export_webdataset.c - writes each record as a sample of a tar archive, as webdataset's
 * TarWriter does.
 *
 * A sample's fields are listed and sorted.  Each becomes a header, its bytes from the record, and
 * zeros up to a multiple of 512; nothing of the record is copied.  A name that does not fit in
 * USTAR is written to a pax header before it, as Python's tarfile does, which webdataset uses. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "export/form.h"
#include "io/output.h"

enum { BLOCK = 512, RECORD = 10240, NAME = 100 };

/* A field of a sample; its bytes are in the record, or, if data is NULL, in w->out. */
struct field {
	size_t name, name_size; /* of the member in w->fields' text, without its NUL */
	const uint8_t *data;
	size_t at, size;
};

static const char rest[] = "features.json";

/* --- the key --- */

/* Up to the first dot after the last slash; the dots in a key do not begin fields. */
static bool make_key(struct export_item *w)
{
	struct tfr_bytes value;
	bool key = tfr_form_bytes(w, "image/key", &value) && value.size;
	uint8_t *last, *dot;

	if ((key || tfr_form_bytes(w, "image/filename", &value)) &&
		!tfr_unique_names_clean(&w->name, value.data, value.size))
		return false;
	if (!w->name.size)
		return tfr_buf_printf(&w->name, "%08llu", (unsigned long long)w->number);
	last = memrchr(w->name.data, '/', w->name.size);
	last = last ? last + 1 : w->name.data;
	for (uint8_t *p = last; p < w->name.data + w->name.size; p++)
		if (*p == '.' && (key || p == last))
			*p = '_';
	dot = memchr(last, '.', (size_t)(w->name.data + w->name.size - last));
	if (dot)
		w->name.size = (size_t)(dot - w->name.data);
	return true;
}

/* --- the fields --- */

static bool is_named(const struct tfr_feature *f, const char *name)
{
	return f->key_size == strlen(name) && !memcmp(f->key, name, f->key_size);
}

/* Features whose contents the image, the key and the field cls already have.  Without an image, all
 * but the key are fields, so that a record with any other feature has a field. */
static bool is_told(const struct export_item *w, const struct tfr_feature *f, bool image)
{
	static const char *const names[] = { "image/format", "image/height", "image/width",
		"image/channels", "image/filename" };
	struct tfr_bytes text;

	if (is_named(f, "image/encoded"))
		return image && f->count == 1;
	if (is_named(f, "image/key"))
		return f->kind == TFR_KIND_BYTES && f->count == 1;
	if (!image && !is_named(f, "image/class/label"))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_named(f, names[i]))
			return true;
	if (is_named(f, "image/class/label"))
		return f->kind == TFR_KIND_INT64 && f->count == 1;
	/* The folder of the class in the key. */
	return is_named(f, "image/class/text") && f->count == 1 && tfr_feature_bytes(f, 0, &text) &&
	       w->name.size > text.size && w->name.data[text.size] == '/' &&
	       !memcmp(w->name.data, text.data, text.size);
}

/* Whether a feature's name is the same when it is read back: lower case, no slash, no unusual
 * characters. */
static bool is_field(const struct tfr_feature *f)
{
	if (f->kind != TFR_KIND_BYTES || f->count != 1 || !f->key_size || f->key_size > 200 ||
		is_named(f, "cls") || is_named(f, rest) ||
		!tfr_text_all_harmless(f->key, f->key_size))
		return false;
	for (size_t i = 0; i < f->key_size; i++)
		if (f->key[i] == '/' || (f->key[i] >= 'A' && f->key[i] <= 'Z'))
			return false;
	return true;
}

static struct field *fields_of(const struct export_item *w)
{
	return (struct field *)(void *)w->fields.data;
}

static size_t field_count(const struct export_item *w)
{
	return w->fields.size / sizeof(struct field);
}

static bool has_field(const struct export_item *w, const char *name)
{
	for (size_t i = 0; i < field_count(w); i++)
		if (!strcmp((const char *)w->out.data + fields_of(w)[i].name, name))
			return true;
	return false;
}

/* Adds a field.  w->out holds the names, each with its NUL, and all bytes that are not in the
 * record. */
static struct field *add_field(
	struct export_item *w, const void *name, size_t name_size, const void *data, size_t size)
{
	struct field field = {
		.name = w->out.size, .name_size = name_size, .data = data, .size = size
	};

	if (!tfr_buf_append(&w->out, name, name_size) || !tfr_buf_append(&w->out, "", 1) ||
		!tfr_buf_append(&w->fields, &field, sizeof(field)))
		return NULL;
	return &fields_of(w)[field_count(w) - 1];
}

/* jpg, jpeg or png, by the extension of the filename, otherwise by the first bytes. */
static bool add_image(struct export_item *w)
{
	static const char *const endings[] = { "jpg", "jpeg", "png" };
	struct tfr_bytes image, name, format;
	const char *ending;

	if (!tfr_form_bytes(w, "image/encoded", &image))
		return true;
	ending = tfr_form_image_ending(&image);
	if (tfr_form_bytes(w, "image/filename", &name)) {
		const uint8_t *dot = memrchr(name.data, '.', name.size);
		size_t n = dot ? (size_t)(name.data + name.size - dot - 1) : 0;

		for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
			if (n == strlen(endings[i]) &&
				!strncasecmp((const char *)dot + 1, endings[i], n))
				ending = endings[i];
	}
	if (!ending && tfr_form_bytes(w, "image/format", &format) && format.size == 4 &&
		!memcmp(format.data, "jpeg", 4))
		ending = "jpg";
	ending = ending ? ending : "img";
	return add_field(w, ending, strlen(ending), image.data, image.size) != NULL;
}

static bool add_class(struct export_item *w)
{
	const struct tfr_feature *f = tfr_example_get(w->example, "image/class/label");
	char text[24];
	struct field *field;
	int64_t label;

	if (!f || f->count != 1 || !tfr_feature_int64(f, 0, &label))
		return true;
	snprintf(text, sizeof(text), "%lld", (long long)label);
	field = add_field(w, "cls", 3, NULL, strlen(text));
	if (!field)
		return false;
	field->at = w->out.size;
	return tfr_buf_append(&w->out, text, strlen(text));
}

/* The remaining features, as one line of JSON. */
static enum tfr_status add_rest(struct export_item *w, struct tfr_error *err)
{
	const uint8_t *data;
	const char *text;
	struct field *field;
	size_t size, n;

	TFR_TRY(tfr_builder_flatten(w->builder, &data, &size, err));
	if (!size)
		return TFR_OK;
	if (!w->printer)
		w->printer = tfr_printer_new(
			&(struct tfr_print_opts){ .base64 = true, .as = TFR_CONTENT_EXAMPLE });
	TFR_NEED_MEMORY(w->printer, err, "writing samples");
	TFR_TRY(tfr_printer_json(w->printer, data, size, &text, &n, err));
	field = add_field(w, rest, strlen(rest), NULL, n);
	TFR_NEED_MEMORY(field, err, "writing samples");
	field->at = w->out.size;
	TFR_NEED_MEMORY(tfr_buf_append(&w->out, text, n), err, "writing samples");
	return TFR_OK;
}

static enum tfr_status list_fields(struct export_item *w, struct tfr_error *err)
{
	bool image;

	w->fields.size = w->out.size = 0;
	tfr_builder_reset(w->builder);
	TFR_NEED_MEMORY(add_image(w), err, "writing samples");
	image = field_count(w) > 0;
	TFR_NEED_MEMORY(add_class(w), err, "writing samples");
	for (size_t i = 0; i < tfr_example_count(w->example); i++) {
		const struct tfr_feature *f = tfr_example_at(w->example, i);
		TFR_AUTO_FREE char *name = strndup(f->key, f->key_size);
		struct tfr_bytes value;

		TFR_NEED_MEMORY(name, err, "writing samples");
		if (is_told(w, f, image))
			continue;
		if (is_field(f) && !has_field(w, name)) {
			tfr_feature_bytes(f, 0, &value);
			TFR_NEED_MEMORY(add_field(w, f->key, f->key_size, value.data, value.size),
				err, "writing samples");
		} else if (f->kind != TFR_KIND_UNSET) {
			TFR_TRY(tfr_builder_feature(w->builder, f, err));
		}
	}
	return add_rest(w, err);
}

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct field *x = a, *y = b;
	const char *names = ctx;

	return strcmp(names + x->name, names + y->name);
}

static enum tfr_status name_it(struct export *e, struct export_item *w, struct tfr_error *err)
{
	bool any = tfr_form_bytes(w, "image/encoded", &(struct tfr_bytes){ 0 });

	for (size_t i = 0; !any && i < tfr_example_count(w->example); i++)
		any = tfr_example_at(w->example, i)->kind != TFR_KIND_UNSET &&
		      !is_named(tfr_example_at(w->example, i), "image/key");
	if (!any)
		return tfr_fail(err, TFR_EDATA, "no feature to make a field of");
	TFR_NEED_MEMORY(make_key(w) && tfr_buf_append(&w->name, "", 1), err, "naming samples");
	return tfr_unique_names_take(&e->names, &w->name, NULL, NULL, err);
}

/* --- headers --- */

static void put_octal(uint8_t *at, size_t n, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%0*llo", (int)n - 1, (unsigned long long)value);
	memcpy(at, text, n - 1);
}

/* Whether a path needs a pax header, by the rules of Python's tarfile: it is too long for its
 * field, or not ASCII.  A pax header cannot hold a path that is not UTF-8. */
static bool wants_pax(const char *path, size_t size)
{
	bool ascii = true;

	for (size_t i = 0; i < size; i++)
		ascii &= !((uint8_t)path[i] & 0x80);
	return size > NAME || (!ascii && tfr_is_utf8(path, size));
}

/* The name beside a pax header has ASCII only: each other character becomes '?'. */
static void put_name(uint8_t h[BLOCK], const char *path, size_t size, bool pax)
{
	size_t n = 0;

	for (size_t i = 0; i < size && n < NAME; i++) {
		uint8_t c = (uint8_t)path[i];

		if (pax && (c & 0xc0) == 0x80)
			continue;
		h[n++] = pax && (c & 0x80) ? '?' : c;
	}
}

static bool put_header(
	struct tfr_buf *out, const char *path, size_t path_size, char kind, uint64_t size)
{
	uint8_t h[BLOCK] = { 0 };
	unsigned sum = 0;

	put_name(h, path, path_size, wants_pax(path, path_size));
	put_octal(h + 100, 8, kind == 'x' ? 0 : 0444);
	put_octal(h + 108, 8, 0);
	put_octal(h + 116, 8, 0);
	put_octal(h + 124, 12, size);
	put_octal(h + 136, 12, 0);
	h[156] = (uint8_t)kind;
	memcpy(h + 257,
		"ustar\0"
		"00",
		8);
	if (kind != 'x') {
		strcpy((char *)h + 265, "bigdata");
		strcpy((char *)h + 297, "bigdata");
	}
	memset(h + 148, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += h[i];
	snprintf((char *)h + 148, 8, "%06o", sum);
	return tfr_buf_append(out, h, BLOCK);
}

static bool put_zeros(struct tfr_buf *out, uint64_t after)
{
	static const uint8_t zeros[BLOCK];

	return tfr_buf_append(out, zeros, (BLOCK - after % BLOCK) % BLOCK);
}

/* "LENGTH path=PATH\n", where the length counts itself. */
static bool put_pax(struct tfr_buf *out, const char *path, size_t path_size)
{
	size_t n = path_size + strlen(" path=\n"), digits = 1;
	char length[24];

	while ((size_t)snprintf(length, sizeof(length), "%zu", n + digits) > digits)
		digits++;
	n += digits;
	assert(strlen(length) == digits);
	return put_header(out, "././@PaxHeader", strlen("././@PaxHeader"), 'x', n) &&
	       tfr_buf_printf(out, "%s path=", length) && tfr_buf_append(out, path, path_size) &&
	       tfr_buf_append(out, "\n", 1) && put_zeros(out, n);
}

/* Writes the headers before a field's bytes. */
static bool put_headers_of(struct export_item *w, struct tfr_buf *out, const struct field *f)
{
	TFR_AUTO_BUF path = { 0 };

	return tfr_buf_append(&path, w->name.data, w->name.size - 1) &&
	       tfr_buf_append(&path, ".", 1) &&
	       tfr_buf_append(&path, w->out.data + f->name, f->name_size) &&
	       (!wants_pax((char *)path.data, path.size) ||
		       put_pax(out, (char *)path.data, path.size)) &&
	       put_header(out, (char *)path.data, path.size, '0', f->size);
}

/* --- a sample --- */

/* Makes the pieces: for each field its headers and its bytes, then the final zeros. */
static enum tfr_status gather_pieces(struct export_item *w, struct tfr_error *err)
{
	size_t n = field_count(w);
	struct iovec *pieces = realloc(w->pieces, (2 * n + 1) * sizeof(*pieces));
	TFR_AUTO_BUF between = { 0 };
	TFR_AUTO_FREE size_t *ends = calloc(n + 1, sizeof(*ends));
	struct field *f = fields_of(w);
	size_t begin;

	assert(n); /* name_it() refuses a record without a field */
	if (pieces)
		w->pieces = pieces;
	TFR_NEED_MEMORY(pieces && ends, err, "writing samples");
	for (size_t i = 0; i < n; i++) {
		TFR_NEED_MEMORY(put_zeros(&between, i ? f[i - 1].size : 0) &&
					put_headers_of(w, &between, &f[i]),
			err, "writing samples");
		ends[i] = between.size;
	}
	TFR_NEED_MEMORY(put_zeros(&between, f[n - 1].size), err, "writing samples");
	ends[n] = between.size;
	begin = w->out.size;
	TFR_NEED_MEMORY(
		tfr_buf_append(&w->out, between.data, between.size), err, "writing samples");
	for (size_t i = 0, at = 0; i <= n; i++) {
		pieces[2 * i] = (struct iovec){ w->out.data + begin + at, ends[i] - at };
		at = ends[i];
		if (i < n)
			pieces[2 * i + 1] = (struct iovec){ f[i].data ? (void *)(uintptr_t)f[i].data
								      : w->out.data + f[i].at,
				f[i].size };
	}
	w->n_pieces = (int)(2 * n + 1);
	return TFR_OK;
}

static enum tfr_status make(struct export *e, struct export_item *w, struct tfr_error *err)
{
	(void)e;
	TFR_TRY(list_fields(w, err));
	qsort_r(fields_of(w), field_count(w), sizeof(struct field), by_name, w->out.data);
	return gather_pieces(w, err);
}

/* --- the archive --- */

/* Ends the archive as tar does: two blocks of zeros, then zeros up to a multiple of 20 blocks. */
static enum tfr_status publish(struct export *e, struct tfr_error *err)
{
	static const uint8_t zeros[RECORD + 2 * BLOCK];
	uint64_t rest_of = (e->written + 2 * BLOCK) % RECORD;
	size_t size = 2 * BLOCK + (rest_of ? RECORD - rest_of : 0);

	e->written += size;
	TFR_TRY(tfr_output_write(e->file, zeros, size, err));
	return tfr_form_publish_file(e, err);
}

const struct form tfr_form_webdataset = {
	.name = "webdataset",
	.ending = ".tar",
	.parses = true,
	.open = tfr_form_open_file,
	.name_it = name_it,
	.make = make,
	.publish = publish,
	.close = tfr_form_close_file,
};
