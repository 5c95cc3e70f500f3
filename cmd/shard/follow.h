/* cmd/shard/follow.h - tfr shard --follow: one set for each writer of a FIFO. */
#ifndef TFR_CMD_SHARD_FOLLOW_H
#define TFR_CMD_SHARD_FOLLOW_H

#include "common/cmd.h"

/* Calls run() for each epoch with options that have its descriptor and set, until run() returns a
 * status other than 0.  Returns the exit status. */
int shard_follow(struct cmd *c, const struct tfr_convert_opts *o,
	int (*run)(struct cmd *c, struct tfr_convert_opts *o));

#endif
