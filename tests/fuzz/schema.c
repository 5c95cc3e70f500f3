/* Any text: refused with a line, or a schema that an Example with every kind of feature, and a
 * SequenceExample with lists "a" and "d", can be held to. */
#include <stdlib.h>
#include <string.h>

#include "inspect/schema/schema_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum tfr_status found(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err)
{
	size_t *faults = ctx;

	(void)err;
	if (!what[0] || (name && name->size && !name->data))
		abort();
	++*faults;
	return TFR_OK;
}

static struct tfr_example *example(struct tfr_builder *b)
{
	struct tfr_example *ex = tfr_example_new();
	const uint8_t *bytes;
	size_t size;

	tfr_builder_int64s(b, "a", (int64_t[]){ 1, -2, INT64_MAX }, 3, NULL);
	tfr_builder_floats(b, "b", (float[]){ 0.1f, -0.0f }, 2, NULL);
	tfr_builder_text(b, "c", "text", NULL);
	if (tfr_builder_flatten(b, &bytes, &size, NULL) || tfr_example_parse(ex, bytes, size, NULL))
		abort();
	return ex;
}

/* "a" has a step with an int64 and one without a kind, "d" none. */
static struct tfr_lists *feature_lists(void)
{
	static const uint8_t record[] = { 0x12, 23, 0x0a, 14, 0x0a, 1, 'a', 0x12, 9, 0x0a, 5, 0x1a,
		3, 0x0a, 1, 1, 0x0a, 0, 0x0a, 5, 0x0a, 1, 'd', 0x12, 0 };
	struct tfr_lists *l = tfr_lists_new();

	if (tfr_lists_parse(l, record, sizeof(record), NULL) || tfr_lists_count(l) != 2)
		abort();
	return l;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_builder *b = FUZZ_SAFE(tfr_builder_new());
	struct tfr_lists *lists = FUZZ_SAFE(feature_lists());
	struct tfr_example *ex = FUZZ_SAFE(example(b));
	struct tfr_schema *s = NULL;
	struct tfr_error err = { 0 };
	size_t faults = 0, again = 0;

	if (tfr_schema_parse(&s, "fuzz", (const char *)data, size, &err)) {
		if (err.status != TFR_EUSAGE || !err.message[0])
			abort();
	} else {
		size_t n = strlen(tfr_schema_unchecked(s));

		if (n && (tfr_schema_unchecked(s)[0] != ' ' ||
				 tfr_schema_unchecked(s)[n - 1] != ','))
			abort();
		tfr_schema_check(s, ex, NULL, found, &faults, &err);
		tfr_schema_check(s, ex, NULL, found, &again, &err);
		if (faults != again)
			abort();
		tfr_schema_check(s, ex, lists, found, &faults, &err);
		tfr_schema_close(s);
	}
	tfr_lists_free(lists);
	tfr_example_free(ex);
	tfr_builder_free(b);
	return 0;
}
