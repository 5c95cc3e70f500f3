/* record/count_headers.c - counts records by their headers.
 *
 * If records are small, large blocks are read, and headers are followed in memory.  If records are
 * large and the file is seekable, 12 bytes per record are read, as long as that is cheaper than
 * reading everything. */
#include "record/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/record.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "record/framing.h"
#include "record/stream.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* --- whether to read or to hop --- */

/* Batches of hops and stretches of reading, timed against each other. */

enum {
	BATCH = 16,		 /* hops that are timed together: asking the clock costs, too */
	CHEAP_NS = 3000,	 /* a hop in the page cache takes a tenth of it */
	TRIAL = 2 << 20,	 /* bytes read to learn what reading costs */
	STRETCH_MOST = 64 << 20, /* bytes after which hops are tried again */
	BATCHES = 128,		 /* of costly hops, after which reading is tried again */
	SMALL_RECORD = 4096,
};

static void begin_batch(struct tfr_hop_timer *t, uint64_t offset)
{
	t->timing = true;
	t->since = t->shared->clock();
	t->from = offset;
	t->hops = 0;
	t->until = 0;
}

static void begin_reading(struct tfr_hop_timer *t, uint64_t now, uint64_t offset, uint64_t stretch)
{
	t->timing = false;
	t->since = now;
	t->from = offset;
	t->stretch = stretch;
	t->until = offset + stretch;
	t->batches = 0;
	__atomic_add_fetch(&t->shared->readers, 1, __ATOMIC_RELAXED);
}

/* Several threads may store at once.  Each of their values will do. */
static void end_reading(struct tfr_hop_timer *t, uint64_t offset)
{
	struct tfr_hop_costs *c = t->shared;
	uint64_t took = c->clock() - t->since;
	unsigned readers = __atomic_fetch_sub(&c->readers, 1, __ATOMIC_RELAXED);

	assert(offset > t->from && readers);
	if (readers > c->streams)
		took = took * c->streams / readers;
	__atomic_store_n(&c->read_ps, took * 1000 / (offset - t->from) + 1, __ATOMIC_RELAXED);
	t->until = 0;
}

static bool end_batch(struct tfr_hop_timer *t, uint64_t offset)
{
	struct tfr_hop_costs *c = t->shared;
	uint64_t now = c->clock(), took = now - t->since, bytes = offset - t->from, stretch;
	uint64_t read_ps = __atomic_load_n(&c->read_ps, __ATOMIC_RELAXED);
	bool trial = !read_ps || ++t->batches > BATCHES;

	assert(t->hops == BATCH && c->threads >= c->streams && c->streams);
	t->costly = took > BATCH * CHEAP_NS ? t->costly + 1 : 0;
	/* One slow batch may be a thread that lost its processor. */
	if (t->costly < 2 || (!trial && took * c->streams / c->threads < bytes * read_ps / 1000)) {
		t->stretch = 0;
		return false;
	}
	stretch = trial || !t->stretch ? TRIAL : 2 * t->stretch;
	begin_reading(t, now, offset, stretch < STRETCH_MOST ? stretch : STRETCH_MOST);
	return true;
}

void tfr_hop_stop(struct tfr_hop_timer *t)
{
	if (t->until)
		__atomic_sub_fetch(&t->shared->readers, 1, __ATOMIC_RELAXED);
	t->until = 0;
}

bool tfr_hop_reads_on(struct tfr_hop_timer *t, uint64_t header, uint64_t read, uint64_t record)
{
	if (t->until) {
		if (header < t->until)
			return true;
		end_reading(t, header < read ? header : read);
	}
	/* Reading 256 KiB costs about as much as a hundred reads of 12 bytes. */
	if (record < SMALL_RECORD)
		return true;
	if (!t->timing)
		begin_batch(t, header);
	else if (++t->hops == BATCH) {
		if (end_batch(t, header))
			return true;
		begin_batch(t, header);
	}
	return false;
}

/* --- several threads --- */

/* Counts one large plain file with several threads, without an index.
 *
 * The file is divided into ranges.  Each range is counted from the first place in it that looks
 * like a header, because its first record is known only after the range before it is counted.  The
 * ranges are joined in order: headers are followed from the end of one range to the beginning of
 * the next, and the next count is used only if they lead there exactly.  So the result is what one
 * thread would count, even if payloads contain records.  If a header does not verify on that way,
 * ranges are given up, and the plain count reports the fault. */

