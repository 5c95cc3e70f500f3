/* convert/checkpoint.h - saves the position of a run every few seconds in `.SET.resume` beside
 * the first of its sets, for a run with `resume` to continue.
 *
 * A checkpoint is taken while no item is in progress, and describes only what is on disk.  It
 * contains everything that decides the output, so that a run with other options or a changed
 * input is refused with the difference. */
#ifndef TFR_CONVERT_CHECKPOINT_H
#define TFR_CONVERT_CHECKPOINT_H

#include "base/buf.h"
#include "base/unread.h"
#include "convert/input.h"

struct tfr_checkpoint {
	const struct tfr_convert_opts *opts;
	struct tfr_input *in;
	char *path;	     /* NULL: this run cannot be resumed */
	void *noted;	     /* in the temporaries */
	struct tfr_buf said; /* everything that decides the output, one line each */
	uint64_t digest;     /* of the input */
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
