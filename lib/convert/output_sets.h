/* convert/output_sets.h - the sets being written, and who goes where.
 *
 * The hash of an item's name, alone or among those of its class, says which set it falls to, and
 * its place in that set which shard: item k goes to shard k mod N, skipped or not, so that one bad
 * file moves no other.  Nothing is visible until every set is whole and on disk. */
#ifndef TFR_CONVERT_OUTPUT_SETS_H
#define TFR_CONVERT_OUTPUT_SETS_H

#include "base/unread.h"
#include "convert/division.h"
#include "convert/input.h"

struct tfr_sets;

/* `in` gives the classes.  TFR_EEXIST: a set is there.  `mark` NULL: from the start, else what
 * tfr_sets_mark() noted in another run. */
enum tfr_status tfr_sets_open(struct tfr_sets **s, const struct tfr_convert_opts *opts,
	struct tfr_input *in, struct tfr_unread *mark, struct tfr_error *err);
/* The set that an item falls to; opts->target_count: none.  `division` is that of opts->stratify,
 * or NULL. */
size_t tfr_sets_choose(const struct tfr_convert_opts *opts, const struct tfr_division *division,
	const struct tfr_item *item);
/* Lanes that may be written at once: the shards of all sets, or a whole set. */
uint32_t tfr_sets_lanes(const struct tfr_sets *s);
/* Gives the next item, which has its name, its target, its rank and its lane; one thread at a time.
 * False: the fractions leave it over. */
bool tfr_sets_place(struct tfr_sets *s, struct tfr_item *item, uint32_t *lane);
/* Writes the record of an item, and says where it lies: its shard, and its number in it; one thread
 * a lane at a time. */
enum tfr_status tfr_sets_put(struct tfr_sets *s, struct tfr_item *item, struct tfr_error *err);
/* Adds a written item to its set's histogram; one thread at a time. */
void tfr_sets_tally(struct tfr_sets *s, const struct tfr_item *item);
/* Records and content sum of all sets. */
struct tfr_totals tfr_sets_totals(const struct tfr_sets *s);
/* Forces all to disk and appends what is needed to go on from here; while nobody puts.  Where the
 * run is to be resumed, the temporaries stay from now on, whatever becomes of it. */
enum tfr_status tfr_sets_mark(struct tfr_sets *s, struct tfr_buf *mark, struct tfr_error *err);
/* All sets whole and on disk, under their temporary names still. */
enum tfr_status tfr_sets_seal(struct tfr_sets *s, struct tfr_error *err);
/* All sets, and the files that belong to them, published together or not at all.  `options` and
 * `inputs` are for the manifests: what decides the bytes, and a digest of the inputs; NULL: not
 * noted. */
enum tfr_status tfr_sets_publish(
	struct tfr_sets *s, const char *options, uint64_t inputs, struct tfr_error *err);
/* The writer of a set. */
struct tfr_set_writer *tfr_sets_writer(const struct tfr_sets *s, size_t target);
/* The one that is published last, with what belongs to all of them. */
struct tfr_set_writer *tfr_sets_last(const struct tfr_sets *s);
/* What was not published is removed.  Accepts NULL. */
void tfr_sets_close(struct tfr_sets *s);

#endif
