/* example/sequence.c - SequenceExamples for printing, unpacked by protobuf-c, because simplicity
 * matters more than speed here.
 *
 * Our own reader parses the context, which is the same field as an Example's features; this file
 * unpacks the feature lists. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "example/print/print.h"
#include "example/unpack.h"

struct tfr_printed_values tfr_values_of(const struct tfr_feature *f)
{
	struct tfr_printed_values vs = { .kind = f->kind, .count = f->count };

	tfr_cursor_init(&vs.cursor, f);
	return vs;
}

struct tfr_printed_values tfr_values_of_frame(const Tfr__Feature *frame)
{
	struct tfr_printed_values vs = { .frame = frame };

	switch (frame->kind_case) {
	case TFR__FEATURE__KIND_BYTES_LIST:
		vs.kind = TFR_KIND_BYTES;
		vs.count = frame->bytes_list->n_value;
		break;
	case TFR__FEATURE__KIND_FLOAT_LIST:
		vs.kind = TFR_KIND_FLOAT;
		vs.count = frame->float_list->n_value;
		break;
	case TFR__FEATURE__KIND_INT64_LIST:
		vs.kind = TFR_KIND_INT64;
		vs.count = frame->int64_list->n_value;
		break;
	default:
		break;
	}
	return vs;
}

static void frame_value(const struct tfr_printed_values *vs, struct tfr_printed_value *v)
{
	const Tfr__Feature *f = vs->frame;

	if (vs->kind == TFR_KIND_BYTES)
		v->bytes = (struct tfr_bytes){ f->bytes_list->value[vs->next].data,
			f->bytes_list->value[vs->next].len };
	else if (vs->kind == TFR_KIND_FLOAT)
		v->f = f->float_list->value[vs->next];
	else
		v->i = f->int64_list->value[vs->next];
}

bool tfr_values_next(struct tfr_printed_values *vs, struct tfr_printed_value *v)
{
	if (vs->next == vs->count)
		return false;
	if (vs->frame)
		frame_value(vs, v);
	else if (vs->kind == TFR_KIND_BYTES)
		tfr_cursor_bytes(&vs->cursor, &v->bytes);
	else if (vs->kind == TFR_KIND_FLOAT)
		tfr_cursor_float(&vs->cursor, &v->f);
	else
		tfr_cursor_int64(&vs->cursor, &v->i);
	vs->next++;
	return true;
}

static int compare(const ProtobufCBinaryData *a, const ProtobufCBinaryData *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int c = n ? memcmp(a->data, b->data, n) : 0;

	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static int by_key(const void *pa, const void *pb)
{
	const struct tfr_sequence_list *a = pa, *b = pb;
	int c = compare(&a->entry->key, &b->entry->key);

	return c ? c : (a->place > b->place) - (a->place < b->place);
}

static enum tfr_status sort_lists(
	struct tfr_sequence *s, const Tfr__FeatureLists *all, struct tfr_error *err)
{
	s->lists = malloc(all->n_feature_list * sizeof(*s->lists));
	if (!s->lists)
		return tfr_fail_nomem(err, "parsing a SequenceExample");
	for (size_t i = 0; i < all->n_feature_list; i++)
		s->lists[i] = (struct tfr_sequence_list){ all->feature_list[i], i };
	qsort(s->lists, all->n_feature_list, sizeof(*s->lists), by_key);
	for (size_t i = 0; i < all->n_feature_list; i++) {
		if (s->n && !compare(&s->lists[s->n - 1].entry->key, &s->lists[i].entry->key))
			s->n--;
		s->lists[s->n++] = s->lists[i];
	}
	return TFR_OK;
}

enum tfr_status tfr_sequence_parse(
	struct tfr_sequence *s, const void *data, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	*s = (struct tfr_sequence){ 0 };
	status = TFR_UNPACK(&s->message, tfr__sequence_example__unpack, data, size,
		"not a SequenceExample: its feature lists cannot be parsed", err);
	if (status)
		return status;
	if (!s->message->feature_lists || !s->message->feature_lists->n_feature_list)
		return TFR_OK;
	return sort_lists(s, s->message->feature_lists, err);
}

void tfr_sequence_clear(struct tfr_sequence *s)
{
	if (s->message)
		tfr__sequence_example__free_unpacked(s->message, NULL);
	free(s->lists);
	*s = (struct tfr_sequence){ 0 };
}

struct visitor {
	enum tfr_status (*visit)(void *ctx, const struct tfr_bytes *key,
		const struct tfr_bytes *value, struct tfr_error *err);
	void *ctx;
};

static enum tfr_status visit_list(
	const struct visitor *v, const Tfr__FeatureListEntry *entry, struct tfr_error *err)
{
	struct tfr_bytes key = { entry->key.data, entry->key.len };
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; entry->value && !status && i < entry->value->n_feature; i++) {
		struct tfr_printed_values frame = tfr_values_of_frame(entry->value->feature[i]);
		struct tfr_printed_value value;

		while (frame.kind == TFR_KIND_BYTES && !status && tfr_values_next(&frame, &value))
			status = v->visit(v->ctx, &key, &value.bytes, err);
	}
	return status;
}

enum tfr_status tfr_sequence_visit_bytes(const void *data, size_t size,
	enum tfr_status (*visit)(void *ctx, const struct tfr_bytes *key,
		const struct tfr_bytes *value, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	struct visitor v = { visit, ctx };
	struct tfr_sequence s;
	enum tfr_status status = tfr_sequence_parse(&s, data, size, err);

	for (size_t i = 0; visit && !status && i < s.n; i++)
		status = visit_list(&v, s.lists[i].entry, err);
	tfr_sequence_clear(&s);
	return status;
}
