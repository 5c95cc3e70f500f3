/* inspect/stats/order.c - measures how well records are shuffled, judged by their classes.
 *
 * Classes are looked up on all processors and processed in the order of the files.  Their numbers
 * are kept, so the files can also be interleaved afterwards.  Shuffle buffers of all sizes run in
 * parallel with one random draw per record.  As in tf.data's shuffle(), a full buffer emits a
 * uniformly drawn record, and the next record takes its place. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/rng.h"
#include "inspect/stats/facts.h"
#include "inspect/stats/order.h"
#include "sweep/sweep.h"
#include "xxhash.h"

enum { CLASSES = 1 << 16, LEAST_POWER = 4, MOST_POWER = 17 };
enum {
	BUFFERS = MOST_POWER - LEAST_POWER + 2
}; /* the first is the one that the caller requested */

enum { MOST_ORDERED = 1 << 26 /* records whose classes are kept */ };

static const double ENOUGH = 0.95;
static const uint32_t NO_CLASS = UINT32_MAX;
static const uint64_t CYCLES[TFR_ORDER_CYCLES] = { 1, 4, 16, UINT64_MAX };

struct class
{
	uint64_t hash, records;
	tfr_u128 places; /* sum of the positions */
};

/* A shuffle buffer, and the batch being filled from its output. */
struct buffer {
	uint64_t size, filled;
	size_t cap;
	uint32_t *ring;
	uint32_t *batch; /* classes */
	uint64_t in_batch, batches;
	double entropy; /* sum over all batches */
};

struct tfr_mixing {
	const char *label;
	struct tfr_order_report *report;
	struct class *classes;
	struct tfr_hash_index index; /* of the classes */
	uint32_t *seen;		     /* how often each class occurs in a batch; 0 between batches */
	double *logs;		     /* k log2 k, for k up to the batch size */
	uint32_t n, last;
	uint64_t run_length;
	struct tfr_buf order;  /* uint32_t: the class of each record, or NO_CLASS */
	struct tfr_buf starts; /* uint64_t: where in `order` each file begins */
	struct buffer buffers[BUFFERS];
	struct tfr_rng rng;
};

struct verdict {
	uint64_t hash;
	bool absent;
};

static enum tfr_status look_up(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	const struct tfr_mixing *r = ctx;
	const struct tfr_feature *f = tfr_example_get(s->example, r->label);
	struct verdict *v = verdict;
	struct tfr_bytes text;
	int64_t number;
	float real;

	(void)worker;
	(void)err;
	*v = (struct verdict){ .absent = false };
	if (tfr_feature_int64(f, 0, &number))
		v->hash = tfr_mix((uint64_t)number);
	else if (tfr_feature_bytes(f, 0, &text))
		v->hash = XXH3_64bits(text.data, text.size);
	else if (tfr_feature_float(f, 0, &real))
		v->hash = XXH3_64bits(&real, sizeof(real));
	else
		v->absent = true;
	return TFR_OK;
}

static enum tfr_status find_class(
	struct tfr_mixing *r, uint64_t hash, uint32_t *class, struct tfr_error *err)
{
	struct tfr_hash_probe p = tfr_hash_probe(hash);

	while (tfr_hash_next(&r->index, &p, class)) {
		assert(*class < r->n);
		if (r->classes[*class].hash == hash)
			return TFR_OK;
	}
	if (r->n == CLASSES)
		return tfr_fail(err, TFR_EUSAGE,
			"feature '%s' has more than %d values: it is no class", r->label, CLASSES);
	TFR_NEED_MEMORY(!tfr_hash_add(&r->index, hash, r->n), err, "looking at the order");
	r->classes[r->n].hash = hash;
	*class = r->n++;
	return TFR_OK;
}

/* --- batches --- */

static void end_batch(struct tfr_mixing *r, struct buffer *b)
{
	double sum = 0;

	for (uint64_t i = 0; i < b->in_batch; i++)
		r->seen[b->batch[i]]++;
	for (uint64_t i = 0; i < b->in_batch; i++) {
		sum += r->logs[r->seen[b->batch[i]]];
		r->seen[b->batch[i]] = 0;
	}
	b->entropy += log2((double)b->in_batch) - sum / (double)b->in_batch;
	b->batches++;
	b->in_batch = 0;
}

