/* convert/folder/synsets.h - the two lists of ImageNet's scripts: the text of each synset, and
 * the synset of each image of a folder (tensorflow/models,
 * research/slim/datasets/{build_imagenet_data,preprocess_imagenet_validation_data}.py). */
#ifndef TFR_CONVERT_FOLDER_SYNSETS_H
#define TFR_CONVERT_FOLDER_SYNSETS_H

#include "base/error.h"
#include "base/names.h"

/* Reads lines of a class, a tab or a space, and a text; each is a name, "CLASS", a NUL and the
 * rest. TFR_EDATA, with the line: it has no text, or its class is repeated. */
enum tfr_status tfr_synsets_read(struct tfr_names *pairs, const char *path, struct tfr_error *err);
/* The text of a class; NULL: there is no such class. */
const char *tfr_synsets_find(const struct tfr_names *pairs, const char *class);
/* Reads the class of each image, one line each.  TFR_EDATA: an empty line that is not at the end.
 */
enum tfr_status tfr_class_list_read(
	struct tfr_names *classes, const char *path, struct tfr_error *err);

#endif
