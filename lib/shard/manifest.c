/* shard/manifest.c - writes the manifest.
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
#include "shard/manifest.h"

#include <stdio.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/error.h"

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
