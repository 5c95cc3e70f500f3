/* example/varint.h - decodes packed varints one word at a time, with a portable twin. */
#ifndef TFR_EXAMPLE_VARINT_H
#define TFR_EXAMPLE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of varints that end in these bytes. */
size_t tfr_varints_count(const uint8_t *p, size_t size);

/* Decodes the varints of [*p, end) to `out` and returns the end of its output.  *p becomes `end`.
 * After a fault, a varint that is cut short or longer than ten bytes, *p is the beginning of that
 * varint.
 *
 * `out` has room for tfr_varints_count() values and TFR_VARINT_SLACK more, which may be
 * overwritten too.  Reading stops at `limit`, which is at or after `end`; the eight bytes before
 * *p are readable. */
#define TFR_VARINT_SLACK 8
int64_t *tfr_varints_decode(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out);
/* The decoders that this processor supports, fastest first, followed by NULL.  For callers that
 * decode many short chunks, and for tests. */
typedef int64_t *tfr_varints_fn(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out);
tfr_varints_fn *tfr_varints_way(unsigned i);
tfr_varints_fn tfr_varints_decode_word; /* for any processor */
tfr_varints_fn tfr_varints_decode_avx512;
bool tfr_varints_have_avx512(void);
/* The same, byte by byte, without access outside its bounds. */
int64_t *tfr_varints_decode_plain(const uint8_t **p, const uint8_t *end, int64_t *out);

#endif
