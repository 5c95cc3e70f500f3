/* io/remote/sign.h - signatures of requests: AWS Signature Version 4, and GCS's V4 of the same
 * form.
 *
 * Sources: docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html and
 * cloud.google.com/storage/docs/authentication/signatures. */
#ifndef TFR_IO_REMOTE_SIGN_H
#define TFR_IO_REMOTE_SIGN_H

#include <time.h>

#include "base/buf.h"
#include "io/remote/store.h"

/* How the two differ. */
struct tfr_sign_scheme {
	const char *algorithm; /* "AWS4-HMAC-SHA256" */
	const char *key;       /* "AWS4", before the secret */
	const char *service, *end;
	const char *prefix; /* of header fields: "x-amz-" */
};

extern const struct tfr_sign_scheme tfr_sign_aws, tfr_sign_gcs;

struct tfr_sign_input {
	const struct tfr_sign_scheme *scheme;
	const char *method, *host;
	const char *path; /* as it is sent: percent-encoded, from '/' on */
	const struct tfr_query *query;
	size_t n_query;
	const char *const *headers; /* "Name: value" */
	size_t n_headers;
	const char *payload;		 /* SHA-256 in hexadecimal, or "UNSIGNED-PAYLOAD" */
	const char *id, *secret, *token; /* token NULL: none */
	const char *region;
	time_t time;
};

/* Appends the fields that the signature adds to the request, each a C string: the date, the hash of
 * the payload, the token and Authorization.  False: out of memory. */
bool tfr_sign(const struct tfr_sign_input *in, struct tfr_buf *fields);

/* Percent-encodes as signatures require: all bytes but letters, digits and "-._~"; '/' only if
 * `slash`.  False: out of memory. */
bool tfr_percent_encode(struct tfr_buf *to, const char *text, size_t n, bool slash);
/* Appends "?a=b&c", encoded and sorted as signed; nothing for no parameters. */
bool tfr_query_encode(struct tfr_buf *to, const struct tfr_query *query, size_t n);

#endif
