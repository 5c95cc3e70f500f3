/* inspect/survey_state.c - stores surveys, reads them back, and merges them.
 *
 * The packed state of a survey depends on the records alone: lists are in order, and each of its
 * statistics packs itself in an order of its own.  In JSON a hash follows the state, since
 * corrupted counters would still look like counters. */
#include "inspect/survey.h"

#include <assert.h>
#include <endian.h>
#include <json-c/json.h>
#include <limits.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/json_read.h"
#include "inspect/stats/distinct.h"
#include "inspect/stats/frequent.h"
#include "inspect/stats/series.h"
#include "io/source.h"
#include "xxhash.h"

static const char magic[] = "TFRS2";

enum { FILE_MAX = 1 << 30, DEPTH = 32 };

/* Writes feature i, or reads it. */
static enum tfr_status feature_state(
	struct tfr_survey *s, size_t i, struct tfr_state *state, struct tfr_error *err)
{
	struct tfr_surveyed *f = state->in ? NULL : s->list[i];
	struct tfr_bytes name = f ? (struct tfr_bytes){ (const uint8_t *)f->name, f->size }
				  : (struct tfr_bytes){ 0 };
	uint64_t kind = f ? f->kind : 0;
	enum tfr_status status = TFR_OK;

	tfr_state_bytes(state, &name);
	tfr_state_below(state, &kind, TFR_KIND_INT64);
	if (!f && !state->bad) {
		status = tfr_survey_get(s, name.data, name.size, (enum tfr_kind)kind, &f, err);
		/* Features must be in order, so each occurs once. */
		state->bad |= status || s->n != i + 1 || s->list[i] != f;
	}
	if (state->bad)
		return status;
	tfr_facts_state(&f->facts, s->of_lists, state);
	tfr_state_below(state, &f->values->too_long, f->facts.values);
	tfr_distinct_state(&f->values->distinct, state);
	tfr_tops_state(f->values->tops, state);
	return TFR_OK;
}

static enum tfr_status features_state(
	struct tfr_survey *s, struct tfr_state *state, struct tfr_error *err)
{
	uint64_t n = s->n;

	tfr_state_below(state, &n, TFR_SURVEY_FEATURES);
	state->bad |= s->of_lists && !n;
	for (size_t i = 0; !state->bad && i < n; i++)
		TFR_TRY(feature_state(s, i, state, err));
	return TFR_OK;
}

/* Without lists the state ends after the features. */
static enum tfr_status survey_state(
	struct tfr_survey *s, struct tfr_state *state, struct tfr_error *err)
{
	tfr_state_u64(state, &s->files);
	tfr_state_u64(state, &s->records);
	tfr_state_u64(state, &s->sequences);
	tfr_series_state(&s->sizes, state);
	TFR_TRY(features_state(s, state, err));
	if (state->in && !state->bad && state->in != state->end && !tfr_survey_make_lists(s))
		return tfr_fail_nomem(err, "reading statistics");
	return s->lists ? features_state(s->lists, state, err) : TFR_OK;
}

void tfr_survey_pack(const struct tfr_survey *s, struct tfr_state *state)
{
	struct tfr_bytes head = { (const uint8_t *)magic, strlen(magic) };

	assert(!state->in);
	tfr_state_bytes(state, &head);
	survey_state((struct tfr_survey *)(uintptr_t)s, state, NULL); /* which only writes */
}

static enum tfr_status unpack_all(
	struct tfr_survey *s, struct tfr_state *state, struct tfr_error *err)
{
	struct tfr_bytes head = { 0 };

	tfr_state_bytes(state, &head);
	if (state->bad || head.size != strlen(magic) || memcmp(head.data, magic, head.size - 1))
		return tfr_fail(err, TFR_EDATA, "the state is no state of statistics");
	if (memcmp(head.data, magic, head.size))
		return tfr_fail(err, TFR_EDATA, "the state is of another version of tfr");
	TFR_TRY(survey_state(s, state, err));
	if (state->no_memory)
		return tfr_fail_nomem(err, "reading statistics");
	if (state->bad || state->in != state->end)
		return tfr_fail(err, TFR_EDATA, "damaged state");
	return TFR_OK;
}

enum tfr_status tfr_survey_unpack(
	struct tfr_survey **survey, const void *bytes, size_t size, struct tfr_error *err)
{
	const uint8_t *p = size ? bytes : (const uint8_t *)"";
	struct tfr_state state = { .in = p, .end = p + size };
	struct tfr_survey *s = tfr_survey_new(true);
	enum tfr_status status;

	TFR_NEED_MEMORY(s, err, "reading statistics");
	status = unpack_all(s, &state, err);
	if (status)
		tfr_survey_free(s);
	else
		*survey = s;
	return status;
}

/* --- JSON --- */

/* Little-endian. */
static uint64_t hash_of(const struct tfr_buf *b)
{
	return htole64(XXH3_64bits(b->data, b->size));
}

