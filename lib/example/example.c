/* example/example.c - parses a record into sorted views, by protobuf's rules.
 *
 * Every entry of the map becomes a view of its list's wire bytes.  The list is counted and
 * checked at once, so that reading values later cannot fail or leave the record.  Bytes are
 * copied in one case: a Feature with several lists of one kind is their concatenation, as
 * protobuf merges, which is built in `merged`.  Only the Feature being read grows there, at the
 * end, so the copying is linear; views get their pointers into `merged` when it no longer moves. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/hardening.h"
#include "example/lists.h"
#include "example/wire.h"

enum { DIRECT = 0, MERGED = 1 };

struct entry {
	struct tfr_feature
		view; /* while parsing, a list in `merged` has its offset there instead of `body` */
	size_t merged_at;
	uint8_t where;	    /* DIRECT or MERGED */
	uint8_t chunk_head; /* tag and length of the only packed chunk, when view.one_chunk */
};

/* The sort key: small, and mostly decided by the first bytes of the key. */
struct order {
	uint64_t prefix;
	uint32_t index;
};

struct tfr_example {
	struct entry *entries;
	struct order *order, *scratch;
	size_t cap, n_entries;
	size_t n; /* features: entries except those that a later one replaced */
	struct tfr_buf merged;
	bool no_memory;
};

struct tfr_example *tfr_example_new(void)
{
	return tfr_calloc_apart(1, sizeof(struct tfr_example));
}

void tfr_example_free(struct tfr_example *ex)
{
	if (!ex)
		return;
	free(ex->entries);
	free(ex->order);
	free(ex->scratch);
	tfr_buf_clear(&ex->merged);
	free(ex);
}

/* The three arrays have one capacity, so that one alone may have grown before a failure. */
static bool grow_entries(struct tfr_example *ex)
{
	size_t order = ex->cap, scratch = ex->cap;

	return !TFR_ARRAY_RESERVE(ex->order, order, ex->cap + 1) &&
	       !TFR_ARRAY_RESERVE(ex->scratch, scratch, ex->cap + 1) &&
	       !TFR_ARRAY_RESERVE(ex->entries, ex->cap, ex->cap + 1);
}

/* ---- Lists ---- */

struct list {
	const uint8_t *body;
	size_t size;
	uint64_t count;
	bool one_chunk;
	uint8_t chunk_head;
};

static bool count_bytes(struct tfr_wire *w, uint64_t *count)
{
	struct tfr_wire_field f;

	while (tfr_wire_next(w, &f))
		*count += f.number == 1 && f.type == TFR_WIRE_BYTES;
	return !w->fault;
}

/* One field of a list of numbers: a packed chunk, a single value, or neither. */
static bool count_numbers(
	struct tfr_wire *w, const struct tfr_wire_field *f, enum tfr_kind kind, uint64_t *count)
{
	*count = 0;
	if (f->number != 1)
		return true;
	if (f->type == (kind == TFR_KIND_INT64 ? TFR_WIRE_VARINT : TFR_WIRE_FIXED32)) {
		*count = 1;
	} else if (f->type == TFR_WIRE_BYTES) {
		if (kind == TFR_KIND_INT64)
			return tfr_wire_count_varints(w, f->data, f->size, count);
		if (f->size % 4)
			return tfr_wire_fail(
				w, f->data, "packed floats whose length is not a multiple of 4");
		*count = f->size / 4;
	}
	return true;
}

static inline __attribute__((always_inline)) bool measure_list(
	struct tfr_wire *w, enum tfr_kind kind, struct list *l)
{
	struct tfr_wire_field f;
	const uint8_t *start = w->p;
	uint64_t n;

	*l = (struct list){ .body = start, .size = (size_t)(w->end - start) };
	if (kind == TFR_KIND_BYTES)
		return count_bytes(w, &l->count);
	for (const uint8_t *at = start; tfr_wire_next(w, &f); at = w->p) {
		if (!count_numbers(w, &f, kind, &n))
			return false;
		l->count += n;
		/* The usual list is one packed chunk and nothing else: its values are
		 * contiguous. */
		if (at == start && w->p == w->end && f.number == 1 && f.type == TFR_WIRE_BYTES) {
			l->one_chunk = true;
			l->chunk_head = (uint8_t)(f.data - start);
		}
	}
	return !w->fault;
}

