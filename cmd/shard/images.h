/* cmd/shard/images.h - the options of tfr shard that say what is done to images on their way.
 */
#ifndef TFR_CMD_SHARD_IMAGES_H
#define TFR_CMD_SHARD_IMAGES_H

#include "common/cmd.h"

struct image_settings {
	const char *resize, *filter, *report;
	uint64_t quality;
	int reencode;
	bool enlarge, orient, rgb8, sha256;
};

#define OPT_IMAGES(settings, f)                                                                  \
	OPT(STRING, 0, "resize", "SIZE", NULL,                                                     \
		"make the shorter side SIZE pixels, the shape kept, or with WxH both sides; "      \
		"smaller images are left as they are with SIZE",                                 \
		settings, f.resize),                                                               \
		OPT(STRING, 0, "filter", "NAME", "triangle|area|cubic|lanczos|bilinear|nearest",   \
			"how to resize: triangle, area, cubic or lanczos as Pillow does, "         \
			"bilinear "                                                                \
			"or nearest as TensorFlow does [triangle]",                                \
			settings, f.filter),                                                       \
		OPT(FLAG, 0, "enlarge", NULL, NULL,                                                \
			"with --resize SIZE: enlarge smaller images too", settings, f.enlarge),  \
		OPT(CHOICE, 0, "reencode", "KIND", "keep|jpeg|png",                                \
			"encode what is not jpeg, or png, as that [keep]", settings, f.reencode),  \
		OPT(POSITIVE, 0, "quality", "N", NULL,                                             \
			"the quality of JPEGs that are encoded, 1 to 100 [95]", settings,          \
			f.quality),                                                                \
		OPT(FLAG, 0, "orient", NULL, NULL, "turn images as EXIF wants it", settings,     \
			f.orient),                                                                 \
		OPT(FLAG, 0, "rgb8", NULL, NULL,                                                   \
			"make RGB of 8 bits of images in CMYK or of 16 bits", settings, f.rgb8), \
		OPT(FLAG, 0, "sha256", NULL, NULL,                                                 \
			"add image/key/sha256, the digest of image/encoded", settings, f.sha256),  \
		OPT(STRING, 0, "report", "FILE", NULL,                                             \
			"list in FILE what was skipped and what is odd about images: lines of "  \
			"PATH, code, detail, set, shard and record, or JSON for a FILE.json",      \
			settings, f.report)

/* Checks them and puts them into `o`.  On failure the error is printed and the status returned; 0
 * is success. */
int images_parse(struct cmd *c, const struct image_settings *s, struct tfr_convert_opts *o);
/* Says how much was found of each kind that was not skipped. */
void images_print(struct cmd *c, const struct tfr_convert_report *report);

#endif
