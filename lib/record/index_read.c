/* record/index_read.c - parses the text of an index, and judges whether it fits its file.
 *
 * The text is read in blocks and never held completely.  A pair is only a claim that a record is
 * there.  Reading the file verifies it, by the CRCs. */
#include "record/index_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "io/path.h"
#include "io/source.h"
#include "record/framing.h"
#include "record/stream.h"

/* Bytes read at a time: few after a jump, which usually wants few lines, and then more. */
enum { TEXT_BLOCK = 64 << 10, TEXT_FIRST = 8 << 10 };
enum { DIGITS = 19, LINE_MOST = 2 * DIGITS + 3 };

struct tfr_index {
	struct tfr_source *source;
	uint64_t begin;		 /* of `text` in the source */
	uint64_t line;		 /* from 1 */
	size_t at, size, wanted; /* to be read next */
	uint8_t text[TEXT_BLOCK];
};

char *tfr_index_path(const char *path)
{
	return tfr_path_beside(path, ".idx");
}

static enum tfr_status open_source(
	struct tfr_index **out, struct tfr_source *source, struct tfr_error *err)
{
	struct tfr_index *ix = malloc(sizeof(*ix));

	if (!ix) {
		tfr_source_close(source);
		return tfr_fail_nomem(err, "opening an index");
	}
	ix->source = source;
	ix->begin = 0;
	ix->line = 1;
	ix->at = ix->size = 0;
	ix->wanted = TEXT_BLOCK;
	*out = ix;
	return TFR_OK;
}

enum tfr_status tfr_index_open(struct tfr_index **ix, const char *index_path, struct tfr_error *err)
{
	struct tfr_source *source = NULL;

	TFR_TRY(tfr_source_open(&source, index_path, err));
	return open_source(ix, source, err);
}

enum tfr_status tfr_index_open_memory(
	struct tfr_index **ix, const void *text, size_t size, struct tfr_error *err)
{
	struct tfr_source *source = NULL;

	TFR_TRY(tfr_source_open_memory(&source, text, size, "memory", err));
	return open_source(ix, source, err);
}

void tfr_index_close(struct tfr_index *ix)
{
	if (!ix)
		return;
	tfr_source_close(ix->source);
	free(ix);
}

static enum tfr_status bad_line(const struct tfr_index *ix, const char *what, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, tfr_source_name(ix->source), "line %llu: %s in index",
		(unsigned long long)ix->line, what);
}

/* Peeks at the next byte.  TFR_END: there is none. */
static enum tfr_status peek_byte(struct tfr_index *ix, uint8_t *c, struct tfr_error *err)
{
	if (ix->at == ix->size) {
		enum tfr_status status;

		ix->begin += ix->size;
		status = tfr_source_read_some(ix->source, ix->text, ix->wanted, &ix->size, err);
		ix->at = 0;
		ix->wanted = TEXT_BLOCK;
		if (status) {
			ix->size = 0;
			return status;
		}
	}
	if (ix->at == ix->size)
		return TFR_END;
	*c = ix->text[ix->at];
	return TFR_OK;
}

/* White space of the C locale, whatever the program's locale. */
static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Parses the next number.  TFR_END: only white space is left. */
static enum tfr_status read_number(struct tfr_index *ix, uint64_t *number, struct tfr_error *err)
{
	enum tfr_status status;
	bool any = false;
	uint8_t c = 0;

	*number = 0;
	while (!(status = peek_byte(ix, &c, err)) && is_space(c)) {
		ix->line += c == '\n';
		ix->at++;
	}
	while (!status && isdigit(c)) {
		if (__builtin_mul_overflow(*number, 10, number) ||
			__builtin_add_overflow(*number, c - '0', number))
			return bad_line(ix, "a number too large", err);
		any = true;
		ix->at++;
		status = peek_byte(ix, &c, err);
	}
	if (!status && !is_space(c))
		return bad_line(ix, "text that is not a number", err);
	return status == TFR_END && any ? TFR_OK : status;
}

/* Parses up to 19 digits, so that no 64-bit number overflows, followed by `end`; NULL: anything
 * else. */
