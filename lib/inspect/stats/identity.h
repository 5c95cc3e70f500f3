/* inspect/stats/identity.h - the value that identifies an Example when the values around it differ:
 * the same image under another name or with another label. */
#ifndef TFR_INSPECT_STATS_IDENTITY_H
#define TFR_INSPECT_STATS_IDENTITY_H

#include <tfr-private/example.h>

/* image/encoded of at least 128 bytes, otherwise the largest bytes value of at least 256 bytes,
 * such as an audio clip or a text.  Size 0: there is none, and only the complete record identifies
 * it.  A view into the record. */
struct tfr_bytes tfr_example_identity(const struct tfr_example *ex);

#endif
