/* shard/class_map.h - which number each class of a set has, by the name of the class.
 *
 * Two sets whose numbers differ train and validate on different things, and every record of them is
 * valid.  The map comes from the manifest of a set, from its labels file, or from records. */
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

/* False: out of memory.  Texts with a NUL and empty ones are no names. */
bool tfr_class_map_add(struct tfr_class_map *m, const char *text, size_t size, int64_t label);
/* After the last was added, before any of the following. */
void tfr_class_map_sort(struct tfr_class_map *m);
void tfr_class_map_clear(struct tfr_class_map *m);

/* Reads lines LABEL:NAME from memory.  TFR_END: a line is no such line, or there is none. */
enum tfr_status tfr_class_map_parse(
	struct tfr_class_map *m, const char *text, size_t size, struct tfr_error *err);
/* The same of a file, which may be a manifest instead; TFR_END as well where it cannot be read. */
enum tfr_status tfr_class_map_read(
	struct tfr_class_map *m, const char *path, struct tfr_error *err);
/* The map of the set that `file` belongs to, from what lies beside it.  TFR_END: nothing there says
 * it. */
enum tfr_status tfr_class_map_beside(
	struct tfr_class_map *m, const char *file, struct tfr_error *err);

/* Classes of both maps that have different numbers; *a and *b are the first.  0 as well where the
 * maps have less than half of the smaller one in common: they are of different things. */
size_t tfr_class_map_conflicts(const struct tfr_class_map *m, const struct tfr_class_map *other,
	const struct tfr_class_entry **a, const struct tfr_class_entry **b);

#endif
