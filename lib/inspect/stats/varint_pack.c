/* inspect/stats/varint_pack.c - varints as in protobuf; signed numbers use zigzag. */
#include "inspect/stats/varint_pack.h"

void tfr_pack_u64(struct tfr_pack *p, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (uint8_t)(v | 0x80);
	bytes[n++] = (uint8_t)v;
	p->failed |= !tfr_buf_append(&p->out, bytes, n);
}

void tfr_pack_i64(struct tfr_pack *p, int64_t v)
{
	tfr_pack_u64(p, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void tfr_pack_u128(struct tfr_pack *p, tfr_u128 v)
{
	tfr_pack_u64(p, (uint64_t)v);
	tfr_pack_u64(p, (uint64_t)(v >> 64));
}

void tfr_pack_bytes(struct tfr_pack *p, const void *bytes, size_t size)
{
	tfr_pack_u64(p, size);
	p->failed |= !tfr_buf_append(&p->out, bytes, size);
}

uint64_t tfr_unpack_u64(struct tfr_unpack *u)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && u->p < u->end && !u->bad; shift += 7) {
		uint8_t byte = *u->p++;

		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	u->bad = true;
	return 0;
}

uint64_t tfr_unpack_below(struct tfr_unpack *u, uint64_t max)
{
	uint64_t v = tfr_unpack_u64(u);

	u->bad |= v > max;
	return u->bad ? 0 : v;
}

int64_t tfr_unpack_i64(struct tfr_unpack *u)
{
	uint64_t v = tfr_unpack_u64(u);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

tfr_u128 tfr_unpack_u128(struct tfr_unpack *u)
{
	uint64_t low = tfr_unpack_u64(u);

	return low | (tfr_u128)tfr_unpack_u64(u) << 64;
}

struct tfr_bytes tfr_unpack_bytes(struct tfr_unpack *u)
{
	uint64_t size = tfr_unpack_u64(u);
	struct tfr_bytes b = { u->p, 0 };

	u->bad |= size > (uint64_t)(u->end - u->p);
	if (u->bad)
		return b;
	b.size = size;
	u->p += size;
	return b;
}
