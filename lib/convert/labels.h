/* convert/labels.h - labels.txt: a line LABEL:NAME a class, as slim's data sets have it, beside
 * each set. */
#ifndef TFR_CONVERT_LABELS_H
#define TFR_CONVERT_LABELS_H

#include "convert/input.h"

struct tfr_output;

struct tfr_labels {
	struct tfr_buf text;
	struct tfr_output **files; /* one a place where it is to be written */
	size_t n;
};

/* Makes the text and opens the files; one that is there and says the same is left alone.
 * TFR_EEXIST: one is there that says something else, and in->opts->writer.force is not set. */
enum tfr_status tfr_labels_open(
	struct tfr_labels *l, const struct tfr_input *in, struct tfr_error *err);
/* Writes them and gives them their names. */
enum tfr_status tfr_labels_publish(struct tfr_labels *l, struct tfr_error *err);
/* What was not published is removed. */
void tfr_labels_close(struct tfr_labels *l);

#endif
