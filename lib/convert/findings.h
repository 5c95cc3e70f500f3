/* convert/findings.h - what became of the items.  Findings are detected, counted, and listed in a
 * file.  Of items that became no record there are warnings and the quarantine, and a limit.
 *
 * But for tfr_lint() and tfr_is_stray(), called by one thread at a time, in the order of the
 * items. */
#ifndef TFR_CONVERT_FINDINGS_H
#define TFR_CONVERT_FINDINGS_H

#include "base/unread.h"
#include "convert/input.h"

struct tfr_output;
struct tfr_json;

/* What another run needs to continue, as it is saved. */
struct tfr_findings_state {
	/* Of the list and the quarantine: the bytes written, and the token of the temporary name,
	 * when it was saved. */
	struct tfr_file_mark {
		uint64_t written, token;
	} list, quarantine;
	struct tfr_part_tally tally; /* only of what was lost, until all items are done */
	uint64_t colours;	     /* images that are not gray */
	uint64_t waiting;	     /* bytes of lines that wait, when it was saved */
	uint64_t count[TFR_FINDINGS];
	uint64_t some;	     /* JSON: whether a finding has been listed */
	uint64_t overflowed; /* whether too many lines waited */
};

struct tfr_findings {
	const struct tfr_input *in;
	bool resumes, sealed;
	struct tfr_output *list, *quarantine; /* NULL: it is not written */
	bool json;			      /* the list */
	struct tfr_json *line;		      /* JSON: of one finding */
	struct tfr_buf out, skipped;	      /* text to write to them */
	struct tfr_buf waiting;
	struct tfr_findings_state state;
	struct tfr_skip_reason {
		char why[256];	      /* as item->reason */
		struct tfr_buf names; /* of the first items, quoted */
		uint64_t items;
	} reasons[10];
	uint64_t others; /* items with more reasons than those */
};

/* Opens the list.  `mark` NULL: starts at the beginning, else continues from tfr_findings_mark().
 * `sealed`: the files may be complete and have their names. */
enum tfr_status tfr_findings_open(struct tfr_findings *f, const struct tfr_input *in,
	struct tfr_unread *mark, bool sealed, struct tfr_error *err);
/* Opens the quarantine, once the sets are open. */
enum tfr_status tfr_findings_open_quarantine(struct tfr_findings *f, struct tfr_error *err);
/* Adds an item that was skipped, or whose record is written.  TFR_EDATA: too many of the first
 * thousand are lost. */
enum tfr_status tfr_findings_add(
	struct tfr_findings *f, const struct tfr_item *item, struct tfr_error *err);
/* Forces the files to disk, and appends to `mark` the state from which another run can continue.
 * If the run can be resumed, the temporary files then stay. */
enum tfr_status tfr_findings_mark(
	struct tfr_findings *f, struct tfr_buf *mark, struct tfr_error *err);
/* Called after the last item: warns of those that were skipped. */
void tfr_findings_warn(const struct tfr_findings *f);
/* Copies the counts into the report; completes the files and forces them to disk. */
enum tfr_status tfr_findings_seal(
	struct tfr_findings *f, struct tfr_convert_report *report, struct tfr_error *err);
void tfr_findings_close(struct tfr_findings *f);

/* Whether a file's extension says that it is neither an image nor audio. */
bool tfr_is_stray(const struct tfr_input *in, const struct tfr_item *item);

/* Returns the findings of a complete image before any change (item->came), one bit each.
 * TFR_FOUND_GRAY means that it is gray; whether others are not is known at the end. */
uint32_t tfr_lint(const struct tfr_item *item, const struct tfr_rework *rework);

#endif
