/* convert/array/arrays.c - makes record k of row k of every array.
 *
 * Rows are read in blocks, one after the other or, if the records are shuffled, in the order in
 * which they will be needed.  A row's bytes are copied to its item, so that a block can be
 * replaced while other threads still make features of its rows. */
#include <stdio.h>
#include <string.h>

#include <tfr-private/text.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/error.h"
#include "base/names.h"
#include "convert/array/arrays.h"
#include "convert/folder/globs.h"

enum { BLOCK = 4 << 20, MEMORY = 256 << 20, SHUFFLED_MOST = 4096 };

/* --- the arrays --- */

enum tfr_status tfr_arrays_open(struct tfr_input **in, size_t size, const struct tfr_input_ops *ops,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct tfr_arrays *a;

	if (opts->order.stratify)
		return tfr_fail(err, TFR_EUSAGE,
			"--stratify-classes has no effect on arrays, which have no classes");
	if (opts->tables.embed_count)
		return tfr_fail(
			err, TFR_EUSAGE, "--embed needs a list; arrays have no columns of paths");
	a = calloc(1, size);
	TFR_NEED_MEMORY(a, err, "reading arrays");
	a->in = (struct tfr_input){ .ops = ops, .opts = opts };
	a->memory = opts->run.memory ? opts->run.memory : MEMORY;
	*in = &a->in;
	return TFR_OK;
}

static bool any_matches(const char *const *patterns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (tfr_glob_matches(patterns[i], name, false))
			return true;
	return false;
}

bool tfr_arrays_wants(const struct tfr_arrays *a, const char *name)
{
	const struct tfr_convert_opts *o = a->in.opts;

	return !any_matches(o->input.exclude, o->input.exclude_count, name) &&
	       (!o->input.include_count ||
		       any_matches(o->input.include, o->input.include_count, name));
}

void *tfr_arrays_add(struct tfr_arrays *a, size_t size, const char *path)
{
	struct tfr_array *array = calloc(1, size);

	if (!array || TFR_ARRAY_ONE_MORE(a->arrays, a->n)) {
		free(array);
		return NULL;
	}
	array->path = path;
	a->arrays[a->n++] = array;
	return array;
}

void tfr_arrays_drop(struct tfr_arrays *a)
{
	struct tfr_array *array = a->arrays[--a->n];

	a->release(array);
	free(array->name);
	free(array->block);
	free(array);
}

bool tfr_arrays_add_cells(struct tfr_arrays *a, const char *name, const struct tfr_cells *cells)
{
	struct tfr_cells *c;

	if (TFR_ARRAY_ONE_MORE(a->cells, a->n_cells))
		return false;
	c = &a->cells[a->n_cells++];
	*c = *cells;
	if (c->stride == c->inner * c->size) { /* all adjacent */
		c->inner *= c->outer;
		c->outer = 1;
	}
	c->array = a->n - 1;
	c->kind = tfr_cell_kind(c->cell);
	c->name = strdup(name);
	c->shape_name = c->dims > 1 ? tfr_asprintf("%s/shape", name) : NULL;
	return c->name && (c->dims <= 1 || c->shape_name);
}

void tfr_arrays_close(struct tfr_input *in)
{
	struct tfr_arrays *a = (struct tfr_arrays *)in;

	while (a->n)
		tfr_arrays_drop(a);
	for (size_t i = 0; i < a->n_cells; i++) {
		free(a->cells[i].name);
		free(a->cells[i].shape_name);
	}
	free(a->arrays);
	free(a->cells);
	free(a->prefix);
	free(a);
}

/* --- checks --- */

static enum tfr_status check_rows(struct tfr_arrays *a, struct tfr_error *err)
{
	for (size_t i = 1; i < a->n; i++) {
		const struct tfr_array *one = a->arrays[0], *other = a->arrays[i];

		if (one->rows == other->rows)
			continue;
		return tfr_fail_hint(err, TFR_EDATA,
			"Each record takes one row of every array.  Choose matching arrays "
			"with --include or --exclude.",
			"'%s' of '%s' has %llu rows, and '%s' of '%s' has %llu", one->name,
			one->path, (unsigned long long)one->rows, other->name, other->path,
			(unsigned long long)other->rows);
	}
	a->rows = a->arrays[0]->rows;
	return TFR_OK;
}

/* TensorFlow refuses records with a name that is not UTF-8. */
static enum tfr_status check_texts(const struct tfr_arrays *a, struct tfr_error *err)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct tfr_cells *c = &a->cells[i];

		if (tfr_is_utf8(c->name, strlen(c->name)))
			continue;
		return tfr_fail_hint(err, TFR_EDATA,
			"Use --exclude with its name to leave an array out.",
			"cannot make features of '%s' of '%s': its name is not UTF-8", c->name,
			a->arrays[c->array]->path);
	}
	return TFR_OK;
}

