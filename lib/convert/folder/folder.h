/* convert/folder/folder.h - a folder whose files are items and whose sub-folders are classes,
 * whatever kind of file they are. */
#ifndef TFR_CONVERT_FOLDER_FOLDER_H
#define TFR_CONVERT_FOLDER_FOLDER_H

#include "convert/input.h"

/* What is done with the files of a folder, one at a time, by any thread. */
struct tfr_folder_kind {
	const char *one;		      /* "an image" */
	void (*look)(struct tfr_item *item);  /* skips what does not begin as the kind does, as
						 tfr_item_read() has it */
	void (*judge)(struct tfr_item *item); /* skips what is broken, of a whole file */
	/* Makes the features of item->file, those of the class among them. */
	enum tfr_status (*add)(struct tfr_input *in, struct tfr_item *item,
		struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
};

/* For a kind of input: its open, the rest of its functions as they are. */
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
