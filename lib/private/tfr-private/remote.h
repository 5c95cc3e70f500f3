/* tfr-private/remote.h - settings and measurements of requests to stores and web servers. */
#ifndef TFR_PRIVATE_REMOTE_H
#define TFR_PRIVATE_REMOTE_H

#include <tfr-private/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	TFR_REMOTE_CONNECTIONS = 32, /* the most that are used by default */
	TFR_REMOTE_TIMEOUT = 60,     /* seconds */
};

/* All requests of a process share these.  Every member may be 0. */
struct tfr_remote_opts {
	bool anonymous;	      /* sign nothing, look for no credentials */
	unsigned connections; /* at most this many at once */
	double timeout;	      /* seconds without a byte after which a request is repeated, and after
				 which, counted over all its repetitions, it fails */
	uint64_t part_size;   /* of an upload; 0: by the size of the object */
	uint64_t memory;      /* for the parts of all uploads that are in memory */
	const char *tmpdir;   /* parts beyond that are collected here */
	uint64_t read_memory; /* for what is read ahead in all objects */
};

/* Sums over the process since its start, or since the last reset. */
struct tfr_remote_statistics {
	uint64_t requests, retries; /* a repetition counts as both */
	uint64_t throttled;	    /* answers 429 and 503 */
	uint64_t bytes_in, bytes_out;
	uint64_t connections;  /* opened */
	unsigned most_at_once; /* connections in use at the same time */
	double first_byte_p50,
		first_byte_p99; /* seconds from the request to the first byte of the body */
	double connect_p50; /* seconds to open a connection, TLS included: about one to three round
			       trips */
};

/* Sets them.  Call it before anything remote is used.  TFR_OK also without the module: then every
 * later use fails.  The strings are copied. */
enum tfr_status tfr_remote_set(const struct tfr_remote_opts *opts, struct tfr_error *err);
/* All 0 if nothing remote was used. */
void tfr_remote_statistics(struct tfr_remote_statistics *s);

#ifdef __cplusplus
}
#endif

#endif
