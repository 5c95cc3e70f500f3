/* convert/folder/mask.h - a segmentation mask as its readers want it. */
#ifndef TFR_CONVERT_FOLDER_MASK_H
#define TFR_CONVERT_FOLDER_MASK_H

#include "convert/input.h"

/* Makes the file in `mask` a PNG whose gray values are class numbers, and says what its size is.
 * DeepLab's readers decode it to one channel (tensorflow/models, research/deeplab/datasets/
 * data_generator.py), which gives a palette's luma, and of 16 bits the high byte.  So a palette
 * becomes 8-bit gray of its indices, 16 bits become 8; gray of up to 8 bits is kept byte for byte,
 * since every reader gives the same values of it.  With `verify` a kept one is decoded whole.
 * TFR_EDATA, TFR_EFORMAT: it is no mask, and *why has the reason; only TFR_ENOMEM is of the
 * process. */
enum tfr_status tfr_mask_plain(struct tfr_buf *mask, struct tfr_workbench *bench, bool verify,
	struct tfr_image_info *info, struct tfr_error *why);
/* Appends the PNG of numbers to `out`.  TFR_ENOMEM. */
enum tfr_status tfr_mask_append(struct tfr_buf *out, const struct tfr_image *numbers,
	struct tfr_workbench *bench, struct tfr_error *err);

#endif
