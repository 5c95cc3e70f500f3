/* convert/folder/mask.h - a segmentation mask in the form that its readers need. */
#ifndef TFR_CONVERT_FOLDER_MASK_H
#define TFR_CONVERT_FOLDER_MASK_H

#include "convert/input.h"

/* Makes the file in `mask` a PNG whose gray values are class numbers, and returns its size.
 *
 * DeepLab's readers decode it to one channel (tensorflow/models,
 * research/deeplab/datasets/data_generator.py), which gives a palette's luma, and the high byte
 * of 16 bits.  So a palette becomes 8-bit gray of its indices, and 16 bits become 8.  Gray of up
 * to 8 bits is kept byte for byte, because all readers give the same values.  With `verify` a
 * kept one is decoded completely.  TFR_EDATA, TFR_EFORMAT: it is not a mask, and *why has the
 * reason; only TFR_ENOMEM is a failure of the process. */
enum tfr_status tfr_mask_plain(struct tfr_buf *mask, struct tfr_workbench *bench, bool verify,
	struct tfr_image_info *info, struct tfr_error *why);
/* Appends the PNG of numbers to item->more, and its end there to bench->ends.  TFR_ENOMEM. */
enum tfr_status tfr_mask_add(struct tfr_item *item, const struct tfr_image *numbers,
	struct tfr_workbench *bench, struct tfr_error *err);

#endif
