/* convert/labels_file.h - the labels file beside each set: one line LABEL:NAME per class, as in
 * slim's data sets. */
#ifndef TFR_CONVERT_LABELS_FILE_H
#define TFR_CONVERT_LABELS_FILE_H

#include "convert/input.h"
#include "convert/output_sets.h"

struct tfr_output;

struct tfr_labels {
	const struct tfr_convert_opts *opts;
	struct tfr_buf text;
	struct tfr_output **files; /* those that are to be written */
	size_t n;
	bool *opened; /* per set: its file is in `files`, or says the same already */
};

/* Makes the text and opens the files; one that is there and says the same is left alone.
 * TFR_EEXIST: one is there that says something else, and in->opts->writer.force is not set. */
enum tfr_status tfr_labels_open(struct tfr_labels *l, const struct tfr_input *in,
	const struct tfr_sets *sets, struct tfr_error *err);
/* Opens the files of those sets that had no name before they were sealed; the same failures. */
enum tfr_status tfr_labels_seal(
	struct tfr_labels *l, const struct tfr_sets *sets, struct tfr_error *err);
/* They are published with their sets; what was not published is removed. */
void tfr_labels_close(struct tfr_labels *l);

#endif
