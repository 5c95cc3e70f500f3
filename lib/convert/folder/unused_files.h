/* convert/folder/unused_files.h - finds files of annotations that a folder or an archive of images
 * or audio contains and that its kind of input does not read.
 *
 * The content of a file decides, or its name if it is that of an image ("labels/1.txt" of
 * "images/1.jpg"), wherever in the tree both are.  Of files whose names differ only in digits, two
 * are examined, and a bounded number of all. */
#ifndef TFR_CONVERT_FOLDER_UNUSED_FILES_H
#define TFR_CONVERT_FOLDER_UNUSED_FILES_H

#include "convert/folder/scan.h"

enum { TFR_UNUSED_HEAD = 16 << 10 };

struct tfr_unused {
	struct tfr_buf stems; /* uint64_t: hashes of the names of images without extension */
	struct tfr_buf files; /* the files that were chosen */
	struct tfr_buf texts; /* their paths and heads */
	uint64_t more;	      /* the number of files that were not, which count as the last */
	bool above;	      /* files outside of the input must name its images */
};

/* Adds a file of the input by its path.  *wanted: its first TFR_UNUSED_HEAD bytes are to be added
 * by tfr_unused_add().  False: out of memory. */
bool tfr_unused_note(struct tfr_unused *u, const char *path, bool *wanted);
bool tfr_unused_add(struct tfr_unused *u, const char *path, const void *head, size_t size);
/* TFR_EUSAGE: there are files that look like annotations.  `how`: the hint for those that no option
 * reads. */
enum tfr_status tfr_unused_judge(struct tfr_unused *u, const struct tfr_convert_opts *opts,
	const char *how, struct tfr_error *err);
/* Examines the files of a scan, and those beside its folder with the usual names. */
enum tfr_status tfr_unused_refuse(
	const struct tfr_scan *scan, const struct tfr_convert_opts *opts, struct tfr_error *err);
void tfr_unused_clear(struct tfr_unused *u);

#endif
