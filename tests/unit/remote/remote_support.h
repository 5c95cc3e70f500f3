/* tests/unit/remote/remote_support.h - an environment without the credentials of the machine, and a server
 * that answers from a table. */
#ifndef TESTS_UNIT_REMOTE_SUPPORT_H
#define TESTS_UNIT_REMOTE_SUPPORT_H

#include <stddef.h>

/* Removes every variable that the module reads.  HOME is the folder of the test. */
void clean_environment(const char *home);
/* The same, and then keys for S3 (AKID, secret) and for Google (GOOG, secret). */
void environment_with_keys(const char *home);

struct reply {
	const char *request; /* the start of the request: "GET /latest/api" */
	const char *needs;   /* a text that the request must have; NULL: none */
	int status;	     /* 0: the connection is closed without an answer */
	const char *header, *body;
	int times; /* it serves so often; 0: always */
};

/* The first row that fits a request serves it.
 *
 * Serves on a free port of the loopback until stop_serving(); the rows end with request NULL, and
 * other requests get 404.  Returns the port. */
int serve(const struct reply *replies);
/* The number of requests. */
int stop_serving(void);
/* How often row `i` served. */
int served(size_t i);

#endif
