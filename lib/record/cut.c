/* record/cut.c - finds the start of a record near a place in a file, and how many come before it.
 *
 * Headers are followed from the start of the file, because bytes in the middle that look like a
 * header may be the payload of a record that holds records.  In a damaged file a reader that skips
 * damage finds the place, so that records have the numbers that any reader gives them. */
#include "record/cut.h"

#include <string.h>

#include <tfr-private/gzi.h>
#include <tfr/lookup.h>

#include "base/error.h"
#include "io/source.h"
#include "record/count_headers.h"
#include "record/framing.h"
#include "record/reader.h"
#include "record/record_run.h"

enum { HEAD = 4 << 10 };

/* NULL: the index is not usable. */
static struct tfr_lookup *open_index(const char *path)
{
	enum tfr_index_state state;
	struct tfr_lookup *l = NULL;

	return tfr_lookup_open(&l, path, NULL, &state, NULL) ? NULL : l;
}

bool tfr_cut_possible(const char *path)
{
	struct tfr_source *source = NULL;
	uint8_t head[TFR_RECORD_HEADER];
	struct tfr_lookup *l;
	size_t got = 0;
	bool plain = !tfr_source_open(&source, path, NULL) && tfr_source_seekable(source) &&
		     !tfr_source_read_at(source, 0, head, sizeof(head), &got, NULL) &&
		     got == sizeof(head) && tfr_header_verifies(head);

	tfr_source_close(source);
	if (plain)
		return true;
	l = open_index(path);
	tfr_lookup_close(l);
	return l;
}

/* The first record that begins at the fraction of the uncompressed stream, or after it. */
static enum tfr_status by_index(
	struct tfr_lookup *l, uint32_t fraction, struct tfr_cut_place *place, struct tfr_error *err)
{
	uint64_t low = 0, high = tfr_lookup_count(l), offset = 0, bytes = 0, target;
	enum tfr_status status =
		high ? tfr_lookup_place(l, high - 1, &offset, &bytes, err) : TFR_END;

	target = (uint64_t)((unsigned __int128)bytes * fraction >> 32);
	if (!status && offset < target)
		return TFR_END;
	while (!status && low < high) {
		uint64_t middle = low + (high - low) / 2;

		status = tfr_lookup_place(l, middle, &offset, &bytes, err);
		if (!status && offset < target)
			low = middle + 1;
		else
			high = middle;
	}
	if (!status)
		status = tfr_lookup_place(l, low, &offset, &bytes, err);
	*place = (struct tfr_cut_place){ offset, low };
	return status;
}

struct search {
	uint64_t target;
	struct tfr_cut_place at;
	bool found;
};

/* A callback of tfr_hop_records(). */
static enum tfr_status look(
	void *ctx, const uint8_t *headers, uint64_t records, uint64_t offset, struct tfr_error *err)
{
	struct search *s = ctx;

	(void)err;
	for (uint64_t i = 0; i < records; i++) {
		uint64_t size = tfr_load64(headers) + TFR_RECORD_OVERHEAD;

		s->at = (struct tfr_cut_place){ offset, s->at.records };
		s->found = offset >= s->target;
		if (s->found)
			return TFR_END;
		s->at.records++;
		headers += size;
		offset += size;
	}
	return TFR_OK;
}

/* A damaged file: as a reader goes that skips damage. */
static enum tfr_status by_reading(const char *path, struct search *s, struct tfr_error *err)
{
	struct tfr_reader *r = NULL;
	enum tfr_status status = tfr_reader_open(&r, path, NULL, err);
	struct tfr_record rec;
	uint64_t lost;

	while (!status && tfr_reader_offset(r) < s->target) {
		status = tfr_reader_next(r, &rec, err);
		if (status == TFR_EDATA)
			status = tfr_reader_resync(r, &lost, err);
	}
	if (!status)
		s->at = (struct tfr_cut_place){ tfr_reader_offset(r), r->index };
	tfr_reader_close(r);
	return status;
}

enum tfr_status tfr_cut_find(const char *path, uint64_t bytes, uint32_t fraction,
	struct tfr_cut_place *place, struct tfr_error *err)
{
	struct search s = { .target = (uint64_t)((unsigned __int128)bytes * fraction >> 32) };
	struct tfr_hop hop = { .hopped = look, .ctx = &s };
	struct tfr_lookup *l = open_index(path);
	enum tfr_status status;

	if (l) {
		status = by_index(l, fraction, place, err);
		tfr_lookup_close(l);
		return status;
	}
	status = tfr_hop_records(path, NULL, &hop, err);
	if (status == TFR_OK)
		return TFR_END;
	if (status == TFR_EDATA) {
		s.found = true;
		status = by_reading(path, &s, err);
	} else if (status == TFR_END && s.found) {
		status = TFR_OK;
	}
	*place = s.at;
	return status;
}

enum tfr_status tfr_cut_open(struct tfr_reader **r, const char *path,
	const struct tfr_cut_place *place, const struct tfr_reader_opts *opts,
	struct tfr_error *err)
{
	struct tfr_lookup *l = place->offset ? open_index(path) : NULL;
	enum tfr_status status;

	if (!place->offset)
		return tfr_reader_open(r, path, opts, err);
	if (l)
		status = tfr_lookup_reader(l, place->records, opts, r, err);
	else
		status =
			tfr_reader_open_at(r, path, NULL, place->offset, place->records, opts, err);
	tfr_lookup_close(l);
	if (!status && tfr_reader_offset(*r) == place->offset)
		return TFR_OK;
	if (!status)
		tfr_reader_close(*r);
	if (status && status != TFR_END)
		return status;
	*r = NULL;
	return tfr_fail_path(err, TFR_EDATA, path, "the file or its index has changed:");
}