/* All features, including those of shapes, must have different names. */
static enum tfr_status check_names(struct tfr_arrays *a, struct tfr_error *err)
{
	TFR_AUTO_FREE const char **names = calloc(2 * a->n_cells + 1, sizeof(*names));
	size_t n = 0;

	TFR_NEED_MEMORY(names, err, "reading arrays");
	for (size_t i = 0; i < a->n_cells; i++) {
		names[n++] = a->cells[i].name;
		if (a->cells[i].shape_name)
			names[n++] = a->cells[i].shape_name;
	}
	qsort(names, n, sizeof(*names), tfr_compare_names);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(names[i - 1], names[i]))
			return tfr_fail(err, TFR_EDATA,
				"two features of '%s' would have the name '%s'",
				a->in.opts->input.paths[0], names[i]);
	return TFR_OK;
}

static enum tfr_status set_types(struct tfr_arrays *a, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = a->in.opts;

	for (size_t t = 0; t < o->tables.type_count; t++) {
		const char *name = o->tables.types[t].name;
		struct tfr_suggestion meant;
		size_t i = 0;

		tfr_suggestion_init(&meant, name, strlen(name));
		for (; i < a->n_cells && strcmp(a->cells[i].name, name); i++)
			tfr_suggestion_offer(&meant, a->cells[i].name, strlen(a->cells[i].name));
		if (i == a->n_cells) {
			tfr_fail(err, TFR_EUSAGE, "'%s' is not a feature of '%s'", name,
				o->input.paths[0]);
			tfr_suggestion_hint(&meant, err);
			return TFR_EUSAGE;
		}
		TFR_TRY(tfr_cells_become(&a->cells[i], o->tables.types[t].kind, err));
	}
	return TFR_OK;
}

static void warn_of_rounding(const struct tfr_arrays *a)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct tfr_cells *c = &a->cells[i];

		if (c->cell != TFR_CELL_FLOAT || c->size != 8 || c->kind != TFR_KIND_FLOAT)
			continue;
		tfr_warn(a->in.opts,
			"'%s' has floats of 64 bits, which are rounded to the 32 that a feature "
			"has",
			c->name);
	}
}

/* The number of rows to read at once, within the memory. */
static uint64_t rows_at_once(const struct tfr_array *array, uint64_t memory, bool shuffled)
{
	uint64_t part = memory < BLOCK ? memory : BLOCK;
	uint64_t rows = part < array->row_size ? 1 : part / array->row_size;

	if (shuffled)
		return rows > SHUFFLED_MOST ? SHUFFLED_MOST : rows;
	if (array->unit <= 1)
		return rows;
	if (rows >= array->unit)
		return rows - rows % array->unit;
	return array->unit <= memory / array->row_size ? array->unit : rows;
}

/* Places the arrays in the row of all of them. */
static enum tfr_status arrange_row(struct tfr_arrays *a, struct tfr_error *err)
{
	struct tfr_cells *c = a->cells, *end = c + a->n_cells;
	uint64_t all = 0;

	for (size_t i = 0; i < a->n; i++) {
		struct tfr_array *array = a->arrays[i];

		for (; c < end && c->array == i; c++) {
			c->at += all;
			array->texts |= c->cell == TFR_CELL_TEXT;
		}
		a->texts |= array->texts;
		all += array->row_size;
		array->most = rows_at_once(array, a->memory / 4 / a->n, a->in.opts->order.shuffle);
	}
	if (all > TFR_ITEM_MOST)
		return tfr_fail_path(err, TFR_EDATA, a->in.opts->input.paths[0],
			"a row is larger than 2 GiB, the limit of an Example, in");
	a->row_size = (size_t)all;
	return TFR_OK;
}

enum tfr_status tfr_arrays_ready(struct tfr_arrays *a, struct tfr_error *err)
{
	const char *path = a->in.opts->input.paths[0];

	if (!a->n)
		return tfr_fail_path(err, TFR_EDATA, path, "no arrays in");
	TFR_TRY(check_texts(a, err));
	TFR_TRY(check_rows(a, err));
	TFR_TRY(check_names(a, err));
	TFR_TRY(set_types(a, err));
	TFR_TRY(arrange_row(a, err));
	a->in.item_bytes = a->texts ? 0 : a->row_size;
	if (a->in.items != TFR_STREAM)
		a->in.items = a->rows;
	if (a->rows > UINT32_MAX && a->in.items != TFR_STREAM)
		return tfr_fail(err, TFR_EUSAGE, "more than %u rows in '%s'", UINT32_MAX, path);
	a->prefix = tfr_asprintf("%s:", path);
	TFR_NEED_MEMORY(a->prefix, err, "reading arrays");
	a->in.prefix = a->prefix;
	warn_of_rounding(a);
	return TFR_OK;
}

