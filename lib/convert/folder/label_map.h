/* convert/folder/label_map.h - labels from a file: lines LABEL:NAME, or NAME, which are numbered.
 */
#ifndef TFR_CONVERT_FOLDER_LABEL_MAP_H
#define TFR_CONVERT_FOLDER_LABEL_MAP_H

#include "convert/input.h"

struct tfr_label_map {
	struct tfr_buf text;	   /* the names lie in it */
	struct tfr_class *classes; /* by rising labels */
	size_t n;
	const struct tfr_class **by_name; /* sorted */
};

/* Reads a file, which may be the manifest of a set instead.  Lines without a label are numbered
 * from `base`; with labels there may be none. Empty lines are passed over.  TFR_EDATA, with the
 * line's number: a label that is no number, a name or a label that comes twice.  To be cleared in
 * any case. */
enum tfr_status tfr_label_map_read(
	struct tfr_label_map *m, const char *path, int64_t base, struct tfr_error *err);
/* The class's number among m->classes; TFR_NO_CLASS: none has this name. */
uint32_t tfr_label_map_find(const struct tfr_label_map *m, const char *name);
void tfr_label_map_clear(struct tfr_label_map *m);

#endif
