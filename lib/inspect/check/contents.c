/* inspect/check/contents.c - checks the contents of records, Examples and SequenceExamples, and
 * decides which types of records in a file are faults.
 *
 * Every bytes value that starts like a JPEG or a PNG must be one and must decode completely;
 * `image/encoded` must be an image however it starts.  Whether a type is a fault needs the complete
 * file: a TensorProto, for example, may be one of many, or the only one among Examples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/media.h>

#include "base/array.h"
#include "example/lists.h"
#include "example/wire_lint.h"
#include "inspect/check/check.h"
#include "inspect/schema/schema_rules.h"
#include "xxhash.h"

/* --- the types of the records of a file --- */

bool tfr_types_strange(enum tfr_likeness like)
{
	return like != TFR_LIKE_ANY && like != TFR_LIKE_EXAMPLE && like != TFR_IS_EXAMPLE;
}

static void add_stranger(struct tfr_types *t, const struct tfr_stranger *s)
{
	struct tfr_stranger *to = t->strangers;
	size_t i = 0;

	while (i < t->n && i + 1 < TFR_STRANGERS_MAX && to[i].kind != s->kind)
		i++;
	if (i < t->n) {
		to[i].records += s->records;
		return;
	}
	to[i] = *s;
	if (i + 1 == TFR_STRANGERS_MAX)
		snprintf(to[i].why, sizeof(to[i].why), "not an Example, for yet another reason");
	t->n++;
}

void tfr_types_note(struct tfr_types *t, uint64_t kind, const struct tfr_error *why)
{
	struct tfr_stranger s = { kind, 1, why->record, why->offset, "" };

	snprintf(s.why, sizeof(s.why), "%.199s", why->message);
	add_stranger(t, &s);
}

void tfr_types_merge(struct tfr_types *into, const struct tfr_types *from)
{
	tfr_content_merge(&into->counts, &from->counts);
	for (size_t i = 0; i < from->n; i++)
		add_stranger(into, &from->strangers[i]);
}

enum tfr_status tfr_types_fault(const struct tfr_types *t, const char *path, size_t i,
	struct tfr_stranger *kind, struct tfr_error *err)
{
	struct tfr_content_result r = tfr_content_settle(&t->counts);

	if (i >= t->n)
		return TFR_OK;
	*kind = t->strangers[i];
	if (r.records[TFR_CONTENT_EXAMPLE])
		return tfr_fail_record(
			err, TFR_EDATA, path, kind->record, kind->offset, "%s", kind->why);
	kind->kind = XXH3_64bits_withSeed("holds", 5, r.most);
	kind->records = r.all;
	return i ? TFR_OK : tfr_content_refuse(&r, "", err);
}

/* --- a record --- */

enum { MOST_PIXELS = 500000000 }; /* a larger image is a fault */

struct tfr_contents {
	struct tfr_example *parser;
	struct tfr_decoder *decoder;	 /* NULL: images are not decoded */
	struct tfr_lint *lint;		 /* NULL: not strict */
	const struct tfr_schema *schema; /* NULL: none */
	struct tfr_lists *lists;	 /* NULL: no schema examines feature lists */
	bool must_parse;		 /* a record must be an Example */
	uint64_t kind;			 /* of the last reported fault */
	/* The record being checked: */
	uint64_t *images;
	struct tfr_content_counts *counts;
	bool refused; /* an image did not decode */
	bool strange; /* it is not an Example */
	/* The receiver of its differences: */
	struct tfr_error *fault;
	enum tfr_status (*tell)(void *ctx, struct tfr_error *err);
	void *ctx;
};

struct tfr_contents *tfr_contents_new(
	const struct tfr_check_opts *opts, const struct tfr_schema *schema)
{
	struct tfr_contents *c = tfr_calloc_apart(1, sizeof(*c));
	struct tfr_decoder_opts images = { .max_pixels = MOST_PIXELS };
	bool lists;

	if (!c)
		return NULL;
	c->parser = tfr_example_new();
	c->decoder = opts->decode ? tfr_decoder_new(&images) : NULL;
	c->lint = opts->strict ? tfr_lint_new() : NULL;
	c->schema = schema;
	c->must_parse = opts->example || opts->decode || schema;
	lists = schema && tfr_schema_of_lists(schema);
	c->lists = lists ? tfr_lists_new() : NULL;
	if (c->parser && (c->decoder || !opts->decode) && (c->lint || !opts->strict) &&
		(c->lists || !lists))
		return c;
	tfr_contents_free(c);
	return NULL;
}

