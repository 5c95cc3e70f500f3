/* convert/list/list_blocks.c - the first reading of a file, by all threads: its rows, and the kinds
 * of its columns.
 *
 * One thread at a time cuts the file into blocks of complete rows.  Each block is read as a list of
 * its own.  Its findings are merged in the order of the blocks, so that the result does not depend
 * on their borders.  A line break ends a row unless it is in a quote. */
#include <string.h>

#include "convert/list/list.h"
#include "thread/lanes.h"
#include "thread/threads.h"

enum {
	BLOCK = 1 << 20,
	WINDOW = 3, /* blocks under way, a thread */
	MEMORY = 256 << 20,
};

struct block {
	struct tfr_list list; /* the block as a list; its `lines` have the bytes */
	bool open;
};

/* ---- borders ---- */

/* In pieces whose number has one byte, so that the compiler compares many bytes at once. */
static size_t count(const uint8_t *p, size_t n, uint8_t byte)
{
	size_t found = 0;

	for (size_t some; n; p += some, n -= some) {
		uint8_t here = 0;

		some = n < UINT8_MAX ? n : UINT8_MAX;
		for (size_t i = 0; i < some; i++)
			here = (uint8_t)(here + (p[i] == byte));
		found += here;
	}
	return found;
}

/* The end of the last line that ends in p[from] to p[to - 1]; 0: none does. */
static size_t after_last_line(const struct tfr_list *l, const uint8_t *p, size_t from, size_t to)
{
	const uint8_t *last = to > from ? memrchr(p + from, l->lines.feed, to - from) : NULL;

	return last ? (size_t)(last + 1 - p) : 0;
}

/* The next quote from `at` on; `n`: there is none. */
static size_t next_quote(const uint8_t *p, size_t at, size_t n)
{
	const uint8_t *quote = at < n ? memchr(p + at, '"', n - at) : NULL;

	return quote ? (size_t)(quote - p) : n;
}

/* Where the quote that opens at p[at] ends: after the next single one; `n`: later than p[n - 1]. */
static size_t after_quoted(const uint8_t *p, size_t at, size_t n)
{
	for (at = next_quote(p, at + 1, n); at + 1 < n && p[at + 1] == '"';)
		at = next_quote(p, at + 2, n);
	return at < n ? at + 1 : n;
}

/* The end of the last complete row; 0: there is none.  p[0] begins a row.  A quote opens only at
 * the beginning of a cell. */
static size_t last_border(const struct tfr_list *l, const uint8_t *p, size_t n)
{
	const uint8_t delimiter = (uint8_t)l->reader.csv.delimiter;
	size_t border = 0, from = 0, quote;

	if (l->reader.format == TFR_LIST_JSONL)
		return after_last_line(l, p, 0, n);
	for (size_t at = 0; (quote = next_quote(p, at, n)) < n; at = quote + 1) {
		uint8_t before = quote ? p[quote - 1] : delimiter;
		size_t end;

		if (before != delimiter && before != '\n' && before != '\r')
			continue;
		end = after_last_line(l, p, from, quote);
		border = end ? end : border;
		from = after_quoted(p, quote, n);
		quote = from - 1;
	}
	quote = after_last_line(l, p, from, n);
	return quote ? quote : border;
}

/* ---- cutting ---- */

/* Makes a block of the complete rows in the window, *size bytes from buf->data + *at on.  The bytes
 * after them stay in the window, for which the memory of `buf` is used.  TFR_END: there is none. */
static enum tfr_status cut_block(
	struct tfr_list *l, struct tfr_buf *buf, size_t *at, size_t *size, struct tfr_error *err)
{
	struct tfr_lines *w = &l->lines;
	struct tfr_buf rest = *buf;
	size_t left;

	w->row = w->at;
	w->first = w->number + 1;
	for (*size = 0; !*size && !w->end;) {
		left = w->buf.size - w->row;
		TFR_TRY(tfr_lines_fill(w, left > BLOCK ? left : BLOCK, true, err));
		if (w->buf.size >= BLOCK && !w->end)
			*size = last_border(l, w->buf.data, w->buf.size);
	}
	*at = w->row;
	*size = w->end ? w->buf.size - *at : *size;
	left = w->buf.size - *at - *size;
	rest.size = 0;
	if (left)
		TFR_TRY(tfr_list_append(&rest, w->buf.data + *at + *size, left, err));
	*buf = w->buf;
	buf->size -= left;
	w->buf = rest;
	w->row = w->at = 0;
	return *size ? TFR_OK : TFR_END;
}

static enum tfr_status pull(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct tfr_list *l = ctx;
	struct tfr_lines *w = &l->lines, *lines = &((struct block *)slot)->list.lines;
	size_t at, size;

	(void)worker;
	(void)lane;
	TFR_TRY(cut_block(l, &lines->buf, &at, &size, err));
	*lines = (struct tfr_lines){ .buf = lines->buf,
		.at = at,
		.next = w->next,
		.number = w->number,
		.feed = w->feed,
		.end = true };
	w->next += size;
	w->number += count(lines->buf.data + at, size, (uint8_t)w->feed);
	tfr_lanes_reserve(lanes, i, size);
	return TFR_OK;
}

