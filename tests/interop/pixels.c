/* tests/interop/pixels.c - an image's pixels on stdout, for tests/interop/run to hold against
 * TensorFlow's.
 *
 * pixels decode FILE CHANNELS         width * height * channels bytes
 * pixels resize FILE WIDTH HEIGHT     width * height * 3 float32 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/media.h>

static uint8_t file[1 << 24];

static int fail(const struct tfr_error *err)
{
	char text[512];

	fprintf(stderr, "%s\n", tfr_error_format(err, text, sizeof(text)));
	return tfr_status_exit_code(err->status);
}

int main(int argc, char **argv)
{
	struct tfr_error err = { 0 };
	struct tfr_image image;
	bool resize = argc == 5 && !strcmp(argv[1], "resize");
	FILE *in = argc > 3 ? fopen(argv[2], "rb") : NULL;
	size_t size = in ? fread(file, 1, sizeof(file), in) : 0;
	struct tfr_decoder *decoder = tfr_decoder_new(NULL);
	struct tfr_resizer *resizer = tfr_resizer_new();
	int status = 0;

	if (!in || !decoder || !resizer || (!resize && strcmp(argv[1], "decode"))) {
		fprintf(stderr,
			"usage: pixels decode FILE CHANNELS | pixels resize FILE WIDTH HEIGHT\n");
		return 2;
	}
	fclose(in);
	if (tfr_decode(decoder, file, size, NULL, resize ? 3 : (unsigned)atoi(argv[3]), &image,
		    &err)) {
		status = fail(&err);
	} else if (resize) {
		uint32_t width = (uint32_t)atoi(argv[3]), height = (uint32_t)atoi(argv[4]);
		float *out = calloc((size_t)width * height, 3 * sizeof(*out));

		if (tfr_resize_bilinear(resizer, &image, width, height, 0, out, &err))
			status = fail(&err);
		else
			fwrite(out, 3 * sizeof(*out), (size_t)width * height, stdout);
		free(out);
	} else {
		for (uint32_t y = 0; y < image.height; y++)
			fwrite(image.data + y * image.stride, image.channels, image.width, stdout);
	}
	tfr_resizer_free(resizer);
	tfr_decoder_free(decoder);
	return fflush(stdout) ? 3 : status;
}
