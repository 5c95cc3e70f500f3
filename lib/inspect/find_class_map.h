/* inspect/find_class_map.h - finds the class map of a set. */
#ifndef TFR_INSPECT_FIND_CLASS_MAP_H
#define TFR_INSPECT_FIND_CLASS_MAP_H

#include "shard/class_map.h"

/* Reads the map from files beside the set.  Otherwise it is taken from records with
 * image/class/label and image/class/text, of which about 256 MiB are read in all files together.
 * Standard input and pipes are not read.  An empty map: there is no source. */
enum tfr_status tfr_class_map_find(
	struct tfr_class_map *m, const char *const *files, size_t count, struct tfr_error *err);

#endif
