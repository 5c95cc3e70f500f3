/* record/index.c - an index read, and judged by the file it belongs to.
 *
 * The text is read by blocks and never held whole.  A pair that was handed out is a place where a
 * record could be; that one is there is for whoever reads the file to find out, by its CRCs. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr/record.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "record/framing.h"
#include "record/index.h"
#include "record/stream.h"

enum { TEXT_BLOCK = 64 << 10 };

struct tfr_index {
	struct tfr_source *source;
	uint64_t line; /* from 1 */
	size_t at, size;
	uint8_t text[TEXT_BLOCK];
};

char *tfr_index_path(const char *path)
{
	char *name = NULL;

	return asprintf(&name, "%s.idx", path) < 0 ? NULL : name;
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
	ix->line = 1;
	ix->at = ix->size = 0;
	*out = ix;
	return TFR_OK;
}

enum tfr_status tfr_index_open(struct tfr_index **ix, const char *index_path, struct tfr_error *err)
{
	struct tfr_source *source = NULL;
	enum tfr_status status = tfr_source_open(&source, index_path, err);

	return status ? status : open_source(ix, source, err);
}

enum tfr_status tfr_index_open_memory(
	struct tfr_index **ix, const void *text, size_t size, struct tfr_error *err)
{
	struct tfr_source *source = NULL;
	enum tfr_status status = tfr_source_open_memory(&source, text, size, "memory", err);

	return status ? status : open_source(ix, source, err);
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

/* The next byte stays where it is.  TFR_END: there is none. */
static enum tfr_status peek(struct tfr_index *ix, uint8_t *c, struct tfr_error *err)
{
	if (ix->at == ix->size) {
		enum tfr_status status = tfr_source_read_some(
			ix->source, ix->text, sizeof(ix->text), &ix->size, err);

		ix->at = 0;
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

/* White space as the C locale has it, whatever the program's locale is. */
static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next number.  TFR_END: nothing but white space is left. */
static enum tfr_status read_number(struct tfr_index *ix, uint64_t *number, struct tfr_error *err)
{
	enum tfr_status status;
	bool any = false;
	uint8_t c = 0;

	*number = 0;
	while (!(status = peek(ix, &c, err)) && is_space(c)) {
		ix->line += c == '\n';
		ix->at++;
	}
	while (!status && isdigit(c)) {
		if (__builtin_mul_overflow(*number, 10, number) ||
			__builtin_add_overflow(*number, c - '0', number))
			return bad_line(ix, "a number too large", err);
		any = true;
		ix->at++;
		status = peek(ix, &c, err);
	}
	if (!status && !is_space(c))
		return bad_line(ix, "what is no number", err);
	return status == TFR_END && any ? TFR_OK : status;
}

enum tfr_status tfr_index_next(
	struct tfr_index *ix, struct tfr_index_entry *entry, struct tfr_error *err)
{
	enum tfr_status status = read_number(ix, &entry->offset, err);

	if (status)
		return status;
	status = read_number(ix, &entry->size, err);
	if (status == TFR_END)
		return bad_line(ix, "an offset without a length", err);
	if (status)
		return status;
	if (entry->size < TFR_RECORD_OVERHEAD)
		return bad_line(ix, "a length below 16", err);
	if (entry->offset > TFR_LENGTH_MAX || entry->size > TFR_LENGTH_MAX)
		return bad_line(ix, "the place of no record", err);
	return TFR_OK;
}

/* --- judging --- */

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
	if (stat(path, st))
		return tfr_fail_errno(err, errno, path, "cannot open");
	if (S_ISDIR(st->st_mode))
		return tfr_fail_errno(err, EISDIR, path, "cannot read");
	if (!S_ISREG(st->st_mode))
		return tfr_fail_path(
			err, TFR_EUSAGE, path, "an index belongs to a regular file, unlike");
	return TFR_OK;
}

/* The bytes of the uncompressed stream.  A compressed one is inflated to its end; where its flush
 * points are on file, the last of them will say it. */
static enum tfr_status stream_size(
	const char *path, const struct tfr_reader_opts *opts, uint64_t *size, struct tfr_error *err)
{
	struct tfr_stream_opts how = { 0 };
	struct tfr_source *source = NULL;
	struct tfr_stream *s = NULL;
	enum tfr_status status = tfr_source_open(&source, path, err);
	TFR_AUTO_FREE uint8_t *sink = malloc(TEXT_BLOCK);
	size_t got;

	if (opts)
		how = (struct tfr_stream_opts){ opts->compression, opts->threads };
	if (!status)
		status = tfr_stream_open(&s, source, &how, err);
	if (!status && !sink)
		status = tfr_fail_nomem(err, "looking at an index");
	*size = 0;
	if (!status && tfr_stream_seekable(s)) {
		*size = tfr_stream_left(s);
	} else {
		while (!status && !(status = tfr_stream_read(s, sink, TEXT_BLOCK, &got, err)) &&
			got)
			*size += got;
		if (status == TFR_EDATA && err)
			snprintf(err->path, sizeof(err->path), "%s", path);
	}
	tfr_stream_close(s);
	return status;
}

/* Follows the lines to the last one; *end is where that ends. */
static enum tfr_status follow(
	const char *index_path, uint64_t *end, enum tfr_index_state *state, struct tfr_error *err)
{
	struct tfr_index *ix = NULL;
	struct tfr_index_entry e;
	enum tfr_status status = tfr_index_open(&ix, index_path, err);

	*end = 0;
	while (!status && !(status = tfr_index_next(ix, &e, err))) {
		if (e.offset != *end)
			*state = TFR_INDEX_UNCHAINED;
		*end = e.offset + e.size;
	}
	tfr_index_close(ix);
	if (status == TFR_EDATA)
		*state = TFR_INDEX_FOREIGN;
	return status == TFR_END || status == TFR_EDATA ? TFR_OK : status;
}

enum tfr_status tfr_index_look(const char *path, const char *index_path,
	enum tfr_index_state *state, uint64_t *end, struct tfr_error *err)
{
	struct stat file, index;
	enum tfr_status status = tfr_stat_regular(path, &file, err);

	*state = TFR_INDEX_GOOD;
	*end = 0;
	if (status)
		return status;
	if (stat(index_path, &index)) {
		*state = TFR_INDEX_MISSING;
		return errno == ENOENT ? TFR_OK
				       : tfr_fail_errno(err, errno, index_path, "cannot open");
	}
	if (!S_ISREG(index.st_mode))
		*state = TFR_INDEX_FOREIGN;
	else
		status = follow(index_path, end, state, err);
	if (!status && !*state && tfr_stat_older(&index, &file))
		*state = TFR_INDEX_OLDER;
	return status;
}

enum tfr_status tfr_index_inspect(const char *path, const struct tfr_reader_opts *opts,
	enum tfr_index_state *state, struct tfr_error *err)
{
	TFR_AUTO_FREE char *index_path = tfr_index_path(path);
	uint64_t end, size;
	enum tfr_status status;

	if (!index_path)
		return tfr_fail_nomem(err, "looking at an index");
	status = tfr_index_look(path, index_path, state, &end, err);
	if (status || *state)
		return status;
	status = stream_size(path, opts, &size, err);
	if (!status && end != size)
		*state = TFR_INDEX_OTHER_END;
	return status;
}
