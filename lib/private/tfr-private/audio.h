/* tfr-private/audio.h - WAV files: measures their headers, and decodes them to floats.
 *
 * A WAV file is RIFF chunks (Microsoft and IBM, Multimedia Programming Interface and Data
 * Specifications 1.0, 1991): "fmt " describes the samples, "data" contains them, all little-endian.
 * A sample here is one value per channel, stored next to each other; TensorFlow's decode_wav and
 * soundfile count in the same way. */
#ifndef TFR_PRIVATE_AUDIO_H
#define TFR_PRIVATE_AUDIO_H

#include <tfr-private/dtype.h>
#include <tfr-private/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_audio_coding {
	TFR_AUDIO_PCM = 1, /* integers of 8 (unsigned), 16, 24 or 32 bits */
	TFR_AUDIO_FLOAT =
		3, /* IEEE 754 with 32 or 64 bits; both numbers are those of WAVE_FORMAT_… */
	TFR_AUDIO_OTHER = 0, /* read by libsndfile: see tfr_audio_open() */
};

struct tfr_audio_info {
	enum tfr_audio_coding coding;
	uint32_t sample_rate; /* samples per second */
	unsigned channels;
	unsigned bits; /* of the value of one channel */
	uint64_t samples;
	size_t place;	 /* of the first sample's first byte */
	bool recognised; /* it begins like a WAV file, even if the rest is wrong */
	bool truncated;	 /* the fault is a missing end */
};

/* Whether the first 12 bytes are those of a WAV file or of a related kind: RF64, BW64 and RIFX. */
bool tfr_audio_sniff(const void *data, size_t size);

/* Measures a complete WAV file in memory and checks its header against the file: chunks end within
 * the file, and the sizes of a sample, of a second and of all samples agree. WAVE_FORMAT_EXTENSIBLE
 * counts as its sub-format.
 *
 * TFR_EFORMAT: not a WAV file, or one in a form that is not decoded: RF64, RIFX, A-law, ADPCM.
 * TFR_EDATA: the header is impossible.  info is cleared first. */
enum tfr_status tfr_audio_probe(
	const void *data, size_t size, struct tfr_audio_info *info, struct tfr_error *err);

/* Decodes `count` samples to floats, from sample `first`.  tfr_audio_probe() has filled `info` for
 * these bytes and verified that the samples exist; `out` has room for count * info->channels.
 * Integers become value / 2^(bits - 1), so that all are in [-1, 1); 128 is subtracted from 8 bits
 * first.  Floats stay equal, those of 64 bits are rounded.  The results equal those of libsndfile,
 * to the bit.  Pure: it cannot fail. */
void tfr_audio_samples(const void *data, const struct tfr_audio_info *info, uint64_t first,
	uint64_t count, float *out);

/* Writes `n` of these floats as another type:
 *   float16, bfloat16  to the nearest, halves to even, as in tf.cast; a NaN stays NaN
 *   int16              x * 32768 to the nearest, halves to even, limited to -32768 … 32767; NaN is
 *                      0.  Samples of 16 bits get their original values
 *   float32            unchanged
 * Another type is a mistake of the caller.  Pure. */
void tfr_audio_convert(const float *in, size_t n, enum tfr_dtype dtype, void *out);

/* --- libsndfile, for WAV files that tfr_audio_probe() refuses with TFR_EFORMAT --- */

struct tfr_audio_stream;

/* Opens a WAV file in memory, which must stay there.  It may have another coding (A-law, mu-law,
 * ADPCM, …) or form (RF64, RIFX).  The module of libsndfile is opened at first use.  `info`
 * describes the file: coding is TFR_AUDIO_OTHER, bits and place are 0.  A stream serves one thread.
 *
 * TFR_EUNAVAILABLE: libsndfile is not installed; TFR_EDATA: libsndfile refuses the file;
 * TFR_EFORMAT: not a WAV file. */
enum tfr_status tfr_audio_open(struct tfr_audio_stream **s, const void *data, size_t size,
	struct tfr_audio_info *info, struct tfr_error *err);
/* As tfr_audio_samples().  TFR_EDATA: the samples are missing, although the header counts them. */
enum tfr_status tfr_audio_read(struct tfr_audio_stream *s, uint64_t first, uint64_t count,
	float *out, struct tfr_error *err);
void tfr_audio_close(struct tfr_audio_stream *s); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
