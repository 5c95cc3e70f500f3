/* inspect/contents.c - records looked into.
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

static bool is_key(const struct tfr_feature *f, const char *key)
{
	return f->key_size == strlen(key) && !memcmp(f->key, key, f->key_size);
}

/* Puts the feature's name before the reason. */
static enum tfr_status name_feature(const struct tfr_feature *f, struct tfr_error *err)
{
	struct tfr_error inner = *err;

	return tfr_fail(err, TFR_EDATA, "%.*s: %s", (int)(f->key_size < 100 ? f->key_size : 100),
		f->key, inner.message);
}

static enum tfr_status check_pictures(struct tfr_contents *c, const struct tfr_feature *f,
	uint64_t *pictures, struct tfr_error *err)
{
	bool must_be = is_key(f, "image/encoded");
	struct tfr_cursor cursor;
	struct tfr_bytes value;
	struct tfr_image image;

	tfr_cursor_init(&cursor, f);
	while (tfr_cursor_bytes(&cursor, &value)) {
		enum tfr_image_format format = tfr_image_sniff(value.data, value.size);
		bool decodable = format == TFR_IMAGE_JPEG || format == TFR_IMAGE_PNG;

		if (!decodable && format != TFR_IMAGE_UNKNOWN)
			continue; /* a picture, of a kind that is not ours to judge */
		if (!decodable && !must_be)
			continue;
		if (tfr_decode(c->decoder, value.data, value.size, NULL, 0, &image, err))
			return name_feature(f, err);
		++*pictures;
	}
	return TFR_OK;
}

enum tfr_status tfr_contents_check(struct tfr_contents *c, const void *data, size_t size,
	uint64_t *pictures, struct tfr_error *err)
{
	enum tfr_status status = tfr_example_parse(c->example, data, size, err);

	for (size_t i = 0; !status && c->decoder && i < tfr_example_count(c->example); i++) {
		const struct tfr_feature *f = tfr_example_at(c->example, i);

		if (f->kind == TFR_KIND_BYTES)
			status = check_pictures(c, f, pictures, err);
	}
	return status;
}
