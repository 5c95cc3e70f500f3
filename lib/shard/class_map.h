/* shard/class_map.h - the number of each class of a set, by the name of the class.
 *
 * If two sets number their classes differently, a model trains and validates on different things,
 * although every record is valid.  The map comes from the manifest of a set, from its labels file,
 * or from records. */
#ifndef TFR_SHARD_CLASS_MAP_H
#define TFR_SHARD_CLASS_MAP_H

#include <tfr-private/shard.h>

struct tfr_class_entry {
	char *text;
	int64_t label;
};

/* By text, bytewise; a class has its first number. */
struct tfr_class_map {
	struct tfr_class_entry *list;
	size_t n, cap;
	bool sorted;
};

/* False: out of memory.  A text that is empty or has a NUL is not a name. */
bool tfr_class_map_add(struct tfr_class_map *m, const char *text, size_t size, int64_t label);
/* Call it after the last class is added, before the functions below. */
void tfr_class_map_sort(struct tfr_class_map *m);
void tfr_class_map_clear(struct tfr_class_map *m);
#define TFR_AUTO_CLASS_MAP __attribute__((cleanup(tfr_class_map_clear))) struct tfr_class_map

/* Counts the classes of both maps that have different numbers; *a and *b are the first.  Returns 0
 * also if the maps share less than half of the smaller one: then they describe different things. */
size_t tfr_class_map_conflicts(const struct tfr_class_map *m, const struct tfr_class_map *other,
	const struct tfr_class_entry **a, const struct tfr_class_entry **b);

/* Reads lines LABEL:NAME from memory.  TFR_END: a line has another form, or there are no lines. */
enum tfr_status tfr_class_map_parse(
	struct tfr_class_map *m, const char *text, size_t size, struct tfr_error *err);

/* --- in set_classes.c --- */

/* The same for a file, which may also be a manifest.  TFR_END: also if it cannot be read. */
enum tfr_status tfr_class_map_read(
	struct tfr_class_map *m, const char *path, struct tfr_error *err);
/* Reads the map of the set that `file` belongs to, from the files beside it.  TFR_END: none of them
 * has a map. */
enum tfr_status tfr_class_map_beside(
	struct tfr_class_map *m, const char *file, struct tfr_error *err);

#endif
