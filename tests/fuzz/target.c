/* Any distribution, as a list or as the lines of a file: refused with words, or weights for classes
 * of numbers and of bytes that keep what tfr_target_weights() promises. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/resample/resample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(struct tfr_classes *c, enum tfr_kind kind, int64_t number, const char *text)
{
	struct tfr_counted_class class = {
		.kind = kind, .number = number, .text = { (const uint8_t *)text, strlen(text) }
	};

	if (tfr_classes_add(c, &class, 1 + c->n, NULL, NULL))
		abort();
}

static void weigh(const struct tfr_target *t, const struct tfr_classes *classes)
{
	static const struct tfr_classing by_value;
	double weights[3], largest = 0;
	struct tfr_error err = { 0 };
	enum tfr_status status =
		tfr_target_weights(t, &by_value, classes, weights, &err);

	if (status) {
		if (status != TFR_EDATA || !err.message[0] || !*tfr_error_hint_text(&err))
			abort();
		return;
	}
	for (int i = 0; i < 3; i++) {
		if (!(weights[i] >= 0))
			abort();
		largest = weights[i] > largest ? weights[i] : largest;
	}
	if (!(largest >= 1 && largest < 2))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_classes numbers = { 0 }, texts = { 0 };
	struct tfr_error err = { 0 };
	struct tfr_target t;
	char *copy;

	if (!size)
		return 0;
	copy = strndup((const char *)data + 1, size - 1);
	if (data[0] & 1) {
		tfr_target_parse(&t, copy, &err);
	} else {
		copy = realloc(copy, size);
		memcpy(copy, data + 1, size - 1);
		tfr_target_parse_lines(&t, copy, size - 1, "f", &err);
	}
	if (err.status) {
		if (err.status != TFR_EUSAGE || !err.message[0])
			abort();
	} else {
		add(&numbers, TFR_KIND_INT64, -1, "");
		add(&numbers, TFR_KIND_INT64, 0, "");
		add(&numbers, TFR_KIND_INT64, INT64_MAX, "");
		add(&texts, TFR_KIND_BYTES, 0, "");
		add(&texts, TFR_KIND_BYTES, 0, "a=b");
		add(&texts, TFR_KIND_BYTES, 0, "\xff\n");
		weigh(&t, &numbers);
		weigh(&t, &texts);
	}
	tfr_target_clear(&t);
	tfr_classes_clear(&numbers);
	tfr_classes_clear(&texts);
	free(copy);
	return 0;
}
