/* tfr/shard.h - sets: one name for many files, read as one and written as one.
 *
 * `train@16.tfrecord` names train-00000-of-00016.tfrecord to train-00015-of-00016.tfrecord
 * (deepvariant's sharded_file_utils; five digits, more where N needs them). */
#ifndef TFR_SHARD_H
#define TFR_SHARD_H

#include <tfr/progress.h>
#include <tfr/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- names --- */

struct tfr_set_name {
	char *base;	 /* "out/train" */
	char *extension; /* ".tfrecord" or "" */
	uint32_t count;	 /* shards; 0 for "@*" (as many as there are) and "@auto" */
	bool automatic;	 /* "@auto": as many as what is written to it takes */
};

/* Reads `base@N[.ext]`, `base@*[.ext]` or `base@auto[.ext]`.  TFR_OK; TFR_END: the text is no such
 * name; TFR_EUSAGE: N is 0 or above a million; TFR_ENOMEM. */
TFR_API enum tfr_status tfr_set_name_parse(
	struct tfr_set_name *name, const char *text, struct tfr_error *err);
TFR_API void tfr_set_name_clear(struct tfr_set_name *name);
/* The file of shard `shard`, counted from 0; the caller frees it.  NULL: out of memory. */
TFR_API char *tfr_set_name_file(const struct tfr_set_name *name, uint32_t shard);
/* The manifest of a set whose count is known: "out/train.16-tfrecord.manifest.json"; the caller
 * frees it.  NULL: out of memory. */
TFR_API char *tfr_set_name_manifest(const struct tfr_set_name *name);

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
/* The bytes of all files together; what has no size (standard input, a FIFO) counts as 0. */
TFR_API uint64_t tfr_set_bytes(const struct tfr_set *set);

/* --- writing --- */

struct tfr_set_writer;

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

/* Gives a set the classes of the sets that it is written from: those that all inputs have, by their
 * manifests or labels files.  Where they have none or different ones, it gets none.  What it filled
 * is freed with tfr_set_info_clear(). */
TFR_API enum tfr_status tfr_set_info_carry(
	struct tfr_set_info *info, const struct tfr_set *input, struct tfr_error *err);
TFR_API void tfr_set_info_clear(struct tfr_set_info *info);

/* `target` is a set name, a file or "-".  Every file is opened, so that what cannot be written is
 * known before work starts. A set of the same name with another number of shards beside it is
 * TFR_EEXIST; with opts->force it is left alone and warned of.  `warn` may be NULL. */
TFR_API enum tfr_status tfr_set_writer_open(struct tfr_set_writer **w, const char *target,
	const struct tfr_writer_opts *opts, void (*warn)(void *ctx, const char *text), void *ctx,
	struct tfr_error *err);
/* Undoes or finishes what a run that was killed had begun to publish at `target`, as opening does:
 * for a program that opens other files first, which may be among those.  Whatever is in its way is
 * left for opening to report. */
TFR_API void tfr_set_recover(const char *target, struct tfr_temporaries *temporaries,
	void (*warn)(void *ctx, const char *text), void *ctx);
/* The number of shards: 1 for a file. */
TFR_API uint32_t tfr_set_writer_shards(const struct tfr_set_writer *w);
/* Writes one record to a shard.  Different shards may be written by different threads at once; one
 * shard by one thread at a time.  `digest` may be NULL. */
TFR_API enum tfr_status tfr_set_writer_put(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_digest *digest,
	struct tfr_error *err);
/* As tfr_writer_flush(), every shard. */
TFR_API enum tfr_status tfr_set_writer_flush(struct tfr_set_writer *w, struct tfr_error *err);
/* All shards whole and on disk, under their temporary names still.  Publishing does this too; a
 * caller with several sets seals each before it publishes the first, so that a full disk is met
 * while nothing is visible yet. */
TFR_API enum tfr_status tfr_set_writer_seal(struct tfr_set_writer *w, struct tfr_error *err);
/* Publishes the set as tfr-records(5), PUBLISHING describes: all shards complete and on disk, then
 * their names, then the manifest.  On failure, an old set is as it was. */
