/* io/remote/http/attempt.h - a request as the thread of the engine sees it: a series of attempts.
 */
#ifndef TFR_IO_REMOTE_HTTP_ATTEMPT_H
#define TFR_IO_REMOTE_HTTP_ATTEMPT_H

#include <stdatomic.h>
#include <sys/types.h>

#include "io/remote/http/answer.h"
#include "io/remote/http/engine.h"

/* Beside the statuses of a request that is over. */
#define TFR_ATTEMPT_AGAIN ((enum tfr_status)1000)

struct tfr_engine; /* a thread with its connections */

struct tfr_request {
	struct tfr_request *next, **back; /* in the lists of the engine */
	struct tfr_request_opts o;	  /* call and content point into `copy` */
	struct tfr_call call;
	struct tfr_buf copy;
	pid_t pid;
	atomic_bool cancel, resume; /* flags for the thread */
	struct tfr_engine *engine;
	bool ended;		/* with the engine's lock */
	enum tfr_status status; /* once it has ended */

	enum { TFR_QUEUED, TFR_ACTIVE } state;
	bool paused;
	double due;	 /* the next attempt, on the clock of the engine */
	double progress; /* when bytes came last; the first attempt counts as that */
	double window;	 /* since when bytes of the body and of the content are counted */
	uint64_t window_bytes, window_sent;
	unsigned attempts, brief; /* in all; those that did not reach a server */
	bool digest;		  /* Basic authentication was refused */
	bool renewed, moved;	  /* new credentials, another region: once each without progress */
	bool whole;		  /* no range is asked for any more */
	char etag[TFR_ETAG];	  /* of the answer that the bytes taken are from */
	uint64_t taken;		  /* bytes of the body that `take` has got, over all attempts */

	/* Of one attempt: */
	CURL *easy;
	struct tfr_sending sending;
	double began;
	uint64_t skip;		 /* bytes of the body that were already taken */
	uint64_t got;		 /* bytes of the body */
	uint64_t sent;		 /* of the content */
	bool headed;		 /* `head` was called */
	enum tfr_status refused; /* what head or take returned, or the engine found */
	struct tfr_answer answer;
	struct tfr_answer_notes notes;
	struct tfr_buf fault; /* the body of an answer other than 2xx */
	char curl_says[CURL_ERROR_SIZE];
	struct tfr_error err;
};

enum tfr_status tfr_attempts_new(
	struct tfr_request **t, const struct tfr_request_opts *opts, struct tfr_error *err);
void tfr_attempts_free(struct tfr_request *t);
/* Signs the request and prepares t->easy. */
enum tfr_status tfr_attempt_begin(struct tfr_request *t, double now);
bool tfr_attempt_stalls(const struct tfr_request *t, double now);
/* The attempt is over.  TFR_ATTEMPT_AGAIN: another one is to begin in *wait seconds; `jitter` is in
 * [0, 1).  Otherwise the status of the request; t->err is filled if that is a failure. */
enum tfr_status tfr_attempt_end(
	struct tfr_request *t, CURLcode code, double now, double jitter, double *wait);
/* Adds the attempt to the statistics, before its handle is used again. */
void tfr_attempt_measure(struct tfr_request *t);

#endif
