/* tests/fuzz/coco.c - any bytes as a file of annotations: cut into blocks or whole, they are the
 * same elements or the same error; what json-c reads is nothing that the scanner calls no JSON, and
 * it finds as many elements; elements are parsed or refused. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "convert/coco/coco_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum tfr_status scan(
	const uint8_t *data, size_t size, size_t block, struct tfr_buf *all, struct tfr_error *err)
{
	struct tfr_coco_scan s = { .path = "a" };
	enum tfr_status status = TFR_OK;

	for (size_t end = 0, n; !status && end < size; end += n) {
		struct tfr_coco_element *e = NULL;
		size_t before = all->size;

		n = block < size - end ? block : size - end;
		status = tfr_coco_scan(&s, data + s.offset, end + n - (size_t)s.offset, all, err);
		if (all->size > before)
			e = (struct tfr_coco_element *)(void *)(all->data + before);
		for (size_t i = 0; i < (all->size - before) / sizeof(*e); i++) {
			e[i].from += (uint32_t)s.offset;
			e[i].to += (uint32_t)s.offset;
		}
		tfr_coco_scan_drop(&s);
	}
	return status ? status : tfr_coco_scan_end(&s, err);
}

/* Faults that JSON does not have, only COCO's files. */
static bool is_our_own(const char *message)
{
	static const char *const own[] = { "is not a list", "is not an object", "a second list",
		"no list", "nested too deep", "as COCO's files begin" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (strstr(message, own[i]))
			return true;
	return false;
}

static void compare(const uint8_t *data, size_t size, enum tfr_status status,
	const struct tfr_error *err, const struct tfr_buf *elements)
{
	static const char *const lists[] = { "images", "annotations", "categories" };
	struct json_tokener *parser = json_tokener_new_ex(60);
	struct json_object *root, *list;
	size_t n = 0;

	json_tokener_set_flags(parser, JSON_TOKENER_STRICT);
	root = json_tokener_parse_ex(parser, (const char *)data, (int)size);
	/* json-c takes a NUL for the end. */
	if (root && json_object_is_type(root, json_type_object) && !memchr(data, '\\', size) &&
		!memchr(data, 0, size)) {
		if (status && !is_our_own(err->message))
			abort();
		for (size_t i = 0; i < 3; i++)
			if (json_object_object_get_ex(root, lists[i], &list) &&
				json_object_is_type(list, json_type_array))
				n += json_object_array_length(list);
		if (!status && n != elements->size / sizeof(struct tfr_coco_element))
			abort();
	}
	json_object_put(root);
	json_tokener_free(parser);
}

static void parse(const uint8_t *data, const struct tfr_buf *elements, enum tfr_coco_what what)
{
	const struct tfr_coco_element *e = (const void *)elements->data;
	struct tfr_coco_parser p = {
		.path = "a", .what = what, .keeps_names = true, .keeps_shapes = true
	};
	struct tfr_error err;

	for (size_t i = 0; i < elements->size / sizeof(*e); i++) {
		enum tfr_status status = tfr_coco_parse(&p, data, &e[i], 0, &err);

		if (status && (status != TFR_EDATA || !err.message[0]))
			abort();
	}
	tfr_coco_parser_clear(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TFR_AUTO_BUF whole = { 0 }, pieces = { 0 };
	struct tfr_error err = { 0 }, other = { 0 };
	enum tfr_status status;

	if (size < 2)
		return 0;
	status = scan(data + 1, size - 1, size, &whole, &err);
	if (scan(data + 1, size - 1, 1 + data[0] % 64, &pieces, &other) != status ||
		strcmp(err.message, other.message) || whole.size != pieces.size ||
		(whole.size && memcmp(whole.data, pieces.data, whole.size)))
		abort();
	compare(data + 1, size - 1, status, &err, &whole);
	for (int what = TFR_COCO_OBJECTS; what <= TFR_COCO_PANOPTIC; what++)
		parse(data + 1, &whole, (enum tfr_coco_what)what);
	return 0;
}
