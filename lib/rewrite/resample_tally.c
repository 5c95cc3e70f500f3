/* rewrite/resample_tally.c - a hash table of classes: open addressing, the classes themselves in
 * the order they came.
 *
 * The slots hold numbers of classes only, so that sorting the classes means filling the slots anew
 * and nothing else. */
#include "rewrite/resample_tally.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/utf8.h"

enum { FIRST_SLOTS = 64, FIRST_ITEMS = 32 };

void tfr_tally_clear(struct tfr_tally *c)
{
	free(c->items);
	free(c->slots);
	tfr_buf_clear(&c->text);
	*c = (struct tfr_tally){ 0 };
}

void tfr_tally_reset(struct tfr_tally *c)
{
	if (c->slots)
		memset(c->slots, 0, c->n_slots * sizeof(*c->slots));
	c->n = 0;
	c->text.size = 0;
}

static struct tfr_class_key key_of(const struct tfr_tally *c, const struct tfr_tally_item *item)
{
	struct tfr_class_key key = { .kind = TFR_KIND_INT64, .number = item->number };

	if (item->is_text) {
		key = (struct tfr_class_key){ .kind = TFR_KIND_BYTES, .text.size = item->size };
		key.text.data = item->size ? c->text.data + item->at : (const uint8_t *)"";
	}
	return key;
}

struct tfr_class_key tfr_tally_key(const struct tfr_tally *c, size_t i)
{
	return key_of(c, &c->items[i]);
}

int tfr_class_key_compare(const struct tfr_class_key *a, const struct tfr_class_key *b)
{
	size_t least;
	int order;

	if (a->kind != b->kind)
		return a->kind == TFR_KIND_INT64 ? -1 : 1;
	if (a->kind == TFR_KIND_INT64)
		return a->number < b->number ? -1 : a->number > b->number;
	least = a->text.size < b->text.size ? a->text.size : b->text.size;
	order = least ? memcmp(a->text.data, b->text.data, least) : 0;
	return order ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static uint64_t hash_of(const struct tfr_class_key *key)
{
	uint64_t h = (uint64_t)key->number;

	if (key->kind == TFR_KIND_BYTES)
		return XXH3_64bits(key->text.data, key->text.size);
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* The slot that holds the key, or the empty one where it would go. */
static size_t slot_of(const struct tfr_tally *c, const struct tfr_class_key *key)
{
	size_t mask = c->n_slots - 1, at = (size_t)hash_of(key) & mask;

	for (; c->slots[at]; at = (at + 1) & mask) {
		struct tfr_class_key there = tfr_tally_key(c, c->slots[at] - 1);

		if (!tfr_class_key_compare(&there, key))
			break;
	}
	return at;
}

uint32_t tfr_tally_find(const struct tfr_tally *c, const struct tfr_class_key *key)
{
	return c->n ? c->slots[slot_of(c, key)] - 1 : TFR_CLASS_NONE;
}

static void fill_slots(struct tfr_tally *c)
{
	memset(c->slots, 0, c->n_slots * sizeof(*c->slots));
	for (size_t i = 0; i < c->n; i++) {
		struct tfr_class_key key = tfr_tally_key(c, i);

		c->slots[slot_of(c, &key)] = (uint32_t)i + 1;
	}
}

/* Room for one more class; half of the slots stay empty. */
static bool grow(struct tfr_tally *c)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap + c->cap / 2 : FIRST_ITEMS;
		void *items = reallocarray(c->items, cap, sizeof(*c->items));

		if (!items)
			return false;
		c->items = items;
		c->cap = cap;
	}
	if (2 * (c->n + 1) > c->n_slots) {
		size_t n_slots = c->n_slots ? 2 * c->n_slots : FIRST_SLOTS;
		void *slots = reallocarray(c->slots, n_slots, sizeof(*c->slots));

		if (!slots)
			return false;
		c->slots = slots;
		c->n_slots = n_slots;
		fill_slots(c);
	}
	return true;
}

static enum tfr_status check_bounds(
	const struct tfr_tally *c, const struct tfr_class_key *key, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (c->n == TFR_TALLY_MAX)
		status = tfr_fail(err, TFR_EUSAGE, "more than %d classes", TFR_TALLY_MAX);
	else if (key->kind == TFR_KIND_BYTES && key->text.size > TFR_TALLY_BYTES_MAX - c->text.size)
		status = tfr_fail(err, TFR_EUSAGE, "the names of the classes are more than %d MiB",
			TFR_TALLY_BYTES_MAX >> 20);
	if (status)
		tfr_error_hint(err, "A class is meant to hold many records.  Numbers become few "
				    "classes with --bins, anything else with --class.");
	return status;
}

