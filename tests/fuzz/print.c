/* Any bytes, taken for each kind of record: what is printed as JSON is JSON, by json-c and on one
 * line; text stays within its columns and holds nothing that a terminal obeys. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>
#include <tfr-private/text.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* json-c has a bound on depth, which no record reaches. */
static void check_json(const char *text, size_t size)
{
	struct json_tokener *t = json_tokener_new();
	struct json_object *o;

	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, text, (int)size + 1); /* with the NUL, where numbers end */
	if (json_tokener_get_error(t) != json_tokener_success ||
		!json_object_is_type(o, json_type_object))
		abort();
	if (strlen(text) != size || memchr(text, '\n', size))
		abort();
	json_object_put(o);
	json_tokener_free(t);
}

static void check_text(const char *text, size_t size)
{
	if (strlen(text) != size || !tfr_is_utf8(text, size) || !size || text[size - 1] != '\n')
		abort();
	for (size_t i = 0; i < size; i++) {
		uint8_t c = (uint8_t)text[i];

		if ((c < 0x20 && c != '\n') || c == 0x7f ||
			(c == 0xc2 && (uint8_t)text[i + 1] < 0xa0))
			abort();
	}
}

static void print(const struct tfr_print_opts *opts, const uint8_t *data, size_t size)
{
	struct tfr_printer *p = FUZZ_SAFE(tfr_printer_new(opts));
	const char *text;
	size_t text_size;

	for (int i = 0; i < 2; i++) { /* a printer is used again after a failure */
		if (!tfr_printer_json(p, data, size, &text, &text_size, NULL))
			check_json(text, text_size);
		if (!tfr_printer_text(p, data, size, &text, &text_size, NULL))
			check_text(text, text_size);
	}
	tfr_printer_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned columns = size ? data[size - 1] : 0;

	for (int as = TFR_CONTENT_AUTO; as <= TFR_CONTENT_RAW; as++)
		print(&(struct tfr_print_opts){ .as = (enum tfr_content)as,
			      .columns = columns & 1 ? columns : 0,
			      .base64 = columns & 2 },
			data, size);
	return 0;
}
