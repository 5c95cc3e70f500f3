/* convert/notes.h - what is said of items that became no record: a warning each, and a line of the
 * quarantine.  One thread at a time, in the order of the items. */
#ifndef TFR_CONVERT_NOTES_H
#define TFR_CONVERT_NOTES_H

#include "convert/item.h"

struct tfr_notes {
	const struct tfr_convert_opts *opts;
	const char *prefix; /* of every name: "pictures/" */
	struct tfr_output *quarantine;
	struct tfr_buf line;
};

enum tfr_status tfr_notes_open(struct tfr_notes *n, const struct tfr_convert_opts *opts,
	const char *prefix, struct tfr_error *err);
enum tfr_status tfr_notes_skipped(
	struct tfr_notes *n, const struct tfr_item *item, struct tfr_error *err);
enum tfr_status tfr_notes_publish(struct tfr_notes *n, struct tfr_error *err);
void tfr_notes_close(struct tfr_notes *n);

#endif
