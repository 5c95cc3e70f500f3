/* pipeline/workers.c - the pool: every worker takes the job furthest downstream that has input and
 * room.
 *
 * A job is a row: a claim, which under the lock takes what the job needs or says what it lacks, and
 * a run, which does the work without the lock.  Order is kept where it matters by having one worker
 * at a time pull records, parse them and put them through the shuffle; that takes microseconds a
 * record, decoding takes hundreds.  A worker with nothing to do charges its time to the stages by
 * what each one lacked. */
#include "base/error.h"
#include "pipeline/state.h"

enum lack { LACK_NOTHING, LACK_INPUT, LACK_ROOM };

struct job {
	/* True: claimed.  False: *lack says what was missing; LACK_NOTHING: it is over, or another
	 * worker is at it. */
	bool (*claim)(struct tfr_pipeline *p, struct worker *w, enum lack *lack);
	void (*run)(struct tfr_pipeline *p, struct worker *w); /* returns with the lock held */
	enum stage stages[3];				       /* on whose account it lacks */
	unsigned stage_count;
};

/* ---- the queue between shuffle and what is behind it ---- */

static void fifo_put(struct tfr_pipeline *p, struct sample *s)
{
	p->fifo[(p->fifo_head + p->fifo_count++) % p->fifo_capacity] = s;
}

static struct sample *fifo_take(struct tfr_pipeline *p)
{
	struct sample *s = p->fifo[p->fifo_head];

	p->fifo_head = (p->fifo_head + 1) % p->fifo_capacity;
	p->fifo_count--;
	return s;
}

/* The next sample that has a place in a batch.  False: *lack says what is missing. */
static bool next_placed(struct tfr_pipeline *p, struct sample **s, enum lack *lack)
{
	for (;;) {
		if (!p->fifo_count) {
			*lack = p->fed_all ? LACK_NOTHING : LACK_INPUT;
			return false;
		}
		if (!p->fifo[p->fifo_head]) {
			fifo_take(p);
			if (p->open)
				batch_close(p, p->open);
			if (p->to_assemble)
				return false;
			if (p->fed_all && !p->fifo_count)
				pthread_cond_signal(&p->arrivals);
			continue;
		}
		if (!p->open && !batch_open(p)) {
			*lack = LACK_ROOM;
			return false;
		}
		*s = fifo_take(p);
		p->open->epoch = (*s)->epoch;
		return true;
	}
}

/* ---- decode: a picture to its place ---- */

static bool claim_decode(struct tfr_pipeline *p, struct worker *w, enum lack *lack)
{
	if (!next_placed(p, &w->sample, lack))
		return false;
	w->batch = p->open;
	w->place = p->open->assigned++;
	if (p->open->assigned == p->opts.batch)
		batch_close(p, p->open);
	pipeline_wake_workers(p);
	return true;
}

static void run_decode(struct tfr_pipeline *p, struct worker *w)
{
	size_t floats = (size_t)p->opts.width * p->opts.height * 3;
	float *out = (float *)w->batch->memory + w->place * floats;
	struct counter *decode = &p->counters[STAGE_DECODE], *shape = &p->counters[STAGE_RESIZE];
	uint64_t size = w->sample->size;
	enum tfr_status status = studio_make(&w->studio, &p->recipe, w->sample, out, &w->err);

	if (status)
		pipeline_bad_record(p, w->sample, status, &w->err);
	sample_put(&p->store, w->sample);
	pthread_mutex_lock(&p->lock);
	decode->busy += w->studio.decode_ns;
	shape->busy += w->studio.resize_ns;
	if (status == TFR_OK) {
		decode->items++;
		decode->bytes += size;
		shape->items++;
		shape->bytes += floats * sizeof(float);
	}
	batch_done(p, w->batch, w->place, status == TFR_OK, size);
}

/* ---- batch: payloads of a whole batch ---- */

