/* io/remote/upload.h - objects that are written. */
#ifndef TFR_IO_REMOTE_UPLOAD_H
#define TFR_IO_REMOTE_UPLOAD_H

#include "io/object.h"
#include "io/remote/pile.h"

enum { TFR_PARTS_MOST = 10000 };

enum tfr_status tfr_upload_open(struct tfr_upload **u, const char *url,
	const struct tfr_upload_opts *opts, struct tfr_error *err);
enum tfr_status tfr_upload_write(
	struct tfr_upload *u, const void *data, size_t size, struct tfr_error *err);
enum tfr_status tfr_upload_seal(struct tfr_upload *u, struct tfr_error *err);
enum tfr_status tfr_upload_complete(struct tfr_upload *u, struct tfr_error *err);
const struct stat *tfr_upload_stat(const struct tfr_upload *u);
void tfr_upload_end(struct tfr_upload *u);
/* As tfr_object_module.abort(). */
const char *tfr_uploads_abort(bool patient);
/* For it: waits a few seconds for the aborts under way.  Whether uploads are left. */
bool tfr_uploads_left(void);
/* For it, on the thread of the engine: the requests that abort them. */
void tfr_uploads_aborts(void (*each)(void *ctx, const struct tfr_request_opts *opts), void *ctx);
/* In a forked child: they are its parent's. */
void tfr_uploads_forget(void);

#endif
