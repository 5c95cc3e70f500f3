/* inspect/schema/emit.c - writes the schema as a table and as JSON, and calls the code for the
 * other forms. */
#include "inspect/schema/emit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

static const char *const contents[TFR_CONTENTS + 1] = { "empty", "image", "text", "tensor",
	"message", "binary", "mixed" };

const char *tfr_content_name(enum tfr_value_content content)
{
	return contents[content];
}

/* --- fields --- */

/* Among random bytes, a few values look like something else by chance.  These are values that parse
 * as a message, and values that begin like an image if they are fewer than one in a thousand. */
static enum tfr_value_content content_of(const struct tfr_facts *f)
{
	enum tfr_value_content content = TFR_VALUE_EMPTY;
	uint64_t binary = f->contents[TFR_VALUE_BINARY];

	for (int i = TFR_VALUE_IMAGE; i < TFR_CONTENTS; i++) {
		bool chance =
			binary && (i == TFR_VALUE_MESSAGE ||
					  (i == TFR_VALUE_IMAGE && f->contents[i] < binary / 1000));

		if (f->contents[i] && !chance)
			content = content ? TFR_CONTENTS : (enum tfr_value_content)i;
	}
	return content;
}

bool tfr_field_next(const struct tfr_survey *s, size_t *i, struct tfr_field *field)
{
	const struct tfr_surveyed *first = *i < s->n ? s->list[*i] : NULL;
	const struct tfr_facts *facts;
	uint64_t unset_steps = 0;

	if (!first)
		return false;
	*field = (struct tfr_field){ .f = first, .steps = { UINT64_MAX, 0 } };
	for (; *i < s->n; ++*i) {
		const struct tfr_surveyed *f = s->list[*i];

		if (f->size != first->size || memcmp(f->name, first->name, f->size))
			break;
		tfr_range_merge(&field->steps, &f->facts.steps);
		unset_steps += f->kind ? 0 : f->facts.all_steps;
		if (f->kind == TFR_KIND_UNSET)
			field->unset = f->facts.records;
		else if (!field->kinds++)
			field->f = f;
	}
	facts = &field->f->facts;
	/* A list without steps has no kind, but is present. */
	field->required = field->kinds == 1 &&
			  facts->records + (s->of_lists ? field->unset : 0) == s->records;
	field->fixed = facts->length.min == facts->length.max && facts->length.min && !unset_steps;
	field->length = facts->length.min;
	field->content = content_of(facts);
	return true;
}

/* --- a table --- */

static void put_range(struct tfr_emit *e, const struct tfr_range *r)
{
	if (r->min == r->max)
		TFR_EMIT(e, "%llu", (unsigned long long)r->min);
	else
		TFR_EMIT(e, "%llu..%llu", (unsigned long long)r->min, (unsigned long long)r->max);
}

static void put_images(struct tfr_emit *e, const struct tfr_facts *f)
{
	const char *between = "";

	for (int i = TFR_IMAGE_JPEG; i < TFR_FORMATS; i++) {
		if (!f->formats[i])
			continue;
		TFR_EMIT(e, "%s%s", between, tfr_image_format_name((enum tfr_image_format)i));
		between = ", ";
	}
	if (f->width.min <= f->width.max) {
		TFR_EMIT(e, " ");
		put_range(e, &f->width);
		TFR_EMIT(e, "x");
		put_range(e, &f->height);
		TFR_EMIT(e, ", channels ");
		put_range(e, &f->channels);
	}
	if (f->damaged)
		TFR_EMIT(e, ", %llu damaged", (unsigned long long)f->damaged);
}

static void put_content(struct tfr_emit *e, const struct tfr_field *field)
{
	const struct tfr_facts *f = &field->f->facts;

	if (field->f->kind == TFR_KIND_BYTES && f->values) {
		if (field->content == TFR_VALUE_IMAGE) {
			put_images(e, f);
			return;
		}
		TFR_EMIT(e, "%s", contents[field->content]);
		if (field->content != TFR_VALUE_EMPTY) {
			TFR_EMIT(e, ", ");
			put_range(e, &f->size);
			TFR_EMIT(e, f->size.max == 1 ? " byte" : " bytes");
		}
	}
}

