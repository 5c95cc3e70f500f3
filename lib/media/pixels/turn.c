/* media/pixels/turn.c - the eight orientations of an image, each a walk through the source with two
 * strides.
 *
 * Every orientation starts at some corner and has one axis for the next pixel of a row of the
 * result, and the other for its next row. */
#include <string.h>

#include "base/error.h"
#include "media/formats/image_codec.h"

/* EXIF's orientations: whether rows become columns, and from which side x and y of the source are
 * counted. */
static const struct {
	bool swap, from_right, from_bottom;
} turns[9] = {
	[1] = { false, false, false },
	[2] = { false, true, false },
	[3] = { false, true, true },
	[4] = { false, false, true },
	[5] = { true, false, false },
	[6] = { true, false, true },
	[7] = { true, true, true },
	[8] = { true, true, false },
};

bool tfr_orientation_swaps(unsigned orientation)
{
	return orientation <= 8 && turns[orientation].swap;
}

#define WALK(n)                                                                                    \
	for (uint32_t x = 0; x < width; x++, from += pixel, to += (n))                             \
	memcpy(to, from, n)

static void turn_row(
	const uint8_t *from, ptrdiff_t pixel, uint32_t width, unsigned channels, uint8_t *to)
{
	switch (channels) {
	case 1:
		WALK(1);
		break;
	case 2:
		WALK(2);
		break;
	case 3:
		WALK(3);
		break;
	default:
		WALK(4);
	}
}

enum tfr_status tfr_image_turn(const struct tfr_image *image, unsigned orientation, uint8_t *out,
	struct tfr_image *turned, struct tfr_error *err)
{
	unsigned c = image->channels;
	ptrdiff_t right = c, down = (ptrdiff_t)image->stride;
	const uint8_t *from = image->data;
	bool swap;

	if (orientation < 1 || orientation > 8 || c < 1 || c > 4)
		return tfr_fail(err, TFR_EUSAGE, "no orientation is numbered %u", orientation);
	swap = turns[orientation].swap;
	if (turns[orientation].from_right) {
		from += (ptrdiff_t)(image->width - 1) * right;
		right = -right;
	}
	if (turns[orientation].from_bottom) {
		from += (ptrdiff_t)(image->height - 1) * down;
		down = -down;
	}
	*turned = (struct tfr_image){
		.data = out,
		.width = swap ? image->height : image->width,
		.height = swap ? image->width : image->height,
		.channels = c,
	};
	turned->stride = (size_t)turned->width * c;
	for (uint32_t y = 0; y < turned->height; y++, out += turned->stride) {
		turn_row(from, swap ? down : right, turned->width, c, out);
		from += swap ? right : down;
	}
	return TFR_OK;
}
