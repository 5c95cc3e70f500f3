/* example/print.c - records as text for a person and as JSON for a program.
 *
 * Text is abbreviated and never longer than a screen; JSON is whole and exact.  Bytes are text when
 * they are UTF-8 (for a person: and printable); what other bytes are, the caller may know. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "example/print.h"

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
	p->json = tfr_json_new();
	if (!p->ex || !p->json) {
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
	tfr_json_free(p->json);
	tfr_buf_clear(&p->text);
	tfr_buf_clear(&p->scratch);
	free(p);
}

static const char *describe(const struct tfr_printer *p, struct tfr_bytes b, bool brief)
{
	return p->opts.describe ? p->opts.describe(p->opts.ctx, b.data, b.size, brief) : NULL;
}

/* ---- JSON ---- */

static bool encode_base64(struct tfr_buf *out, struct tfr_bytes b)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	out->size = 0;
	if (!tfr_buf_reserve(out, b.size / 3 * 4 + 4))
		return false;
	for (size_t i = 0; i < b.size; i += 3) {
		size_t n = b.size - i;
		uint32_t v = (uint32_t)b.data[i] << 16 | (n > 1 ? b.data[i + 1] << 8 : 0) |
			     (n > 2 ? b.data[i + 2] : 0);

		out->data[out->size++] = (uint8_t)digits[v >> 18];
		out->data[out->size++] = (uint8_t)digits[v >> 12 & 63];
		out->data[out->size++] = (uint8_t)(n > 1 ? digits[v >> 6 & 63] : '=');
		out->data[out->size++] = (uint8_t)(n > 2 ? digits[v & 63] : '=');
	}
	return true;
}

static bool json_bytes(struct tfr_printer *p, struct tfr_bytes b)
{
	const char *type;

	if (tfr_is_utf8(b.data, b.size)) {
		tfr_json_bytes(p->json, NULL, b.data, b.size);
		return true;
	}
	if (p->opts.base64 && !encode_base64(&p->scratch, b))
		return false;
	tfr_json_open_object(p->json, NULL);
	if (p->opts.base64) {
		tfr_json_bytes(p->json, "base64", p->scratch.data, p->scratch.size);
	} else {
		tfr_json_u64(p->json, "bytes", b.size);
		type = describe(p, b, true);
		if (type)
			tfr_json_string(p->json, "type", type);
	}
	tfr_json_close_object(p->json);
	return true;
}

static bool json_values(struct tfr_printer *p, struct tfr_values vs)
{
	struct tfr_value v;
	bool ok = true;

	tfr_json_open_array(p->json, NULL);
	while (ok && tfr_values_next(&vs, &v)) {
		if (vs.kind == TFR_KIND_BYTES)
			ok = json_bytes(p, v.bytes);
		else if (vs.kind == TFR_KIND_FLOAT)
			tfr_json_f32(p->json, NULL, v.f);
		else
			tfr_json_i64(p->json, NULL, v.i);
	}
	tfr_json_close_array(p->json);
	return ok;
}

static bool json_features(struct tfr_printer *p, const char *key)
{
	bool ok = true;

	tfr_json_open_object(p->json, key);
	for (size_t i = 0; ok && i < tfr_example_count(p->ex); i++) {
		const struct tfr_feature *f = tfr_example_at(p->ex, i);

		tfr_json_key(p->json, f->key, f->key_size);
		ok = json_values(p, tfr_values_of(f));
	}
	tfr_json_close_object(p->json);
	return ok;
}