static bool claim_batch(struct tfr_pipeline *p, struct worker *w, enum lack *lack)
{
	struct sample *s;

	for (;;) {
		if (p->to_assemble) {
			w->batch = p->to_assemble;
			p->to_assemble = NULL;
			pipeline_wake_workers(p);
			return true;
		}
		if (next_placed(p, &s, lack)) {
			struct staging *b = p->open;

			b->samples[b->assigned++] = s;
			b->payload_bytes += s->size;
			if (b->assigned == p->opts.batch)
				batch_close(p, b);
		} else if (!p->to_assemble) {
			return false;
		}
	}
}

static void run_batch(struct tfr_pipeline *p, struct worker *w)
{
	uint64_t start = tfr_clock_ns();
	enum tfr_status status = batch_assemble(p, w->batch, &w->err);

	pthread_mutex_lock(&p->lock);
	p->counters[STAGE_BATCH].busy += tfr_clock_ns() - start;
	if (status)
		pipeline_fail(p, status, &w->err);
	else
		batch_ready(p, w->batch);
}

/* ---- feed: pull, parse, shuffle; one worker at a time ---- */

static bool claim_feed(struct tfr_pipeline *p, struct worker *w, enum lack *lack)
{
	unsigned room = p->fifo_capacity - p->fifo_count;
	unsigned grain = p->pictures ? GRAIN_PICTURES : GRAIN_PAYLOADS;
	enum pull pull = PULL_WAIT;

	*lack = LACK_NOTHING;
	if (p->feeding || p->fed_all)
		return false;
	/* Each record that goes in may push one out, and an epoch may end. */
	if (room < 3) {
		*lack = LACK_ROOM;
		return false;
	}
	w->pulled_count = 0;
	while (!p->pulled_all && w->pulled_count < grain && w->pulled_count + 2 < room) {
		pull = source_pull(p, &w->pulled[w->pulled_count]);
		if (pull != PULL_RECORD)
			break;
		w->pulled_count++;
	}
	/* While one epoch drains the next may be let in, but not ended. */
	w->epoch_ends = !p->pulled_all && (pull == PULL_EPOCH || pull == PULL_ERROR) &&
			!p->shuffle.front_closed;
	if (!w->pulled_count && !w->epoch_ends && !tfr_shuffler_ready(&p->shuffle) &&
		!tfr_shuffler_drained(&p->shuffle)) {
		*lack = LACK_INPUT;
		return false;
	}
	p->feeding = true;
	return true;
}

static enum tfr_status find_picture(struct tfr_pipeline *p, struct sample *s, struct tfr_error *err)
{
	enum tfr_status status = tfr_example_parse(p->example, s->data, s->size, err);
	struct tfr_bytes picture;

	if (status)
		return status;
	if (!tfr_feature_bytes(tfr_example_get(p->example, "image/encoded"), 0, &picture))
		return tfr_fail(err, TFR_EDATA, "no image/encoded");
	s->picture = picture.data;
	s->picture_size = picture.size;
	return TFR_OK;
}

/* Parses what was pulled; what has no picture leaves the row. */
static void parse_pulled(struct tfr_pipeline *p, struct worker *w, uint64_t *bytes)
{
	unsigned kept = 0;

	*bytes = 0;
	for (unsigned i = 0; i < w->pulled_count; i++) {
		struct sample *s = w->pulled[i];
		enum tfr_status status = p->pictures ? find_picture(p, s, &w->err) : TFR_OK;

		if (status) {
			pipeline_bad_record(p, s, status, &w->err);
			sample_put(&p->store, s);
			continue;
		}
		*bytes += s->size;
		w->pulled[kept++] = s;
	}
	w->pulled_count = kept;
}

/* Hands out what the shuffle gives, and ends its epochs. */
static void drain(struct tfr_pipeline *p)
{
	struct counter *c = &p->counters[STAGE_SHUFFLE];

	while (p->fifo_capacity - p->fifo_count > 1) {
		if (tfr_shuffler_ready(&p->shuffle)) {
			struct sample *s = tfr_shuffler_pop(&p->shuffle);

			c->items++;
			c->bytes += s->size;
			fifo_put(p, s);
		} else if (tfr_shuffler_drained(&p->shuffle)) {
			fifo_put(p, NULL);
			if (p->pulled_all) {
				p->fed_all = true;
				return;
			}
			tfr_shuffler_next_epoch(&p->shuffle);
		} else {
			return;
		}
	}
}

