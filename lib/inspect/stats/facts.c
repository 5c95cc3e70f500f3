/* inspect/stats/facts.c - examines a feature of a record once, value by value.
 *
 * The content of a bytes value is detected from its first bytes if they suffice (images), otherwise
 * from all of them.  The hash of a value above 4 KiB covers its length and three samples of 1 KiB,
 * so images cost next to nothing compared with the checksum. */
#include "inspect/stats/facts.h"

#include <string.h>

#include "example/wire.h"
#include "xxhash.h"

enum { WHOLE = 4096, SAMPLE = 1024 };

void tfr_range_add(struct tfr_range *r, uint64_t value)
{
	r->min = value < r->min ? value : r->min;
	r->max = value > r->max ? value : r->max;
}

void tfr_range_merge(struct tfr_range *into, const struct tfr_range *from)
{
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
}

void tfr_facts_init(struct tfr_facts *f)
{
	*f = (struct tfr_facts){ .first = { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	for (int i = 0; i < TFR_FACTS_RANGES; i++)
		f->ranges[i] = (struct tfr_range){ UINT64_MAX, 0 };
}

void tfr_facts_clear(struct tfr_facts *f)
{
	for (int i = 0; i < TFR_FACTS_SERIES; i++)
		tfr_series_clear(&f->series[i]);
	tfr_floats_clear(&f->floats);
	tfr_facts_init(f);
}

size_t tfr_facts_bytes(const struct tfr_facts *f)
{
	size_t bytes = tfr_floats_bytes(&f->floats);

	for (int i = 0; i < TFR_FACTS_SERIES; i++)
		bytes += tfr_series_bytes(&f->series[i]);
	return bytes;
}

/* --- bytes values --- */

static bool add_image(struct tfr_facts *f, enum tfr_image_format format,
	const struct tfr_bytes *value, bool distributions)
{
	struct tfr_image_info info;
	enum tfr_status status;

	f->contents[TFR_VALUE_IMAGE]++;
	f->formats[format]++;
	if (!tfr_image_is_decoded(format))
		return true;
	status = tfr_image_probe(value->data, value->size, &info, NULL);
	f->damaged += status != TFR_OK;
	if (status)
		return true;
	tfr_range_add(&f->width, info.width);
	tfr_range_add(&f->height, info.height);
	tfr_range_add(&f->channels, info.channels);
	return !distributions ||
	       (tfr_series_add(&f->widths, info.width) && tfr_series_add(&f->heights, info.height));
}

static bool add_bytes(struct tfr_facts *f, const struct tfr_bytes *value, bool distributions)
{
	enum tfr_image_format format = tfr_image_sniff(value->data, value->size);

	tfr_range_add(&f->size, value->size);
	f->bytes += value->size;
	if (distributions && !tfr_series_add(&f->numbers, (int64_t)value->size))
		return false;
	if (format != TFR_IMAGE_UNKNOWN)
		return add_image(f, format, value, distributions);
	f->contents[tfr_value_content_of(value->data, value->size)]++;
	return true;
}

/* --- values --- */

/* The receivers of the values of a record. */
struct sink {
	struct tfr_values *values;
	struct tfr_tally *tally;
	uint64_t salt;
};

static bool count_value(struct sink *to, const struct tfr_value *v)
{
	tfr_distinct_add(&to->values->distinct, v->hash);
	if (v->text && v->size > TFR_TOPS_TEXT) {
		__atomic_fetch_add(&to->values->too_long, 1, __ATOMIC_RELAXED);
		return true;
	}
	return tfr_tally_add(to->tally, v, tfr_mix(v->hash ^ to->salt++));
}

static bool count_number(struct sink *to, uint64_t number)
{
	return count_value(to, &(struct tfr_value){ .hash = tfr_mix(number), .number = number });
}

static uint64_t hash_of(const struct tfr_bytes *v)
{
	uint64_t h;

	if (v->size <= WHOLE)
		return XXH3_64bits(v->data, v->size);
	h = XXH3_64bits_withSeed(v->data, SAMPLE, v->size);
	h = XXH3_64bits_withSeed(v->data + v->size / 2, SAMPLE, h);
	return XXH3_64bits_withSeed(v->data + v->size - SAMPLE, SAMPLE, h);
}

static bool add_all_bytes(struct tfr_facts *f, struct tfr_cursor *cursor, struct sink *to)
{
	struct tfr_bytes v;
	bool ok = true;

	while (ok && tfr_cursor_bytes(cursor, &v)) {
		ok = add_bytes(f, &v, to->values);
		if (ok && to->values)
			ok = count_value(
				to, &(struct tfr_value){ .hash = hash_of(&v),
					    .text = v.data,
					    .size = v.size <= TFR_TOPS_TEXT ? (uint32_t)v.size
									    : TFR_TOPS_TEXT + 1 });
	}
	return ok;
}

static bool add_all_floats(struct tfr_facts *f, struct tfr_cursor *cursor, struct sink *to)
{
	uint32_t bits;
	bool ok = true;
	float v;

	while (ok && tfr_cursor_float(cursor, &v)) {
		v = v != v ? __builtin_nanf("") : v + 0.0f; /* one NaN, one zero */
		memcpy(&bits, &v, 4);
		ok = tfr_floats_add(&f->floats, v) && count_number(to, bits);
	}
	return ok;
}

static bool add_all_int64s(struct tfr_facts *f, struct tfr_cursor *cursor, struct sink *to)
{
	bool ok = true;
	int64_t v;

	while (ok && tfr_cursor_int64(cursor, &v))
		ok = tfr_series_add(&f->numbers, v) && count_number(to, (uint64_t)v);
	return ok;
}

/* The size of numbers, without the framing of lists that are not one packed chunk. */
static uint64_t bytes_of(const struct tfr_feature *f)
{
	struct tfr_cursor cursor;
	uint64_t bytes = 0;
	int64_t v;

	if (f->kind == TFR_KIND_FLOAT)
		return 4 * f->count;
	if (f->one_chunk)
		return f->body_size;
	tfr_cursor_init(&cursor, f);
	while (tfr_cursor_int64(&cursor, &v))
		bytes += tfr_wire_varint_size((uint64_t)v);
	return bytes;
}

static bool is_before(const struct tfr_occurrence *a, const struct tfr_occurrence *b)
{
	return a->file != b->file ? a->file < b->file : a->record < b->record;
}

static void add_record(struct tfr_facts *f, const struct tfr_occurrence *place, bool empty)
{
	f->records++;
	f->empty += empty;
	if (is_before(place, &f->first))
		f->first = *place;
}

bool tfr_facts_add(struct tfr_facts *f, const struct tfr_seen *seen, struct tfr_values *values,
	struct tfr_tally *tally)
{
	const struct tfr_feature *feature = seen->feature;
	struct sink to = { values, tally, seen->salt };
	struct tfr_cursor cursor;

	if (seen->step)
		f->all_steps++;
	else
		add_record(f, &seen->place, !feature->count);
	f->values += feature->count;
	tfr_range_add(&f->length, feature->count);
	if (values && !tfr_series_add(&f->lengths, (int64_t)feature->count))
		return false;
	tfr_cursor_init(&cursor, feature);
	if (feature->kind == TFR_KIND_BYTES)
		return add_all_bytes(f, &cursor, &to);
	f->bytes += bytes_of(feature);
	if (!values)
		return true;
	return feature->kind == TFR_KIND_FLOAT ? add_all_floats(f, &cursor, &to)
					       : add_all_int64s(f, &cursor, &to);
}

bool tfr_facts_add_list(
	struct tfr_facts *f, const struct tfr_occurrence *place, uint64_t steps, bool distributions)
{
	add_record(f, place, !steps);
	tfr_range_add(&f->steps, steps);
	return !distributions || tfr_series_add(&f->step_counts, (int64_t)steps);
}

bool tfr_facts_merge(struct tfr_facts *into, const struct tfr_facts *from)
{
	bool ok = tfr_floats_merge(&into->floats, &from->floats);

	if (is_before(&from->first, &into->first))
		into->first = from->first;
	for (int i = 0; i < TFR_FACTS_COUNTS; i++)
		into->counts[i] += from->counts[i];
	for (int i = 0; i < TFR_FACTS_RANGES; i++)
		tfr_range_merge(&into->ranges[i], &from->ranges[i]);
	for (int i = 0; ok && i < TFR_FACTS_SERIES; i++)
		ok = tfr_series_merge(&into->series[i], &from->series[i]);
	return ok;
}

/* --- the state --- */

enum { BEFORE_RANGES = 4 }; /* the counts before the ranges: records, empty, values, bytes */

static void counts_state(struct tfr_facts *f, unsigned from, unsigned to, struct tfr_state *s)
{
	for (unsigned i = from; i < to; i++)
		tfr_state_u64(s, &f->counts[i]);
}

static void range_state(struct tfr_range *r, struct tfr_state *s)
{
	tfr_state_u64(s, &r->min);
	tfr_state_u64(s, &r->max);
}

void tfr_facts_state(struct tfr_facts *f, bool list, struct tfr_state *s)
{
	counts_state(f, 0, BEFORE_RANGES, s);
	for (unsigned i = 0; i < TFR_FACTS_RANGES - 1; i++)
		range_state(&f->ranges[i], s);
	counts_state(f, BEFORE_RANGES, TFR_FACTS_COUNTS - 1, s);
	for (unsigned i = 0; i < TFR_FACTS_SERIES - 1; i++)
		tfr_series_state(&f->series[i], s);
	tfr_floats_state(&f->floats, s);
	if (!list)
		return;
	tfr_state_u64(s, &f->all_steps);
	range_state(&f->steps, s);
	tfr_series_state(&f->step_counts, s);
}
