/* faults/interpose.h - what a preloaded library needs that stands between a program and libc.
 *
 * NEXT(name) is libc's own function, looked up once.  A constructor runs before those of the libraries that the
 * program needs and main() after them: a library that defines interpose_main() is called at that moment, so
 * that what the loader and the constructors do is not counted.  dlsym() may allocate before malloc() has been found;
 * such memory comes from a small array and is never freed. */
#ifndef TFR_FAULTS_INTERPOSE_H
#define TFR_FAULTS_INTERPOSE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FILE_OFFSET_BITS /* open() and open64() are wrapped each under its own name */
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INTERPOSE __attribute__((visibility("default")))

/* Two threads may look the same function up at once; both find the same. */
#define NEXT(name)                                                                                 \
	({                                                                                         \
		static _Atomic(void *) next_;                                                      \
		void *found_ = atomic_load_explicit(&next_, memory_order_relaxed);                 \
		if (!found_) {                                                                     \
			found_ = interpose_find(#name);                                            \
			atomic_store_explicit(&next_, found_, memory_order_relaxed);               \
		}                                                                                  \
		(__typeof__(&name))found_;                                                         \
	})

static _Thread_local int interpose_finding __attribute__((tls_model("initial-exec")));

static inline void *interpose_find(const char *name)
{
	void *found;

	interpose_finding++;
	found = dlsym(RTLD_NEXT, name);
	interpose_finding--;
	if (!found)
		__builtin_trap();
	return found;
}

static _Alignas(16) unsigned char interpose_arena[16384];
static atomic_size_t interpose_used;

/* Memory while dlsym() is at work; zeroed. */
static inline void *interpose_early(size_t size)
{
	size_t at = atomic_fetch_add(&interpose_used, (size + 31) & ~(size_t)15);

	if (at + size + 16 > sizeof(interpose_arena))
		__builtin_trap();
	return interpose_arena + at;
}

static inline bool interpose_is_early(const void *p)
{
	return (uintptr_t)p - (uintptr_t)interpose_arena < sizeof(interpose_arena);
}

/* Called when all constructors have run, just before main(). */
static void interpose_main(void);

typedef int interpose_main_function(int, char **, char **);
static interpose_main_function *interpose_program;

static int interpose_start(int argc, char **argv, char **envp)
{
	interpose_main();
	return interpose_program(argc, argv, envp);
}

INTERPOSE int __libc_start_main(interpose_main_function *program, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

INTERPOSE int __libc_start_main(interpose_main_function *program, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	interpose_program = program;
	return NEXT(__libc_start_main)(interpose_start, argc, argv, init, fini, rtld_fini, stack_end);
}

#endif
