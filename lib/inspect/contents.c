/* inspect/contents.c - records looked into, Examples and SequenceExamples.
 *
 * Every bytes value that starts like a JPEG or a PNG is held to be one and must decode in full;
 * `image/encoded` must be a picture whatever it starts like. */
#include "inspect/contents.h"

#include <stdlib.h>
#include <string.h>

#include <tfr/example.h>
#include <tfr/media.h>

struct tfr_contents {
	struct tfr_example *example;
	struct tfr_decoder *decoder; /* NULL: pictures are not decoded */
};

struct tfr_contents *tfr_contents_new(bool decode)
{
	struct tfr_contents *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->example = tfr_example_new();
	c->decoder = decode ? tfr_decoder_new(NULL) : NULL;
	if (c->example && (c->decoder || !decode))
		return c;
	tfr_contents_free(c);
	return NULL;
}

void tfr_contents_free(struct tfr_contents *c)
{
	if (!c)
		return;
	tfr_example_free(c->example);
	tfr_decoder_free(c->decoder);
	free(c);
}

/* Puts the feature's name before the reason. */
static enum tfr_status name_feature(const struct tfr_bytes *key, struct tfr_error *err)
{
	struct tfr_error inner = *err;

	if (inner.status == TFR_EFORMAT) /* of the value, not of the file */
		inner.status = TFR_EDATA;
	return tfr_fail(err, inner.status, "%.*s: %s", (int)(key->size < 100 ? key->size : 100),
		(const char *)key->data, inner.message);
}

/* One run over a record. */
struct look {
	struct tfr_contents *contents;
	uint64_t *pictures;
};

static enum tfr_status check_value(void *ctx, const struct tfr_bytes *key,
	const struct tfr_bytes *value, struct tfr_error *err)
{
	static const char encoded[] = "image/encoded";
	const struct look *look = ctx;
	enum tfr_image_format format = tfr_image_sniff(value->data, value->size);
	bool must_be = key->size == strlen(encoded) && !memcmp(key->data, encoded, key->size);

	/* A picture of a kind that is not ours to judge, or bytes that nobody calls a picture. */
	if (format != TFR_IMAGE_JPEG && format != TFR_IMAGE_PNG &&
		(format != TFR_IMAGE_UNKNOWN || !must_be))
		return TFR_OK;
	if (tfr_decode_verify(look->contents->decoder, value->data, value->size, err))
		return name_feature(key, err);
	++*look->pictures;
	return TFR_OK;
}

static enum tfr_status check_feature(
	struct look *look, const struct tfr_feature *f, struct tfr_error *err)
{
	struct tfr_bytes key = { (const uint8_t *)f->key, f->key_size }, value;
	enum tfr_status status = TFR_OK;
	struct tfr_cursor cursor;

	tfr_cursor_init(&cursor, f);
	while (!status && tfr_cursor_bytes(&cursor, &value))
		status = check_value(look, &key, &value, err);
	return status;
}

enum tfr_status tfr_contents_check(struct tfr_contents *c, const void *data, size_t size,
	uint64_t *pictures, struct tfr_error *err)
{
	struct look look = { c, pictures };
	enum tfr_status status = tfr_example_parse(c->example, data, size, err);

	for (size_t i = 0; !status && c->decoder && i < tfr_example_count(c->example); i++) {
		const struct tfr_feature *f = tfr_example_at(c->example, i);

		if (f->kind == TFR_KIND_BYTES)
			status = check_feature(&look, f, err);
	}
	if (!status && tfr_is_sequence_example(data, size))
		status = tfr_sequence_visit_bytes(
			data, size, c->decoder ? check_value : NULL, &look, err);
	return status;
}
