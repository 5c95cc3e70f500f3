/* convert/list/list.c - CSV, TSV and JSON lines: rows become records, and columns become features.
 *
 * A file is read twice by all threads: once to find its rows and the kinds of its columns, then
 * group by group of rows, in any order.  A pipe is read once: each row is an item, and the kind of
 * a column is that of its first value. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/suffix.h"
#include "convert/image_features.h"
#include "convert/list/list.h"
#include "record/stream.h"

/* The most rows of one item: enough that the cost of an item does not matter. */
enum { GROUP_ROWS = 1024, GROUP_BYTES = 64 << 10 };

/* --- an item --- */

/* A fault of a row skips it; any other ends the run. */
static enum tfr_status or_skip(struct tfr_item *item, enum tfr_status status, struct tfr_error *err)
{
	if (status != TFR_EDATA)
		return status;
	tfr_item_skip_error(item, err);
	return TFR_OK;
}

static void free_own(void *p)
{
	struct tfr_list_item *own = p;

	if (!own)
		return;
	for (size_t i = 0; own->embedded && i < own->n; i++) {
		tfr_buf_clear(&own->embedded[i].path);
		tfr_buf_clear(&own->embedded[i].file);
	}
	tfr_row_reader_close(&own->reader);
	tfr_records_clear(&own->records);
	tfr_buf_clear(&own->text);
	tfr_buf_clear(&own->rows_);
	tfr_buf_clear(&own->gaps_);
	free(own->embedded);
	free(own);
}

static enum tfr_status new_own(
	const struct tfr_list *l, struct tfr_list_item **out, struct tfr_error *err)
{
	size_t n = l->columns.tables->embed_count;
	struct tfr_list_item *own = calloc(1, sizeof(*own));

	if (own)
		own->embedded = calloc(n + 1, sizeof(*own->embedded));
	if (!own || !own->embedded) {
		free_own(own);
		return tfr_fail_nomem(err, "reading a list");
	}
	own->reader = tfr_row_reader_like(&l->reader);
	own->n = n;
	*out = own;
	return TFR_OK;
}

static enum tfr_status have_own(
	const struct tfr_list *l, struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_list_item *own = item->own;

	TFR_TRY(own ? TFR_OK : new_own(l, &own, err));
	item->own = own;
	item->free_own = free_own;
	for (size_t i = 0; i < own->n; i++)
		own->embedded[i].path.size = 0;
	return TFR_OK;
}

static enum tfr_status name_item(
	struct tfr_item *item, const struct tfr_row *row, struct tfr_error *err)
{
	char name[24];
	int n = snprintf(name, sizeof(name), "%u", row->line);

	return tfr_item_name(item, name, (size_t)n) ? TFR_OK
						    : tfr_fail_nomem(err, "reading a list");
}

static const struct tfr_row *row_of(const struct tfr_list *l, uint64_t number)
{
	assert(number < l->in.items);
	return (const struct tfr_row *)(const void *)l->rows_.data + number;
}

/* Appends `size` bytes of the file from `offset` on to own->text. */
static enum tfr_status read_again(const struct tfr_list *l, struct tfr_list_item *own,
	uint64_t offset, size_t size, struct tfr_error *err)
{
	size_t n;

	if (!size)
		return TFR_OK;
	TFR_NEED_MEMORY(tfr_buf_reserve(&own->text, size + 1), err, "reading a list");
	TFR_TRY(tfr_source_read_at(
		l->lines.source, offset, own->text.data + own->text.size, size, &n, err));
	own->text.size += n;
	return n < size ? tfr_fail_path(err, TFR_EDATA, l->path, "cut short while it was read:")
			: TFR_OK;
}

/* Rows that follow each other in the file are read at once, with the blank lines between them.
 * `order`: the numbers of the rows; NULL: they follow each other from `number` on. */
static enum tfr_status read_rows(struct tfr_list *l, struct tfr_list_item *own,
	const uint32_t *order, uint64_t number, uint64_t most, struct tfr_error *err)
{
	uint64_t begin = 0, end = 0; /* of the bytes that are still to be read */

	for (uint64_t i = 0; i < most; i++) {
		const struct tfr_row *row = row_of(l, order ? order[i] : number + i);
		struct tfr_row here;

		if (order || !i) {
			TFR_TRY(read_again(l, own, begin, (size_t)(end - begin), err));
			begin = end = row->offset;
		}
		here = (struct tfr_row){ own->text.size + (row->offset - begin), row->size,
			row->line };
		if (i && here.offset + row->size > GROUP_BYTES)
			break;
		TFR_TRY(tfr_list_append(&own->rows_, &here, sizeof(here), err));
		end = row->offset + row->size;
	}
	return read_again(l, own, begin, (size_t)(end - begin), err);
}