static void end_epoch(struct tfr_pipeline *p)
{
	uint64_t done = p->source.epoch + 1;

	tfr_shuffler_close_epoch(&p->shuffle);
	/* An epoch without a record would be followed by another, for ever. */
	if (p->ended || p->source.ordinal == 0 || done == p->opts.epochs)
		p->pulled_all = true;
	else
		source_next_epoch(p);
}

static void run_feed(struct tfr_pipeline *p, struct worker *w)
{
	uint64_t start = tfr_clock_ns(), parsed, bytes;

	parse_pulled(p, w, &bytes);
	parsed = tfr_clock_ns();
	pthread_mutex_lock(&p->lock);
	if (p->pictures) {
		p->counters[STAGE_PARSE].busy += parsed - start;
		p->counters[STAGE_PARSE].items += w->pulled_count;
		p->counters[STAGE_PARSE].bytes += bytes;
	}
	for (unsigned i = 0; i < w->pulled_count; i++) {
		if (tfr_shuffler_full(&p->shuffle))
			drain(p);
		tfr_shuffler_push(&p->shuffle, w->pulled[i], w->pulled[i]->size);
	}
	if (w->epoch_ends)
		end_epoch(p);
	drain(p);
	p->counters[STAGE_SHUFFLE].busy += tfr_clock_ns() - parsed;
	p->feeding = false;
	pipeline_wake_workers(p);
}

/* ---- the pool ---- */

static const struct job picture_jobs[] = {
	{ claim_decode, run_decode, { STAGE_DECODE, STAGE_RESIZE, STAGE_BATCH }, 3 },
	{ claim_feed, run_feed, { STAGE_PARSE, STAGE_SHUFFLE }, 2 },
};

static const struct job payload_jobs[] = {
	{ claim_batch, run_batch, { STAGE_BATCH }, 1 },
	{ claim_feed, run_feed, { STAGE_SHUFFLE }, 1 },
};

enum { JOBS = 2 };

static void charge_stages(
	struct tfr_pipeline *p, struct worker *w, const struct job *job, enum lack lack)
{
	for (unsigned i = 0; lack && i < job->stage_count; i++) {
		struct counter *c = &p->counters[job->stages[i]];

		span_charge(&w->idle, lack == LACK_INPUT ? &c->starved : &c->blocked);
	}
}

/* Why the pool as a whole has less work than workers. */
static void charge_pool(struct tfr_pipeline *p, struct worker *w, const enum lack *lacks)
{
	if (lacks[0] == LACK_ROOM)
		span_charge(&w->idle, &p->pool_blocked);
	else if (lacks[1] == LACK_INPUT)
		span_charge(&w->idle, &p->pool_starved);
	else if (p->feeding)
		span_charge(&w->idle, &p->pool_serial);
}

/* Finds a job, downstream first; NULL once all is over. */
static const struct job *next_job(struct tfr_pipeline *p, struct worker *w)
{
	const struct job *jobs = p->pictures ? picture_jobs : payload_jobs;

	while (!p->stopping) {
		enum lack lacks[JOBS] = { LACK_NOTHING };

		/* Let the queue run dry, and all but the one who then feeds it stand idle. */
		if (p->fifo_count < p->opts.threads && jobs[JOBS - 1].claim(p, w, &lacks[JOBS - 1]))
			return &jobs[JOBS - 1];
		for (unsigned i = 0; i < JOBS; i++)
			if (jobs[i].claim(p, w, &lacks[i]))
				return &jobs[i];
		w->idle = (struct span){ .since = tfr_clock_ns() };
		for (unsigned i = 0; i < JOBS; i++)
			charge_stages(p, w, &jobs[i], lacks[i]);
		charge_pool(p, w, lacks);
		p->idle_workers++;
		pthread_cond_wait(&p->work, &p->lock);
		p->idle_workers--;
		span_end(&w->idle);
	}
	return NULL;
}

void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct tfr_pipeline *p = w->p;
	const struct job *job;

	pthread_mutex_lock(&p->lock);
	while ((job = next_job(p, w))) {
		pthread_mutex_unlock(&p->lock);
		job->run(p, w);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}
