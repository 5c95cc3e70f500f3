/* io/output.h - a file or an object that appears complete or not at all; or a stream (standard
 * output, a FIFO, a device) that cannot.
 *
 * open, write, seal (everything is on disk), publish (it has its name).  Closing it before it is
 * published removes it.  Where the file system can, the file has no name until then; its temporary
 * names are those of tfr-records(5), PUBLISHING. */
#ifndef TFR_IO_OUTPUT_H
#define TFR_IO_OUTPUT_H

#include <sys/stat.h>
#include <sys/uio.h>

#include <tfr-private/io.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_output;

struct tfr_output_opts {
	bool force;			     /* replace an existing file */
	struct tfr_temporaries *temporaries; /* NULL: no handler cleans up after a signal */
	/* The temporary is called after this and not after `path`, which may then be NULL: the file
	 * gets its name by tfr_output_name(). */
	const char *temporary;
	/* The descriptor is closed after every write, which releases the lock: for the many files
	 * of a set, whose target is locked (shard/publication.h). */
	bool brief;
	/* Continues the temporary that tfr_output_checkpoint() named in another run, after this
	 * many bytes.  TFR_EDATA: it is missing, shorter, or not a file of this user with one link.
	 * NULL: a new file. */
	const uint64_t *resume;
	uint64_t token; /* with `resume`: what the checkpoint returned */
	/* With `resume`, of a file that was sealed: it may have its name already, and is that. */
	bool sealed;
	/* A dry run: refuses what could not be written, and writes nothing.  The output then is a
	 * stream that takes all bytes. */
	bool discard;
	/* Of an object: the expected size, which decides by what pieces it is sent; 0: unknown. */
	uint64_t expected;
};

/* "-" is standard output; an existing FIFO or device is written directly.  TFR_EEXIST: the target
 * exists. */
enum tfr_status tfr_output_open(struct tfr_output **o, const char *path,
	const struct tfr_output_opts *opts, struct tfr_error *err);
enum tfr_status tfr_output_write(
	struct tfr_output *o, const void *data, size_t size, struct tfr_error *err);
/* Writes all pieces in order and modifies `pieces`. */
enum tfr_status tfr_output_writev(
	struct tfr_output *o, struct iovec *pieces, int n, struct tfr_error *err);
/* Forces the bytes so far to disk, under a temporary name by which another run may continue.
 * That name contains *token.  Not of an object, whose upload ends with its process. */
enum tfr_status tfr_output_checkpoint(struct tfr_output *o, uint64_t *token, struct tfr_error *err);
/* Announces a pause: the system begins to write the bytes to disk, and from now on the descriptor
 * is closed after every use. */
enum tfr_status tfr_output_rest(struct tfr_output *o, struct tfr_error *err);
/* Keeps the temporary file of a checkpoint when the output is closed or a signal comes, for a run
 * that resumes. */
void tfr_output_keep(struct tfr_output *o);
/* Sets the file's name. */
enum tfr_status tfr_output_name(struct tfr_output *o, const char *path, struct tfr_error *err);
/* Forces the bytes to disk.  Nothing can be written afterwards. */
enum tfr_status tfr_output_seal(struct tfr_output *o, struct tfr_error *err);
/* Closes the descriptor of a sealed file, which releases its lock.  It can still be published. */
enum tfr_status tfr_output_release(struct tfr_output *o, struct tfr_error *err);
/* Gives the sealed file its name, replacing an existing file only with `force`. */
enum tfr_status tfr_output_publish(struct tfr_output *o, struct tfr_error *err);
/* The two steps of publishing, for a file that is published with others.  The first can fail for
 * lack of space or memory.  The second gives the name without waiting for a signal handler.
 * `replace` stands for `force`. */
enum tfr_status tfr_output_prepare(struct tfr_output *o, struct tfr_error *err);
enum tfr_status tfr_output_place(struct tfr_output *o, bool replace, struct tfr_error *err);
/* Notes that the published name was removed again. */
void tfr_output_displaced(struct tfr_output *o);
/* A file of its own for `size` bytes, from opening to publishing, its name on disk. */
enum tfr_status tfr_output_whole(const char *path, const struct tfr_output_opts *opts,
	const void *data, size_t size, struct tfr_error *err);
void tfr_output_close(struct tfr_output *o);
/* The inode number, size and modification time of the sealed file.  All 0 for a stream. */
const struct stat *tfr_output_stat(const struct tfr_output *o);
/* st_mtim in nanoseconds since 1970. */
uint64_t tfr_stat_mtime(const struct stat *st);
/* The final name of the file, and the temporary name by which another run may continue it, or
 * NULL. Both belong to the output. */
const char *tfr_output_path(const struct tfr_output *o);
const char *tfr_output_temporary(const struct tfr_output *o);
bool tfr_output_is_file(const struct tfr_output *o); /* not a stream */
/* An object behind a URL: it is complete when it is placed, replaces an existing one in that step,
 * and has no temporary. */
bool tfr_output_is_object(const struct tfr_output *o);
bool tfr_output_replaces(const struct tfr_output *o); /* with `force` */

/* For callers with a descriptor of their own: writes everything at `offset`, or at the descriptor's
 * position if that is negative.  False: errno is set. */
bool tfr_fd_write(int fd, const void *data, size_t size, int64_t offset);
/* Forces the names in the directory of `path` to disk. */
enum tfr_status tfr_sync_directory_of(const char *path, struct tfr_error *err);

#endif
