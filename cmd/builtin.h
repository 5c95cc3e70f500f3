/* cmd/builtin.h - the commands, and the help that main prints itself. */
#ifndef TFR_CMD_BUILTIN_H
#define TFR_CMD_BUILTIN_H

#include "common/cmd.h"

extern const struct command cmd_bench_feed, cmd_cat, cmd_check, cmd_completion, cmd_count,
	cmd_dedup, cmd_diff, cmd_doctor, cmd_export, cmd_finish, cmd_help, cmd_index, cmd_repair,
	cmd_resample, cmd_schema, cmd_shard, cmd_show, cmd_shuffle_to_disk, cmd_split, cmd_stats,
	cmd_version;

/* Finds a command by its name or alias.  NULL: none. */
const struct command *help_find_command(const char *name);
/* Fills the error, with a hint: the command that was probably meant. */
void help_unknown_command(const char *name, struct tfr_error *err);
void help_print_commands(FILE *f);
void help_print_command(const struct command *command);

#endif
