/* inspect/stats/state.c - numbers and bytes of a state, in both directions. */
#include "inspect/stats/state.h"

#include "example/wire.h"

static void write_number(struct tfr_state *s, uint64_t v)
{
	uint8_t bytes[TFR_VARINT_MAX];
	const uint8_t *end = tfr_wire_put_varint(bytes, v);

	s->no_memory |= !tfr_buf_append(&s->out, bytes, (size_t)(end - bytes));
}

static uint64_t read_number(struct tfr_state *s)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && s->in < s->end && !s->bad; shift += 7) {
		uint8_t byte = *s->in++;

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	s->bad = true;
	return 0;
}

void tfr_state_u64(struct tfr_state *s, uint64_t *v)
{
	if (s->in)
		*v = read_number(s);
	else
		write_number(s, *v);
}

void tfr_state_below(struct tfr_state *s, uint64_t *v, uint64_t max)
{
	tfr_state_u64(s, v);
	if (!s->in)
		return;
	s->bad |= *v > max;
	*v = s->bad ? 0 : *v;
}

void tfr_state_i64(struct tfr_state *s, int64_t *v)
{
	uint64_t zigzag = (uint64_t)*v << 1 ^ (uint64_t)(*v >> 63);

	tfr_state_u64(s, &zigzag);
	*v = (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

void tfr_state_u128(struct tfr_state *s, tfr_u128 *v)
{
	uint64_t low = (uint64_t)*v, high = (uint64_t)(*v >> 64);

	tfr_state_u64(s, &low);
	tfr_state_u64(s, &high);
	*v = low | (tfr_u128)high << 64;
}

void tfr_state_bytes(struct tfr_state *s, struct tfr_bytes *b)
{
	uint64_t size = b->size;

	tfr_state_u64(s, &size);
	if (!s->in) {
		s->no_memory |= !tfr_buf_append(&s->out, b->data, b->size);
		return;
	}
	s->bad |= size > (uint64_t)(s->end - s->in);
	*b = (struct tfr_bytes){ s->in, s->bad ? 0 : size };
	s->in += b->size;
}
