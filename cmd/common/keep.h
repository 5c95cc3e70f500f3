/* cmd/common/keep.h - --keep and --drop: Examples with some of their features. */
#ifndef TFR_CMD_COMMON_KEEP_H
#define TFR_CMD_COMMON_KEEP_H

#include "common/cmd.h"

struct features;

/* Reads the names: separated by commas, bare or in quotes.  One of `keep` and `drop` at most is not
 * NULL; both NULL: *f is NULL, and records stay as they are.  On failure the error is printed and
 * the exit status returned; 0 is success. */
int features_open(struct cmd *c, struct features **f, const char *keep, const char *drop);
/* The record with the features that stay, in the builder's form, as pieces that live until the next
 * call.  TFR_EDATA: it is no Example. */
enum tfr_status features_apply(struct features *f, const struct tfr_record *rec,
	const struct iovec **pieces, int *n, struct tfr_error *err);
/* Reports names that no record has.  `read`: how many records the whole input has; 0: not all of it
 * was read.  Where all of them passed through here, a name of --keep that none has is an error. */
void features_finish(struct cmd *c, const struct features *f, uint64_t read);
void features_close(struct features *f); /* accepts NULL */

#endif
