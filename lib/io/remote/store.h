/* io/remote/store.h - stores: one row per scheme, and what a request to a bucket needs.
 *
 * A URL as a user writes it names a store, a bucket and a key.  Everything after "s3://bucket/" or
 * "gs://bucket/" is the key as it is, with '?', '#', '%' and "//"; a web address is sent as it is
 * written, without its fragment.
 *
 * struct tfr_store belongs to one bucket of one scheme (of a web server: to its scheme, host and
 * port), lives as long as the process, and is found again by each request. */
#ifndef TFR_IO_REMOTE_STORE_H
#define TFR_IO_REMOTE_STORE_H

#include <stdatomic.h>

#include <curl/curl.h>

#include <tfr/remote.h>

#include "base/buf.h"
#include "base/error.h"
#include "io/remote/address.h"
#include "io/remote/credentials.h"

struct tfr_store;

enum tfr_store_kind { TFR_STORE_HTTP, TFR_STORE_S3, TFR_STORE_GS };

struct tfr_query { /* one parameter, unencoded; value NULL: "?uploads" */
	const char *name, *value;
};

/* A request as the rooms above think of it. */
struct tfr_call {
	const char *method; /* "GET" */
	const char *key;    /* "" for the bucket; of a web server: path and query as written */
	const struct tfr_query *query; /* n_query of them */
	size_t n_query;
	const char *const *headers; /* "Range: bytes=0-9"; n_headers of them.  They are signed. */
	size_t n_headers;
	bool empty; /* no body; the signature of a request with one does not include it */
};

/* What is sent.  Clear it with tfr_sending_clear(). */
struct tfr_sending {
	char *url; /* "https://bucket.s3.eu-west-1.amazonaws.com/a%20b?partNumber=1" */
	struct curl_slist *headers; /* all of them, with those of the call and the signature */
	bool netrc; /* for the row http: libcurl takes user name and password from ~/.netrc */
	const char *ca_file;	 /* belongs to the store; NULL: the system's */
	char region[TFR_REGION]; /* that it is signed for */
};

/* Finds the store of a URL.  *key points into `url`.  The first use resolves endpoint, region and
 * the source of credentials, without a request.  TFR_EUSAGE: not a URL that can be used, such as a
 * bucket with an invalid name; credentials that are configured but not supported. */
enum tfr_status tfr_store_find(
	struct tfr_store **s, const char *url, const char **key, struct tfr_error *err);
enum tfr_store_kind tfr_store_kind(const struct tfr_store *s);
/* "s3://bucket/key" for messages, without the query; in `text`, which is returned. */
char *tfr_store_show(const struct tfr_store *s, const char *key, char *text, size_t size);
/* The endpoint of a bucket, "https://host[:port][/path]"; "": that of AWS. */
void tfr_store_endpoint(struct tfr_store *s, char *text, size_t size);
/* Fills `out` for one attempt at a call.  Credentials are fetched or refreshed if they expire
 * within five minutes, which may wait for another server. */
enum tfr_status tfr_store_sign(struct tfr_store *s, const struct tfr_call *call,
	struct tfr_sending *out, struct tfr_error *err);
void tfr_sending_clear(struct tfr_sending *s);
/* Wipes and frees header fields, which have secrets. */
void tfr_headers_free(struct curl_slist *headers);
/* As tfr_remote_authorize(). */
enum tfr_status tfr_store_authorize(const char *url, const char *header, struct tfr_error *err);
/* The server did not accept the credentials because they have expired: the next tfr_store_sign()
 * gets new ones.  False: there are none to be had. */
bool tfr_store_expired(struct tfr_store *s);
/* The server named the region of the bucket (header x-amz-bucket-region, or <Region> of the error)
 * to a request that was signed for `used`.  False: it is the same. */
bool tfr_store_region(struct tfr_store *s, const char *used, const char *region);
/* Fetches or renews credentials if that is due, so that the thread of the engine, which signs, need
 * not wait for the service that gives them. */
enum tfr_status tfr_store_prepare(struct tfr_store *s, struct tfr_error *err);
/* Whether the requests are signed, for hints at 401 and 403. */
bool tfr_store_anonymous(const struct tfr_store *s);
/* What answers have shown of the server.  Any thread may change it. */
struct tfr_store_shown {
	atomic_bool unverified;	   /* it does not compare the CRC-32C that is sent with a body */
	atomic_bool unconditional; /* it does not know conditional writes */
	/* It has answered lately: a refused connection is a restart, and no misspelt address. */
	atomic_bool reached;
};
struct tfr_store_shown *tfr_store_shown(struct tfr_store *s);
/* What to do about an answer 401 or 403 with the server's error code `code`, in whole sentences. */
void tfr_store_hint(
	const struct tfr_store *s, long http_status, const char *code, struct tfr_error *err);

/* Process-wide, as tfr_remote_opts. */
void tfr_stores_set(const struct tfr_remote_opts *opts);

/* --- hidden queries ---
 *
 * A query is often a signature that gives access.  Such an address is exchanged where it comes in,
 * for one without the secret: "https://HOST/x?SIGNATURE" becomes "https://HOST/x?hidden-1", and the
 * real query is put back into requests for it and for other files of its folder. */

/* *shown: the address without its query, which the caller frees; NULL: it has none. */
enum tfr_status tfr_hide_query(const char *url, char **shown, struct tfr_error *err);

#endif
