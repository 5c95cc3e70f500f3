/* cmd/commands.c - the table of commands, in the order and the groups of 'tfr help'.
 *
 * tests/man/option_tables.c compares their options. */
#include "common/cmd.h"

/* clang-format off */
#define COMMANDS(GROUP, COMMAND)                                                                   \
	GROUP("Create", shard) COMMAND(finish) COMMAND(index)                                      \
	GROUP("Inspect", show) COMMAND(count) COMMAND(schema) COMMAND(stats) COMMAND(diff)         \
	GROUP("Verify and repair", check) COMMAND(doctor) COMMAND(repair)                          \
	GROUP("Transform", cat) COMMAND(shuffle_to_disk) COMMAND(resample) COMMAND(split)          \
		COMMAND(dedup) COMMAND(export)                                                     \
	GROUP("Feed", bench_feed)                                                                  \
	GROUP("Other", help) COMMAND(version) COMMAND(completion)

#define DECLARE(name) extern const struct command cmd_##name;
#define DECLARE_FIRST(heading, name) DECLARE(name)
#define ROW(name) { NULL, &cmd_##name },
#define ROW_FIRST(heading, name) { heading, &cmd_##name },
/* clang-format on */

COMMANDS(DECLARE_FIRST, DECLARE)

const struct command_row commands[] = { COMMANDS(ROW_FIRST, ROW){ NULL, NULL } };