static size_t row_bytes(const struct tfr_list_item *own)
{
	const struct tfr_row *rows = (const struct tfr_row *)(const void *)own->rows_.data;
	size_t bytes = 0;

	for (size_t i = 0; i < own->rows_.size / sizeof(*rows); i++)
		bytes += rows[i].size;
	return bytes;
}

/* --- objects that the next rows name --- */

/* The paths of a row into l->announced.  What is wrong with a row is said when it is its turn. */
static void read_paths(struct tfr_list *l, uint64_t row)
{
	struct tfr_list_item *own = l->announced;

	l->announced_row = row + 1;
	own->text.size = 0;
	for (size_t i = 0; i < own->n; i++)
		own->embedded[i].path.size = 0;
	if (!read_again(l, own, row_of(l, row)->offset, row_of(l, row)->size, NULL) &&
		!tfr_row_reader_read(&own->reader, &l->columns, (const char *)own->text.data,
			own->text.size, NULL))
		tfr_list_build_row(l, own, &own->reader, NULL, NULL);
}

/* Of embedded column `i` % n of the row at place `i` / n. */
static bool path_of(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size)
{
	struct tfr_list *l = ctx;
	const struct tfr_list_item *own = l->announced;
	uint64_t place = i / own->n, row = l->in.order ? l->in.order[place] : place;
	const struct tfr_buf *found = &own->embedded[i % own->n].path;

	*size = 0;
	if (l->announced_row != row + 1)
		read_paths(l, row);
	return found->size && tfr_buf_append(path, found->data, found->size);
}

/* Lists of URLs have them in every row. */
static bool names_urls(struct tfr_list *l)
{
	bool found = false;

	read_paths(l, 0);
	for (size_t i = 0; i < l->announced->n; i++) {
		const struct tfr_buf *path = &l->announced->embedded[i].path;

		found = found || (path->size && tfr_is_url((const char *)path->data));
	}
	return found;
}

/* The item at `place` is read now: asks for the objects that the rows after it name.  The rows are
 * read twice: here for their paths, and later for their values. */
static void announce(struct tfr_list *l, uint64_t place)
{
	if (!l->announced) {
		if (new_own(l, &l->announced, NULL))
			return;
		l->ahead.addresses = names_urls(l);
	}
	tfr_fetch_ahead_of(&l->ahead, l->folder, place * l->announced->n,
		l->in.ahead * l->announced->n, path_of, l);
}

/* --- the next item --- */

/* Rows of a file: they are parsed by load(). */
static enum tfr_status next_of_file(struct tfr_list *l, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_list_item *own = item->own;
	const uint32_t *order = l->in.order;
	uint64_t left = room->groups ? l->in.items - (order ? l->in.place : item->number) : 1;
	uint64_t most = left < GROUP_ROWS ? left : GROUP_ROWS;

	TFR_TRY(name_item(item, row_of(l, item->number), err));
	own->text.size = own->rows_.size = 0;
	TFR_TRY(read_rows(l, own, room->groups && order ? order + l->in.place : NULL, item->number,
		most, err));
	item->records = own->rows_.size / sizeof(struct tfr_row);
	item->size = row_bytes(own);
	if (room->groups)
		return TFR_OK;
	if (own->n)
		announce(l, order ? l->in.place : item->number);
	item->hash = XXH3_64bits(own->text.data, own->text.size);
	item->hashed = true;
	return TFR_OK;
}

/* A row of a pipe: the kinds it sets must be known before the next one. */
static enum tfr_status next_of_pipe(
	struct tfr_list *l, struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_row row;
	const char *text;
	size_t size;
	enum tfr_status status = tfr_list_read_row(l, &row, &text, &size, err);

	if (status == TFR_END)
		tfr_list_warn_of_empty(l);
	if (!status)
		status = name_item(item, &row, err);
	if (status)
		return status;
	item->size = size;
	item->hash = XXH3_64bits(text, size);
	item->hashed = true;
	if (l->reader.format == TFR_LIST_JSONL)
		status = tfr_json_row_read(&l->reader.json, &l->columns, text, size, err);
	if (status)
		return or_skip(item, status, err);
	TFR_TRY(tfr_list_see_row(l, row.line, err));
	return or_skip(item, tfr_list_build_row(l, item->own, &l->reader, item->builder, err), err);
}

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_list *l = (struct tfr_list *)in;

	TFR_TRY(have_own(l, item, err));
	return l->file ? next_of_file(l, item, room, err) : next_of_pipe(l, item, err);
}