void tfr_contents_free(struct tfr_contents *c)
{
	if (!c)
		return;
	tfr_example_free(c->parser);
	tfr_decoder_free(c->decoder);
	tfr_lint_free(c->lint);
	tfr_lists_free(c->lists);
	free(c);
}

/* Hashes the wording without its numbers and without "s", so "1 value" and "2 values" are one kind.
 */
static uint64_t hash_kind(const struct tfr_bytes *name, const char *what)
{
	char text[1024];
	size_t n = 0;

	for (const char *p = what; *p && n < sizeof(text); p++) {
		bool digit = *p >= '0' && *p <= '9';

		if (*p != 's' && (!digit || p == what || p[-1] < '0' || p[-1] > '9'))
			text[n++] = digit ? '0' : *p;
	}
	return XXH3_64bits_withSeed(text, n, name ? XXH3_64bits(name->data, name->size) : 0);
}

uint64_t tfr_contents_kind(const struct tfr_contents *c)
{
	return c->kind;
}

/* Puts the feature's name before the reason. */
static enum tfr_status name_feature(const struct tfr_bytes *key, struct tfr_error *err)
{
	struct tfr_error inner = *err;
	enum tfr_status status = tfr_strict_feature(err, key, inner.message);

	/* TFR_EFORMAT is about the value here, not about the file. */
	if (inner.status != TFR_EFORMAT)
		err->status = status = inner.status;
	return status;
}

static enum tfr_status check_value(void *ctx, const struct tfr_bytes *key,
	const struct tfr_bytes *value, struct tfr_error *err)
{
	static const char encoded[] = "image/encoded";
	struct tfr_contents *c = ctx;
	enum tfr_image_format format = tfr_image_sniff(value->data, value->size);
	bool must_be = key->size == strlen(encoded) && !memcmp(key->data, encoded, key->size);

	/* The image format is not one that is decoded here, or nothing marks the bytes as an image.
	 */
	if (!tfr_image_is_decoded(format) && (format != TFR_IMAGE_UNKNOWN || !must_be))
		return TFR_OK;
	c->refused = tfr_decode_verify(c->decoder, value->data, value->size, err) != TFR_OK;
	if (c->refused)
		return name_feature(key, err);
	++*c->images;
	return TFR_OK;
}

static enum tfr_status check_feature(
	struct tfr_contents *c, const struct tfr_feature *f, struct tfr_error *err)
{
	struct tfr_bytes key = { (const uint8_t *)f->key, f->key_size }, value;
	struct tfr_cursor cursor;

	tfr_cursor_init(&cursor, f);
	while (tfr_cursor_bytes(&cursor, &value))
		TFR_TRY(check_value(c, &key, &value, err));
	return TFR_OK;
}

/* Parses a record, which must be an Example, and counts its type. */
static enum tfr_status parse_record(
	struct tfr_contents *c, const void *data, size_t size, struct tfr_error *err)
{
	enum tfr_status status = tfr_example_parse(c->parser, data, size, err);
	enum tfr_likeness like;

	if (status && status != TFR_EDATA)
		return status;
	like = status ? tfr_likeness_of(data, size) : tfr_likeness_parsed(c->parser, data, size);
	c->counts->records[like]++;
	c->strange = tfr_types_strange(like);
	if (status || !c->strange)
		return status;
	if (like == TFR_IS_MESSAGE &&
		tfr_is_sequence_example(data, size)) /* a fault in its lists explains more */
		TFR_TRY(tfr_sequence_visit_bytes(data, size, NULL, NULL, err));
	return tfr_fail(
		err, TFR_EDATA, "not an Example: %s", tfr_content_one(tfr_content_alone(like)));
}

