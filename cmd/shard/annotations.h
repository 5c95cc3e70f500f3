/* cmd/shard/annotations.h - the options of tfr shard that name what lies beside the images. */
#ifndef TFR_CMD_SHARD_ANNOTATIONS_H
#define TFR_CMD_SHARD_ANNOTATIONS_H

#include "common/cmd.h"

/* A member `beside` of the command's settings. */
struct shard_beside {
	const char *image, *mask, *images, *annotations, *captions, *panoptic, *segments,
		*image_set;
	bool masks;
};

/* Rows of the command's option table, for settings with a member `beside`. */
#define SHARD_BESIDE_OPTIONS(settings)                                                             \
	OPT(STRING, 0, "image", "DIR", NULL,                                                       \
		"images that --mask names the masks of: in place of INPUT", settings,              \
		beside.image),                                                                     \
		OPT(STRING, 0, "mask", "DIR", NULL,                                                \
			"the folder of masks: each image is paired with the mask of its name",     \
			settings, beside.mask),                                                    \
		OPT(STRING, 0, "annotations", "FILE", NULL,                                        \
			"COCO's annotations of the images, as JSON: boxes, classes, keypoints",    \
			settings, beside.annotations),                                             \
		OPT(STRING, 0, "captions", "FILE", NULL, "COCO's captions of the images",          \
			settings, beside.captions),                                                \
		OPT(STRING, 0, "panoptic", "FILE", NULL, "COCO's panoptic segments of the images", \
			settings, beside.panoptic),                                                \
		OPT(STRING, 0, "panoptic-masks", "DIR", NULL,                                      \
			"the images that --panoptic speaks of, by default in the folder of its "   \
			"name",                                                                    \
			settings, beside.segments),                                                \
		OPT(STRING, 0, "image-set", "NAME", NULL,                                          \
			"of VOC: only the images of ImageSets/Main/NAME.txt, such as train",       \
			settings, beside.image_set),                                               \
		OPT(STRING, 0, "images", "DIR", NULL,                                              \
			"images that --annotations is about: in place of INPUT", settings,         \
			beside.images),                                                            \
		OPT(FLAG, 0, "masks", NULL, NULL,                                                  \
			"draw a mask of each annotation from its polygons or runs", settings,      \
			beside.masks)

/* Sets in `o` what lies beside the images, and the inputs where an option names them in place of
 * an operand.  0, or the exit status of wrong usage, which has been told. */
int shard_beside_set(struct cmd *c, const struct shard_beside *b, struct tfr_convert_opts *o);

#endif
