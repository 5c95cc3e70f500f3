/* codec/codec.h - one row an implementation of inflating and deflating; streams over memory, no
 * I/O.
 *
 * A stream takes what input it can and gives what output there is room for; the caller loops.  GZIP
 * files of several members, and several zlib streams one after another, are read to their end
 * (TensorFlow silently loses records there). */
#ifndef TFR_CODEC_CODEC_H
#define TFR_CODEC_CODEC_H

#include <tfr/codec.h>

#include "base/error.h"

/* What is passed in and out: both ends advance. */
struct tfr_codec_io {
	const uint8_t *in;
	size_t in_size;
	uint8_t *out;
	size_t out_size;
};

struct tfr_inflate;
struct tfr_deflate;

enum tfr_status tfr_inflate_new(
	struct tfr_inflate **z, enum tfr_compression c, struct tfr_error *err);
void tfr_inflate_free(struct tfr_inflate *z);
/* Inflates until the input is used up or the output is full.  TFR_EDATA: the stream is damaged. */
enum tfr_status tfr_inflate_run(
	struct tfr_inflate *z, struct tfr_codec_io *io, struct tfr_error *err);
/* Whether the input may end here: nothing was read yet, or the last member ended. */
bool tfr_inflate_at_end(const struct tfr_inflate *z);
/* When it may not end here and does: TFR_EDATA, the stream is cut, or what stands behind it is too
 * short to be told from the start of another. */
enum tfr_status tfr_inflate_cut(struct tfr_inflate *z, struct tfr_error *err);
/* The members so far; `cut` is meant for the whole file, so ask at its end. */
struct tfr_members tfr_inflate_members(const struct tfr_inflate *z);

enum tfr_status tfr_deflate_new(
	struct tfr_deflate **z, enum tfr_compression c, int level, struct tfr_error *err);
void tfr_deflate_free(struct tfr_deflate *z);
/* Deflates all of the input or until the output is full.  With `finish`, *done says that the
 * stream's end was written. */
enum tfr_status tfr_deflate_run(struct tfr_deflate *z, struct tfr_codec_io *io, bool finish,
	bool *done, struct tfr_error *err);

/* What the first bytes look like: GZIP (its magic and method, 24 bits), ZLIB (a header whose check
 * fits and whose first bytes inflate), or NONE. */
enum tfr_compression tfr_codec_sniff(const uint8_t *head, size_t size);

/* The rows: codec/isal.c and codec/zlib.c.  A state is allocated by the row and opaque to codec.c.
 */
struct tfr_inflate_ops {
	const char *name;
	bool gzip_only;
	size_t state_size;
	enum tfr_status (*init)(void *state, enum tfr_compression c, struct tfr_error *err);
	enum tfr_status (*reset)(void *state); /* for the next member */
	/* *ended: the member ended, its checksum fits, and io->in stands behind it. */
	enum tfr_status (*run)(
		void *state, struct tfr_codec_io *io, bool *ended, struct tfr_error *err);
	void (*clear)(void *state);
};

struct tfr_deflate_ops {
	const char *name;
	size_t state_size;
	int level_min, level_max;
	enum tfr_status (*init)(
		void *state, enum tfr_compression c, int level, struct tfr_error *err);
	enum tfr_status (*run)(void *state, struct tfr_codec_io *io, bool finish, bool *done,
		struct tfr_error *err);
	void (*clear)(void *state);
};

extern const struct tfr_inflate_ops tfr_zlib_inflate, tfr_isal_inflate;
extern const struct tfr_deflate_ops tfr_zlib_deflate, tfr_isal_deflate;

#endif
