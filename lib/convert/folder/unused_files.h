/* convert/folder/unused_files.h - annotations that a folder of images has and that are not read. */
#ifndef TFR_CONVERT_FOLDER_UNUSED_FILES_H
#define TFR_CONVERT_FOLDER_UNUSED_FILES_H

#include "convert/folder/scan.h"

/* Whether a file is called as annotations are, by its path: XML, JSON, a table of metadata, a text
 * in a folder "labels". */
bool tfr_unused_is_annotation(const char *path);
/* Warns of `n` such files, if any; `why` ends the sentence. */
void tfr_unused_say(
	const struct tfr_convert_opts *opts, uint64_t n, const char *first, const char *why);
/* Warns once where files of the scan look like annotations: those, and texts called as an image
 * beside them is. */
enum tfr_status tfr_unused_warn(
	const struct tfr_scan *scan, const struct tfr_convert_opts *opts, struct tfr_error *err);

#endif
