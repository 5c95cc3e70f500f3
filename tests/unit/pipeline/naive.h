/* The image stages in plain code, one after the other, each with an image of its own: a recipe
 * must equal it to the bit. */
#ifndef UNIT_PIPELINE_NAIVE_H
#define UNIT_PIPELINE_NAIVE_H

#include "pipeline/images/executor.h"

struct naive {
	uint32_t width, height;
	unsigned channels;
	enum tfr_dtype dtype; /* uint8 values are kept as floats, too */
	bool chw, mask;
	float *v; /* HWC, also if `chw` is set */
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
/* Decodes the complete image. */
struct naive_stream naive_decode(const struct tfr_image_input *in, bool masks);
/* Runs a stage on the stream; false: an image is too small for it. */
bool naive_apply(struct naive_stream *s, const struct tfr_stage_list *stages, unsigned stage,
	uint64_t seed, const struct tfr_image_input *in);
/* The numbers of the output; to be freed. */
void *naive_bytes(const struct naive *n, size_t *size);

#endif