enum {
	BLOCK = 256 << 10,
	RANGE_MIN = 2 << 20, /* less is not worth waking a thread for */
	RANGES_A_THREAD = 4, /* ranges take different times */
	LARGE_RECORD = 4096, /* each costs a read of its own */
	HOPS_IN_FLIGHT = 8,  /* of a file that is not cached: waiting takes no processor */
	PROBES = 16,
	SEARCH_MOST = 1 << 20, /* bytes of a range that are searched for its first record */
};

struct file_range {
	uint64_t first, end; /* the start of its first record and the end of its last */
	uint64_t records;    /* between the two */
};

/* What a chain of hops needs. */
struct header_walker {
	uint8_t *block;
	struct tfr_hop_timer timer;
};

struct file_ranges {
	const struct tfr_stream *stream;
	uint64_t size, n; /* of the file from here on; ranges */
	uint64_t at;	  /* all before is counted */
	uint64_t records;
	struct header_walker walker; /* for the records between two ranges */
	struct tfr_hop_costs *costs;
};

struct range_slot {
	struct file_range range;
	struct header_walker walker;
};

static uint64_t range_begin(const struct file_ranges *all, uint64_t i)
{
	return i == all->n ? all->size : all->size / all->n * i;
}

/* Hops from r->end until a record begins at `to` or after it.  TFR_END: no valid header is at
 * r->end. */
static enum tfr_status hop_to(const struct tfr_stream *s, struct file_range *r, uint64_t to,
	struct header_walker *w, struct tfr_error *err)
{
	uint64_t at = r->end, next; /* `at`: the offset to read next */
	size_t want = BLOCK, got;
	bool bad = false, on = true;

