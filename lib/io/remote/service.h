/* io/remote/service.h - asks a service that gives out credentials, on the calling thread. */
#ifndef TFR_IO_REMOTE_SERVICE_H
#define TFR_IO_REMOTE_SERVICE_H

#include "base/buf.h"
#include "base/error.h"

struct tfr_service_call {
	const char *method, *url;
	const char *const *headers; /* ends with NULL; may be NULL itself */
	const char *body;	    /* of a POST */
	long milliseconds;	    /* to connect, and five times that in all */
	bool local;		    /* no proxy */
	const char *expect;	    /* a header field that an honest answer has; NULL: none */
};

/* Repeats a request that is answered with 429 or 5xx, twice.
 *
 * TFR_OK: 200, and `answer` has its body, with a NUL after it, at most 64 KiB.  TFR_END: no
 * connection.  TFR_ESYS: any other answer, of which `answer` has the body; the message names `what`
 * and has neither the body nor the headers of the call, which are secrets. */
enum tfr_status tfr_service_ask(const struct tfr_service_call *call, const char *what,
	struct tfr_buf *answer, struct tfr_error *err);

#endif
