/* cmd/shard/follow.h - tfr shard --follow --per-epoch: a set for each writer of a FIFO. */
#ifndef TFR_CMD_SHARD_FOLLOW_H
#define TFR_CMD_SHARD_FOLLOW_H

#include "common/cmd.h"

/* Calls run() with the options of each epoch, whose descriptor and sets are filled in, until it
 * does not return 0.  Returns the exit status. */
int shard_follow(struct cmd *c, const struct tfr_convert_opts *o,
	int (*run)(struct cmd *c, struct tfr_convert_opts *o));

#endif