static bool json_sequence(struct tfr_printer *p, const struct tfr_sequence *s)
{
	bool ok;

	tfr_json_open_object(p->json, NULL);
	ok = json_features(p, "context");
	tfr_json_open_object(p->json, "feature_lists");
	for (size_t i = 0; ok && i < s->n; i++) {
		const Tfr__FeatureListEntry *e = s->lists[i].entry;

		tfr_json_key(p->json, e->key.len ? e->key.data : (const uint8_t *)"", e->key.len);
		tfr_json_open_array(p->json, NULL);
		for (size_t k = 0; ok && e->value && k < e->value->n_feature; k++)
			ok = json_values(p, tfr_values_of_frame(e->value->feature[k]));
		tfr_json_close_array(p->json);
	}
	tfr_json_close_object(p->json);
	tfr_json_close_object(p->json);
	return ok;
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

/* Quotes at most opts.width bytes of it; JSON's escapes do for a person. */
static bool text_string(struct tfr_printer *p, struct tfr_bytes b)
{
	size_t shown = 0, size;
	const char *quoted;

	if (b.size <= p->opts.width)
		shown = b.size;
	while (shown < b.size) {
		size_t len = tfr_utf8_length(b.data + shown, b.size - shown);

		if (shown + len > p->opts.width)
			break;
		shown += len;
	}
	tfr_json_reset(p->json);
	tfr_json_bytes(p->json, NULL, b.data, shown);
	quoted = tfr_json_text(p->json, &size);
	return quoted && tfr_buf_append(&p->text, quoted, size) &&
	       (shown == b.size || tfr_buf_printf(&p->text, "… (%zu bytes)", b.size));
}

static bool text_number(
	struct tfr_printer *p, const struct tfr_values *vs, const struct tfr_value *v)
{
	const char *text;
	size_t size;

	tfr_json_reset(p->json);
	if (vs->kind == TFR_KIND_FLOAT)
		tfr_json_f32(p->json, NULL, v->f);
	else
		tfr_json_i64(p->json, NULL, v->i);
	text = tfr_json_text(p->json, &size);
	if (text && *text == '"') { /* "NaN": a string only in JSON */
		text++;
		size -= 2;
	}
	return text && tfr_buf_append(&p->text, text, size);
}

static bool text_value(
	struct tfr_printer *p, const struct tfr_values *vs, const struct tfr_value *v)
{
	const char *what;

	if (vs->kind != TFR_KIND_BYTES)
		return text_number(p, vs, v);
	if (is_printable(v->bytes))
		return text_string(p, v->bytes);
	what = describe(p, v->bytes, false);
	return tfr_buf_printf(
		&p->text, "%s%s%zu bytes", what ? what : "", what ? ", " : "", v->bytes.size);
}

/* The first values, at most `*room` of them, which it lessens. */
static bool text_values(struct tfr_printer *p, struct tfr_values vs, unsigned *room)
{
	struct tfr_value v;
	bool ok = true, first = true;

	while (ok && *room && tfr_values_next(&vs, &v)) {
		ok = (first || tfr_buf_append(&p->text, ", ", 2)) && text_value(p, &vs, &v);
		first = false;
		--*room;
	}
	return ok && (vs.next == vs.count || tfr_buf_printf(&p->text, first ? "…" : ", …"));
}

/* "  name      kind   [count]  ": the columns before the values. */
static bool text_head(struct tfr_printer *p, const void *key, size_t key_size, size_t width,
	const char *kind, const char *count)
{
	const char *name;
	size_t size;

	/* Escaped as JSON escapes, without the quotes: a name may hold anything. */
	tfr_json_reset(p->json);
	tfr_json_bytes(p->json, NULL, key, key_size);
	name = tfr_json_text(p->json, &size);
	return name && tfr_buf_printf(&p->text, "  %.*s%*s  %-5s  %-5s ", (int)size - 2, name + 1,
			       (int)(key_size < width ? width - key_size : 0), "", kind, count);
}

/* Lines end without blanks, which a column of nothing would leave. */
static bool end_line(struct tfr_printer *p)
{
	while (p->text.size && p->text.data[p->text.size - 1] == ' ')
		p->text.size--;
	return tfr_buf_append(&p->text, "\n", 1);
}

static bool text_features(struct tfr_printer *p, size_t width)
{
	bool ok = true;

	for (size_t i = 0; ok && i < tfr_example_count(p->ex); i++) {
		const struct tfr_feature *f = tfr_example_at(p->ex, i);
		unsigned room = p->opts.values;
		char count[32];

		snprintf(count, sizeof(count), "[%llu]", (unsigned long long)f->count);
		ok = text_head(p, f->key, f->key_size, width, tfr_kind_name(f->kind),
			     f->kind ? count : "") &&
		     text_values(p, tfr_values_of(f), &room) && end_line(p);
	}
	return ok;
}

/* The kind of a list is that of its first frame; the frames' values stand between bars. */
static bool text_list(struct tfr_printer *p, const Tfr__FeatureListEntry *e, size_t width)
{
	size_t frames = e->value ? e->value->n_feature : 0, i;
	unsigned room = p->opts.values;
	const char *kind = "unset";
	char count[32];
	bool ok;

	if (frames)
		kind = tfr_kind_name(tfr_values_of_frame(e->value->feature[0]).kind);
	snprintf(count, sizeof(count), "%zu frame%s", frames, frames == 1 ? "" : "s");
	ok = text_head(
		p, e->key.len ? e->key.data : (const uint8_t *)"", e->key.len, width, kind, count);
	for (i = 0; ok && room && i < frames; i++)
		ok = (!i || tfr_buf_append(&p->text, " | ", 3)) &&
		     text_values(p, tfr_values_of_frame(e->value->feature[i]), &room);
	return ok && (i == frames || tfr_buf_printf(&p->text, " | …")) && end_line(p);
}

static size_t wider(size_t width, size_t size)
{
	return size > width && size <= 40 ? size : width;
}

static bool text_record(struct tfr_printer *p, const struct tfr_sequence *s)
{
	size_t width = 8;
	bool ok;

	p->text.size = 0;
	for (size_t i = 0; i < tfr_example_count(p->ex); i++)
		width = wider(width, tfr_example_at(p->ex, i)->key_size);
	for (size_t i = 0; i < s->n; i++)
		width = wider(width, s->lists[i].entry->key.len);
	ok = text_features(p, width);
	for (size_t i = 0; ok && i < s->n; i++)
		ok = text_list(p, s->lists[i].entry, width);
	return ok && tfr_buf_append(&p->text, "", 1);
}

/* ---- Both ---- */

static enum tfr_status parse(struct tfr_printer *p, const void *data, size_t size, bool *sequence,
	struct tfr_sequence *s, struct tfr_error *err)
{
	enum tfr_status status = tfr_example_parse(p->ex, data, size, err);

	*s = (struct tfr_sequence){ 0 };
	if (status)
		return status;
	*sequence = tfr_is_sequence_example(data, size);
	return *sequence ? tfr_sequence_parse(s, data, size, err) : TFR_OK;
}

enum tfr_status tfr_printer_text(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err)
{
	struct tfr_sequence s;
	enum tfr_status status;
	bool sequence;

	status = parse(p, data, size, &sequence, &s, err);
	if (!status && !text_record(p, &s))
		status = tfr_fail_nomem(err, "printing a record");
	tfr_sequence_clear(&s);
	if (status)
		return status;
	*text = (const char *)p->text.data;
	*text_size = p->text.size - 1;
	return TFR_OK;
}

enum tfr_status tfr_printer_json(struct tfr_printer *p, const void *data, size_t size,
	const char **text, size_t *text_size, struct tfr_error *err)
{
	struct tfr_sequence s;
	enum tfr_status status;
	bool sequence, ok;

	status = parse(p, data, size, &sequence, &s, err);
	if (!status) {
		tfr_json_reset(p->json);
		ok = sequence ? json_sequence(p, &s) : json_features(p, NULL);
		*text = ok ? tfr_json_text(p->json, text_size) : NULL;
		if (!*text)
			status = tfr_fail_nomem(err, "printing a record");
	}
	tfr_sequence_clear(&s);
	return status;
}
