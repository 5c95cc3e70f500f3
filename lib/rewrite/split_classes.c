/* rewrite/split_classes.c - the classes of a division, for the caller to keep.
 *
 * There may be a million: they stay in the table that counted them, with an array for their
 * order.  A row is assembled when it is requested. */
#include "rewrite/split_classes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

struct tfr_split_classes {
	struct tfr_classes all;
	size_t columns;		     /* the shares, and one for none */
	uint64_t *received, *wanted; /* one row per class */
	uint32_t *order;
};

static int compare(const void *a, const void *b, void *classes)
{
	struct tfr_counted_class x = tfr_classes_at(classes, *(const uint32_t *)a);
	struct tfr_counted_class y = tfr_classes_at(classes, *(const uint32_t *)b);

	return tfr_class_compare(&x, &y);
}

static void sort(struct tfr_split_classes *c)
{
	for (size_t i = 0; i < c->all.n; i++)
		c->order[i] = (uint32_t)i;
	qsort_r(c->order, c->all.n, sizeof(*c->order), compare, &c->all);
}

/* A surplus in one set is a deficit in another: returns the surplus. */
static uint64_t compute_wanted(struct tfr_split_classes *c, const struct tfr_strata *strata)
{
	uint64_t off = 0;

	for (size_t i = 0; i < c->all.n; i++)
		for (size_t k = 0; k < c->columns; k++) {
			uint64_t wanted = tfr_strata_wanted(strata, c->all.items[i].records, k);
			uint64_t received = c->received[i * c->columns + k];

			c->wanted[i * c->columns + k] = wanted;
			off += received > wanted ? received - wanted : 0;
		}
	return off;
}

enum tfr_status tfr_split_report_classes(struct tfr_split_report *report, struct tfr_strata *strata,
	uint64_t **received, size_t share_count, struct tfr_error *err)
{
	struct tfr_split_classes *c = calloc(1, sizeof(*c));

	if (!c)
		return tfr_fail_nomem(err, "reporting the classes");
	report->classes = c;
	c->columns = share_count + 1;
	c->received = TFR_STEAL(*received);
	tfr_strata_take_classes(strata, &c->all);
	c->wanted = calloc(c->all.n * c->columns + 1, sizeof(*c->wanted));
	c->order = calloc(c->all.n + 1, sizeof(*c->order));
	if (!c->wanted || !c->order)
		return tfr_fail_nomem(err, "reporting the classes");
	sort(c);
	report->class_count = c->all.n;
	report->off = compute_wanted(c, strata);
	report->temp_bytes = tfr_strata_spilled(strata);
	return TFR_OK;
}

struct tfr_split_class tfr_split_report_class(const struct tfr_split_report *report, size_t i)
{
	const struct tfr_split_classes *c = report->classes;
	struct tfr_counted_class class;
	size_t number;

	assert(i < report->class_count);
	number = c->order[i];
	class = tfr_classes_at(&c->all, number);
	return (struct tfr_split_class){
		.kind = class.kind,
		.label = class.number,
		.text = class.text,
		.records = c->all.items[number].records,
		.received = c->received + number * c->columns,
		.wanted = c->wanted + number * c->columns,
	};
}

void tfr_split_report_clear(struct tfr_split_report *report)
{
	struct tfr_split_classes *c = report->classes;

	if (c) {
		tfr_classes_clear(&c->all);
		free(c->received);
		free(c->wanted);
		free(c->order);
		free(c);
	}
	free(report->sets);
	*report = (struct tfr_split_report){ 0 };
}
