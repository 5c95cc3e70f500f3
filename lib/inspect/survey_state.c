/* inspect/survey_state.c - stores surveys, reads them back, and merges them.
 *
 * The packed state of a survey depends on the records alone: lists are in order, and each part
 * packs itself in an order of its own.  In JSON a hash follows the state, since corrupted counters
 * would still look like counters. */
#include "inspect/survey_state.h"

#include <endian.h>
#include <json-c/json.h>
#include <limits.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/json_read.h"
#include "io/source.h"
#include "xxhash.h"

static const char magic[] = "TFRS2";

enum { FILE_MAX = 1 << 30, DEPTH = 32, BLOCK = 256 << 10 };

static void pack_features(const struct tfr_survey *s, struct tfr_pack *p)
{
	tfr_pack_u64(p, s->n);
	for (size_t i = 0; i < s->n; i++) {
		const struct tfr_surveyed *f = s->list[i];

		tfr_pack_bytes(p, f->name, f->size);
		tfr_pack_u64(p, f->kind);
		tfr_facts_pack(&f->facts, p);
		if (s->of_lists)
			tfr_facts_pack_steps(&f->facts, p);
		tfr_pack_u64(p, f->values->too_long);
		tfr_distinct_pack(&f->values->distinct, p);
		tfr_tops_pack(f->values->tops, p);
	}
}

void tfr_survey_pack(const struct tfr_survey *s, struct tfr_pack *p)
{
	tfr_pack_bytes(p, magic, strlen(magic));
	tfr_pack_u64(p, s->files);
	tfr_pack_u64(p, s->records);
	tfr_pack_u64(p, s->sequences);
	tfr_series_pack(&s->sizes, p);
	pack_features(s, p);
	if (s->lists) /* without lists the state ends here */
		pack_features(s->lists, p);
}

static enum tfr_status unpack_feature(
	struct tfr_survey *s, struct tfr_unpack *u, struct tfr_error *err)
{
	struct tfr_bytes name = tfr_unpack_bytes(u);
	enum tfr_kind kind = (enum tfr_kind)tfr_unpack_below(u, TFR_KIND_INT64);
	struct tfr_surveyed *f;
	enum tfr_status status;
	size_t before = s->n;

	if (u->bad)
		return TFR_OK;
	status = tfr_survey_get(s, name.data, name.size, kind, &f, err);
	if (status)
		return status;
	/* Features must be in order, so each occurs once. */
	u->bad |= s->n == before || s->list[s->n - 1] != f;
	if (u->bad)
		return TFR_OK;
	tfr_facts_unpack(&f->facts, u);
	if (s->of_lists)
		tfr_facts_unpack_steps(&f->facts, u);
	f->values->too_long = tfr_unpack_below(u, f->facts.values);
	tfr_distinct_unpack(&f->values->distinct, u);
	tfr_tops_unpack(f->values->tops, u);
	return TFR_OK;
}

static enum tfr_status unpack_features(
	struct tfr_survey *s, struct tfr_unpack *u, struct tfr_error *err)
{
	uint64_t n = tfr_unpack_below(u, TFR_SURVEY_FEATURES);
	enum tfr_status status = TFR_OK;

	u->bad |= s->of_lists && !n;
	for (uint64_t i = 0; !status && !u->bad && i < n; i++)
		status = unpack_feature(s, u, err);
	return status;
}

static enum tfr_status unpack_all(struct tfr_survey *s, struct tfr_unpack *u, struct tfr_error *err)
{
	struct tfr_bytes head = tfr_unpack_bytes(u);
	enum tfr_status status;

	if (u->bad || head.size != strlen(magic) || memcmp(head.data, magic, head.size - 1))
		return tfr_fail(err, TFR_EDATA, "the state is no state of statistics");
	if (memcmp(head.data, magic, head.size))
		return tfr_fail(err, TFR_EDATA, "the state is of another version of tfr");
	s->files = tfr_unpack_u64(u);
	s->records = tfr_unpack_u64(u);
	s->sequences = tfr_unpack_u64(u);
	tfr_series_unpack(&s->sizes, u);
	status = unpack_features(s, u, err);
	if (!status && !u->bad && u->p != u->end) {
		if (!tfr_survey_make_lists(s))
			return tfr_fail_nomem(err, "reading statistics");
		status = unpack_features(s->lists, u, err);
	}
	if (!status && u->no_memory)
		status = tfr_fail_nomem(err, "reading statistics");
	if (!status && (u->bad || u->p != u->end))
		status = tfr_fail(err, TFR_EDATA, "damaged state");
	return status;
}

enum tfr_status tfr_survey_unpack(
	struct tfr_survey **survey, const void *bytes, size_t size, struct tfr_error *err)
{
	const uint8_t *p = size ? bytes : (const uint8_t *)"";
	struct tfr_unpack u = { .p = p, .end = p + size };
	struct tfr_survey *s = tfr_survey_new(true);
	enum tfr_status status =
		s ? unpack_all(s, &u, err) : tfr_fail_nomem(err, "reading statistics");

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
	struct tfr_pack p = { 0 };
	uint64_t hash;
	bool ok;