static const uint8_t *read_digits(const uint8_t *p, uint8_t end, uint64_t *number)
{
	const uint8_t *first = p;
	uint64_t n = 0;

	for (; p - first < DIGITS && *p >= '0' && *p <= '9'; p++)
		n = 10 * n + (uint64_t)(*p - '0');
	if (p == first || *p != end)
		return NULL;
	*number = n;
	return p;
}

/* Parses a line in the exact form of tfr_index_write(), if the block has all of it: several times
 * as fast as word by word.  False: it has another form, and nothing was read. */
static bool read_line(struct tfr_index *ix, struct tfr_index_entry *entry)
{
	const uint8_t *p = ix->text + ix->at;
	bool behind_one = ix->at < ix->size && *p == '\n';

	if (ix->size - ix->at < LINE_MOST + 1)
		return false;
	p = read_digits(p + behind_one, ' ', &entry->offset);
	p = p ? read_digits(p + 1, '\n', &entry->size) : NULL;
	if (!p)
		return false;
	ix->line += behind_one;
	ix->at = (size_t)(p - ix->text);
	return true;
}

/* Parses two numbers with any white space around them. */
static enum tfr_status read_pair(
	struct tfr_index *ix, struct tfr_index_entry *entry, struct tfr_error *err)
{
	enum tfr_status status;

	TFR_TRY(read_number(ix, &entry->offset, err));
	status = read_number(ix, &entry->size, err);
	return status == TFR_END ? bad_line(ix, "an offset without a length", err) : status;
}

enum tfr_status tfr_index_next(
	struct tfr_index *ix, struct tfr_index_entry *entry, struct tfr_error *err)
{
	TFR_TRY(read_line(ix, entry) ? TFR_OK : read_pair(ix, entry, err));
	if (entry->size < TFR_RECORD_OVERHEAD)
		return bad_line(ix, "a length below 16", err);
	if (entry->offset > TFR_LENGTH_MAX || entry->size > TFR_LENGTH_MAX)
		return bad_line(ix, "an offset where no record begins", err);
	return TFR_OK;
}

uint64_t tfr_index_position(const struct tfr_index *ix)
{
	return ix->begin + ix->at;
}

void tfr_index_go_to(struct tfr_index *ix, uint64_t position, uint64_t line)
{
	ix->line = line;
	if (position >= ix->begin && position - ix->begin <= ix->size) {
		ix->at = (size_t)(position - ix->begin);
		return;
	}
	tfr_source_seek(ix->source, position);
	ix->begin = position;
	ix->at = ix->size = 0;
	ix->wanted = TEXT_FIRST;
}

/* --- judging --- */

/* FILE.idx and FILE.gzi are judged by the file that they belong to.  An index that is found good
 * was made for a file of this length, and after its last write.  Its lines are still claims:
 * reading a record at such an offset verifies it, by the CRCs. */

enum { SINK_SIZE = 64 << 10 };

const char *tfr_index_state_text(enum tfr_index_state state)
{
	static const char *const texts[] = {
		[TFR_INDEX_GOOD] = "up to date",
		[TFR_INDEX_MISSING] = "missing",
		[TFR_INDEX_OLDER] = "older than the file",
		[TFR_INDEX_OTHER_END] = "does not end where the file ends",
		[TFR_INDEX_DIFFERS] = "names other records than the file has",
		[TFR_INDEX_UNCHAINED] = "leaves bytes out, or names some twice",
		[TFR_INDEX_FOREIGN] = "not an index",
		[TFR_INDEX_NO_POINTS] = "its .gzi is missing",
		[TFR_INDEX_POINTS_OLDER] = "its .gzi is older than the file",
		[TFR_INDEX_POINTS_DIFFER] = "its .gzi names other places than the file has",
		[TFR_INDEX_POINTS_FOREIGN] = "its .gzi is not an index",
	};

	return texts[state];
}

bool tfr_stat_older(const struct stat *a, const struct stat *b)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec < b->st_mtim.tv_sec;
	return a->st_mtim.tv_nsec < b->st_mtim.tv_nsec;
}

enum tfr_status tfr_stat_regular(const char *path, struct stat *st, struct tfr_error *err)
{
	if (tfr_stat(path, st))
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (S_ISDIR(st->st_mode))
		return tfr_fail_errno(err, EISDIR, path, "cannot read");
	if (!S_ISREG(st->st_mode))
		return tfr_fail_path(
			err, TFR_EUSAGE, path, "an index belongs to a regular file, unlike");
	return TFR_OK;
}

