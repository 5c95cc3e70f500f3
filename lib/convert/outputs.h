/* convert/outputs.h - what a run writes: the sets, the files that are published with them, and the
 * checkpoint from which another run can continue. */
#ifndef TFR_CONVERT_OUTPUTS_H
#define TFR_CONVERT_OUTPUTS_H

#include "base/unread.h"
#include "convert/input.h"
#include "shard/fractions.h"
#include "shard/set_writer.h"

struct tfr_output;

/* --- sets (output_sets.c) ---
 *
 * The hash of an item's name, alone or among those of its class, decides its set.  Its place in
 * that set decides its shard: item k goes to shard k mod N, skipped or not, so that one bad file
 * moves no other.  Nothing is visible until every set is complete and on disk. */

/* A set that is written. */
struct tfr_output_set {
	struct tfr_set_writer *writer;
	uint64_t *histogram; /* records of each class */
	uint64_t items;	     /* placed in it */
	/* item k goes to shard k mod `shards`; 0: one shard fills after another */
	uint32_t shards;
	uint32_t first, lanes; /* its lanes, which can be written at once */
};

struct tfr_sets {
	struct tfr_input *in;
	/* To divide class by class: one bound per stretch of each class, and of one more class.
	 * NULL: the name alone decides the target. */
	struct tfr_bound *bounds;
	struct tfr_stretches stretches;
	struct tfr_output_set *targets;
	size_t n;
};

/* The writer that is published last, with the files that belong to all sets. */
static inline struct tfr_set_writer *tfr_sets_last(const struct tfr_sets *s)
{
	return s->targets[s->n - 1].writer;
}

/* `in` has the classes.  TFR_EEXIST: a set exists.  `mark` NULL: starts at the beginning, else
 * continues from what tfr_sets_mark() saved in another run.  `terms`: as struct tfr_set_how has
 * them, or NULL. */
enum tfr_status tfr_sets_open(struct tfr_sets *s, struct tfr_input *in, struct tfr_unread *mark,
	const struct tfr_set_info *terms, struct tfr_error *err);
/* Places the next item, which has its name, and sets its target, rank and lane; one thread at a
 * time.  `rank` is the one that it had when it was placed before, or NULL.  False: the fractions
 * leave it over. */
bool tfr_sets_place(
	struct tfr_sets *s, struct tfr_item *item, const uint64_t *rank, uint32_t *lane);
/* Writes the record of an item, and sets its shard and its number in the shard; one thread per
 * lane at a time. */
enum tfr_status tfr_sets_put(struct tfr_sets *s, struct tfr_item *item, struct tfr_error *err);
/* Forces everything to disk and appends the state from which another run can continue, while no
 * record is written.  If the run can be resumed, the temporaries stay from now on in any case. */
enum tfr_status tfr_sets_mark(struct tfr_sets *s, struct tfr_buf *mark, struct tfr_error *err);
/* Publishes all sets and the files that belong to them together or not at all.  `options` and
 * `inputs` go into the manifests: the options that decide the output, and a digest of the
 * inputs; NULL: none. */
enum tfr_status tfr_sets_publish(
	struct tfr_sets *s, const char *options, uint64_t inputs, struct tfr_error *err);
/* Removes everything that was not published. */
void tfr_sets_close(struct tfr_sets *s);

/* A dry run: places the items as a run would, without reading or writing, and calls run.planned for
 * every shard.  The report has the items found, the bytes of the shards, and as records the items
 * that would go to a set, all of which may become records.  `order` is that of
 * tfr_input_walk(). */
enum tfr_status tfr_plan(struct tfr_input *in, const uint32_t *order,
	struct tfr_convert_report *report, struct tfr_error *err);

/* --- labels files (labels_file.c) ---
 *
 * One beside each set: one line LABEL:NAME per class, as in slim's data sets. */

struct tfr_labels {
	struct tfr_buf text;
	struct tfr_output **files; /* of each set; NULL: it is not written */
	bool *opened; /* of each set: its file is in `files`, or exists with the same contents */
	size_t n;
};

/* Makes the text and opens the files; an existing file with the same contents is kept.
 * TFR_EEXIST: a file with other contents exists, and output.writer.force is not set.  Warns of
 * sets beside the written ones whose classes have other numbers, except for a run that `resumes`.
 */
enum tfr_status tfr_labels_open(
	struct tfr_labels *l, const struct tfr_sets *sets, bool resumes, struct tfr_error *err);
/* Opens the files of the sets that have a name by now: those that fill get it when they are sealed.
 * The same failures. */
enum tfr_status tfr_labels_open_named(
	struct tfr_labels *l, const struct tfr_sets *sets, struct tfr_error *err);
/* The files are published with their sets; files that were not published are removed. */
void tfr_labels_close(struct tfr_labels *l);

