/* record/gzi.h - what writing and scanning add to the points of tfr/gzi.h. */
#ifndef TFR_RECORD_GZI_H
#define TFR_RECORD_GZI_H

#include <tfr/gzi.h>

/* False: out of memory. */
bool tfr_gzi_add(struct tfr_gzi *gzi, uint64_t compressed, uint64_t uncompressed);

#endif
