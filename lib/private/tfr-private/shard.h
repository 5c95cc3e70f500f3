/* tfr-private/shard.h - sets, as far as the commands need more than <tfr/shard.h>. */
#ifndef TFR_PRIVATE_SHARD_H
#define TFR_PRIVATE_SHARD_H

#include <tfr/shard.h>

#include <tfr-private/progress.h>
#include <tfr-private/record.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_set_name {
	char *base;	 /* "out/train" */
	char *extension; /* ".tfrecord" or "" */
	uint32_t count;	 /* shards; 0 for "@*" (as many as there are) and "@auto" */
	bool automatic;	 /* "@auto": as many as what is written to it takes */
};

/* Reads `base@N[.ext]`, `base@*[.ext]` or `base@auto[.ext]`.  TFR_OK; TFR_END: the text is no such
 * name; TFR_EUSAGE: N is 0 or above a million; TFR_ENOMEM. */
enum tfr_status tfr_set_name_parse(
	struct tfr_set_name *name, const char *text, struct tfr_error *err);
void tfr_set_name_clear(struct tfr_set_name *name);

/* The file of shard `shard`, counted from 0; the caller frees it.  NULL: out of memory. */
char *tfr_set_name_file(const struct tfr_set_name *name, uint32_t shard);

/* The manifest of a set whose count is known: "out/train.16-tfrecord.manifest.json"; the caller
 * frees it.  NULL: out of memory. */
char *tfr_set_name_manifest(const struct tfr_set_name *name);

/* The bytes of all files together; what has no size (standard input, a FIFO) counts as 0. */
uint64_t tfr_set_bytes(const struct tfr_set *set);

/* Gives a set the classes of the sets that it is written from: those that all inputs have, by their
 * manifests or labels files.  Where they have none or different ones, it gets none.  What it filled
 * is freed with tfr_set_info_clear(). */
enum tfr_status tfr_set_info_carry(
	struct tfr_set_info *info, const struct tfr_set *input, struct tfr_error *err);
void tfr_set_info_clear(struct tfr_set_info *info);
#define TFR_AUTO_SET_INFO __attribute__((cleanup(tfr_set_info_clear))) struct tfr_set_info

/* Undoes or finishes what a run that was killed had begun to publish at `target`, as opening does:
 * for a program that opens other files first, which may be among those.  Whatever is in its way is
 * left for opening to report. */
void tfr_set_recover(const char *target, struct tfr_temporaries *temporaries,
	void (*warn)(void *ctx, const char *text), void *ctx);

/* As tfr_writer_flush(), every shard. */
enum tfr_status tfr_set_writer_flush(struct tfr_set_writer *w, struct tfr_error *err);

/* All shards whole and on disk, under their temporary names still.  Publishing does this too; a
 * caller with several sets seals each before it publishes the first, so that a full disk is met
 * while nothing is visible yet. */
enum tfr_status tfr_set_writer_seal(struct tfr_set_writer *w, struct tfr_error *err);

/* Sums over all shards; file_crc is 0 where there are several. */
struct tfr_totals tfr_set_writer_totals(const struct tfr_set_writer *w);

/* What the records of all inputs together must be, so that a stream that was cut between two
 * records, or never began, replaces nothing.  Zero: any records, but some. */
struct tfr_expect {
	bool allow_empty; /* outputs without a record are written */
	bool has_records, has_sum;
	uint64_t records, sum; /* of what is selected from the inputs; the content sum */
};

/* Whether what was selected is what is expected.  TFR_EDATA: it is not. */
enum tfr_status tfr_expect_check(
	const struct tfr_expect *expect, uint64_t records, uint64_t sum, struct tfr_error *err);

/* Whether there is something to publish: `written` records, of `read` in the inputs.  TFR_EDATA:
 * nothing, and an empty output is not allowed. */
enum tfr_status tfr_expect_some(
	const struct tfr_expect *expect, uint64_t read, uint64_t written, struct tfr_error *err);

/* What one part of a conversion has done, of the items of its own shards (struct tfr_writer_opts),
 * or all parts together. */
struct tfr_part_tally {
	uint64_t read, skipped, left; /* items; `left` ones belong to no set */
	uint64_t bytes;		      /* read */
	/* Images, audio clips or rows that should have become records, and those that did not.
	 * More than the share `most_lost` of them is a failure of the conversion. */
	uint64_t expected, lost;
	double most_lost;
	char first_lost[512]; /* the first of them, and why; empty: none */
};

struct tfr_finish_opts {
	unsigned threads; /* 0: one a processor */
	bool quick;	  /* compare the sizes of shards, and read none */
	struct tfr_expect expect;
	struct tfr_temporaries *temporaries; /* may be NULL */
	struct tfr_progress *progress;	     /* may be NULL */
	/* Whether too much was lost, which `err` then says.  May be NULL. */
	enum tfr_status (*judge)(const struct tfr_part_tally *all, struct tfr_error *err);
	/* Each part that has not finished, each shard that is missing or is not the one that its
	 * part has written, in order. */
	void (*fault)(void *ctx, const struct tfr_error *err);
	void *ctx;
};

struct tfr_finish_report {
	uint32_t parts; /* 0: the set was finished before */
	uint64_t records, payload_bytes, sum;
	struct tfr_part_tally tally; /* of all parts; 0 if the manifest stands for some of them */
};

/* Completes a set that was written in parts: compares their options, inputs and classes, verifies
 * every shard against the note of its part, writes the labels file and the manifest, and removes
 * the notes.  It may be repeated, and several processes may do it at once.  Shards are never
 * changed.
 *   TFR_EDATA   a part or a shard is missing or damaged, or too much was lost; each is reported
 *   TFR_EUSAGE  parts had different options or inputs; `set` is not a set
 * In both cases nothing was written. */
enum tfr_status tfr_set_finish(const char *set, const struct tfr_finish_opts *opts,
	struct tfr_finish_report *report, struct tfr_error *err);

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
enum tfr_status tfr_share_parse(
	const char *text, char **set, double *fraction, struct tfr_error *err);

struct tfr_set_index_opts {
	unsigned threads;      /* 0: one a processor */
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
enum tfr_status tfr_set_index(
	const struct tfr_set *set, const struct tfr_set_index_opts *opts, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
