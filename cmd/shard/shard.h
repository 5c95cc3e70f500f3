/* cmd/shard/shard.h - the parts of tfr shard's command line that have a file of their own. */
#ifndef TFR_CMD_SHARD_SHARD_H
#define TFR_CMD_SHARD_SHARD_H

#include "common/cmd.h"

/* --- lists: cmd/shard/columns.c --- */

/* Reads --types NAME=TYPE,... and --embed COLUMN[=FEATURE] into `o`.  0, or the exit status. */
int shard_parse_columns(struct cmd *c, const struct opt_list *types, const struct opt_list *embeds,
	struct tfr_convert_opts *o);
void shard_free_columns(struct tfr_convert_opts *o);

#endif
