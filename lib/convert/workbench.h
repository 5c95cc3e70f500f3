/* convert/workbench.h - what one thread keeps from item to item to work with. */
#ifndef TFR_CONVERT_WORKBENCH_H
#define TFR_CONVERT_WORKBENCH_H

#include <tfr-private/media.h>

#include "base/buf.h"

struct tfr_workbench {
	struct tfr_decoder *decoder; /* NULL until something is decoded */
	struct tfr_scaler *scaler;   /* and so on */
	struct tfr_encoder *encoder;
	struct tfr_buf turned;		/* pixels */
	struct tfr_buf encoded;		/* what takes the place of a file's bytes */
	struct tfr_buf pixels, scratch; /* of masks that are drawn */
};

/* NULL: out of memory. */
struct tfr_decoder *tfr_workbench_decoder(struct tfr_workbench *bench);
struct tfr_scaler *tfr_workbench_scaler(struct tfr_workbench *bench);
struct tfr_encoder *tfr_workbench_encoder(struct tfr_workbench *bench);
void tfr_workbench_clear(struct tfr_workbench *bench);

#endif
