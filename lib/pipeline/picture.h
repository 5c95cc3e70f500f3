/* pipeline/picture.h - from an encoded picture to its place in a batch.
 *
 * A transform is a row; it does no work on pixels but says what decode and resize are to do: which
 * window, mirrored or not, normalised or not.  So the whole list costs one decode and one resize.
 */
#ifndef TFR_PIPELINE_PICTURE_H
#define TFR_PIPELINE_PICTURE_H

#include <tfr/media.h>

#include "pipeline/sample.h"

struct picture {
	uint32_t width, height; /* as encoded */
	uint32_t to_width, to_height;
	struct tfr_draw draw;
	struct tfr_crop window;
	unsigned flags; /* enum tfr_resize_flags */
};

struct transform {
	const char *name;
	bool shapes; /* decides the window and the size; exactly one of a list does, and is its
			first */
	void (*apply)(struct picture *pic);
};

enum { TRANSFORMS_MAX = 4 };

struct recipe {
	const struct transform *transforms[TRANSFORMS_MAX];
	unsigned count;
	uint32_t width, height;
	uint64_t seed;
};

/* TFR_EUSAGE: an unknown name, one given twice, or two that shape. */
enum tfr_status recipe_parse(struct recipe *r, const char *list, struct tfr_error *err);

/* What one worker decodes with. */
struct studio {
	struct tfr_decoder *decoder;
	struct tfr_resizer *resizer;
	uint64_t decode_ns, resize_ns; /* of the last picture */
};

enum tfr_status studio_init(struct studio *st, uint64_t max_bytes, struct tfr_error *err);
void studio_clear(struct studio *st);
/* Decodes the sample's picture as the recipe says to width * height * 3 floats at `out`. */
enum tfr_status studio_make(struct studio *st, const struct recipe *r, const struct sample *s,
	float *out, struct tfr_error *err);

#endif
