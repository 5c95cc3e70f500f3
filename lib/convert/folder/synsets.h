/* convert/folder/synsets.h - the two lists of ImageNet's scripts: the text of each synset, and
 * the synset of each image of a folder (tensorflow/models,
 * research/slim/datasets/{build_imagenet_data,preprocess_imagenet_validation_data}.py). */
#ifndef TFR_CONVERT_FOLDER_SYNSETS_H
#define TFR_CONVERT_FOLDER_SYNSETS_H

#include "convert/folder/class_names.h"

/* Names of classes and their texts; zero-initialised is empty. */
struct tfr_synsets {
	struct tfr_buf texts, pairs_;
	size_t n;
};

/* Reads lines of a class, a tab or a space, and a text.  TFR_EDATA, with the line: it has no
 * text, or its class is repeated. */
enum tfr_status tfr_synsets_read(struct tfr_synsets *s, const char *path, struct tfr_error *err);
/* NULL: there is no such class. */
const char *tfr_synsets_find(const struct tfr_synsets *s, const char *class);
void tfr_synsets_clear(struct tfr_synsets *s);

/* The class of each image, one line each. */
struct tfr_class_list {
	struct tfr_buf texts, offsets_;
	size_t n;
	/* The first empty line, if only empty lines follow; 0: there is none. */
	uint64_t blank;
};

/* TFR_EDATA: an empty line that is not at the end. */
enum tfr_status tfr_class_list_read(
	struct tfr_class_list *l, const char *path, struct tfr_error *err);
static inline const char *tfr_class_list_at(const struct tfr_class_list *l, size_t i)
{
	return (const char *)l->texts.data + ((const size_t *)(const void *)l->offsets_.data)[i];
}
void tfr_class_list_clear(struct tfr_class_list *l);

#endif
