/* pipeline/source.c - reading: a thread a place in the cycle, and the order their records come in.
 *
 * The order is tf.data's deterministic interleave(cycle_length, block_length): a block from each
 * place in turn; a file that ends cuts its block short, and its place takes the next file.  An
 * empty file takes up one visit.  A place is given its next file as soon as its end is seen: which
 * file it gets is the same as if it were given when the cycle comes back to it, and reading is
 * ahead by then.
 *
 * Only whoever pulls (one worker at a time) moves the turn; the threads only fill their queues. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/state.h"

enum { GROUP_BYTES = 32 << 10, GROUP_RECORDS = 64 };

/* Records read but not yet queued: small ones are handed over together. */
struct group {
	struct sample *head, *tail;
	uint64_t bytes;
	unsigned count;
};

/* Queues the group, then waits until there is room for another.  A full queue is filled again when
 * half of it is gone: woken for each record, a thread would cost a switch a record.  False: all is
 * over. */
static bool hand_over(struct reading *r, struct group *g, bool compressed)
{
	struct tfr_pipeline *p = r->p;
	struct counter *c = &p->counters[STAGE_READ];
	bool go_on;

	pthread_mutex_lock(&p->lock);
	span_end(&r->span);
	r->compressed = compressed;
	if (g->head) {
		if (r->tail)
			r->tail->next = g->head;
		else
			r->head = g->head;
		r->tail = g->tail;
		r->bytes += g->bytes;
		c->items += g->count;
		c->bytes += g->bytes;
		*g = (struct group){ 0 };
		if (atomic_exchange(&r->hungry, false)) {
			pipeline_wake_workers(p);
			pthread_cond_signal(&p->arrivals);
		}
	}
	span_charge(&r->span, &c->blocked);
	if (r->bytes >= p->source.budget)
		while (!p->stopping && r->head && r->bytes > p->source.budget / 2)
			pthread_cond_wait(&r->change, &p->lock);
	span_end(&r->span);
	span_charge(&r->span, &c->busy);
	go_on = !p->stopping;
	pthread_mutex_unlock(&p->lock);
	return go_on;
}

/* Copies the record: the only copy its bytes see before they are decoded. */
static enum tfr_status keep(
	struct reading *r, struct group *g, const struct tfr_record *rec, struct tfr_error *err)
{
	struct sample *s = sample_get(&r->p->store, rec->size);

	if (!s)
		return tfr_fail_nomem(err, "reading a record");
	memcpy(s->data, rec->data, rec->size);
	s->record = rec->index;
	s->offset = rec->offset;
	s->file = r->file;
	if (g->tail)
		g->tail->next = s;
	else
		g->head = s;
	g->tail = s;
	g->bytes += rec->size;
	g->count++;
	return TFR_OK;
}

/* One file being read: what a cancelled thread must not leave behind. */
struct open_file {
	struct tfr_reader *reader;
	struct group group;
	struct sample_store *store;
};

static void close_file(void *arg)
{
	struct open_file *f = arg;

	tfr_reader_close(f->reader);
	while (f->group.head) {
		struct sample *s = f->group.head;

		f->group.head = s->next;
		sample_put(f->store, s);
	}
}

/* A read that never returns (a FIFO nobody writes to) must not keep the feed from closing: only
 * in here may source_stop() cancel this thread. */
static enum tfr_status next_record(
	struct open_file *f, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	status = tfr_reader_next(f->reader, rec, err);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return status;
}

static enum tfr_status read_records(struct reading *r, struct open_file *f)
{
	struct tfr_record rec;
	bool go_on = true;
	enum tfr_status status = TFR_OK;

	while (go_on && status == TFR_OK) {
		struct group *g = &f->group;

		status = next_record(f, &rec, &r->err);
		if (status == TFR_OK)
			status = keep(r, g, &rec, &r->err);
		if (g->head && (status || g->bytes >= GROUP_BYTES || g->count == GROUP_RECORDS ||
				       atomic_load(&r->hungry)))
			go_on = hand_over(
				r, g, tfr_reader_compression(f->reader) != TFR_COMPRESSION_NONE);
	}
	return status;
}

/* Reads one file to its end.  `r->err` is this thread's until `ended` is set. */
static enum tfr_status read_file(struct reading *r, const char *path)
{
	/* A thread a file as it is, which may be cancelled. */
	const struct tfr_reader_opts opts = { .compression = r->p->opts.compression, .threads = 1 };
	struct open_file f = { .store = &r->p->store };
	enum tfr_status status;

	pthread_cleanup_push(close_file, &f);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL); /* opening a FIFO may hang, too */
	status = tfr_reader_open(&f.reader, path, &opts, &r->err);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	if (status == TFR_OK)
		status = read_records(r, &f);
	pthread_cleanup_pop(1);
	return status;
}

