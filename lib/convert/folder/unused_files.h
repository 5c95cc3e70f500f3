/* convert/folder/unused_files.h - warns of annotations in a folder of images that are not read. */
#ifndef TFR_CONVERT_FOLDER_UNUSED_FILES_H
#define TFR_CONVERT_FOLDER_UNUSED_FILES_H

#include "convert/folder/scan.h"

/* Whether a file has a name like annotations, by its path: XML, JSON, a table of metadata, a
 * text in a folder "labels". */
bool tfr_unused_is_annotation(const char *path);
/* Warns of `n` such files, if any; `why` ends the sentence. */
void tfr_unused_say(
	const struct tfr_convert_opts *opts, uint64_t n, const char *first, const char *why);
/* Warns once if files of the scan look like annotations: those above, and texts with the name of
 * an image. */
enum tfr_status tfr_unused_warn(
	const struct tfr_scan *scan, const struct tfr_convert_opts *opts, struct tfr_error *err);

#endif