	while (r->end < to) {
		/* The header of the last record may straddle `to`. */
		uint64_t most = to - at + TFR_RECORD_HEADER - 1;

		assert(at <= r->end);
		want = want < most ? want : (size_t)most;
		TFR_TRY(tfr_stream_peek(s, (int64_t)at, w->block, want, &got, err));
		if (r->end + TFR_RECORD_HEADER <= at + got) {
			size_t before = (size_t)(r->end - at);
			uint64_t hops =
				tfr_follow_headers(w->block + before, got - before, &next, &bad);

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
static enum tfr_status find_first(const struct tfr_stream *s, struct file_range *r, uint64_t to,
	uint8_t *block, struct tfr_error *err)
{
	size_t got, n;

	while (r->first < to) {
		TFR_TRY(tfr_stream_peek(s, (int64_t)r->first, block, BLOCK, &got, err));
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
static enum tfr_status count_range(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot_memory, struct tfr_error *err)
{
	struct file_ranges *all = ctx;
	struct range_slot *slot = slot_memory;
	struct file_range *r = &slot->range;
	uint64_t begin = range_begin(all, i), to = range_begin(all, i + 1);
	uint64_t search = to - begin < SEARCH_MOST ? to : begin + SEARCH_MOST;
	enum tfr_status status = TFR_END;

	(void)lanes;
	(void)worker;
	if (!slot->walker.block)
		slot->walker.block = malloc(BLOCK);
	TFR_NEED_MEMORY(slot->walker.block, err, "counting");
	slot->walker.timer = (struct tfr_hop_timer){ .shared = all->costs };
	*r = (struct file_range){ .first = begin, .end = begin };
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
		*r = (struct file_range){ .first = to, .end = to };
	return TFR_OK;
}

static enum tfr_status join_range(void *ctx, uint64_t i, void *slot_memory, struct tfr_error *err)
{
	struct file_ranges *all = ctx;
	const struct file_range *r = &((struct range_slot *)slot_memory)->range;
	struct file_range gap = { .end = all->at };
	enum tfr_status status = hop_to(all->stream, &gap, r->first, &all->walker, err);

	if (!status && gap.end == r->first) {
		gap.records += r->records;
		gap.end = r->end;
	} else if (!status) {
		status = hop_to(all->stream, &gap, range_begin(all, i + 1), &all->walker, err);
	}
	all->records += gap.records;
	all->at = gap.end;
	return status;
}

static void clear_slot(void *slot_memory)
{
	free(((struct range_slot *)slot_memory)->walker.block);
}

/* Whether hops wait for a disk: the records at the start are large, and the file is not cached. */
static bool waits_for_disk(struct file_ranges *all)
{
	struct file_range first = { 0 };
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
	struct file_ranges all = { .stream = s,
		.size = tfr_stream_left(s),
		.walker.timer.shared = costs,
		.costs = costs };
	struct tfr_lanes job = {
		.slot_size = sizeof(struct range_slot),
		.work = count_range,
		.deliver = join_range,
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

/* --- one thread --- */

enum { COUNT_BLOCK = 256 << 10 };

struct header_counter {
	struct tfr_stream *stream;
	const struct tfr_hop *hop;
	uint8_t *block;
	size_t held; /* bytes of a header that straddles blocks, at the block's start */
	uint64_t records;
	uint64_t offset; /* of block[0] in the stream */
	size_t want;	 /* bytes to read next */
	struct tfr_hop_timer timer;
};

static enum tfr_status fail_at(
	struct header_counter *c, uint64_t offset, const char *what, struct tfr_error *err)
{
	return tfr_fail_record(
		err, TFR_EDATA, tfr_stream_name(c->stream), c->records, offset, "%s", what);
}

/* Reports a bad header at `offset`.  The reader has a better message, which names the file's
 * format. */
static enum tfr_status bad_header(
	struct header_counter *c, const uint8_t *header, uint64_t offset, struct tfr_error *err)
{
	if (tfr_header_verifies(header))
		return fail_at(c, offset, "impossible record length", err);
	fail_at(c, offset, "length checksum mismatch", err);
	if (!offset)
		tfr_error_hint(err, "The very first header does not fit: is this a TFRecord file?");
	return TFR_EDATA;
}

/* The offset in `block`, which starts with a record, of the record that ends at `end`. */
static uint64_t start_of_last(const uint8_t *block, uint64_t end)
{
	uint64_t at = 0, size;

	while ((size = tfr_known_length(block + at) + TFR_RECORD_OVERHEAD) < end - at)
		at += size;
	return at;
}

/* Reads `bytes` and discards them.  TFR_END: the file has fewer. */
static enum tfr_status read_through(struct header_counter *c, uint64_t bytes, struct tfr_error *err)
{
	size_t got;

	if (!tfr_stream_has(c->stream, bytes))
		return TFR_END;
	for (; bytes; bytes -= got) {
		size_t want = bytes < COUNT_BLOCK ? (size_t)bytes : COUNT_BLOCK;

		TFR_TRY(tfr_stream_read(c->stream, c->block, want, &got, err));
		if (!got)
			return TFR_END;
	}
	return TFR_OK;
}

/* Goes to the record at offset `next` of `block`, after `hops` records.  The block has `size`
 * bytes. */
static enum tfr_status pass_payload(
	struct header_counter *c, uint64_t next, size_t size, uint64_t hops, struct tfr_error *err)
{
	bool seekable = tfr_stream_seekable(c->stream);
	uint64_t read = c->offset + size, header = c->offset + next, last = 0;
	bool on = !seekable ||
		  (tfr_stream_remote(c->stream)
				  ? tfr_stream_cached(c->stream, next - size)
				  : tfr_hop_reads_on(&c->timer, header, read, next / hops));
	bool through = seekable && header < c->timer.until;
	enum tfr_status status;

	if (through)
		last = start_of_last(c->block, next); /* reading overwrites the block */
	status = through ? read_through(c, next - size, err)
			 : tfr_stream_skip(c->stream, next - size, err);
	if (status == TFR_END) {
		last = through ? last : start_of_last(c->block, next);
		c->records--;
		return fail_at(c, c->offset + last, "truncated record", err);
	}
	assert(next > size && hops);
	c->held = 0;
	c->offset += next;
	c->want = on ? COUNT_BLOCK : TFR_RECORD_HEADER;
	return status;
}

static enum tfr_status hop_over(struct header_counter *c, size_t size, struct tfr_error *err)
{
	uint64_t next = 0, before = c->records;
	bool bad = false;

	c->records += tfr_follow_headers(c->block, size, &next, &bad);
	if (c->hop->hopped)
		TFR_TRY(c->hop->hopped(c->hop->ctx, c->block, c->records - before, c->offset, err));
	if (bad)
		return bad_header(c, c->block + next, c->offset + next, err);
	if (next <= size) {
		c->held = size - (size_t)next;
		memmove(c->block, c->block + next, c->held);
		c->offset += next;
		c->want = COUNT_BLOCK - c->held;
		return TFR_OK;
	}
	return pass_payload(c, next, size, c->records - before, err);
}

static enum tfr_status count_stream(struct header_counter *c, struct tfr_error *err)
{
	enum tfr_status status;
	size_t got;

	c->want = TFR_RECORD_HEADER;
	for (;;) {
		status = tfr_stream_read(c->stream, c->block + c->held, c->want, &got, err);
		if (status == TFR_EDATA)
			tfr_error_locate(err, tfr_stream_name(c->stream), c->records, c->offset);
		TFR_TRY(status);
		if (!got)
			return c->held ? fail_at(c, c->offset, "truncated header", err) : TFR_OK;
		TFR_TRY(hop_over(c, c->held + got, err));
	}
}

/* Counting knows too little to explain a fault.  Reading the file again up to the fault gives the
 * message of all other commands.  A pipe cannot be read again. */
static enum tfr_status explain_fault(
	const char *path, const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_READER r = NULL;
	struct tfr_record rec;
	struct tfr_error better;
	enum tfr_status status = tfr_reader_open(&r, path, opts, NULL);

	while (!status) {
		status = tfr_reader_next(r, &rec, &better);
		if (status && tfr_reader_fault(r) == TFR_FAULT_PAYLOAD)
			status = TFR_OK; /* the failure that stopped the count is kept */
	}
	if ((status == TFR_EDATA || status == TFR_EFORMAT) && err)
		*err = better;
	return status == TFR_EFORMAT ? TFR_EFORMAT : TFR_EDATA;
}

/* Counts with several threads if possible.  A callback gets the records in order, from one thread.
 */
static enum tfr_status count_open(
	struct header_counter *c, const struct tfr_stream_opts *how, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;

	if (!c->hop->hopped && tfr_stream_seekable(c->stream) && !tfr_stream_remote(c->stream))
		status = tfr_count_ranges(c->stream, tfr_thread_count(how->threads),
			c->timer.shared, &c->records, err);
	if (status != TFR_END)
		return status;
	c->records = 0;
	c->timer.shared->threads = c->timer.shared->streams = 1;
	c->block = malloc(COUNT_BLOCK);
	TFR_NEED_MEMORY(c->block, err, "counting");
	return count_stream(c, err);
}

enum tfr_status tfr_hop_records(const char *path, const struct tfr_reader_opts *opts,
	struct tfr_hop *hop, struct tfr_error *err)
{
	enum tfr_status status;
	struct tfr_stream_opts how = { .gzi = hop->gzi };
	struct tfr_hop_costs costs = { .clock = tfr_clock_ns };
	struct header_counter c = { .hop = hop, .timer.shared = &costs };
	struct tfr_source *source = NULL;
	bool again;

	TFR_TRY(tfr_source_open(&source, path, err));
	again = tfr_source_seekable(source) && strcmp(path, "-") != 0;
	if (opts) {
		how.compression = opts->compression;
		how.threads = opts->threads;
	}
	status = tfr_stream_open(&c.stream, source, &how, err);
	if (!status) {
		hop->compression = tfr_stream_compression(c.stream);
		status = count_open(&c, &how, err);
	}
	hop->records = c.records;
	hop->end = c.offset;
	free(c.block);
	tfr_stream_close(c.stream);
	return status == TFR_EDATA && again ? explain_fault(path, opts, err) : status;
}

enum tfr_status tfr_count_records(const char *path, const struct tfr_reader_opts *opts,
	uint64_t *records, struct tfr_error *err)
{
	struct tfr_hop hop = { 0 };
	enum tfr_status status = tfr_hop_records(path, opts, &hop, err);

	*records = hop.records;
	return status;
}
