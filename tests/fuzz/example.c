/* Any bytes: the reader must stay inside them, and what it reads must survive being built, read and
 * printed again. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/example.h>
#include <tfr-private/text.h>

#include "example/lists.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void rebuild(struct tfr_example *ex)
{
	struct tfr_builder *b = FUZZ_SAFE(tfr_builder_new());
	struct tfr_example *again = FUZZ_SAFE(tfr_example_new());
	const uint8_t *bytes;
	size_t size;

	for (size_t i = 0; i < tfr_example_count(ex); i++)
		tfr_builder_feature(b, tfr_example_at(ex, i), NULL);
	if (tfr_builder_flatten(b, &bytes, &size, NULL) ||
		tfr_example_parse(again, bytes, size, NULL) ||
		tfr_example_count(again) != tfr_example_count(ex))
		abort();
	for (size_t i = 0; i < tfr_example_count(ex) && !fuzz_out_of_memory; i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i), *g = tfr_example_at(again, i);

		if (f->key_size != g->key_size || f->kind != g->kind || f->count != g->count)
			abort();
	}
	tfr_builder_free(b);
	tfr_example_free(again);
}

static void print(enum tfr_content as, const uint8_t *data, size_t size)
{
	struct tfr_printer *p = FUZZ_SAFE(tfr_printer_new(&(struct tfr_print_opts){ .as = as }));
	const char *text;
	size_t text_size;

	for (int i = 0; i < 2; i++) { /* a printer is used again after a failure */
		if (!tfr_printer_json(p, data, size, &text, &text_size, NULL) &&
			!tfr_is_utf8(text, text_size))
			abort();
		if (!tfr_printer_text(p, data, size, &text, &text_size, NULL) &&
			!tfr_is_utf8(text, text_size))
			abort();
	}
	tfr_printer_free(p);
}

/* Every step that was counted is there to be read. */
static void walk_lists(const uint8_t *data, size_t size)
{
	struct tfr_lists *l = FUZZ_SAFE(tfr_lists_new());

	for (size_t i = 0; !tfr_lists_parse(l, data, size, NULL) && i < tfr_lists_count(l); i++) {
		const struct tfr_feature_list *list = tfr_lists_at(l, i);
		uint64_t steps = 0, values = 0;
		struct tfr_feature step;
		struct tfr_cursor c;
		struct tfr_steps s;
		struct tfr_bytes v;

		tfr_steps_init(&s, list);
		for (; !tfr_steps_next(&s, l, &step, NULL); steps++) {
			tfr_cursor_init(&c, &step);
			for (values = 0; tfr_cursor_bytes(&c, &v); values++)
				;
			if (step.kind == TFR_KIND_BYTES && values != step.count)
				abort();
		}
		if (steps != list->steps)
			abort();
	}
	tfr_lists_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_example *ex = FUZZ_SAFE(tfr_example_new());

	if (!tfr_example_parse(ex, data, size, NULL))
		rebuild(ex);
	walk_lists(data, size);
	for (int as = TFR_CONTENT_AUTO; as <= TFR_CONTENT_RAW; as++)
		print((enum tfr_content)as, data, size);
	tfr_example_free(ex);
	return 0;
}
