/* shard/dataset_info.c - finds a file in the dataset_info.json beside it.
 *
 * TFDS writes the number of records of each shard to "shardLengths" of its split, as strings or as
 * numbers, and names the file of shard I by "filepathTemplate" (core/naming.py).  The numbers in a
 * file's name are tried as I. */
#include "shard/dataset_info.h"

#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/io.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/json_read.h"
#include "base/suffix.h"
#include "io/path.h"

enum { MOST_BYTES = 64 << 20, DEPTH = 32 };

static bool is_named(const char *name, struct json_object *doc, struct json_object *split,
	size_t shard, size_t shards)
{
	const char *text = tfr_json_text_at(split, "filepathTemplate")
				   ?: "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}";
	char numbers[3][48];
	const char *const variables[][2] = {
		{ "{DATASET}", tfr_json_text_at(doc, "name") ?: "" },
		{ "{SPLIT}", tfr_json_text_at(split, "name") ?: "" },
		{ "{FILEFORMAT}", tfr_json_text_at(doc, "fileFormat") ?: "tfrecord" },
		{ "{SHARD_INDEX}", numbers[0] },
		{ "{NUM_SHARDS}", numbers[1] },
		{ "{SHARD_X_OF_Y}", numbers[2] },
	};

	snprintf(numbers[0], sizeof(*numbers), "%05zu", shard);
	snprintf(numbers[1], sizeof(*numbers), "%05zu", shards);
	snprintf(numbers[2], sizeof(*numbers), "%05zu-of-%05zu", shard, shards);
	while (*text) {
		const char *value = text;
		size_t taken = 1, n = 1;

		for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
			if (!strncmp(text, variables[i][0], strlen(variables[i][0]))) {
				value = variables[i][1];
				n = strlen(value);
				taken = strlen(variables[i][0]);
			}
		if (strncmp(name, value, n) != 0)
			return false;
		name += n;
		text += taken;
	}
	return !*name;
}

static bool read_length(struct json_object *value, uint64_t *length)
{
	const char *text = json_object_get_string(value);
	char *end = NULL;

	errno = 0;
	*length = text && isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
	return end && !*end && !errno;
}

/* TFR_END: the split does not have the file. */
static enum tfr_status find_in_split(const char *name, struct json_object *doc,
	struct json_object *split, uint64_t *records, struct tfr_error *err)
{
	struct json_object *lengths = tfr_json_member(split, "shardLengths", json_type_array);
	const size_t shards = lengths ? json_object_array_length(lengths) : 0;
	const char *at = name;
	size_t shard = 0;

	while (shard >= shards || !is_named(name, doc, split, shard, shards)) {
		at += strcspn(at, "0123456789");
		if (!*at)
			return TFR_END;
		shard = strtoull(at, (char **)(uintptr_t)&at, 10);
	}
	if (!read_length(json_object_array_get_idx(lengths, shard), records))
		return tfr_fail(err, TFR_EDATA, "shard %zu has no length", shard);
	return TFR_OK;
}

/* Reads the file `beside`, unless it is the last one that was read. */
static enum tfr_status read_info(
	struct tfr_dataset_info *info, char **beside, struct tfr_error *err)
{
	static const char reading[] = "reading dataset_info.json";
	struct tfr_error why = { 0 };

	TFR_NEED_MEMORY(*beside, err, reading);
	if (!info->path || strcmp(info->path, *beside)) {
		tfr_dataset_info_clear(info);
		tfr_json_read_file(&info->doc, *beside, MOST_BYTES, DEPTH, reading, &why);
		if (why.status == TFR_EDATA)
			tfr_fail(&info->why, TFR_EDATA, "'%s' is not JSON: %s", *beside,
				why.message);
		else if (!why.status && !json_object_is_type(info->doc, json_type_object))
			tfr_fail(&info->why, TFR_EDATA, "not an object, in '%s'", *beside);
		else
			info->why = why;
		info->path = TFR_STEAL(*beside);
	}
	return info->why.sys_errno == ENOENT ? TFR_END : tfr_error_pass(&info->why, err);
}

enum tfr_status tfr_dataset_info_records(
	struct tfr_dataset_info *info, const char *path, uint64_t *records, struct tfr_error *err)
{
	const char *name = tfr_base_name(path);
	TFR_AUTO_FREE char *beside = NULL;
	struct json_object *splits;
	enum tfr_status status = TFR_END;

	if (!strcmp(path, "-") || tfr_is_url(path))
		return TFR_END;
	beside = tfr_path_in_folder_of(path, "dataset_info.json");
	TFR_TRY(read_info(info, &beside, err));
	/* Hugging Face writes a file of this name whose splits are an object. */
	splits = tfr_json_member(info->doc, "splits", json_type_array);
	for (size_t i = 0; status == TFR_END && splits && i < json_object_array_length(splits); i++)
		status = find_in_split(
			name, info->doc, json_object_array_get_idx(splits, i), records, err);
	if (status == TFR_EDATA)
		tfr_error_append(err, ", in '%s'", info->path);
	return status;
}

void tfr_dataset_info_clear(struct tfr_dataset_info *info)
{
	json_object_put(info->doc);
	free(info->path);
	*info = (struct tfr_dataset_info){ 0 };
}
