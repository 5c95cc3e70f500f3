/* tfr-private/dtype.h - types of numbers by name. */
#ifndef TFR_PRIVATE_DTYPE_H
#define TFR_PRIVATE_DTYPE_H

#include <tfr/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of that name; false: none of them has it. */
bool tfr_dtype_parse(const char *name, enum tfr_dtype *dtype);

#ifdef __cplusplus
}
#endif

#endif
