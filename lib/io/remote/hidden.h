/* io/remote/hidden.h - keeps queries of web addresses out of everything that is printed or written.
 *
 * A query is often a signature that gives access.  Such an address is exchanged where it comes in,
 * for one without the secret: "https://HOST/x?SIGNATURE" becomes "https://HOST/x?hidden-1", and the
 * real query is put back into the request.  The process keeps both. */
#ifndef TFR_IO_REMOTE_HIDDEN_H
#define TFR_IO_REMOTE_HIDDEN_H

#include "io/remote/store.h"

/* *shown: the address without its query, which the caller frees; NULL: it has none. */
enum tfr_status tfr_hide_query(const char *url, char **shown, struct tfr_error *err);
/* The query that begins at `text`, after '?', if it is "hidden-N"; otherwise NULL.  It belongs to
 * the process. */
const char *tfr_hidden_query(const char *text);

#endif
