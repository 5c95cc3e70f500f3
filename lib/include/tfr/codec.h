/* tfr/codec.h - the compressions of TFRecord files.
 *
 * TensorFlow knows "", "GZIP" and "ZLIB" (TFRecordOptions): one stream with all records.
 * TensorFlow does not inspect the content, so a reader must name the compression; libtfr detects
 * it from the content. */
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

/* The default level.  Levels 1 to 3 use ISA-L's igzip if it is built in (several times as fast
 * as zlib, at about the size of zlib's levels 1 to 3); levels 4 to 9 use zlib. */
#define TFR_LEVEL_DEFAULT 2
#define TFR_LEVEL_MAX 9

#ifdef __cplusplus
}
#endif

#endif
