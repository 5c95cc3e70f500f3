/* convert/joined_parts.h - opens the parts of a data set as one input: each split goes to the
 * set that names its folder. */
#ifndef TFR_CONVERT_JOINED_PARTS_H
#define TFR_CONVERT_JOINED_PARTS_H

#include "convert/input.h"
#include "convert/parts.h"

/* The functions by which a kind of input handles its parts. */
struct tfr_parts_kind {
	const struct tfr_input_ops *ops;
	/* Finds the parts of the data set with the base `folder`, if it is of this kind.  False:
	 * out of memory; another failure is in *p->err. */
	bool (*find)(struct tfr_parts *p, const char *folder);
	const char *none; /* no part was found: "no images with YOLO labels in" */
	/* Opens one part.  On failure *in is set if there is something to close. */
	enum tfr_status (*open)(struct tfr_input **in, const struct tfr_convert_opts *opts,
		const struct tfr_part *part, struct tfr_error *err);
	/* Numbers the classes of the open parts, two or more, together, and gives `whole` its
	 * classes. */
	enum tfr_status (*unite)(
		struct tfr_input **parts, size_t n, struct tfr_input *whole, struct tfr_error *err);
	bool all; /* the numbering depends also on parts that are not written */
};

/* For ops->recognises(): whether the offer is a folder in which `find` finds parts. */
bool tfr_parts_recognised(
	bool (*find)(struct tfr_parts *p, const char *folder), const struct tfr_offer *offer);
/* Opens the parts that opts->output.targets name, or the only one, which opts->input.annotations
 * can name. TFR_EUSAGE: there is no part; there are several and no target names one, in which case
 * opts->run.found_split is called for each; or a target names a split that does not exist. */
enum tfr_status tfr_parts_open(struct tfr_input **in, const struct tfr_parts_kind *kind,
	const struct tfr_convert_opts *opts, struct tfr_error *err);

#endif
