/* record/index_judge.c - judges FILE.idx and FILE.gzi by the file that they belong to.
 *
 * An index that is found good was made for a file of this length, and after its last write.  Its
 * lines are still claims: reading a record at such an offset verifies it, by the CRCs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "record/index_read.h"
#include "record/stream.h"

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
	struct stat st;

	*state = TFR_INDEX_GOOD;
	if (tfr_stat(path, &st)) {
		*state = TFR_INDEX_MISSING;
		return errno == ENOENT ? TFR_OK : tfr_fail_errno(err, errno, path, "cannot open");
	}
	if (!S_ISREG(st.st_mode))
		*state = TFR_INDEX_FOREIGN;
	else if (tfr_stat_older(&st, file))
		*state = TFR_INDEX_OLDER;
	return TFR_OK;
}

static bool mark(struct tfr_index_seen *seen, uint64_t position)
{
	if (TFR_ARRAY_ONE_MORE(seen->marks, seen->mark_count))
		return false;
	seen->marks[seen->mark_count++] = position;
	return true;
}

/* Reads the lines up to the last one. */
static enum tfr_status follow(
	struct tfr_index_seen *seen, const char *index_path, struct tfr_error *err)
{
	struct tfr_index *ix = NULL;
	struct tfr_index_entry e;
	enum tfr_status status = tfr_index_open(&ix, index_path, err);

	while (!status) {
		uint64_t position = tfr_index_position(ix);

		status = tfr_index_next(ix, &e, err);
		if (status)
			break;
		if (seen->records % TFR_INDEX_MARK == 0 && !mark(seen, position))
			status = tfr_fail_nomem(err, "looking at an index");
		if (e.offset != seen->end)
			seen->state = TFR_INDEX_UNCHAINED;
		seen->end = e.offset + e.size;
		seen->records++;
	}
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
	seen->state = beside == TFR_INDEX_OLDER ? TFR_INDEX_GOOD : beside;
	if (!status && !seen->state)
		status = follow(seen, index_path, err);
	if (!status && !seen->state) /* its origin matters more than its age */
		seen->state = beside;
	return status;
}

static enum tfr_status look_at_points(
	struct tfr_index_seen *seen, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *gzi_path = tfr_gzi_path(path);
	const struct tfr_gzi_point *last;
	enum tfr_index_state beside;
	enum tfr_status status;

	TFR_NEED_MEMORY(gzi_path, err, "looking at an index");
	status = look_beside(gzi_path, &seen->file, &beside, err);
	if (!status && (!beside || beside == TFR_INDEX_OLDER)) {
		status = tfr_gzi_read(&seen->gzi, gzi_path, err);
		if (status == TFR_EDATA) {
			beside = TFR_INDEX_FOREIGN;
			status = TFR_OK;
		}
	}
	if (status)
		return status;
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
	enum tfr_status status = tfr_source_open(&source, path, err);

	if (opts)
		how = (struct tfr_stream_opts){ opts->compression, opts->threads };
	return status ? status : tfr_stream_open(s, source, &how, err);
}

enum tfr_status tfr_index_look(struct tfr_index_seen *seen, const char *path,
	const struct tfr_index_opts *opts, struct tfr_error *err)
{
	struct tfr_stream *s = NULL;
	enum tfr_status status;

	*seen = (struct tfr_index_seen){ 0 };
	TFR_TRY(tfr_stat_regular(path, &seen->file, err));
	TFR_TRY(open_stream(&s, path, opts, err));
	seen->compression = tfr_stream_compression(s);
	tfr_stream_close(s);
	status = look_at_lines(seen, path, err);
	if (!status && seen->compression == TFR_COMPRESSION_GZIP && !(opts && opts->no_points))
		status = look_at_points(seen, path, err);
	if (!seen->state)
		seen->state = seen->points;
	if (!status && !seen->state && seen->compression == TFR_COMPRESSION_NONE &&
		seen->end != (uint64_t)seen->file.st_size)
		seen->state = TFR_INDEX_OTHER_END;
	return status;
}

/* The size of the uncompressed stream, inflating from the last point of `gzi` on. */
static enum tfr_status stream_size(const char *path, const struct tfr_index_opts *opts,
	const struct tfr_gzi *gzi, uint64_t *size, struct tfr_error *err)
{
	TFR_AUTO_FREE uint8_t *sink = malloc(SINK_SIZE);
	struct tfr_stream *s = NULL;
	enum tfr_status status = sink ? open_stream(&s, path, opts, err)
				      : tfr_fail_nomem(err, "looking at an index");
	size_t got = 1;

	if (!status && gzi->count)
		status = tfr_stream_seek(s, gzi, gzi->points[gzi->count - 1].uncompressed, err);
	while (!status && got)
		status = tfr_stream_read(s, sink, SINK_SIZE, &got, err);
	if (!status)
		*size = tfr_stream_position(s);
	tfr_stream_close(s);
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
	if (status)
		return status;
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
