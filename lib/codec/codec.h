/* codec/codec.h - inflates and deflates streams in memory, without I/O; one row per implementation.
 *
 * A stream consumes as much input and produces as much output as it can; the caller loops.  GZIP
 * files of several members, and several consecutive zlib streams, are read to their end (TensorFlow
 * silently loses records there).  Everything before damage is inflated, to the last possible byte,
 * however the input is divided and however small the output is.  Deflating is
 * codec/parallel_deflate.h. */
#ifndef TFR_CODEC_CODEC_H
#define TFR_CODEC_CODEC_H

#include <tfr-private/codec.h>

#include "base/buf.h"
#include "base/error.h"

/* Input and output; both advance. */
struct tfr_codec_io {
	const uint8_t *in;
	size_t in_size;
	uint8_t *out;
	size_t out_size;
};

/* TFR_EUSAGE: `c`, which comes from a program, is no compression of a stream. */
enum tfr_status tfr_compression_check(enum tfr_compression c, struct tfr_error *err);

struct tfr_inflate;

enum tfr_status tfr_inflate_new(
	struct tfr_inflate **z, enum tfr_compression c, struct tfr_error *err);
void tfr_inflate_free(struct tfr_inflate *z);
/* Inflates until the input is used up or the output is full.  TFR_EDATA: the stream is damaged. */
enum tfr_status tfr_inflate_run(
	struct tfr_inflate *z, struct tfr_codec_io *io, struct tfr_error *err);
/* Whether the input may end here: nothing was read yet, or the last member is complete. */
bool tfr_inflate_at_end(const struct tfr_inflate *z);
/* Reports an input that ends where it may not: TFR_EDATA, the stream is truncated, or the bytes
 * after it are too few to tell whether they begin another. */
enum tfr_status tfr_inflate_cut(struct tfr_inflate *z, struct tfr_error *err);
/* The members so far. */
struct tfr_members tfr_inflate_members(const struct tfr_inflate *z);

/* --- starting within a GZIP member, at a flush point --- */

/* Starts after a full flush, at a byte boundary.  The input begins with a block of a member whose
 * header was read elsewhere.  A reference to earlier data counts as damage. */
enum tfr_status tfr_inflate_new_within(struct tfr_inflate **z, struct tfr_error *err);
/* Whether all input is consumed and all output produced, within a GZIP member and at the end of a
 * block that ends at a byte boundary: another stream may continue here. */
bool tfr_inflate_at_flush(const struct tfr_inflate *z);
/* Whether `z`, which started within a member, has reached the trailer and waits to be joined: it
 * cannot check the trailer alone. */
bool tfr_inflate_at_trailer(const struct tfr_inflate *z);
/* Joins `z`, which started within a member, to `before`, which read the member up to there:
 * checksum and size are checked over both. */
void tfr_inflate_join(struct tfr_inflate *z, const struct tfr_inflate *before);
/* For `z` that started within a member whose earlier part was not read: the checksum and the size
 * at the end of the member are read but not checked. */
void tfr_inflate_trust(struct tfr_inflate *z);

/* Detects the compression from the first bytes: GZIP (magic and method, 24 bits), ZLIB (a header
 * with a valid check, and data that inflates), or NONE. */
enum tfr_compression tfr_codec_sniff(const uint8_t *head, size_t size);

/* The rows: codec/isal.c and codec/zlib.c.  A state is allocated by the row and opaque to codec.c.
 */
struct tfr_gzip_sum {
	uint32_t crc;
	uint64_t size;
	bool trusted; /* the trailer is not checked */
};

struct tfr_inflate_ops {
	const char *name;
	bool gzip_only;
	size_t state_size;
	/* `within`: after the header of a GZIP member.  Its trailer is not read before set_sum().
	 */
	enum tfr_status (*init)(
		void *state, enum tfr_compression c, bool within, struct tfr_error *err);
	enum tfr_status (*reset)(void *state); /* for the next member, from its header on */
	/* *ended: the member is complete, its checksum is correct, and io->in points after it. */
	enum tfr_status (*run)(
		void *state, struct tfr_codec_io *io, bool *ended, struct tfr_error *err);
	bool (*at_flush)(const void *state);
	bool (*at_trailer)(const void *state);
	/* CRC-32 and size of the output of this GZIP member, including the part read before it.
	 */
	void (*get_sum)(const void *state, struct tfr_gzip_sum *sum);
	void (*set_sum)(void *state, const struct tfr_gzip_sum *sum);
	void (*clear)(void *state);
};

struct tfr_deflate_ops {
	const char *name;
	size_t state_size;
	int level_min, level_max;
	enum tfr_status (*init)(void *state, int level, struct tfr_error *err);
	/* Appends `in` to `out` as blocks that refer to nothing before them, ended by the last
	 * block of a stream or by a full flush. */
	enum tfr_status (*segment)(void *state, const uint8_t *in, size_t size, bool last,
		struct tfr_buf *out, struct tfr_error *err);
	void (*clear)(void *state);
};

extern const struct tfr_inflate_ops tfr_zlib_inflate, tfr_isal_inflate;
extern const struct tfr_deflate_ops tfr_zlib_deflate, tfr_isal_deflate;

/* The first row that has this level; NULL: no row has it. */
const struct tfr_deflate_ops *tfr_deflate_find(int level);

/* An upper bound for `size` bytes deflated, including the end of a segment. */
static inline size_t tfr_deflate_bound(size_t size)
{
	return size + size / 8 + 256;
}

/* The trailer of a GZIP member, collected as its bytes arrive, for a state that started within it.
 */
struct tfr_gzip_trailer {
	uint8_t bytes[8];
	unsigned have;
};
/* Takes the missing bytes from `io`.  False: more are needed. */
bool tfr_gzip_trailer_take(struct tfr_gzip_trailer *t, struct tfr_codec_io *io);
bool tfr_gzip_crc_fits(const struct tfr_gzip_trailer *t, const struct tfr_gzip_sum *sum);
bool tfr_gzip_size_fits(const struct tfr_gzip_trailer *t, const struct tfr_gzip_sum *sum);

#endif
