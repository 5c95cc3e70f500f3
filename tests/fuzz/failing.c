/* tests/fuzz/failing.c - an allocator that fails now and then.
 *
 * The linker sends the calls of the library here (--wrap).  Which of them fail follows from the
 * input alone, so that an input that crashes does so again; where threads allocate, from their
 * order too. */
#define FUZZ_ALLOCATOR
#include "fuzz.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>

bool fuzz_out_of_memory;

static unsigned one_in; /* 0: none */
static bool active;
static _Atomic uint64_t counter;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_vasprintf(char **text, const char *format, va_list args);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __wrap_vasprintf(char **text, const char *format, va_list args);
int __wrap_asprintf(char **text, const char *format, ...);

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool asked;
	uint64_t hash = 14695981039346656037u;
	int result;

	if (!asked) {
		const char *text = getenv("TFR_FUZZ_MALLOC");

		one_in = text ? (unsigned)strtoul(text, NULL, 10) : 0;
		asked = true;
	}
	for (size_t i = 0; one_in && i < size; i++)
		hash = (hash ^ data[i]) * 1099511628211u;
	atomic_store(&counter, hash);
	fuzz_out_of_memory = false;
	active = one_in;
	result = __real_LLVMFuzzerTestOneInput(data, size);
	active = false;
	return result;
}

void fuzz_fails(bool now_and_then)
{
	active = one_in && now_and_then;
}

static bool fails(void)
{
	uint64_t x;

	if (!active)
		return false;
	x = atomic_fetch_add(&counter, 0x9e3779b97f4a7c15u);
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	if ((x >> 32) % one_in)
		return false;
	fuzz_out_of_memory = true;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
	return fails() ? NULL : __real_strndup(text, size);
}

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	return fails() ? -1 : __real_vasprintf(text, format, args);
}

int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int n;

	if (fails())
		return -1;
	va_start(args, format);
	n = __real_vasprintf(text, format, args);
	va_end(args);
	return n;
}
