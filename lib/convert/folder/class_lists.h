/* convert/folder/class_lists.h - files that name classes: labels, as lines LABEL:NAME or lines
 * NAME, which are numbered, and the two lists of ImageNet's scripts, the text of each synset and
 * the synset of each image of a folder (tensorflow/models,
 * research/slim/datasets/{build_imagenet_data,preprocess_imagenet_validation_data}.py). */
#ifndef TFR_CONVERT_FOLDER_CLASS_LISTS_H
#define TFR_CONVERT_FOLDER_CLASS_LISTS_H

#include "base/names.h"
#include "convert/input.h"

struct tfr_label_map {
	struct tfr_buf text;	   /* the memory of the names */
	struct tfr_class *classes; /* by rising labels */
	size_t n;
	const struct tfr_class **by_name; /* sorted */
};

/* Reads a file of labels or the manifest of a set.  Lines without a label are numbered from
 * `base`; if there are labels, all lines must have one.  Empty lines are skipped.  TFR_EDATA,
 * with the number of the line: a label is not a number, or a name or a label is repeated.  Must
 * be cleared in any case. */
enum tfr_status tfr_label_map_read(
	struct tfr_label_map *m, const char *path, int64_t base, struct tfr_error *err);
/* The same of a text, which `m` takes. */
enum tfr_status tfr_label_map_parse(struct tfr_label_map *m, struct tfr_buf *text, const char *path,
	int64_t base, struct tfr_error *err);
/* The most bytes of such a file; one that has more is refused. */
enum { TFR_LABEL_MAP_MOST = 256 << 20 };
/* The class's number among m->classes; TFR_NO_CLASS: no class has this name. */
uint32_t tfr_label_map_find(const struct tfr_label_map *m, const char *name);
void tfr_label_map_clear(struct tfr_label_map *m);

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