enum tfr_status tfr_tally_add(struct tfr_tally *c, const struct tfr_class_key *key,
	uint64_t records, uint32_t *index, struct tfr_error *err)
{
	uint32_t i = tfr_tally_find(c, key);
	enum tfr_status status;

	if (i == TFR_CLASS_NONE) {
		struct tfr_tally_item item = { .number = key->number };

		status = check_bounds(c, key, err);
		if (status)
			return status;
		if (!grow(c))
			return tfr_fail_nomem(err, "counting classes");
		if (key->kind == TFR_KIND_BYTES) {
			item.is_text = true;
			item.at = (uint32_t)c->text.size;
			item.size = (uint32_t)key->text.size;
			if (!tfr_buf_append(&c->text, key->text.data, key->text.size))
				return tfr_fail_nomem(err, "counting classes");
		}
		i = (uint32_t)c->n;
		c->slots[slot_of(c, key)] = i + 1;
		c->items[c->n++] = item;
	}
	c->items[i].records += records;
	if (index)
		*index = i;
	return TFR_OK;
}

enum tfr_status tfr_tally_merge(
	struct tfr_tally *into, const struct tfr_tally *from, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < from->n; i++) {
		struct tfr_class_key key = tfr_tally_key(from, i);

		status = tfr_tally_add(into, &key, from->items[i].records, NULL, err);
	}
	return status;
}

static int compare_items(const void *a, const void *b, void *classes)
{
	struct tfr_class_key x = key_of(classes, a), y = key_of(classes, b);

	return tfr_class_key_compare(&x, &y);
}

void tfr_tally_sort(struct tfr_tally *c)
{
	if (!c->n)
		return;
	qsort_r(c->items, c->n, sizeof(*c->items), compare_items, c);
	fill_slots(c);
}

bool tfr_class_number(const void *text, size_t size, int64_t *number)
{
	char copy[24], again[24];
	int n;

	if (!size || size >= sizeof(copy))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	*number = strtoll(copy, NULL, 10);
	n = snprintf(again, sizeof(again), "%lld", (long long)*number);
	return (size_t)n == size && !memcmp(copy, again, size);
}

/* C1 controls (U+0080 to U+009F) move a terminal's cursor as the first 32 characters do. */
static bool harmless(const uint8_t *p, size_t length)
{
	if (length == 1)
		return p[0] >= 0x20 && p[0] != 0x7f && p[0] != '\\';
	return length > 1 && !(p[0] == 0xc2 && p[1] < 0xa0);
}

bool tfr_class_escape(struct tfr_buf *b, const void *text, size_t size)
{
	const uint8_t *p = text, *end = p + size;
	bool room = true;

	while (room && p < end) {
		size_t length = tfr_utf8_length(p, (size_t)(end - p));

		if (harmless(p, length)) {
			room = tfr_buf_append(b, p, length);
		} else {
			length = 1;
			room = *p == '\\' ? tfr_buf_append(b, "\\\\", 2)
					  : tfr_buf_printf(b, "\\x%02x", *p);
		}
		p += length;
	}
	return room;
}

/* The byte an escape stands for; *used are its characters behind the backslash.  -1: none. */
static int escaped_byte(const char *p, size_t size, size_t *used)
{
	static const char letters[] = "\\\"'nrt", bytes[] = "\\\"'\n\r\t";
	const char *letter = size && *p ? strchr(letters, *p) : NULL;
	unsigned value;

	*used = 1;
	if (letter)
		return bytes[letter - letters];
	if (size < 3 || p[0] != 'x' || !isxdigit((unsigned char)p[1]) ||
		!isxdigit((unsigned char)p[2]))
		return -1;
	*used = 3;
	sscanf((char[]){ p[1], p[2], '\0' }, "%2x", &value);
	return (int)value;
}

bool tfr_class_unescape(char *text, size_t *size)
{
	size_t to = 0, used;

	for (size_t at = 0; at < *size; at++) {
		int byte = (unsigned char)text[at];

		if (byte == '\\') {
			byte = escaped_byte(text + at + 1, *size - at - 1, &used);
			if (byte < 0) {
				*size = at;
				return false;
			}
			at += used;
		}
		text[to++] = (char)byte;
	}
	*size = to;
	return true;
}
