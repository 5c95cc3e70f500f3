/* convert/image_features.c - makes the image/… features of all inputs, so that an image from a
 * folder, an archive or an annotated data set becomes the same record.
 *
 * Images are changed on the way: the header decides what an image must become, and it is decoded
 * only if that differs from what it is.  Turning comes before scaling, so that sizes are those of
 * the image as it is viewed.  The new bytes replace the old ones by exchanging buffers. */
#include "convert/image_features.h"

#include "base/digest.h"
#include "convert/findings.h"
#include "media/formats/image_codec.h"

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

static void skip_damaged(struct tfr_item *item, const struct tfr_error *why)
{
	tfr_item_skip_error(item, why);
	item->finding = why->status == TFR_EDATA ? TFR_FOUND_DAMAGED : TFR_FOUND_UNUSABLE;
}

/* --- changes --- */

enum {
	KEEP = 1 << 20, /* a buffer up to this size is kept for the next image */
	MOST = 1 << 30, /* bytes of a decoded image with four channels */
};

/* The properties that an image must get. */
struct plan {
	enum tfr_image_format format;
	uint64_t width, height;
	unsigned channels;
	bool turn, scale;
};

bool tfr_rework_wanted(const struct tfr_rework *w)
{
	return w->shorter || w->width || w->height || w->format || w->orient || w->rgb8;
}

enum tfr_status tfr_rework_check(const struct tfr_rework *w, struct tfr_error *err)
{
	if (!w->width != !w->height || (w->width && w->shorter))
		return tfr_fail(err, TFR_EUSAGE,
			"a size is either that of the shorter side or of both sides");
	if (w->enlarge && !w->shorter)
		return tfr_fail(err, TFR_EUSAGE, "enlarging images needs a size");
	if (w->quality > 100)
		return tfr_fail(
			err, TFR_EUSAGE, "a quality must be from 1 to 100, not %u", w->quality);
	if (w->format && w->format != TFR_IMAGE_JPEG && w->format != TFR_IMAGE_PNG)
		return tfr_fail(err, TFR_EUSAGE, "images can be encoded as jpeg or png, not as %s",
			tfr_image_format_name(w->format));
	return TFR_OK;
}

static void plan_size(const struct tfr_rework *w, struct plan *p)
{
	uint64_t width = p->width, height = p->height;
	uint64_t shorter = width < height ? width : height;

	if (w->width) {
		p->width = w->width;
		p->height = w->height;
	} else if (w->shorter && (w->enlarge || shorter > w->shorter)) {
		/* The shorter side gets exactly the requested size. */
		p->width = width * w->shorter / shorter;
		p->height = height * w->shorter / shorter;
	}
	p->scale = p->width != width || p->height != height;
}

/* False: the image needs no change. */
static bool make_plan(const struct tfr_rework *w, const struct tfr_image_info *info, struct plan *p)
{
	bool cmyk = info->format == TFR_IMAGE_JPEG && info->components == 4;
	bool to_rgb = w->rgb8 && (cmyk || info->bit_depth > 8);

	*p = (struct plan){
		/* A format that tfr cannot write becomes a PNG, which is lossless. */
		.format = w->format			       ? w->format
			  : tfr_image_is_encoded(info->format) ? info->format
							       : TFR_IMAGE_PNG,
		.width = info->width,
		.height = info->height,
		.channels = to_rgb ? 3 : info->channels,
		.turn = w->orient && info->orientation > 1,
	};
	if (p->turn && tfr_orientation_swaps(info->orientation)) {
		p->width = info->height;
		p->height = info->width;
	}
	plan_size(w, p);
	if (p->format == TFR_IMAGE_JPEG)
		p->channels = p->channels < 3 ? 1 : 3;
	return to_rgb || p->turn || p->scale || (w->format && w->format != info->format);
}

static enum tfr_status turn(struct tfr_workbench *bench, unsigned orientation,
	struct tfr_image *image, struct tfr_error *err)
{
	const struct tfr_image source = *image;
	uint8_t *out =
		tfr_pixels(&bench->turned, (size_t)source.width * source.height * source.channels);

	TFR_NEED_MEMORY(out, err, "turning an image");
	return tfr_image_turn(&source, orientation, out, image, err);
}

static enum tfr_status make(const struct tfr_rework *w, const struct plan *p,
	const struct tfr_image_info *info, struct tfr_item *item, struct tfr_workbench *bench,
	struct tfr_error *err)
{
	struct tfr_encode_opts encode = {
		.format = p->format,
		.quality = w->quality,
		.subsampling = info->subsampling,
		.orientation = p->turn ? 1 : info->orientation,
	};
	struct tfr_image image;

	if (p->width > MOST / p->height / 4)
		return tfr_fail(err, TFR_EUSAGE,
			"it would have %llu x %llu pixels, which is too many",
			(unsigned long long)p->width, (unsigned long long)p->height);
	TFR_TRY(tfr_decode(
		bench->decoder, item->file.data, item->file.size, NULL, p->channels, &image, err));
	if (p->turn)
		TFR_TRY(turn(bench, info->orientation, &image, err));
	if (p->scale)
		TFR_TRY(tfr_scale(bench->scaler, &image, (uint32_t)p->width, (uint32_t)p->height,
			w->filter, 0, &image, err));
	return tfr_encode_into(bench->encoder, &image, &encode, &bench->encoded, err);
}

static void exchange(struct tfr_item *item, struct tfr_workbench *bench)
{
	struct tfr_buf old = item->file;

	item->file = bench->encoded;
	bench->encoded = old;
	if (bench->encoded.cap > KEEP)
		tfr_buf_clear(&bench->encoded);
}

static enum tfr_status rework(const struct tfr_rework *w, struct tfr_item *item,
	struct tfr_workbench *bench, struct tfr_image_info *info, bool *decoded,
	struct tfr_error *err)
{
	struct tfr_error why;
	struct plan p;

	*decoded = false;
	if (!tfr_rework_wanted(w) || !make_plan(w, info, &p))
		return TFR_OK;
	if (!bench->scaler)
		bench->scaler = tfr_scaler_new();
	if (!tfr_workbench_decoder(bench) || !bench->scaler || !tfr_workbench_encoder(bench))
		return tfr_fail_nomem(err, "changing images");
	if (make(w, &p, info, item, bench, &why)) {
		skip_damaged(item, &why);
		return TFR_OK;
	}
	exchange(item, bench);
	*decoded = true;
	info->format = p.format;
	info->width = (uint32_t)p.width;
	info->height = (uint32_t)p.height;
	info->channels = p.channels;
	return TFR_OK;
}

/* --- features --- */

static enum tfr_status decode_whole(
	struct tfr_item *item, struct tfr_workbench *bench, struct tfr_error *err)
{
	struct tfr_decoder *decoder = tfr_workbench_decoder(bench);
	struct tfr_error why;

	TFR_NEED_MEMORY(decoder, err, "decoding images");
	if (tfr_decode_verify(decoder, item->file.data, item->file.size, &why))
		skip_damaged(item, &why);
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
	TFR_TRY(rework(&in->opts->images.rework, item, bench, &info, &decoded, err));
	if (!item->skipped && in->opts->images.verify && !decoded)
		TFR_TRY(decode_whole(item, bench, err));
	if (item->skipped)
		return TFR_OK;
	return in->opts->output.tfds ? add_for_tfds(in, item, err)
				     : add_features(in, item, &info, err);
}
