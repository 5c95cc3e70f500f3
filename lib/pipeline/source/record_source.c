/* pipeline/source/record_source.c - the order in which the records of all files come.
 *
 * It is that of sweep/interleave.h.  A place gets its next file as soon as the end of its file is
 * seen, so that reading is ahead when its turn comes.
 *
 * Only the thread that takes records, with the lock, moves the turn; readers only fill their
 * queues. */
#include "pipeline/source/record_source.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/rng.h"
#include "pipeline/source/file_reader.h"

enum { BLOCK_SIZE = 512 << 10, BLOCK_MIN = 32 << 10, READ_MAX = 8 << 20 };

enum pull_result { PULL_RECORD, PULL_WAIT, PULL_EPOCH, PULL_ERROR };

/* Gives the place a file; SIZE_MAX: none is left. */
static void assign(struct tfr_record_source *src, struct tfr_file_reader *r, size_t file)
{
	assert(!r->path && !r->head);
	r->ended = false;
	if (file == SIZE_MAX)
		return;
	r->file = src->order ? src->order[file] : (uint32_t)file;
	r->path = tfr_set_path(src->set->opts.set, r->file);
	pthread_cond_signal(&r->change.changed);
}

static struct tfr_feed_sample *take(struct tfr_record_source *src, struct tfr_file_reader *r)
{
	struct tfr_record_chunk *chunk = r->head;
	struct tfr_feed_sample *s = &chunk->samples[chunk->at++];
	bool above = r->bytes > r->low;

	assert(chunk->at <= chunk->count && r->bytes >= s->size + sizeof(*s));
	r->bytes -= s->size + sizeof(*s);
	if (chunk->at == chunk->count) {
		r->head = chunk->next;
		if (!r->head)
			r->tail = NULL;
	}
	if (above && (r->bytes <= r->low || !r->head))
		pthread_cond_signal(&r->change.changed);
	s->epoch = src->epoch;
	s->ordinal = src->ordinal++;
	tfr_interleave_take(&src->turns, 1);
	return s;
}

/* PULL_EPOCH until next_epoch(); PULL_ERROR: src->fault says which. */
static enum pull_result pull(struct tfr_record_source *src, struct tfr_feed_sample **sample)
{
	while (tfr_interleave_more(&src->turns)) {
		struct tfr_file_reader *r = &src->readers[src->turns.turn];

		if (r->head) {
			*sample = take(src, r);
			return PULL_RECORD;
		}
		if (r->path) {
			atomic_store(&r->hungry, true);
			return PULL_WAIT;
		}
		if (r->ended && r->status != TFR_END) {
			src->fault = r->status;
			src->err = r->err;
			return PULL_ERROR;
		}
		if (r->ended)
			assign(src, r, tfr_interleave_end(&src->turns));
		else
			tfr_interleave_pass(&src->turns);
	}
	return PULL_EPOCH;
}

static void draw_order(struct tfr_record_source *src)
{
	uint32_t files = (uint32_t)tfr_set_count(src->set->opts.set);
	struct tfr_rng rng;

	for (uint32_t i = 0; i < files; i++)
		src->order[i] = i;
	tfr_rng_init(&rng, src->set->opts.seed, src->epoch);
	tfr_rng_shuffle(&rng, src->order, files, sizeof(*src->order));
}

static void next_epoch(struct tfr_record_source *src)
{
	src->epoch++;
	src->ordinal = 0;
	if (src->order)
		draw_order(src);
	for (uint32_t i = 0; i < src->count; i++)
		assign(src, &src->readers[i], i);
}

/* An epoch without a record would be followed by another, forever. */
static void end_epoch(struct tfr_record_source *src)
{
	if (src->fault || src->ordinal == 0 || (src->epochs && src->epoch + 1 >= src->epochs)) {
		src->over = true;
		return;
	}
	tfr_interleave_start(&src->turns);
	next_epoch(src);
}

unsigned tfr_record_source_take(
	struct tfr_record_source *src, struct tfr_feed_sample **to, unsigned max)
{
	unsigned n = 0;

