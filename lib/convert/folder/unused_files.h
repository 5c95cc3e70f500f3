/* convert/folder/unused_files.h - finds files of annotations that a folder or an archive of images
 * or audio contains and that its kind of input does not read.
 *
 * The content of a file decides, or its name if it is that of an image ("labels/1.txt" of
 * "images/1.jpg"), wherever in the tree both are.  A bounded number of files is examined. */
#ifndef TFR_CONVERT_FOLDER_UNUSED_FILES_H
#define TFR_CONVERT_FOLDER_UNUSED_FILES_H

#include "convert/folder/scan.h"
#include "convert/input.h"
#include "io/source.h"

enum { TFR_UNUSED_HEAD = 16 << 10 };

/* The hint for an archive, whose files no option can name. */
#define TFR_UNUSED_UNPACK                                                                          \
	"tfr-shard(1) has the layouts that are read.  To name the files in an option, unpack the " \
	"archive."

struct tfr_unused {
	const struct tfr_input *in;
	const struct tfr_opened *opened; /* files that the kind has read; NULL: none */
	struct tfr_buf stems; /* uint64_t: hashes of the names of images without extension */
	struct tfr_buf files; /* those that are, with their paths and heads */
	size_t n;	      /* files that could be annotations */
	bool above;	      /* files outside of the input must name its images */
};

/* Adds a file of the input by its path.  *wanted: its first TFR_UNUSED_HEAD bytes are to be added
 * by tfr_unused_add().  False: out of memory. */
bool tfr_unused_note(struct tfr_unused *u, const char *path, bool *wanted);
bool tfr_unused_add(struct tfr_unused *u, const char *path, const void *head, size_t size);
/* TFR_EUSAGE: there are files that look like annotations.  `how`: the hint if they have to be moved
 * before an option reads them; or NULL. */
enum tfr_status tfr_unused_judge(struct tfr_unused *u, const char *how, struct tfr_error *err);
void tfr_unused_clear(struct tfr_unused *u);
/* Examines the files of a folder that has been opened as `in`, and those beside it with the usual
 * names. */
enum tfr_status tfr_unused_refuse(
	const struct tfr_input *in, const struct tfr_opened *opened, struct tfr_error *err);

#endif
