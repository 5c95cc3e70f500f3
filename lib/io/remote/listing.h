/* io/remote/listing.h - lists objects, prefixes and unfinished uploads of a bucket. */
#ifndef TFR_IO_REMOTE_LISTING_H
#define TFR_IO_REMOTE_LISTING_H

#include "io/object.h"
#include "io/remote/http/engine.h"

/* As tfr_object_module.list(), for the objects whose keys begin with `prefix`, such as "" or
 * "a/b/", which names leave out.  `most` ends the listing after that many entries; 0: none. */
enum tfr_status tfr_listing(struct tfr_store *s, const char *prefix, bool deep, size_t most,
	tfr_object_each *each, void *ctx, struct tfr_error *err);
/* As tfr_object_module.uploads(). */
enum tfr_status tfr_listing_uploads(struct tfr_store *s, const char *prefix, tfr_upload_each *each,
	void *ctx, struct tfr_error *err);

/* As tfr_object_module.list(); what is directly below a prefix is remembered for a few seconds. */
enum tfr_status tfr_list_objects(
	const char *url, bool deep, tfr_object_each *each, void *ctx, struct tfr_error *err);
/* Forgets all listings, because this process changes an object. */
void tfr_listed_forget(void);

#endif
