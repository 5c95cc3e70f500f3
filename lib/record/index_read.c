/* record/index_read.c - parses the text of an index.
 *
 * The text is read in blocks and never held completely.  A pair is only a claim that a record is
 * there.  Reading the file verifies it, by the CRCs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/path.h"
#include "io/source.h"
#include "record/framing.h"
#include "record/index_read.h"

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

/* Peeks at the next byte.  TFR_END: there is none. */
static enum tfr_status peek(struct tfr_index *ix, uint8_t *c, struct tfr_error *err)
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