/* The first list of its kind is a view; later ones are appended to it in `merged`. */
static bool add_list(struct tfr_example *ex, struct entry *e, const struct list *l)
{
	if (!l->size)
		return true;
	if (!e->view.body_size) {
		e->view.body = l->body;
		e->view.body_size = l->size;
		e->view.count = l->count;
		e->view.one_chunk = l->one_chunk;
		e->chunk_head = l->chunk_head;
		e->where = DIRECT;
		return true;
	}
	if (e->where == DIRECT) {
		e->where = MERGED;
		e->merged_at = ex->merged.size;
		if (!tfr_buf_append(&ex->merged, e->view.body, e->view.body_size))
			return false;
	}
	e->view.body_size += l->size;
	e->view.count += l->count;
	e->view.one_chunk = false;
	return tfr_buf_append(&ex->merged, l->body, l->size);
}

/* ---- Messages ---- */

/* Inlined into the parser: one call per feature would cost a tenth of the time. */
static inline __attribute__((always_inline)) bool parse_feature(
	struct tfr_example *ex, struct tfr_wire *w, struct entry *e)
{
	struct tfr_wire_field f;

	while (tfr_wire_next(w, &f)) {
		struct tfr_wire inner;
		struct list l;

		if (f.number > 3 || f.type != TFR_WIRE_BYTES)
			continue;
		if (e->view.kind != f.number) {
			e->view.kind = f.number;
			e->view.count = e->view.body_size = 0;
			e->view.one_chunk = false;
		}
		tfr_wire_begin(&inner, w, &f);
		if (!measure_list(&inner, f.number, &l))
			return tfr_wire_leave(w, &inner);
		if (!add_list(ex, e, &l)) {
			ex->no_memory = true;
			return tfr_wire_fail(w, f.data, "out of memory");
		}
	}
	return !w->fault;
}

static uint64_t key_prefix(const char *key, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, key, size < 8 ? size : 8);
	return __builtin_bswap64(v);
}

/* The size of a message of tag `tag` that ends where its container ends.  SIZE_MAX: another
 * field, or a length of several bytes. */
static inline size_t only_message(const uint8_t *p, size_t size, uint8_t tag)
{
	return size > 2 && p[0] == tag && p[1] < 0x80 && p[1] + (size_t)2 == size ? p[1] : SIZE_MAX;
}

/* The number of values in a list of `size` bytes that has one text or one short packed chunk; 0:
 * another form. */
static inline size_t count_usual(const uint8_t *p, size_t size, enum tfr_kind kind)
{
	enum { LONGEST = 10 }; /* bytes of a varint */
	size_t chunk = only_message(p, size, 0x0a), n = 0;

	if (chunk == SIZE_MAX || kind == TFR_KIND_BYTES)
		return chunk != SIZE_MAX;
	if (kind == TFR_KIND_FLOAT)
		return chunk % 4 ? 0 : chunk / 4;
	if (chunk > LONGEST || p[size - 1] >= 0x80)
		return 0;
	for (size_t i = 2; i < size; i++)
		n += p[i] < 0x80;
	return n;
}

/* Parses the usual entry: a key, and a feature with one short list in one piece.  False: the
 * entry has another form, which says nothing about its validity. */
static inline bool parse_usual_entry(struct entry *e, const uint8_t *p, size_t size)
{
	size_t key = size > 2 && p[0] == 0x0a ? p[1] : 0, at = 2 + key, feature, list, n;
	enum tfr_kind kind;

	if (!key || key >= 0x80 || at >= size)
		return false;
	feature = only_message(p + at, size - at, 0x12);
	if (feature == SIZE_MAX)
		return false;
	at += 2;
	kind = p[at] >> 3;
	if (kind < TFR_KIND_BYTES || kind > TFR_KIND_INT64)
		return false;
	list = only_message(p + at, feature, (uint8_t)(kind << 3 | TFR_WIRE_BYTES));
	n = list == SIZE_MAX ? 0 : count_usual(p + at + 2, list, kind);
	if (!n)
		return false;
	e->view = (struct tfr_feature){ .key = (const char *)p + 2,
		.key_size = key,
		.kind = kind,
		.count = n,
		.body = p + at + 2,
		.body_size = list,
		.one_chunk = kind != TFR_KIND_BYTES };
	e->chunk_head = 2;
	e->where = DIRECT;
	return true;
}

