/* inspect/stats/identity.c - finds the identifying value; small values are excluded, since they are
 * equal by chance. */
#include "inspect/stats/identity.h"

enum { LEAST_IMAGE = 128, LEAST_VALUE = 256 };

struct tfr_bytes tfr_example_identity(const struct tfr_example *ex)
{
	const struct tfr_feature *image = tfr_example_get(ex, "image/encoded");
	struct tfr_bytes best = { 0 }, value;

	if (image && image->kind == TFR_KIND_BYTES && image->count == 1 &&
		tfr_feature_bytes(image, 0, &value) && value.size >= LEAST_IMAGE)
		return value;
	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);

		if (f->kind == TFR_KIND_BYTES && f->count == 1 && tfr_feature_bytes(f, 0, &value) &&
			value.size >= LEAST_VALUE && value.size > best.size)
			best = value;
	}
	return best;
}
