/* io/remote/http/answer.h - parses the header of an answer. */
#ifndef TFR_IO_REMOTE_HTTP_ANSWER_H
#define TFR_IO_REMOTE_HTTP_ANSWER_H

#include "io/remote/http/engine.h"

/* What the engine keeps of an answer beside struct tfr_answer. */
struct tfr_answer_notes {
	char request_id[96];
	char region[40];    /* x-amz-bucket-region */
	char reason[64];    /* of the status line */
	bool chunked;	    /* a body that says its end */
	double retry_after; /* seconds; negative: the server does not say */
	size_t header_bytes;
};

/* Takes one line of the header; a status line begins anew.  False: a line that is malformed or a
 * header that is too long, and the connection is closed. */
bool tfr_answer_line(
	struct tfr_answer *a, struct tfr_answer_notes *n, const char *line, size_t size);

#endif
