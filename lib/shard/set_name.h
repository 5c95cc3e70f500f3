/* shard/set_name.h - parses the file name of a shard, and names the files beside a set.
 *
 * The name of a file beside a set contains the number of shards and the extension, so that it
 * belongs to one set.  It matches none of the patterns by which people read sets ("train-*",
 * "*.tfrecord*",
 * "*.gz"), because TensorFlow would read it as records:
 *
 *   train@16.tfrecord        train.16-tfrecord.WHAT
 *   train@4.tfrecord.gz      train.4-tfrecord-gz.WHAT
 *   train@16                 train.16.WHAT
 *   mnist-train.tfrecord@4   mnist-train.4_tfrecord.WHAT
 *   train.tfrecord, a file   train.file-tfrecord.WHAT */
#ifndef TFR_SHARD_SET_NAME_H
#define TFR_SHARD_SET_NAME_H

#include <tfr-private/shard.h>

enum { TFR_SHARDS_MAX = 1000000 }; /* of a set */

struct tfr_shard_file {
	size_t base_size;      /* bytes of the name before "-NNNNN-of-NNNNN" */
	const char *extension; /* points into the name */
	uint32_t shard, count;
};

/* Whether `file` ends in -NNNNN-of-NNNNN[.ext] with a shard below the count. */
bool tfr_shard_file_parse(const char *file, struct tfr_shard_file *f);
/* Whether it is a shard of the set, with any number of shards. */
bool tfr_shard_file_of(const struct tfr_set_name *name, const char *file, struct tfr_shard_file *f);
/* Whether two shards belong to one set. */
bool tfr_shard_file_in_set_of(const char *a, const struct tfr_shard_file *fa, const char *b,
	const struct tfr_shard_file *fb);

/* The name of the set that a shard belongs to; clear it with tfr_set_name_clear().  TFR_END: not a
 * shard. */
enum tfr_status tfr_shard_file_set(
	struct tfr_set_name *name, const char *file, struct tfr_error *err);

/* tfr_set_name_parse() for an output.  TFR_EUSAGE: also for a file name with an '@', because a set
 * was probably meant. */
enum tfr_status tfr_set_name_parse_target(
	struct tfr_set_name *name, const char *text, struct tfr_error *err);

/* Finds the number of shards of "base@*", which was given as `input`; every matching file must
 * agree. */
enum tfr_status tfr_set_name_count(
	struct tfr_set_name *name, const char *input, struct tfr_error *err);

#define TFR_AUTO_SET_NAME __attribute__((cleanup(tfr_set_name_clear))) struct tfr_set_name

/* The file `what` beside a set whose number of shards is known, or beside a single file; `what` is
 * "manifest.json" or "labels.txt".  The caller frees it; NULL: out of memory. */
char *tfr_set_name_beside(const struct tfr_set_name *name, const char *what);
char *tfr_file_name_beside(const char *path, const char *what);
/* "out/train.16-tfrecord.part-00003-of-00008.json", the note of a part. */
char *tfr_set_name_note(const struct tfr_set_name *name, uint32_t part, uint32_t parts);

#endif