/* --- a row --- */

/* Reads the block that begins with a row.  Rows that are not read on are read one by one. */
static enum tfr_status read_block(
	struct tfr_arrays *a, struct tfr_array *array, uint64_t row, struct tfr_error *err)
{
	bool on = row == array->first + array->count;
	uint64_t left = array->rows - row, most = on ? array->most : 1;

	if (!array->block) {
		array->block = malloc(array->most * array->row_size);
		TFR_NEED_MEMORY(array->block, err, "reading arrays");
	}
	array->count = 0;
	TFR_TRY(a->read(a, array, row, most < left ? most : left, err));
	array->first = row;
	array->count = most < left ? most : left;
	return TFR_OK;
}

/* Adds the sizes of the row's texts to item->size or, if `move`, moves the texts into item->more,
 * where memory is reserved for them.  The length precedes each text, so that equal rows have equal
 * bytes for the hash. */
static void walk_texts(const struct tfr_arrays *a, struct tfr_item *item, bool move)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct tfr_cells *c = &a->cells[i];
		uint8_t *at = item->file.data + c->at;
		struct tfr_bytes text;

		for (size_t k = 0; c->cell == TFR_CELL_TEXT && k < c->inner; k++) {
			memcpy(&text, at, sizeof(text));
			if (move) {
				tfr_buf_append(&item->more, &(uint64_t){ text.size }, 8);
				tfr_buf_append(&item->more, text.data, text.size);
				text.data = item->more.data + item->more.size - text.size;
				memcpy(at, &text, sizeof(text));
			} else {
				item->size += text.size;
			}
			at += sizeof(text);
		}
	}
}

static enum tfr_status take_texts(
	const struct tfr_arrays *a, struct tfr_item *item, struct tfr_error *err)
{
	walk_texts(a, item, false);
	if (item->size > TFR_ITEM_MOST) {
		tfr_item_skip(item, TFR_EDATA, "larger than 2 GiB, the limit of an Example");
		return TFR_OK;
	}
	/* The lengths of the texts need less memory than the texts' pointers in the row. */
	TFR_NEED_MEMORY(tfr_buf_reserve(&item->more, item->size + item->file.size + 1), err,
		"reading arrays");
	walk_texts(a, item, true);
	return TFR_OK;
}

/* The contents decide the set.  Rows of texts are pointers, so that only the texts count. */
static void hash_row(struct tfr_arrays *a, struct tfr_item *item)
{
	const uint8_t *row = item->file.data;
	uint64_t hash = 0;

	for (size_t i = 0; i < a->n; row += a->arrays[i++]->row_size)
		if (!a->arrays[i]->texts)
			hash = XXH3_64bits_withSeed(row, a->arrays[i]->row_size, hash);
	if (a->texts)
		hash = XXH3_64bits_withSeed(item->more.data, item->more.size, hash);
	item->hash = hash;
	item->hashed = true;
}

enum tfr_status tfr_arrays_next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_arrays *a = (struct tfr_arrays *)in;
	uint64_t number = in->items == TFR_STREAM ? a->next : item->number;
	uint64_t row = in->order ? in->place : number;
	char name[24];

	if (row == a->rows)
		return TFR_END;
	for (size_t i = 0; a->order != in->order && i < a->n; i++)
		a->arrays[i]->count = 0;
	a->order = in->order;
	snprintf(name, sizeof(name), "%llu", (unsigned long long)number);
	tfr_room_reserve(room, 3 * (uint64_t)a->row_size); /* its bytes, wire form, record */
	if (!tfr_item_name(item, name, strlen(name)) || !tfr_buf_reserve(&item->file, a->row_size))
		return tfr_fail_nomem(err, "reading arrays");
	for (size_t i = 0; i < a->n; i++) {
		struct tfr_array *array = a->arrays[i];

		if (row < array->first || row - array->first >= array->count)
			TFR_TRY(read_block(a, array, row, err));
		tfr_buf_append(&item->file, array->block + (row - array->first) * array->row_size,
			array->row_size);
	}
	item->size = item->file.size;
	if (a->texts)
		TFR_TRY(take_texts(a, item, err));
	hash_row(a, item);
	a->next++;
	return TFR_OK;
}

enum tfr_status tfr_arrays_load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	const struct tfr_arrays *a = (struct tfr_arrays *)in;
	enum tfr_status status = TFR_OK;

	(void)room;
	for (size_t i = 0; !status && i < a->n_cells; i++)
		status = tfr_cells_put(
			&a->cells[i], item->file.data, &bench->pixels, item->builder, err);
	if (status != TFR_EDATA)
		return status;
	tfr_item_skip_error(item, err);
	return TFR_OK;
}
