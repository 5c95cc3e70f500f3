/* codec/parallel_deflate.c - each stream has a ring of segments: the caller fills the last one, the
 * threads deflate those before it, and finished ones are written in order.
 *
 * Only the thread that puts data takes segments from the ring and writes them.  So a write error is
 * reported in the call where it happens, and the order needs no lock. */
#include "codec/parallel_deflate.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "codec/codec.h"
#include "config.h"
#include "thread/pool.h"

/* The CRC-32 of GZIP.  ISA-L, where it is built in, computes it at the speed of memory; zlib at a
 * tenth of that. */
#if TFR_HAVE_ISAL
#include <isa-l/crc.h>

static uint32_t crc32_of(const uint8_t *data, size_t size)
{
	return size ? crc32_gzip_refl(0, data, size) : 0;
}
#else
static uint32_t crc32_of(const uint8_t *data, size_t size)
{
	return size ? (uint32_t)crc32_z(0, data, size) : 0;
}
#endif

/* What the streams that share a deflater fill at a time stays about within SEGMENTS_MAX. */
enum { SEGMENT = 1 << 20, SEGMENT_MIN = 64 << 10, SEGMENTS_MAX = 20 << 20, STREAMS_FEW = 8 };

/* The state of a compressor, reused by any segment that needs one. */
struct state {
	struct state *next;
	_Alignas(64) char memory[];
};

struct tfr_parallel_deflate {
	const struct tfr_deflate_ops *ops;
	enum tfr_compression compression;
	int level;
	size_t segment; /* from this size on, the next mark ends the segment */
	unsigned ahead; /* segments of one stream in flight */
	bool thrifty;	/* many streams: input is freed as soon as it is used */
	struct tfr_pool *pool;
	pthread_mutex_t lock;
	struct state *idle;
};

struct segment {
	struct tfr_pool_job job;
	struct tfr_parallel_deflate *deflater;
	struct tfr_buf in, out;
	bool last;
	size_t size; /* of the input */
	uint32_t sum;
	enum tfr_status status;
	struct tfr_error err;
};

struct tfr_deflate_stream {
	struct tfr_parallel_deflate *deflater;
	struct tfr_deflate_sink sink;
	bool started; /* the header is written */
	uint32_t sum;
	uint64_t uncompressed, compressed;
	uint64_t first, filling; /* of the ring */
	unsigned slots;
	struct segment ring[];
};

static size_t most_of(size_t segment)
{
	return segment + segment / 4;
}

enum tfr_status tfr_parallel_deflate_new(struct tfr_parallel_deflate **out,
	const struct tfr_parallel_deflate_opts *opts, struct tfr_error *err)
{
	const struct tfr_deflate_ops *ops = tfr_deflate_find(opts->level);
	size_t share = SEGMENTS_MAX / (opts->streams ? opts->streams : 1);
	struct tfr_parallel_deflate *p;

	if (!ops)
		return tfr_fail(err, TFR_EUSAGE, "no compression level %d: 1 to 9", opts->level);
	TFR_TRY(tfr_compression_check(opts->compression, err));
	p = calloc(1, sizeof(*p));
	TFR_NEED_MEMORY(p, err, "starting to deflate");
	p->ops = ops;
	p->compression = opts->compression;
	p->level = opts->level;
	p->segment = opts->segment	   ? opts->segment
		     : share > SEGMENT	   ? SEGMENT
		     : share > SEGMENT_MIN ? share
					   : SEGMENT_MIN;
	p->ahead = opts->threads / (opts->streams ? opts->streams : 1) + 1;
	p->thrifty = opts->streams > STREAMS_FEW;
	pthread_mutex_init(&p->lock, NULL);
	p->pool = tfr_pool_new(opts->threads);
	if (!p->pool) {
		tfr_parallel_deflate_free(p);
		return tfr_fail_nomem(err, "starting to deflate");
	}
	*out = p;
	return TFR_OK;
}

