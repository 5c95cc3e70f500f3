/* record/index_write.c - makes FILE.idx from the headers of a file, and FILE.gzi from its flush
 * points.
 *
 * If an index looks good, the headers are followed once to compare it, and a second time only if
 * it differs.  So a second run over a data set usually writes nothing. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/error.h"
#include "record/count.h"
#include "record/framing.h"
#include "record/gzi.h"
#include "record/index_read.h"

enum { TEXT_BLOCK = 64 << 10, LINE_ROOM = 2 * TFR_DECIMAL_ROOM };

/* FILE.idx in the making, and FILE.gzi if there will be one. */
struct index_writer {
	struct tfr_stream_writer *lines, *points;
	size_t used;
	char text[TEXT_BLOCK];
};

static enum tfr_status flush_lines(struct index_writer *w, struct tfr_error *err)
{
	struct iovec piece = { w->text, w->used };

	w->used = 0;
	return tfr_stream_writer_put(w->lines, &piece, 1, err);
}

static enum tfr_status write_lines(
	void *ctx, const uint8_t *headers, uint64_t records, uint64_t offset, struct tfr_error *err)
{
	struct index_writer *w = ctx;

	for (uint64_t at = 0; records; records--) {
		uint64_t size = tfr_known_length(headers + at) + TFR_RECORD_OVERHEAD;
		char *p = w->text + w->used;

		p = tfr_decimal_u64(p, offset + at);
		*p++ = ' ';
		p = tfr_decimal_u64(p, size);
		*p++ = '\n';
		w->used = (size_t)(p - w->text);
		if (w->used > TEXT_BLOCK - LINE_ROOM)
			TFR_TRY(flush_lines(w, err));
		at += size;
	}
	return TFR_OK;
}

static enum tfr_status compare_lines(
	void *ctx, const uint8_t *headers, uint64_t records, uint64_t offset, struct tfr_error *err)
{
	struct tfr_index *old = ctx;
	struct tfr_index_entry e;

	for (uint64_t at = 0; records; records--) {
		uint64_t size = tfr_known_length(headers + at) + TFR_RECORD_OVERHEAD;

		TFR_TRY(tfr_index_next(old, &e, err));
		if (e.offset != offset + at || e.size != size)
			return TFR_END;
		at += size;
	}
	return TFR_OK;
}

/* Shared by both passes over a file. */
struct index_run {
	const char *path, *index_path, *gzi_path;
	const struct tfr_index_opts *o;
	struct tfr_index_seen seen;
	struct tfr_gzi gzi; /* found in the pass */
	struct tfr_index_report *report;
};

static bool has_points(const struct index_run *run)
{
	return run->seen.compression == TFR_COMPRESSION_GZIP && !run->o->no_points;
}

/* Points that were not found are the beginnings of GZIP members, which bgzip -i lists: they stay.
 */
static bool keeps_points(const struct index_run *run)
{
	return !run->o->force && !run->seen.points && run->seen.gzi.count && !run->gzi.count;
}

static enum tfr_status follow_headers(
	struct index_run *run, struct tfr_hop *hop, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .compression = run->o->compression,
		.threads = run->o->threads };
	enum tfr_status status;

	run->gzi.count = 0;
	hop->gzi = has_points(run) ? &run->gzi : NULL;
	status = tfr_hop_records(run->path, &opts, hop, err);
	run->report->records = hop->records;
	run->report->points = keeps_points(run) ? run->seen.gzi.count : run->gzi.count;
	run->report->one_stream =
		has_points(run) && !run->report->points && tfr_gzi_is_poor(&run->gzi, hop->end);
	return status;
}

/* Compares the file's headers with the old index.  TFR_INDEX_GOOD: they are the same to the end. */
static enum tfr_status compare_index(struct index_run *run, struct tfr_error *err)
{
	enum tfr_status status;
	struct tfr_index *old = NULL;
	struct tfr_hop by_lines = { .hopped = compare_lines };
	struct tfr_index_entry more;

	TFR_TRY(tfr_index_open(&old, run->index_path, err));
	by_lines.ctx = old;
	status = follow_headers(run, &by_lines, err);
	if (!status && tfr_index_next(old, &more, err) != TFR_END)
		status = TFR_END;
	tfr_index_close(old);
	if (status == TFR_END) {
		run->report->before = TFR_INDEX_DIFFERS;
		return TFR_OK;
	}
	if (!status && has_points(run) && !keeps_points(run) &&
		!tfr_gzi_same(&run->gzi, &run->seen.gzi))
		run->report->before = TFR_INDEX_POINTS_DIFFER;
	return status;
}

/* A file with a time in the future, by another machine's clock, would make its index stale at
 * once. */
static void date_no_earlier(const char *index_path, const struct stat *file)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, file->st_mtim };
	struct stat index;

	if (tfr_stat(index_path, &index) == 0 && tfr_stat_older(&index, file))
		utimensat(AT_FDCWD, index_path, times, 0);
}

static enum tfr_status check_unchanged(
	const char *path, const struct stat *before, struct tfr_error *err)
{
	struct stat now;

	TFR_TRY(tfr_stat_regular(path, &now, err));
	if (now.st_size != before->st_size || now.st_ino != before->st_ino ||
		tfr_stat_older(before, &now) || tfr_stat_older(&now, before))
		return tfr_fail_path(
			err, TFR_EDATA, path, "the file changed while it was indexed:");
	return TFR_OK;
}