/* Stats a file next to the data: TFR_INDEX_GOOD, or MISSING, OLDER or FOREIGN. */
static enum tfr_status look_beside(const char *path, const struct stat *file,
	enum tfr_index_state *state, struct tfr_error *err)
{
	struct tfr_error why = { 0 };
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, &why);

	*state = status ? TFR_INDEX_MISSING : TFR_INDEX_GOOD;
	if (status)
		status = tfr_absent_or_failed(path, status, &why, err);
	if (*state)
		return status == TFR_END ? TFR_OK : status;
	if (!S_ISREG(st.st_mode))
		*state = TFR_INDEX_FOREIGN;
	else if (tfr_stat_older(&st, file))
		*state = TFR_INDEX_OLDER;
	return TFR_OK;
}

static bool add_mark(struct tfr_index_seen *seen, uint64_t position)
{
	if (TFR_ARRAY_ONE_MORE(seen->marks, seen->mark_count))
		return false;
	seen->marks[seen->mark_count++] = position;
	return true;
}

/* Reads the lines up to the last one.  TFR_END: after it.  TFR_EDATA: it is not an index. */
static enum tfr_status read_lines(
	struct tfr_index_seen *seen, struct tfr_index *ix, struct tfr_error *err)
{
	struct tfr_index_entry e;

	for (;;) {
		uint64_t position = tfr_index_position(ix);

		TFR_TRY(tfr_index_next(ix, &e, err));
		if (seen->records % TFR_INDEX_MARK == 0)
			TFR_NEED_MEMORY(add_mark(seen, position), err, "looking at an index");
		if (e.offset != seen->end)
			seen->state = TFR_INDEX_UNCHAINED;
		seen->end = e.offset + e.size;
		seen->records++;
	}
}

static enum tfr_status follow_lines(
	struct tfr_index_seen *seen, const char *index_path, struct tfr_error *err)
{
	struct tfr_index *ix = NULL;
	enum tfr_status status = tfr_index_open(&ix, index_path, err);

	if (!status)
		status = read_lines(seen, ix, err);
	tfr_index_close(ix);
	if (status == TFR_EDATA)
		seen->state = TFR_INDEX_FOREIGN;
	return status == TFR_END || status == TFR_EDATA ? TFR_OK : status;
}

static enum tfr_status look_at_lines(
	struct tfr_index_seen *seen, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *index_path = tfr_index_path(path);
	enum tfr_index_state beside;
	enum tfr_status status;

	TFR_NEED_MEMORY(index_path, err, "looking at an index");
	status = look_beside(index_path, &seen->file, &beside, err);
	if (status || (beside && beside != TFR_INDEX_OLDER)) {
		seen->state = beside;
		return status;
	}
	TFR_TRY(follow_lines(seen, index_path, err));
	if (!seen->state) /* its origin matters more than its age */
		seen->state = beside;
	return TFR_OK;
}

static enum tfr_status look_at_points(
	struct tfr_index_seen *seen, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *gzi_path = tfr_gzi_path(path);
	const struct tfr_gzi_point *last;
	enum tfr_index_state beside;
	enum tfr_status status;

	TFR_NEED_MEMORY(gzi_path, err, "looking at an index");
	TFR_TRY(look_beside(gzi_path, &seen->file, &beside, err));
	if (!beside || beside == TFR_INDEX_OLDER) {
		status = tfr_gzi_read(&seen->gzi, gzi_path, err);
		if (status == TFR_EDATA)
			beside = TFR_INDEX_FOREIGN;
		else
			TFR_TRY(status);
	}
	last = seen->gzi.count ? &seen->gzi.points[seen->gzi.count - 1] : NULL;
	if (beside == TFR_INDEX_FOREIGN)
		seen->points = TFR_INDEX_POINTS_FOREIGN;
	else if (beside == TFR_INDEX_MISSING)
		seen->points = TFR_INDEX_NO_POINTS;
	else if (beside == TFR_INDEX_OLDER)
		seen->points = TFR_INDEX_POINTS_OLDER;
	else if (last && (last->compressed >= (uint64_t)seen->file.st_size ||
				 (!seen->state && last->uncompressed > seen->end)))
		seen->points = TFR_INDEX_POINTS_DIFFER;
	return TFR_OK;
}

