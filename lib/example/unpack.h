/* example/unpack.h - unpacks protobuf-c messages and distinguishes invalid bytes from a failed
 * allocation; protobuf-c returns NULL for both.
 *
 * The allocator is malloc() and free(), so that FREE(m, NULL) releases what UNPACK returned. */
#ifndef TFR_EXAMPLE_UNPACK_H
#define TFR_EXAMPLE_UNPACK_H

#include <stdlib.h>

#include <protobuf-c/protobuf-c.h>

#include "base/error.h"

static inline void *tfr_unpack_alloc(void *failed, size_t size)
{
	void *p = malloc(size);

	*(bool *)failed |= !p;
	return p;
}

static inline void tfr_unpack_free(void *failed, void *p)
{
	(void)failed;
	free(p);
}

/* UNPACK(allocator, size, data) in *message; TFR_EDATA with `what`, or TFR_ENOMEM. */
#define TFR_UNPACK(message, unpack, data, size, what, err)                                         \
	({                                                                                         \
		bool failed_ = false;                                                              \
		ProtobufCAllocator with_ = { tfr_unpack_alloc, tfr_unpack_free, &failed_ };        \
		*(message) = unpack(&with_, (size), (data));                                       \
		*(message) ? TFR_OK                                                                \
		: failed_  ? tfr_fail_nomem((err), "parsing a record")                             \
			   : tfr_fail((err), TFR_EDATA, "%s", (what));                              \
	})

#endif
