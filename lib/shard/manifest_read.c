/* shard/manifest_read.c - parses a manifest with json-c.
 *
 * Every member that is used must exist and have its type.  Other members are ignored, so that later
 * versions can add some. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_read.h"
#include "shard/manifests.h"

static bool get_u64(struct json_object *o, const char *key, uint64_t *value)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_int))
		return false;
	/* json-c reads a negative number as unsigned 0; only numbers from 2^63 up read as negative
	 * int64. */
	*value = json_object_get_uint64(v);
	return json_object_get_int64(v) >= 0 && *value != UINT64_MAX; /* or a larger number */
}

/* A text without NUL bytes, which belongs to the object. */
static const char *get_text(struct json_object *o, const char *key)
{
	struct json_object *v;
	const char *text;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	text = json_object_get_string(v);
	return strlen(text) == (size_t)json_object_get_string_len(v) ? text : NULL;
}

static bool get_hex(struct json_object *o, const char *key, size_t digits, uint64_t *value)
{
	const char *text = get_text(o, key);

	if (!text || strlen(text) != digits || strspn(text, "0123456789abcdef") != digits)
		return false;
	*value = strtoull(text, NULL, 16);
	return true;
}

/* "seconds.nanoseconds", nine digits after the point. */
static bool get_time(struct json_object *o, const char *key, uint64_t *value)
{
	const char *text = get_text(o, key);
	size_t whole;

	if (!text)
		return false;
	whole = strspn(text, "0123456789");
	if (!whole || whole > 10 || text[whole] != '.' || strlen(text + whole + 1) != 9 ||
		strspn(text + whole + 1, "0123456789") != 9)
		return false;
	*value = strtoull(text, NULL, 10) * 1000000000u + strtoull(text + whole + 1, NULL, 10);
	return true;
}

static enum tfr_status bad(struct tfr_error *err, const char *what)
{
	return tfr_fail(err, TFR_EDATA, "not a manifest of ours: %s", what);
}

static enum tfr_status read_shard(
	struct tfr_manifest_shard *s, struct json_object *o, struct tfr_error *err)
{
	const char *name = get_text(o, "name");
	uint64_t crc;

	if (!name || !*name || strchr(name, '/'))
		return bad(err, "a shard without a name");
	if (!get_u64(o, "records", &s->records) || !get_u64(o, "bytes", &s->bytes))
		return bad(err, "a shard without its records and bytes");
	if (!get_hex(o, "sum", 16, &s->sum) || !get_hex(o, "crc32c", 8, &crc))
		return bad(err, "a shard without its sums");
	if (!get_time(o, "mtime", &s->mtime))
		return bad(err, "a shard without its time");
	s->crc = (uint32_t)crc;
	s->name = strdup(name);
	return s->name ? TFR_OK : tfr_fail_nomem(err, "reading a manifest");
}

/* Classes without a name or a number are skipped. */
static enum tfr_status read_classes(
	struct tfr_class_map *m, struct json_object *root, struct tfr_error *err)
{
	struct json_object *classes, *label;

	if (!json_object_object_get_ex(root, "classes", &classes) ||
		!json_object_is_type(classes, json_type_array))
		return TFR_OK;
	for (size_t i = 0; i < json_object_array_length(classes); i++) {
		struct json_object *o = json_object_array_get_idx(classes, i);
		const char *text =
			json_object_is_type(o, json_type_object) ? get_text(o, "text") : NULL;

		if (!text || !json_object_object_get_ex(o, "label", &label) ||
			!json_object_is_type(label, json_type_int))
			continue;
		if (!tfr_class_map_add(m, text, strlen(text), json_object_get_int64(label)))
			return tfr_fail_nomem(err, "reading a manifest");
	}
	tfr_class_map_sort(m);
	return TFR_OK;
}

/* The classes as they are, for the manifest of all parts. */
static enum tfr_status read_counts(
	struct tfr_manifest *m, struct json_object *root, struct tfr_error *err)
{
	struct json_object *classes, *o, *label;
	size_t n;

	if (!json_object_object_get_ex(root, "classes", &classes) ||
		!json_object_is_type(classes, json_type_array))
		return TFR_OK;
	n = json_object_array_length(classes);
	m->counts = calloc(n + 1, sizeof(*m->counts));
	if (!m->counts)
		return tfr_fail_nomem(err, "reading a manifest");
	for (; m->n_counts < n; m->n_counts++) {
		struct tfr_class_count *count = &m->counts[m->n_counts];
		const char *text;

		o = json_object_array_get_idx(classes, m->n_counts);
		if (!json_object_is_type(o, json_type_object) ||
			!json_object_object_get_ex(o, "label", &label))
			return bad(err, "a class without a label");
		count->label = json_object_get_int64(label);
		if (!get_u64(o, "records", &count->records))
			count->records = TFR_CLASS_UNCOUNTED;
		text = get_text(o, "text");
		count->text = text ? strdup(text) : NULL;
		if (text && !count->text)
			return tfr_fail_nomem(err, "reading a manifest");
	}
	return TFR_OK;
}

