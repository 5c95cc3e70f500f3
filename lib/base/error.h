/* base/error.h - filling struct tfr_error.  Each function returns the status it stored, so that a
 * caller can `return tfr_fail(...)`.  A NULL err is allowed everywhere; a NULL path means none. */
#ifndef TFR_BASE_ERROR_H
#define TFR_BASE_ERROR_H

#include <tfr-private/error.h>

/* A failure without a file: "more workers than 1024". */
enum tfr_status tfr_fail(struct tfr_error *err, enum tfr_status status, const char *format, ...)
	TFR_PRINTF(3, 4);

/* The same with the hint that tells what to do. */
enum tfr_status tfr_fail_hint(struct tfr_error *err, enum tfr_status status, const char *hint,
	const char *format, ...) TFR_PRINTF(4, 5);

/* A failure of a file as such: "cannot open 'PATH'".  `format` gives the words before the quoted
 * path. */
enum tfr_status tfr_fail_path(struct tfr_error *err, enum tfr_status status, const char *path,
	const char *format, ...) TFR_PRINTF(4, 5);

/* A failed call on a file: "cannot open 'PATH': No such file or directory".  ENOMEM becomes
 * TFR_ENOMEM. */
enum tfr_status tfr_fail_errno(struct tfr_error *err, int sys_errno, const char *path,
	const char *format, ...) TFR_PRINTF(4, 5);

/* Sets the errno of a failure whose message says more than the system's text would. */
void tfr_error_explained(struct tfr_error *err, int sys_errno);

/* Whether a failed call is unrelated to its file, because the process ran out of memory or of
 * file descriptors.  The next file would fail as well, so no item is skipped for it. */
bool tfr_errno_of_process(int sys_errno);

/* A fault in a record: "data checksum mismatch in 'PATH', record R, offset O". */
enum tfr_status tfr_fail_record(struct tfr_error *err, enum tfr_status status, const char *path,
	uint64_t record, uint64_t offset, const char *format, ...) TFR_PRINTF(6, 7);

/* Out of memory; `what` names the operation ("reading 'a.tfrecord'"). */
enum tfr_status tfr_fail_nomem(struct tfr_error *err, const char *what);

/* Copies a failure, if `why` is one.  Returns its status. */
enum tfr_status tfr_error_pass(const struct tfr_error *why, struct tfr_error *err);

/* Returns TFR_ENOMEM where memory was asked for and `got` is false or NULL. */
#define TFR_NEED_MEMORY(got, err, what)                                                            \
	do {                                                                                       \
		if (!(got))                                                                        \
			return tfr_fail_nomem(err, what);                                          \
	} while (0)

/* Sets the path of an error that was filled by code that does not know it. */
void tfr_error_set_path(struct tfr_error *err, const char *path);
void tfr_error_locate(struct tfr_error *err, const char *path, uint64_t record, uint64_t offset);

/* Appends to the message of a filled error. */
void tfr_error_append(struct tfr_error *err, const char *format, ...) TFR_PRINTF(2, 3);

#endif
