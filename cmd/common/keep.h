/* cmd/common/keep.h - --keep and --drop: Examples with only some of their features. */
#ifndef TFR_CMD_COMMON_KEEP_H
#define TFR_CMD_COMMON_KEEP_H

#include "common/cmd.h"

struct features;

/* Parses names separated by commas, with or without quotes.  At most one of `keep` and `drop` is
 * not NULL; if both are NULL, *f is NULL and records stay unchanged.  On failure the error is
 * printed and the exit status returned; 0 is success. */
int features_open(struct cmd *c, struct features **f, const char *keep, const char *drop);
/* Returns the record with the features that are kept, in the builder's form, as pieces that are
 * valid until the next call.  TFR_EDATA: the record is not an Example. */
enum tfr_status features_apply(struct features *f, const struct tfr_record *rec,
	const struct iovec **pieces, int *n, struct tfr_error *err);
/* Reports names that no record has.  `read`: how many records the input has, or 0 if not all of
 * it was read.  If all of them passed through here, a name in --keep that no record has is an
 * error. */
void features_finish(struct cmd *c, const struct features *f, uint64_t read);
void features_close(struct features *f); /* accepts NULL */

#endif