static enum tfr_status check_all(
	struct tfr_contents *c, const void *data, size_t size, struct tfr_error *err)
{
	TFR_TRY(parse_record(c, data, size, err));
	for (size_t i = 0; c->decoder && i < tfr_example_count(c->parser); i++) {
		const struct tfr_feature *f = tfr_example_at(c->parser, i);

		if (f->kind == TFR_KIND_BYTES)
			TFR_TRY(check_feature(c, f, err));
	}
	if (!tfr_is_sequence_example(data, size))
		return TFR_OK;
	TFR_TRY(tfr_sequence_visit_bytes(data, size, c->decoder ? check_value : NULL, c, err));
	return c->lists ? tfr_lists_parse(c->lists, data, size, err) : TFR_OK;
}

enum tfr_status tfr_contents_check(struct tfr_contents *c, const void *data, size_t size,
	uint64_t *images, struct tfr_content_counts *counts, bool *strange, struct tfr_error *err)
{
	enum tfr_status status;

	c->images = images;
	c->counts = counts;
	c->refused = c->strange = false;
	status = c->must_parse ? check_all(c, data, size, err) : TFR_OK;
	*strange = c->strange;
	if (status)
		c->kind = c->refused ? 0 : hash_kind(NULL, err->message);
	return status;
}

static enum tfr_status report_difference(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err)
{
	struct tfr_contents *c = ctx;

	tfr_strict_feature(c->fault, name, what);
	c->kind = hash_kind(name, what);
	return c->tell(c->ctx, err);
}

static enum tfr_status check_known_names(struct tfr_contents *c, struct tfr_error *err)
{
	for (size_t i = 0; i < tfr_example_count(c->parser); i++) {
		const struct tfr_feature *f = tfr_example_at(c->parser, i);
		struct tfr_bytes name = { (const uint8_t *)f->key, f->key_size };
		enum tfr_kind wanted = tfr_strict_kind(&name);
		char what[160];

		if (!wanted || !f->kind || wanted == f->kind)
			continue;
		snprintf(what, sizeof(what),
			"of kind %s, where readers of this name want %s: TensorFlow and DALI fail",
			tfr_kind_name(f->kind), tfr_kind_name(wanted));
		TFR_TRY(report_difference(c, &name, what, err));
	}
	return TFR_OK;
}

/* Whether the record has only an entry without a name and a value.  An ExampleListWithContext that
 * holds an empty Example looks the same. */
static bool is_nameless(const struct tfr_example *ex)
{
	return tfr_example_count(ex) == 1 && !tfr_example_at(ex, 0)->key_size &&
	       !tfr_example_at(ex, 0)->kind;
}

/* Parses a record that need not be an Example, if the lint concerns it.  TFR_EDATA: it does not. */
static enum tfr_status parse_for_lint(
	struct tfr_contents *c, const void *data, size_t size, struct tfr_error *err)
{
	if (!tfr_lint_concerns(data, size))
		return TFR_EDATA;
	TFR_TRY(tfr_example_parse(c->parser, data, size, err));
	if (tfr_is_sequence_example(data, size))
		TFR_TRY(tfr_sequence_visit_bytes(data, size, NULL, NULL, err));
	if (tfr_types_strange(tfr_likeness_parsed(c->parser, data, size)) || is_nameless(c->parser))
		return TFR_EDATA;
	return TFR_OK;
}

enum tfr_status tfr_contents_differences(struct tfr_contents *c, const void *data, size_t size,
	struct tfr_error *fault, enum tfr_status (*tell)(void *ctx, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	c->fault = fault;
	c->tell = tell;
	c->ctx = ctx;
	if (c->schema)
		TFR_TRY(tfr_schema_check(c->schema, c->parser,
			tfr_is_sequence_example(data, size) ? c->lists : NULL, report_difference, c,
			err));
	if (!c->lint)
		return TFR_OK;
	if (!c->must_parse) {
		enum tfr_status status = parse_for_lint(c, data, size, err);

		if (status)
			return status == TFR_EDATA ? TFR_OK : status;
	}
	TFR_TRY(tfr_lint_run(c->lint, data, size, report_difference, c, err));
	return check_known_names(c, err);
}
