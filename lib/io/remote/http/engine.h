/* io/remote/http/engine.h - requests under way, on the threads of the process that run libcurl.
 *
 * The functions of a request are called on such a thread and must not wait.  tfr_request_end() may
 * be called at any time, and after it none of them is called any more.
 *
 * A request is repeated on 408, 429, 500, 502, 503, 504, time-outs and broken connections, with
 * exponential back-off, jitter and the server's Retry-After; on an expired token and a wrong region
 * once more with the right one.  Each attempt is signed anew.  All of it ends after the time-out of
 * tfr_remote_opts without progress. */
#ifndef TFR_IO_REMOTE_HTTP_ENGINE_H
#define TFR_IO_REMOTE_HTTP_ENGINE_H

#include <pthread.h>

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
	char mark[20];	     /* that an upload of ours has given the object; "": none */
	struct tfr_buf body; /* of tfr_exchange() */
};

/* The body of a request: memory, or a part of a file. */
struct tfr_request_body {
	const void *data;
	int fd; /* with `data` NULL: from `offset` on */
	uint64_t offset;
	size_t size;
};

struct tfr_request;

struct tfr_request_opts {
	struct tfr_store *store;
	const struct tfr_call *call; /* copied, with everything that it points to */
	struct tfr_request_body content;
	/* Asks for the bytes from `first` to `last`.  A broken connection is continued with the
	 * rest of them, and `head` compares the two answers.  A server that refuses or ignores a
	 * range from the beginning sends everything. */
	bool ranged;
	uint64_t first, last;
	/* Without it, the request is repeated from its start, and this, where `take` collects the
	 * body, is emptied. */
	struct tfr_buf *body;
	/* The answer may take as long as the time-out, and single bytes keep it alive. */
	bool patient;
	/* It has no owner: it is freed after `done`. */
	bool detached;

	void *ctx;
	/* The header of an answer 2xx, of each attempt; may be NULL.  A status other than TFR_OK
	 * ends the request. */
	enum tfr_status (*head)(void *ctx, const struct tfr_answer *a, struct tfr_error *err);
	/* A piece of its body.  TFR_END: the request pauses, and the piece comes again after
	 * tfr_request_resume(). */
	enum tfr_status (*take)(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err);
	/* The end, once; may be NULL.  TFR_END: 404.  `err` is filled if the status is another
	 * failure. */
	void (*done)(void *ctx, enum tfr_status status, const struct tfr_answer *a,
		const struct tfr_error *err);
};

enum tfr_status tfr_request_start(
	struct tfr_request **t, const struct tfr_request_opts *opts, struct tfr_error *err);
void tfr_request_resume(struct tfr_request *t);
bool tfr_request_ended(struct tfr_request *t);
/* Waits for the end; the status is that of `done`.  *a, which may be NULL, is a copy without a
 * body. */
enum tfr_status tfr_request_wait(
	struct tfr_request *t, struct tfr_answer *a, struct tfr_error *err);
/* Cancels it if it has not ended, and frees it.  Accepts NULL.  Not on a thread that runs
 * libcurl. */
void tfr_request_end(struct tfr_request *t);

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
#define TFR_AUTO_ANSWER __attribute__((cleanup(tfr_answer_clear))) struct tfr_answer

/* Locks for a thread of an engine.  False: the process ends, and a signal handler may have
 * interrupted the thread that holds the lock, which never continues. */
bool tfr_engine_lock(pthread_mutex_t *lock);

/* Settings of the process: once *stop is true, requests for ranges end with TFR_ECANCELLED. */
void tfr_engine_stop(const volatile bool *stop);
void tfr_engine_set(const struct tfr_remote_opts *opts);
const struct tfr_remote_opts *tfr_engine_opts(void);

#endif
