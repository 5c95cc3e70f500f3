/* inspect/schema_json.c - a schema in JSON, by json-c.
 *
 * Of a feature its name, kind, presence and length are held to; what else stands there (contents,
 * counts, drift) is for people.  A feature that never had a kind is no rule. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/schema.h"

enum { DEPTH = 32 };

static const char *text_of(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_get_string(v);
}

static bool number_of(struct json_object *o, const char *key, uint64_t *value)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_int) ||
		json_object_get_int64(v) < 0)
		return false;
	*value = json_object_get_uint64(v);
	return true;
}

/* {"min": 0, "max": 5}; without a length any number will do. */
static bool length_of(struct json_object *o, uint64_t *min, uint64_t *max)
{
	struct json_object *v;

	*min = 0;
	*max = UINT64_MAX;
	if (!json_object_object_get_ex(o, "length", &v))
		return true;
	return json_object_is_type(v, json_type_object) && number_of(v, "min", min) &&
	       number_of(v, "max", max) && *min <= *max;
}

static enum tfr_status wrong(const char *path, size_t i, const char *what, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EUSAGE, "schema '%s', feature %zu: %s", path, i, what);
}

static enum tfr_status read_feature(struct tfr_schema *s, const char *path, struct json_object *o,
	size_t i, struct tfr_error *err)
{
	bool is_object = json_object_is_type(o, json_type_object);
	const char *kind = is_object ? text_of(o, "kind") : NULL;
	const char *presence = is_object ? text_of(o, "presence") : NULL;
	struct json_object *name;
	struct tfr_error inner = { 0 };
	uint64_t min, max;

	if (!is_object || !json_object_object_get_ex(o, "name", &name) ||
		!json_object_is_type(name, json_type_string))
		return wrong(path, i, "expected an object with a name", err);
	if (json_object_object_get_ex(o, "kinds", NULL))
		return wrong(path, i, "of several kinds, which nothing can be held to", err);
	if (!kind && !json_object_object_get_ex(o, "kind", NULL))
		return TFR_OK;
	if (!kind || !presence || (strcmp(presence, "required") && strcmp(presence, "optional")))
		return wrong(path, i, "expected a kind, and 'required' or 'optional'", err);
	if (!length_of(o, &min, &max))
		return wrong(path, i, "expected a length with min and max", err);
	if (!tfr_schema_add(s, *presence == 'r', kind, min, max, json_object_get_string(name),
		    (size_t)json_object_get_string_len(name), &inner))
		return TFR_OK;
	if (inner.status == TFR_ENOMEM)
		return tfr_fail_nomem(err, "reading a schema");
	return wrong(path, i, inner.message, err);
}

static enum tfr_status read_features(
	struct tfr_schema *s, const char *path, struct json_object *top, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct json_object *list, *only;

	if (!json_object_is_type(top, json_type_object) ||
		!json_object_object_get_ex(top, "features", &list) ||
		!json_object_is_type(list, json_type_array))
		return tfr_fail(err, TFR_EUSAGE, "schema '%s' has no list 'features'", path);
	if (json_object_object_get_ex(top, "only", &only) && json_object_get_boolean(only))
		tfr_schema_allow_only(s);
	for (size_t i = 0; !status && i < json_object_array_length(list); i++)
		status = read_feature(s, path, json_object_array_get_idx(list, i), i, err);
	return status;
}

enum tfr_status tfr_schema_read_json(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH);
	struct json_object *top = NULL;
	enum json_tokener_error why;
	enum tfr_status status;

	if (!tokener)
		return tfr_fail_nomem(err, "reading a schema");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8 |
						JSON_TOKENER_ALLOW_TRAILING_CHARS);
	top = json_tokener_parse_ex(tokener, text, (int)size);
	why = json_tokener_get_error(tokener);
	for (size_t at = json_tokener_get_parse_end(tokener);
		why == json_tokener_success && at < size; at++)
		if (!text[at] || !strchr(" \t\r\n", text[at]))
			why = json_tokener_error_parse_unexpected;
	if (why == json_tokener_success)
		status = read_features(s, path, top, err);
	else
		status = tfr_fail(err, TFR_EUSAGE, "schema '%s' is no JSON: %s", path,
			why == json_tokener_continue ? "it ends too soon"
						     : json_tokener_error_desc(why));
	json_object_put(top);
	json_tokener_free(tokener);
	return status;
}
