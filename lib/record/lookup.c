/* record/lookup.c - reads records by their numbers.
 *
 * Memory holds the offset of every 256th line of the index, not the lines.  The line of a number
 * is read from there.  Without an index, memory holds the offset of every record.
 *
 * The reader seeks from record to record.  When many consecutive records of a GZIP file are asked
 * for, a second reader replaces it that inflates ahead on all threads, which would be wasted on a
 * single record. */
#include <tfr/lookup.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "record/count.h"
#include "record/framing.h"
#include "record/index_read.h"

enum { BLOCK_SIZE = 64 << 10, LONG_ROW = 4 << 20 };

struct tfr_lookup {
	char *path;
	struct tfr_reader_opts opts; /* for the reader that replaces the first */
	struct tfr_index_seen seen;
	struct tfr_index *lines; /* NULL: without an index */
	uint64_t *offsets;	 /* without an index: of each record, and of the end */
	size_t cap;
	uint64_t line; /* the record that is read next */
	struct tfr_reader *reader, *wide;
	uint64_t next; /* the record at the reader's position; UINT64_MAX: none */
	uint64_t row;  /* bytes read in a row */
};

static enum tfr_status open_lines(struct tfr_lookup *l, struct tfr_error *err)
{
	TFR_AUTO_FREE char *index_path = tfr_index_path(l->path);

	TFR_NEED_MEMORY(index_path, err, "opening an index");
	return tfr_index_open(&l->lines, index_path, err);
}

static enum tfr_status look_at_index(struct tfr_lookup *l, struct tfr_error *err)
{
	struct tfr_index_opts opts = { .compression = l->opts.compression,
		.threads = l->opts.threads };

	TFR_TRY(tfr_index_look(&l->seen, l->path, &opts, err));
	if (l->seen.compression == TFR_COMPRESSION_ZLIB)
		l->seen.state = TFR_INDEX_MISSING;
	return tfr_index_look_at_end(&l->seen, l->path, &opts, err);
}

/* Whether there is a usable index.  A file that is too damaged to judge its index is read from its
 * start. */
static enum tfr_status judge_index(
	struct tfr_lookup *l, enum tfr_index_state *state, struct tfr_error *err)
{
	enum tfr_status status = look_at_index(l, err);

	*state = l->seen.state;
	if (status == TFR_EDATA) {
		*state = TFR_INDEX_OTHER_END;
		return TFR_OK;
	}
	return status;
}

static enum tfr_status open_by_index(
	struct tfr_lookup *l, enum tfr_index_state *state, struct tfr_error *err)
{
	struct tfr_reader_opts narrow = l->opts;

	TFR_TRY(judge_index(l, state, err));
	if (*state)
		return TFR_OK;
	narrow.threads = 1;
	TFR_TRY(open_lines(l, err));
	return tfr_reader_open(&l->reader, l->path, &narrow, err);
}

static enum tfr_status new_lookup(struct tfr_lookup **out, const char *path,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_lookup *l = calloc(1, sizeof(*l));

	if (l)
		l->path = strdup(path);
	if (!l || !l->path) {
		free(l);
		return tfr_fail_nomem(err, "opening an index");
	}
	if (opts)
		l->opts = (struct tfr_reader_opts){ .compression = opts->compression,
			.block_size = opts->block_size,
			.threads = opts->threads };
	if (!l->opts.block_size)
		l->opts.block_size = BLOCK_SIZE;
	l->next = UINT64_MAX;
	*out = l;
	return TFR_OK;
}

enum tfr_status tfr_lookup_open(struct tfr_lookup **out, const char *path,
	const struct tfr_reader_opts *opts, enum tfr_index_state *state, struct tfr_error *err)
{
	struct tfr_lookup *l = NULL;
	enum tfr_status status;
	struct stat st;

	*out = NULL;
	*state = TFR_INDEX_MISSING;
	if (tfr_stat(path, &st))
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (!S_ISREG(st.st_mode))
		return TFR_OK;
	TFR_TRY(new_lookup(&l, path, opts, err));
	status = open_by_index(l, state, err);
	if (status || *state)
		tfr_lookup_close(l);
	else
		*out = l;
	return status;
}

