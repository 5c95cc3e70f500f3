/* convert/checkpoint.h - how far a run is, noted every few seconds in `.SET.resume` beside the
 * first of its sets, for a run with `resume` to go on from.
 *
 * A note is taken while nothing is in flight, and speaks only of what is on disk by then.  It has
 * all that decides the bytes, so that a run with other options or a changed input is refused and
 * told what differs. */
#ifndef TFR_CONVERT_CHECKPOINT_H
#define TFR_CONVERT_CHECKPOINT_H

#include "base/buf.h"
#include "base/unread.h"
#include "convert/input.h"

struct tfr_checkpoint {
	const struct tfr_convert_opts *opts;
	struct tfr_input *in;
	char *path;	     /* NULL: this run cannot be gone on with */
	void *noted;	     /* in the temporaries */
	struct tfr_buf said; /* what decides the bytes, a line each */
	uint64_t digest;     /* of the input */
	bool digested, saved;
	uint64_t due; /* on the clock */
	struct tfr_buf body;
	/* Of the note that was found, behind what is of this file. */
	struct tfr_unread found;
	bool resumes;
};

/* With opts->resume, looks for a note: c->resumes says whether there is one.  TFR_EUSAGE: it is of
 * a run with other options, or this one cannot be gone on with.  TFR_EDATA: the input has changed.
 */
enum tfr_status tfr_checkpoint_open(struct tfr_checkpoint *c, const struct tfr_convert_opts *opts,
	struct tfr_input *in, struct tfr_error *err);
/* With opts->resume and no note: whether all sets are there as such a run has written them, whose
 * records and sum are added to the report.  TFR_EUSAGE: it had other options or inputs, and
 * opts->writer.force is not set. */
enum tfr_status tfr_checkpoint_finished(struct tfr_checkpoint *c, bool *finished,
	struct tfr_convert_report *report, struct tfr_error *err);
/* What the manifests note for that; *options is NULL without opts->resume. */
enum tfr_status tfr_checkpoint_said(
	struct tfr_checkpoint *c, const char **options, uint64_t *inputs, struct tfr_error *err);
/* TFR_EDATA where a run goes on from a note: a hint how to begin again, unless there is another. */
void tfr_checkpoint_hint(
	const struct tfr_checkpoint *c, enum tfr_status status, struct tfr_error *err);
/* Once the sets are locked: a note that is not gone on from is void. */
void tfr_checkpoint_begin(struct tfr_checkpoint *c);
/* Whether it is time for a note. */
bool tfr_checkpoint_is_due(const struct tfr_checkpoint *c);
/* Writes one: `body` is what the others need. */
enum tfr_status tfr_checkpoint_save(
	struct tfr_checkpoint *c, const struct tfr_buf *body, struct tfr_error *err);
/* The sets have their names: removes the note. */
void tfr_checkpoint_done(struct tfr_checkpoint *c);
/* Without opts->resume, the note goes with the temporaries. */
void tfr_checkpoint_close(struct tfr_checkpoint *c);

#endif