static void put_presence(struct tfr_emit *e, const struct tfr_field *field)
{
	uint64_t records = field->f->facts.records + (e->s->of_lists ? field->unset : 0);
	double share = e->s->records ? 100.0 * (double)records / (double)e->s->records : 0;

	if (field->required)
		TFR_EMIT(e, "always");
	else if (!field->kinds)
		TFR_EMIT(e, "unset");
	else
		TFR_EMIT(e, "%.3g%%",
			share > 99.9
				? 99.9
				: share); /* a feature that some records lack must not show 100 */
}

/* Writes how many records have each of its kinds. */
static void put_kinds(struct tfr_emit *e, const struct tfr_surveyed *field)
{
	const char *between = "";

	for (size_t i = 0; i < e->s->n; i++) {
		const struct tfr_surveyed *f = e->s->list[i];

		if (!f->kind || tfr_survey_compare(f, field->name, field->size, f->kind))
			continue;
		TFR_EMIT(e, "%s%s in %llu", between, tfr_kind_name(f->kind),
			(unsigned long long)f->facts.records);
		between = ", ";
	}
}

enum { COLUMNS = 5 };

/* Writes the cells of a row, each terminated by a NUL. */
static void put_cells(struct tfr_emit *e, const struct tfr_field *field)
{
	e->failed |= !tfr_survey_name(&e->out, field->f);
	if (field->kinds > 1) {
		TFR_EMIT(e, "%cseveral%c%c%c", 0, 0, 0, 0);
		put_kinds(e, field->f);
		TFR_EMIT(e, "%c", 0);
		return;
	}
	TFR_EMIT(e, "%c%s%c", 0, field->kinds ? tfr_kind_name(field->f->kind) : "unset", 0);
	if (field->kinds)
		put_range(e, &field->f->facts.length);
	if (e->s->of_lists) {
		TFR_EMIT(e, field->kinds ? " in each of " : "in each of ");
		put_range(e, &field->steps);
		TFR_EMIT(e, field->steps.max == 1 ? " step" : " steps");
	}
	TFR_EMIT(e, "%c", 0);
	put_presence(e, field);
	TFR_EMIT(e, "%c", 0);
	put_content(e, field);
	TFR_EMIT(e, "%c", 0);
}

/* The width of a UTF-8 text in terminal columns, if each character takes one. */
static int width_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void put_table(struct tfr_emit *e)
{
	static const char head[] = "feature\0kind\0length\0present\0content";
	struct tfr_emit cells = { .s = e->s };
	struct tfr_field field;
	int width[COLUMNS] = { 0 };

	cells.failed = !tfr_buf_append(&cells.out, head, sizeof(head));
	for (; cells.s; cells.s = cells.s->lists)
		for (size_t i = 0; tfr_field_next(cells.s, &i, &field);)
			put_cells(&cells, &field);
	e->failed |= cells.failed;
	for (int pass = 0; !e->failed && pass < 2; pass++) {
		const char *p = (const char *)cells.out.data, *end = p + cells.out.size;

		for (int column = 0; p < end; column = (column + 1) % COLUMNS) {
			int n = width_of(p);
			bool last = column == COLUMNS - 1 ||
				    (column == COLUMNS - 2 && !p[strlen(p) + 1]);

			if (!pass)
				width[column] = n > width[column] ? n : width[column];
			else if (column < COLUMNS - 1 || n)
				TFR_EMIT(e, "%s%*s", p, last ? 0 : width[column] - n + 2, "");
			if (pass && column == COLUMNS - 1)
				TFR_EMIT(e, "\n");
			p += strlen(p) + 1;
		}
	}
	tfr_buf_clear(&cells.out);
}

/* --- JSON --- */

static void json_range(struct tfr_json *j, const char *key, const struct tfr_range *r)
{
	if (r->min > r->max)
		return;
	tfr_json_open_object(j, key);
	tfr_json_u64(j, "min", r->min);
	tfr_json_u64(j, "max", r->max);
	tfr_json_close_object(j);
}

void tfr_survey_open_images(
	struct tfr_json *j, const uint64_t formats[TFR_FORMATS], uint64_t damaged)
{
	tfr_json_open_object(j, "images");
	for (int i = TFR_IMAGE_JPEG; i < TFR_FORMATS; i++)
		if (formats[i])
			tfr_json_u64(
				j, tfr_image_format_name((enum tfr_image_format)i), formats[i]);
	tfr_json_u64(j, "damaged", damaged);
}

