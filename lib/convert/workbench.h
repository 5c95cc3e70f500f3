/* convert/workbench.h - the tools and buffers that one thread keeps from item to item. */
#ifndef TFR_CONVERT_WORKBENCH_H
#define TFR_CONVERT_WORKBENCH_H

#include <tfr-private/media.h>

#include "base/buf.h"
#include "convert/box_features.h"

struct tfr_workbench {
	struct tfr_decoder *decoder; /* NULL until an image is decoded */
	struct tfr_scaler *scaler;   /* and so on */
	struct tfr_encoder *encoder;
	struct tfr_buf turned;		/* pixels */
	struct tfr_buf encoded;		/* exchanged for the bytes of a file */
	struct tfr_buf pixels, scratch; /* for drawing masks */
	struct tfr_buf ends;		/* size_t: where each mask in item->more ends */
	struct tfr_boxes boxes;
};

/* NULL: out of memory. */
struct tfr_decoder *tfr_workbench_decoder(struct tfr_workbench *bench);
struct tfr_scaler *tfr_workbench_scaler(struct tfr_workbench *bench);
struct tfr_encoder *tfr_workbench_encoder(struct tfr_workbench *bench);
void tfr_workbench_clear(struct tfr_workbench *bench);

#endif
