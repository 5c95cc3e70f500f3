/* convert/findings.h - detects findings, counts those of items, and lists them in a file.
 *
 * But for tfr_lint(), called by one thread at a time, in the order of the items. */
#ifndef TFR_CONVERT_FINDINGS_H
#define TFR_CONVERT_FINDINGS_H

#include "base/unread.h"
#include "convert/item.h"

struct tfr_output;
struct tfr_json;

/* What another run needs to continue, as it is saved. */
struct tfr_findings_state {
	uint64_t written;	   /* bytes of the file */
	uint64_t colours;	   /* images that are not gray */
	uint64_t waiting;	   /* bytes of lines that wait, when it was saved */
	uint64_t token;		   /* of the list's temporary name, likewise */
	uint64_t count[TFR_FINDINGS];
	uint64_t some;	     /* JSON: whether a finding has been listed */
	uint64_t overflowed; /* whether too many lines waited */
};

struct tfr_findings {
	const struct tfr_convert_opts *opts;
	const char *prefix;	   /* of every name: "images/" */
	struct tfr_output *output; /* NULL: nothing is listed */
	bool json;
	struct tfr_json *line; /* JSON: of one finding */
	struct tfr_buf out;    /* text to write */
	struct tfr_buf waiting;
	struct tfr_findings_state state;
	bool sealed;
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

/* Returns the findings of a complete image before any change (item->came), one bit each.
 * TFR_FOUND_GRAY means that it is gray; whether others are not is known at the end. */
uint32_t tfr_lint(const struct tfr_item *item, const struct tfr_rework *rework);

#endif
