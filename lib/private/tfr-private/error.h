/* tfr-private/error.h - returning failures, and what libtfr tells about itself, for tfr alone. */
#ifndef TFR_PRIVATE_ERROR_H
#define TFR_PRIVATE_ERROR_H

#include <tfr/error.h>

/* Returns the status of a call that fails. */
#define TFR_TRY(call)                                                                              \
	do {                                                                                       \
		const enum tfr_status tfr_status_of_call = (call);                                 \
		if (tfr_status_of_call)                                                            \
			return tfr_status_of_call;                                                 \
	} while (0)

#ifdef __cplusplus
extern "C" {
#endif

/* The optional parts that are built in, separated by commas: "isa-l, cuda". */
const char *tfr_build_features(void);

/* Opens the module of a library with this name in tfr_build_features().  TFR_END: no module has it;
 * TFR_EUNAVAILABLE: the module or its library is not installed. */
enum tfr_status tfr_feature_open(const char *name, struct tfr_error *err);

/* The highest level of processor extensions that inner loops may use: "avx512", or what the
 * variable TFR_CPU of the environment limits it to ("plain", "sse4.2", "avx2"), for tests.  It is
 * read once, when the library is loaded; the processor may have less.  Results are the same at
 * every level.  NULL: TFR_CPU holds another word, which was ignored. */
const char *tfr_cpu_level(void);

#ifdef __cplusplus
}
#endif

#endif
