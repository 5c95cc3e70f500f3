/* inspect/check/tensorflow_gzip.h - counts the records that TensorFlow reads of a compressed file.
 */
#ifndef TFR_INSPECT_CHECK_TENSORFLOW_GZIP_H
#define TFR_INSPECT_CHECK_TENSORFLOW_GZIP_H

#include <tfr-private/codec.h>

#include "base/error.h"

struct tfr_peer {
	uint64_t records; /* that it returns */
	bool fails;	  /* it then raises an error; otherwise it ends as at the end of a file */
};

/* Reads the file once more in TensorFlow's way.  Fails only with TFR_ESYS and TFR_ENOMEM. */
enum tfr_status tfr_peer_read(
	const char *path, enum tfr_compression c, struct tfr_peer *peer, struct tfr_error *err);

#endif
