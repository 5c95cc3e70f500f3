/* convert/list/columns.c - numbers are recognised by their form.  A text that would lose something
 * as a number (leading zeros, a plus sign before an integer) stays text.  A number that int64 or
 * float32 cannot hold never decides the kind of its column: the column is refused. */
#include "convert/list/list.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <xxhash.h>

#include <tfr-private/text.h>

#include "base/array.h"
#include "base/decimal_read.h"

/* Whether a decimal text is written as an integer. */
static bool is_integer(const char *text, size_t size)
{
	size_t i = 0;

	while (i < size && text[i] != '.' && text[i] != 'e' && text[i] != 'E')
		i++;
	return i == size;
}

#if defined(__SSE2__)
/* Up to 16 bytes, zeros after them, without a look beyond. */
static __m128i load_some(const char *text, size_t size)
{
	uint64_t low = 0, high = 0;

	assert(size <= 16);
	if (size >= 8) {
		memcpy(&low, text, 8);
		memcpy(&high, text + size - 8, 8);
		high = size > 8 ? high >> 8 * (16 - size) : 0;
	} else {
		for (size_t i = 0; i < size; i++)
			low |= (uint64_t)(unsigned char)text[i] << 8 * i;
	}
	return _mm_set_epi64x((long long)high, (long long)low);
}

/* The look of [-]digits[.[digits]] of up to 16 characters; 0: it is something else. */
static unsigned look_of_digits(const char *text, size_t size)
{
	__m128i v = load_some(text, size);
	__m128i value = _mm_sub_epi8(v, _mm_set1_epi8('0'));
	unsigned digits = (unsigned)_mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value));
	unsigned points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('.')));
	unsigned begin = *text == '-', all = ((1u << size) - 1) & ~begin;

	digits &= all;
	if (!(digits >> begin & 1) || (text[begin] == '0' && digits >> (begin + 1) & 1))
		return 0;
	if (digits == all)
		return TFR_LOOK_INT;
	return (digits | points) == all && !(points & (points - 1)) ? TFR_LOOK_FLOAT : 0;
}
#endif

enum tfr_look tfr_look_at(const char *text, size_t size)
{
	enum { SAFE = 37 }; /* powers of ten in float32 */
	const char *end = text + size;
	struct tfr_scanned n;
	bool scanned;
	int64_t whole;
	float real;

#if defined(__SSE2__)
	unsigned look = size && size <= 16 ? look_of_digits(text, size) : 0;

	if (look)
		return (enum tfr_look)look;
#endif
	scanned = tfr_decimal_scan(text, end, &n) == end;
	if (!scanned && tfr_decimal_end(text, end) != end)
		return tfr_text_special(text, size, &real) ? TFR_LOOK_SPECIAL : TFR_LOOK_TEXT;
	if (n.first == '0' && size > 1 + (n.sign != 0) &&
		isdigit((unsigned char)text[1 + (n.sign != 0)]))
		return TFR_LOOK_TEXT;
	if (scanned ? tfr_scanned_is_integer(&n) : is_integer(text, size)) {
		if (n.sign == '+')
			return TFR_LOOK_TEXT;
		return scanned && tfr_scanned_int64(&n, &whole) ? TFR_LOOK_INT : TFR_LOOK_BIG;
	}
	if (scanned && n.exponent + n.before + n.after <= SAFE)
		return TFR_LOOK_FLOAT;
	return tfr_text_float(text, size, &real) ? TFR_LOOK_FLOAT : TFR_LOOK_HUGE;
}

static void apply_options(struct tfr_columns *c, struct tfr_list_column *col)
{
	const struct tfr_convert_tables *o = c->tables;

	for (size_t i = 0; i < o->type_count; i++)
		if (!strcmp(o->types[i].name, col->name)) {
			col->kind = o->types[i].kind;
			col->given = true;
		}
	for (size_t i = 0; i < o->embed_count; i++)
		if (!strcmp(o->embeds[i].column, col->name)) {
			col->embed = i;
			col->kind = TFR_KIND_BYTES;
			col->given = true;
		}
}

void tfr_columns_embed(struct tfr_columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		c->list[i].embed = TFR_NO_EMBED;
		apply_options(c, &c->list[i]);
	}
}

static bool is_called(const struct tfr_list_column *col, const char *name, size_t size)
{
	return strlen(col->name) == size && !memcmp(col->name, name, size);
}

/* A list whose names were made to collide meets another seed in each run. */
static uint64_t hash_of(const struct tfr_columns *c, const char *name, size_t size)
{
	return XXH3_64bits_withSeed(name, size, (uint64_t)(uintptr_t)c);
}

const struct tfr_list_column *tfr_columns_find(
	const struct tfr_columns *c, const char *name, size_t size, size_t *guess)
{
	struct tfr_hash_probe p;
	uint32_t i = *guess < c->n ? (uint32_t)*guess : 0;

	if (!c->n)
		return NULL;
	if (!is_called(&c->list[i], name, size)) {
		p = tfr_hash_probe(hash_of(c, name, size));
		do {
			if (!tfr_hash_next(&c->index, &p, &i))
				return NULL;
		} while (!is_called(&c->list[i], name, size));
	}
	*guess = i + 1;
	return &c->list[i];
}

