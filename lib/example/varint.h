/* example/varint.h - packed varints into numbers, a word at a time, and a plain twin. */
#ifndef TFR_EXAMPLE_VARINT_H
#define TFR_EXAMPLE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The varints that end in these bytes. */
size_t tfr_varints_count(const uint8_t *p, size_t size);

/* Decodes the varints of [*p, end) to `out` and returns the end of what it wrote.  *p becomes
 * `end`, unless there is a fault, a varint cut short or longer than ten bytes, which begins there.
 *
 * `out` has room for tfr_varints_count() values and TFR_VARINT_SLACK more, which may be written
 * too. `limit` is where reading must stop, at or behind `end`; the eight bytes before *p can be
 * read. */
#define TFR_VARINT_SLACK 8
int64_t *tfr_varints_decode(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out);
/* The ways to do it that this processor has, fastest first; NULL behind the last.  For who decodes
 * many short chunks, and for tests. */
typedef int64_t *tfr_varints_fn(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out);
tfr_varints_fn *tfr_varints_way(unsigned i);
tfr_varints_fn tfr_varints_decode_word; /* for any processor */
tfr_varints_fn tfr_varints_decode_avx512;
bool tfr_varints_have_avx512(void);
/* The same, byte by byte, and within its bounds. */
int64_t *tfr_varints_decode_plain(const uint8_t **p, const uint8_t *end, int64_t *out);

#endif