static void end_entry(struct tfr_example *ex, const struct entry *e)
{
	ex->order[ex->n_entries] = (struct order){ key_prefix(e->view.key, e->view.key_size),
		(uint32_t)ex->n_entries };
	ex->n_entries++;
}

static bool parse_entry(struct tfr_example *ex, struct tfr_wire *w)
{
	struct tfr_wire_field f;
	struct entry *e;
	bool dropped = false;

	if (ex->n_entries == ex->cap && !grow_entries(ex)) {
		ex->no_memory = true;
		return tfr_wire_fail(w, w->p, "out of memory");
	}
	e = &ex->entries[ex->n_entries];
	if (parse_usual_entry(e, w->p, (size_t)(w->end - w->p))) {
		end_entry(ex, e);
		return true;
	}
	*e = (struct entry){ .view.key = "" };
	while (tfr_wire_next(w, &f)) {
		if (f.number == 1 && f.type == TFR_WIRE_BYTES) {
			e->view.key = (const char *)f.data;
			e->view.key_size = f.size;
		} else if (f.number == 2 && f.type == TFR_WIRE_BYTES) {
			struct tfr_wire inner;

			tfr_wire_begin(&inner, w, &f);
			if (!parse_feature(ex, &inner, e))
				return tfr_wire_leave(w, &inner);
		} else {
			dropped = true;
		}
	}
	if (w->fault || dropped)
		return !w->fault;
	end_entry(ex, e);
	return true;
}

/* Parses each message of number 1; inlined into its two callers. */
static inline __attribute__((always_inline)) bool parse_each(struct tfr_example *ex,
	struct tfr_wire *w, bool (*parse)(struct tfr_example *ex, struct tfr_wire *w))
{
	struct tfr_wire_field f;

	while (tfr_wire_next(w, &f)) {
		struct tfr_wire inner;

		if (f.number != 1 || f.type != TFR_WIRE_BYTES)
			continue;
		tfr_wire_begin(&inner, w, &f);
		if (!parse(ex, &inner))
			return tfr_wire_leave(w, &inner);
	}
	return !w->fault;
}

static bool parse_features(struct tfr_example *ex, struct tfr_wire *w)
{
	return parse_each(ex, w, parse_entry);
}

TFR_NO_CANARY
static bool parse_example(struct tfr_example *ex, struct tfr_wire *w)
{
	return parse_each(ex, w, parse_features);
}

/* ---- Order ---- */

/* Whether `a` comes after `b`: by key, then by position in the record. */
static bool comes_after(const struct tfr_example *ex, struct order a, struct order b)
{
	const struct tfr_feature *fa = &ex->entries[a.index].view, *fb = &ex->entries[b.index].view;
	int c;

	if (a.prefix != b.prefix)
		return a.prefix > b.prefix;
	c = tfr_compare_bytes(fa->key, fa->key_size, fb->key, fb->key_size);
	return c ? c > 0 : a.index > b.index;
}

static void insertion_sort(struct tfr_example *ex, size_t from, size_t to)
{
	struct order *o = ex->order;

	for (size_t i = from + 1; i < to; i++) {
		struct order x = o[i];
		size_t k = i;

		for (; k > from && comes_after(ex, o[k - 1], x); k--)
			o[k] = o[k - 1];
		o[k] = x;
	}
}