static enum tfr_status read_note(
	struct tfr_manifest *m, struct json_object *root, struct tfr_error *err)
{
	struct tfr_part_note *note = m->note = calloc(1, sizeof(*m->note));
	struct tfr_part_tally *t = &note->tally;
	struct json_object *o, *most;
	uint64_t part, parts;
	const char *first, *labels;

	if (!note)
		return tfr_fail_nomem(err, "reading the note of a part");
	if (!json_object_object_get_ex(root, "part", &o) ||
		!json_object_is_type(o, json_type_object) || !get_u64(o, "index", &part) ||
		!get_u64(o, "parts", &parts) || parts > UINT32_MAX || part >= parts)
		return bad(err, "no part");
	note->part = (uint32_t)part;
	note->parts = (uint32_t)parts;
	first = get_text(o, "first_lost");
	if (!get_u64(o, "read", &t->read) || !get_u64(o, "skipped", &t->skipped) ||
		!get_u64(o, "left", &t->left) || !get_u64(o, "read_bytes", &t->bytes) ||
		!get_u64(o, "expected", &t->expected) || !get_u64(o, "lost", &t->lost) ||
		!json_object_object_get_ex(o, "most_lost", &most) || !first)
		return bad(err, "a part without its counts");
	t->most_lost = json_object_get_double(most);
	snprintf(t->first_lost, sizeof(t->first_lost), "%s", first);
	labels = get_text(o, "labels");
	note->labels = labels ? strdup(labels) : NULL;
	return labels && !note->labels ? tfr_fail_nomem(err, "reading the note of a part")
				       : read_counts(m, root, err);
}

/* Members that not every manifest has. */
static enum tfr_status read_rest(
	struct tfr_manifest *m, struct json_object *root, struct tfr_error *err)
{
	const char *options = get_text(root, "options"), *command = get_text(root, "command");
	enum tfr_status status = TFR_OK;
	struct json_object *seed;

	m->command = command ? strdup(command) : NULL;
	if (command && !m->command)
		return tfr_fail_nomem(err, "reading a manifest");
	if (!get_u64(root, "payload_bytes", &m->payload_bytes))
		m->payload_bytes = 0;
	if (json_object_object_get_ex(root, "seed", &seed))
		m->seed = json_object_get_uint64(seed);
	if (json_object_object_get_ex(root, "part", NULL))
		status = read_note(m, root, err);
	if (status)
		return status;

	if (options && get_hex(root, "inputs", 16, &m->inputs)) {
		m->options = strdup(options);
		if (!m->options)
			return tfr_fail_nomem(err, "reading a manifest");
	}
	return read_classes(&m->classes, root, err);
}

static enum tfr_status read_manifest(
	struct tfr_manifest *m, struct json_object *root, struct tfr_error *err)
{
	struct json_object *shards;
	enum tfr_status status = TFR_OK;
	uint64_t version;
	size_t n;

	if (!json_object_is_type(root, json_type_object) || !get_u64(root, "version", &version))
		return bad(err, "no version");
	if (version != 1)
		return bad(err, "its version is not 1");
	if (!get_u64(root, "records", &m->records) || !get_u64(root, "bytes", &m->bytes) ||
		!get_hex(root, "sum", 16, &m->sum))
		return bad(err, "no totals");
	if (!json_object_object_get_ex(root, "shards", &shards) ||
		!json_object_is_type(shards, json_type_array))
		return bad(err, "no shards");
	n = json_object_array_length(shards);
	m->shards = calloc(n + 1, sizeof(*m->shards));
	if (!m->shards)
		return tfr_fail_nomem(err, "reading a manifest");
	for (; !status && m->count < n; m->count++) {
		struct json_object *o = json_object_array_get_idx(shards, m->count);

		status = json_object_is_type(o, json_type_object)
				 ? read_shard(&m->shards[m->count], o, err)
				 : bad(err, "a shard that is not an object");
	}
	return status ? status : read_rest(m, root, err);
}

enum tfr_status tfr_manifest_parse(
	struct tfr_manifest **out, const void *text, size_t size, struct tfr_error *err)
{
	struct tfr_manifest *m = calloc(1, sizeof(*m));
	/* A manifest that we write has few brackets for its size. */
	static const struct tfr_json_limits limits = { .depth = 32, .bytes_per_bracket = 24 };
	struct json_object *root = NULL;
	struct tfr_error inner = { 0 };
	enum tfr_status status;

	if (!m)
		return tfr_fail_nomem(err, "reading a manifest");
	status = tfr_json_read(&root, text, size, &limits, &inner);
	if (!status)
		status = read_manifest(m, root, err);
	else if (status == TFR_EDATA)
		status = bad(err, inner.message);
	else if (err)
		*err = inner;
	json_object_put(root);
	if (status)
		tfr_manifest_free(m);
	else
		*out = m;
	return status;
}

void tfr_manifest_free(struct tfr_manifest *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->shards && i < m->count; i++)
		free(m->shards[i].name);
	free(m->shards);
	tfr_class_map_clear(&m->classes);
	for (size_t i = 0; i < m->n_counts; i++)
		free((void *)(uintptr_t)m->counts[i].text);
	free(m->counts);
	if (m->note)
		free(m->note->labels);
	free(m->note);
	free(m->command);
	free(m->options);
	free(m);
}
