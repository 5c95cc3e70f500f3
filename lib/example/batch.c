/* example/batch.c - the batch parser: converts wanted features of records into columns.
 *
 * example/batch.h describes the steps for a record.  Here are the wanted features, the messages of
 * records that fail, and the columns of a finished batch. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>
#include <tfr-private/text.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hardening.h"
#include "example/batch.h"

/* ---- Features ---- */

/* The bytes of a name that an error shows. */
static int shown_size(const struct tfr_batch_column *c)
{
	return c->name_size < 200 ? (int)c->name_size : 200;
}

static bool copy_texts(struct tfr_batch_column *c, size_t n)
{
	struct tfr_bytes *texts = c->fill;
	size_t size = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		size += texts[i].size;
	c->texts = malloc(size ? size : 1);
	if (!c->texts)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (texts[i].size)
			memcpy(c->texts + at, texts[i].data, texts[i].size);
		texts[i].data = c->texts + at;
		at += texts[i].size;
	}
	return true;
}

/* Allocates the first memory of a column, zeroed: the first split and the first offset are 0. */
static bool first_memory(struct tfr_batch_column *c)
{
	enum { FIRST = 64 };

	if (!tfr_buf_reserve(&c->values, FIRST) || !tfr_buf_reserve(&c->splits, FIRST) ||
		!tfr_buf_reserve(&c->text, FIRST))
		return false;
	memset(c->values.data, 0, FIRST);
	memset(c->splits.data, 0, FIRST);
	return true;
}

/* False: out of memory. */
static bool init_column(struct tfr_batch_column *c, const struct tfr_batch_feature *f)
{
	size_t fills, size;

	c->kind = f->kind;
	c->decode = tfr_varints_way(0);
	c->layout = f->layout;
	c->splits32 = f->splits32;
	c->copy = f->copy && f->kind == TFR_KIND_BYTES;
	c->count = f->count && f->layout != TFR_RAGGED ? f->count : 1;
	c->name_size = f->name_size ? f->name_size : strlen(f->name);
	c->name = malloc(c->name_size + 1);
	if (!c->name || !first_memory(c))
		return false;
	memcpy(c->name, f->name, c->name_size);
	c->name[c->name_size] = '\0';
	if (!f->fill || f->layout == TFR_RAGGED)
		return true;
	fills = f->layout == TFR_DENSE ? c->count : 1;
	size = f->kind == TFR_KIND_BYTES ? sizeof(struct tfr_bytes) : tfr_batch_value_size(c);
	c->fill = calloc(fills, size);
	if (!c->fill)
		return false;
	memcpy(c->fill, f->fill, fills * size);
	return f->kind != TFR_KIND_BYTES || copy_texts(c, fills);
}

static enum tfr_status check_feature(
	const struct tfr_batch_feature *f, size_t i, struct tfr_error *err)
{
	if (!f->name)
		return tfr_fail(err, TFR_EUSAGE, "feature %zu of a batch has no name", i);
	if (f->kind < TFR_KIND_BYTES || f->kind > TFR_KIND_INT64)
		return tfr_fail(err, TFR_EUSAGE, "feature %zu of a batch has no kind", i);
	if (f->layout < TFR_DENSE || f->layout > TFR_RAGGED)
		return tfr_fail(err, TFR_EUSAGE, "feature %zu of a batch has no layout", i);
	return TFR_OK;
}

static enum tfr_status init_parser(struct tfr_batch_parser *b,
	const struct tfr_batch_feature *features, size_t n, struct tfr_error *err)
{
	b->columns = tfr_calloc_apart(n, sizeof(*b->columns));
	b->found = tfr_calloc_apart(n, sizeof(*b->found));
	TFR_NEED_MEMORY(b->columns && b->found && n < TFR_UNWANTED, err, "making a batch parser");
	for (size_t i = 0; i < n; i++) {
		TFR_TRY(check_feature(&features[i], i, err));
		b->n = i + 1;
		TFR_NEED_MEMORY(
			init_column(&b->columns[i], &features[i]), err, "making a batch parser");
	}
	return tfr_batch_index_names(b, err);
}

enum tfr_status tfr_batch_parser_new(struct tfr_batch_parser **p,
	const struct tfr_batch_feature *features, size_t n, struct tfr_error *err)
{
	struct tfr_batch_parser *b = tfr_calloc_apart(1, sizeof(*b));
	enum tfr_status status;

	*p = NULL;
	TFR_NEED_MEMORY(b, err, "making a batch parser");
	status = init_parser(b, features, n, err);
	if (status)
		tfr_batch_parser_free(b);
	else
		*p = b;
	return status;
}

void tfr_batch_parser_free(struct tfr_batch_parser *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++) {
		struct tfr_batch_column *c = &b->columns[i];

		free(c->name);
		free(c->fill);
		free(c->texts);
		tfr_buf_clear(&c->values);
		tfr_buf_clear(&c->text);
		tfr_buf_clear(&c->splits);
	}
	free(b->columns);
	free(b->found);
	tfr_hash_clear(&b->names);
	free(b);
}