	while (n < max && !src->over) {
		enum pull_result got = pull(src, &to[n]);

		if (got == PULL_WAIT)
			break;
		n++;
		if (got == PULL_RECORD)
			continue;
		to[n - 1] = NULL;
		end_epoch(src);
		break;
	}
	return n;
}

bool tfr_record_source_over(const struct tfr_record_source *src)
{
	return src->over;
}

enum tfr_status tfr_record_source_fault(const struct tfr_record_source *src, struct tfr_error *err)
{
	if (src->fault && err)
		*err = src->err;
	return src->fault;
}

uint64_t tfr_record_source_epoch(const struct tfr_record_source *src)
{
	return src->epoch;
}

void tfr_record_source_end_with_epoch(struct tfr_record_source *src)
{
	src->epochs = src->epoch + 1;
}

/* ---- the queues ---- */

uint64_t tfr_record_source_waiting(const struct tfr_record_source *src)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < src->count; i++)
		for (const struct tfr_record_chunk *c = src->readers[i].head; c; c = c->next)
			count += c->count - c->at;
	return count;
}

bool tfr_record_source_has_next(const struct tfr_record_source *src)
{
	return !src->over && src->readers[src->turns.turn].head;
}

const char *tfr_record_source_waits_for(const struct tfr_record_source *src)
{
	return src->count ? src->readers[src->turns.turn].path : NULL;
}

unsigned tfr_record_source_readers(const struct tfr_record_source *src)
{
	return src->count;
}

bool tfr_record_source_has_first(
	const struct tfr_record_source *src, uint64_t enough, uint64_t *records)
{
	bool all_stand = true, all_begun = true;

	*records = 0;
	for (uint32_t i = 0; i < src->count; i++) {
		const struct tfr_file_reader *r = &src->readers[i];

		for (const struct tfr_record_chunk *c = r->head; c; c = c->next)
			*records += c->count;
		if (r->path && r->bytes < src->budget)
			all_stand = false;
		if (r->path && !r->head)
			all_begun = false;
	}
	return all_stand || (all_begun && *records >= enough);
}

void tfr_record_source_hurry(struct tfr_record_source *src)
{
	for (uint32_t i = 0; i < src->count; i++)
		atomic_store(&src->readers[i].hungry, true);
}

void tfr_record_source_each(const struct tfr_record_source *src,
	bool (*look)(void *ctx, const struct tfr_feed_sample *s), void *ctx)
{
	for (uint32_t i = 0; i < src->count; i++)
		for (const struct tfr_record_chunk *c = src->readers[i].head; c; c = c->next)
			for (uint32_t k = c->at; k < c->count; k++)
				if (!look(ctx, &c->samples[k]))
					return;
}

enum tfr_status tfr_record_source_first_fault(
	const struct tfr_record_source *src, struct tfr_error *err)
{
	for (uint32_t i = 0; i < src->count; i++) {
		const struct tfr_file_reader *r = &src->readers[i];

		if (r->ended && r->status != TFR_END) {
			if (err)
				*err = r->err;
			return r->status;
		}
	}
	return TFR_OK;
}

bool tfr_record_source_compressed(const struct tfr_record_source *src)
{
	bool compressed = false;

	for (uint32_t i = 0; i < src->count; i++)
		compressed |= src->readers[i].compressed;
	return compressed;
}

/* Each reader has its queue, and beside it the block that it fills, one that it has just handed on
 * and one that is being used up; each of the two may hold one large record. */
uint64_t tfr_record_source_bytes(const struct tfr_record_source *src, uint64_t largest)
{
	return src->count * (src->budget + 3 * src->block_size + 2 * largest) +
	       src->blocks.idle_limit;
}

/* ---- from start to end ---- */

