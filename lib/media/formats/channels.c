/* media/formats/channels.c - the pixels that decoders fill.  Modules link this file, too. */
#include <string.h>

#include "media/formats/image_codec.h"

uint8_t *tfr_pixels(struct tfr_buf *kept, size_t size)
{
	kept->size = 0;
	return tfr_buf_reserve(kept, size) ? kept->data : NULL;
}

bool tfr_channels_converts(unsigned from, unsigned to)
{
	return to == from || to == 3 || to == 4;
}

void tfr_channels_convert(const uint8_t *in, unsigned from, size_t n, uint8_t *out, unsigned to)
{
	if (from == to) {
		memcpy(out, in, n * from);
		return;
	}
	for (size_t i = 0; i < n; i++, in += from, out += to) {
		out[0] = in[0];
		out[1] = in[from == 1 ? 0 : 1];
		out[2] = in[from == 1 ? 0 : 2];
		if (to == 4)
			out[3] = 255;
	}
}
