/* tfr-private/codec.h - compressions by name, and the members of a file. */
#ifndef TFR_PRIVATE_CODEC_H
#define TFR_PRIVATE_CODEC_H

#include <tfr/codec.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *tfr_compression_name(enum tfr_compression c);

/* How a compressed file is put together, as far as it was read.  A file is meant to be one stream,
 * which a GZIP file calls a member.  Several are read as one here; TensorFlow reads no second ZLIB
 * stream, and ends silently, with no error, behind some members of GZIP
 * (tsl/lib/io/zlib_inputstream.cc: what ends a member without giving output makes it read the file
 * again, and the end of the file is taken for the end of the data). */
struct tfr_members {
	uint64_t count; /* those that ended */
	uint64_t empty; /* those without content that others follow */
	uint64_t bytes; /* uncompressed, so far */
	bool trailing;	/* something stands behind the last that is no member */
};

#ifdef __cplusplus
}
#endif

#endif