static enum tfr_status open_writer(struct tfr_stream_writer **out, const struct index_run *run,
	const char *path, bool replace, struct tfr_error *err)
{
	struct tfr_writer_opts opts = {
		.compression = TFR_COMPRESSION_NONE, /* whatever the suffix */
		/* A file that appeared after judging was not judged. */
		.force = run->o->force || replace,
		.temporaries = run->o->temporaries,
	};

	return tfr_stream_writer_open(out, path, &opts, err);
}

/* Brings both files to the disk. */
static enum tfr_status seal_files(
	const struct index_run *run, struct index_writer *w, struct tfr_error *err)
{
	if (w->points) {
		TFR_TRY(tfr_gzi_put(&run->gzi, w->points, err));
		TFR_TRY(tfr_stream_writer_seal(w->points, err));
	}
	return tfr_stream_writer_seal(w->lines, err);
}

/* FILE.idx is published last: if it exists, the points do. */
static enum tfr_status publish_files(
	const struct index_run *run, struct index_writer *w, struct tfr_error *err)
{
	enum tfr_status status;

	TFR_TRY(flush_lines(w, err));
	if (keeps_points(run))
		tfr_stream_writer_close(TFR_STEAL(w->points));
	TFR_TRY(seal_files(run, w, err));
	TFR_TRY(check_unchanged(run->path, &run->seen.file, err));
	if (w->points)
		TFR_TRY(tfr_stream_writer_publish(w->points, err));
	status = tfr_stream_writer_publish(w->lines, err);
	/* If another run has published FILE.idx meanwhile, the points may be its own; they are of
	 * the same file. */
	if (status && status != TFR_EEXIST && w->points)
		unlink(run->gzi_path);
	return status;
}

static enum tfr_status write_files(
	struct index_run *run, struct index_writer *w, struct tfr_error *err)
{
	struct tfr_hop by_lines = { .hopped = write_lines, .ctx = w };

	TFR_TRY(open_writer(
		&w->lines, run, run->index_path, run->seen.state != TFR_INDEX_MISSING, err));
	if (has_points(run))
		TFR_TRY(open_writer(&w->points, run, run->gzi_path,
			run->seen.points != TFR_INDEX_NO_POINTS, err));
	TFR_TRY(follow_headers(run, &by_lines, err));
	return publish_files(run, w, err);
}

static enum tfr_status write_index(struct index_run *run, struct tfr_error *err)
{
	TFR_AUTO_FREE struct index_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status;

	TFR_NEED_MEMORY(w, err, "writing an index");
	status = write_files(run, w, err);
	tfr_stream_writer_close(w->lines);
	tfr_stream_writer_close(w->points);
	TFR_TRY(status);
	date_no_earlier(run->index_path, &run->seen.file);
	if (has_points(run))
		date_no_earlier(run->gzi_path, &run->seen.file);
	run->report->written = true;
	return TFR_OK;
}

/* A file that may not be ours is not replaced unless asked to. */
static enum tfr_status check_replaceable(const struct index_run *run, struct tfr_error *err)
{
	if (run->seen.state == TFR_INDEX_UNCHAINED)
		tfr_fail_path(
			err, TFR_EEXIST, run->index_path, "will not overwrite an index with gaps:");
	else if (run->seen.state == TFR_INDEX_FOREIGN)
		tfr_fail_path(
			err, TFR_EEXIST, run->index_path, "will not overwrite what is no index:");
	else if (run->seen.points == TFR_INDEX_POINTS_FOREIGN)
		tfr_fail_path(
			err, TFR_EEXIST, run->gzi_path, "will not overwrite what is no index:");
	else
		return TFR_OK;
	tfr_error_hint(err, "It may have been made by hand.  Give -f to replace it.");
	return TFR_EEXIST;
}

static enum tfr_status write_where_needed(struct index_run *run, struct tfr_error *err)
{
	enum tfr_status status = tfr_index_look(&run->seen, run->path, run->o, err);

	run->report->before = run->seen.state;
	run->report->compression = run->seen.compression;
	TFR_TRY(status);
	if (!run->o->force) {
		TFR_TRY(check_replaceable(run, err));
		if (!run->seen.state)
			TFR_TRY(compare_index(run, err));
		if (!run->report->before)
			return TFR_OK;
	}
	return write_index(run, err);
}

enum tfr_status tfr_index_write(const char *path, const struct tfr_index_opts *opts,
	struct tfr_index_report *report, struct tfr_error *err)
{
	static const struct tfr_index_opts defaults;
	TFR_AUTO_FREE char *index_path = tfr_index_path(path), *gzi_path = tfr_gzi_path(path);
	struct index_run run = { .path = path,
		.index_path = index_path,
		.gzi_path = gzi_path,
		.o = opts ? opts : &defaults,
		.report = report };
	enum tfr_status status;

	*report = (struct tfr_index_report){ 0 };
	TFR_NEED_MEMORY(index_path && gzi_path, err, "writing an index");
	status = write_where_needed(&run, err);
	tfr_index_seen_clear(&run.seen);
	tfr_gzi_clear(&run.gzi);
	return status;
}