/* ---- a row of a file ---- */

/* Puts the features of a row into a builder.  TFR_EDATA: the row cannot be used. */
static enum tfr_status build_row(struct tfr_list *l, struct tfr_item *item, const char *text,
	size_t size, struct tfr_error *err)
{
	struct tfr_list_item *own = item->own;

	TFR_TRY(tfr_row_reader_read(&own->reader, &l->columns, text, size, err));
	return tfr_list_build_row(l, own, &own->reader, item->builder, err);
}

static enum tfr_status encode_row(struct tfr_list *l, struct tfr_item *item, const char *text,
	size_t size, struct tfr_error *err)
{
	struct tfr_list_item *own = item->own;
	const uint8_t *record;

	TFR_TRY(tfr_row_reader_read(&own->reader, &l->columns, text, size, err));
	if (tfr_list_encode_row(&own->reader, &l->layout, size, &own->records))
		return TFR_OK;
	tfr_builder_reset(item->builder);
	TFR_TRY(tfr_list_build_row(l, own, &own->reader, item->builder, err));
	TFR_TRY(tfr_builder_flatten(item->builder, &record, &size, err));
	return tfr_records_add(&own->records, record, size)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "building records");
}

/* Skips a row for its fault: as a gap of its group, or as the item if it is the only row or ends
 * the run. */
static enum tfr_status skip_row(struct tfr_list *l, struct tfr_item *item,
	const struct tfr_row *row, uint64_t place, const struct tfr_error *why,
	struct tfr_error *err)
{
	struct tfr_list_item *own = item->own;
	struct tfr_gap gap = { .place = place, .why = why->status };

	if (!l->in.groups || l->in.opts->run.on_error == TFR_ON_ERROR_FAIL ||
		why->status == TFR_ENOMEM) {
		tfr_item_skip_error(item, why);
		return name_item(item, row, err);
	}
	snprintf(gap.name, sizeof(gap.name), "%u", row->line);
	snprintf(gap.reason, sizeof(gap.reason), "%.255s", why->message);
	return tfr_list_append(&own->gaps_, &gap, sizeof(gap), err);
}

static enum tfr_status encode_rows(struct tfr_list *l, struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_list_item *own = item->own;
	const struct tfr_row *rows = (const struct tfr_row *)(const void *)own->rows_.data;
	struct tfr_records *records = &own->records;

	records->data.size = records->sums.size = own->gaps_.size = 0;
	if (!tfr_buf_reserve(&records->data, own->text.size) ||
		!tfr_buf_reserve(&records->sums, item->records * sizeof(uint64_t)) ||
		!tfr_buf_reserve(&own->gaps_, 1))
		return tfr_fail_nomem(err, "building records");
	for (uint64_t i = 0; i < item->records && !item->skipped; i++) {
		struct tfr_error why = { 0 };
		enum tfr_status status = encode_row(
			l, item, (const char *)own->text.data + rows[i].offset, rows[i].size, &why);

		if (status == TFR_EDATA)
			status = skip_row(l, item, &rows[i], i, &why, err);
		else
			tfr_error_pass(&why, err);
		if (status)
			return status;
	}
	item->framed = (struct tfr_framed){ records->data.data, records->data.size,
		(const uint64_t *)(const void *)records->sums.data,
		(const struct tfr_gap *)(const void *)own->gaps_.data,
		own->gaps_.size / sizeof(struct tfr_gap) };
	return TFR_OK;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_list *l = (struct tfr_list *)in;
	struct tfr_list_item *own = item->own;
	enum tfr_status status = TFR_OK;

	if (l->file && !l->columns.tables->embed_count)
		return encode_rows(l, item, err);
	if (l->file)
		status = or_skip(item,
			build_row(l, item, (const char *)own->text.data, own->text.size, err), err);
	return status || item->skipped ? status : tfr_list_embed_all(l, item, bench, room, err);
}

/* --- the list --- */

static void close_list(struct tfr_input *in)
{
	struct tfr_list *l = (struct tfr_list *)in;

	tfr_root_close(l->folder);
	tfr_list_clear_reading(l);
	tfr_row_layout_clear(&l->layout);
	free_own(l->announced);
	if (l->unpacked >= 0)
		close(l->unpacked);
	free(l->folder_name);
	free(l->prefix);
	free(l);
}

/* Paths in a file begin in its folder; those in standard input where the process is.  *folder: NULL
 * is the current one. */
