/* convert/folder/folder.h - a folder whose files are items and whose sub-folders are classes,
 * for any kind of file. */
#ifndef TFR_CONVERT_FOLDER_FOLDER_H
#define TFR_CONVERT_FOLDER_FOLDER_H

#include "convert/input.h"

/* The functions for the files of a folder, called for one file at a time, by any thread. */
struct tfr_folder_kind {
	const char *one; /* "an image" */
	/* skips a file that does not begin like this kind, for tfr_item_read() */
	void (*look)(struct tfr_item *item);
	void (*judge)(struct tfr_item *item); /* skips a complete file that is broken */
	/* Makes the features of item->file, including those of the class. */
	enum tfr_status (*add)(struct tfr_input *in, struct tfr_item *item,
		struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
};

/* For a kind of input: opens it, with the functions of `kind`. */
enum tfr_status tfr_folder_open(struct tfr_input **in, const struct tfr_input_ops *ops,
	const struct tfr_folder_kind *kind, const struct tfr_convert_opts *opts,
	struct tfr_error *err);
enum tfr_status tfr_folder_next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err);
enum tfr_status tfr_folder_load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
void tfr_folder_measure(
	struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure);
void tfr_folder_close(struct tfr_input *in);

#endif
