/* rewrite/strata.c - noting records by class, and the bounds between the sets.
 *
 * Each worker gathers pairs of its own and keeps the classes that it met lately, so that the locks
 * are taken once in hundreds of records.  The bounds come out of one walk over all pairs in order:
 * the rank of a record in its class is the number of those before it. */
#include "rewrite/strata.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "rewrite/spool.h"
#include "shard/shares.h"

#define UNIT ((uint64_t)1000000000000) /* fractions are counted in its parts */

enum { BATCH = 512, LATELY = 256 };

/* Records up to this hash are on the near side of the bound; with `none` there are none. */
struct bound {
	uint64_t last;
	bool none;
};

/* A share with a fraction ends where its part of the class does. */
struct stretch {
	size_t share;
	uint64_t end; /* of UNIT */
};

struct strata_worker {
	struct tfr_pair batch[BATCH];
	size_t filled;
	const struct tfr_class *lately[LATELY];
};

struct tfr_strata {
	size_t share_count, rest; /* the share of what is above all bounds */
	struct stretch *stretches;
	size_t n_stretches;
	struct strata_worker *workers;
	unsigned n_workers;
	struct tfr_classes *classes;

	pthread_mutex_t lock; /* of all below, while records are noted */
	struct tfr_spool *spool;
	uint64_t *records; /* of each class */
	size_t records_cap;
	uint64_t sum;
	enum tfr_status status; /* the first failure */
	struct tfr_error failure;

	struct bound *bounds; /* n_stretches a class */
	/* The walk: */
	uint32_t class;
	uint64_t rank; /* records of the class so far */
	size_t next;   /* the bound that is looked for */
};

/* --- making and freeing --- */

static bool lay_stretches(struct tfr_strata *s, const struct tfr_share *shares, size_t count)
{
	uint64_t end = 0;
	double sum = 0;

	s->stretches = calloc(count + 1, sizeof(*s->stretches));
	if (!s->stretches)
		return false;
	s->share_count = s->rest = count;
	for (size_t i = 0; i < count; i++) {
		if (shares[i].fraction == 0) {
			s->rest = i;
			continue;
		}
		sum += shares[i].fraction;
		end += (uint64_t)(shares[i].fraction * (double)UNIT + 0.5);
		s->stretches[s->n_stretches++] = (struct stretch){ i, end < UNIT ? end : UNIT };
	}
	/* Fractions that were meant to add up to 1 leave nothing over. */
	if (s->rest == count && sum > 1 - TFR_SHARES_SLACK)
		s->stretches[s->n_stretches - 1].end = UNIT;
	return true;
}

struct tfr_strata *tfr_strata_new(const struct tfr_share *shares, size_t count, unsigned workers,
	uint64_t memory, const char *const *folders, size_t folder_count)
{
	struct tfr_strata *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pthread_mutex_init(&s->lock, NULL);
	s->n_workers = workers;
	s->workers = calloc(workers, sizeof(*s->workers));
	s->classes = tfr_classes_new();
	s->spool = tfr_spool_new(memory, folders, folder_count);
	if (s->workers && s->classes && s->spool && lay_stretches(s, shares, count))
		return s;
	tfr_strata_free(s);
	return NULL;
}

void tfr_strata_free(struct tfr_strata *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	tfr_classes_free(s->classes);
	tfr_spool_free(s->spool);
	free(s->stretches);
	free(s->workers);
	free(s->records);
	free(s->bounds);
	free(s);
}

/* --- noting --- */

static bool count_class(struct tfr_strata *s, uint32_t class)
{
	if (class >= s->records_cap) {
		size_t cap = s->records_cap;
		uint64_t *records;

		while (class >= cap)
			cap = cap ? 2 * cap : 64;
		records = reallocarray(s->records, cap, sizeof(*records));
		if (!records)
			return false;
		for (size_t i = s->records_cap; i < cap; i++)
			records[i] = 0;
		s->records = records;
		s->records_cap = cap;
	}
	s->records[class]++;
	return true;
}

static enum tfr_status flush(struct tfr_strata *s, struct strata_worker *w)
{
	enum tfr_status status;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; !s->status && i < w->filled; i++) {
		s->sum += (uint64_t)w->batch[i].high << 32 | w->batch[i].low;
		if (!count_class(s, w->batch[i].class))
			s->status = tfr_fail_nomem(&s->failure, "counting the classes");
	}
	if (!s->status)
		s->status = tfr_spool_add(s->spool, w->batch, w->filled, &s->failure);
	w->filled = 0;
	status = s->status;
	pthread_mutex_unlock(&s->lock);
	return status;
}

static const struct tfr_class **lately(
	struct tfr_strata *s, unsigned worker, const struct tfr_class *class)
{
	return &s->workers[worker].lately[class->hash >> 32 & (LATELY - 1)];
}

static enum tfr_status intern(
	struct tfr_strata *s, const struct tfr_class *class, const struct tfr_class **own)
{
	struct tfr_error err;
	enum tfr_status status = tfr_classes_intern(s->classes, class, own, &err);