/* ---- Records ---- */

/* Restores the columns to their state with `rows` rows. */
static void go_back(struct tfr_batch_parser *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct tfr_batch_column *c = &b->columns[i];

		c->elements =
			c->layout == TFR_DENSE ? b->rows * c->count : tfr_batch_split(c, b->rows);
	}
}

static void reset_rows(struct tfr_batch_parser *b)
{
	b->rows = 0;
	b->finished = false;
	go_back(b);
}

static enum tfr_status fail_wire(const struct tfr_batch_parser *b, const struct tfr_wire *w,
	const uint8_t *start, struct tfr_error *err)
{
	size_t at = (size_t)(w->fault_at - start);
	const struct tfr_batch_column *c;

	if (b->fault_feature == TFR_UNWANTED)
		return tfr_fail(err, TFR_EDATA,
			"not an Example: %s, at byte %zu of record %zu of the batch", w->fault, at,
			b->rows);
	c = &b->columns[b->fault_feature];
	return tfr_fail(err, TFR_EDATA,
		"feature '%.*s' is damaged: %s, at byte %zu of record %zu of the batch",
		shown_size(c), c->name, w->fault, at, b->rows);
}

/* Suggests the feature of this record that the user may have meant by the missing one. */
static void hint_name(
	const struct tfr_batch_column *c, const void *record, size_t size, struct tfr_error *err)
{
	struct tfr_example *ex = err ? tfr_example_new() : NULL;
	struct tfr_suggestion meant;

	tfr_suggestion_init(&meant, c->name, c->name_size);
	if (ex && !tfr_example_parse(ex, record, size, NULL))
		for (size_t i = 0; i < tfr_example_count(ex); i++) {
			const struct tfr_feature *f = tfr_example_at(ex, i);

			tfr_suggestion_offer(&meant, f->key, f->key_size);
		}
	tfr_suggestion_hint(&meant, err);
	tfr_example_free(ex);
}

/* Reports a failure of column b->fault_feature. */
static enum tfr_status fail_append(const struct tfr_batch_parser *b, enum tfr_append why,
	const struct tfr_wire *w, const uint8_t *start, struct tfr_error *err)
{
	const struct tfr_batch_column *c = &b->columns[b->fault_feature];
	const char *kind = tfr_kind_name(c->kind);

	switch (why) {
	case TFR_APPEND_MISSING:
		return tfr_fail(err, TFR_EDATA,
			"feature '%.*s' is missing in record %zu of the batch", shown_size(c),
			c->name, b->rows);
	case TFR_APPEND_KIND:
		return tfr_fail(err, TFR_EDATA,
			"feature '%.*s' is of kind %s, not %s, in record %zu of the batch",
			shown_size(c), c->name, tfr_kind_name((enum tfr_kind)c->wrong), kind,
			b->rows);
	case TFR_APPEND_COUNT:
		return tfr_fail(err, TFR_EDATA,
			"feature '%.*s' has a list of %llu, not %s%zu, in record %zu of the batch",
			shown_size(c), c->name, (unsigned long long)c->wrong,
			c->layout == TFR_DENSE ? "" : "a multiple of ", c->count, b->rows);
	case TFR_APPEND_SPLITS:
		return tfr_fail_hint(err, TFR_EUSAGE,
			"Ask for 64-bit row splits, or parse smaller batches.",
			"feature '%.*s' has more values in a batch than 32-bit row splits count",
			shown_size(c), c->name);
	case TFR_APPEND_NOMEM:
		return tfr_fail_nomem(err, "parsing a batch");
	default:
		return fail_wire(b, w, start, err);
	}
}

TFR_NO_CANARY
enum tfr_status tfr_batch_add(
	struct tfr_batch_parser *b, const void *record, size_t size, struct tfr_error *err)
{
	const uint8_t *start = size ? record : (const uint8_t *)"";
	struct tfr_wire w = { .p = start, .end = start + size };

	if (b->finished)
		reset_rows(b);
	if (size > INT32_MAX)
		return tfr_fail(err, TFR_EDATA,
			"not an Example: larger than protobuf's 2 GiB, record %zu of the batch",
			b->rows);
	if (!tfr_batch_walk(b, &w))
		return fail_wire(b, &w, start, err);
	for (size_t i = 0; i < b->n; i++) {
		enum tfr_append why = tfr_batch_append(&b->columns[i], b->rows, &b->found[i], &w);

		if (why) {
			enum tfr_status status;

			b->fault_feature = (uint32_t)i;
			go_back(b);
			status = fail_append(b, why, &w, start, err);
			if (why == TFR_APPEND_MISSING)
				hint_name(&b->columns[i], start, size, err);
			return status;
		}
	}
	b->rows++;
	return TFR_OK;
}

/* ---- Finished columns ---- */

/* Rows are padded in place, from the last to the first.  A row never moves to the left, so none
 * is overwritten before it has moved.  If all rows have the same length, nothing moves. */

