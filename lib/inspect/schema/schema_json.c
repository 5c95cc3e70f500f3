/* inspect/schema/schema_json.c - reads a schema from JSON, with json-c.
 *
 * Features are checked for name, kind, presence and length, feature lists also for their steps.
 * The other members (contents, counts, drift) are for people.  A feature that never had a kind is
 * not a rule. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "inspect/schema/schema_read.h"

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

/* Reads {"min": 0, "max": 5} at `key`; without it any number is allowed. */
static bool range_of(struct json_object *o, const char *key, struct tfr_range *range)
{
	struct json_object *v;

	*range = (struct tfr_range){ 0, UINT64_MAX };
	if (!json_object_object_get_ex(o, key, &v))
		return true;
	return json_object_is_type(v, json_type_object) && number_of(v, "min", &range->min) &&
	       number_of(v, "max", &range->max) && range->min <= range->max;
}

/* A member of the list being read. */
struct member {
	const char *path, *noun;
	size_t i;
};

static enum tfr_status wrong(const struct member *m, const char *what, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EUSAGE, "schema '%s', %s %zu: %s", m->path, m->noun, m->i, what);
}

static enum tfr_status read_entry(struct tfr_schema *s, const struct member *m,
	struct json_object *o, bool is_list, struct tfr_error *err)
{
	bool is_object = json_object_is_type(o, json_type_object);
	const char *presence = is_object ? text_of(o, "presence") : NULL;
	struct tfr_schema_entry e = { .is_list = is_list,
		.kind = is_object ? text_of(o, "kind") : NULL };
	struct tfr_error inner = { 0 };
	struct json_object *name;

	if (!is_object || !json_object_object_get_ex(o, "name", &name) ||
		!json_object_is_type(name, json_type_string))
		return wrong(m, "expected an object with a name", err);
	if (json_object_object_get_ex(o, "kinds", NULL))
		return wrong(m, "of several kinds, which nothing can be held to", err);
	if (!e.kind && !json_object_object_get_ex(o, "kind", NULL))
		return TFR_OK;
	if (!e.kind || !presence || (strcmp(presence, "required") && strcmp(presence, "optional")))
		return wrong(m, "expected a kind, and 'required' or 'optional'", err);
	if (!range_of(o, "length", &e.values))
		return wrong(m, "expected a length with min and max", err);
	if (is_list && !range_of(o, "steps", &e.steps))
		return wrong(m, "expected steps with min and max", err);
	e.required = *presence == 'r';
	e.name = json_object_get_string(name);
	e.size = (size_t)json_object_get_string_len(name);
	if (!tfr_schema_add(s, &e, &inner))
		return TFR_OK;
	if (inner.status == TFR_ENOMEM)
		return tfr_fail_nomem(err, "reading a schema");
	return wrong(m, inner.message, err);
}

static enum tfr_status read_list(struct tfr_schema *s, struct member m, struct json_object *list,
	bool is_list, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (m.i = 0; !status && m.i < json_object_array_length(list); m.i++)
		status = read_entry(s, &m, json_object_array_get_idx(list, m.i), is_list, err);
	return status;
}

/* 'tfr schema' writes "feature_lists" only if there are any. */
static enum tfr_status read_features(
	struct tfr_schema *s, const char *path, struct json_object *top, struct tfr_error *err)
{
	struct json_object *features, *lists = NULL, *only;
	enum tfr_status status;

	if (!json_object_is_type(top, json_type_object) ||
		!json_object_object_get_ex(top, "features", &features) ||
		!json_object_is_type(features, json_type_array))
		return tfr_fail(err, TFR_EUSAGE, "schema '%s' has no list 'features'", path);
	if (json_object_object_get_ex(top, "feature_lists", &lists) &&
		!json_object_is_type(lists, json_type_array))
		return tfr_fail(err, TFR_EUSAGE, "schema '%s': 'feature_lists' is no list", path);
	if (json_object_object_get_ex(top, "only", &only) && json_object_get_boolean(only))
		tfr_schema_allow_only(s);
	status = read_list(s, (struct member){ path, "feature", 0 }, features, false, err);
	if (!status && lists)
		status = read_list(s, (struct member){ path, "feature list", 0 }, lists, true, err);
	return status;
}

enum tfr_status tfr_schema_read_json(struct tfr_schema *s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	struct json_object *top;
	struct tfr_error inner = { 0 };
	enum tfr_status status = tfr_json_read(
		&top, text, size, &(struct tfr_json_limits){ .depth = DEPTH }, &inner);

	if (!status)
		status = read_features(s, path, top, err);
	else if (status == TFR_EDATA)
		status = tfr_fail(
			err, TFR_EUSAGE, "schema '%s' is not JSON: %s", path, inner.message);
	else if (err)
		*err = inner;
	json_object_put(top);
	return status;
}
