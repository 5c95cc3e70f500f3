/* tfr-private/audio.h - WAV files: measured by their headers, and decoded to floats.
 *
 * A WAV file is RIFF chunks (Microsoft and IBM, Multimedia Programming Interface and Data
 * Specifications 1.0, 1991): "fmt " says what a sample is, "data" has them, all little-endian.  A
 * sample here is one moment of all channels, whose values lie side by side; TensorFlow's decode_wav
 * and soundfile count so too. */
#ifndef TFR_PRIVATE_AUDIO_H
#define TFR_PRIVATE_AUDIO_H

#include <tfr-private/dtype.h>
#include <tfr-private/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_audio_coding {
	TFR_AUDIO_PCM = 1,   /* whole numbers of 8 (unsigned), 16, 24 or 32 bits */
	TFR_AUDIO_FLOAT = 3, /* IEEE 754 of 32 or 64 bits; both numbers are WAVE_FORMAT_…'s */
	TFR_AUDIO_OTHER = 0, /* what libsndfile reads: see tfr_audio_open() */
};

struct tfr_audio_info {
	enum tfr_audio_coding coding;
	uint32_t sample_rate; /* samples a second */
	unsigned channels;
	unsigned bits; /* that one channel's value takes up */
	uint64_t samples;
	size_t place;	 /* of the first sample's first byte */
	bool recognised; /* it begins as a WAV file does, whatever is wrong with the rest */
	bool truncated;	 /* what is wrong is that its end is missing */
};

/* Whether the first 12 bytes are those of a WAV file, or of a kind that is told from one: RF64,
 * BW64 and RIFX. */
bool tfr_audio_sniff(const void *data, size_t size);

/* Measures a WAV file that is in memory as a whole, and holds its header to what is there: chunks
 * end where the file does at the latest, and the sizes of a sample, of a second and of all samples
 * agree.  WAVE_FORMAT_EXTENSIBLE is what its sub-format says.
 *
 * TFR_EFORMAT: no WAV file, or one in a form that is not decoded: RF64, RIFX, A-law, ADPCM.
 * TFR_EDATA: the header says what cannot be.  info is cleared first. */
enum tfr_status tfr_audio_probe(
	const void *data, size_t size, struct tfr_audio_info *info, struct tfr_error *err);

/* Decodes `count` samples from sample `first` on to floats.  `info` is as tfr_audio_probe() has
 * filled it for these bytes, and says that they are there; `out` has room for count *
 * info->channels.  Whole numbers become value / 2^(bits - 1), so that all lie in [-1, 1); 8 bits
 * are taken less 128 first.  Floats stay what they are, those of 64 bits rounded.  These are the
 * floats of libsndfile, to the bit.  Pure: nothing can fail. */
void tfr_audio_samples(const void *data, const struct tfr_audio_info *info, uint64_t first,
	uint64_t count, float *out);

/* Writes `n` such floats as numbers of another type:
 *   float16, bfloat16  to the nearest, halves to even, as tf.cast has it; a NaN stays one
 *   int16              x * 32768 to the nearest, halves to even, held to -32768 … 32767; NaN is 0:
 *                      of samples of 16 bits what they were
 *   float32            as they are
 * Another type is a mistake.  Pure. */
void tfr_audio_convert(const float *in, size_t n, enum tfr_dtype dtype, void *out);

/* --- libsndfile, for WAV files that tfr_audio_probe() refuses with TFR_EFORMAT --- */

struct tfr_audio_stream;

/* Opens a WAV file, which is in memory and has to stay there: one of another coding (A-law, mu-law,
 * ADPCM, …) or form (RF64, RIFX), or any.  libsndfile is opened at first use.  `info` says what it
 * is: coding is TFR_AUDIO_OTHER, bits and place are 0.  A stream serves one thread.
 *
 * TFR_EUNAVAILABLE: it needs libsndfile, which is not there; TFR_EDATA: libsndfile will not;
 * TFR_EFORMAT: not a WAV file. */
enum tfr_status tfr_audio_open(struct tfr_audio_stream **s, const void *data, size_t size,
	struct tfr_audio_info *info, struct tfr_error *err);
/* As tfr_audio_samples().  TFR_EDATA: they are not there, whatever the header says. */
enum tfr_status tfr_audio_read(struct tfr_audio_stream *s, uint64_t first, uint64_t count,
	float *out, struct tfr_error *err);
void tfr_audio_close(struct tfr_audio_stream *s); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
