/* record/index_write.c - FILE.idx, made of the headers of a file.
 *
 * Where an index is there that looks good, the file is hopped through once to compare the two, and
 * a second time only if they differ.  So the usual second run over a data set writes nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr/record.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "record/count.h"
#include "record/framing.h"
#include "record/index.h"

enum { TEXT_BLOCK = 64 << 10, LINE_MAX_BYTES = 2 * 20 + 2 };

struct index_writer {
	struct tfr_stream_writer *out;
	size_t used;
	char text[TEXT_BLOCK];
};

static char *put_decimal(char *p, uint64_t number)
{
	char digits[20];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*p++ = digits[--n];
	return p;
}

static enum tfr_status flush(struct index_writer *w, struct tfr_error *err)
{
	struct iovec piece = { w->text, w->used };

	w->used = 0;
	return tfr_stream_writer_put(w->out, &piece, 1, err);
}

static enum tfr_status write_lines(
	void *ctx, const uint8_t *headers, uint64_t records, uint64_t offset, struct tfr_error *err)
{
	struct index_writer *w = ctx;
	enum tfr_status status = TFR_OK;

	for (uint64_t at = 0; !status && records; records--) {
		uint64_t size = tfr_load64(headers + at) + TFR_RECORD_OVERHEAD;
		char *p = w->text + w->used;

		p = put_decimal(p, offset + at);
		*p++ = ' ';
		p = put_decimal(p, size);
		*p++ = '\n';
		w->used = (size_t)(p - w->text);
		if (w->used > TEXT_BLOCK - LINE_MAX_BYTES)
			status = flush(w, err);
		at += size;
	}
	return status;
}

static enum tfr_status compare_lines(
	void *ctx, const uint8_t *headers, uint64_t records, uint64_t offset, struct tfr_error *err)
{
	struct tfr_index *old = ctx;
	struct tfr_index_entry e;
	enum tfr_status status = TFR_OK;

	for (uint64_t at = 0; !status && records; records--) {
		uint64_t size = tfr_load64(headers + at) + TFR_RECORD_OVERHEAD;

		status = tfr_index_next(old, &e, err);
		if (!status && (e.offset != offset + at || e.size != size))
			status = TFR_END;
		at += size;
	}
	return status;
}

/* Hops through the file with the old index at hand: TFR_INDEX_GOOD stays where they are the same
 * to the end. */
static enum tfr_status compare(const char *path, const char *index_path,
	const struct tfr_reader_opts *opts, struct tfr_index_report *report, struct tfr_error *err)
{
	struct tfr_index *old = NULL;
	enum tfr_status status = tfr_index_open(&old, index_path, err);
	struct tfr_hop_visitor visitor = { compare_lines, old };
	struct tfr_index_entry more;

	if (status)
		return status;
	status = tfr_hop_records(path, opts, &visitor, &report->records, err);
	if (!status && tfr_index_next(old, &more, err) != TFR_END)
		status = TFR_END;
	tfr_index_close(old);
	if (status == TFR_END) {
		report->before = TFR_INDEX_DIFFERS;
		status = TFR_OK;
	}
	return status;
}

/* A file that was dated ahead, by another machine's clock, would make its index stale from the
 * first moment on. */
static void date_no_earlier(const char *index_path, const struct stat *file)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, file->st_mtim };
	struct stat index;

	if (stat(index_path, &index) == 0 && tfr_stat_older(&index, file))
		utimensat(AT_FDCWD, index_path, times, 0);
}

static enum tfr_status check_unchanged(
	const char *path, const struct stat *before, struct tfr_error *err)
{
	struct stat now;
	enum tfr_status status = tfr_stat_regular(path, &now, err);

	if (!status && (now.st_size != before->st_size || now.st_ino != before->st_ino ||
			       tfr_stat_older(before, &now) || tfr_stat_older(&now, before)))
		status = tfr_fail_path(
			err, TFR_EDATA, path, "the file changed while it was indexed:");
	return status;
}

static enum tfr_status write_index(const char *path, const char *index_path,
	const struct tfr_index_opts *opts, struct tfr_index_report *report, struct tfr_error *err)
{
	TFR_AUTO_FREE struct index_writer *w = calloc(1, sizeof(*w));
	struct tfr_reader_opts reader_opts = { .compression = opts->compression,
		.threads = opts->threads };
	struct tfr_writer_opts writer_opts = {
		.compression = TFR_COMPRESSION_NONE, /* whatever the name ends in */
		/* What appeared since it was judged was not judged. */
		.force = opts->force || report->before != TFR_INDEX_MISSING,
		.temporaries = opts->temporaries,
	};
	struct tfr_hop_visitor visitor = { write_lines, w };
	enum tfr_status status = w ? TFR_OK : tfr_fail_nomem(err, "writing an index");
	struct stat file;

	if (!status)
		status = tfr_stat_regular(path, &file, err);
	if (status)
		return status;
	status = tfr_stream_writer_open(&w->out, index_path, &writer_opts, err);
	if (!status)
		status = tfr_hop_records(path, &reader_opts, &visitor, &report->records, err);
	if (!status)
		status = flush(w, err);
	if (!status)
		status = check_unchanged(path, &file, err);
	/* Here the flush points of a blocked GZIP file, gathered on the same way through it, become
	 * FILE.gzi, before FILE.idx is published. */
	if (!status)
		status = tfr_stream_writer_publish(w->out, err);
	tfr_stream_writer_close(w->out);
	if (!status) {
		date_no_earlier(index_path, &file);
		report->written = true;
	}
	return status;
}

static enum tfr_status refuse(
	const char *index_path, enum tfr_index_state state, struct tfr_error *err)
{
	if (state == TFR_INDEX_FOREIGN)
		tfr_fail_path(err, TFR_EEXIST, index_path, "will not overwrite what is no index:");
	else
		tfr_fail_path(
			err, TFR_EEXIST, index_path, "will not overwrite an index with gaps:");
	tfr_error_hint(err, "Somebody may have made it by hand.  Give -f to replace it.");
	return TFR_EEXIST;
}

enum tfr_status tfr_index_write(const char *path, const struct tfr_index_opts *opts,
	struct tfr_index_report *report, struct tfr_error *err)
{
	static const struct tfr_index_opts defaults;
	TFR_AUTO_FREE char *index_path = tfr_index_path(path);
	struct tfr_reader_opts reader_opts = { 0 };
	enum tfr_status status;
	uint64_t end;

	*report = (struct tfr_index_report){ 0 };
	if (!index_path)
		return tfr_fail_nomem(err, "writing an index");
	if (!opts)
		opts = &defaults;
	reader_opts.compression = opts->compression;
	reader_opts.threads = opts->threads;
	status = tfr_index_look(path, index_path, &report->before, &end, err);
	if (!status && !opts->force) {
		if (report->before >= TFR_INDEX_UNCHAINED)
			return refuse(index_path, report->before, err);
		if (report->before == TFR_INDEX_GOOD)
			status = compare(path, index_path, &reader_opts, report, err);
		if (status || report->before == TFR_INDEX_GOOD)
			return status;
	}
	return status ? status : write_index(path, index_path, opts, report, err);
}
