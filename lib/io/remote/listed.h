/* io/remote/listed.h - remembers what is directly below a prefix, for a few seconds.
 *
 * A command that finds out what a prefix holds lists the same folders again and again. */
#ifndef TFR_IO_REMOTE_LISTED_H
#define TFR_IO_REMOTE_LISTED_H

#include "io/remote/listing.h"

/* As tfr_object_module.list(). */
enum tfr_status tfr_list_objects(
	const char *url, bool deep, tfr_object_each *each, void *ctx, struct tfr_error *err);
/* Forgets all listings, because this process changes an object. */
void tfr_listed_forget(void);

#endif
