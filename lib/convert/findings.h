/* convert/findings.h - counts the findings of items, and lists them in a file.
 *
 * Called by one thread at a time, in the order of the items. */
#ifndef TFR_CONVERT_FINDINGS_H
#define TFR_CONVERT_FINDINGS_H

#include "base/unread.h"
#include "convert/item.h"

struct tfr_output;
struct tfr_json;

struct tfr_findings {
	const struct tfr_convert_opts *opts;
	const char *prefix;	   /* of every name: "images/" */
	struct tfr_output *output; /* NULL: nothing is listed */
	bool json;
	struct tfr_json *line; /* JSON: of one finding */
	struct tfr_buf out;    /* text to write */
	uint64_t written;      /* of the file */
	bool some;	       /* JSON: a finding has been listed */
	uint64_t count[TFR_FINDINGS];
	uint64_t colours; /* images that are not gray */
	struct tfr_buf waiting;
	bool overflowed, sealed;
};

/* `mark` NULL: starts at the beginning, else continues from tfr_findings_mark().  `sealed`: the
 * list may be complete and have its name. */
enum tfr_status tfr_findings_open(struct tfr_findings *f, const struct tfr_convert_opts *opts,
	const char *prefix, struct tfr_unread *mark, bool sealed, struct tfr_error *err);
/* Adds an item that was skipped, or whose record is written. */
enum tfr_status tfr_findings_add(
	struct tfr_findings *f, const struct tfr_item *item, struct tfr_error *err);
/* Forces the list to disk, and appends to `mark` the state from which another run can continue.
 * If the run can be resumed, the temporary file then stays. */
enum tfr_status tfr_findings_mark(
	struct tfr_findings *f, struct tfr_buf *mark, struct tfr_error *err);
/* Copies the counts into the report; completes the list and forces it to disk. */
enum tfr_status tfr_findings_seal(
	struct tfr_findings *f, struct tfr_convert_report *report, struct tfr_error *err);
void tfr_findings_close(struct tfr_findings *f);

#endif
