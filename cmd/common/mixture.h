/* cmd/common/mixture.h - --mix: sets, each with its weight. */
#ifndef TFR_CMD_COMMON_MIXTURE_H
#define TFR_CMD_COMMON_MIXTURE_H

#include "common/cmd.h"

struct mixture;

/* Reads SET=WEIGHT,SET=WEIGHT,...[,until=first] and opens the sets.  On failure the error is
 * printed and the exit status returned; 0 is success. */
int mixture_open(struct cmd *c, struct mixture **m, const char *text, bool allow_missing);
/* For <tfr/select.h>; lives as long as the mixture. */
const struct tfr_mix *mixture_mix(const struct mixture *m);
/* The bytes of all sets that are read, as far as they have a size. */
uint64_t mixture_bytes(const struct mixture *m);
void mixture_close(struct mixture *m); /* accepts NULL */

#endif
