/* pipeline/images/transforms.h - what each stage of images does: for the array of stages. */
#ifndef TFR_PIPELINE_TRANSFORMS_H
#define TFR_PIPELINE_TRANSFORMS_H

struct tfr_transform;

extern const struct tfr_transform tfr_transform_resize;
extern const struct tfr_transform tfr_transform_random_resized_crop;
extern const struct tfr_transform tfr_transform_random_crop;
extern const struct tfr_transform tfr_transform_centre_crop;
extern const struct tfr_transform tfr_transform_five_crop;
extern const struct tfr_transform tfr_transform_mirror;
extern const struct tfr_transform tfr_transform_flip;
extern const struct tfr_transform tfr_transform_flip_vertical;
extern const struct tfr_transform tfr_transform_reflect_pad;
extern const struct tfr_transform tfr_transform_pad;
extern const struct tfr_transform tfr_transform_rotate;
extern const struct tfr_transform tfr_transform_cutout;
extern const struct tfr_transform tfr_transform_normalise;
extern const struct tfr_transform tfr_transform_standardise;
extern const struct tfr_transform tfr_transform_cast;
extern const struct tfr_transform tfr_transform_audio_crop; /* of audio: audio_stages.c */
extern const struct tfr_transform tfr_transform_audio_random_crop;
extern const struct tfr_transform tfr_transform_audio_centre_crop;
extern const struct tfr_transform tfr_transform_audio_mono;
extern const struct tfr_transform tfr_transform_audio_channels;
extern const struct tfr_transform
	tfr_transform_form; /* chw and hwc: the recipe says what the output is */

#endif
