/* record/count_ranges.c - one large plain file counted by several threads, without an index.
 *
 * The file is cut into ranges, and each is counted from the first place in it that looks like a
 * header, for where its first record begins is known only once the range before it was counted.
 * They are joined in order: from where one ended headers are hopped to where the next began, and
 * its count is taken only if they lead there exactly.  So what is counted is what one thread would
 * count, records in payloads notwithstanding.  A header that does not fit on that way gives up, and
 * the plain count says what is wrong. */
#include "record/count_ranges.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "record/framing.h"
#include "thread/lanes.h"

enum {
	BLOCK = 256 << 10,
	LARGE_RECORD = 4096,   /* as in record/count_headers.c */
	RANGE_MIN = 2 << 20,   /* less is not worth waking a thread for */
	RANGES_A_THREAD = 4,   /* some take longer than others */
	SEARCH_MOST = 1 << 20, /* bytes of a range that are searched for its first record */
};

struct range {
	uint64_t first, end; /* where its first record begins and its last one ends */
	uint64_t records;    /* between the two */
};

struct ranges {
	const struct tfr_stream *stream;
	uint64_t size, n; /* of the file from here on; ranges */
	uint64_t at;	  /* all before is counted */
	uint64_t records;
	uint8_t *block; /* for what is hopped over when ranges are joined */
};

struct slot {
	struct range range;
	uint8_t *block;
};

static uint64_t begin_of(const struct ranges *all, uint64_t i)
{
	return i == all->n ? all->size : all->size / all->n * i;
}

/* Hops on from r->end until a record begins at `to` or behind it.  TFR_END: something is odd at
 * r->end. */
static enum tfr_status hop_to(const struct tfr_stream *s, struct range *r, uint64_t to,
	uint8_t *block, struct tfr_error *err)
{
	size_t want = BLOCK, got;
	uint64_t next, hops;
	bool bad = false;

	while (r->end < to) {
		/* The header of the last record may lie across `to`. */
		uint64_t most = to - r->end + TFR_RECORD_HEADER - 1;
		enum tfr_status status = tfr_stream_peek(
			s, (int64_t)r->end, block, want < most ? want : (size_t)most, &got, err);

		if (status)
			return status;
		if (got < TFR_RECORD_HEADER)
			return TFR_END;
		hops = tfr_hop(block, got, &next, &bad);
		r->end += next;
		r->records += hops;
		if (bad)
			return TFR_END;
		want = next / hops >= LARGE_RECORD ? TFR_RECORD_HEADER : BLOCK;
	}
	return TFR_OK;
}

/* The next place from r->first on, and before `to`, that looks like a header; `to` if there is
 * none. */
static enum tfr_status find_first(const struct tfr_stream *s, struct range *r, uint64_t to,
	uint8_t *block, struct tfr_error *err)
{
	size_t got, n;

	while (r->first < to) {
		enum tfr_status status =
			tfr_stream_peek(s, (int64_t)r->first, block, BLOCK, &got, err);

		if (status)
			return status;
		if (got < TFR_RECORD_HEADER) {
			r->first = to;
			break;
		}
		n = tfr_find_header(block, got);
		if (n < got) {
			r->first += n;
			break;
		}
		r->first += got - (TFR_RECORD_HEADER - 1);
	}
	if (r->first > to)
		r->first = to;
	return TFR_OK;
}

/* Where what looked like a header turns out not to be one, or to lie in a payload that holds
 * records, the search goes on behind it. */
static enum tfr_status work(void *ctx, struct tfr_lanes_run *crew, unsigned worker, uint64_t i,
	void *slot_memory, struct tfr_error *err)
{
	struct ranges *all = ctx;
	struct slot *slot = slot_memory;
	struct range *r = &slot->range;
	uint64_t begin = begin_of(all, i), to = begin_of(all, i + 1);
	uint64_t search = to - begin < SEARCH_MOST ? to : begin + SEARCH_MOST;
	enum tfr_status status = TFR_END;

	(void)crew;
	(void)worker;
	if (!slot->block)
		slot->block = malloc(BLOCK);
	if (!slot->block)
		return tfr_fail_nomem(err, "counting");
	*r = (struct range){ .first = begin, .end = begin };
	while (status == TFR_END && r->end < search) {
		r->first = r->end + (r->end > begin);
		status = i ? find_first(all->stream, r, search, slot->block, err) : TFR_OK;
		if (status || r->first == search)
			break;
		r->end = r->first;
		r->records = 0;
		status = hop_to(all->stream, r, to, slot->block, err);
		if (!i)
			break;
	}
	if (status && status != TFR_END)
		return status;
	if (status || r->first == search)
		*r = (struct range){ .first = to, .end = to };
	return TFR_OK;
}

static enum tfr_status join(void *ctx, uint64_t i, void *slot_memory, struct tfr_error *err)
{
	struct ranges *all = ctx;
	const struct range *r = &((struct slot *)slot_memory)->range;
	struct range gap = { .end = all->at };
	enum tfr_status status = hop_to(all->stream, &gap, r->first, all->block, err);

	if (!status && gap.end == r->first) {
		gap.records += r->records;
		gap.end = r->end;
	} else if (!status) {
		status = hop_to(all->stream, &gap, begin_of(all, i + 1), all->block, err);
	}
	all->records += gap.records;
	all->at = gap.end;
	return status;
}

static void clear_slot(void *slot_memory)
{
	free(((struct slot *)slot_memory)->block);
}

enum tfr_status tfr_count_ranges(
	struct tfr_stream *s, unsigned threads, uint64_t *records, struct tfr_error *err)
{
	TFR_AUTO_FREE uint8_t *block = NULL;
	struct ranges all = { .stream = s, .size = tfr_stream_left(s) };
	struct tfr_lanes job = {
		.threads = threads,
		.slot_size = sizeof(struct slot),
		.window = 2 * (uint64_t)threads,
		.work = work,
		.deliver = join,
		.clear_slot = clear_slot,
	};
	enum tfr_status status;

	all.n = all.size / RANGE_MIN;
	if (all.n > (uint64_t)RANGES_A_THREAD * threads)
		all.n = (uint64_t)RANGES_A_THREAD * threads;
	if (threads < 2 || all.n < 2)
		return TFR_END;
	all.block = block = malloc(BLOCK);
	if (!block)
		return tfr_fail_nomem(err, "counting");
	job.count = all.n;
	status = tfr_lanes_run(&job, &all, err);
	*records = all.records;
	return !status && all.at != all.size ? TFR_END : status;
}
