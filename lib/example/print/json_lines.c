/* example/print/json_lines.c - Examples as JSON, complete and exact.
 *
 * Numbers go to the JSON writer in blocks, since one call per number would cost more than its
 * digits.  Values of a packed chunk are read directly from the record. */
#include <string.h>

#include "base/base64.h"
#include "example/print/print.h"
#include "example/varint.h"
#include "example/wire.h"

bool tfr_print_json_bytes(struct tfr_printer *p, struct tfr_bytes b)
{
	const char *type;

	if (tfr_is_utf8(b.data, b.size)) {
		tfr_json_bytes(p->json, NULL, b.data, b.size);
		return true;
	}
	p->scratch.size = 0;
	if (p->opts.base64 && !tfr_base64_encode(&p->scratch, b.data, b.size))
		return false;
	tfr_json_open_object(p->json, NULL);
	if (p->opts.base64) {
		tfr_json_bytes(p->json, "base64", p->scratch.data, p->scratch.size);
	} else {
		tfr_json_u64(p->json, "bytes", b.size);
		type = tfr_print_describe(p, b, true);
		if (type)
			tfr_json_string(p->json, "type", type);
	}
	tfr_json_close_object(p->json);
	return true;
}

enum { BLOCK = 256 }; /* bytes of varints, or values, per block */

/* A block ends at the end of a varint. */
static void json_packed_int64s(struct tfr_json *j, const uint8_t *p, size_t size)
{
	enum { LONGEST = 10 };
	int64_t values[BLOCK + LONGEST + TFR_VARINT_SLACK];
	const uint8_t *end = p + size;

	while (p < end) {
		const uint8_t *slice = (size_t)(end - p) > BLOCK ? p + BLOCK : end;

		while (slice < end && slice[-1] & 0x80)
			slice++;
		tfr_json_i64s(
			j, values, (size_t)(tfr_varints_decode(&p, slice, end, values) - values));
	}
}

/* Numbers in several chunks, or unpacked. */
static void json_scattered(struct tfr_json *j, const struct tfr_feature *f)
{
	int64_t ints[BLOCK];
	float floats[BLOCK];
	struct tfr_cursor c;
	size_t n;

	tfr_cursor_init(&c, f);
	do {
		for (n = 0;
			n < BLOCK && (f->kind == TFR_KIND_FLOAT ? tfr_cursor_float(&c, &floats[n])
								: tfr_cursor_int64(&c, &ints[n]));)
			n++;
		if (f->kind == TFR_KIND_FLOAT)
			tfr_json_f32s(j, floats, n);
		else
			tfr_json_i64s(j, ints, n);
	} while (n);
}

static bool json_texts(struct tfr_printer *p, const struct tfr_feature *f)
{
	struct tfr_wire w = { .p = f->body, .end = f->body + f->body_size };
	struct tfr_wire_field value;
	bool ok = true;

	while (ok && w.p < w.end && tfr_wire_next(&w, &value))
		if (value.number == 1 && value.type == TFR_WIRE_BYTES)
			ok = tfr_print_json_bytes(p, (struct tfr_bytes){ value.data, value.size });
	return ok;
}

static bool json_feature(struct tfr_printer *p, const struct tfr_feature *f)
{
	bool ok = true;

	tfr_json_open_array(p->json, NULL);
	if (f->kind == TFR_KIND_BYTES) {
		ok = !f->body_size || json_texts(p, f);
	} else if (!f->one_chunk) {
		json_scattered(p->json, f);
	} else if (f->kind == TFR_KIND_FLOAT) {
		tfr_json_f32s(p->json, f->body, f->count);
	} else {
		json_packed_int64s(p->json, f->body, f->body_size);
	}
	tfr_json_close_array(p->json);
	return ok;
}

const char *tfr_printer_values(struct tfr_printer *p, const struct tfr_feature *f, size_t *size)
{
	tfr_json_reset(p->json);
	return json_feature(p, f) ? tfr_json_text(p->json, size) : NULL;
}

bool tfr_print_json_features(struct tfr_printer *p, const char *key)
{
	bool ok = true;

	tfr_json_open_object(p->json, key);
	for (size_t i = 0; ok && i < tfr_example_count(p->ex); i++) {
		const struct tfr_feature *f = tfr_example_at(p->ex, i);

		tfr_json_key(p->json, f->key, f->key_size);
		ok = json_feature(p, f);
	}
	tfr_json_close_object(p->json);
	return ok;
}

static bool json_list(struct tfr_printer *p, const struct tfr_feature_list *l)
{
	enum tfr_status status = TFR_OK;
	struct tfr_feature frame;
	struct tfr_steps steps;
	bool ok = true;

	tfr_json_key(p->json, l->key, l->key_size);
	tfr_json_open_array(p->json, NULL);
	tfr_steps_init(&steps, l);
	while (ok && !(status = tfr_steps_next(&steps, p->lists, &frame, NULL)))
		ok = json_feature(p, &frame);
	tfr_json_close_array(p->json);
	return ok && status == TFR_END;
}

static bool json_sequence(struct tfr_printer *p)
{
	bool ok;

	tfr_json_open_object(p->json, NULL);
	ok = tfr_print_json_features(p, "context");
	tfr_json_open_object(p->json, "feature_lists");
	for (size_t i = 0; ok && i < tfr_lists_count(p->lists); i++)
		ok = json_list(p, tfr_lists_at(p->lists, i));
	tfr_json_close_object(p->json);
	tfr_json_close_object(p->json);
	return ok;
}

bool tfr_print_json_example(struct tfr_printer *p, bool sequence)
{
	return sequence ? json_sequence(p) : tfr_print_json_features(p, NULL);
}
