/* shard/manifest.c - writes and reads the text of NAME.manifest.json, which proves that a set is
 * complete.
 *
 *   {"version": 1, "tfr": "0.1.0", "command": …, "seed": 0, "records": N, "payload_bytes": N,
 * "bytes": N, "sum": "16 hex", "classes": [{"label": 0, "text": "cat", "records": N}, …], "shards":
 * [{"name": "train-00000-of-00016.tfrecord", "records": N, "bytes": N, "sum": "16 hex", "crc32c":
 * "8 hex", "mtime": "seconds.nanoseconds"}, …]}
 *
 * The note of a part has the shards of the part, and what it has done:
 *
 *   "part": {"index": 0, "parts": 8, "read": N, "skipped": N, "left": N, "read_bytes": N,
 * "expected": N, "lost": N, "most_lost": 0.5, "first_lost": "…", "labels": "0:cat\n…"}
 *
 * The modification time is text: a JSON reader that takes numbers for doubles would round it. */
#include "shard/manifests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json_read.h"

static void put_hex(struct tfr_json *j, const char *key, uint64_t value, int digits)
{
	char text[24];

	snprintf(text, sizeof(text), "%0*llx", digits, (unsigned long long)value);
	tfr_json_string(j, key, text);
}

static void put_shard(struct tfr_json *j, const struct tfr_manifest_shard *shard)
{
	char when[48];

	snprintf(when, sizeof(when), "%llu.%09llu",
		(unsigned long long)(shard->mtime / 1000000000u),
		(unsigned long long)(shard->mtime % 1000000000u));
	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "name", shard->name);
	tfr_json_u64(j, "records", shard->records);
	tfr_json_u64(j, "bytes", shard->bytes);
	put_hex(j, "sum", shard->sum, 16);
	put_hex(j, "crc32c", shard->crc, 8);
	tfr_json_string(j, "mtime", when);
	tfr_json_close_object(j);
}

static void put_totals(struct tfr_json *j, const struct tfr_manifest *m)
{
	uint64_t records = 0, bytes = 0, sum = 0;

	for (size_t k = 0; k < m->count; k++) {
		records += m->shards[k].records;
		bytes += m->shards[k].bytes;
		sum += m->shards[k].sum;
	}
	tfr_json_u64(j, "records", records);
	tfr_json_u64(j, "payload_bytes", m->payload_bytes);
	tfr_json_u64(j, "bytes", bytes);
	put_hex(j, "sum", sum, 16);
}

static void put_note(struct tfr_json *j, const struct tfr_part_note *note)
{
	const struct tfr_part_tally *t = &note->tally;

	tfr_json_open_object(j, "part");
	tfr_json_u64(j, "index", note->part);
	tfr_json_u64(j, "parts", note->parts);
	tfr_json_u64(j, "read", t->read);
	tfr_json_u64(j, "skipped", t->skipped);
	tfr_json_u64(j, "left", t->left);
	tfr_json_u64(j, "read_bytes", t->bytes);
	tfr_json_u64(j, "expected", t->expected);
	tfr_json_u64(j, "lost", t->lost);
	tfr_json_f64(j, "most_lost", t->most_lost);
	tfr_json_string(j, "first_lost", t->first_lost);
	if (note->labels)
		tfr_json_string(j, "labels", note->labels);
	tfr_json_close_object(j);
}

static void put_classes(struct tfr_json *j, const struct tfr_set_info *info)
{
	if (!info->class_count)
		return;
	tfr_json_open_array(j, "classes");
	for (size_t i = 0; i < info->class_count; i++) {
		tfr_json_open_object(j, NULL);
		tfr_json_i64(j, "label", info->classes[i].label);
		if (info->classes[i].text)
			tfr_json_string(j, "text", info->classes[i].text);
		if (info->classes[i].records != TFR_CLASS_UNCOUNTED)
			tfr_json_u64(j, "records", info->classes[i].records);
		tfr_json_close_object(j);
	}
	tfr_json_close_array(j);
}

