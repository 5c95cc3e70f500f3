/* tfr/codec.h - the compressions a TFRecord file can have.
 *
 * TensorFlow knows "", "GZIP" and "ZLIB" (TFRecordOptions); the whole file is one stream, records
 * and all.  It does not look at the content, so a reader must be told; libtfr finds it from the
 * content. */
#ifndef TFR_CODEC_H
#define TFR_CODEC_H

#include <tfr/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_compression {
	TFR_COMPRESSION_AUTO =
		0, /* reading: from the content; writing: from the name (.gz: GZIP, else none) */
	TFR_COMPRESSION_NONE,
	TFR_COMPRESSION_GZIP, /* RFC 1952 */
	TFR_COMPRESSION_ZLIB, /* RFC 1950 */
};

/* The level used where none is given, and what levels mean: 1 to 3 are ISA-L's igzip where it is
 * built in (several times as fast as zlib at about the size of zlib's 1 to 3), 4 to 9 are zlib's.
 */
#define TFR_LEVEL_DEFAULT 2
#define TFR_LEVEL_MAX 9

#ifdef __cplusplus
}
#endif

#endif