/* Sorts runs of 16 by insertion and merges them pairwise, because qsort() would allocate. */
static void sort_entries(struct tfr_example *ex)
{
	size_t n = ex->n_entries;

	for (size_t i = 0; i < n; i += 16)
		insertion_sort(ex, i, i + 16 < n ? i + 16 : n);
	for (size_t run = 16; run < n; run *= 2) {
		struct order *from = ex->order, *to = ex->scratch;

		for (size_t i = 0; i < n; i += 2 * run) {
			size_t mid = i + run < n ? i + run : n,
			       end = i + 2 * run < n ? i + 2 * run : n;
			size_t a = i, b = mid;

			for (size_t k = i; k < end; k++)
				to[k] = a < mid && (b == end || !comes_after(ex, from[a], from[b]))
						? from[a++]
						: from[b++];
		}
		ex->order = to;
		ex->scratch = from;
	}
}

/* `merged` no longer moves: sets the view's final pointers. */
static void set_pointers(struct tfr_example *ex, struct entry *e)
{
	if (e->where == MERGED && e->view.body_size)
		e->view.body = ex->merged.data + e->merged_at;
	if (e->view.one_chunk) {
		e->view.body += e->chunk_head;
		e->view.body_size -= e->chunk_head;
	}
}

/* Keeps the last entry of equal keys. */
static void drop_repeated(struct tfr_example *ex)
{
	sort_entries(ex);
	for (size_t i = 0; i < ex->n_entries; i++) {
		struct entry *e = &ex->entries[ex->order[i].index];
		const struct tfr_feature *last =
			ex->n ? &ex->entries[ex->order[ex->n - 1].index].view : NULL;

		set_pointers(ex, e);
		if (last && !tfr_compare_bytes(
				    last->key, last->key_size, e->view.key, e->view.key_size))
			ex->n--;
		ex->order[ex->n++] = ex->order[i];
	}
}

TFR_NO_CANARY
enum tfr_status tfr_example_parse(
	struct tfr_example *ex, const void *data, size_t size, struct tfr_error *err)
{
	const uint8_t *start = size ? data : (const uint8_t *)"";
	struct tfr_wire w = { .p = start, .end = start + size };

	ex->n = ex->n_entries = ex->merged.size = 0;
	ex->no_memory = false;
	if (size > INT32_MAX)
		return tfr_fail(err, TFR_EDATA, "not an Example: larger than protobuf's 2 GiB");
	if (!parse_example(ex, &w)) {
		if (ex->no_memory)
			return tfr_fail_nomem(err, "parsing an Example");
		return tfr_fail(err, TFR_EDATA, "not an Example: %s, at byte %zu", w.fault,
			(size_t)(w.fault_at - start));
	}
	drop_repeated(ex);
	return TFR_OK;
}

bool tfr_feature_parse(
	struct tfr_example *ex, struct tfr_wire *w, struct tfr_feature *f, bool *no_memory)
{
	struct entry e = { .view.key = "" };

	ex->n = ex->n_entries = ex->merged.size = 0;
	ex->no_memory = false;
	if (!parse_feature(ex, w, &e)) {
		*no_memory |= ex->no_memory;
		return false;
	}
	set_pointers(ex, &e);
	*f = e.view;
	return true;
}

size_t tfr_example_count(const struct tfr_example *ex)
{
	return ex->n;
}

const struct tfr_feature *tfr_example_at(const struct tfr_example *ex, size_t i)
{
	return &ex->entries[ex->order[i].index].view;
}

const struct tfr_feature *tfr_example_find(
	const struct tfr_example *ex, const void *key, size_t key_size)
{
	size_t low = 0, high = ex->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct tfr_feature *f = tfr_example_at(ex, mid);
		int c = tfr_compare_bytes(f->key, f->key_size, key, key_size);

		if (!c)
			return f;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const struct tfr_feature *tfr_example_get(const struct tfr_example *ex, const char *key)
{
	return tfr_example_find(ex, key, strlen(key));
}

TFR_NO_CANARY
bool tfr_is_sequence_example(const void *data, size_t size)
{
	const uint8_t *start = size ? data : (const uint8_t *)"";
	struct tfr_wire w = { .p = start, .end = start + size };
	struct tfr_wire_field f;
	bool found = false;

	while (tfr_wire_next(&w, &f))
		found = found || (f.number == 2 && f.type == TFR_WIRE_BYTES);
	return found && !w.fault;
}
