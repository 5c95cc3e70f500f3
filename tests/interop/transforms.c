/* tests/interop/transforms.c - an image's pixels through one transform, for tests/interop/run to
 * hold against TensorFlow's.
 *
 * transforms LAW WIDTH HEIGHT CHANNELS uint8|float32 TO_WIDTH TO_HEIGHT
 *
 * Samples come on stdin, HWC, and go to stdout likewise.  LAW is nearest, area, bilinear, pad,
 * reflect (by TO_WIDTH pixels), mirror, flip, standardise, float16 or uint8. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/pixels.h>

struct job {
	struct tfr_pixels in, out;
	struct tfr_resizer *r;
	uint32_t n;
};

static enum tfr_status nearest(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_resize_nearest(&j->in, &j->out, err);
}

static enum tfr_status area(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_resize_area(j->r, &j->in, &j->out, err);
}

static enum tfr_status bilinear(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_resize_bilinear(j->r, &j->in, &j->out, 0, err);
}

static enum tfr_status pad(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_pad(&j->in, &j->out, err);
}

static enum tfr_status reflect(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_pad_reflect(&j->in, j->n, &j->out, err);
}

static enum tfr_status mirror(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_mirror(&j->in, &j->out, 0, err);
}

static enum tfr_status flip(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_flip(&j->in, &j->out, err);
}

static enum tfr_status standardise(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_standardise(&j->in, &j->out, 0, err);
}

static enum tfr_status convert(const struct job *j, struct tfr_error *err)
{
	return tfr_pixels_convert(&j->in, j->out.dtype, TFR_HWC, j->out.data, 0, err);
}

enum size { SAME, GIVEN, WIDER };

static const struct {
	const char *name;
	enum tfr_status (*run)(const struct job *j, struct tfr_error *err);
	enum size size;
	enum tfr_dtype dtype; /* TFR_INT64: that of the input */
} laws[] = {
	{ "nearest", nearest, GIVEN, TFR_INT64 },
	{ "area", area, GIVEN, TFR_FLOAT32 },
	{ "bilinear", bilinear, GIVEN, TFR_FLOAT32 },
	{ "pad", pad, GIVEN, TFR_INT64 },
	{ "reflect", reflect, WIDER, TFR_INT64 },
	{ "mirror", mirror, SAME, TFR_INT64 },
	{ "flip", flip, SAME, TFR_INT64 },
	{ "standardise", standardise, SAME, TFR_FLOAT32 },
	{ "float16", convert, SAME, TFR_FLOAT16 },
	{ "uint8", convert, SAME, TFR_UINT8 },
};

static struct tfr_pixels room(
	uint32_t width, uint32_t height, unsigned channels, enum tfr_dtype dtype)
{
	struct tfr_pixels p = tfr_pixels_dense(NULL, width, height, channels, dtype);

	p.data = malloc(p.stride * height);
	return p;
}

static int run(size_t law, char **argv)
{
	uint32_t width = (uint32_t)atoi(argv[2]), height = (uint32_t)atoi(argv[3]),
		 to_width = (uint32_t)atoi(argv[6]), to_height = (uint32_t)atoi(argv[7]);
	unsigned channels = (unsigned)atoi(argv[4]);
	struct job j = { .r = tfr_resizer_new(), .n = to_width };
	enum tfr_dtype dtype, out;
	struct tfr_error err = { 0 };
	char text[512];

	if (!tfr_dtype_parse(argv[5], &dtype))
		return 2;
	out = laws[law].dtype == TFR_INT64 ? dtype : laws[law].dtype;
	if (laws[law].size == WIDER) {
		to_height = height + 2 * j.n;
		to_width = width + 2 * j.n;
	} else if (laws[law].size == SAME) {
		to_width = width;
		to_height = height;
	}
	j.in = room(width, height, channels, dtype);
	j.out = room(to_width, to_height, channels, out);
	if (fread(j.in.data, j.in.stride, height, stdin) != height)
		return 2;
	if (laws[law].run(&j, &err)) {
		fprintf(stderr, "%s\n", tfr_error_format(&err, text, sizeof(text)));
		return tfr_status_exit_code(err.status);
	}
	fwrite(j.out.data, j.out.stride, to_height, stdout);
	tfr_resizer_free(j.r);
	free(j.in.data);
	free(j.out.data);
	return fflush(stdout) ? 3 : 0;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 8 && i < sizeof(laws) / sizeof(*laws); i++)
		if (!strcmp(laws[i].name, argv[1]))
			return run(i, argv);
	fputs("usage: transforms LAW WIDTH HEIGHT CHANNELS uint8|float32 TO_WIDTH TO_HEIGHT\n",
		stderr);
	return 2;
}
