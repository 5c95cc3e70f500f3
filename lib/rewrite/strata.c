/* rewrite/strata.c - notes records by class, and computes the bounds between the sets.
 *
 * Each worker gathers records in a batch, with the class numbers of its own small table.  Once in
 * hundreds of records it takes the lock, under which classes get the numbers that all workers
 * share.
 *
 * The bounds are the k-th smallest hashes of each class.  One pass over the sorted rows of class
 * and hash finds all of them, for any number of classes and bounds.  The rank of a record in its
 * class is the number of rows before it. */
#include "rewrite/strata.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rewrite/sort/sorter.h"
#include "shard/fractions.h"

enum {
	BATCH = 512,
	ROW = 12, /* the class in 4 bytes, the hash in 8: a billion records are 12 GB */
};

static const struct tfr_classes_bounds class_bounds = { .text_bytes = 64 << 20 };

struct noted {
	uint64_t hash;
	uint32_t class;
};

struct strata_worker {
	struct noted batch[BATCH];
	size_t filled;
	struct tfr_classes met; /* the classes in the batch, and those of earlier batches */
	uint32_t numbers[TFR_CLASSES_SMALL]; /* their numbers in the common table */
	size_t numbered;		     /* how many of them are known */
};

struct tfr_strata {
	struct tfr_stretches stretches;
	struct strata_worker *workers;
	unsigned n_workers;

	pthread_mutex_t lock; /* of all below, while records are noted */
	struct tfr_classes classes;
	struct tfr_sorter *sorter;
	uint64_t sum, spilled;
	enum tfr_status status; /* the first failure */
	struct tfr_error failure;

	struct tfr_bound *bounds; /* one per interval of each class */
	/* State of the pass over the rows: */
	uint32_t class;
	struct tfr_cut cut;
};

/* --- creating and freeing --- */

struct tfr_strata *tfr_strata_new(const struct tfr_share *shares, size_t count, unsigned workers,
	uint64_t memory, const struct tfr_spill_folders *folders)
{
	struct tfr_strata *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	s->n_workers = workers;
	s->workers = calloc(workers, sizeof(*s->workers));
	s->classes.bounds = &class_bounds;
	s->sorter = tfr_sorter_new(ROW, memory, folders, workers);
	for (unsigned k = 0; s->workers && k < workers; k++)
		s->workers[k].met.bounds = &class_bounds;
	if (s->workers && s->sorter && tfr_stretches_lay(&s->stretches, shares, count))
		return s;
	tfr_strata_free(s);
	return NULL;
}

static void clear_workers(struct tfr_strata *s)
{
	for (unsigned k = 0; s->workers && k < s->n_workers; k++)
		tfr_classes_clear(&s->workers[k].met);
	free(s->workers);
	s->workers = NULL;
}

void tfr_strata_free(struct tfr_strata *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	tfr_classes_clear(&s->classes);
	tfr_sorter_free(s->sorter);
	tfr_stretches_clear(&s->stretches);
	clear_workers(s);
	free(s->bounds);
	free(s);
}

/* --- noting --- */

/* Assigns numbers to the classes that are new to the worker. */
static enum tfr_status number_classes(struct tfr_strata *s, struct strata_worker *w)
{
	while (w->numbered < w->met.n) {
		struct tfr_counted_class class = tfr_classes_at(&w->met, w->numbered);
		uint32_t *number = &w->numbers[w->numbered++];

		TFR_TRY(tfr_classes_add(&s->classes, &class, 0, number, &s->failure));
	}
	return TFR_OK;
}

/* Adds the batch to the common table and the sorter, under the lock. */
static enum tfr_status add_batch(struct tfr_strata *s, struct strata_worker *w)
{
	uint8_t rows[BATCH][ROW];

	assert(w->filled <= BATCH);
	TFR_TRY(number_classes(s, w));
	for (size_t i = 0; i < w->filled; i++) {
		const struct noted *noted = &w->batch[i];
		uint32_t class = w->numbers[noted->class];

		assert(class < s->classes.n);
		s->classes.items[class].records++;
		s->sum += noted->hash;
		tfr_put_be(rows[i], class, 4);
		tfr_put_be(rows[i] + 4, noted->hash, 8);
	}
	return tfr_sorter_add(s->sorter, rows, w->filled, &s->failure);
}

