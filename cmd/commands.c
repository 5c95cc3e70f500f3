/* cmd/commands.c - the table of commands.  tests/man/option_tables.c compares their options. */
#include "builtin.h"

/* In the order of the groups in common/help.c. */
const struct command *const commands[] = {
	&cmd_shard,
	&cmd_finish,
	&cmd_index,
	&cmd_show,
	&cmd_count,
	&cmd_schema,
	&cmd_stats,
	&cmd_diff,
	&cmd_check,
	&cmd_doctor,
	&cmd_repair,
	&cmd_cat,
	&cmd_shuffle_to_disk,
	&cmd_resample,
	&cmd_split,
	&cmd_dedup,
	&cmd_export,
	&cmd_bench_feed,
	&cmd_help,
	&cmd_version,
	&cmd_completion,
	NULL,
};