static void give_out(struct tfr_mixing *r, struct buffer *b, uint32_t class)
{
	b->batch[b->in_batch++] = class;
	if (b->in_batch == r->report->batch)
		end_batch(r, b);
}

static bool pass_through(struct tfr_mixing *r, struct buffer *b, uint32_t class, uint64_t draw)
{
	uint64_t at;

	if (b->filled < b->size) {
		if (TFR_ARRAY_RESERVE(b->ring, b->cap, b->filled + 1))
			return false;
		b->ring[b->filled++] = class;
		return true;
	}
	at = (uint64_t)((tfr_u128)draw * b->size >> 64);
	give_out(r, b, b->ring[at]);
	b->ring[at] = class;
	return true;
}

static void drain_buffer(struct tfr_mixing *r, struct buffer *b)
{
	for (; b->filled; b->filled--) {
		uint64_t at = tfr_rng_below(&r->rng, b->filled);

		give_out(r, b, b->ring[at]);
		b->ring[at] = b->ring[b->filled - 1];
	}
}

static enum tfr_status give_in(struct tfr_mixing *r, uint32_t class, struct tfr_error *err)
{
	uint64_t draw = tfr_rng_u64(&r->rng);

	for (int i = 0; i < BUFFERS; i++)
		TFR_NEED_MEMORY(pass_through(r, &r->buffers[i], class, draw), err, "shuffling");
	return TFR_OK;
}

static uint64_t ordered(const struct tfr_mixing *r)
{
	return r->order.size / sizeof(uint32_t);
}

static uint64_t files(const struct tfr_mixing *r)
{
	return r->starts.size / sizeof(uint64_t);
}

static enum tfr_status keep_class(struct tfr_mixing *r, uint32_t class, struct tfr_error *err)
{
	if (!files(r) || ordered(r) > MOST_ORDERED)
		return TFR_OK;
	return tfr_buf_append(&r->order, &class, sizeof(class)) ? TFR_OK
								: tfr_fail_nomem(err, "ordering");
}

enum tfr_status tfr_mixing_file(struct tfr_mixing *r, struct tfr_error *err)
{
	uint64_t start = ordered(r);

	return tfr_buf_append(&r->starts, &start, sizeof(start)) ? TFR_OK
								 : tfr_fail_nomem(err, "ordering");
}

enum tfr_status tfr_mixing_skip(struct tfr_mixing *r, struct tfr_error *err)
{
	return keep_class(r, NO_CLASS, err);
}

enum tfr_status tfr_mixing_put(struct tfr_mixing *r, uint64_t hash, struct tfr_error *err)
{
	uint64_t place = r->report->records;
	uint32_t class = 0;

	TFR_TRY(find_class(r, hash, &class, err));
	r->classes[class].records++;
	r->classes[class].places += place;
	r->report->records++;
	if (!place || class != r->last) {
		r->report->runs++;
		r->run_length = 0;
	}
	r->last = class;
	if (++r->run_length > r->report->longest_run)
		r->report->longest_run = r->run_length;
	TFR_TRY(keep_class(r, class, err));
	return give_in(r, class, err);
}

static enum tfr_status go_by(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct tfr_mixing *r = ctx;
	const struct verdict *v = verdict;

	while (files(r) <= s->file)
		TFR_TRY(tfr_mixing_file(r, err));
	r->report->absent += v->absent;
	return v->absent ? tfr_mixing_skip(r, err) : tfr_mixing_put(r, v->hash, err);
}

/* --- the expectation for a random order --- */

/* The mean of logs[k], where k records of a batch of `batch` are of a class with `of` of `all`
 * records: the hypergeometric distribution, summed from its peak outwards. */
static double mean_log(const double *logs, uint64_t batch, uint64_t of, uint64_t all)
{
	double b = (double)batch, m = (double)of, n = (double)all;
	double peak = floor((b + 1) * (m + 1) / (n + 2)), least = fmax(0, b + m - n), sum = 0,
	       weight = 0;
	double most = fmin(b, m);

	peak = fmin(fmax(peak, least), most);
	for (int up = 0; up < 2; up++) {
		double p = 1;

		for (double k = peak; k >= least && k <= most && p > 1e-18; k += up ? 1 : -1) {
			if (!up || k > peak) {
				sum += p * logs[(uint64_t)k];
				weight += p;
			}
			p *= up ? (m - k) * (b - k) / ((k + 1) * (n - m - b + k + 1))
				: k * (n - m - b + k) / ((m - k + 1) * (b - k + 1));
		}
	}
	return sum / weight;
}