static enum tfr_status find_folder(const struct tfr_list *l, char **folder, struct tfr_error *err)
{
	const char *root = l->columns.tables->root, *slash = strrchr(l->path, '/');
	size_t n = strlen(root ?: "");

	*folder = NULL;
	if (root && n)
		n = !(*folder = tfr_asprintf("%s%s", root, root[n - 1] == '/' ? "" : "/"));
	else if (!root && slash)
		n = !(*folder = strndup(l->path, (size_t)(slash - l->path) + 1));
	else
		n = 0;
	return n ? tfr_fail_nomem(err, "reading a list") : TFR_OK;
}

static enum tfr_status open_folder(struct tfr_list *l, struct tfr_error *err)
{
	TFR_TRY(find_folder(l, &l->folder_name, err));
	return l->folder || !l->folder_name ? TFR_OK
					    : tfr_root_open(&l->folder, l->folder_name, err);
}

bool tfr_list_is_packed(const char *path)
{
	return tfr_has_suffix_any_case(path, ".gz");
}

static enum tfr_status copy_stream(struct tfr_list *l, struct tfr_stream *s, struct tfr_error *err)
{
	enum { AT_ONCE = 256 << 10 };
	TFR_AUTO_FREE uint8_t *block = malloc(AT_ONCE);
	size_t n = 1;

	TFR_NEED_MEMORY(block, err, "reading a list");
	while (n) {
		TFR_TRY(tfr_stream_read(s, block, AT_ONCE, &n, err));
		TFR_TRY(tfr_unpacked_write(l->in.opts, l->unpacked, block, n, err));
	}
	return lseek(l->unpacked, 0, SEEK_SET)
		       ? tfr_fail_errno(err, errno, l->path, "cannot read the text of")
		       : TFR_OK;
}

/* A GZIP file is inflated into a file first: its rows are read twice, and in any order. */
static enum tfr_status unpack(struct tfr_list *l, struct tfr_error *err)
{
	const struct tfr_stream_opts opts = { .threads = l->in.opts->run.threads };
	struct tfr_stream *s;
	enum tfr_status status;

	TFR_TRY(tfr_unpacked_open(l->in.opts, &l->unpacked, err));
	TFR_TRY(tfr_stream_open(&s, TFR_STEAL(l->lines.source), &opts, err));
	status = copy_stream(l, s, err);
	if (status == TFR_EDATA && err) {
		struct tfr_error why = *err;

		tfr_fail_path(err, status, l->path, "%s:", why.message);
	}
	if (!status)
		status = tfr_source_open_fd(&l->lines.source, l->unpacked, tfr_stream_name(s), err);
	tfr_stream_close(s);
	return status;
}

static enum tfr_status open_files(
	struct tfr_list *l, struct tfr_source *source, struct tfr_error *err)
{
	bool piped = !strcmp(l->path, "-");
	struct stat st;

	if (source)
		l->lines = (struct tfr_lines){ .source = source, .feed = '\n' };
	TFR_TRY(open_folder(l, err));
	if (!source && !piped && tfr_stat(l->path, &st) == 0 && S_ISDIR(st.st_mode))
		return tfr_fail_path(err, TFR_EUSAGE, l->path, "a folder, not a list:");
	if (!source)
		TFR_TRY(tfr_lines_open(&l->lines, l->path, err));
	if (tfr_list_is_packed(l->path))
		TFR_TRY(unpack(l, err));
	l->path = tfr_source_name(l->lines.source);
	l->file = !piped && tfr_source_seekable(l->lines.source);
	return TFR_OK;
}

static bool has_embed(
	const struct tfr_convert_tables *tables, bool (*is_wanted)(const struct tfr_embed *e))
{
	size_t i = 0;

	while (i < tables->embed_count && !is_wanted(&tables->embeds[i]))
		i++;
	return i < tables->embed_count;
}

/* Options for images or audio need a column of them. */
static enum tfr_status check_embeds(const struct tfr_convert_opts *opts,
	const struct tfr_convert_tables *tables, struct tfr_error *err)
{
	if ((opts->images.sha256 || tfr_rework_wanted(&opts->images.rework)) &&
		!has_embed(tables, tfr_embed_is_image))
		return tfr_fail_hint(err, TFR_EUSAGE,
			"Name the column of their paths, such as --embed image.",
			"no column is embedded as images: there are none to change");
	if (opts->audio.kind != TFR_AUDIO_BYTES && !has_embed(tables, tfr_embed_is_audio))
		return tfr_fail_hint(err, TFR_EUSAGE,
			"Name the column of their paths, such as --embed path=audio/encoded.",
			"no column is embedded as audio: there is none to decode");
	return TFR_OK;
}

