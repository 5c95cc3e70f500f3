/* convert/skips.h - counts the images, WAV files or rows that became no record, decides whether
 * they are too many, and reports them: one warning for all items with the same reason, and a line
 * of the quarantine for each item.
 *
 * Called by one thread at a time, in the order of the items. */
#ifndef TFR_CONVERT_SKIPS_H
#define TFR_CONVERT_SKIPS_H

#include "convert/input.h"

struct tfr_losses {
	uint64_t expected, lost;
	char first[512]; /* the first that was lost, and why */
};

/* Whether a file's extension says that it is neither an image nor audio. */
bool tfr_is_stray(const struct tfr_input *in, const struct tfr_item *item);
/* TFR_EDATA: too many of the first thousand are lost. */
enum tfr_status tfr_losses_add(struct tfr_losses *l, const struct tfr_input *in,
	const struct tfr_item *item, struct tfr_error *err);
/* The share that may be lost. */
double tfr_losses_most(const struct tfr_convert_opts *opts);

struct tfr_notes {
	const struct tfr_convert_opts *opts;
	const char *prefix; /* of every name: "images/" */
	struct tfr_output *quarantine;
	uint64_t written; /* of the quarantine */
	uint64_t token;	  /* of its temporary name, after tfr_notes_sync() */
	struct tfr_buf line;
	struct tfr_notes_reason {
		char why[256];	      /* as item->reason */
		struct tfr_buf names; /* of the first items, quoted */
		uint64_t items;
	} reasons[10];
	uint64_t others; /* items with more reasons than those */
};

/* `written` NULL: starts at the beginning, else continues after so many bytes of the quarantine,
 * whose temporary name has `token`.  `sealed`: it may be complete and have its name. */
enum tfr_status tfr_notes_open(struct tfr_notes *n, const struct tfr_convert_opts *opts,
	const char *prefix, const uint64_t *written, uint64_t token, bool sealed,
	struct tfr_error *err);
/* Forces the quarantine to disk.  If the run can be resumed, the temporary file then stays. */
enum tfr_status tfr_notes_sync(struct tfr_notes *n, struct tfr_error *err);
/* Completes the quarantine and forces it to disk. */
enum tfr_status tfr_notes_seal(struct tfr_notes *n, struct tfr_error *err);
enum tfr_status tfr_notes_skipped(
	struct tfr_notes *n, const struct tfr_item *item, struct tfr_error *err);
/* Called after the last item: warns of those that were skipped. */
void tfr_notes_end(const struct tfr_notes *n);
void tfr_notes_close(struct tfr_notes *n);

#endif
