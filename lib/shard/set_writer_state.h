/* shard/set_writer_state.h - the inside of a set writer.
 *
 * Shard 0 is open from the start to the end: its lock keeps a second run away from all of them. */
#ifndef TFR_SHARD_SET_WRITER_STATE_H
#define TFR_SHARD_SET_WRITER_STATE_H

#include "record/writer.h"
#include "shard/set_name.h"
#include "shard/set_writer.h"

struct tfr_set_writer {
	struct tfr_set_name name; /* base NULL: a single file */
	struct tfr_writer **shards;
	char **files; /* of a set that fills: not known before it is sealed, NULL */
	uint32_t count, cap;
	uint32_t pinned; /* shards from here on hold no descriptor between writes */
	struct tfr_writer_opts opts;
	struct tfr_press *press; /* of all shards together: they share its threads */
	bool sealed;
	void (*warn)(void *ctx, const char *text);
	void *ctx;

	bool fills;
	struct tfr_set_fill fill;
	uint64_t bytes, records; /* of the shard whose turn it is */
};

/* Opens shard `shard`, whose place in the arrays is there. */
enum tfr_status tfr_set_writer_open_shard(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_unread *mark, struct tfr_error *err);

/* Whether a set of the same name with another number of shards is there: TFR_EEXIST, or with
 * opts.force a warning. */
enum tfr_status tfr_set_writer_check_others(struct tfr_set_writer *w, struct tfr_error *err);

/* Of a set that fills, in set_fill.c: */
/* Opens the next shard. */
enum tfr_status tfr_set_fill_grow(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err);
/* Now that there are no more, gives the shards their names. */
enum tfr_status tfr_set_fill_name(struct tfr_set_writer *w, struct tfr_error *err);

/* Opens every shard where a mark says, in set_mark.c. */
enum tfr_status tfr_set_writer_resume(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err);

#endif
