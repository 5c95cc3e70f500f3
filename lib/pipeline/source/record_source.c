/* pipeline/source/record_source.c - the order that the records of all files come in.
 *
 * It is that of tf.data's deterministic interleave(cycle_length, block_length): a block from each
 * place in turn; a file that ends cuts its block short, and its place takes the next file.  An
 * empty file takes up one visit.  A place is given its next file as soon as its end is seen: which
 * file it gets is the same as if it were given when the cycle comes back to it, and reading is
 * ahead by then.
 *
 * Only whoever takes, with the lock, moves the turn; the threads only fill their queues. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/rng.h"
#include "pipeline/state.h"

/* Gives the place the next file, if there is one. */
static void assign(struct tfr_pipeline *p, struct tfr_file_reader *r)
{
	struct tfr_record_source *src = &p->source;
	uint64_t next = src->next_file;

	r->ended = false;
	r->taken = 0;
	if (next == tfr_set_count(p->opts.set))
		return;
	src->next_file++;
	r->file = src->order ? src->order[next] : (uint32_t)next;
	r->path = tfr_set_path(p->opts.set, r->file);
	pthread_cond_signal(&r->change);
}

static void advance(struct tfr_record_source *src)
{
	src->readings[src->turn].taken = 0;
	src->turn = (src->turn + 1) % src->count;
}

static struct tfr_feed_sample *take(struct tfr_pipeline *p, struct tfr_file_reader *r)
{
	struct tfr_record_source *src = &p->source;
	struct tfr_record_chunk *g = r->head;
	struct tfr_feed_sample *s = &g->samples[g->at++];
	bool above_half = r->bytes > src->budget / 2;

	r->bytes -= s->size + sizeof(*s);
	if (g->at == g->count) {
		r->head = g->next;
		if (!r->head)
			r->tail = NULL;
	}
	if (above_half && (r->bytes <= src->budget / 2 || !r->head))
		pthread_cond_signal(&r->change);
	s->epoch = src->epoch;
	s->ordinal = src->ordinal++;
	if (++r->taken == p->block_length)
		advance(src);
	return s;
}

/* PULL_EPOCH until next_epoch(); PULL_ERROR: p->end says which. */
static enum pull_result pull(struct tfr_pipeline *p, struct tfr_feed_sample **sample)
{
	struct tfr_record_source *src = &p->source;

	for (uint32_t without = 0; without < src->count;) {
		struct tfr_file_reader *r = &src->readings[src->turn];

		if (r->head) {
			*sample = take(p, r);
			return PULL_RECORD;
		}
		if (r->path) {
			atomic_store(&r->hungry, true);
			return PULL_WAIT;
		}
		if (r->ended && r->status != TFR_END) {
			p->ended = r->status;
			p->end = r->err;
			return PULL_ERROR;
		}
		without = r->ended ? 0 : without + 1;
		assign(p, r);
		advance(src);
	}
	return PULL_EPOCH;
}

static void draw_order(struct tfr_pipeline *p)
{
	struct tfr_record_source *src = &p->source;
	uint32_t files = (uint32_t)tfr_set_count(p->opts.set);
	struct tfr_rng rng;

	for (uint32_t i = 0; i < files; i++)
		src->order[i] = i;
	tfr_rng_init(&rng, p->opts.seed, src->epoch);
	tfr_rng_shuffle(&rng, src->order, files, sizeof(*src->order));
}

static void next_epoch(struct tfr_pipeline *p)
{
	struct tfr_record_source *src = &p->source;

	src->epoch++;
	src->ordinal = 0;
	src->next_file = 0;
	src->turn = 0;
	if (src->order)
		draw_order(p);
	for (uint32_t i = 0; i < src->count; i++)
		assign(p, &src->readings[i]);
}

/* An epoch without a record would be followed by another, for ever. */
static void end_epoch(struct tfr_pipeline *p)
{
	struct tfr_record_source *src = &p->source;

	if (p->ended || src->ordinal == 0 || (src->epochs && src->epoch + 1 >= src->epochs))
		src->over = true;
	else
		next_epoch(p);
}

unsigned tfr_record_source_take(struct tfr_pipeline *p, struct tfr_feed_sample **to, unsigned max)
{
	unsigned n = 0;

	while (n < max && !p->source.over) {
		enum pull_result got = pull(p, &to[n]);

		if (got == PULL_WAIT)
			break;
		n++;
		if (got == PULL_RECORD)
			continue;
		to[n - 1] = NULL;
		end_epoch(p);
		break;
	}
	return n;
}

/* What comes through a pipe comes once. */
bool tfr_record_source_can_repeat(const struct tfr_pipeline *p)
{
	for (size_t i = 0; i < tfr_set_count(p->opts.set); i++)
		if (strcmp(tfr_set_path(p->opts.set, i), "-") == 0)
			return false;
	return true;
}

const char *tfr_record_source_waits_for(const struct tfr_pipeline *p)
{
	const struct tfr_record_source *src = &p->source;

	return src->count ? src->readings[src->turn].path : NULL;
}

enum tfr_status tfr_record_source_start(struct tfr_pipeline *p, struct tfr_error *err)
{
	struct tfr_record_source *src = &p->source;
	size_t files = tfr_set_count(p->opts.set);

	src->count = p->cycle < files ? p->cycle : (uint32_t)files;
	src->readings = calloc(src->count ? src->count : 1, sizeof(*src->readings));
	if (p->opts.shuffle_files)
		src->order = calloc(files ? files : 1, sizeof(*src->order));
	if (!src->readings || (p->opts.shuffle_files && !src->order))
		return tfr_fail_nomem(err, "starting to read");
	for (uint32_t i = 0; i < src->count; i++) {
		src->readings[i].p = p;
		pthread_cond_init(&src->readings[i].change, NULL);
	}
	src->cancel = eventfd(0, EFD_CLOEXEC);
	if (src->cancel < 0)
		return tfr_fail(err, TFR_ESYS, "cannot start to read: %s", strerror(errno));
	src->epoch = (uint64_t)-1;
	next_epoch(p);
	for (uint32_t i = 0; i < src->count; i++) {
		struct tfr_file_reader *r = &src->readings[i];
		int rc = pthread_create(&r->thread, NULL, tfr_file_reader_main, r);

		if (rc)
			return tfr_fail(
				err, TFR_ESYS, "cannot start a reading thread: %s", strerror(rc));
		r->started = true;
	}
	return TFR_OK;
}

/* `stopping` is set: no reader begins another file, and the event ends the wait of one that reads a
 * silent pipe. */
void tfr_record_source_stop(struct tfr_pipeline *p)
{
	struct tfr_record_source *src = &p->source;

	if (!src->readings)
		return;
	if (src->cancel >= 0)
		eventfd_write(src->cancel, 1);
	for (uint32_t i = 0; i < src->count; i++) {
		struct tfr_file_reader *r = &src->readings[i];

		pthread_mutex_lock(&p->lock);
		pthread_cond_signal(&r->change);
		pthread_mutex_unlock(&p->lock);
		if (r->started)
			pthread_join(r->thread, NULL);
		while (r->head) {
			struct tfr_record_chunk *g = r->head;

			r->head = g->next;
			tfr_record_chunk_drop(g);
		}
		pthread_cond_destroy(&r->change);
	}
	if (src->cancel >= 0)
		close(src->cancel);
	free(src->readings);
	free(src->order);
	src->readings = NULL;
}