	if (!status)
		return TFR_OK;
	pthread_mutex_lock(&s->lock);
	if (!s->status) {
		s->status = status;
		s->failure = err;
	}
	pthread_mutex_unlock(&s->lock);
	return status;
}

enum tfr_status tfr_strata_failure(const struct tfr_strata *s, struct tfr_error *err)
{
	if (s->status && err)
		*err = s->failure;
	return s->status;
}

enum tfr_status tfr_strata_note(struct tfr_strata *s, unsigned worker,
	const struct tfr_class *class, uint64_t hash, struct tfr_error *err)
{
	const struct tfr_class **known = lately(s, worker, class);
	struct strata_worker *w = &s->workers[worker];
	enum tfr_status status = TFR_OK;

	if (!*known || !tfr_class_equal(*known, class))
		status = intern(s, class, known);
	if (!status) {
		w->batch[w->filled++] =
			(struct tfr_pair){ (*known)->id, (uint32_t)(hash >> 32), (uint32_t)hash };
		if (w->filled == BATCH)
			status = flush(s, w);
	}
	if (status) {
		*known = NULL;
		pthread_mutex_lock(&s->lock);
		tfr_strata_failure(s, err);
		pthread_mutex_unlock(&s->lock);
	}
	return status;
}

/* --- drawing --- */

/* Cumulated: the records of the stretches up to and with `i`. */
static uint64_t wanted_up_to(const struct tfr_strata *s, uint32_t class, size_t i)
{
	unsigned __int128 product = (unsigned __int128)s->records[class] * s->stretches[i].end;
	uint64_t whole = (uint64_t)(product / UNIT), part = (uint64_t)(product % UNIT);

	return whole + (part > UNIT / 2 || (part == UNIT / 2 && whole % 2));
}

static void visit(void *ctx, uint32_t class, uint64_t hash, uint64_t times)
{
	struct tfr_strata *s = ctx;
	struct bound *bounds;
	uint64_t after;

	if (class != s->class) {
		s->class = class;
		s->rank = s->next = 0;
	}
	bounds = s->bounds + class * s->n_stretches;
	after = s->rank + times;
	for (; s->next < s->n_stretches; s->next++) {
		uint64_t wanted = wanted_up_to(s, class, s->next);

		if (wanted > after)
			break;
		/* They go together to the side that is nearer; both as near: to this one. */
		if (wanted > s->rank && after - wanted <= wanted - s->rank)
			bounds[s->next] = (struct bound){ .last = hash };
		else
			bounds[s->next] = (struct bound){ .last = hash - 1, .none = !s->rank };
	}
	s->rank = after;
}

enum tfr_status tfr_strata_draw(struct tfr_strata *s, struct tfr_error *err)
{
	size_t classes = tfr_classes_count(s->classes);
	enum tfr_status status = TFR_OK;

	for (unsigned k = 0; !status && k < s->n_workers; k++)
		status = flush(s, &s->workers[k]);
	if (status)
		return tfr_strata_failure(s, err);
	s->bounds = calloc(classes * s->n_stretches + 1, sizeof(*s->bounds));
	if (!s->bounds)
		return tfr_fail_nomem(err, "ordering the hashes");
	s->class = UINT32_MAX;
	return tfr_spool_walk(s->spool, visit, s, err);
}

/* --- asking --- */

const struct tfr_class *tfr_strata_class(
	struct tfr_strata *s, unsigned worker, const struct tfr_class *class)
{
	const struct tfr_class **known = lately(s, worker, class);

	if (!*known || !tfr_class_equal(*known, class))
		*known = tfr_classes_find(s->classes, class);
	return *known;
}

size_t tfr_strata_choose(const struct tfr_strata *s, uint32_t class, uint64_t hash)
{
	const struct bound *bounds = s->bounds + class * s->n_stretches;

	for (size_t i = 0; i < s->n_stretches; i++)
		if (!bounds[i].none && hash <= bounds[i].last)
			return s->stretches[i].share;
	return s->rest;
}

size_t tfr_strata_classes(const struct tfr_strata *s)
{
	return tfr_classes_count(s->classes);
}

const struct tfr_class *tfr_strata_class_at(const struct tfr_strata *s, uint32_t class)
{
	return tfr_classes_at(s->classes, class);
}

uint64_t tfr_strata_records(const struct tfr_strata *s, uint32_t class)
{
	return s->records[class];
}

uint64_t tfr_strata_wanted(const struct tfr_strata *s, uint32_t class, size_t share)
{
	uint64_t before = 0, end = 0;

	for (size_t i = 0; i < s->n_stretches; i++) {
		before = end;
		end = wanted_up_to(s, class, i);
		if (s->stretches[i].share == share)
			return end - before;
	}
	return share == s->rest ? s->records[class] - end : 0;
}

uint64_t tfr_strata_sum(const struct tfr_strata *s)
{
	return s->sum;
}

uint64_t tfr_strata_spilled(const struct tfr_strata *s)
{
	return tfr_spool_spilled(s->spool);
}