static void json_content(struct tfr_json *j, const struct tfr_field *field)
{
	const struct tfr_facts *f = &field->f->facts;

	if (field->f->kind != TFR_KIND_BYTES)
		return;
	tfr_json_string(j, "content", contents[field->content]);
	json_range(j, "bytes", &f->size);
	if (!f->contents[TFR_VALUE_IMAGE])
		return;
	tfr_survey_open_images(j, f->formats, f->damaged);
	json_range(j, "width", &f->width);
	json_range(j, "height", &f->height);
	json_range(j, "channels", &f->channels);
	tfr_json_close_object(j);
}

static bool json_field(const struct tfr_survey *s, struct tfr_json *j,
	const struct tfr_field *field, struct tfr_buf *name)
{
	name->size = 0;
	if (!tfr_survey_name(name, field->f))
		return false;
	tfr_json_open_object(j, NULL);
	tfr_json_bytes(j, "name", name->data, name->size);
	if (field->kinds == 1)
		tfr_json_string(j, "kind", tfr_kind_name(field->f->kind));
	if (field->kinds > 1) {
		tfr_json_open_object(j, "kinds");
		for (size_t i = 0; i < s->n; i++)
			if (s->list[i]->kind && !tfr_survey_compare(s->list[i], field->f->name,
							field->f->size, s->list[i]->kind))
				tfr_json_u64(j, tfr_kind_name(s->list[i]->kind),
					s->list[i]->facts.records);
		tfr_json_close_object(j);
	}
	tfr_json_string(j, "presence", field->required ? "required" : "optional");
	tfr_json_u64(j, "records", field->kinds ? field->f->facts.records : 0);
	if (field->unset)
		tfr_json_u64(j, "unset", field->unset);
	if (field->kinds)
		json_range(j, "length", &field->f->facts.length);
	json_range(j, "steps", &field->steps);
	if (field->kinds == 1)
		json_content(j, field);
	tfr_json_close_object(j);
	return true;
}

static void json_text(void *ctx, const char *text)
{
	tfr_json_string(ctx, NULL, text);
}

static void put_json(struct tfr_emit *e)
{
	struct tfr_json *j = tfr_json_new();
	TFR_AUTO_BUF name = { 0 };
	struct tfr_field field;
	const char *text;
	size_t size;

	tfr_json_pretty(j, 2);
	tfr_json_open_object(j, NULL);
	tfr_json_u64(j, "version", 1);
	tfr_json_u64(j, "records", e->s->records);
	tfr_json_u64(j, "files", e->s->files);
	tfr_json_u64(j, "sequence_examples", e->s->sequences);
	for (const struct tfr_survey *s = e->s; s; s = s->lists) {
		tfr_json_open_array(j, s->of_lists ? "feature_lists" : "features");
		for (size_t i = 0; !e->failed && tfr_field_next(s, &i, &field);)
			e->failed = !json_field(s, j, &field, &name);
		tfr_json_close_array(j);
	}
	tfr_json_open_array(j, "contradictions");
	tfr_survey_contradictions(e->s, json_text, j);
	tfr_json_close_array(j);
	tfr_json_open_array(j, "drift");
	tfr_survey_drift(e->s, json_text, j);
	tfr_json_close_array(j);
	tfr_json_close_object(j);
	text = tfr_json_text(j, &size);
	e->failed |= !text || !tfr_buf_append(&e->out, text, size);
	TFR_EMIT(e, "\n");
	tfr_json_free(j);
}

/* --- all forms --- */

static const struct form {
	void (*put)(struct tfr_emit *e);
	const char *code;   /* for messages; NULL: the form expresses everything */
	const char *reader; /* of the code, if it reads no feature lists */
} forms[] = {
	[TFR_SCHEMA_TEXT] = { put_table, NULL, NULL },
	[TFR_SCHEMA_JSON] = { put_json, NULL, NULL },
	[TFR_SCHEMA_PYTHON] = { tfr_emit_python, "Python", NULL },
	[TFR_SCHEMA_DALI] = { tfr_emit_dali, "Python", "DALI" },
	[TFR_SCHEMA_TORCH] = { tfr_emit_torch, "Python", "the code for PyTorch" },
	[TFR_SCHEMA_PBTXT] = { tfr_emit_pbtxt, "a Schema", NULL },
};

