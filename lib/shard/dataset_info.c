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
#include "base/suffix.h"
#include "io/path.h"

enum { MOST_BYTES = 64 << 20, DEPTH = 32 };

static const char *string_at(struct json_object *o, const char *key, const char *otherwise)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(o, key, &value) &&
			       json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : otherwise;
}

static bool is_named(const char *name, struct json_object *doc, struct json_object *split,
	size_t shard, size_t shards)
{
	const char *text = string_at(
		split, "filepathTemplate", "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}");
	char numbers[3][48];
	const char *const variables[][2] = {
		{ "{DATASET}", string_at(doc, "name", "") },
		{ "{SPLIT}", string_at(split, "name", "") },
		{ "{FILEFORMAT}", string_at(doc, "fileFormat", "tfrecord") },
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
	struct json_object *lengths = NULL;
	const char *at = name;
	size_t shard = 0;

	if (!json_object_is_type(split, json_type_object) ||
		!json_object_object_get_ex(split, "shardLengths", &lengths) ||
		!json_object_is_type(lengths, json_type_array))
		return TFR_END;
	while (shard >= json_object_array_length(lengths) ||
		!is_named(name, doc, split, shard, json_object_array_length(lengths))) {
		at += strcspn(at, "0123456789");
		if (!*at)
			return TFR_END;
		shard = strtoull(at, (char **)(uintptr_t)&at, 10);
	}
	if (!read_length(json_object_array_get_idx(lengths, shard), records))
		return tfr_fail(err, TFR_EDATA, "shard %zu has no length", shard);
	return TFR_OK;
}

enum tfr_status tfr_dataset_info_records(const char *path, uint64_t *records, struct tfr_error *err)
{
	const char *name = tfr_last_part(path);
	struct json_object *doc = NULL, *splits = NULL;
	TFR_AUTO_FREE char *beside = NULL;
	struct tfr_error why = { 0 };
	enum tfr_status status = TFR_END;

	if (!strcmp(path, "-") || tfr_is_url(path))
		return TFR_END;
	beside = tfr_asprintf("%.*sdataset_info.json", (int)(name - path), path);
	TFR_NEED_MEMORY(beside, err, "reading dataset_info.json");
	if (tfr_json_read_file(
		    &doc, beside, MOST_BYTES, DEPTH, "reading dataset_info.json", &why)) {
		if (why.status == TFR_EDATA)
			return tfr_fail(
				err, TFR_EDATA, "'%s' is not JSON: %s", beside, why.message);
		*err = why;
		return why.sys_errno == ENOENT ? TFR_END : why.status;
	}
	if (!json_object_is_type(doc, json_type_object))
		status = tfr_fail(err, TFR_EDATA, "not an object");
	/* Hugging Face writes a file of this name whose splits are an object. */
	else if (json_object_object_get_ex(doc, "splits", &splits) &&
		 json_object_is_type(splits, json_type_array))
		for (size_t i = 0, n = json_object_array_length(splits); status == TFR_END && i < n;
			i++)
			status = find_in_split(
				name, doc, json_object_array_get_idx(splits, i), records, err);
	json_object_put(doc);
	if (status == TFR_EDATA)
		tfr_error_append(err, ", in '%s'", beside);
	return status;
}
