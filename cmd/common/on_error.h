/* cmd/common/on_error.h - the words of --on-error: fail, skip, quarantine=FILE. */
#ifndef TFR_CMD_COMMON_ON_ERROR_H
#define TFR_CMD_COMMON_ON_ERROR_H

#include "common/cmd.h"

/* The FILE of "quarantine=FILE"; NULL: `on_error` is another word. */
const char *on_error_quarantine(const char *on_error);
/* Checks the word of --on-error; NULL is allowed.  0, or the exit status: the error is printed. */
int on_error_check(struct cmd *c, const char *on_error);
enum tfr_on_fault on_error_policy(const char *on_error);
/* Opens that FILE; `*quarantine` stays as it is if `on_error` is another word. */
enum tfr_status on_error_open_quarantine(struct tfr_stream_writer **quarantine,
	const char *on_error, bool force, bool dry_run, struct tfr_error *err);

#endif
