/* convert/list/metadata.c - a list of files beside it: the rows are those of the list, the files
 * are embedded as --embed would, and the objects of a row become boxes. */
#include "convert/list/metadata.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "convert/folder/splits.h"
#include "convert/joined_parts.h"
#include "io/root.h"

enum { HEAD = 64 << 10 };

static const char *const tables[] = { "metadata.csv", "metadata.jsonl" };

/* Whether the first line of a table names a column of files.  False: out of memory, or
 * an errno in *fault. */
static bool names_files(const char *path, bool *yes, int *fault)
{
	TFR_AUTO_FREE char *head = malloc(HEAD);
	ssize_t n = head ? tfr_root_head(NULL, path, head, HEAD) : -1;
	const char *end = n > 0 ? memchr(head, '\n', (size_t)n) : NULL;

	*yes = n > 0 && memmem(head, end ? (size_t)(end - head) : (size_t)n, "file_name",
				sizeof("file_name") - 1);
	if (head && n < 0 && errno != ENOENT)
		*fault = errno;
	return head && !*fault;
}

/* Where a table is for files in several splits, each split is a part of it. */
static bool find_shared(
	struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *path)
{
	bool good = true;
	size_t n = 0;

	for (size_t i = 0; i < l->folders.n; i++)
		n += tfr_split_is_name(l->folders.list[i]);
	for (size_t i = 0; good && n > 1 && i < l->folders.n; i++)
		if (tfr_split_is_name(l->folders.list[i]))
			good = tfr_parts_add(p, l->folders.list[i], folder, path);
	return good && (n > 1 || tfr_parts_add(p, NULL, folder, path));
}

static bool find(struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *split)
{
	bool yes;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		TFR_AUTO_FREE char *path = tfr_path_join(folder, tables[i]);

		if (!path)
			return false;
		if (!tfr_is_file(path))
			continue;
		if (!names_files(path, &yes, &p->fault))
			return false;
		if (!yes)
			continue;
		return split ? tfr_parts_add(p, split, folder, path)
			     : find_shared(p, folder, l, path);
	}
	return true;
}

static bool find_all(struct tfr_parts *parts, const char *base)
{
	return tfr_parts_find(parts, base, find);
}

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	return !opts->masks && !opts->annotations && !opts->captions && !opts->panoptic &&
	       !opts->class_list && !opts->synsets && !opts->tfds &&
	       tfr_parts_recognised(find_all, offer);
}

/* --- one row --- */

static uint64_t row_of(const struct metadata *m, uint64_t item)
{
	return m->filter ? ((const uint32_t *)(const void *)m->rows_.data)[item] : item;
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct metadata *m = (struct metadata *)in;
	uint64_t number = item->number;
	enum tfr_status status;

	item->number = row_of(m, number);
	status = m->list->ops->next(m->list, item, room, err);
	item->number = number;
	if (!item->prefix)
		item->prefix = m->list->prefix;
	return status;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct metadata *m = (struct metadata *)in;
	uint64_t number = item->number;
	enum tfr_status status;

	item->number = row_of(m, number);
	status = m->list->ops->load(m->list, item, bench, room, err);
	item->number = number;
	return status || item->skipped || !m->objects
		       ? status
		       : tfr_metadata_add_boxes(m, item, &bench->boxes, err);
}

/* --- the table --- */

static void close_metadata(struct tfr_input *in)
{
	struct metadata *m = (struct metadata *)in;

	if (m->unusable)
		tfr_warn(m->in.opts,
			"%llu box%s of '%s' left out: without an area, or past the edge of the "
			"image",
			(unsigned long long)m->unusable, m->unusable == 1 ? "" : "es", m->path);
	if (m->list)
		m->list->ops->close(m->list);
	tfr_buf_clear(&m->names);
	tfr_buf_clear(&m->embeds_);
	tfr_buf_clear(&m->rows_);
	tfr_object_classes_clear(&m->classes);
	free((char *)(uintptr_t)m->path);
	free(m->folder);
	free(m->filter);
	free(m);
}

/* Of a table for several splits, the folder of this one: "train/". */
static bool set_filter(struct metadata *m, const struct tfr_part *part)
{
	const char *slash = strrchr(part->images, '/');

	if (!part->split || !strcmp(slash ? slash + 1 : part->images, part->split))
		return true;
	m->filter = tfr_asprintf("%s/", part->split);
	return m->filter != NULL;
}

static enum tfr_status set_classes(struct metadata *m, struct tfr_error *err)
{
	if (m->in.opts->labels && !m->texts)
		return tfr_fail_path(err, TFR_EUSAGE, m->path,
			"no objects with names that could have labels in");
	return m->texts ? tfr_object_classes_number(&m->classes, &m->in, err) : TFR_OK;
}

/* Boxes speak of the pixels as they came; scaling keeps fractions, turning does not. */
static enum tfr_status check(const struct metadata *m, struct tfr_error *err)
{
	if (m->objects && m->in.opts->rework.orient)
		return tfr_fail(err, TFR_EUSAGE,
			"--orient would turn the images but not their boxes in '%s'", m->path);
	return TFR_OK;
}