static void compare_with_random(struct tfr_mixing *r)
{
	struct tfr_order_report *o = r->report;
	double n = (double)o->records, same = 0, between = 0, logs = 0;

	o->classes = r->n;
	for (uint32_t c = 0; c < r->n; c++) {
		double of = (double)r->classes[c].records;
		double off = (double)r->classes[c].places / of - (n - 1) / 2;

		same += of * (of - 1);
		between += of * off * off;
		if (o->records >= o->batch)
			logs += mean_log(r->logs, o->batch, r->classes[c].records, o->records);
	}
	if (n > 1) {
		/* This share of the n - 1 pairs of neighbours is of one class. */
		o->random_run = n / (1 + (n - 1) * (1 - same / (n * (n - 1))));
		o->position = between / (n * (n * n - 1) / 12);
		o->random_position = (double)(r->n - 1) / (n - 1);
	} else {
		o->random_run = n;
	}
	if (o->records >= o->batch)
		o->random_entropy = log2((double)o->batch) - logs / (double)o->batch;
}

static double mean_entropy(const struct buffer *b)
{
	return b->batches ? b->entropy / (double)b->batches : 0;
}

/* --- interleaved files --- */

/* A slot of the cycle. */
struct slot {
	uint64_t at, end; /* in `order`, of the open file */
	bool open;
	uint64_t next; /* the next slot of the ring */
};

/* As in tf.data's InterleaveDataset: an open file gives a record; a file at its end is closed, and
 * the next one is opened when the cycle returns to the slot.  When no files are left, closed slots
 * leave the ring. */
static enum tfr_status interleave_files(struct tfr_mixing *r, uint64_t cycle, struct tfr_error *err)
{
	const uint64_t *starts = (const uint64_t *)r->starts.data, n = files(r);
	const uint32_t *order = (const uint32_t *)r->order.data;
	TFR_AUTO_FREE struct slot *slots = calloc(cycle, sizeof(*slots));
	uint64_t next = 0, in_ring = cycle, i = 0, before = cycle - 1;

	TFR_NEED_MEMORY(slots, err, "ordering");
	for (uint64_t k = 0; k < cycle; k++)
		slots[k].next = (k + 1) % cycle;
	while (in_ring) {
		struct slot *s = &slots[i];

		if (!s->open && next < n) {
			s->at = starts[next];
			s->end = next + 1 < n ? starts[next + 1] : ordered(r);
			s->open = true;
			next++;
		}
		if (s->open && s->at < s->end) {
			uint32_t class = order[s->at++];

			if (class != NO_CLASS)
				TFR_TRY(give_in(r, class, err));
			before = i;
		} else if (next < n) {
			s->open = false;
			before = i;
		} else {
			slots[before].next = s->next;
			in_ring--;
		}
		i = s->next;
	}
	return TFR_OK;
}

static void note_cycle(struct tfr_mixing *r, uint64_t files_at_once)
{
	struct tfr_order_report *o = r->report;
	double wanted = ENOUGH * o->random_entropy;
	struct tfr_order_cycle *c = &o->cycles[o->cycle_count++];

	for (int i = 0; i < BUFFERS; i++)
		drain_buffer(r, &r->buffers[i]);
	*c = (struct tfr_order_cycle){ .files = files_at_once,
		.entropy = mean_entropy(&r->buffers[0]) };
	c->enough = c->entropy >= wanted;
	for (int i = BUFFERS - 1; i && mean_entropy(&r->buffers[i]) >= wanted; i--)
		c->enough_buffer = r->buffers[i].size;
	o->batches = r->buffers[0].batches;
	for (int i = 0; i < BUFFERS; i++) {
		r->buffers[i].in_batch = r->buffers[i].batches = 0;
		r->buffers[i].entropy = 0;
	}
	tfr_rng_init(&r->rng, 0, 0);
}

