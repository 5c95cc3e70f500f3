/* Any bytes that parse as an Example: the walk that looks for what parsers read differently stays
 * inside them, says the same twice, stops where it is told to, and finds nothing in what we build
 * ourselves but names that are no text and features without a kind. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>

#include "example/wire_lint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	const uint8_t *data, *end; /* names must lie in here */
	unsigned count, stop;
	uint64_t sum;
};

static enum tfr_status found(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err)
{
	struct seen *s = ctx;

	(void)err;
	if (name && name->size && (name->data < s->data || name->data + name->size > s->end))
		abort();
	for (size_t i = 0; name && i < name->size; i++)
		s->sum = s->sum * 31 + name->data[i];
	for (; *what; what++)
		s->sum = s->sum * 31 + (uint8_t)*what;
	return ++s->count == s->stop ? TFR_EDATA : TFR_OK;
}

static enum tfr_status allowed_of_ours(
	void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err)
{
	(void)ctx;
	(void)err;
	if (!name ||
		(strncmp(what, "no kind is set", 14) && strncmp(what, "the name is not UTF-8", 21)))
		abort();
	return TFR_OK;
}

static void lint_what_we_build(struct tfr_lint *l, struct tfr_example *ex)
{
	struct tfr_builder *b = FUZZ_SAFE(tfr_builder_new());
	const uint8_t *bytes;
	size_t size;

	for (size_t i = 0; i < tfr_example_count(ex); i++)
		tfr_builder_feature(b, tfr_example_at(ex, i), NULL);
	if (tfr_builder_flatten(b, &bytes, &size, NULL) ||
		tfr_lint_run(l, bytes, size, allowed_of_ours, NULL, NULL))
		abort();
	tfr_builder_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_example *ex = FUZZ_SAFE(tfr_example_new());
	struct tfr_lint *l = FUZZ_SAFE(tfr_lint_new());
	struct seen once = { data, data + size, 0, 0, 0 }, twice = once, part = once;

	tfr_lint_concerns(data, size);
	if (!tfr_example_parse(ex, data, size, NULL)) {
		if (tfr_lint_run(l, data, size, found, &once, NULL) ||
			tfr_lint_run(l, data, size, found, &twice, NULL) ||
			once.count != twice.count || once.sum != twice.sum)
			abort();
		part.stop = once.count / 2 + 1;
		if (once.count && (!tfr_lint_run(l, data, size, found, &part, NULL) ||
					  part.count != part.stop))
			abort();
		lint_what_we_build(l, ex);
	}
	tfr_lint_free(l);
	tfr_example_free(ex);
	return 0;
}