static void *reading_main(void *arg)
{
	struct reading *r = arg;
	struct tfr_pipeline *p = r->p;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_mutex_lock(&p->lock);
	while (!p->stopping) {
		if (!r->path) {
			pthread_cond_wait(&r->change, &p->lock);
			continue;
		}
		r->span = (struct span){ .since = tfr_clock_ns() };
		span_charge(&r->span, &p->counters[STAGE_READ].busy);
		pthread_mutex_unlock(&p->lock);
		r->status = read_file(r, r->path);
		pthread_mutex_lock(&p->lock);
		span_end(&r->span);
		r->path = NULL;
		r->ended = true;
		pipeline_wake_workers(p);
		pthread_cond_signal(&p->arrivals);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Gives the place the next file, if there is one. */
static void assign(struct tfr_pipeline *p, struct reading *r)
{
	struct source *src = &p->source;

	r->ended = false;
	r->taken = 0;
	if (src->next_file == tfr_set_count(p->opts.set))
		return;
	r->file = (uint32_t)src->next_file++;
	r->path = tfr_set_path(p->opts.set, r->file);
	pthread_cond_signal(&r->change);
}

static void advance(struct source *src)
{
	src->readings[src->turn].taken = 0;
	src->turn = (src->turn + 1) % src->count;
}

static struct sample *take(struct tfr_pipeline *p, struct reading *r)
{
	struct source *src = &p->source;
	struct sample *s = r->head;
	bool above_half = r->bytes > src->budget / 2;

	r->head = s->next;
	if (!r->head)
		r->tail = NULL;
	r->bytes -= s->size;
	if (above_half && (r->bytes <= src->budget / 2 || !r->head))
		pthread_cond_signal(&r->change);
	s->next = NULL;
	s->epoch = src->epoch;
	s->ordinal = src->ordinal++;
	if (++r->taken == p->opts.block_length)
		advance(src);
	return s;
}

enum pull source_pull(struct tfr_pipeline *p, struct sample **sample)
{
	struct source *src = &p->source;

	for (uint32_t without = 0; without < src->count;) {
		struct reading *r = &src->readings[src->turn];

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

void source_next_epoch(struct tfr_pipeline *p)
{
	struct source *src = &p->source;

	src->epoch++;
	src->ordinal = 0;
	src->next_file = 0;
	src->turn = 0;
	for (uint32_t i = 0; i < src->count; i++)
		assign(p, &src->readings[i]);
}

/* What comes through a pipe comes once. */
bool source_can_repeat(const struct tfr_pipeline *p)
{
	for (size_t i = 0; i < tfr_set_count(p->opts.set); i++)
		if (strcmp(tfr_set_path(p->opts.set, i), "-") == 0)
			return false;
	return true;
}

enum tfr_status source_start(struct tfr_pipeline *p, struct tfr_error *err)
{
	struct source *src = &p->source;
	size_t files = tfr_set_count(p->opts.set);

	src->count = p->opts.cycle_length < files ? p->opts.cycle_length : (uint32_t)files;
	src->readings = calloc(src->count ? src->count : 1, sizeof(*src->readings));
	if (!src->readings)
		return tfr_fail_nomem(err, "starting to read");
	for (uint32_t i = 0; i < src->count; i++) {
		src->readings[i].p = p;
		pthread_cond_init(&src->readings[i].change, NULL);
	}
	src->epoch = (uint64_t)-1;
	source_next_epoch(p);
	for (uint32_t i = 0; i < src->count; i++) {
		struct reading *r = &src->readings[i];
		int rc = pthread_create(&r->thread, NULL, reading_main, r);

		if (rc)
			return tfr_fail(
				err, TFR_ESYS, "cannot start a reading thread: %s", strerror(rc));
		r->started = true;
	}
	return TFR_OK;
}

/* `stopping` is set.  A thread that sits in a read for more than a second is cancelled there. */
void source_stop(struct tfr_pipeline *p)
{
	struct source *src = &p->source;
	struct timespec limit;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec++;
	for (uint32_t i = 0; src->readings && i < src->count; i++) {
		struct reading *r = &src->readings[i];

		pthread_mutex_lock(&p->lock);
		pthread_cond_signal(&r->change);
		pthread_mutex_unlock(&p->lock);
		if (r->started && pthread_timedjoin_np(r->thread, NULL, &limit)) {
			pthread_cancel(r->thread);
			pthread_join(r->thread, NULL);
		}
		while (r->head) {
			struct sample *s = r->head;

			r->head = s->next;
			sample_put(&p->store, s);
		}
		pthread_cond_destroy(&r->change);
	}
	free(src->readings);
	src->readings = NULL;
}
