/* convert/workbench.h - what one thread keeps from item to item to work with. */
#ifndef TFR_CONVERT_WORKBENCH_H
#define TFR_CONVERT_WORKBENCH_H

#include <tfr/media.h>

struct tfr_workbench {
	struct tfr_decoder *decoder; /* NULL until something is decoded */
};

/* The decoder; NULL: out of memory. */
struct tfr_decoder *tfr_workbench_decoder(struct tfr_workbench *bench);
void tfr_workbench_clear(struct tfr_workbench *bench);

#endif