static enum tfr_status open_part(struct tfr_input **in, const struct tfr_convert_opts *opts,
	const struct tfr_part *part, struct tfr_error *err)
{
	const struct tfr_input_ops *ops =
		tfr_has_extension(part->annotations, "csv") ? &tfr_input_csv : &tfr_input_jsonl;
	struct metadata *m = calloc(1, sizeof(*m));
	enum tfr_status status;

	if (!m)
		return tfr_fail_nomem(err, "reading metadata");
	*in = &m->in;
	m->in = (struct tfr_input){ .ops = &tfr_input_metadata, .opts = opts, .by_path = true };
	m->path = strdup(part->annotations);
	m->folder = strdup(part->images);
	if (!m->path || !m->folder || !set_filter(m, part))
		return tfr_fail_nomem(err, "reading metadata");
	/* For the first reading no column is anything but a column. */
	m->opts = *opts;
	m->opts.inputs = &m->path;
	m->opts.input_count = 1;
	m->opts.embeds = NULL;
	m->opts.embed_count = 0;
	m->opts.types = NULL;
	m->opts.type_count = 0;
	m->opts.labels = NULL;
	m->opts.sha256 = false;
	m->opts.rework = (struct tfr_rework){ 0 };
	m->opts.audio = TFR_AUDIO_BYTES;
	status = tfr_metadata_scan(m, ops, err);
	m->opts.embeds = (const struct tfr_embed *)(const void *)m->embeds_.data;
	m->opts.embed_count = m->embeds_.size / sizeof(struct tfr_embed);
	m->opts.types = opts->types;
	m->opts.type_count = opts->type_count;
	m->opts.sha256 = opts->sha256;
	m->opts.rework = opts->rework;
	m->opts.audio = opts->audio;
	if (!status)
		status = check(m, err);
	if (!status)
		status = ops->open(&m->list, &m->opts, err);
	if (!status)
		status = set_classes(m, err);
	if (status)
		return status;
	m->in.prefix = m->list->prefix;
	m->in.items = m->filter ? m->rows_.size / sizeof(uint32_t) : m->list->items;
	return TFR_OK;
}

/* --- the tables of all splits --- */

/* A column has one kind in all of them: that of all its values. */
static enum tfr_status unite_column(
	struct tfr_input **parts, size_t n, const char *name, struct tfr_error *err)
{
	unsigned looks = 0;

	for (int decide = 0; decide < 2; decide++)
		for (size_t k = 0; k < n; k++) {
			struct tfr_list *l = (struct tfr_list *)((struct metadata *)parts[k])->list;
			size_t guess = 0;
			const struct tfr_list_column *found =
				tfr_columns_find(&l->columns, name, strlen(name), &guess);
			struct tfr_list_column *col =
				found ? &l->columns.list[found - l->columns.list] : NULL;
			enum tfr_status status = TFR_OK;

			if (col && !decide)
				looks |= col->looks;
			if (!col || !decide || col->given || col->looks == looks)
				continue;
			col->looks = looks;
			col->kind = TFR_KIND_UNSET;
			status = tfr_column_decide(
				col, l->reader.format != TFR_LIST_JSONL, l->path, err);
			if (status)
				return status;
		}
	return TFR_OK;
}

static enum tfr_status unite_classes(
	struct tfr_input **parts, size_t n, struct tfr_input *whole, struct tfr_error *err)
{
	struct metadata *first = (struct metadata *)parts[0];
	enum tfr_status status = TFR_OK;

	for (size_t k = 1; !status && k < n; k++)
		status = tfr_object_classes_unite(
			&first->classes, &((struct metadata *)parts[k])->classes, err);
	if (!status && first->classes.names.sorted.n)
		status = tfr_object_classes_number(&first->classes, &first->in, err);
	whole->classes = first->in.classes;
	whole->n_classes = first->in.n_classes;
	return status;
}

static enum tfr_status unite(
	struct tfr_input **parts, size_t n, struct tfr_input *whole, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t k = 0; k < n; k++) {
		const struct tfr_list *l = (struct tfr_list *)((struct metadata *)parts[k])->list;

		for (size_t i = 0; !status && i < l->columns.n; i++)
			status = unite_column(parts, n, l->columns.list[i].name, err);
	}
	return status ? status : unite_classes(parts, n, whole, err);
}

static enum tfr_status open_metadata(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	static const struct tfr_parts_kind kind = {
		.ops = &tfr_input_metadata,
		.find = find_all,
		.none = "no metadata.csv or metadata.jsonl with a column 'file_name' in",
		.open = open_part,
		.unite = unite,
		.all = true,
	};

	return tfr_parts_open(in, &kind, opts, err);
}

const struct tfr_input_ops tfr_input_metadata = {
	.name = "metadata",
	.what = "files with metadata",
	.nothing = "no row to use in the metadata of",
	.refused = "not a usable row",
	.columns = true,
	.images = true,
	.reworks = true,
	.audio = true,
	.labelled = true,
	.splits = true,
	.recognises = recognises,
	.open = open_metadata,
	.next = next,
	.load = load,
	.close = close_metadata,
};