TFR_API enum tfr_status tfr_set_writer_publish(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err);
/* Frees it; what was not published is removed.  Accepts NULL. */
TFR_API void tfr_set_writer_close(struct tfr_set_writer *w);
/* Sums over all shards; file_crc is 0 where there are several. */
TFR_API struct tfr_totals tfr_set_writer_totals(const struct tfr_set_writer *w);

/* --- what may be published --- */

/* What the records of all inputs together must be, so that a stream that was cut between two
 * records, or never began, replaces nothing.  Zero: any records, but some. */
struct tfr_expect {
	bool allow_empty; /* outputs without a record are written */
	bool has_records, has_sum;
	uint64_t records, sum; /* of what is selected from the inputs; the content sum */
};

/* Whether what was selected is what is expected.  TFR_EDATA: it is not. */
TFR_API enum tfr_status tfr_expect_check(
	const struct tfr_expect *expect, uint64_t records, uint64_t sum, struct tfr_error *err);
/* Whether there is something to publish: `written` records, of `read` in the inputs.  TFR_EDATA:
 * nothing, and an empty output is not allowed. */
TFR_API enum tfr_status tfr_expect_some(
	const struct tfr_expect *expect, uint64_t read, uint64_t written, struct tfr_error *err);

/* --- several sets at once --- */

/* One of the sets that something is divided into. */
struct tfr_share {
	const char *set; /* as tfr_set_writer_open() takes it: "train@16.tfrecord" */
	/* What it receives of all, above 0 and at most 1; 0: what the others leave, for one set at
	 * most. */
	double fraction;
	/* Of tfr_convert() alone: the sub-folder of the input that it receives, "train/"; fraction
	 * is 0 then.  Where one set has a folder, all have.  NULL: none. */
	const char *folder;
};

/* Reads "SET" or "SET=FRACTION" as a command line has it: *set is a copy that the caller frees. A
 * text after the last '=' that is no number belongs to the name of a file.  TFR_EUSAGE: a fraction
 * that is not above 0 and at most 1. */
TFR_API enum tfr_status tfr_share_parse(
	const char *text, char **set, double *fraction, struct tfr_error *err);

/* --- counting --- */

struct tfr_count_opts {
	unsigned threads; /* 0: one a processor */
	enum tfr_compression compression;
	bool sum; /* the content sum as well: reads and verifies every payload */
	/* Answers from the manifest beside a file where size and time of the file are those that
	 * stand there: nothing of it is read then, and nothing is verified. */
	bool manifest;
	/* Told, with `manifest`, of a file that was counted all the same, before `file` is.  May be
	 * NULL. */
	void (*stale)(void *ctx, const char *path, const char *why);
	struct tfr_progress *progress; /* may be NULL */
	/* Called in file order, one file at a time.  `err` is NULL when the file is whole;
	 * otherwise `records` were counted before the fault.  A file that is bad does not stop the
	 * others. */
	void (*file)(void *ctx, const char *path, uint64_t records, uint64_t sum,
		const struct tfr_error *err);
	void *ctx;
};

/* Counts the records of every file, several files at a time. */
TFR_API enum tfr_status tfr_set_count_records(
	const struct tfr_set *set, const struct tfr_count_opts *opts, struct tfr_error *err);

/* --- indexing --- */

struct tfr_set_index_opts {
	unsigned threads; /* 0: one a processor */
	enum tfr_compression compression;
	bool force, no_points; /* as struct tfr_index_opts */
	bool check; /* tfr_index_inspect() in place of tfr_index_write(): nothing is written */
	struct tfr_temporaries *temporaries; /* may be NULL */
	struct tfr_progress *progress;	     /* may be NULL */
	/* Called in file order, one file at a time.  `err` is NULL where there was no failure.  A
	 * file that is bad does not stop the others. */
	void (*file)(void *ctx, const char *path, const struct tfr_index_report *report,
		const struct tfr_error *err);
	void *ctx;
};

/* Writes, or checks, the index of every file (tfr/record.h), several files at a time.  A file that
 * is named several times is looked at once. */
TFR_API enum tfr_status tfr_set_index(
	const struct tfr_set *set, const struct tfr_set_index_opts *opts, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
