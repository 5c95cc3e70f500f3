/* io/output.h - a file that appears whole or not at all; or a stream (standard output, a FIFO, a
 * device) that cannot.
 *
 * open → write… → seal (everything is on disk) → publish (it has its name).  Closing before
 * publishing removes it. */
#ifndef TFR_IO_OUTPUT_H
#define TFR_IO_OUTPUT_H

#include <sys/uio.h>

#include <tfr/io.h>

#include "base/error.h"

struct tfr_output;

struct tfr_output_opts {
	bool force;			     /* replace an existing file */
	struct tfr_temporaries *temporaries; /* NULL: nobody cleans up after a signal */
	/* The temporary is called after this and not after `path`, which may then be NULL: the file
	 * gets its name by tfr_output_name(). */
	const char *temporary;
	/* The descriptor is given back after every write, and with it the lock: for the many files
	 * of a set, of which the first is locked throughout. */
	bool brief;
	/* Goes on with the temporary that another run left, behind so many bytes of it, in place of
	 * an empty one.  TFR_EDATA: it is not there, or has fewer.  NULL: an empty one. */
	const uint64_t *resume;
	/* With `resume`, of a file that was sealed: it may have its name already, and is that. */
	bool sealed;
};

/* "-" is standard output; an existing FIFO or device is written directly.  TFR_EEXIST: the target
 * exists.  TFR_ESYS: also when another run is writing it. */
enum tfr_status tfr_output_open(struct tfr_output **o, const char *path,
	const struct tfr_output_opts *opts, struct tfr_error *err);
enum tfr_status tfr_output_write(
	struct tfr_output *o, const void *data, size_t size, struct tfr_error *err);
/* Writes all pieces in order; `pieces` is used up. */
enum tfr_status tfr_output_writev(
	struct tfr_output *o, struct iovec *pieces, int n, struct tfr_error *err);
/* Forces what was written so far to disk. */
enum tfr_status tfr_output_sync(struct tfr_output *o, struct tfr_error *err);
/* Nothing is written for a while: the system begins to bring the bytes to disk, and from now on the
 * descriptor is given back after every use. */
void tfr_output_rest(struct tfr_output *o);
/* The temporary is worth more than a clean folder: it is left when the output is closed or a signal
 * comes, for a run that resumes. */
void tfr_output_keep(struct tfr_output *o);
/* Says what the file is to be called. */
enum tfr_status tfr_output_name(struct tfr_output *o, const char *path, struct tfr_error *err);
/* Forces the bytes to disk.  Nothing can be written afterwards. */
enum tfr_status tfr_output_seal(struct tfr_output *o, struct tfr_error *err);
/* Closes the descriptor of a sealed file, which gives up its lock; it can still be published. */
void tfr_output_release(struct tfr_output *o);
/* Gives the sealed file its name, replacing what stood there only with `force`. */
enum tfr_status tfr_output_publish(struct tfr_output *o, struct tfr_error *err);
/* A file of its own for `size` bytes, from opening to publishing, its name on disk. */
enum tfr_status tfr_output_whole(const char *path, const struct tfr_output_opts *opts,
	const void *data, size_t size, struct tfr_error *err);
void tfr_output_close(struct tfr_output *o);
/* Modification time in nanoseconds since 1970, of the sealed file; 0 for a stream. */
uint64_t tfr_output_mtime(const struct tfr_output *o);

/* Forces the names in the directory of `path` to disk. */
enum tfr_status tfr_sync_directory_of(const char *path, struct tfr_error *err);

#endif