/* After a failure the batch is lost, and the other workers need not continue. */
static enum tfr_status flush_batch(
	struct tfr_strata *s, struct strata_worker *w, struct tfr_error *err)
{
	enum tfr_status status;

	pthread_mutex_lock(&s->lock);
	if (!s->status)
		s->status = add_batch(s, w);
	status = s->status;
	if (status && err)
		*err = s->failure;
	pthread_mutex_unlock(&s->lock);
	w->filled = 0;
	return status;
}

enum tfr_status tfr_strata_note(struct tfr_strata *s, unsigned worker,
	const struct tfr_counted_class *class, uint64_t hash, struct tfr_error *err)
{
	struct strata_worker *w = &s->workers[worker];
	bool full = tfr_classes_full(&w->met, class);
	enum tfr_status status = TFR_OK;
	uint32_t number;

	if (full || w->filled == BATCH)
		status = flush_batch(s, w, err);
	if (full) {
		tfr_classes_reset(&w->met);
		w->numbered = 0;
	}
	TFR_TRY(status);
	TFR_TRY(tfr_classes_add(&w->met, class, 0, &number, err));
	w->batch[w->filled++] = (struct noted){ hash, number };
	return TFR_OK;
}

/* --- computing the bounds --- */

/* `times` records of a class have this hash. */
static void cut_at_hash(struct tfr_strata *s, uint32_t class, uint64_t hash, uint64_t times)
{
	if (class != s->class) {
		s->class = class;
		s->cut = (struct tfr_cut){
			.stretches = &s->stretches,
			.records = s->classes.items[class].records,
			.bounds = s->bounds + class * s->stretches.n,
		};
	}
	tfr_cut_at(&s->cut, hash, times);
}

/* Counts equal rows together. */
static enum tfr_status cut_all(struct tfr_strata *s, struct tfr_error *err)
{
	uint8_t row[ROW] = { 0 };
	uint64_t times = 0;
	enum tfr_status status;
	const void *next;

	do {
		status = tfr_sorter_next(s->sorter, &next, err);
		if (!status && times && !memcmp(row, next, ROW)) {
			times++;
			continue;
		}
		if (times && status <= TFR_END)
			cut_at_hash(s, (uint32_t)tfr_get_be(row, 4), tfr_get_be(row + 4, 8), times);
		if (!status)
			memcpy(row, next, ROW);
		times = 1;
	} while (!status);
	return status == TFR_END ? TFR_OK : status;
}

enum tfr_status tfr_strata_draw(struct tfr_strata *s, struct tfr_error *err)
{
	enum tfr_status status;

	for (unsigned k = 0; k < s->n_workers; k++)
		TFR_TRY(flush_batch(s, &s->workers[k], err));
	clear_workers(s);
	s->bounds = calloc(s->classes.n * s->stretches.n + 1, sizeof(*s->bounds));
	TFR_NEED_MEMORY(s->bounds, err, "ordering the hashes");
	s->class = TFR_CLASS_NONE;
	status = cut_all(s, err);
	s->spilled = tfr_sorter_spilled(s->sorter);
	tfr_sorter_free(s->sorter);
	s->sorter = NULL;
	return status;
}

/* --- queries --- */

size_t tfr_strata_choose(const struct tfr_strata *s, uint32_t class, uint64_t hash)
{
	return tfr_stretches_choose(&s->stretches, s->bounds + class * s->stretches.n, hash);
}

const struct tfr_classes *tfr_strata_classes(const struct tfr_strata *s)
{
	return &s->classes;
}

uint64_t tfr_strata_wanted(const struct tfr_strata *s, uint64_t records, size_t share)
{
	uint64_t before = 0, end = 0;

	for (size_t i = 0; i < s->stretches.n; i++) {
		before = end;
		end = tfr_stretches_up_to(&s->stretches, records, i);
		if (s->stretches.list[i].share == share)
			return end - before;
	}
	return share == s->stretches.rest ? records - end : 0;
}

uint64_t tfr_strata_sum(const struct tfr_strata *s)
{
	return s->sum;
}

uint64_t tfr_strata_spilled(const struct tfr_strata *s)
{
	return s->spilled;
}