bool tfr_survey_put_state(const struct tfr_survey *s, struct tfr_json *j)
{
	TFR_AUTO_BUF text = { 0 };
	struct tfr_state p = { 0 };
	uint64_t hash;
	bool ok;

	tfr_survey_pack(s, &p);
	hash = hash_of(&p.out);
	ok = !p.no_memory && tfr_buf_append(&p.out, &hash, sizeof(hash)) &&
	     tfr_base64_encode(&text, p.out.data, p.out.size);
	tfr_buf_clear(&p.out);
	if (ok)
		tfr_json_bytes(j, "state", text.data, text.size);
	return ok;
}

/* Removes the hash from the end.  False: it does not match the bytes before it. */
static bool remove_hash(struct tfr_buf *bytes)
{
	uint64_t hash;

	if (bytes->size < sizeof(hash))
		return false;
	bytes->size -= sizeof(hash);
	memcpy(&hash, bytes->data + bytes->size, sizeof(hash));
	return hash == hash_of(bytes);
}

/* Accepts versions 1 to 3 of the object; the version is raised with the keys of any command.  The
 * state has a version of its own. */
static bool is_of_this_version(struct json_object *top)
{
	struct json_object *version;
	int64_t number;

	if (!json_object_object_get_ex(top, "version", &version))
		return true;
	number = json_object_get_int64(version);
	return json_object_is_type(version, json_type_int) && number >= 1 && number <= 3;
}

static enum tfr_status read_state(
	struct tfr_survey **s, const char *path, struct json_object *top, struct tfr_error *err)
{
	struct json_object *state = tfr_json_member(top, "state", json_type_string);
	TFR_AUTO_BUF bytes = { 0 };
	struct tfr_error inner = { 0 };

	if (!state)
		return tfr_fail(err, TFR_EDATA,
			"'%s' is not what 'tfr stats --json' writes: it has no state", path);
	if (!is_of_this_version(top))
		return tfr_fail(err, TFR_EDATA, "'%s' is of another version of tfr", path);
	TFR_NEED_MEMORY(tfr_buf_reserve(&bytes, (size_t)json_object_get_string_len(state)), err,
		"reading statistics");
	if (!tfr_base64_decode(&bytes, json_object_get_string(state),
		    (size_t)json_object_get_string_len(state)))
		return tfr_fail(err, TFR_EDATA, "'%s': the state is no base64", path);
	if (!remove_hash(&bytes))
		return tfr_fail(err, TFR_EDATA, "'%s': damaged state", path);
	if (!tfr_survey_unpack(s, bytes.data, bytes.size, &inner))
		return TFR_OK;
	return inner.status == TFR_EDATA ? tfr_fail(err, TFR_EDATA, "'%s': %s", path, inner.message)
					 : tfr_fail_nomem(err, "reading statistics");
}

enum tfr_status tfr_survey_parse(struct tfr_survey **s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	const struct tfr_json_limits limits = { .depth = DEPTH };
	TFR_AUTO_JSON top = NULL;
	struct tfr_error inner = { 0 };

	if (tfr_json_read(&top, text, size, &limits, &inner) == TFR_EDATA)
		return tfr_fail(err, TFR_EDATA,
			"'%s' is not what 'tfr stats --json' writes: it is not JSON: %s", path,
			inner.message);
	TFR_TRY(tfr_error_pass(&inner, err));
	return read_state(s, path, top, err);
}

enum tfr_status tfr_survey_read(struct tfr_survey **s, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };

	TFR_TRY(tfr_source_read_file(path, FILE_MAX, &text, "reading statistics", err));
	if (text.size > FILE_MAX)
		return tfr_fail(err, TFR_EDATA, "'%s' is over 1 GiB", path);
	return tfr_survey_parse(s, path, (const char *)text.data, text.size, err);
}

static enum tfr_status merge_features(
	struct tfr_survey *into, const struct tfr_survey *from, struct tfr_error *err)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct tfr_surveyed *f = from->list[i];
		struct tfr_surveyed *to;

		TFR_TRY(tfr_survey_get(into, f->name, f->size, f->kind, &to, err));
		TFR_NEED_MEMORY(tfr_facts_merge(&to->facts, &f->facts) &&
					tfr_tops_merge(to->values->tops, f->values->tops),
			err, "merging");
		to->values->too_long += f->values->too_long;
		tfr_distinct_merge(&to->values->distinct, &f->values->distinct);
	}
	return TFR_OK;
}

enum tfr_status tfr_survey_merge(
	struct tfr_survey *into, const struct tfr_survey *from, struct tfr_error *err)
{
	into->files += from->files;
	into->records += from->records;
	into->sequences += from->sequences;
	TFR_NEED_MEMORY(tfr_series_merge(&into->sizes, &from->sizes), err, "merging");
	TFR_TRY(merge_features(into, from, err));
	if (!into->lists && !from->lists)
		return TFR_OK;
	TFR_NEED_MEMORY(into->lists || tfr_survey_make_lists(into), err, "merging");
	into->lists->files = into->files;
	into->lists->records = into->records;
	return from->lists ? merge_features(into->lists, from->lists, err) : TFR_OK;
}
