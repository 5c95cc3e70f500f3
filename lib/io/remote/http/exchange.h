/* io/remote/http/exchange.h - requests and their answers.
 *
 * A request is repeated on 408, 429, 500, 502, 503, 504, time-outs and broken connections, with
 * exponential back-off, jitter and the server's Retry-After; on an expired token and a wrong region
 * once more with the right one.  Each attempt is signed anew.  All of it ends after the time-out of
 * tfr_remote_opts without progress. */
#ifndef TFR_IO_REMOTE_HTTP_EXCHANGE_H
#define TFR_IO_REMOTE_HTTP_EXCHANGE_H

#include "io/remote/store.h"

enum { TFR_ETAG = 136, TFR_ERROR_CODE = 64, TFR_UPLOAD_ID = 1100 };

struct tfr_answer {
	long status;		   /* of HTTP; 0: there was no answer */
	char code[TFR_ERROR_CODE]; /* the error code of a store: "NoSuchKey"; "" if there is none */
	char etag[TFR_ETAG];	   /* with its quotes; "" if there is none */
	int64_t mtime;		   /* Last-Modified, seconds since 1970; 0: unknown */
	uint64_t length;	   /* Content-Length; UINT64_MAX: unknown */
	uint64_t first, last, total; /* Content-Range: of the first and last byte, and of the
				object; UINT64_MAX: unknown */
	bool ranges;		     /* the server accepts ranges, as far as it says */
	bool encoded;		     /* a Content-Encoding other than identity */
	unsigned attempts;	     /* how often the request was sent */
	uint32_t crc32c;	     /* of the object, if `has_crc32c` */
	bool has_crc32c;
	struct tfr_buf body; /* of tfr_exchange() */
};

/* The body of a request: memory, or a part of a file. */
struct tfr_request_body {
	const void *data;
	int fd; /* with `data` NULL: from `offset` on */
	uint64_t offset;
	size_t size;
};

/* Sends a request and waits for the answer, which is kept in memory: up to `most` bytes of it, and
 * more is an error.  `content` may be NULL.
 *   TFR_OK    2xx
 *   TFR_END   404: err is not filled
 *   others    err is filled; a->status and a->code say more
 * Clear the answer in any case. */
enum tfr_status tfr_exchange(struct tfr_store *s, const struct tfr_call *call,
	const struct tfr_request_body *content, size_t most, struct tfr_answer *a,
	struct tfr_error *err);
void tfr_answer_clear(struct tfr_answer *a);

#endif
