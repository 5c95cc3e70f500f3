/* shard/manifest.c - writes the manifest.
 *
 *   {"version": 1, "tfr": "0.1.0", "command": …, "seed": 0, "records": N, "payload_bytes": N,
 * "bytes": N, "sum": "16 hex", "classes": [{"label": 0, "text": "cat", "records": N}, …], "shards":
 * [{"name": "train-00000-of-00016.tfrecord", "records": N, "bytes": N, "sum": "16 hex", "crc32c":
 * "8 hex", "mtime": "seconds.nanoseconds"}, …]}
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

static void put_shard(struct tfr_json *j, const char *file, const struct tfr_writer *shard)
{
	const struct tfr_totals *t = tfr_writer_totals(shard);
	uint64_t mtime = tfr_writer_mtime(shard);
	const char *slash = strrchr(file, '/');
	char when[48];

	snprintf(when, sizeof(when), "%llu.%09llu", (unsigned long long)(mtime / 1000000000u),
		(unsigned long long)(mtime % 1000000000u));
	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "name", slash ? slash + 1 : file);
	tfr_json_u64(j, "records", t->records);
	tfr_json_u64(j, "bytes", t->file_bytes);
	put_hex(j, "sum", t->sum, 16);
	put_hex(j, "crc32c", t->file_crc, 8);
	tfr_json_string(j, "mtime", when);
	tfr_json_close_object(j);
}

static void put_totals(struct tfr_json *j, struct tfr_writer *const *shards, uint32_t count)
{
	struct tfr_totals all = { 0 };

	for (uint32_t k = 0; k < count; k++) {
		const struct tfr_totals *t = tfr_writer_totals(shards[k]);

		all.records += t->records;
		all.payload_bytes += t->payload_bytes;
		all.file_bytes += t->file_bytes;
		all.sum += t->sum;
	}
	tfr_json_u64(j, "records", all.records);
	tfr_json_u64(j, "payload_bytes", all.payload_bytes);
	tfr_json_u64(j, "bytes", all.file_bytes);
	put_hex(j, "sum", all.sum, 16);
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

enum tfr_status tfr_manifest_format(struct tfr_buf *text, char *const *files,
	struct tfr_writer *const *shards, uint32_t count, const struct tfr_set_info *info,
	struct tfr_error *err)
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
	put_totals(j, shards, count);
	put_classes(j, info);
	tfr_json_open_array(j, "shards");
	for (uint32_t k = 0; k < count; k++)
		put_shard(j, files[k], shards[k]);
	tfr_json_close_array(j);
	tfr_json_close_object(j);
	json = tfr_json_text(j, &size);
	good = json && tfr_buf_append(text, json, size) && tfr_buf_append(text, "\n", 1);
	tfr_json_free(j);
	return good ? TFR_OK : tfr_fail_nomem(err, "writing a manifest");
}
