/* convert/output_sets.h - the sets that are written, and the place of each item.
 *
 * The hash of an item's name, alone or among those of its class, decides its set, and its place
 * in that set decides its shard: item k goes to shard k mod N, skipped or not, so that one bad
 * file moves no other.  Nothing is visible until every set is complete and on disk. */
#ifndef TFR_CONVERT_OUTPUT_SETS_H
#define TFR_CONVERT_OUTPUT_SETS_H

#include "base/unread.h"
#include "convert/input.h"
#include "shard/set_writer.h"

/* Zero-initialised except for `in`. */
struct tfr_sizes {
	struct tfr_input *in;
	bool known;
	size_t target;	       /* of items with a place, only those of this set count */
	uint64_t bytes, items; /* of all items that count */
};

/* Returns the name with which set `target` is opened, which the caller frees, and when a shard
 * of it is full.  Both limits are 0 if item k goes to shard k modulo the number of shards. */
enum tfr_status tfr_sizes_of_set(struct tfr_sizes *s, size_t target, char **name,
	struct tfr_set_fill *fill, struct tfr_error *err);

/* The approximate size of an item as a record, with its framing. */
enum tfr_status tfr_sizes_of_record(
	struct tfr_input *in, const struct tfr_item *item, uint64_t *bytes, struct tfr_error *err);

struct tfr_sets;
struct tfr_division;

/* Divides the items of a list class by class, so that each set gets its fraction of each class. The
 * rule is that of shard/fractions.h with the XXH3-64 of the name as the hash; items without a class form
 * one more class.  TFR_EUSAGE: the input is a stream, or it has no classes. */
enum tfr_status tfr_division_open(
	struct tfr_division **s, struct tfr_input *in, struct tfr_error *err);
/* Accepts NULL. */
void tfr_division_close(struct tfr_division *s);

/* `in` has the classes.  TFR_EEXIST: a set exists.  `mark` NULL: starts at the beginning, else
 * continues from what tfr_sets_mark() saved in another run.  `terms`: as struct tfr_set_how has
 * them, or NULL. */
enum tfr_status tfr_sets_open(struct tfr_sets **s, const struct tfr_convert_opts *opts,
	struct tfr_input *in, struct tfr_unread *mark, const struct tfr_set_info *terms,
	struct tfr_error *err);
/* The set of an item, or opts->output.target_count for none.  `division` is that of
 * opts->order.stratify, or NULL. */
size_t tfr_sets_choose(const struct tfr_convert_opts *opts, const struct tfr_division *division,
	const struct tfr_item *item);
/* The number of lanes that can be written at once: the shards of all sets, or a whole set. */
uint32_t tfr_sets_lanes(const struct tfr_sets *s);
/* Places the next item, which has its name, and sets its target, rank and lane; one thread at a
 * time.  False: the fractions leave it over. */
bool tfr_sets_place(struct tfr_sets *s, struct tfr_item *item, uint32_t *lane);
/* Whether the item, which is placed, goes to a shard that this process owns. */
bool tfr_sets_own(const struct tfr_sets *s, const struct tfr_item *item);
/* Places an item again, at the rank that it had. */
void tfr_sets_place_again(
	const struct tfr_sets *s, struct tfr_item *item, uint64_t rank, uint32_t *lane);
/* The number of shards of the set that has most. */
uint32_t tfr_sets_most_shards(const struct tfr_sets *s);
/* Writes the record of an item, and sets its shard and its number in the shard; one thread per
 * lane at a time. */
enum tfr_status tfr_sets_put(struct tfr_sets *s, struct tfr_item *item, struct tfr_error *err);
/* Adds a written item to its set's histogram; one thread at a time. */
void tfr_sets_tally(struct tfr_sets *s, const struct tfr_item *item);
/* The records and the content sum of all sets. */
struct tfr_totals tfr_sets_totals(const struct tfr_sets *s);
/* Forces everything to disk and appends the state from which another run can continue, while no
 * record is written.  If the run can be resumed, the temporaries stay from now on in any case. */
enum tfr_status tfr_sets_mark(struct tfr_sets *s, struct tfr_buf *mark, struct tfr_error *err);
/* Completes all sets on disk, still under their temporary names. */
enum tfr_status tfr_sets_seal(struct tfr_sets *s, struct tfr_error *err);
/* Publishes all sets and the files that belong to them together or not at all.  `options` and
 * `inputs` go into the manifests: the options that decide the output, and a digest of the
 * inputs; NULL: none. */
enum tfr_status tfr_sets_publish(
	struct tfr_sets *s, const char *options, uint64_t inputs, struct tfr_error *err);
/* The writer of a set. */
struct tfr_set_writer *tfr_sets_writer(const struct tfr_sets *s, size_t target);
/* The writer that is published last, with the files that belong to all sets. */
struct tfr_set_writer *tfr_sets_last(const struct tfr_sets *s);
/* Removes everything that was not published.  Accepts NULL. */
void tfr_sets_close(struct tfr_sets *s);

#endif
