#include <criterion/criterion.h>
#include <json-c/json.h>
#include <string.h>

#include "base/json_read.h"

static const struct tfr_json_limits plain = { .depth = 4 };

/* The status; the message, where it is not TFR_OK, must be `says`. */
static void refused(
	const char *text, size_t size, const struct tfr_json_limits *limits, const char *says)
{
	struct json_object *doc = (void *)&plain;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_json_read(&doc, text, size, limits, &err), TFR_EDATA, "%s", text);
	cr_assert_null(doc);
	cr_assert_str_eq(err.message, says);
}

Test(json_read, a_document_with_spaces_around_it)
{
	static const char *const texts[] = { "{\"a\": 7}", " \n{\"a\":7}\r\n\n", "{\"a\":7}\n" };
	struct json_object *doc, *a;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		cr_assert_eq(tfr_json_read(&doc, texts[i], strlen(texts[i]), &plain, NULL), TFR_OK);
		cr_assert(json_object_object_get_ex(doc, "a", &a));
		cr_assert_eq(json_object_get_int(a), 7);
		json_object_put(doc);
	}
}

Test(json_read, the_end_is_the_size_and_not_a_nul)
{
	struct json_object *doc;

	cr_assert_eq(tfr_json_read(&doc, "[1]]]]", 3, &plain, NULL), TFR_OK);
	json_object_put(doc);
	refused("[1]\0", 4, &plain, "characters after the end in line 1");
}

Test(json_read, says_what_is_wrong_and_where)
{
	refused("", 0, &plain, "it is empty");
	refused(" \n", 2, &plain, "it is empty");
	refused("{\"a\": [1,\n", 10, &plain, "it ends too soon");
	refused("[1]\n[2]", 7, &plain, "characters after the end in line 2");
	refused("{\n\"a\": 1,\nb}", 12, &plain, "quoted object property name expected in line 3");
	refused("[\n'a']", 6, &plain, "unexpected character in line 2");
	refused("[\"\xff\"]", 5, &plain, "invalid utf-8 string in line 1");
}

Test(json_read, bounds)
{
	static char text[4000];

	refused("[[[[1]]]]", 9, &plain, "nesting too deep in line 1");
	refused("[1]", 3, &(struct tfr_json_limits){ .depth = 4, .size = 2 }, "over 2 bytes");
	memset(text, '[', sizeof(text));
	refused(text, sizeof(text), &(struct tfr_json_limits){ 4, 0, 24 },
		"mostly brackets");
	memset(text, ' ', sizeof(text));
	memcpy(text, "[\"[[[[[[[[\\\"[[[[", 16);
	memset(text + 16, '[', 1000);
	strcpy(text + 1016, "\"]");
	{
		struct json_object *doc; /* brackets in a string are none */

		cr_assert_eq(tfr_json_read(&doc, text, 1018,
				     &(struct tfr_json_limits){ 4, 0, 24 }, NULL),
			TFR_OK);
		json_object_put(doc);
	}
}
