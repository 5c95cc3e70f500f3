/* convert/list/line_reader.h - the lines of a file or a pipe, one after the other, and rows of
 * several of them. */
#ifndef TFR_CONVERT_LIST_LINE_READER_H
#define TFR_CONVERT_LIST_LINE_READER_H

#include "base/buf.h"
#include "base/error.h"
#include "io/source.h"

struct tfr_lines {
	struct tfr_source *source;
	struct tfr_buf buf;
	size_t row, at;	 /* in buf: where the row at hand begins, and the next line */
	uint64_t offset; /* in the file: where the row begins */
	uint64_t next;	 /* in the file: where the next line does */
	uint64_t first;	 /* of the lines of the row, from 1 */
	uint64_t number; /* of the line last given */
	char feed;	 /* the last byte of each line: LF, or CR where the first one ends so */
	bool end;	 /* nothing more can be read */
};

/* "-" is standard input.  Also where it fails, `l` is to be cleared. */
enum tfr_status tfr_lines_open(struct tfr_lines *l, const char *path, struct tfr_error *err);
/* The next line with its end (LF, CR LF or CR), which only the last one may lack, begins a row; a
 * view until the next call. TFR_END after the last; TFR_EDATA for one of 2 GiB and more. */
enum tfr_status tfr_lines_next(
	struct tfr_lines *l, const char **line, size_t *size, struct tfr_error *err);
/* The same of a line that continues the row, which is buf.data + row to before buf.data + at. */
enum tfr_status tfr_lines_more(
	struct tfr_lines *l, const char **line, size_t *size, struct tfr_error *err);
/* Gives the lines of the row back: they are the next ones again. */
void tfr_lines_return(struct tfr_lines *l);
/* Reads on, `room` bytes or more, and keeps those from the row at hand on.  At the end it sets
 * l->end.  TFR_EDATA: the row, or else the line after it, has 2 GiB or more. */
enum tfr_status tfr_lines_fill(struct tfr_lines *l, size_t room, bool row, struct tfr_error *err);
void tfr_lines_clear(struct tfr_lines *l);

#endif
