/* example/print/elwc.c - ExampleListWithContext, the records of TensorFlow Ranking: a context and
 * its Examples.
 *
 * Each of them is an Example, and is parsed and printed as one, in the order of the record.
 * Several contexts are merged into one, as protobuf does. */
#include <stdio.h>

#include "base/error.h"
#include "example/print/print.h"
#include "example/wire.h"

enum { EXAMPLES = 1, CONTEXT = 2 };

/* The next Example of field `number`. */
static bool next_example(struct tfr_wire *w, uint32_t number, struct tfr_bytes *example)
{
	struct tfr_wire_field f;

	while (tfr_wire_next(w, &f))
		if (f.number == number && f.type == TFR_WIRE_BYTES) {
			*example = (struct tfr_bytes){ f.data, f.size };
			return true;
		}
	return false;
}

/* Concatenated Examples are one Example: the contexts are concatenated. */
static bool join_contexts(struct tfr_printer *p, struct tfr_wire w, struct tfr_bytes *context)
{
	struct tfr_bytes one;
	unsigned n = 0;
	bool ok = true;

	p->joined.size = 0;
	*context = (struct tfr_bytes){ (const uint8_t *)"", 0 };
	while (ok && next_example(&w, CONTEXT, &one)) {
		ok = tfr_buf_append(&p->joined, one.data, one.size);
		*context = one;
		n++;
	}
	if (n > 1)
		*context = (struct tfr_bytes){ p->joined.data, p->joined.size };
	return ok;
}

static enum tfr_status parse_example(
	struct tfr_printer *p, struct tfr_bytes b, struct tfr_error *err)
{
	enum tfr_status status = tfr_example_parse(p->ex, b.data, b.size, err);

	return status == TFR_EDATA ? tfr_fail(err, status,
					     "not an ExampleListWithContext: a part of it is not "
					     "an Example")
				   : status;
}

static enum tfr_status print_one(struct tfr_printer *p, bool json, const char *name,
	struct tfr_bytes example, size_t width, struct tfr_error *err)
{
	bool ok;

	TFR_TRY(parse_example(p, example, err));
	if (json)
		ok = tfr_print_json_features(p, name);
	else
		ok = tfr_buf_printf(&p->text, "  %s\n", name) && tfr_print_text_features(p, width);
	return ok ? TFR_OK : tfr_fail_nomem(err, "printing a record");
}

/* One width for all of them, so that their columns align. */
static enum tfr_status widen_to_names(struct tfr_printer *p, uint32_t number, struct tfr_wire w,
	size_t *width, struct tfr_error *err)
{
	struct tfr_bytes one;

	while (next_example(&w, number, &one)) {
		TFR_TRY(parse_example(p, one, err));
		for (size_t i = 0; i < tfr_example_count(p->ex); i++)
			*width = tfr_print_wider(*width, tfr_example_at(p->ex, i)->key_size);
	}
	return TFR_OK;
}

static enum tfr_status print_json(
	struct tfr_printer *p, struct tfr_bytes context, struct tfr_wire w, struct tfr_error *err)
{
	struct tfr_bytes one;

	tfr_json_open_object(p->json, NULL);
	TFR_TRY(print_one(p, true, "context", context, 0, err));
	tfr_json_open_array(p->json, "examples");
	while (next_example(&w, EXAMPLES, &one))
		TFR_TRY(print_one(p, true, NULL, one, 0, err));
	tfr_json_close_array(p->json);
	tfr_json_close_object(p->json);
	return TFR_OK;
}

static enum tfr_status print_text(
	struct tfr_printer *p, struct tfr_bytes context, struct tfr_wire w, struct tfr_error *err)
{
	struct tfr_bytes one;
	size_t width = 8;
	char name[32];

	TFR_TRY(widen_to_names(p, CONTEXT, w, &width, err));
	TFR_TRY(widen_to_names(p, EXAMPLES, w, &width, err));
	TFR_TRY(print_one(p, false, "context", context, width, err));
	for (unsigned i = 0; next_example(&w, EXAMPLES, &one); i++) {
		snprintf(name, sizeof(name), "example %u", i);
		TFR_TRY(print_one(p, false, name, one, width, err));
	}
	return TFR_OK;
}

enum tfr_status tfr_print_elwc(
	struct tfr_printer *p, bool json, const void *data, size_t size, struct tfr_error *err)
{
	const uint8_t *start = size ? data : (const uint8_t *)"";
	const struct tfr_wire whole = { .p = start, .end = start + size };
	struct tfr_wire w = whole;
	struct tfr_wire_field f;
	struct tfr_bytes context;

	while (tfr_wire_next(&w, &f))
		;
	if (w.fault)
		return tfr_fail(err, TFR_EDATA, "not an ExampleListWithContext: %s, at byte %zu",
			w.fault, (size_t)(w.fault_at - start));
	TFR_NEED_MEMORY(join_contexts(p, whole, &context), err, "printing a record");
	p->indent = 2;
	return (json ? print_json : print_text)(p, context, whole, err);
}
