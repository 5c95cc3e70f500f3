/* tfr/shard.h - sets: many files under one name, which are read and written together.
 *
 * `train@16.tfrecord` names train-00000-of-00016.tfrecord to train-00015-of-00016.tfrecord
 * (deepvariant's sharded_file_utils; five digits, more where N needs them). */
#ifndef TFR_SHARD_H
#define TFR_SHARD_H

#include <tfr/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- reading: inputs as a user names them --- */

struct tfr_set;

struct tfr_set_opts {
	const char *const *inputs; /* files, "-", directories, globs, "@list.txt", set names; an
				      existing path wins over a set name */
	size_t count;
	bool allow_missing; /* a set with gaps is read without the missing members */
	/* Only the files part, part + parts, ... of all, sorted by their paths; they keep the order
	 * of the inputs.  There may be none.  0 parts: all files. */
	uint32_t part, parts;
	void (*warn)(void *ctx, const char *text); /* one line without its newline; may be NULL */
	void *ctx;
};

/* Finds the files, in the order of the inputs; each glob, directory and set is sorted.  A glob
 * skips directories, and indexes (.idx, .tfindex, .gzi) unless the glob ends like one.  A directory
 * stands for its files named .tfrecord, .tfrec, *tfevents*, .snapshot or -NNNNN-of-NNNNN, and any
 * other file whose first header verifies; not for dotfiles, .idx, .tfindex, .gzi, .json or .txt.
 *   TFR_EUSAGE standard input cannot be divided into parts
 *   TFR_ESYS   a named file or the match of a glob does not exist
 *   TFR_EDATA  a set named with @, or found in a directory, lacks a member; a directory holds no
 *              TFRecord file */
TFR_API enum tfr_status tfr_set_open(
	struct tfr_set **set, const struct tfr_set_opts *opts, struct tfr_error *err);
TFR_API void tfr_set_close(struct tfr_set *set);			  /* accepts NULL */
TFR_API size_t tfr_set_count(const struct tfr_set *set);		  /* files */
TFR_API const char *tfr_set_path(const struct tfr_set *set, size_t file); /* belongs to the set */

/* --- writing --- */

struct tfr_set_writer;
struct tfr_stream_writer; /* of tfr itself, as in tfr/record.h */

/* A class of a labelled set, for the manifest. */
struct tfr_class_count {
	int64_t label;
	const char *text; /* its name; NULL: unknown */
	uint64_t records; /* TFR_CLASS_UNCOUNTED: unknown */
};
#define TFR_CLASS_UNCOUNTED UINT64_MAX

enum { TFR_SET_BESIDE = 2 };

/* What the manifest records in addition to the files.  Every member may be 0 or NULL. */
struct tfr_set_info {
	const char *command; /* the command line */
	uint64_t seed;
	const struct tfr_class_count *classes;
	size_t class_count;
	/* For a run that need not be repeated: the options that determine the bytes, one per line,
	 * and a digest of the inputs.  A single file then gets a manifest too.  NULL: none. */
	const char *options;
	uint64_t inputs;
	/* Files that are published together with the set, such as a quarantine.  The caller keeps
	 * them and closes them after publishing.  NULL: none. */
	struct tfr_stream_writer *beside[TFR_SET_BESIDE];
};

/* Opens a set for writing.  `target` is a set name, a file or "-".  Every file is opened, so that a
 * file that cannot be written is reported before any work.  TFR_EEXIST: a set of the same name with
 * another number of shards exists; with opts->force it stays, with a warning.  `warn` may be NULL.
 *
 * After a call has failed, putting to any shard and publishing fail with the same error.  After
 * tfr_set_writer_publish() has succeeded, they return TFR_EUSAGE. */
TFR_API enum tfr_status tfr_set_writer_open(struct tfr_set_writer **w, const char *target,
	const struct tfr_writer_opts *opts, void (*warn)(void *ctx, const char *text), void *ctx,
	struct tfr_error *err);
/* The number of shards: 1 for a file. */
TFR_API uint32_t tfr_set_writer_shards(const struct tfr_set_writer *w);
/* Writes one record to a shard.  Different threads may write different shards at once; one thread
 * at a time may write a shard.  `digest` may be NULL. */
TFR_API enum tfr_status tfr_set_writer_put(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_digest *digest,
	struct tfr_error *err);
/* Publishes the set as tfr-records(5), PUBLISHING describes: all shards complete and on disk, then
 * their names, then the manifest.  On failure, an old set is as it was. */
TFR_API enum tfr_status tfr_set_writer_publish(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err);
/* Frees the writer; files that were not published are removed.  Accepts NULL. */
TFR_API void tfr_set_writer_close(struct tfr_set_writer *w);

#ifdef __cplusplus
}
#endif

#endif
