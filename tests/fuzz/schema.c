/* Any text: refused with a line, or a schema that an Example with every kind of feature can be held
 * to. */
#include <stdlib.h>
#include <string.h>

#include "inspect/schema.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_example *ex = example(b);
	struct tfr_schema *s = NULL;
	struct tfr_error err = { 0 };
	size_t faults = 0, again = 0;

	if (tfr_schema_parse(&s, "fuzz", (const char *)data, size, &err)) {
		if (err.status != TFR_EUSAGE || !err.message[0])
			abort();
	} else {
		tfr_schema_check(s, ex, found, &faults, &err);
		tfr_schema_check(s, ex, found, &again, &err);
		if (faults != again)
			abort();
		tfr_schema_close(s);
	}
	tfr_example_free(ex);
	tfr_builder_free(b);
	return 0;
}