static bool ends_in(const struct tfr_offer *offer, const char *const *suffixes)
{
	size_t n = strlen(offer->path) - (tfr_list_is_packed(offer->path) ? strlen(".gz") : 0);

	for (size_t k; *suffixes; suffixes++) {
		k = strlen(*suffixes);
		if (n >= k && !strncasecmp(offer->path + n - k, *suffixes, k))
			break;
	}
	return !offer->directory && *suffixes;
}

enum tfr_status tfr_list_embed(
	struct tfr_list *l, const struct tfr_convert_tables *tables, struct tfr_error *err)
{
	TFR_TRY(check_embeds(l->in.opts, tables, err));
	l->columns.tables = tables;
	tfr_columns_embed(&l->columns);
	l->in.groups = false;
	free_own(TFR_STEAL(l->announced));
	return TFR_OK;
}

enum tfr_status tfr_list_open(struct tfr_input **in, const struct tfr_input_ops *ops,
	const struct tfr_convert_opts *opts, const char *path, struct tfr_source *source,
	struct tfr_root *folder, struct tfr_error *err)
{
	const struct tfr_convert_tables *tables = &opts->tables;
	const enum tfr_list_format format = ops == &tfr_input_jsonl ? TFR_LIST_JSONL
					    : ops == &tfr_input_tsv ? TFR_LIST_TSV
								    : TFR_LIST_CSV;
	struct tfr_list *l = calloc(1, sizeof(*l));

	if (!l) {
		tfr_source_close(source);
		tfr_root_close(folder);
		return tfr_fail_nomem(err, "reading a list");
	}
	*in = &l->in;
	l->unpacked = -1;
	l->in = (struct tfr_input){ .ops = ops, .opts = opts, .items = TFR_STREAM };
	l->path = path;
	l->folder = folder;
	l->columns.tables = tables;
	TFR_TRY(open_files(l, source, err));
	l->prefix = tfr_asprintf("%s:", l->path);
	TFR_NEED_MEMORY(l->prefix, err, "reading a list");
	l->in.prefix = l->prefix;
	l->reader = (struct tfr_row_reader){ .format = format,
		.csv = { .delimiter = tables->delimiter	       ? tables->delimiter
				      : format == TFR_LIST_TSV ? '\t'
							       : '\0',
			.na = tables->na } };
	if (format != TFR_LIST_JSONL)
		TFR_TRY(tfr_list_read_header(l, err));
	if (!l->file)
		return TFR_OK;
	TFR_TRY(tfr_list_find_rows(l, err));
	if (tables->embed_count)
		return TFR_OK;
	l->in.groups = opts->output.target_count == 1 && opts->output.targets[0].fraction == 0 &&
		       !opts->order.stratify;
	return tfr_row_layout_init(&l->layout, &l->columns) ? TFR_OK
							    : tfr_fail_nomem(err, "reading a list");
}

static enum tfr_status open_list(struct tfr_input **in, const struct tfr_input_ops *ops,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	TFR_TRY(check_embeds(opts, &opts->tables, err));
	return tfr_list_open(in, ops, opts, opts->input.paths[0], NULL, NULL, err);
}

#define LIST(name_, what_, flags_, ...)                                                            \
	static bool recognises_##name_(                                                            \
		const struct tfr_convert_opts *opts, const struct tfr_offer *offer)                \
	{                                                                                          \
		(void)opts;                                                                        \
		return ends_in(offer, (const char *const[]){ __VA_ARGS__, NULL });                 \
	}                                                                                          \
	static enum tfr_status open_##name_(                                                       \
		struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err) \
	{                                                                                          \
		return open_list(in, &tfr_input_##name_, opts, err);                               \
	}                                                                                          \
	const struct tfr_input_ops tfr_input_##name_ = {                                           \
		.name = #name_,                                                                    \
		.what = what_,                                                                     \
		.nothing = "no rows in",                                                           \
		.refused = "not a usable row",                                                     \
		.flags = TFR_INPUT_COLUMNS | TFR_INPUT_IMAGES | TFR_INPUT_REWORKS |                \
			 TFR_INPUT_AUDIO | flags_,                                                 \
		.recognises = recognises_##name_,                                                  \
		.open = open_##name_,                                                              \
		.next = next,                                                                      \
		.load = load,                                                                      \
		.close = close_list,                                                               \
	}

LIST(csv, "a CSV file", TFR_INPUT_CELLS, ".csv");
LIST(tsv, "a TSV file", TFR_INPUT_CELLS, ".tsv");
LIST(jsonl, "a file of JSON lines", 0, ".jsonl", ".ndjson");
