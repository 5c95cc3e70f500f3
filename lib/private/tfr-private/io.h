/* tfr-private/io.h - what a program that writes files with libtfr must know about them: they appear
 * complete or not at all.
 *
 * An output gets its name when it is complete and on disk.  Until then it has no name where the
 * file system allows that; else it is `.NAME.tmp` beside its target.  A set has a lock file as well
 * (tfr-records(5), PUBLISHING).  A program that dies of a signal leaves such files behind unless
 * its handler removes them, which is what struct tfr_temporaries is for: the library notes each of
 * them in it, and tfr_temporaries_unlink() may be called from a signal handler.  While files are
 * being published, the handler waits until their names have changed. */
#ifndef TFR_PRIVATE_IO_H
#define TFR_PRIVATE_IO_H

#include <tfr-private/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_object;
struct stat;
struct tfr_temporaries;

/* Whether `path` begins with http://, https://, s3:// or gs://. */
bool tfr_is_url(const char *path);
/* *shown: a web address without its query, to be used in its place, which the caller frees; NULL:
 * there is nothing to hide.  TFR_EUSAGE: it has a user name or a password. */
enum tfr_status tfr_hide_secrets(const char *path, char **shown, struct tfr_error *err);
/* For objects that are opened after it: reading them fails with TFR_ECANCELLED within a second
 * after *stop has become true, whether the server answers or not. */
void tfr_objects_stop(const volatile bool *stop);
/* Sends `header`, "Authorization: ...", with each request to the scheme, host and port of `url`,
 * and to no other.  The process keeps it. */
enum tfr_status tfr_remote_authorize(const char *url, const char *header, struct tfr_error *err);
/* As stat(), for a path or a URL.  A prefix of a bucket that has objects is a directory; st_ino and
 * st_dev of an object are equal as long as it is not replaced.  A server's fault gives EIO,
 * and its refusal EACCES. */
int tfr_stat(const char *path, struct stat *st);

/* Reads a file of at most `most` bytes that is one JSON array or object, nested at most `depth`
 * deep.  The caller releases *doc with json_object_put().  `doing` is for the error when memory
 * runs out.  TFR_EDATA: it is not JSON; the message says why, without the path. */
enum tfr_status tfr_json_read_file(struct json_object **doc, const char *path, size_t most,
	unsigned depth, const char *doing, struct tfr_error *err);

/* NULL: out of memory. */
struct tfr_temporaries *tfr_temporaries_new(void);
/* Only when no output that was opened with it is open any more.  Accepts NULL. */
void tfr_temporaries_free(struct tfr_temporaries *t);
/* Removes every temporary file that exists now, and aborts uploads.  Async-signal-safe; waits at
 * most two seconds for servers.  The process is expected to end afterwards.  Returns the names of
 * the uploads that could not be aborted, "" if there are none. */
const char *tfr_temporaries_unlink(struct tfr_temporaries *t);
/* Aborts all uploads of the process, because it ends.  Async-signal-safe, and waits at most two
 * seconds; `patient`: neither, but waits a few seconds more for the aborts under way.  Returns the
 * names of those that remain, "" if there are none. */
const char *tfr_objects_abort(bool patient);

/* A file that is still being written, or a FIFO, as its reader sees it. */
struct tfr_growing {
	/* Called when nothing more is there for now, again and again; it is to sleep a while.
	 * TFR_OK: look again; TFR_END: take this for the end; anything else fails the read. */
	enum tfr_status (*wait)(void *ctx, struct tfr_error *err);
	void *ctx;
};

#ifdef __cplusplus
}
#endif

#endif
