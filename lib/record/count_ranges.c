/* record/count_ranges.c - counts one large plain file with several threads, without an index.
 *
 * The file is divided into ranges.  Each range is counted from the first place in it that looks
 * like a header, because its first record is known only after the range before it is counted.  The
 * ranges are joined in order: headers are followed from the end of one range to the beginning of
 * the next, and the next count is used only if they lead there exactly.  So the result is what one
 * thread would count, even if payloads contain records.  If a header does not verify on that way,
 * ranges are given up, and the plain count reports the fault. */
#include "record/count_ranges.h"

#include <assert.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "record/framing.h"
#include "thread/lanes.h"

enum {
	BLOCK = 256 << 10,
	RANGE_MIN = 2 << 20, /* less is not worth waking a thread for */
	RANGES_A_THREAD = 4, /* ranges take different times */
	LARGE_RECORD = 4096, /* each costs a read of its own */
	HOPS_IN_FLIGHT = 8,  /* of a file that is not cached: waiting takes no processor */
	PROBES = 16,
	SEARCH_MOST = 1 << 20, /* bytes of a range that are searched for its first record */
};

struct range {
	uint64_t first, end; /* the start of its first record and the end of its last */
	uint64_t records;    /* between the two */
};

/* What a chain of hops needs. */
struct walker {
	uint8_t *block;
	struct tfr_hop_timer timer;
};

struct ranges {
	const struct tfr_stream *stream;
	uint64_t size, n; /* of the file from here on; ranges */
	uint64_t at;	  /* all before is counted */
	uint64_t records;
	struct walker walker; /* for the records between two ranges */
	struct tfr_hop_costs *costs;
};

struct slot {
	struct range range;
	struct walker walker;
};

static uint64_t begin_of(const struct ranges *all, uint64_t i)
{
	return i == all->n ? all->size : all->size / all->n * i;
}

/* Hops from r->end until a record begins at `to` or after it.  TFR_END: no valid header is at
 * r->end. */
static enum tfr_status hop_to(const struct tfr_stream *s, struct range *r, uint64_t to,
	struct walker *w, struct tfr_error *err)
{
	uint64_t at = r->end, next; /* `at`: the offset to read next */
	size_t want = BLOCK, got;
	bool bad = false, on = true;

	while (r->end < to) {
		/* The header of the last record may straddle `to`. */
		uint64_t most = to - at + TFR_RECORD_HEADER - 1;
		enum tfr_status status;

		assert(at <= r->end);
		want = want < most ? want : (size_t)most;
		status = tfr_stream_peek(s, (int64_t)at, w->block, want, &got, err);
		if (status)
			return status;
		if (r->end + TFR_RECORD_HEADER <= at + got) {
			size_t before = (size_t)(r->end - at);
			uint64_t hops = tfr_hop(w->block + before, got - before, &next, &bad);

			r->end += next;
			r->records += hops;
			if (bad)
				return TFR_END;
			on = tfr_hop_reads_on(&w->timer, r->end, at + got, next / hops);
		} else if (got < want) {
			return TFR_END;
		}
		at += got;
		/* A large record is not read through only because those before it are small. */
		if (r->end < at || !on || (r->end >= w->timer.until && r->end - at > BLOCK))
			at = r->end;
		want = on ? BLOCK : TFR_RECORD_HEADER;
	}
	return TFR_OK;
}

/* Moves r->first to the next position before `to` that looks like a header, or to `to`. */
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

/* If it was not a header, or was in a payload that holds records, the search continues after it. */
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
	if (!slot->walker.block)
		slot->walker.block = malloc(BLOCK);
	TFR_NEED_MEMORY(slot->walker.block, err, "counting");
	slot->walker.timer = (struct tfr_hop_timer){ .shared = all->costs };
	*r = (struct range){ .first = begin, .end = begin };
	while (status == TFR_END && r->end < search) {
		r->first = r->end + (r->end > begin);
		status = i ? find_first(all->stream, r, search, slot->walker.block, err) : TFR_OK;
		if (status || r->first == search)
			break;
		r->end = r->first;
		r->records = 0;
		status = hop_to(all->stream, r, to, &slot->walker, err);
		tfr_hop_stop(&slot->walker.timer);
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
	enum tfr_status status = hop_to(all->stream, &gap, r->first, &all->walker, err);

	if (!status && gap.end == r->first) {
		gap.records += r->records;
		gap.end = r->end;
	} else if (!status) {
		status = hop_to(all->stream, &gap, begin_of(all, i + 1), &all->walker, err);
	}
	all->records += gap.records;
	all->at = gap.end;
	return status;
}

static void clear_slot(void *slot_memory)
{
	free(((struct slot *)slot_memory)->walker.block);
}

/* Whether hops wait for a disk: the records at the start are large, and the file is not cached. */
static bool waits_for_disk(struct ranges *all)
{
	struct range first = { 0 };
	unsigned cached = 0;

	for (unsigned i = 0; i < PROBES; i++)
		cached += tfr_stream_cached(
			all->stream, all->size / PROBES * i + all->size / PROBES / 2);
	if (cached > PROBES / 2)
		return false;
	return !hop_to(all->stream, &first, BLOCK, &all->walker, NULL) &&
	       first.end / first.records >= LARGE_RECORD;
}

enum tfr_status tfr_count_ranges(struct tfr_stream *s, unsigned threads,
	struct tfr_hop_costs *costs, uint64_t *records, struct tfr_error *err)
{
	TFR_AUTO_FREE uint8_t *block = NULL;
	struct ranges all = { .stream = s,
		.size = tfr_stream_left(s),
		.walker.timer.shared = costs,
		.costs = costs };
	struct tfr_lanes job = {
		.slot_size = sizeof(struct slot),
		.work = work,
		.deliver = join,
		.clear_slot = clear_slot,
	};
	enum tfr_status status;

	all.n = all.size / RANGE_MIN;
	if (threads < 2 || all.n < 2)
		return TFR_END;
	all.walker.block = block = malloc(BLOCK);
	TFR_NEED_MEMORY(block, err, "counting");
	costs->threads = costs->streams = threads;
	if (threads < HOPS_IN_FLIGHT && waits_for_disk(&all))
		costs->threads = threads = HOPS_IN_FLIGHT;
	if (all.n > (uint64_t)RANGES_A_THREAD * threads)
		all.n = (uint64_t)RANGES_A_THREAD * threads;
	job.threads = threads;
	job.window = 2 * (uint64_t)threads;
	job.count = all.n;
	status = tfr_lanes_run(&job, &all, err);
	*records = all.records;
	return !status && all.at != all.size ? TFR_END : status;
}
