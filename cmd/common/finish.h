/* cmd/common/finish.h - the end of a job. */
#ifndef TFR_CMD_COMMON_FINISH_H
#define TFR_CMD_COMMON_FINISH_H

#include "common/cmd.h"

/* Runs the recorded command of the job `folder` with the results of all parts, with `jobs` threads
 * if that is not 0.  Messages are those of the command.  With a part, such as "3/8", it only writes
 * the shards of this part.  Returns the exit status. */
int finish_job(struct cmd *c, const char *folder, uint64_t jobs, const char *part);
/* Runs the command without its standard output and closing line, which would be about a share of
 * the inputs. */
int cmd_run_muted(struct cmd *c);

#endif
