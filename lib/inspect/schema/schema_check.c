/* inspect/schema/schema_check.c - checks records against a schema.
 *
 * Rules are sorted by name, like features and feature lists, so a record takes one walk over both,
 * and one more over the lists.  In a list, only the first step that does not match is reported. */
#include <stdio.h>
#include <string.h>

#include "inspect/schema/schema_read.h"
#include "inspect/schema/schema_rules.h"

/* The record being checked, and the receiver of its findings. */
struct held {
	const struct tfr_schema *schema;
	struct tfr_lists *lists; /* for its steps */
	tfr_schema_found *found;
	void *ctx;
	struct tfr_error *err;
	char what[160]; /* the fault found last */
};

int tfr_compare_names(const void *a, size_t a_size, const void *b, size_t b_size)
{
	size_t shorter = a_size < b_size ? a_size : b_size;
	int c = shorter ? memcmp(a, b, shorter) : 0;

	return c ? c : (a_size > b_size) - (a_size < b_size);
}

static bool fits(const struct tfr_count *c, uint64_t n)
{
	return c->min <= n && n <= c->max;
}

static enum tfr_status tell(struct held *h, const void *name, size_t size)
{
	struct tfr_bytes bytes = { name, size };

	return h->found(h->ctx, &bytes, h->what, h->err);
}

/* --- features --- */

/* Whether a feature violates its rule; h->what then says how.  `f` NULL: the record lacks it. */
static bool feature_fault(struct held *h, const struct tfr_rule *r, const struct tfr_feature *f)
{
	if (!f || !f->kind) {
		snprintf(h->what, sizeof(h->what), "absent, and the schema requires it");
		return r->required;
	}
	if (f->kind != r->kind) {
		snprintf(h->what, sizeof(h->what), "of kind %s, where the schema has %s",
			tfr_kind_name(f->kind), tfr_kind_name(r->kind));
		return true;
	}
	snprintf(h->what, sizeof(h->what), "%llu value%s, where the schema has %s",
		(unsigned long long)f->count, f->count == 1 ? "" : "s", r->values.said);
	return !fits(&r->values, f->count);
}

static enum tfr_status hold_features(struct held *h, const struct tfr_example *ex)
{
	const struct tfr_rules *rules = &h->schema->features;
	size_t i = 0, k = 0, n = tfr_example_count(ex);
	enum tfr_status status = TFR_OK;

	while (!status && (i < rules->n || k < n)) {
		const struct tfr_rule *r = i < rules->n ? &rules->at[i] : NULL;
		const struct tfr_feature *f = k < n ? tfr_example_at(ex, k) : NULL;
		int c = !r ? 1 : !f ? -1 : tfr_compare_names(r->name, r->size, f->key, f->key_size);

		i += c <= 0;
		k += c >= 0;
		if (c <= 0 && feature_fault(h, r, c ? NULL : f)) {
			status = tell(h, r->name, r->size);
		} else if (c > 0 && h->schema->only) {
			snprintf(h->what, sizeof(h->what), "not in the schema");
			status = tell(h, f->key, f->key_size);
		}
	}
	return status;
}

/* --- feature lists --- */

/* The same for a step; a step without a kind is never a fault. */
static bool step_fault(
	struct held *h, const struct tfr_rule *r, const struct tfr_feature *step, uint64_t number)
{
	unsigned long long n = number, count = step->count;

	if (!step->kind)
		return false;
	if (step->kind != r->kind) {
		snprintf(h->what, sizeof(h->what),
			"step %llu of the list is of kind %s, where the schema has %s", n,
			tfr_kind_name(step->kind), tfr_kind_name(r->kind));
		return true;
	}
	snprintf(h->what, sizeof(h->what),
		"step %llu of the list has %llu value%s, where the schema has %s", n, count,
		count == 1 ? "" : "s", r->values.said);
	return !fits(&r->values, step->count);
}

static enum tfr_status list_fault(
	struct held *h, const struct tfr_rule *r, const struct tfr_feature_list *list, bool *fault)
{
	enum tfr_status status = TFR_OK;
	struct tfr_feature step;
	struct tfr_steps steps;

	if (!list) {
		snprintf(h->what, sizeof(h->what),
			"a feature list that is absent, and the schema requires it");
		*fault = r->required;
		return TFR_OK;
	}
	snprintf(h->what, sizeof(h->what), "a feature list of %llu step%s, where the schema has %s",
		(unsigned long long)list->steps, list->steps == 1 ? "" : "s", r->steps.said);
	*fault = !fits(&r->steps, list->steps);
	tfr_steps_init(&steps, list);
	for (uint64_t n = 0; !status && !*fault; n++) {
		status = tfr_steps_next(&steps, h->lists, &step, h->err);
		*fault = !status && step_fault(h, r, &step, n);
	}
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status hold_lists(struct held *h)
{
	const struct tfr_rules *rules = &h->schema->lists;
	size_t i = 0, k = 0, n = h->lists ? tfr_lists_count(h->lists) : 0;
	enum tfr_status status = TFR_OK;

	while (!status && (i < rules->n || k < n)) {
		const struct tfr_rule *r = i < rules->n ? &rules->at[i] : NULL;
		const struct tfr_feature_list *l = k < n ? tfr_lists_at(h->lists, k) : NULL;
		int c = !r ? 1 : !l ? -1 : tfr_compare_names(r->name, r->size, l->key, l->key_size);
		bool fault = false;

		i += c <= 0;
		k += c >= 0;
		if (c <= 0)
			status = list_fault(h, r, c ? NULL : l, &fault);
		if (!status && fault) {
			status = tell(h, r->name, r->size);
		} else if (!status && c > 0 && h->schema->only) {
			snprintf(h->what, sizeof(h->what),
				"a feature list that is not in the schema");
			status = tell(h, l->key, l->key_size);
		}
	}
	return status;
}

bool tfr_schema_of_lists(const struct tfr_schema *s)
{
	return s->lists.n || s->only;
}

enum tfr_status tfr_schema_check(const struct tfr_schema *s, const struct tfr_example *ex,
	struct tfr_lists *lists, tfr_schema_found *found, void *ctx, struct tfr_error *err)
{
	struct held h = { .schema = s, .lists = lists, .found = found, .ctx = ctx, .err = err };
	enum tfr_status status = hold_features(&h, ex);

	return status ? status : hold_lists(&h);
}
