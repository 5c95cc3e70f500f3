/* tests/fuzz/fuzz.h - included before every target.
 *
 * With TFR_FUZZ_MALLOC=N, one allocation in N of the library fails (failing.c), never one of the
 * target.  From then on an input may be refused for another reason than the target expects: what
 * the target calls abort() for is then no failure, and it must go on or return. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern bool fuzz_out_of_memory; /* an allocation has failed since the input began */

/* What the target needs itself: no allocation fails while `call` is made. */
#define FUZZ_SAFE(call)                                                                            \
	__extension__({                                                                            \
		fuzz_fails(false);                                                                 \
		__typeof__(call) result_ = (call);                                                 \
		fuzz_fails(true);                                                                  \
		result_;                                                                           \
	})
void fuzz_fails(bool now_and_then);

static inline void fuzz_abort(void)
{
	if (!fuzz_out_of_memory)
		abort();
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);

#ifndef FUZZ_ALLOCATOR
#define abort() fuzz_abort()
#define malloc(size) __real_malloc(size)
#define calloc(n, size) __real_calloc(n, size)
#define realloc(p, size) __real_realloc(p, size)
#undef strdup
#undef strndup
#define strdup(text) __real_strdup(text)
#define strndup(text, size) __real_strndup(text, size)
#endif

#endif
