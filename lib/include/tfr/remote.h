/* tfr/remote.h - objects of stores and web servers, wherever this library takes a path.
 *
 * A path that begins with s3://, gs://, https:// or http:// names an object; tfr-remote(7)
 * describes the names, where credentials are looked for, and what a reader sees of an object that
 * is being written.  All requests of a process share one thread, one pool of connections and these
 * settings. The module that makes them is opened at the first use.  A forked child starts anew. */
#ifndef TFR_REMOTE_H
#define TFR_REMOTE_H

#include <tfr/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	TFR_REMOTE_CONNECTIONS = 32, /* the most that are used by default */
	TFR_REMOTE_TIMEOUT = 60,     /* seconds */
};

/* Every member may be 0, which is its default. */
struct tfr_remote_opts {
	bool anonymous;	      /* sign nothing, look for no credentials */
	unsigned connections; /* at most this many at once, up to 1024 */
	/* Seconds, at most 1,000,000, without progress after which a request fails, counted over
	 * its repetitions; an attempt without progress is repeated after a third of them. */
	double timeout;
	uint64_t part_size;   /* bytes, 5 MiB to 5 GiB, of the parts of an upload; 0: by its size */
	uint64_t memory;      /* bytes of parts that wait to be sent [64 MiB] */
	const char *tmpdir;   /* a folder for parts beyond that [$TMPDIR or /tmp] */
	uint64_t read_memory; /* bytes that are read ahead in all objects together [96 MiB] */
};

/* Sums over the process since its start. */
struct tfr_remote_statistics {
	uint64_t requests, retries; /* a repetition counts as both */
	uint64_t throttled;	    /* answers 429 and 503 */
	uint64_t bytes_in, bytes_out;
	uint64_t connections;  /* opened */
	unsigned most_at_once; /* requests in flight at the same time */
	/* Seconds from the end of a request to the first byte of its answer. */
	double first_byte_p50, first_byte_p99;
	double connect_p50; /* seconds to open a connection, TLS included */
};

/* Sets them for the process, while no object is open; the strings are copied.  TFR_EUSAGE: a value
 * is out of its range.  TFR_OK also in a build without the module: every later use fails then, with
 * TFR_EUNAVAILABLE. */
TFR_API enum tfr_status tfr_remote_set(const struct tfr_remote_opts *opts, struct tfr_error *err);
/* The number of bytes at the beginning of a path that may be printed and stored.  Of a URL, these
 * are the bytes before its query, which is often a signature that gives access, or only "SCHEME://"
 * if it has a user or a password.  "@" before a URL counts as one more byte; of other paths, all
 * bytes may be printed. */
TFR_API size_t tfr_path_shown(const char *path);
/* All 0 if no object was used. */
TFR_API void tfr_remote_statistics(struct tfr_remote_statistics *s);

#ifdef __cplusplus
}
#endif

#endif
