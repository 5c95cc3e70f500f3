/* convert/archive/webdataset_sample.c - a sample is its key and a list of fields, without their
 * bytes. */
#include "convert/archive/webdataset_sample.h"

#include <string.h>

#include "base/error.h"

size_t tfr_sample_key(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;
	const char *dot = strchr(last, '.');

	return dot && dot > last ? (size_t)(dot - path) : 0;
}

static bool is_image(const char *field)
{
	static const char *const names[] = { "jpg", "jpeg", "png", "webp", "gif", "bmp" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(field, names[i]))
			return true;
	return false;
}

bool tfr_sample_start(struct tfr_sample *s, const char *path)
{
	s->key.size = s->names.size = s->parts.size = 0;
	s->has_image = s->has_audio = false;
	return tfr_buf_append(&s->key, path, tfr_sample_key(path)) &&
	       tfr_buf_append(&s->key, "", 1);
}

bool tfr_sample_has(const struct tfr_sample *s, const char *path)
{
	size_t n = tfr_sample_key(path);

	return n && n == s->key.size - 1 && !memcmp(s->key.data, path, n);
}

/* ASCII letters become lower case; other characters stay. */
static bool append_field(struct tfr_buf *names, const char *field)
{
	size_t at = names->size, n = strlen(field) + 1;

	if (!tfr_buf_append(names, field, n))
		return false;
	for (uint8_t *p = names->data + at; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p |= 0x20;
	return true;
}

enum tfr_status tfr_sample_add(struct tfr_sample *s, const char *path, uint64_t place,
	uint64_t size, struct tfr_error *err)
{
	struct tfr_sample_field part = { .name = s->names.size, .place = place, .size = size };
	const char *field;

	if (!append_field(&s->names, path + tfr_sample_key(path) + 1))
		return tfr_fail_nomem(err, "reading samples");
	field = (const char *)s->names.data + part.name;
	for (size_t i = 0; i < tfr_sample_parts(s); i++)
		if (!strcmp(tfr_sample_field(s, i), field))
			return tfr_fail(err, TFR_EDATA,
				"sample '%.200s' has field '%.100s' twice, the second time in "
				"'%.200s'",
				(const char *)s->key.data, field, path);
	part.image = !s->has_image && is_image(field);
	part.audio = !s->has_audio && !strcmp(field, "wav");
	s->has_image |= part.image;
	s->has_audio |= part.audio;
	s->audio.size = part.audio ? 0 : s->audio.size;
	if (part.audio && !tfr_buf_append(&s->audio, path, strlen(path) + 1))
		return tfr_fail_nomem(err, "reading samples");
	if (!tfr_buf_append(&s->parts, &part, sizeof(part)))
		return tfr_fail_nomem(err, "reading samples");
	return TFR_OK;
}

void tfr_sample_clear(struct tfr_sample *s)
{
	tfr_buf_clear(&s->key);
	tfr_buf_clear(&s->names);
	tfr_buf_clear(&s->parts);
	tfr_buf_clear(&s->audio);
	*s = (struct tfr_sample){ 0 };
}
