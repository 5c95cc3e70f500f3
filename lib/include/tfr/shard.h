/* tfr/shard.h - sets: one name for many files, read as one and written as one.
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
	bool allow_missing; /* a set with gaps is read with what is there */
	void (*warn)(
		void *ctx, const char *text); /* one line without its end; NULL: nobody listens */
	void *ctx;
};

/* Finds the files: in the order given, each glob, directory and set sorted.  A glob leaves
 * directories out, and indexes (.idx, .tfindex, .gzi) unless it ends like one.  A directory gives
 * the files named .tfrecord, .tfrec, *tfevents*, .snapshot or -NNNNN-of-NNNNN, and any other whose
 * first header verifies; not dotfiles, .idx, .tfindex, .gzi, .json or .txt. TFR_ESYS   a named file
 * or a glob's match does not exist TFR_EDATA  a set named with @, or found in a directory, lacks a
 * member; a directory holds no TFRecord file */
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
	const char *text; /* its name; NULL: not known */
	uint64_t records; /* TFR_CLASS_UNCOUNTED: not known */
};
#define TFR_CLASS_UNCOUNTED UINT64_MAX

enum { TFR_SET_BESIDE = 2 };

/* What the manifest says beyond the files themselves.  All may be 0 or NULL. */
struct tfr_set_info {
	const char *command; /* the command line */
	uint64_t seed;
	const struct tfr_class_count *classes;
	size_t class_count;
	/* Of a run that is not to be repeated: what decides the bytes, one option per line, and a
	 * digest of the inputs.  A single file gets a manifest for these.  NULL: none. */
	const char *options;
	uint64_t inputs;
	/* Files that are published together with the set, such as a quarantine; they stay the
	 * caller's, who closes them after publishing.  NULL: none. */
	struct tfr_stream_writer *beside[TFR_SET_BESIDE];
};

/* `target` is a set name, a file or "-".  Every file is opened, so that what cannot be written is
 * known before work starts. A set of the same name with another number of shards beside it is
 * TFR_EEXIST; with opts->force it is left alone and warned of.  `warn` may be NULL. */
TFR_API enum tfr_status tfr_set_writer_open(struct tfr_set_writer **w, const char *target,
	const struct tfr_writer_opts *opts, void (*warn)(void *ctx, const char *text), void *ctx,
	struct tfr_error *err);
/* The number of shards: 1 for a file. */
TFR_API uint32_t tfr_set_writer_shards(const struct tfr_set_writer *w);
/* Writes one record to a shard.  Different shards may be written by different threads at once; one
 * shard by one thread at a time.  `digest` may be NULL. */
TFR_API enum tfr_status tfr_set_writer_put(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_digest *digest,
	struct tfr_error *err);
/* Publishes the set as tfr-records(5), PUBLISHING describes: all shards complete and on disk, then
 * their names, then the manifest.  On failure, an old set is as it was. */
TFR_API enum tfr_status tfr_set_writer_publish(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err);
/* Frees it; what was not published is removed.  Accepts NULL. */
TFR_API void tfr_set_writer_close(struct tfr_set_writer *w);

#ifdef __cplusplus
}
#endif

#endif
