/* io/remote/object_state.h - an object that is being read, for the files that implement it:
 * object_reader.c reads in order, object_ranges.c asks for ranges and takes the answers,
 * object_read_at.c reads at any position. */
#ifndef TFR_IO_REMOTE_OBJECT_STATE_H
#define TFR_IO_REMOTE_OBJECT_STATE_H

#include <pthread.h>

#include "io/remote/http/engine.h"
#include "io/remote/object_reader.h"

/* A range that was asked for.  Its bytes up to `filled` do not change until the caller has taken
 * them. */
struct tfr_object_range {
	struct tfr_object_range *next;
	struct tfr_object *o;
	struct tfr_request *request;
	uint64_t first;
	size_t size, cap;	  /* bytes asked for; of the buffer */
	_Atomic uint64_t filled;  /* bytes that came */
	_Atomic uint64_t awaited; /* those that the caller waits for; 0: it does not */
	uint64_t taken;		  /* bytes that the caller has read */
	bool full;		  /* the request is paused */
	bool ended;
	enum tfr_status status;
	struct tfr_error err;
	uint8_t *data;
};

struct tfr_object {
	struct tfr_store *store;
	char *url;
	const char *key; /* in `url` */
	pid_t pid;
	/* For what the threads change that run libcurl, but for what is atomic. */
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	struct tfr_object_range *head, **tail; /* those under way or not read yet, in order */
	struct tfr_object_range *spare;	       /* with buffers for the next ones */
	uint64_t next;			       /* the first byte that was not asked for */
	uint64_t position;		       /* of the next read, if it reads on */
	_Atomic unsigned in_flight;	       /* ranges whose request has not ended */
	unsigned reads_in_a_row;
	bool known;    /* the first answer came */
	bool whole;    /* the server ignores ranges */
	bool resident; /* all of it is in the first range, which stays */
	bool ahead;    /* counted among the readers that share the budget */
	uint64_t size; /* UINT64_MAX: unknown */
	char if_match[TFR_ETAG + 16];
	char etag[TFR_ETAG];
	int64_t mtime;
	struct stat st;
	/* The number of ranges in flight: */
	unsigned target;
	double best, rate;     /* bytes per second: the best so far, and the last */
	uint64_t since;	       /* nanoseconds */
	_Atomic uint64_t came; /* bytes since then */
};

enum { TFR_RANGE = 8 << 20 };

/* Asks for the next `size` bytes. */
enum tfr_status tfr_ranges_ask(struct tfr_object *o, size_t size, struct tfr_error *err);
/* Asks for as many ranges as pays; the caller reads on. */
enum tfr_status tfr_ranges_ask_ahead(struct tfr_object *o, struct tfr_error *err);
/* Ends the request of the first range, and keeps its buffer if that is of use. */
void tfr_ranges_drop_head(struct tfr_object *o);
/* The same for all of them, without a buffer. */
void tfr_ranges_forget(struct tfr_object *o);
/* Counts the object among the readers that share the budget, or no longer. */
void tfr_ranges_share(struct tfr_object *o, bool ahead);

/* Whether the answer is of the object that was opened. */
bool tfr_object_is_same(const struct tfr_object *o, const struct tfr_answer *a);
enum tfr_status tfr_object_replaced(const struct tfr_object *o, struct tfr_error *err);
/* `what` is followed by the URL. */
enum tfr_status tfr_object_wrong(
	const struct tfr_object *o, const char *what, struct tfr_error *err);
/* Why the first range ended without the bytes that were awaited. */
enum tfr_status tfr_object_why_ended(const struct tfr_object *o, struct tfr_error *err);

#endif
