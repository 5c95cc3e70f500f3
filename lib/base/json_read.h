/* base/json_read.h - a JSON document as a tree of json-c, within bounds. */
#ifndef TFR_BASE_JSON_READ_H
#define TFR_BASE_JSON_READ_H

#include <json-c/json_types.h>
#include <stdbool.h>

#include "base/error.h"

struct tfr_json_limits {
	unsigned depth; /* nesting of arrays and objects, at least 1 */
	size_t size;	/* bytes of the text; 0: 2 GiB, the maximum in any case */
	/* json-c takes hundreds of bytes per object, so that a text of brackets alone would take
	 * 100 times its size.  At most one opening bracket is allowed per this many bytes, not
	 * counting the first 64; 0: any number. */
	unsigned bytes_per_bracket;
	bool bytes; /* strings are bytes: those of tfr_json_keep_bytes(), and any others */
};

/* Parses a text that is one array or object in UTF-8, with or without spaces before and after
 * it.  The caller releases *doc with json_object_put(); it is NULL for "null".  TFR_EDATA:
 * err->message says what is wrong and in which line, in words that can follow "is not JSON: ". */
enum tfr_status tfr_json_read(struct json_object **doc, const void *text, size_t size,
	const struct tfr_json_limits *limits, struct tfr_error *err);

void tfr_json_auto_put(struct json_object **doc);
#define TFR_AUTO_JSON __attribute__((cleanup(tfr_json_auto_put))) struct json_object *

/* The member of an object, or NULL: it has none of this type, or `o` is no object. */
struct json_object *tfr_json_member(struct json_object *o, const char *key, enum json_type type);
/* The same of a text; NULL: it has none. */
const char *tfr_json_text_at(struct json_object *o, const char *key);

#endif
