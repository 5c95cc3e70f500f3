/* media/formats/encoder.c - from pixels to bytes, whatever the format. */
#include "base/error.h"
#include "media/formats/image_codec.h"

struct tfr_encoder *tfr_encoder_new(void)
{
	return calloc(1, sizeof(struct tfr_encoder));
}

void tfr_encoder_free(struct tfr_encoder *e)
{
	if (!e)
		return;
	tfr_jpeg_writer_free(e->jpeg);
	tfr_buf_clear(&e->encoded);
	free(e);
}

enum tfr_status tfr_encode_into(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, struct tfr_buf *out, struct tfr_error *err)
{
	const struct tfr_image_codec *codec = tfr_image_codec_of(opts->format);

	out->size = 0;
	if (!codec || !codec->encode)
		return tfr_fail(err, TFR_EUSAGE, "images cannot be encoded as %s",
			tfr_image_format_name(opts->format));
	if (!image->width || !image->height || image->channels < 1 || image->channels > 4 ||
		opts->quality > 100)
		return tfr_fail(err, TFR_EUSAGE,
			"a codec of %u x %u x %u cannot be encoded with quality %u", image->width,
			image->height, image->channels, opts->quality);
	return codec->encode(e, image, opts, out, err);
}

enum tfr_status tfr_encode(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, const void **data, size_t *size, struct tfr_error *err)
{
	enum tfr_status status = tfr_encode_into(e, image, opts, &e->encoded, err);

	*data = e->encoded.data;
	*size = e->encoded.size;
	return status;
}