/* ---- reading ---- */

static bool open_block(struct block *b, const struct tfr_list *l)
{
	b->list.in.opts = l->in.opts;
	b->list.path = l->path;
	b->list.file = true;
	b->list.columns.tables = l->columns.tables;
	b->list.reader = tfr_row_reader_like(&l->reader);
	b->open = true;
	for (size_t i = 0; b->open && l->reader.format != TFR_LIST_JSONL && i < l->columns.n; i++)
		b->open = tfr_columns_add(&b->list.columns, l->columns.list[i].name,
				  strlen(l->columns.list[i].name)) != NULL;
	return b->open;
}

/* Clears the findings of the last block; its columns stay. */
static void forget(struct tfr_columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct tfr_list_column *col = &c->list[i];

		col->empty = col->unfit = false;
		col->looks = 0;
		col->absent = 0;
		col->number_line = col->text_line = 0;
		memset(col->misfits, 0, sizeof(col->misfits));
	}
}

/* A row that cannot be read is passed over: its reading again reports it. */
static enum tfr_status see_row(struct tfr_list *l, const struct tfr_row *row, const char *text,
	size_t size, struct tfr_error *err)
{
	enum tfr_status status =
		l->reader.format == TFR_LIST_JSONL
			? tfr_json_row_read(&l->reader.json, &l->columns, text, size, err)
			: TFR_OK;

	if (status)
		return status == TFR_EDATA ? TFR_OK : status;
	return tfr_list_see_row(l, row->line, err);
}

static enum tfr_status work(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct block *b = slot;
	struct tfr_row row;
	const char *text;
	size_t size;
	enum tfr_status status;

	(void)lanes;
	(void)worker;
	(void)i;
	if (!b->open && !open_block(b, ctx))
		return tfr_fail_nomem(err, "reading a list");
	forget(&b->list.columns);
	b->list.rows_.size = 0;
	while (!(status = tfr_list_read_row(&b->list, &row, &text, &size, err))) {
		TFR_TRY(see_row(&b->list, &row, text, size, err));
		TFR_TRY(tfr_list_append(&b->list.rows_, &row, sizeof(row), err));
	}
	return status == TFR_END ? TFR_OK : status;
}

/* Merges the findings of a later block about a column. */
static void add_looks(struct tfr_list_column *to, const struct tfr_list_column *from)
{
	to->empty |= from->empty;
	to->unfit |= from->unfit;
	to->looks |= from->looks;
	to->number_line = to->number_line ? to->number_line : from->number_line;
	to->text_line = to->text_line ? to->text_line : from->text_line;
	to->absent += from->absent;
	for (int i = 0; i < 3; i++)
		if (!to->misfits[i].line)
			to->misfits[i] = from->misfits[i];
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct tfr_list *l = ctx;
	struct block *b = slot;

	(void)i;
	for (size_t k = 0; k < b->list.columns.n; k++) {
		const struct tfr_list_column *from = &b->list.columns.list[k];
		struct tfr_list_column *to;

		if (!from->looks && !from->empty && !from->unfit && !from->absent)
			continue;
		to = tfr_columns_add(&l->columns, from->name, strlen(from->name));
		TFR_NEED_MEMORY(to, err, "reading a list");
		add_looks(to, from);
	}
	return tfr_list_append(&l->rows_, b->list.rows_.data, b->list.rows_.size, err);
}

static void clear_block(void *slot)
{
	tfr_list_clear_reading(&((struct block *)slot)->list);
}

static enum tfr_status read_blocks(struct tfr_list *l, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(l->in.opts->run.threads),
		.count = UINT64_MAX,
		.budget = l->in.opts->run.memory ? l->in.opts->run.memory : MEMORY,
		.slot_size = sizeof(struct block),
		.pull = pull,
		.work = work,
		.deliver = deliver,
		.clear_slot = clear_block,
	};
	enum tfr_status status;

	lanes.window = (uint64_t)WINDOW * lanes.threads;
	status = tfr_lanes_run(&lanes, l, err);
	tfr_buf_clear(&l->lines.buf);
	l->lines.row = l->lines.at = 0;
	return status;
}

/* ---- all of it ---- */

static enum tfr_status decide_kinds(struct tfr_list *l, struct tfr_error *err)
{
	for (size_t i = 0; i < l->columns.n; i++)
		TFR_TRY(tfr_column_decide(
			&l->columns.list[i], l->reader.format != TFR_LIST_JSONL, l->path, err));
	tfr_list_warn_of_empty(l);
	return tfr_columns_check(&l->columns, l->path, err);
}

enum tfr_status tfr_list_find_rows(struct tfr_list *l, struct tfr_error *err)
{
	TFR_TRY(read_blocks(l, err));
	l->in.items = l->rows_.size / sizeof(struct tfr_row);
	return decide_kinds(l, err);
}
