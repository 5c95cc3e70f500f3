/* The stages of images in plain code, one after the other, each an image of its own: what a
 * recipe has to equal to the bit. */
#ifndef UNIT_PIPELINE_NAIVE_H
#define UNIT_PIPELINE_NAIVE_H

#include "pipeline/images/recipe.h"

struct naive {
	uint32_t width, height;
	unsigned channels;
	enum tfr_dtype dtype; /* uint8 values are kept as floats, too */
	bool chw, mask;
	float *v; /* HWC whatever `chw` says */
};

struct naive_pair {
	struct naive image, mask; /* mask.v may be NULL */
	uint32_t copy;
};

/* A stream of images, all made of one record. */
struct naive_stream {
	struct naive_pair *at;
	unsigned count;
};

void naive_free(struct naive_stream *s);
/* Decodes all of it. */
struct naive_stream naive_decode(const struct tfr_image_input *in, bool masks);
/* Puts the stream through a stage; false: an image is too small for it. */
bool naive_apply(struct naive_stream *s, const struct tfr_stage_list *stages, unsigned stage,
	uint64_t seed, const struct tfr_image_input *in);
/* The numbers as they are put out: to be freed. */
void *naive_bytes(const struct naive *n, size_t *size);

#endif
