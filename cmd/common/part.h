/* cmd/common/part.h - which part of a command this process is. */
#ifndef TFR_CMD_COMMON_PART_H
#define TFR_CMD_COMMON_PART_H

#include "common/cmd.h"

/* Reads --part, "I/N", "auto/N" or "auto", into c->part and c->parts; the latter two ask the
 * environment.  NULL: not given.  On failure the error is printed and the exit status returned; 0
 * is success. */
int cmd_take_part(struct cmd *c, const char *text);
/* Refuses an option that a part cannot have, if both are given.  0: accepted. */
int cmd_refuse_in_part(struct cmd *c, bool given, const char *option, const char *hint);

#endif