/* Notes where the records of a block begin, and where the last one ends. */
static enum tfr_status note_offsets(
	void *ctx, const uint8_t *headers, uint64_t records, uint64_t offset, struct tfr_error *err)
{
	struct tfr_lookup *l = ctx;
	const uint8_t *header = headers;

	TFR_NEED_MEMORY(!TFR_ARRAY_RESERVE(l->offsets, l->cap, l->seen.records + records + 1), err,
		"finding records");
	for (uint64_t i = 0; i < records; i++) {
		l->offsets[l->seen.records++] = offset + (uint64_t)(header - headers);
		header += tfr_known_length(header) + TFR_RECORD_OVERHEAD;
	}
	l->offsets[l->seen.records] = offset + (uint64_t)(header - headers);
	return TFR_OK;
}

static enum tfr_status open_by_headers(struct tfr_lookup *l, struct tfr_error *err)
{
	struct tfr_hop hop = { .hopped = note_offsets, .ctx = l, .gzi = &l->seen.gzi };
	struct tfr_reader_opts narrow = l->opts;
	struct stat st;

	if (tfr_stat(l->path, &st))
		return tfr_fail_errno(err, errno, l->path, "cannot open");
	if (!S_ISREG(st.st_mode))
		return tfr_fail_path(err, TFR_EUSAGE, l->path,
			"only a regular file has records that can be read by number, not");
	TFR_TRY(tfr_hop_records(l->path, &l->opts, &hop, err));
	l->seen.compression = hop.compression;
	narrow.threads = 1;
	return tfr_reader_open(&l->reader, l->path, &narrow, err);
}

enum tfr_status tfr_lookup_scan(struct tfr_lookup **out, const char *path,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_lookup *l = NULL;
	enum tfr_status status;

	*out = NULL;
	TFR_TRY(new_lookup(&l, path, opts, err));
	status = open_by_headers(l, err);
	if (status)
		tfr_lookup_close(l);
	else
		*out = l;
	return status;
}

void tfr_lookup_close(struct tfr_lookup *l)
{
	if (!l)
		return;
	tfr_index_close(l->lines);
	tfr_reader_close(l->reader);
	tfr_reader_close(l->wide);
	tfr_index_seen_clear(&l->seen);
	free(l->offsets);
	free(l->path);
	free(l);
}

uint64_t tfr_lookup_count(const struct tfr_lookup *l)
{
	return l->seen.records;
}

/* Finds the place of a record: reads its line again, after judging the index. */
static enum tfr_status find_line(
	struct tfr_lookup *l, uint64_t number, struct tfr_index_entry *e, struct tfr_error *err)
{
	uint64_t mark = number / TFR_INDEX_MARK;
	enum tfr_status status = TFR_OK;

	if (l->offsets) {
		*e = (struct tfr_index_entry){ l->offsets[number],
			l->offsets[number + 1] - l->offsets[number] };
		return TFR_OK;
	}
	if (number < l->line || number - l->line > TFR_INDEX_MARK) {
		l->line = mark * TFR_INDEX_MARK;
		tfr_index_go_to(l->lines, l->seen.marks[mark], l->line + 1);
	}
	for (; !status && l->line <= number; l->line++)
		status = tfr_index_next(l->lines, e, err);
	if (status == TFR_END)
		status = tfr_fail_path(
			err, TFR_EDATA, l->path, "the index was truncated while being read:");
	if (status)
		l->line = UINT64_MAX;
	return status;
}

/* Inflates ahead from here on. */
static enum tfr_status open_wide(
	struct tfr_lookup *l, const struct tfr_index_entry *e, struct tfr_error *err)
{
	return tfr_reader_open_at(
		&l->wide, l->path, &l->seen.gzi, e->offset, l->next, &l->opts, err);
}