/* --- a folder that tfds.builder_from_directory() can load (tfds.c) ---
 *
 * It has NAME-SPLIT.tfrecord-00000-of-0000N for each split, where NAME is the last part of the
 * folder's path.  features.json and label.labels.txt describe the records.  dataset_info.json has
 * the number of records of each shard.  It is written last and removed first: without it TFDS sees
 * no data set (tensorflow_datasets/core/{dataset_info,naming,read_only_builder}.py). */

/* All 0 and NULL if opts->output.tfds is NULL: the calls then do nothing. */
struct tfr_tfds {
	const char *folder;
	char *name;
	const struct tfr_convert_opts *given; /* its targets are splits */
	struct tfr_convert_opts opts;	      /* its targets are the sets of these */
	struct tfr_share *targets;
	struct tfr_output *info, *features, *labels;
	bool made; /* the folder is ours */
};

/* Checks the names; *opts, which must outlive `t`, gets sets for splits, which belong to `t`. */
enum tfr_status tfr_tfds_name(
	struct tfr_tfds *t, const struct tfr_convert_opts **opts, struct tfr_error *err);
/* Creates the folder and all files except dataset_info.json.  TFR_EEXIST: one exists, and
 * neither opts->output.writer.force nor `again` is set: another run may have named it. */
enum tfr_status tfr_tfds_open(
	struct tfr_tfds *t, const struct tfr_input *in, bool again, struct tfr_error *err);
/* Makes dataset_info.json for the sealed sets.  From now on the files are published with the
 * last set. */
enum tfr_status tfr_tfds_seal(
	struct tfr_tfds *t, const struct tfr_sets *sets, struct tfr_error *err);
/* Removes everything that was not published, and the folder if it was created here and is empty. */
void tfr_tfds_close(struct tfr_tfds *t);

/* The number of shards that TFDS gives a split of `records` records with `bytes` bytes, framed. */
uint64_t tfr_tfds_shards(uint64_t bytes, uint64_t records);

/* --- the checkpoint (checkpoint.c) ---
 *
 * The position of a run, saved every few seconds in `.SET.resume` beside the first of its sets, for
 * a run with `resume` to continue.  It is taken while no item is in progress, and describes only
 * what is on disk.  It contains everything that decides the output, so that a run with other
 * options or a changed input is refused with the difference. */

struct tfr_checkpoint {
	const struct tfr_convert_opts *opts;
	struct tfr_input *in;
	char *path;	       /* NULL: this run cannot be resumed */
	void *noted;	       /* in the temporaries */
	struct tfr_buf said;   /* everything that decides the output, one line each */
	uint64_t digest;       /* of the input */
	const uint64_t *items; /* for it, once all are loaded; otherwise they are measured */
	bool digested, saved;
	uint64_t due; /* on the clock */
	struct tfr_buf body;
	/* The part of an existing checkpoint that belongs to the other parts. */
	struct tfr_unread found;
	bool resumes;
};

/* With opts->run.resume, looks for a checkpoint; c->resumes says whether there is one.  TFR_EUSAGE:
 * its run had other options, or this run cannot be resumed.  TFR_EDATA: the input has changed. */
enum tfr_status tfr_checkpoint_open(struct tfr_checkpoint *c, const struct tfr_convert_opts *opts,
	struct tfr_input *in, struct tfr_error *err);
/* In a part, or with opts->run.resume and no checkpoint: returns whether such a run has already
 * written all sets, and adds their records and sum to the report.  TFR_EUSAGE: it had other options
 * or inputs, and opts->output.writer.force is not set. */
enum tfr_status tfr_checkpoint_finished(struct tfr_checkpoint *c, bool *finished,
	struct tfr_convert_report *report, struct tfr_error *err);
/* The texts that the manifests store for that; *options is NULL if this run cannot be resumed,
 * unless it is a part. */
enum tfr_status tfr_checkpoint_said(
	struct tfr_checkpoint *c, const char **options, uint64_t *inputs, struct tfr_error *err);
/* Adds a hint how to start again to a TFR_EDATA of a resumed run, unless there is another hint. */
void tfr_checkpoint_hint(
	const struct tfr_checkpoint *c, enum tfr_status status, struct tfr_error *err);
/* Called once the sets are locked: discards a checkpoint that is not continued. */
void tfr_checkpoint_begin(struct tfr_checkpoint *c);
/* Whether a checkpoint is due. */
bool tfr_checkpoint_is_due(const struct tfr_checkpoint *c);
/* Writes a checkpoint: `body` is the state of the other parts. */
enum tfr_status tfr_checkpoint_save(
	struct tfr_checkpoint *c, const struct tfr_buf *body, struct tfr_error *err);
/* Removes the checkpoint after the sets have got their names. */
void tfr_checkpoint_done(struct tfr_checkpoint *c);
/* Without opts->run.resume, the checkpoint is removed with the temporaries. */
void tfr_checkpoint_close(struct tfr_checkpoint *c);

#endif