enum tfr_status tfr_manifest_format(struct tfr_buf *text, const struct tfr_manifest *m,
	const struct tfr_set_info *info, struct tfr_error *err)
{
	struct tfr_json *j = tfr_json_new();
	const char *json;
	size_t size = 0;
	bool good;

	tfr_json_pretty(j, 2);
	tfr_json_keep_bytes(j);
	tfr_json_open_object(j, NULL);
	tfr_json_u64(j, "version", 1);
	tfr_json_string(j, "tfr", tfr_version());
	if (info->command)
		tfr_json_string(j, "command", info->command);
	tfr_json_u64(j, "seed", info->seed);
	if (info->options) {
		tfr_json_string(j, "options", info->options);
		put_hex(j, "inputs", info->inputs, 16);
	}
	put_totals(j, m);
	put_classes(j, info);
	if (m->note)
		put_note(j, m->note);
	tfr_json_open_array(j, "shards");
	for (size_t k = 0; k < m->count; k++)
		put_shard(j, &m->shards[k]);
	tfr_json_close_array(j);
	tfr_json_close_object(j);
	json = tfr_json_text(j, &size);
	good = json && tfr_buf_append(text, json, size) && tfr_buf_append(text, "\n", 1);
	tfr_json_free(j);
	return good ? TFR_OK : tfr_fail_nomem(err, "writing a manifest");
}

/* --- reading --- */

/* Every member that is used must exist and have its type.  Other members are ignored, so that later
 * versions can add some. */

static bool get_u64(struct json_object *o, const char *key, uint64_t *value)
{
	struct json_object *v = tfr_json_member(o, key, json_type_int);

	if (!v)
		return false;
	/* json-c reads a negative number as unsigned 0; only numbers from 2^63 up read as negative
	 * int64. */
	*value = json_object_get_uint64(v);
	return json_object_get_int64(v) >= 0 && *value != UINT64_MAX; /* or a larger number */
}

/* A text without NUL bytes, which belongs to the object. */
static const char *get_text(struct json_object *o, const char *key)
{
	struct json_object *v = tfr_json_member(o, key, json_type_string);
	const char *text = json_object_get_string(v);

	return v && strlen(text) == (size_t)json_object_get_string_len(v) ? text : NULL;
}

/* NULL: the object has no such text. */
static enum tfr_status copy_text(
	char **copy, struct json_object *o, const char *key, struct tfr_error *err)
{
	const char *text = get_text(o, key);

	*copy = text ? strdup(text) : NULL;
	TFR_NEED_MEMORY(*copy || !text, err, "reading a manifest");
	return TFR_OK;
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

static enum tfr_status not_a_manifest(struct tfr_error *err, const char *what)
{
	return tfr_fail(err, TFR_EDATA, "not a manifest of ours: %s", what);
}

static enum tfr_status read_shard(
	struct tfr_manifest_shard *s, struct json_object *o, struct tfr_error *err)
{
	const char *name = get_text(o, "name");
	uint64_t crc;

	if (!name || !*name || strchr(name, '/'))
		return not_a_manifest(err, "a shard without a name");
	if (!get_u64(o, "records", &s->records) || !get_u64(o, "bytes", &s->bytes))
		return not_a_manifest(err, "a shard without its records and bytes");
	if (!get_hex(o, "sum", 16, &s->sum) || !get_hex(o, "crc32c", 8, &crc))
		return not_a_manifest(err, "a shard without its sums");
	if (!get_time(o, "mtime", &s->mtime))
		return not_a_manifest(err, "a shard without its time");
	s->crc = (uint32_t)crc;
	s->name = strdup(name);
	return s->name ? TFR_OK : tfr_fail_nomem(err, "reading a manifest");
}

/* The class map skips classes without a name or a number.  The note of a part also has the classes
 * as they are, for the manifest of all parts. */
static enum tfr_status read_classes(
	struct tfr_manifest *m, struct json_object *root, struct tfr_error *err)
{
	struct json_object *classes = tfr_json_member(root, "classes", json_type_array);
	size_t n = classes ? json_object_array_length(classes) : 0;

	m->counts = m->note && n ? calloc(n, sizeof(*m->counts)) : NULL;
	TFR_NEED_MEMORY(!m->note || !n || m->counts, err, "reading a manifest");
	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(classes, i), *label = NULL;
		const char *text = get_text(o, "text");
		bool known = json_object_object_get_ex(o, "label", &label);
		int64_t number = json_object_get_int64(label);
		struct tfr_class_count *count;

		TFR_NEED_MEMORY(!text || !json_object_is_type(label, json_type_int) ||
					tfr_class_map_add(&m->classes, text, strlen(text), number),
			err, "reading a manifest");
		if (!m->note)
			continue;
		if (!known)
			return not_a_manifest(err, "a class without a label");
		count = &m->counts[m->n_counts++];
		count->label = number;
		if (!get_u64(o, "records", &count->records))
			count->records = TFR_CLASS_UNCOUNTED;
		count->text = text ? strdup(text) : NULL;
		TFR_NEED_MEMORY(!text || count->text, err, "reading a manifest");
	}
	tfr_class_map_sort(&m->classes);
	return TFR_OK;
}

