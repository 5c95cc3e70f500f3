/* example/lists.c - the map of feature lists as sorted views of its entries.  The steps are
 * parsed twice: once to check and count them, once to be read.  A value of the map that comes in
 * several pieces is their concatenation, as protobuf merges.  The pieces are walked in turn, so
 * that nothing is copied. */
#include "example/lists.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/compare.h"
#include "base/error.h"

struct tfr_lists {
	struct tfr_feature_list *all;
	size_t n, cap;
	struct tfr_example *step; /* reused for each step */
	bool no_memory;
};

struct tfr_lists *tfr_lists_new(void)
{
	struct tfr_lists *l = calloc(1, sizeof(*l));

	if (l)
		l->step = tfr_example_new();
	if (l && l->step)
		return l;
	tfr_lists_free(l);
	return NULL;
}

void tfr_lists_free(struct tfr_lists *l)
{
	if (!l)
		return;
	tfr_example_free(l->step);
	free(l->all);
	free(l);
}

size_t tfr_lists_count(const struct tfr_lists *l)
{
	return l->n;
}

const struct tfr_feature_list *tfr_lists_at(const struct tfr_lists *l, size_t i)
{
	return &l->all[i];
}

/* Finds the next field of `w` that is a message of this number, and enters it. */
static bool next_message(struct tfr_wire *w, uint32_t number, struct tfr_wire *inner)
{
	struct tfr_wire_field f;

	while (tfr_wire_next(w, &f))
		if (f.number == number && f.type == TFR_WIRE_BYTES) {
			*inner = tfr_wire_enter(w, &f);
			return true;
		}
	return false;
}

/* --- parsing --- */

static bool check_steps(struct tfr_lists *l, struct tfr_wire *w, struct tfr_feature_list *list)
{
	struct tfr_wire inner;
	struct tfr_feature step;

	while (next_message(w, 1, &inner)) {
		if (!tfr_feature_parse(l->step, &inner, &step, &l->no_memory))
			return tfr_wire_leave(w, &inner);
		list->steps++;
		if (!list->kind)
			list->kind = step.kind;
	}
	return !w->fault;
}

/* As everywhere, an entry of a map with fields other than key and value is ignored. */
static bool check_entry(
	struct tfr_lists *l, struct tfr_wire *w, struct tfr_feature_list *list, bool *whole)
{
	struct tfr_wire_field f;

	*whole = true;
	while (tfr_wire_next(w, &f)) {
		struct tfr_wire inner;

		if (f.type == TFR_WIRE_BYTES && f.number == 1) {
			list->key = (const char *)f.data;
			list->key_size = f.size;
		} else if (f.type == TFR_WIRE_BYTES && f.number == 2) {
			inner = tfr_wire_enter(w, &f);
			if (!check_steps(l, &inner, list))
				return tfr_wire_leave(w, &inner);
		} else {
			*whole = false;
		}
	}
	return !w->fault;
}

static bool add_entry(struct tfr_lists *l, struct tfr_wire *w)
{
	struct tfr_feature_list *list;
	bool whole;

	if (TFR_ARRAY_RESERVE(l->all, l->cap, l->n + 1)) {
		l->no_memory = true;
		return tfr_wire_fail(w, w->p, "out of memory");
	}
	list = &l->all[l->n];
	*list = (struct tfr_feature_list){
		.key = "", .body = w->p, .size = (size_t)(w->end - w->p), .place = l->n
	};
	if (!check_entry(l, w, list, &whole))
		return false;
	l->n += whole;
	return true;
}

static bool add_lists(struct tfr_lists *l, struct tfr_wire *w)
{
	struct tfr_wire inner;

	while (next_message(w, 1, &inner))
		if (!add_entry(l, &inner))
			return tfr_wire_leave(w, &inner);
	return !w->fault;
}

static int compare_keys(const struct tfr_feature_list *a, const struct tfr_feature_list *b)
{
	return tfr_compare_bytes(a->key, a->key_size, b->key, b->key_size);
}

static int by_key(const void *pa, const void *pb)
{
	const struct tfr_feature_list *a = pa, *b = pb;
	int c = compare_keys(a, b);

	return c ? c : (a->place > b->place) - (a->place < b->place);
}

static void sort(struct tfr_lists *l)
{
	size_t n = 0;

	if (l->n > 1)
		qsort(l->all, l->n, sizeof(*l->all), by_key);
	for (size_t i = 0; i < l->n; i++) {
		if (n && !compare_keys(&l->all[n - 1], &l->all[i]))
			n--;
		l->all[n++] = l->all[i];
	}
	l->n = n;
}

enum tfr_status tfr_lists_parse(
	struct tfr_lists *l, const void *data, size_t size, struct tfr_error *err)
{
	const uint8_t *start = size ? data : (const uint8_t *)"";
	struct tfr_wire w = { .p = start, .end = start + size }, inner;

	l->n = 0;
	l->no_memory = false;
	if (size > INT32_MAX)
		return tfr_fail(
			err, TFR_EDATA, "not a SequenceExample: larger than protobuf's 2 GiB");
	while (next_message(&w, 2, &inner))
		if (!add_lists(l, &inner)) {
			tfr_wire_leave(&w, &inner);
			break;
		}
	if (l->no_memory)
		return tfr_fail_nomem(err, "parsing a SequenceExample");
	if (w.fault)
		return tfr_fail(err, TFR_EDATA, "not a SequenceExample: %s, at byte %zu", w.fault,
			(size_t)(w.fault_at - start));
	sort(l);
	return TFR_OK;
}

/* --- reading --- */

void tfr_steps_init(struct tfr_steps *s, const struct tfr_feature_list *list)
{
	*s = (struct tfr_steps){ .entry = { .p = list->body, .end = list->body + list->size } };
	s->list = (struct tfr_wire){ .p = list->body, .end = list->body };
}

enum tfr_status tfr_steps_next(
	struct tfr_steps *s, struct tfr_lists *l, struct tfr_feature *step, struct tfr_error *err)
{
	struct tfr_wire inner;

	while (!next_message(&s->list, 1, &inner))
		if (!next_message(&s->entry, 2, &s->list))
			return TFR_END;
	TFR_NEED_MEMORY(tfr_feature_parse(l->step, &inner, step, &l->no_memory), err,
		"parsing a SequenceExample");
	return TFR_OK;
}

enum tfr_status tfr_sequence_visit_bytes(const void *data, size_t size,
	enum tfr_status (*visit)(void *ctx, const struct tfr_bytes *key,
		const struct tfr_bytes *value, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	struct tfr_lists *l = tfr_lists_new();
	enum tfr_status status = l ? tfr_lists_parse(l, data, size, err)
				   : tfr_fail_nomem(err, "parsing a SequenceExample");

	for (size_t i = 0; visit && !status && i < l->n; i++) {
		struct tfr_bytes key = { (const uint8_t *)l->all[i].key, l->all[i].key_size };
		struct tfr_bytes value;
		struct tfr_feature step;
		struct tfr_steps steps;
		struct tfr_cursor c;

		tfr_steps_init(&steps, &l->all[i]);
		while (!status && !(status = tfr_steps_next(&steps, l, &step, err))) {
			tfr_cursor_init(&c, &step);
			while (!status && tfr_cursor_bytes(&c, &value))
				status = visit(ctx, &key, &value, err);
		}
		status = status == TFR_END ? TFR_OK : status;
	}
	tfr_lists_free(l);
	return status;
}
