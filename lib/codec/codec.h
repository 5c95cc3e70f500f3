/* codec/codec.h - one row an implementation of inflating and deflating; streams over memory, no
 * I/O.
 *
 * A stream takes what input it can and gives what output there is room for; the caller loops.  GZIP
 * files of several members, and several zlib streams one after another, are read to their end
 * (TensorFlow silently loses records there).  What lies before damage comes out whole, to the last
 * byte that can be inflated, however the input is cut and whatever room there is.  Deflating is
 * codec/parallel_deflate.h. */
#ifndef TFR_CODEC_CODEC_H
#define TFR_CODEC_CODEC_H

#include <tfr-private/codec.h>

#include "base/buf.h"
#include "base/error.h"

/* What is passed in and out: both ends advance. */
struct tfr_codec_io {
	const uint8_t *in;
	size_t in_size;
	uint8_t *out;
	size_t out_size;
};

struct tfr_inflate;

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
/* The members so far. */
struct tfr_members tfr_inflate_members(const struct tfr_inflate *z);

/* --- beginning within a GZIP member, at a flush point --- */

/* Begins behind a full flush, at a byte's edge: what is read first is a block of a member whose
 * header lies elsewhere.  A reference to what lies before is damage to it. */
enum tfr_status tfr_inflate_new_within(struct tfr_inflate **z, struct tfr_error *err);
/* Whether all input was used and all output given, within a GZIP member and at the end of a block
 * that ends with a byte: where another one may take over. */
bool tfr_inflate_at_flush(const struct tfr_inflate *z);
/* Whether `z`, which began within a member, has come to the member's trailer and waits to be
 * joined: it cannot check it. */
bool tfr_inflate_at_trailer(const struct tfr_inflate *z);
/* `z`, which began within a member, continues what `before` read up to where `z` began: its
 * member's checksum and size are checked over both. */
void tfr_inflate_join(struct tfr_inflate *z, const struct tfr_inflate *before);
/* `z`, which began within a member, cannot know what lay before: the checksum and the size at the
 * member's end are read and not checked. */
void tfr_inflate_trust(struct tfr_inflate *z);

/* What the first bytes look like: GZIP (its magic and method, 24 bits), ZLIB (a header whose check
 * fits and whose first bytes inflate), or NONE. */
enum tfr_compression tfr_codec_sniff(const uint8_t *head, size_t size);

/* The rows: codec/isal.c and codec/zlib.c.  A state is allocated by the row and opaque to codec.c.
 */
struct tfr_gzip_sum {
	uint32_t crc;
	uint64_t size;
	bool trusted; /* not to be checked */
};

struct tfr_inflate_ops {
	const char *name;
	bool gzip_only;
	size_t state_size;
	/* `within`: behind the header of a GZIP member.  Its trailer is not read before set_sum().
	 */
	enum tfr_status (*init)(
		void *state, enum tfr_compression c, bool within, struct tfr_error *err);
	enum tfr_status (*reset)(void *state); /* for the next member, from its header on */
	/* *ended: the member ended, its checksum fits, and io->in stands behind it. */
	enum tfr_status (*run)(
		void *state, struct tfr_codec_io *io, bool *ended, struct tfr_error *err);
	bool (*at_flush)(const void *state);
	bool (*at_trailer)(const void *state);
	/* What came out of this GZIP member: its CRC-32 and size, of what was read before it too.
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
	/* Appends `in` to `out` as blocks that refer to nothing before them: ended by the last
	 * block of a stream, or by a full flush. */
	enum tfr_status (*segment)(void *state, const uint8_t *in, size_t size, bool last,
		struct tfr_buf *out, struct tfr_error *err);
	void (*clear)(void *state);
};

extern const struct tfr_inflate_ops tfr_zlib_inflate, tfr_isal_inflate;
extern const struct tfr_deflate_ops tfr_zlib_deflate, tfr_isal_deflate;

/* The first row that has this level; NULL: none. */
const struct tfr_deflate_ops *tfr_deflate_find(int level);

/* More than `size` bytes can become, and the end of a segment with them. */
static inline size_t tfr_deflate_bound(size_t size)
{
	return size + size / 8 + 256;
}

/* The trailer of a GZIP member, as its bytes come: for a state that began within it. */
struct tfr_gzip_trailer {
	uint8_t bytes[8];
	unsigned have;
};
/* Takes from `io` what is missing.  False: there is not enough yet. */
bool tfr_gzip_trailer_take(struct tfr_gzip_trailer *t, struct tfr_codec_io *io);
bool tfr_gzip_crc_fits(const struct tfr_gzip_trailer *t, const struct tfr_gzip_sum *sum);
bool tfr_gzip_size_fits(const struct tfr_gzip_trailer *t, const struct tfr_gzip_sum *sum);

#endif