/* "NOUN'NAME' is WHAT, which READER cannot VERB" */
static enum tfr_status refuse_feature(const struct tfr_surveyed *f, const char *noun,
	const char *what, const char *reader, const char *verb, struct tfr_error *err)
{
	TFR_AUTO_BUF name = { 0 };

	TFR_NEED_MEMORY(tfr_survey_name(&name, f), err, "writing the schema");
	return tfr_fail(err, TFR_EDATA, "%s'%.*s' is %s, which %s cannot %s", noun,
		(int)(name.size < 200 ? name.size : 200), (char *)name.data, what, reader, verb);
}

/* Refuses fields that code cannot express. */
static enum tfr_status check_fields(
	const struct tfr_survey *s, const char *code, struct tfr_error *err)
{
	struct tfr_field field;
	size_t i = 0;

	while (tfr_field_next(s, &i, &field)) {
		if (!tfr_is_utf8(field.f->name, field.f->size))
			return refuse_feature(field.f, "the name ", "not UTF-8", code, "have", err);
		if (field.kinds > 1)
			return refuse_feature(field.f, s->of_lists ? "feature list " : "feature ",
				"of several kinds", code, "have", err);
	}
	return TFR_OK;
}

/* Finds the compression of all files with records, since code names one. */
static enum tfr_status find_compression(struct tfr_emit *e, bool *mixed, struct tfr_error *err)
{
	const struct tfr_survey *s = e->s;
	bool any = false;

	for (uint64_t i = 0; s->paths && i < s->files; i++) {
		TFR_AUTO_READER r = NULL;
		enum tfr_compression c;
		struct stat st = { 0 };

		if (tfr_stat(s->paths[i], &st) && errno != ENOENT)
			return tfr_fail_errno(err, errno, s->paths[i], "cannot access");
		if (!S_ISREG(st.st_mode) || !st.st_size)
			continue; /* a pipe, which was read */
		TFR_TRY(tfr_reader_open(&r, s->paths[i], NULL, err));
		c = tfr_reader_compression(r);
		*mixed |= any && c != e->compression;
		e->compression = c;
		any = true;
	}
	return TFR_OK;
}

/* DALI reads uncompressed files only, and a TFRecordDataset those of one compression. */
static enum tfr_status check_compression(
	struct tfr_emit *e, enum tfr_schema_form form, struct tfr_error *err)
{
	bool mixed = false;

	TFR_TRY(find_compression(e, &mixed, err));
	if (mixed)
		tfr_fail(err, TFR_EDATA,
			"the files differ in their compression, and the code can name only one");
	else if (form == TFR_SCHEMA_DALI && e->compression != TFR_COMPRESSION_NONE)
		tfr_fail(err, TFR_EDATA, "DALI cannot read files that are compressed by %s",
			tfr_compression_name(e->compression));
	else
		return TFR_OK;
	tfr_error_hint(err, "'tfr cat -z none -o NEW FILE...' writes uncompressed files.");
	return TFR_EDATA;
}

enum tfr_status tfr_survey_schema(const struct tfr_survey *s, enum tfr_schema_form form,
	char **text, size_t *size, struct tfr_error *err)
{
	struct tfr_emit e = { .s = s };
	const struct form *f = &forms[form];

	if (f->code)
		TFR_TRY(check_fields(s, f->code, err));
	if (f->reader && s->lists)
		return refuse_feature(s->lists->list[0], "", "a feature list of SequenceExamples",
			f->reader, "read", err);
	if (f->code && s->lists)
		TFR_TRY(check_fields(s->lists, f->code, err));
	if (form == TFR_SCHEMA_DALI || form == TFR_SCHEMA_PYTHON)
		TFR_TRY(check_compression(&e, form, err));
	f->put(&e);
	if (e.useless && !e.failed) {
		tfr_buf_clear(&e.out);
		return tfr_fail(err, TFR_EDATA, "DALI can read no feature of these records");
	}
	if (e.failed || !tfr_buf_append(&e.out, "", 1)) {
		tfr_buf_clear(&e.out);
		return tfr_fail_nomem(err, "writing the schema");
	}
	*text = (char *)e.out.data;
	*size = e.out.size - 1;
	return TFR_OK;
}
