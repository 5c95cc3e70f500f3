/* example/content.c - what a record holds, told by its fields alone.
 *
 * Field 1 tells the messages apart, since it is a message in an Example, a double in an Event and a
 * number in a TensorProto; where it lacks, the others do.  An Event and a TensorProto must have
 * nothing but fields of theirs, so that bytes which happen to parse are not taken for one. */
#include "example/content.h"
#include "example/wire.h"

enum {
	V = 1 << TFR_WIRE_VARINT,
	D = 1 << TFR_WIRE_FIXED64,
	B = 1 << TFR_WIRE_BYTES,
	F = 1 << TFR_WIRE_FIXED32,
	MAX_FIELD = 18,
};

/* By field number, the wire types that it may come in; numbers may be packed or not. */
static const uint8_t event_fields[MAX_FIELD + 1] = { 0, D, V, B, B, B, B, B, B, B, B };
static const uint8_t tensor_fields[MAX_FIELD + 1] = { 0, V, B, V, B, F | B, D | B, V | B, B, F | B,
	V | B, V | B, D | B, V | B, B, B, V | B, V | B, B };

enum {
	EVENT_WHAT = 0x3f8, /* fields 3 to 9: the oneof */
	TENSOR_HEAD = 0x6,  /* type and shape */
};

enum tfr_content tfr_content_of(const void *data, size_t size)
{
	struct tfr_wire w = { .p = data };
	bool event = true, tensor = true, lists = false;
	uint32_t seen = 0;
	struct tfr_wire_field f;

	if (!size)
		return TFR_CONTENT_EXAMPLE;
	w.end = w.p + size;
	while (tfr_wire_next(&w, &f)) {
		uint32_t number = f.number <= MAX_FIELD ? f.number : 0;

		if (number == 1 && f.type == TFR_WIRE_BYTES)
			return TFR_CONTENT_EXAMPLE;
		lists |= number == 2 && f.type == TFR_WIRE_BYTES;
		event = event && event_fields[number] & 1 << f.type;
		tensor = tensor && tensor_fields[number] & 1 << f.type;
		seen |= UINT32_C(1) << number;
	}
	if (w.fault)
		return TFR_CONTENT_RAW;
	if (event && seen & EVENT_WHAT)
		return TFR_CONTENT_EVENT;
	if (tensor && (seen & TENSOR_HEAD) == TENSOR_HEAD)
		return TFR_CONTENT_TENSOR;
	return lists && !(seen & 2) ? TFR_CONTENT_EXAMPLE : TFR_CONTENT_RAW;
}