void tfr_parallel_deflate_free(struct tfr_parallel_deflate *p)
{
	if (!p)
		return;
	tfr_pool_free(p->pool);
	for (struct state *s = p->idle, *next; s; s = next) {
		next = s->next;
		p->ops->clear(s->memory);
		free(s);
	}
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct state *take_state(struct tfr_parallel_deflate *p, struct tfr_error *err)
{
	size_t size = (sizeof(struct state) + p->ops->state_size + 63) / 64 * 64;
	struct state *s;

	pthread_mutex_lock(&p->lock);
	s = p->idle;
	if (s)
		p->idle = s->next;
	pthread_mutex_unlock(&p->lock);
	if (s)
		return s;
	s = aligned_alloc(64, size);
	if (!s) {
		tfr_fail_nomem(err, "deflating");
		return NULL;
	}
	if (p->ops->init(s->memory, p->level, err)) {
		free(s);
		return NULL;
	}
	return s;
}

static void give_back(struct tfr_parallel_deflate *p, struct state *s)
{
	pthread_mutex_lock(&p->lock);
	s->next = p->idle;
	p->idle = s;
	pthread_mutex_unlock(&p->lock);
}

static uint32_t sum_of(enum tfr_compression c, const uint8_t *data, size_t size)
{
	if (c == TFR_COMPRESSION_GZIP)
		return crc32_of(data, size);
	return (uint32_t)adler32_z(1, data, size);
}

static void deflate_segment(struct tfr_pool_job *job)
{
	static const uint8_t empty_block[] = { 0, 0, 0, 0xff, 0xff };
	struct segment *s = (struct segment *)job; /* its first member */
	struct tfr_parallel_deflate *p = s->deflater;
	struct state *state = take_state(p, &s->err);

	s->out.size = 0;
	s->size = s->in.size;
	s->sum = sum_of(p->compression, s->in.data, s->in.size);
	s->status = state ? p->ops->segment(state->memory, s->in.data, s->in.size, s->last, &s->out,
				    &s->err)
			  : TFR_ENOMEM;
	if (!s->status && !s->last && !tfr_buf_append(&s->out, empty_block, sizeof(empty_block)))
		s->status = tfr_fail_nomem(&s->err, "deflating");
	s->in.size = 0;
	if (p->thrifty)
		tfr_buf_clear(&s->in);
	if (state)
		give_back(p, state);
}

enum tfr_status tfr_deflate_stream_open(struct tfr_deflate_stream **out,
	struct tfr_parallel_deflate *p, const struct tfr_deflate_sink *sink, struct tfr_error *err)
{
	unsigned slots = p->ahead + 1;
	struct tfr_deflate_stream *s = calloc(1, sizeof(*s) + slots * sizeof(s->ring[0]));

	TFR_NEED_MEMORY(s, err, "starting to deflate");
	s->deflater = p;
	s->sink = *sink;
	s->slots = slots;
	s->sum = p->compression == TFR_COMPRESSION_GZIP ? 0 : 1;
	for (unsigned i = 0; i < slots; i++) {
		s->ring[i].deflater = p;
		s->ring[i].job.work = deflate_segment;
	}
	*out = s;
	return TFR_OK;
}

void tfr_deflate_stream_close(struct tfr_deflate_stream *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->slots; i++) {
		tfr_pool_take_back(s->deflater->pool, &s->ring[i].job);
		tfr_buf_clear(&s->ring[i].in);
		tfr_buf_clear(&s->ring[i].out);
	}
	free(s);
}

static struct segment *slot_of(struct tfr_deflate_stream *s, uint64_t i)
{
	assert(i - s->first < s->slots); /* only segments in flight, and the one that fills */
	return &s->ring[i % s->slots];
}

static enum tfr_status emit(
	struct tfr_deflate_stream *s, const void *bytes, size_t size, struct tfr_error *err)
{
	s->compressed += size;
	return s->sink.emit(s->sink.ctx, bytes, size, err);
}

/* The fields that zlib writes: no name, no time, made on Unix. */
static enum tfr_status emit_header(struct tfr_deflate_stream *s, struct tfr_error *err)
{
	int level = s->deflater->level;
	uint8_t gzip[10] = { 0x1f, 0x8b, 8, [8] = level == 9 ? 2 : level == 1 ? 4 : 0, [9] = 3 };
	uint8_t zlib[2] = { 0x78, level < 2 ? 0x01 : level < 6 ? 0x5e : level < 7 ? 0x9c : 0xda };

	s->started = true;
	if (s->deflater->compression == TFR_COMPRESSION_GZIP)
		return emit(s, gzip, sizeof(gzip), err);
	return emit(s, zlib, sizeof(zlib), err);
}

static enum tfr_status emit_trailer(struct tfr_deflate_stream *s, struct tfr_error *err)
{
	uint32_t sum = s->sum, size = (uint32_t)s->uncompressed;
	uint8_t gzip[8], zlib[4];

	for (int i = 0; i < 4; i++) {
		gzip[i] = (uint8_t)(sum >> 8 * i);
		gzip[4 + i] = (uint8_t)(size >> 8 * i);
		zlib[i] = (uint8_t)(sum >> 8 * (3 - i));
	}
	if (s->deflater->compression == TFR_COMPRESSION_GZIP)
		return emit(s, gzip, sizeof(gzip), err);
	return emit(s, zlib, sizeof(zlib), err);
}