static enum tfr_status open_stream(struct tfr_stream **s, const char *path,
	const struct tfr_index_opts *opts, struct tfr_error *err)
{
	struct tfr_stream_opts how = { 0 };
	struct tfr_source *source = NULL;

	TFR_TRY(tfr_source_open(&source, path, err));
	if (opts)
		how = (struct tfr_stream_opts){ opts->compression, opts->threads };
	return tfr_stream_open(s, source, &how, err);
}

enum tfr_status tfr_index_look(struct tfr_index_seen *seen, const char *path,
	const struct tfr_index_opts *opts, struct tfr_error *err)
{
	struct tfr_stream *s = NULL;

	*seen = (struct tfr_index_seen){ 0 };
	TFR_TRY(tfr_stat_regular(path, &seen->file, err));
	TFR_TRY(open_stream(&s, path, opts, err));
	seen->compression = tfr_stream_compression(s);
	tfr_stream_close(s);
	TFR_TRY(look_at_lines(seen, path, err));
	if (seen->compression == TFR_COMPRESSION_GZIP && !(opts && opts->no_points))
		TFR_TRY(look_at_points(seen, path, err));
	if (!seen->state)
		seen->state = seen->points;
	if (!seen->state && seen->compression == TFR_COMPRESSION_NONE &&
		seen->end != (uint64_t)seen->file.st_size)
		seen->state = TFR_INDEX_OTHER_END;
	return TFR_OK;
}

/* The size of the uncompressed stream, inflating from the last point of `gzi` on. */
static enum tfr_status measure_stream(const char *path, const struct tfr_index_opts *opts,
	const struct tfr_gzi *gzi, uint64_t *size, struct tfr_error *err)
{
	TFR_AUTO_FREE uint8_t *sink = malloc(SINK_SIZE);
	TFR_AUTO_STREAM s = NULL;
	size_t got = 1;

	TFR_NEED_MEMORY(sink, err, "looking at an index");
	TFR_TRY(open_stream(&s, path, opts, err));
	if (gzi->count)
		TFR_TRY(tfr_stream_seek(s, gzi, gzi->points[gzi->count - 1].uncompressed, err));
	while (got)
		TFR_TRY(tfr_stream_read(s, sink, SINK_SIZE, &got, err));
	*size = tfr_stream_position(s);
	return TFR_OK;
}

/* The same, with the path in the message. */
static enum tfr_status stream_size(const char *path, const struct tfr_index_opts *opts,
	const struct tfr_gzi *gzi, uint64_t *size, struct tfr_error *err)
{
	enum tfr_status status = measure_stream(path, opts, gzi, size, err);

	if (status == TFR_EDATA)
		tfr_error_set_path(err, path);
	return status;
}

enum tfr_status tfr_index_look_at_end(struct tfr_index_seen *seen, const char *path,
	const struct tfr_index_opts *opts, struct tfr_error *err)
{
	static const struct tfr_gzi none;
	bool by_points = seen->gzi.count != 0, other_points = false;
	enum tfr_status status;
	uint64_t size = 0;

	if (seen->state || seen->compression == TFR_COMPRESSION_NONE)
		return TFR_OK;
	status = stream_size(path, opts, &seen->gzi, &size, err);
	if (status == TFR_EDATA && by_points) { /* the file may be intact and the point wrong */
		other_points = true;
		status = stream_size(path, opts, &none, &size, err);
	}
	TFR_TRY(status);
	if (size != seen->end)
		seen->state = TFR_INDEX_OTHER_END;
	else if (other_points)
		seen->state = TFR_INDEX_POINTS_DIFFER;
	return TFR_OK;
}

void tfr_index_seen_clear(struct tfr_index_seen *seen)
{
	free(seen->marks);
	tfr_gzi_clear(&seen->gzi);
	*seen = (struct tfr_index_seen){ 0 };
}

enum tfr_status tfr_index_inspect(const char *path, const struct tfr_index_opts *opts,
	enum tfr_index_state *state, struct tfr_error *err)
{
	struct tfr_index_seen seen;
	enum tfr_status status = tfr_index_look(&seen, path, opts, err);

	if (!status)
		status = tfr_index_look_at_end(&seen, path, opts, err);
	*state = seen.state;
	tfr_index_seen_clear(&seen);
	return status;
}
