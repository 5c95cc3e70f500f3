/* io/object.h - objects behind URLs: what the module "remote" does for this room.
 *
 * An object is a named, immutable sequence of bytes in a bucket (s3://, gs://) or on a web server
 * (http://, https://).  A store has no folders; as in every tool for buckets, a prefix that ends
 * in '/' is taken for one.  All functions may be called from any thread.  Errors name the URL
 * without secrets, the status and message of the server and its id of the request, and give a hint.
 *
 * All requests of a process share two threads with their connections, and one budget of memory
 * (io/remote/http/engine.c).  A forked child starts anew. */
#ifndef TFR_IO_OBJECT_H
#define TFR_IO_OBJECT_H

#include <sys/stat.h>

#include <tfr-private/io.h>
#include <tfr/remote.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_object; /* an object that is being read */
struct tfr_upload; /* an object that is being written */

/* One name in a prefix, or one object that matches. */
struct tfr_object_entry {
	const char *name;      /* relative to the prefix, without a trailing '/' */
	const struct stat *st; /* as tfr_object_module.look() fills it */
};

/* Returning anything but TFR_OK ends the listing with that status; TFR_END ends it well. */
typedef enum tfr_status tfr_object_each(
	void *ctx, const struct tfr_object_entry *entry, struct tfr_error *err);

struct tfr_upload_opts {
	bool force;    /* replace an existing object */
	uint64_t size; /* the expected size, which decides by what pieces it is sent; 0: unknown */
};

/* An upload that was begun at `began`, in seconds since 1970. */
typedef enum tfr_status tfr_upload_each(
	void *ctx, const char *url, const char *id, int64_t began, struct tfr_error *err);

struct tfr_object_module {
	/* Process-wide settings.  Before the first of the other calls, or when nothing is open. */
	enum tfr_status (*set)(const struct tfr_remote_opts *opts, struct tfr_error *err);
	void (*statistics)(struct tfr_remote_statistics *s);

	/* --- names --- */

	/* *shown: the address without its query, which is used in its place and which the caller
	 * frees; NULL: it has none. */
	enum tfr_status (*hide)(const char *url, char **shown, struct tfr_error *err);
	/* As tfr_objects_stop(); accepts NULL. */
	void (*stop)(const volatile bool *stop);
	/* As tfr_remote_authorize(). */
	enum tfr_status (*authorize)(const char *url, const char *header, struct tfr_error *err);

	/* Fills st_mode (S_IFREG, or S_IFDIR for a prefix with objects), st_size, st_mtim, and
	 * st_dev and st_ino, which are hashes of the bucket and of the ETag: equal as long as the
	 * object is not replaced.  TFR_END: there is nothing of that name. */
	enum tfr_status (*look)(const char *url, struct stat *st, struct tfr_error *err);
	/* Lists the objects and prefixes directly below `url`, or with `deep` all objects below it
	 * with names such as "a/b.jpg", each once and in no particular order.  An unknown prefix
	 * has no entries.  Web servers cannot list: TFR_EUSAGE with a hint. */
	enum tfr_status (*list)(const char *url, bool deep, tfr_object_each *each, void *ctx,
		struct tfr_error *err);
	/* TFR_OK also if nothing has that name. */
	enum tfr_status (*remove)(const char *url, struct tfr_error *err);

	/* --- reading --- */

	/* TFR_ESYS with ENOENT: there is nothing of that name.  All reads are of the object that
	 * was there at that time: a replacement is an error. */
	enum tfr_status (*open)(struct tfr_object **o, const char *url, struct tfr_error *err);
	void (*close)(struct tfr_object *o); /* accepts NULL; ends its requests */
	/* As fstat().  st_size is -1 if the server does not say. */
	const struct stat *(*stat)(const struct tfr_object *o);
	/* Whether any position can be read; otherwise only from start to end. */
	bool (*seekable)(const struct tfr_object *o);
	/* Reads available bytes at `position`, at least 1; *got == 0: the end.  One thread at a
	 * time. What follows is fetched ahead; a position within that is served from it, and
	 * another one ends it. */
	enum tfr_status (*read)(struct tfr_object *o, uint64_t position, void *buf, size_t size,
		size_t *got, struct tfr_error *err);
	/* Reads `size` bytes, or fewer at the end, by a request of its own.  Any thread. */
	enum tfr_status (*read_at)(struct tfr_object *o, uint64_t position, void *buf, size_t size,
		size_t *got, struct tfr_error *err);
	/* Whether reading `ahead` bytes on from `position` costs less than a request for what
	 * follows them. */
	bool (*reads_on)(const struct tfr_object *o, uint64_t position, uint64_t ahead);

	/* Starts to fetch a small object of `size` bytes, or of unknown size if that is 0, that
	 * fetched() will ask for soon, many at once. False: there is no room for it now. */
	bool (*prefetch)(const char *url, uint64_t size);
	/* The bytes of an object of up to `most` bytes, by one request; *data is the caller's to
	 * free(). TFR_END: it is larger, and *size says how large.  `st` may be NULL. */
	enum tfr_status (*fetch)(const char *url, size_t most, void **data, size_t *size,
		struct stat *st, struct tfr_error *err);

	/* --- writing --- */

	/* Nothing is asked for yet: without `force`, TFR_EEXIST comes from the first piece or from
	 * completion if there is such an object. */
	enum tfr_status (*upload)(struct tfr_upload **u, const char *url,
		const struct tfr_upload_opts *opts, struct tfr_error *err);
	enum tfr_status (*write)(
		struct tfr_upload *u, const void *data, size_t size, struct tfr_error *err);
	/* Waits until the server has everything but the completion: nothing can be written any
	 * more. */
	enum tfr_status (*seal)(struct tfr_upload *u, struct tfr_error *err);
	/* The object appears.  TFR_EEXIST as above, if it appeared meanwhile. */
	enum tfr_status (*complete)(struct tfr_upload *u, struct tfr_error *err);
	/* The identity of the object, once it is complete; before that its size only. */
	const struct stat *(*uploaded)(const struct tfr_upload *u);
	/* Ends an upload; begins to abort it unless it is complete.  Accepts NULL. */
	void (*end)(struct tfr_upload *u);
	/* As tfr_objects_abort(). */
	const char *(*abort)(bool patient);
	/* Lists the uploads that were begun below a prefix and neither completed nor aborted. */
	enum tfr_status (*uploads)(
		const char *url, tfr_upload_each *each, void *ctx, struct tfr_error *err);
	/* The endpoint of a bucket, for other tools; "" if they find it by themselves. */
	void (*endpoint)(const char *url, char *text, size_t size);
};

/* TFR_EUSAGE: a URL that is served has a user or a password, or no host.  Neither is in the
 * message. */
enum tfr_status tfr_url_check(const char *url, struct tfr_error *err);

/* Opens the module for `url`.  TFR_EUSAGE: it has a user name or a password.  TFR_EUNAVAILABLE: not
 * built, or libcurl is not installed. */
enum tfr_status tfr_objects(
	const struct tfr_object_module **calls, const char *url, struct tfr_error *err);

#endif
