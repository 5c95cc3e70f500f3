/* shard/set_name.h - reading a shard's file name back into its parts, and naming what is written
 * beside a set.
 *
 * Names beside a set belong to that set alone: they have its count and its extension.  They match
 * none of the patterns by which people read sets ("train-*", "*.tfrecord*", "*.gz"), since
 * TensorFlow would read them as records:
 *
 *   train@16.tfrecord        train.16-tfrecord.WHAT
 *   train@4.tfrecord.gz      train.4-tfrecord-gz.WHAT
 *   train@16                 train.16.WHAT
 *   mnist-train.tfrecord@4   mnist-train.4_tfrecord.WHAT
 *   train.tfrecord, a file   train.file-tfrecord.WHAT */
#ifndef TFR_SHARD_SET_NAME_H
#define TFR_SHARD_SET_NAME_H

#include <tfr-private/shard.h>

struct tfr_shard_file {
	size_t base_size;      /* bytes of the name before "-NNNNN-of-NNNNN" */
	const char *extension; /* points into the name */
	uint32_t shard, count;
};

/* Whether `file` ends in -NNNNN-of-NNNNN[.ext] with a shard below the count. */
bool tfr_shard_file_parse(const char *file, struct tfr_shard_file *f);

/* The name of the set that a shard belongs to, cleared by tfr_set_name_clear().  TFR_END: it is no
 * shard. */
enum tfr_status tfr_shard_file_set(
	struct tfr_set_name *name, const char *file, struct tfr_error *err);

/* tfr_set_name_parse() of a name that is written to.  TFR_EUSAGE, too: a file with an '@' in its
 * name, where a set was meant. */
enum tfr_status tfr_set_name_parse_target(
	struct tfr_set_name *name, const char *text, struct tfr_error *err);

#define TFR_AUTO_SET_NAME __attribute__((cleanup(tfr_set_name_clear))) struct tfr_set_name

/* The file `what` beside a set whose count is known, and beside a single file; `what` is
 * "manifest.json" or "labels.txt".  The caller frees them; NULL: out of memory. */
char *tfr_set_name_beside(const struct tfr_set_name *name, const char *what);
char *tfr_file_name_beside(const char *path, const char *what);
/* "out/train.manifest.json", as version 0.1.0 named it for every set of that base. */
char *tfr_set_name_former_manifest(const struct tfr_set_name *name);

#endif
