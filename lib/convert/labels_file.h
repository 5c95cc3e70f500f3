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
	bool *opened; /* per set: its file is in `files`, or exists with the same contents */
};

/* Makes the text and opens the files; an existing file with the same contents is kept.
 * TFR_EEXIST: a file with other contents exists, and in->opts->output.writer.force is not set. */
enum tfr_status tfr_labels_open(struct tfr_labels *l, const struct tfr_input *in,
	const struct tfr_sets *sets, struct tfr_error *err);
/* Opens the files of sets that got their name when they were sealed; the same failures. */
enum tfr_status tfr_labels_seal(
	struct tfr_labels *l, const struct tfr_sets *sets, struct tfr_error *err);
/* The files are published with their sets; files that were not published are removed. */
void tfr_labels_close(struct tfr_labels *l);

#endif
