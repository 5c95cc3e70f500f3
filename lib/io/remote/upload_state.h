/* io/remote/upload_state.h - the members of an upload, for the files that implement it: upload.c
 * collects and sends parts, upload_complete.c makes the object appear. */
#ifndef TFR_IO_REMOTE_UPLOAD_STATE_H
#define TFR_IO_REMOTE_UPLOAD_STATE_H

#include <pthread.h>

#include "io/remote/http/engine.h"
#include "io/remote/upload.h"

struct tfr_upload_part {
	struct tfr_upload_part *next; /* in flight */
	struct tfr_upload *u;
	struct tfr_request *request;
	struct tfr_pile pile;
	unsigned number; /* from 1 */
	uint32_t crc;
	bool with_md5, ended;
	enum tfr_status status;
	struct tfr_answer answer;
	struct tfr_error err;
};

/* A part that the server has. */
struct tfr_sent_part {
	char etag[TFR_ETAG];
	uint32_t crc;
};

struct tfr_upload {
	struct tfr_upload *next, **back; /* in the list of all that have an id */
	struct tfr_store *store;
	char *url;
	const char *key; /* in `url` */
	bool force, sealed, complete;
	size_t part_size;
	struct tfr_pile pile;	/* the part that fills */
	uint32_t crc;		/* of it */
	uint64_t size;		/* of all */
	char id[TFR_UPLOAD_ID]; /* "": not begun */
	struct tfr_sent_part *sent;
	size_t cap;
	unsigned parts;
	struct tfr_upload_part *flying;
	unsigned in_flight;
	struct stat st;
	pthread_mutex_t lock;
	pthread_cond_t landed;
};

/* "x-amz-checksum-crc32c: AAAAAA==" or "x-goog-hash: crc32c=AAAAAA==". */
void tfr_upload_checksum(const struct tfr_upload *u, uint32_t crc, char *text, size_t size);
/* Takes it off the list of those that a signal aborts. */
void tfr_upload_forget(struct tfr_upload *u);
/* Requests that abort the uploads of that list; the caller frees the array. */
struct tfr_request_opts *tfr_uploads_aborts(size_t *n);
/* Begins a multipart upload. */
enum tfr_status tfr_upload_begin(struct tfr_upload *u, struct tfr_error *err);

#endif