/* Moves the reader to the start of the record. */
static enum tfr_status go_to(struct tfr_lookup *l, uint64_t number, const struct tfr_index_entry *e,
	struct tfr_error *err)
{
	if (number == l->next) {
		l->row += e->size;
		if (!l->wide && l->row > LONG_ROW && l->seen.compression == TFR_COMPRESSION_GZIP &&
			l->opts.threads != 1)
			return open_wide(l, e, err);
		return TFR_OK;
	}
	l->row = e->size;
	tfr_reader_close(l->wide);
	l->wide = NULL;
	l->next = number;
	return tfr_reader_seek(l->reader, &l->seen.gzi, e->offset, number, err);
}

/* Adds that either the file or its index is wrong. */
static enum tfr_status blame_index(const struct tfr_lookup *l, struct tfr_error *err)
{
	if (err && !*tfr_error_hint_text(err) && l->offsets)
		tfr_error_hint(err, "The file changed after its headers were read.");
	else if (err && !*tfr_error_hint_text(err))
		tfr_error_hint(err,
			"Its index says that a record is there.  'tfr check' proves the file, and "
			"'tfr index' makes the index anew where the file is whole.");
	return TFR_EDATA;
}

static enum tfr_status other_length(const struct tfr_lookup *l, const struct tfr_record *rec,
	const struct tfr_index_entry *e, struct tfr_error *err)
{
	tfr_fail_record(err, TFR_EDATA, l->path, rec->index, rec->offset,
		"a record of %llu bytes where %s %llu",
		(unsigned long long)rec->size + TFR_RECORD_OVERHEAD,
		l->offsets ? "its header said" : "the index says", (unsigned long long)e->size);
	return TFR_EDATA;
}

/* No index is judged good, and no headers are followed, of a file that is shorter. */
static bool ends_early(enum tfr_status status)
{
	return status == TFR_END || status == TFR_EUSAGE;
}

static enum tfr_status too_short(
	const struct tfr_lookup *l, uint64_t number, uint64_t offset, struct tfr_error *err)
{
	tfr_fail_record(err, TFR_EDATA, l->path, number, offset,
		l->offsets ? "the file ends before a record that it had"
			   : "the file ends before a record of its index");
	return blame_index(l, err);
}

static struct tfr_reader *current_reader(const struct tfr_lookup *l)
{
	return l->wide ? l->wide : l->reader;
}

/* *e: where the record is said to be. */
static enum tfr_status read_record(struct tfr_lookup *l, uint64_t number, struct tfr_index_entry *e,
	struct tfr_record *rec, struct tfr_error *err)
{
	TFR_TRY(find_line(l, number, e, err));
	TFR_TRY(go_to(l, number, e, err));
	TFR_TRY(tfr_reader_next(current_reader(l), rec, err));
	return rec->size + TFR_RECORD_OVERHEAD == e->size ? TFR_OK : other_length(l, rec, e, err);
}

enum tfr_status tfr_lookup_read(
	struct tfr_lookup *l, uint64_t number, struct tfr_record *rec, struct tfr_error *err)
{
	struct tfr_index_entry e = { 0 };
	enum tfr_status status;

	if (number >= l->seen.records)
		return TFR_END;
	status = read_record(l, number, &e, rec, err);
	if (status == TFR_EDATA && tfr_reader_fault(current_reader(l)) != TFR_FAULT_PAYLOAD)
		blame_index(l, err);
	l->next = status ? UINT64_MAX : number + 1;
	return ends_early(status) ? too_short(l, number, e.offset, err) : status;
}

enum tfr_status tfr_lookup_reader(struct tfr_lookup *l, uint64_t number,
	const struct tfr_reader_opts *opts, struct tfr_reader **r, struct tfr_error *err)
{
	struct tfr_reader_opts own = { .compression = l->seen.compression };
	struct tfr_index_entry e = { 0 };
	enum tfr_status status;

	*r = NULL;
	if (opts) {
		own.block_size = opts->block_size;
		own.threads = opts->threads;
	}
	if (number >= l->seen.records)
		return TFR_END;
	status = find_line(l, number, &e, err);
	if (!status)
		status = tfr_reader_open_at(r, l->path, &l->seen.gzi, e.offset, number, &own, err);
	return ends_early(status) ? too_short(l, number, e.offset, err) : status;
}
