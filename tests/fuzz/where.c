/* Any expression: refused with a place, or true or false for an Example that has every kind of
 * feature. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct tfr_example *example(struct tfr_builder *b)
{
	struct tfr_example *ex = tfr_example_new();
	const uint8_t *bytes;
	size_t size;

	tfr_builder_int64s(b, "a", (int64_t[]){ 1, -2, INT64_MAX }, 3, NULL);
	tfr_builder_floats(b, "b", (float[]){ 0.1f, -0.0f }, 2, NULL);
	tfr_builder_text(b, "c", "aaaaaaaaaaaaaaab", NULL);
	if (tfr_builder_flatten(b, &bytes, &size, NULL) || tfr_example_parse(ex, bytes, size, NULL))
		abort();
	return ex;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_builder *b = FUZZ_SAFE(tfr_builder_new());
	struct tfr_example *ex = FUZZ_SAFE(example(b));
	struct tfr_where *w = NULL;
	struct tfr_error err = { 0 };
	char *expr = strndup((const char *)data, size);
	const char *name, *meant;
	bool selected;

	if (tfr_where_compile(&w, expr, &err)) {
		if (err.status != TFR_EUSAGE || !err.message[0])
			abort();
	} else {
		tfr_where_match(w, ex, &selected, &err);
		for (size_t i = 0; tfr_feature_watch_missing(tfr_where_lookout(w), i, &name, &meant); i++)
			if (!strcmp(name, "a") || !strcmp(name, "b") || !strcmp(name, "c"))
				abort();
		tfr_where_free(w);
	}
	free(expr);
	tfr_example_free(ex);
	tfr_builder_free(b);
	return 0;
}