static enum tfr_status read_note(
	struct tfr_manifest *m, struct json_object *root, struct tfr_error *err)
{
	struct tfr_part_note *note = m->note = calloc(1, sizeof(*m->note));
	struct tfr_part_tally *t = &note->tally;
	struct json_object *o = tfr_json_member(root, "part", json_type_object), *most;
	uint64_t part, parts;
	const char *first;

	TFR_NEED_MEMORY(note, err, "reading the note of a part");
	if (!get_u64(o, "index", &part) || !get_u64(o, "parts", &parts) || parts > UINT32_MAX ||
		part >= parts)
		return not_a_manifest(err, "no part");
	note->part = (uint32_t)part;
	note->parts = (uint32_t)parts;
	first = get_text(o, "first_lost");
	if (!get_u64(o, "read", &t->read) || !get_u64(o, "skipped", &t->skipped) ||
		!get_u64(o, "left", &t->left) || !get_u64(o, "read_bytes", &t->bytes) ||
		!get_u64(o, "expected", &t->expected) || !get_u64(o, "lost", &t->lost) ||
		!json_object_object_get_ex(o, "most_lost", &most) || !first)
		return not_a_manifest(err, "a part without its counts");
	t->most_lost = json_object_get_double(most);
	snprintf(t->first_lost, sizeof(t->first_lost), "%s", first);
	return copy_text(&note->labels, o, "labels", err);
}

static enum tfr_status read_manifest(
	struct tfr_manifest *m, struct json_object *root, struct tfr_error *err)
{
	struct json_object *shards = tfr_json_member(root, "shards", json_type_array), *seed;
	uint64_t version;
	size_t n;

	if (!get_u64(root, "version", &version))
		return not_a_manifest(err, "no version");
	if (version != 1)
		return not_a_manifest(err, "its version is not 1");
	if (!get_u64(root, "records", &m->records) || !get_u64(root, "bytes", &m->bytes) ||
		!get_hex(root, "sum", 16, &m->sum))
		return not_a_manifest(err, "no totals");
	if (!shards)
		return not_a_manifest(err, "no shards");
	n = json_object_array_length(shards);
	m->shards = calloc(n + 1, sizeof(*m->shards));
	TFR_NEED_MEMORY(m->shards, err, "reading a manifest");
	for (; m->count < n; m->count++) {
		struct json_object *o = json_object_array_get_idx(shards, m->count);

		if (!json_object_is_type(o, json_type_object))
			return not_a_manifest(err, "a shard that is not an object");
		TFR_TRY(read_shard(&m->shards[m->count], o, err));
	}
	/* Members that not every manifest has: */
	TFR_TRY(copy_text(&m->command, root, "command", err));
	if (!get_u64(root, "payload_bytes", &m->payload_bytes))
		m->payload_bytes = 0;
	if (json_object_object_get_ex(root, "seed", &seed))
		m->seed = json_object_get_uint64(seed);
	if (json_object_object_get_ex(root, "part", NULL))
		TFR_TRY(read_note(m, root, err));
	if (get_text(root, "options") && get_hex(root, "inputs", 16, &m->inputs))
		TFR_TRY(copy_text(&m->options, root, "options", err));
	return read_classes(m, root, err);
}

enum tfr_status tfr_manifest_parse(
	struct tfr_manifest **out, const void *text, size_t size, struct tfr_error *err)
{
	/* A manifest that we write has few brackets for its size. */
	static const struct tfr_json_limits limits = {
		.depth = 32, .bytes_per_bracket = 24, .bytes = true
	};
	TFR_AUTO_MANIFEST m = calloc(1, sizeof(*m));
	TFR_AUTO_JSON root = NULL;
	struct tfr_error inner = { 0 };

	TFR_NEED_MEMORY(m, err, "reading a manifest");
	if (tfr_json_read(&root, text, size, &limits, &inner) == TFR_EDATA)
		return not_a_manifest(err, inner.message);
	TFR_TRY(tfr_error_pass(&inner, err));
	TFR_TRY(read_manifest(m, root, err));
	*out = TFR_STEAL(m);
	return TFR_OK;
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