/* The longest row. */
static size_t longest_row(const struct tfr_batch_column *c, size_t rows)
{
	size_t most = 0, from = 0;

	for (size_t r = 0; r < rows; r++) {
		size_t to = tfr_batch_split(c, r + 1);

		most = to - from > most ? to - from : most;
		from = to;
	}
	return most;
}

static void fill_values(const struct tfr_batch_column *c, uint8_t *at, size_t n, size_t size)
{
	static const struct tfr_bytes none = { (const uint8_t *)"", 0 };
	static const uint64_t zero = 0;
	const void *fill = c->fill		       ? c->fill
			   : c->kind == TFR_KIND_BYTES ? (const void *)&none
						       : &zero;

	for (size_t i = 0; i < n; i++)
		memcpy(at + i * size, fill, size);
}

static bool pad_values(struct tfr_batch_column *c, size_t rows, size_t width)
{
	size_t size = tfr_batch_value_size(c), need;

	if (__builtin_mul_overflow(rows, width, &need) ||
		__builtin_mul_overflow(need, size, &need) || !tfr_batch_room(&c->values, need))
		return false;
	for (size_t r = rows; r-- > 0;) {
		size_t from = tfr_batch_split(c, r), n = tfr_batch_split(c, r + 1) - from;
		uint8_t *to = c->values.data + r * width * size;

		memmove(to, c->values.data + from * size, n * size);
		fill_values(c, to + n * size, width - n, size);
	}
	return true;
}

/* Copied bytes: moves the text and computes new offsets. */
static bool pad_text(struct tfr_batch_column *c, size_t rows, size_t width)
{
	const struct tfr_bytes *fill = c->fill;
	size_t fill_size = fill ? fill->size : 0, cells, need, end;
	int64_t *ends;

	if (__builtin_mul_overflow(rows, width, &cells) || cells > SIZE_MAX / 16 ||
		!tfr_batch_room(&c->values, (cells + 1) * sizeof(*ends)))
		return false;
	ends = (int64_t *)c->values.data;
	if (__builtin_mul_overflow(cells - c->elements, fill_size, &need) ||
		__builtin_add_overflow(need, (size_t)ends[c->elements], &end) || end > INT64_MAX ||
		!tfr_batch_room(&c->text, end))
		return false;
	for (size_t r = rows; r-- > 0;) {
		size_t from = tfr_batch_split(c, r), n = tfr_batch_split(c, r + 1) - from;

		for (size_t i = width; i-- > 0;) {
			size_t start = i < n ? (size_t)ends[from + i] : 0;
			size_t size = i < n ? (size_t)ends[from + i + 1] - start : fill_size;

			ends[r * width + i + 1] = (int64_t)end;
			end -= size;
			if (size)
				memmove(c->text.data + end,
					i < n ? c->text.data + start : fill->data, size);
		}
	}
	return true;
}

/* Pads rows if requested and publishes the column.  False: out of memory. */
static bool finish_column(struct tfr_batch_column *c, size_t rows)
{
	struct tfr_column *s = &c->shown;

	*s = (struct tfr_column){ .rows = rows, .count = c->elements };
	s->width = c->layout == TFR_DENSE ? c->count : longest_row(c, rows);
	if (c->layout == TFR_PADDED && rows * s->width != c->elements) {
		if (!(tfr_batch_offsets(c) ? pad_text : pad_values)(c, rows, s->width))
			return false;
		s->count = rows * s->width;
	}
	if (tfr_batch_offsets(c)) {
		s->offsets = (const int64_t *)c->values.data;
		s->text = c->text.data;
	} else {
		s->int64s = (const int64_t *)c->values.data;
	}
	if (c->layout != TFR_DENSE && c->splits32)
		s->splits32 = (const int32_t *)c->splits.data;
	else if (c->layout != TFR_DENSE)
		s->splits = (const int64_t *)c->splits.data;
	return true;
}

enum tfr_status tfr_batch_finish(struct tfr_batch_parser *b, struct tfr_error *err)
{
	if (b->finished)
		reset_rows(b);
	b->finished = true;
	for (size_t i = 0; i < b->n; i++)
		TFR_NEED_MEMORY(
			finish_column(&b->columns[i], b->rows), err, "padding the rows of a batch");
	return TFR_OK;
}

static enum tfr_status parse_records(struct tfr_batch_parser *b, const struct tfr_bytes *records,
	size_t n, struct tfr_error *err)
{
	for (size_t i = 0; i < n; i++)
		TFR_TRY(tfr_batch_add(b, records[i].data, records[i].size, err));
	return tfr_batch_finish(b, err);
}

enum tfr_status tfr_batch_parse(struct tfr_batch_parser *b, const struct tfr_bytes *records,
	size_t n, struct tfr_error *err)
{
	enum tfr_status status;

	reset_rows(b);
	status = parse_records(b, records, n, err);
	if (status)
		reset_rows(b);
	return status;
}

size_t tfr_batch_rows(const struct tfr_batch_parser *b)
{
	return b->rows;
}

const struct tfr_column *tfr_batch_column(const struct tfr_batch_parser *b, size_t i)
{
	return &b->columns[i].shown;
}