struct tfr_list_column *tfr_columns_add(struct tfr_columns *c, const char *name, size_t size)
{
	const struct tfr_list_column *there = tfr_columns_find(c, name, size, &c->guess);
	struct tfr_list_column *col;

	if (there)
		return &c->list[there - c->list];
	if (TFR_ARRAY_RESERVE(c->list, c->cap, c->n + 1))
		return NULL;
	col = &c->list[c->n];
	*col = (struct tfr_list_column){ .name = strndup(name, size), .embed = TFR_NO_EMBED };
	if (!col->name || tfr_hash_add(&c->index, hash_of(c, name, size), (uint32_t)c->n)) {
		free(col->name);
		return NULL;
	}
	c->n++;
	apply_options(c, col);
	return col;
}

void tfr_column_see(
	struct tfr_list_column *col, unsigned looks, const char *text, size_t size, uint64_t line)
{
	struct tfr_misfit *m = &col->misfits[looks & TFR_LOOK_NA     ? 2
					     : looks & TFR_LOOK_HUGE ? 1
								     : 0];

	col->looks |= looks;
	if (looks & TFR_LOOK_TEXT && !col->text_line)
		col->text_line = line;
	if (looks & TFR_LOOK_NUMBERS && !col->number_line)
		col->number_line = line;
	if (looks & TFR_LOOK_MISFITS && !m->line) {
		snprintf(m->text, sizeof(m->text), "%.*s",
			(int)(size < sizeof(m->text) ? size : INT_MAX), text);
		m->line = line;
	}
}

static enum tfr_status misfit(
	const struct tfr_list_column *col, bool huge, const char *path, struct tfr_error *err)
{
	const struct tfr_misfit *m = &col->misfits[huge];

	tfr_fail(err, TFR_EDATA, "'%s' is %s in line %llu of '%s', which %s cannot hold", col->name,
		m->text, (unsigned long long)m->line, path, huge ? "float" : "int64");
	tfr_error_hint(err,
		huge ? "Keep the digits as text with --types %s=bytes, or skip such rows with "
		       "--types %s=float."
		     : "Keep the digits as text with --types %s=bytes, or round the numbers with "
		       "--types %s=float.",
		col->name, col->name);
	return TFR_EDATA;
}

enum tfr_status tfr_column_decide(
	struct tfr_list_column *col, bool texts, const char *path, struct tfr_error *err)
{
	if (col->given || !col->looks)
		return TFR_OK;
	if (!texts && col->looks & TFR_LOOK_TEXT && col->looks & TFR_LOOK_NUMBERS)
		return tfr_fail_hint(err, TFR_EDATA,
			"A feature has one kind in the whole set.  Give it, such as "
			"--types NAME=bytes.",
			"'%s' is a number in line %llu of '%s' and a text in line %llu", col->name,
			(unsigned long long)col->number_line, path,
			(unsigned long long)col->text_line);
	if (col->looks & (TFR_LOOK_TEXT | TFR_LOOK_NA) ||
		(!texts && col->looks == TFR_LOOK_SPECIAL))
		col->kind = TFR_KIND_BYTES;
	else if (col->looks & TFR_LOOK_HUGE)
		return misfit(col, true, path, err);
	else if (col->looks & TFR_LOOK_BIG && !(col->looks & (TFR_LOOK_FLOAT | TFR_LOOK_SPECIAL)))
		return misfit(col, false, path, err);
	else if (col->looks == TFR_LOOK_INT)
		col->kind = TFR_KIND_INT64;
	else
		col->kind = TFR_KIND_FLOAT;
	return TFR_OK;
}

static enum tfr_status need(
	const struct tfr_columns *c, const char *name, const char *path, struct tfr_error *err)
{
	struct tfr_suggestion meant;
	size_t guess = 0;

	if (tfr_columns_find(c, name, strlen(name), &guess))
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "no column '%s' in '%s'", name, path);
	tfr_suggestion_init(&meant, name, strlen(name));
	for (size_t i = 0; i < c->n; i++)
		tfr_suggestion_offer(&meant, c->list[i].name, strlen(c->list[i].name));
	tfr_suggestion_hint(&meant, err);
	return TFR_EUSAGE;
}

enum tfr_status tfr_columns_check(
	const struct tfr_columns *c, const char *path, struct tfr_error *err)
{
	for (size_t i = 0; i < c->tables->type_count; i++)
		TFR_TRY(need(c, c->tables->types[i].name, path, err));
	for (size_t i = 0; i < c->tables->embed_count; i++)
		TFR_TRY(need(c, c->tables->embeds[i].column, path, err));
	return TFR_OK;
}

void tfr_columns_clear(struct tfr_columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->list[i].name);
	free(c->list);
	tfr_hash_clear(&c->index);
	*c = (struct tfr_columns){ 0 };
}
