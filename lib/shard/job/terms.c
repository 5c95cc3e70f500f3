/* shard/job/terms.c - job.json: written once, read by every process of the job. */
#include "shard/job/terms.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/io.h>
#include <tfr-private/text.h>

#include "shard/finished_run.h"

enum { JSON_MOST = 64 << 20, JSON_DEPTH = 8 };

void tfr_terms_clear(struct tfr_terms *t)
{
	for (size_t i = 0; t->words && i < t->said.word_count; i++)
		free(t->words[i]);
	free(t->words);
	free((char *)(uintptr_t)t->said.command);
	free((char *)(uintptr_t)t->said.options);
	free(t->folder);
	*t = (struct tfr_terms){ 0 };
}

enum tfr_status tfr_terms_copy(struct tfr_terms *t, const struct tfr_job_terms *from)
{
	t->said = *from;
	t->said.command = strdup(from->command);
	t->said.options = strdup(from->options);
	t->words = calloc(from->word_count + 1, sizeof(*t->words));
	t->said.words = (const char *const *)t->words;
	for (size_t i = 0; t->words && i < from->word_count; i++) {
		t->words[i] = strdup(from->words[i]);
		if (!t->words[i])
			return TFR_ENOMEM;
	}
	return t->said.command && t->said.options && t->words ? TFR_OK : TFR_ENOMEM;
}

enum tfr_status tfr_terms_format(
	struct tfr_terms *t, const char *folder, struct tfr_buf *text, struct tfr_error *err)
{
	struct tfr_json *j = tfr_json_new();
	const char *json;
	char id[17];
	size_t size;
	bool good;

	tfr_json_pretty(j, 2);
	tfr_json_open_object(j, NULL);
	tfr_json_string(j, "tfr", tfr_version());
	snprintf(id, sizeof(id), "%016llx", (unsigned long long)t->job);
	tfr_json_string(j, "job", id);
	tfr_json_string(j, "command", t->said.command);
	tfr_json_u64(j, "parts", t->said.parts);
	tfr_json_u64(j, "steps", t->said.steps);
	tfr_json_i64(j, "first", t->said.first);
	tfr_json_i64(j, "stride", t->said.stride);
	tfr_json_bytes(j, "directory", folder, strlen(folder));
	tfr_json_bytes(j, "options", t->said.options, strlen(t->said.options));
	tfr_json_open_array(j, "words");
	for (size_t i = 0; i < t->said.word_count; i++)
		tfr_json_bytes(j, NULL, t->words[i], strlen(t->words[i]));
	tfr_json_close_array(j);
	tfr_json_close_object(j);
	json = tfr_json_text(j, &size);
	good = json && tfr_buf_append(text, json, size) && tfr_buf_append(text, "\n", 1);
	tfr_json_free(j);
	free(t->folder);
	t->folder = strdup(folder);
	return good && t->folder ? TFR_OK : tfr_fail_nomem(err, "recording a job");
}

static const char *get_text(struct json_object *o, const char *key)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_get_string(v);
}

static bool get_number(struct json_object *o, const char *key, uint64_t most, uint64_t *n)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_int))
		return false;
	*n = json_object_get_uint64(v);
	return json_object_get_int64(v) > 0 && *n <= most;
}

static enum tfr_status take_all(
	struct tfr_terms *t, struct json_object *o, const char *path, struct tfr_error *err)
{
	const char *id = get_text(o, "job"), *version = get_text(o, "tfr"),
		   *folder = get_text(o, "directory");
	struct tfr_job_terms said = { .command = get_text(o, "command"),
		.options = get_text(o, "options") };
	TFR_AUTO_FREE const char **list = NULL;
	struct json_object *words, *number;
	uint64_t parts, steps, stride;

	if (!id || strlen(id) != 16 || strspn(id, "0123456789abcdef") != 16 || !version ||
		!folder || !said.command || !said.options ||
		!get_number(o, "parts", TFR_JOB_PARTS_MAX, &parts) ||
		!get_number(o, "steps", TFR_JOB_STEPS_MAX, &steps) ||
		!get_number(o, "stride", INT32_MAX, &stride) ||
		!json_object_object_get_ex(o, "words", &words) ||
		!json_object_is_type(words, json_type_array))
		return tfr_fail_path(err, TFR_EDATA, path, "this is not the record of a job:");
	if (strcmp(version, tfr_version())) {
		tfr_fail_path(err, TFR_EUSAGE, path,
			"tfr %s began this job, and this is tfr %s:", version, tfr_version());
		tfr_error_hint(err, "All parts of a job need the same version.");
		return TFR_EUSAGE;
	}
	if (!json_object_object_get_ex(o, "first", &number))
		return tfr_fail_path(err, TFR_EDATA, path, "this is not the record of a job:");
	said.first = json_object_get_int64(number);
	said.stride = (int64_t)stride;
	said.parts = (uint32_t)parts;
	said.steps = (unsigned)steps;
	said.word_count = json_object_array_length(words);
	list = calloc(said.word_count + 1, sizeof(*list));
	if (!list)
		return tfr_fail_nomem(err, "reading the record of a job");
	for (size_t i = 0; i < said.word_count; i++) {
		list[i] = json_object_get_string(json_object_array_get_idx(words, i));
		if (!list[i])
			return tfr_fail_path(
				err, TFR_EDATA, path, "this is not the record of a job:");
	}
	said.words = list;
	t->job = strtoull(id, NULL, 16);
	t->folder = strdup(folder);
	if (tfr_terms_copy(t, &said) || !t->folder)
		return tfr_fail_nomem(err, "reading the record of a job");
	return TFR_OK;
}

enum tfr_status tfr_terms_read(struct tfr_terms *t, const char *path, struct tfr_error *err)
{
	struct json_object *doc = NULL;
	struct tfr_error why;
	enum tfr_status status = tfr_json_read_file(
		&doc, path, JSON_MOST, JSON_DEPTH, "reading the record of a job", &why);

	if (status == TFR_EDATA)
		status = tfr_fail_path(err, TFR_EDATA, path, "this is not the record of a job:");
	else if (status && err)
		*err = why;
	if (!status && !json_object_is_type(doc, json_type_object))
		status = tfr_fail_path(err, TFR_EDATA, path, "this is not the record of a job:");
	if (!status)
		status = take_all(t, doc, path, err);
	json_object_put(doc);
	return status;
}

enum tfr_status tfr_terms_compare(const struct tfr_job_terms *recorded,
	const struct tfr_job_terms *wanted, bool parts, const char *job, struct tfr_error *err)
{
	if (strcmp(recorded->command, wanted->command)) {
		tfr_fail(err, TFR_EUSAGE, "'%s' is a job of 'tfr %s', not of 'tfr %s'", job,
			recorded->command, wanted->command);
	} else if (strcmp(recorded->options, wanted->options)) {
		tfr_options_compare(recorded->options, wanted->options, "the first part", err);
	} else if (parts && recorded->parts != wanted->parts) {
		tfr_fail(err, TFR_EUSAGE, "the job '%s' has %u parts, not %u", job, recorded->parts,
			wanted->parts);
	} else {
		return TFR_OK;
	}
	tfr_error_hint(
		err, "A job directory belongs to one job: give another one for another job.");
	return TFR_EUSAGE;
}
