/* convert/folder/mask.c - converts masks with palettes or 16 bits to 8-bit gray; a gray one
 * stays unchanged. */
#include "convert/folder/mask.h"

#include "base/error.h"

static enum tfr_status append(struct tfr_buf *out, const struct tfr_image *numbers,
	struct tfr_workbench *bench, struct tfr_error *err)
{
	static const struct tfr_encode_opts opts = { .format = TFR_IMAGE_PNG, .runs = true };
	struct tfr_encoder *encoder = tfr_workbench_encoder(bench);
	const void *png;
	size_t size;

	TFR_NEED_MEMORY(encoder, err, "writing masks");
	TFR_TRY(tfr_encode(encoder, numbers, &opts, &png, &size, err));
	return tfr_buf_append(out, png, size) ? TFR_OK : tfr_fail_nomem(err, "writing masks");
}

enum tfr_status tfr_mask_add(struct tfr_item *item, const struct tfr_image *numbers,
	struct tfr_workbench *bench, struct tfr_error *err)
{
	TFR_TRY(append(&item->more, numbers, bench, err));
	return tfr_buf_append(&bench->ends, &item->more.size, sizeof(item->more.size))
		       ? TFR_OK
		       : tfr_fail_nomem(err, "writing masks");
}

static enum tfr_status rewrite(
	struct tfr_buf *mask, struct tfr_workbench *bench, struct tfr_error *why)
{
	struct tfr_image numbers;

	TFR_TRY(tfr_decode_numbers(bench->decoder, mask->data, mask->size, &numbers, why));
	mask->size = 0;
	return append(mask, &numbers, bench, why);
}

enum tfr_status tfr_mask_plain(struct tfr_buf *mask, struct tfr_workbench *bench, bool verify,
	struct tfr_image_info *info, struct tfr_error *why)
{
	TFR_TRY(tfr_image_probe(mask->data, mask->size, info, why));
	if (info->format != TFR_IMAGE_PNG)
		return tfr_fail(why, TFR_EFORMAT,
			"a %s image, which does not keep class numbers, in place of a png",
			tfr_image_format_name(info->format));
	if (info->components > 1)
		return tfr_fail(why, TFR_EFORMAT,
			"a PNG with %u channels, not with one number per pixel", info->components);
	if (!tfr_workbench_decoder(bench))
		return tfr_fail_nomem(why, "decoding masks");
	/* a palette's indices, or the high bytes of 16 bits */
	if ((info->components == 1 && info->channels > 1) || info->bit_depth == 16)
		return rewrite(mask, bench, why);
	return verify ? tfr_decode_verify(bench->decoder, mask->data, mask->size, why) : TFR_OK;
}
