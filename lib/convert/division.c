/* convert/division.c - sorts the hashes of all items within their classes, and keeps only the
 * bounds between the sets. */
#include "convert/division.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "shard/fractions.h"

struct tfr_division {
	struct tfr_stretches stretches;
	struct tfr_bound *bounds; /* one per range of each class, and of items without a class */
	size_t n_classes;
};

/* Packed, because there is one per item. */
struct __attribute__((packed)) mark {
	uint64_t hash;
	uint32_t class;
};

static int by_class_and_hash(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static uint32_t class_of(const struct tfr_division *s, const struct tfr_item *item)
{
	assert(item->class == TFR_NO_CLASS || item->class < s->n_classes);
	return item->class == TFR_NO_CLASS ? (uint32_t)s->n_classes : item->class;
}

struct marking {
	const struct tfr_division *division;
	struct mark *marks;
};

static enum tfr_status mark_item(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct marking *m = ctx;

	(void)err;
	m->marks[item->number] =
		(struct mark){ tfr_item_hash(item), class_of(m->division, item) };
	return TFR_OK;
}

/* The items of one class, and how many of them have one hash. */
static void cut_class(struct tfr_division *s, const struct mark *marks, size_t n)
{
	struct tfr_cut cut = {
		.stretches = &s->stretches,
		.records = n,
		.bounds = s->bounds + marks->class * s->stretches.n,
	};

	for (size_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n && marks[i + same].hash == marks[i].hash; same++)
			;
		tfr_cut_at(&cut, marks[i].hash, same);
	}
}

static void cut(struct tfr_division *s, const struct mark *marks, size_t n)
{
	for (size_t i = 0, of; i < n; i += of) {
		for (of = 1; i + of < n && marks[i + of].class == marks[i].class; of++)
			;
		cut_class(s, marks + i, of);
	}
}

static enum tfr_status refuse(const struct tfr_input *in, struct tfr_error *err)
{
	if (in->items != TFR_STREAM)
		return tfr_fail(err, TFR_EUSAGE, "--stratify-classes needs classes, and '%s' has none",
			in->opts->inputs[0]);
	tfr_fail(err, TFR_EUSAGE, "--stratify-classes cannot divide %s, which is read as a stream",
		in->ops->what);
	tfr_error_hint(err, "Write one set, and divide it with 'tfr split --stratify FEATURE'.");
	return TFR_EUSAGE;
}

enum tfr_status tfr_division_open(
	struct tfr_division **out, struct tfr_input *in, struct tfr_error *err)
{
	TFR_AUTO_FREE struct mark *marks = NULL;
	struct tfr_division *s;

	*out = NULL;
	if (in->items == TFR_STREAM || !in->n_classes)
		return refuse(in, err);
	s = *out = calloc(1, sizeof(*s));
	marks = malloc((in->items + 1) * sizeof(*marks));
	if (!s || !marks ||
		!tfr_stretches_lay(&s->stretches, in->opts->targets, in->opts->target_count))
		return tfr_fail_nomem(err, "dividing the items");
	if (!s->stretches.n)
		return tfr_fail(err, TFR_EUSAGE,
			"no set has a fraction: there is nothing to divide by classes");
	s->n_classes = in->n_classes;
	s->bounds = calloc((s->n_classes + 1) * s->stretches.n + 1, sizeof(*s->bounds));
	if (!s->bounds)
		return tfr_fail_nomem(err, "dividing the items");
	TFR_TRY(tfr_input_walk(
		in, NULL, mark_item, &(struct marking){ .division = s, .marks = marks }, err));
	qsort(marks, (size_t)in->items, sizeof(*marks), by_class_and_hash);
	cut(s, marks, (size_t)in->items);
	return TFR_OK;
}

size_t tfr_division_choose(const struct tfr_division *s, const struct tfr_item *item)
{
	return tfr_stretches_choose(
		&s->stretches, s->bounds + class_of(s, item) * s->stretches.n, tfr_item_hash(item));
}

void tfr_division_close(struct tfr_division *s)
{
	if (!s)
		return;
	tfr_stretches_clear(&s->stretches);
	free(s->bounds);
	free(s);
}