static void size_blocks(struct tfr_record_source *src, size_t files)
{
	uint32_t cycle = src->set->cycle > files && files ? (uint32_t)files : src->set->cycle;
	uint64_t all = src->set->opts.memory / 32, budget, block;

	all = all < READ_MAX ? all : READ_MAX;
	budget = all / cycle;
	block = budget / 4 < BLOCK_SIZE ? budget / 4 : BLOCK_SIZE;
	block = block < BLOCK_MIN ? BLOCK_MIN : block;
	src->budget = budget ? budget : 1; /* of 0, the queues would be full without a record */
	src->block_size = (size_t)block;
	tfr_block_pool_init(&src->blocks, all > (cycle + 2) * block ? all : (cycle + 2) * block);
}

static enum tfr_status allocate(struct tfr_record_source *src, struct tfr_error *err)
{
	size_t files = tfr_set_count(src->set->opts.set);

	size_blocks(src, files);
	tfr_interleave_init(&src->turns, files, src->set->cycle, src->set->block_length);
	src->count = src->set->cycle < files ? src->set->cycle : (uint32_t)files;
	src->readers = calloc(src->count ? src->count : 1, sizeof(*src->readers));
	if (src->set->opts.shuffle_files)
		src->order = calloc(files ? files : 1, sizeof(*src->order));
	if (!src->readers || (src->set->opts.shuffle_files && !src->order))
		return tfr_fail_nomem(err, "starting to read");
	src->cancel = eventfd(0, EFD_CLOEXEC);
	if (src->cancel < 0)
		return tfr_fail(err, TFR_ESYS, "cannot start to read: %s", strerror(errno));
	return TFR_OK;
}

static enum tfr_status start(struct tfr_record_source *src, struct tfr_error *err)
{
	pthread_mutex_lock(&src->control->lock);
	for (uint32_t i = 0; i < src->count; i++) {
		src->readers[i].source = src;
		src->readers[i].number = src->set->opts.threads + i;
		tfr_feed_add_waiter(src->control, &src->readers[i].change);
		tfr_statistics_watch(src->statistics, &src->readers[i].span);
	}
	src->epoch = (uint64_t)-1;
	next_epoch(src);
	pthread_mutex_unlock(&src->control->lock);
	for (uint32_t i = 0; i < src->count; i++) {
		struct tfr_file_reader *r = &src->readers[i];
		int rc = pthread_create(&r->thread, NULL, tfr_file_reader_main, r);

		if (rc)
			return tfr_fail(
				err, TFR_ESYS, "cannot start a reading thread: %s", strerror(rc));
		r->started = true;
	}
	return TFR_OK;
}

enum tfr_status tfr_record_source_open(
	struct tfr_record_source **out, const struct tfr_feed_context *feed, struct tfr_error *err)
{
	struct tfr_record_source *src = calloc(1, sizeof(*src));
	enum tfr_status status;

	*out = src;
	if (!src)
		return tfr_fail_nomem(err, "starting to read");
	src->set = feed->set;
	src->control = feed->control;
	src->statistics = feed->statistics;
	src->epochs = feed->set->source_epochs;
	src->cancel = -1;
	status = allocate(src, err);
	return status ? status : start(src, err);
}

static void close_reader(struct tfr_record_source *src, struct tfr_file_reader *r)
{
	if (!r->source) /* it was never set up */
		return;
	pthread_mutex_lock(&src->control->lock);
	pthread_cond_signal(&r->change.changed);
	pthread_mutex_unlock(&src->control->lock);
	if (r->started)
		pthread_join(r->thread, NULL);
	while (r->head) {
		struct tfr_record_chunk *chunk = r->head;

		r->head = chunk->next;
		tfr_record_chunk_drop(chunk);
	}
	pthread_cond_destroy(&r->change.changed);
}

/* The feed is stopping: no reader begins another file, and the event ends the wait of one that
 * reads a silent pipe. */
void tfr_record_source_close(struct tfr_record_source *src)
{
	if (!src)
		return;
	if (src->cancel >= 0)
		eventfd_write(src->cancel, 1);
	for (uint32_t i = 0; src->readers && i < src->count; i++)
		close_reader(src, &src->readers[i]);
	if (src->cancel >= 0)
		close(src->cancel);
	free(src->readers);
	free(src->order);
	tfr_block_pool_clear(&src->blocks);
	free(src);
}