/* Writes the oldest segment; waits until it is deflated. */
static enum tfr_status emit_first(struct tfr_deflate_stream *s, struct tfr_error *err)
{
	struct segment *first = slot_of(s, s->first);
	enum tfr_status status = s->started ? TFR_OK : emit_header(s, err);

	assert(s->first < s->filling);
	tfr_pool_wait(s->deflater->pool, &first->job);
	s->first++;
	if (first->status && err)
		*err = first->err;
	if (!status)
		status = first->status;
	if (!status)
		status = emit(s, first->out.data, first->out.size, err);
	if (s->deflater->thrifty)
		tfr_buf_clear(&first->out);
	if (s->deflater->compression == TFR_COMPRESSION_GZIP)
		s->sum = (uint32_t)crc32_combine(s->sum, first->sum, (z_off_t)first->size);
	else
		s->sum = (uint32_t)adler32_combine(s->sum, first->sum, (z_off_t)first->size);
	s->uncompressed += first->size;
	if (!status && !first->last && s->sink.point &&
		!s->sink.point(s->sink.ctx, s->compressed, s->uncompressed))
		status = tfr_fail_nomem(err, "noting flush points");
	return status;
}

/* Passes the filled segment to the threads.  If they have enough work already, the caller deflates
 * it itself, which bounds the queue for any number of streams. */
static enum tfr_status cut_segment(struct tfr_deflate_stream *s, bool last, struct tfr_error *err)
{
	struct tfr_pool *pool = s->deflater->pool;
	struct segment *filled = slot_of(s, s->filling++);

	assert(s->filling - s->first <= s->slots);
	filled->last = last;
	tfr_pool_give(pool, &filled->job);
	if (tfr_pool_backlog(pool) > 2 * (size_t)tfr_pool_threads(pool))
		tfr_pool_wait(pool, &filled->job);
	while (s->first < s->filling && (last || s->filling - s->first == s->slots ||
						tfr_pool_done(pool, &slot_of(s, s->first)->job)))
		TFR_TRY(emit_first(s, err));
	return TFR_OK;
}

enum tfr_status tfr_deflate_stream_mark(
	struct tfr_deflate_stream *s, uint64_t size, struct tfr_error *err)
{
	size_t segment = s->deflater->segment, have = slot_of(s, s->filling)->in.size;

	/* Data that does not fit begins a new segment, unless that would leave a small one. */
	if (have >= segment || (have >= segment / 2 && size > most_of(segment) - have))
		return cut_segment(s, false, err);
	return TFR_OK;
}

enum tfr_status tfr_deflate_stream_put(
	struct tfr_deflate_stream *s, const void *data, size_t size, struct tfr_error *err)
{
	size_t most = most_of(s->deflater->segment);
	const uint8_t *p = data;

	while (size) {
		struct tfr_buf *in = &slot_of(s, s->filling)->in;
		size_t room = most - in->size, n = size < room ? size : room;

		if (!n) { /* more than a segment without a mark, and more follows */
			TFR_TRY(cut_segment(s, false, err));
			continue;
		}
		TFR_NEED_MEMORY(tfr_buf_append(in, p, n), err, "deflating");
		p += n;
		size -= n;
	}
	return TFR_OK;
}

enum tfr_status tfr_deflate_stream_end(struct tfr_deflate_stream *s, struct tfr_error *err)
{
	TFR_TRY(cut_segment(s, true, err));
	return emit_trailer(s, err);
}

enum tfr_status tfr_deflate_stream_pause(struct tfr_deflate_stream *s,
	struct tfr_deflate_mark *state, const void **waiting, struct tfr_error *err)
{
	const struct tfr_buf *in = &slot_of(s, s->filling)->in;

	while (s->first < s->filling)
		TFR_TRY(emit_first(s, err));
	*state = (struct tfr_deflate_mark){ s->uncompressed, s->compressed, in->size, s->sum,
		s->started };
	*waiting = in->data;
	return TFR_OK;
}

enum tfr_status tfr_deflate_stream_resume(struct tfr_deflate_stream *s,
	const struct tfr_deflate_mark *state, const void *waiting, struct tfr_error *err)
{
	s->uncompressed = state->uncompressed;
	s->compressed = state->compressed;
	s->sum = state->sum;
	s->started = state->started;
	return tfr_deflate_stream_put(s, waiting, state->waiting, err);
}
