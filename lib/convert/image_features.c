/* convert/image_features.c - makes the image/… features of all inputs, so that an image from a
 * folder, an archive or an annotated data set becomes the same record. */
#include "convert/image_features.h"

#include "base/digest.h"
#include "convert/findings.h"
#include "convert/rework.h"

void tfr_image_look(struct tfr_item *item)
{
	enum tfr_image_format format = tfr_image_sniff(item->file.data, item->file.size);
	struct tfr_image_info info;

	/* The first block of an image does not show its end. */
	if (!tfr_image_is_decoded(format))
		tfr_item_probe_image(item, &info);
}

void tfr_item_probe_image(struct tfr_item *item, struct tfr_image_info *info)
{
	struct tfr_error why;

	if (!tfr_image_probe(item->file.data, item->file.size, info, &why))
		return;
	tfr_item_skip(item, why.status, "%s", why.message);
	item->finding = !item->file.size	    ? TFR_FOUND_EMPTY
			: info->truncated	    ? TFR_FOUND_TRUNCATED
			: why.status == TFR_EFORMAT ? TFR_FOUND_NO_IMAGE
						    : TFR_FOUND_DAMAGED;
}

enum tfr_status tfr_image_read(struct tfr_item *item, const struct tfr_root *root,
	const struct tfr_room *room, struct tfr_image_info *info, struct tfr_error *err)
{
	TFR_TRY(tfr_item_read(
		item, root, (const char *)item->name.data, tfr_image_look, room, err));
	if (!item->skipped)
		tfr_item_probe_image(item, info);
	return TFR_OK;
}

void tfr_image_damaged(struct tfr_item *item, const struct tfr_error *why)
{
	tfr_item_skip_error(item, why);
	item->finding = why->status == TFR_EDATA ? TFR_FOUND_DAMAGED : TFR_FOUND_UNUSABLE;
}

static enum tfr_status decode_whole(
	struct tfr_item *item, struct tfr_workbench *bench, struct tfr_error *err)
{
	struct tfr_decoder *decoder = tfr_workbench_decoder(bench);
	struct tfr_error why;

	TFR_NEED_MEMORY(decoder, err, "decoding images");
	if (tfr_decode_verify(decoder, item->file.data, item->file.size, &why))
		tfr_image_damaged(item, &why);
	return TFR_OK;
}

/* A class with another text is a synset: its features are those of ImageNet's scripts. */
static enum tfr_status add_class(
	struct tfr_input *in, const struct tfr_item *item, struct tfr_error *err)
{
	const struct tfr_class *class;
	struct tfr_builder *b = item->builder;

	if (item->class == TFR_NO_CLASS)
		return TFR_OK;
	class = &in->classes[item->class];
	TFR_TRY(tfr_builder_int64(b, "image/class/label", class->label, err));
	if (class->human)
		TFR_TRY(tfr_builder_text(b, "image/class/synset", class->text, err));
	return tfr_builder_text(
		b, "image/class/text", class->human ? class->human : class->text, err);
}

static enum tfr_status add_features(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_image_info *info, struct tfr_error *err)
{
	struct tfr_bytes encoded = { item->file.data, item->file.size };
	char sha256[TFR_SHA256_HEX];
	struct tfr_builder *b = item->builder;

	TFR_TRY(tfr_builder_int64(b, "image/channels", info->channels, err));
	TFR_TRY(add_class(in, item, err));
	TFR_TRY(tfr_builder_bytes_ref(b, "image/encoded", &encoded, 1, err));
	TFR_TRY(tfr_builder_text(b, "image/filename", (const char *)item->name.data, err));
	TFR_TRY(tfr_builder_text(b, "image/format", tfr_image_format_name(info->format), err));
	TFR_TRY(tfr_builder_int64(b, "image/height", info->height, err));
	if (in->opts->images.sha256)
		TFR_TRY(tfr_builder_text(b, "image/key/sha256",
			tfr_sha256(encoded.data, encoded.size, sha256), err));
	return tfr_builder_int64(b, "image/width", info->width, err);
}

/* The names of TFDS's own ImageFolder. */
static enum tfr_status add_for_tfds(
	struct tfr_input *in, struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_bytes encoded = { item->file.data, item->file.size };
	struct tfr_builder *b = item->builder;

	TFR_TRY(tfr_builder_bytes_ref(b, "image", &encoded, 1, err));
	TFR_TRY(tfr_builder_text(b, "image/filename", (const char *)item->name.data, err));
	if (item->class != TFR_NO_CLASS)
		TFR_TRY(tfr_builder_int64(b, "label", in->classes[item->class].label, err));
	return TFR_OK;
}

/* Adds the missing end marker to a JPEG that has all of its pixels: it then decodes without a
 * warning. */
static enum tfr_status add_end_marker(
	struct tfr_item *item, struct tfr_workbench *bench, struct tfr_error *err)
{
	struct tfr_image_info info;
	struct tfr_decoder *decoder;
	enum tfr_status status;

	if (!tfr_image_probe(item->file.data, item->file.size, &info, NULL) || !info.no_end)
		return TFR_OK;
	if (!(decoder = tfr_workbench_decoder(bench)) ||
		!tfr_buf_append(&item->file, "\xff\xd9", 2))
		return tfr_fail_nomem(err, "decoding images");
	status = tfr_decode_verify(decoder, item->file.data, item->file.size, err);
	if (status)
		item->file.size -= 2;
	return status == TFR_ENOMEM ? status : TFR_OK;
}

enum tfr_status tfr_image_add(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, struct tfr_error *err)
{
	struct tfr_image_info info;
	bool decoded = false;

	if (in->opts->images.rework.format)
		TFR_TRY(add_end_marker(item, bench, err));
	tfr_item_probe_image(item, &info);
	item->came = info;
	if (item->skipped)
		return TFR_OK;
	item->found |= tfr_lint(item, &in->opts->images.rework);
	TFR_TRY(tfr_rework(&in->opts->images.rework, item, bench, &info, &decoded, err));
	if (!item->skipped && in->opts->images.verify && !decoded)
		TFR_TRY(decode_whole(item, bench, err));
	if (item->skipped)
		return TFR_OK;
	return in->opts->output.tfds ? add_for_tfds(in, item, err)
				     : add_features(in, item, &info, err);
}