	tfr_survey_pack(s, &p);
	hash = hash_of(&p.out);
	ok = !p.failed && tfr_buf_append(&p.out, &hash, sizeof(hash)) &&
	     tfr_base64_encode(&text, p.out.data, p.out.size);
	tfr_buf_clear(&p.out);
	if (ok)
		tfr_json_bytes(j, "state", text.data, text.size);
	return ok;
}

/* Removes the hash from the end.  False: it does not match the bytes before it. */
static bool verify(struct tfr_buf *bytes)
{
	uint64_t hash;

	if (bytes->size < sizeof(hash))
		return false;
	bytes->size -= sizeof(hash);
	memcpy(&hash, bytes->data + bytes->size, sizeof(hash));
	return hash == hash_of(bytes);
}

/* Accepts versions 1 and 2 of the object; the version is raised with the keys of any command.  The
 * state has a version of its own. */
static bool is_of_this_version(struct json_object *top)
{
	struct json_object *version;
	int64_t number;

	if (!json_object_object_get_ex(top, "version", &version))
		return true;
	number = json_object_get_int64(version);
	return json_object_is_type(version, json_type_int) && number >= 1 && number <= 2;
}

static enum tfr_status read_state(
	struct tfr_survey **s, const char *path, struct json_object *top, struct tfr_error *err)
{
	struct json_object *state;
	TFR_AUTO_BUF bytes = { 0 };
	struct tfr_error inner = { 0 };

	if (!json_object_is_type(top, json_type_object) ||
		!json_object_object_get_ex(top, "state", &state) ||
		!json_object_is_type(state, json_type_string))
		return tfr_fail(err, TFR_EDATA,
			"'%s' is not what 'tfr stats --json' writes: it has no state", path);
	if (!is_of_this_version(top))
		return tfr_fail(err, TFR_EDATA, "'%s' is of another version of tfr", path);
	if (!tfr_buf_reserve(&bytes, (size_t)json_object_get_string_len(state)))
		return tfr_fail_nomem(err, "reading statistics");
	if (!tfr_base64_decode(&bytes, json_object_get_string(state),
		    (size_t)json_object_get_string_len(state)))
		return tfr_fail(err, TFR_EDATA, "'%s': the state is no base64", path);
	if (!verify(&bytes))
		return tfr_fail(err, TFR_EDATA, "'%s': damaged state", path);
	if (!tfr_survey_unpack(s, bytes.data, bytes.size, &inner))
		return TFR_OK;
	return inner.status == TFR_EDATA ? tfr_fail(err, TFR_EDATA, "'%s': %s", path, inner.message)
					 : tfr_fail_nomem(err, "reading statistics");
}

enum tfr_status tfr_survey_parse(struct tfr_survey **s, const char *path, const char *text,
	size_t size, struct tfr_error *err)
{
	struct json_object *top;
	struct tfr_error inner = { 0 };
	enum tfr_status status = tfr_json_read(
		&top, text, size, &(struct tfr_json_limits){ .depth = DEPTH }, &inner);

	if (!status)
		status = read_state(s, path, top, err);
	else if (status == TFR_EDATA)
		status = tfr_fail(err, TFR_EDATA,
			"'%s' is not what 'tfr stats --json' writes: it is not JSON: %s", path,
			inner.message);
	else if (err)
		*err = inner;
	json_object_put(top);
	return status;
}

enum tfr_status tfr_survey_read(struct tfr_survey **s, const char *path, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status =
		tfr_source_read_file(path, FILE_MAX, &text, "reading statistics", err);

	if (!status && text.size > FILE_MAX)
		status = tfr_fail(err, TFR_EDATA, "'%s' is over 1 GiB", path);
	return status ? status : tfr_survey_parse(s, path, (const char *)text.data, text.size, err);
}

static enum tfr_status merge_features(
	struct tfr_survey *into, const struct tfr_survey *from, struct tfr_error *err)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct tfr_surveyed *f = from->list[i];
		struct tfr_surveyed *to;
		enum tfr_status status = tfr_survey_get(into, f->name, f->size, f->kind, &to, err);

		if (status)
			return status;
		if (!tfr_facts_merge(&to->facts, &f->facts) ||
			!tfr_tops_merge(to->values->tops, f->values->tops))
			return tfr_fail_nomem(err, "merging");
		to->values->too_long += f->values->too_long;
		tfr_distinct_merge(&to->values->distinct, &f->values->distinct);
	}
	return TFR_OK;
}

enum tfr_status tfr_survey_merge(
	struct tfr_survey *into, const struct tfr_survey *from, struct tfr_error *err)
{
	enum tfr_status status;

	into->files += from->files;
	into->records += from->records;
	into->sequences += from->sequences;
	if (!tfr_series_merge(&into->sizes, &from->sizes))
		return tfr_fail_nomem(err, "merging");
	status = merge_features(into, from, err);
	if (status || (!into->lists && !from->lists))
		return status;
	if (!into->lists && !tfr_survey_make_lists(into))
		return tfr_fail_nomem(err, "merging");
	into->lists->files = into->files;
	into->lists->records = into->records;
	return from->lists ? merge_features(into->lists, from->lists, err) : TFR_OK;
}
