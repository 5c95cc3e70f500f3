/* tests/fuzz/oracle.c - any bytes as an Example: what our reader and that of protobuf-c both take
 * is the same features with the same values. */
#include <tfr-private/example.h>

#include "example.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const Tfr__Feature *last_of(const Tfr__Example *e, const struct tfr_feature *f)
{
	const Tfr__Feature *found = NULL;

	for (size_t i = 0; e->features && i < e->features->n_feature; i++) {
		const Tfr__FeatureEntry *entry = e->features->feature[i];

		if (!entry->base.n_unknown_fields && entry->key.len == f->key_size &&
			(!f->key_size || !memcmp(entry->key.data, f->key, f->key_size)))
			found = entry->value;
	}
	return found;
}

static void need(bool holds)
{
	if (!holds)
		abort();
}

static void compare(const struct tfr_feature *f, const Tfr__Feature *pb)
{
	struct tfr_cursor c;
	struct tfr_bytes b;
	size_t i = 0, n, first;
	int64_t v;
	float x;

	if (!pb) { /* an entry without a value */
		need(!f->count);
		return;
	}
	need((int)f->kind == (int)pb->kind_case);
	n = f->kind == TFR_KIND_INT64	? pb->int64_list->n_value
	    : f->kind == TFR_KIND_FLOAT ? pb->float_list->n_value
	    : f->kind == TFR_KIND_BYTES ? pb->bytes_list->n_value
					: 0;
	need(n <= f->count);
	first = f->count - n;
	tfr_cursor_init(&c, f);
	for (; tfr_cursor_int64(&c, &v); i++)
		need(i < first || v == pb->int64_list->value[i - first]);
	for (; tfr_cursor_float(&c, &x); i++)
		need(i < first || !memcmp(&x, &pb->float_list->value[i - first], 4));
	for (; tfr_cursor_bytes(&c, &b); i++)
		need(i < first ||
			(b.size == pb->bytes_list->value[i - first].len &&
				(!b.size || !memcmp(b.data, pb->bytes_list->value[i - first].data,
						    b.size))));
	need(i == f->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_example *ex = tfr_example_new();
	Tfr__Example *pb = NULL;

	if (ex && !tfr_example_parse(ex, data, size, NULL))
		pb = tfr__example__unpack(NULL, size, data);
	if (pb) {
		for (size_t i = 0; pb->features && i < pb->features->n_feature; i++) {
			const Tfr__FeatureEntry *e = pb->features->feature[i];

			need(e->base.n_unknown_fields ||
				tfr_example_find(ex, e->key.data, e->key.len));
		}
		for (size_t i = 0; i < tfr_example_count(ex); i++)
			compare(tfr_example_at(ex, i), last_of(pb, tfr_example_at(ex, i)));
		tfr__example__free_unpacked(pb, NULL);
	}
	tfr_example_free(ex);
	return 0;
}