/* Takes the lowest entropy of all cycles, and a buffer that suffices for each. */
static void take_worst(struct tfr_order_report *o)
{
	bool any = true;

	o->enough_buffer = 0;
	for (unsigned i = 0; i < o->cycle_count; i++) {
		const struct tfr_order_cycle *c = &o->cycles[i];

		o->worst = c->entropy < o->cycles[o->worst].entropy ? i : o->worst;
		any &= c->enough_buffer != 0;
		if (c->enough_buffer > o->enough_buffer)
			o->enough_buffer = c->enough_buffer;
	}
	o->enough_buffer = any ? o->enough_buffer : 0;
	o->entropy = o->cycles[o->worst].entropy;
	o->enough = o->cycles[o->worst].enough;
}

enum tfr_status tfr_mixing_judge(struct tfr_mixing *r, struct tfr_error *err)
{
	struct tfr_order_report *o = r->report;

	compare_with_random(r);
	note_cycle(r, 1);
	for (int i = 1; i < TFR_ORDER_CYCLES && ordered(r) <= MOST_ORDERED; i++) {
		uint64_t n = CYCLES[i] < files(r) ? CYCLES[i] : files(r);

		if (n <= o->cycles[o->cycle_count - 1].files)
			break;
		TFR_TRY(interleave_files(r, n, err));
		note_cycle(r, n);
	}
	take_worst(o);
	return TFR_OK;
}

/* --- the pass over the records --- */

void tfr_mixing_close(struct tfr_mixing *r)
{
	if (!r)
		return;
	free(r->classes);
	tfr_hash_clear(&r->index);
	free(r->seen);
	free(r->logs);
	for (int i = 0; i < BUFFERS; i++) {
		free(r->buffers[i].ring);
		free(r->buffers[i].batch);
	}
	tfr_buf_clear(&r->order);
	tfr_buf_clear(&r->starts);
	free(r);
}

enum tfr_status tfr_mixing_open(struct tfr_mixing **m, const char *label,
	struct tfr_order_report *report, struct tfr_error *err)
{
	TFR_AUTO_MIXING r = calloc(1, sizeof(*r));

	TFR_NEED_MEMORY(r, err, "ordering");
	r->label = label;
	r->report = report;
	r->classes = calloc(CLASSES, sizeof(*r->classes));
	r->seen = calloc(CLASSES, sizeof(*r->seen));
	r->logs = calloc(report->batch + 1, sizeof(*r->logs));
	TFR_NEED_MEMORY(r->classes && r->seen && r->logs, err, "ordering");
	for (uint64_t k = 2; k <= report->batch; k++)
		r->logs[k] = (double)k * log2((double)k);
	for (int i = 0; i < BUFFERS; i++) {
		r->buffers[i].size = i ? UINT64_C(1) << (LEAST_POWER + i - 1) : report->buffer;
		r->buffers[i].batch = malloc(report->batch * sizeof(uint32_t));
		TFR_NEED_MEMORY(r->buffers[i].batch, err, "ordering");
	}
	tfr_rng_init(&r->rng, 0, 0);
	*m = TFR_STEAL(r);
	return TFR_OK;
}

enum tfr_status tfr_order(
	const struct tfr_order_opts *opts, struct tfr_order_report *report, struct tfr_error *err)
{
	TFR_AUTO_MIXING r = NULL;
	struct tfr_sweep sweep = { .opts = opts->common,
		.phase = "ordering",
		.parse = true,
		.again = true,
		.verdict_size = sizeof(struct verdict),
		.examine = look_up,
		.settle = go_by };
	struct tfr_sweep_report swept;

	*report = (struct tfr_order_report){ .batch = opts->batch ? opts->batch : 64,
		.buffer = opts->buffer ? opts->buffer : 2048 };
	TFR_TRY(tfr_mixing_open(&r, opts->label, report, err));
	sweep.ctx = r;
	TFR_TRY(tfr_sweep_run(&sweep, &swept, err));
	while (files(r) < tfr_set_count(opts->common.input)) /* files without records */
		TFR_TRY(tfr_mixing_file(r, err));
	return tfr_mixing_judge(r, err);
}
