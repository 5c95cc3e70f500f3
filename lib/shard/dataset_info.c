/* shard/dataset_info.c - finds a file in the dataset_info.json beside it.
 *
 * TFDS writes the number of records of each shard to "shardLengths" of its split, as strings or as
 * numbers, and names the file of shard I by "filepathTemplate" (core/naming.py).  The numbers in a
 * file's name are tried as I. */
#include "shard/dataset_info.h"

#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/io.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
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

/* Replaces the {NAME} at `text`, and returns the text after it; NULL: out of memory. */
static const char *put_variable(struct tfr_buf *out, const char *text, struct json_object *doc,
	struct json_object *split, size_t shard, size_t shards)
{
	static const char *const names[] = { "{DATASET}", "{SPLIT}", "{FILEFORMAT}",
		"{SHARD_INDEX}", "{NUM_SHARDS}", "{SHARD_X_OF_Y}" };
	bool good;
	size_t i = 0;

	while (i < 6 && strncmp(text, names[i], strlen(names[i])) != 0)
		i++;
	if (i == 6)
		return tfr_buf_append(out, text, 1) ? text + 1 : NULL;
	if (i == 0)
		good = tfr_buf_printf(out, "%s", string_at(doc, "name", ""));
	else if (i == 1)
		good = tfr_buf_printf(out, "%s", string_at(split, "name", ""));
	else if (i == 2)
		good = tfr_buf_printf(out, "%s", string_at(doc, "fileFormat", "tfrecord"));
	else if (i == 5)
		good = tfr_buf_printf(out, "%05zu-of-%05zu", shard, shards);
	else
		good = tfr_buf_printf(out, "%05zu", i == 3 ? shard : shards);
	return good ? text + strlen(names[i]) : NULL;
}

/* TFR_END: the shard has another name. */
static enum tfr_status is_named(const char *name, struct json_object *doc,
	struct json_object *split, size_t shard, size_t shards)
{
	const char *text = string_at(
		split, "filepathTemplate", "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}");
	TFR_AUTO_BUF out = { 0 };

	while (*text) {
		text = put_variable(&out, text, doc, split, shard, shards);
		if (!text)
			return TFR_ENOMEM;
	}
	if (!tfr_buf_append(&out, "", 1))
		return TFR_ENOMEM;
	return strcmp((const char *)out.data, name) ? TFR_END : TFR_OK;
}

static bool read_length(struct json_object *value, uint64_t *length)
{
	const char *text = json_object_get_string(value);
	char *end = NULL;

	errno = 0;
	*length = text && isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
	return end && !*end && !errno;
}

static enum tfr_status find_in_split(const char *name, struct json_object *doc,
	struct json_object *split, uint64_t *records, struct tfr_error *err)
{
	struct json_object *lengths = NULL;
	size_t shards;
	const char *at = name;

	if (!json_object_is_type(split, json_type_object) ||
		!json_object_object_get_ex(split, "shardLengths", &lengths) ||
		!json_object_is_type(lengths, json_type_array))
		return TFR_END;
	shards = json_object_array_length(lengths);
	for (unsigned long long shard = 0;; shard = strtoull(at, (char **)(uintptr_t)&at, 10)) {
		enum tfr_status status =
			shard < shards ? is_named(name, doc, split, shard, shards) : TFR_END;

		if (status == TFR_ENOMEM)
			return tfr_fail_nomem(err, "reading dataset_info.json");
		if (!status && read_length(json_object_array_get_idx(lengths, shard), records))
			return TFR_OK;
		if (!status)
			return tfr_fail(err, TFR_EDATA, "shard %llu has no length", shard);
		at += strcspn(at, "0123456789");
		if (!*at)
			return TFR_END;
	}
}

enum tfr_status tfr_dataset_info_records(const char *path, uint64_t *records, struct tfr_error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	TFR_AUTO_BUF beside = { 0 };
	struct json_object *doc = NULL, *splits = NULL;
	struct tfr_error why = { 0 };
	enum tfr_status status;
	size_t n = 0;

	if (!strcmp(path, "-") || tfr_is_url(path))
		return TFR_END;
	TFR_NEED_MEMORY(tfr_buf_append(&beside, path, (size_t)(name - path)) &&
				tfr_buf_append(&beside, "dataset_info.json", 18),
		err, "reading dataset_info.json");
	status = tfr_json_read_file(&doc, (const char *)beside.data, MOST_BYTES, DEPTH,
		"reading dataset_info.json", &why);
	if (status == TFR_EDATA)
		return tfr_fail(err, status, "'%s' is not JSON: %s", (const char *)beside.data,
			why.message);
	*err = why;
	if (status == TFR_ESYS && err->sys_errno == ENOENT)
		return TFR_END;
	if (!status && !json_object_is_type(doc, json_type_object))
		status = tfr_fail(err, TFR_EDATA, "not an object");
	/* Hugging Face writes a file of this name whose splits are an object. */
	if (!status && json_object_object_get_ex(doc, "splits", &splits) &&
		json_object_is_type(splits, json_type_array))
		n = json_object_array_length(splits);
	if (!status)
		status = TFR_END;
	for (size_t i = 0; status == TFR_END && i < n; i++)
		status = find_in_split(name, doc, json_object_array_get_idx(splits, i), records, err);
	json_object_put(doc);
	if (status == TFR_EDATA)
		tfr_error_append(err, ", in '%s'", (const char *)beside.data);
	return status;
}
