/* tfr/error.h - how every function of libtfr reports an error.
 *
 * A function that can fail returns enum tfr_status and takes `struct tfr_error *err` last.  On
 * TFR_OK and TFR_END `err` is unchanged; otherwise the function that failed fills it.  `err` may
 * be NULL; the caller then gets only the status.  The library never prints and never exits. */
#ifndef TFR_ERROR_H
#define TFR_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TFR_API __attribute__((visibility("default")))
#define TFR_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TFR_API
#define TFR_PRINTF(f, a)
#endif

enum tfr_status {
	TFR_OK = 0,
	TFR_END,	  /* nothing left; not an error */
	TFR_EDATA,	  /* the data is damaged, incomplete or not as expected */
	TFR_EFORMAT,	  /* the file is not of the expected kind at all */
	TFR_EUSAGE,	  /* the caller asked for something impossible */
	TFR_EEXIST,	  /* the target exists and overwriting was not allowed */
	TFR_ESYS,	  /* a system call failed: err->sys_errno has the reason */
	TFR_ENOMEM,	  /* out of memory, or over the memory the caller allowed */
	TFR_EUNAVAILABLE, /* not in this build, no such device */
	TFR_ECANCELLED,	  /* the caller asked to stop */
};

enum { TFR_ERROR_TEXT = 992 };

/* What went wrong and where.  The struct owns all of its text, so that it can be copied, passed
 * between threads and dropped without a clean-up.
 *
 * `message` begins with the message.  The same buffer holds the path and the hint after it: read
 * these with tfr_error_path() and tfr_error_hint_text().  A message of over 575 bytes or a hint
 * of over 383 is cut.  A path that does not fit in the rest loses its middle:
 * "/data/...-00001.gz". */
struct tfr_error {
	enum tfr_status status;
	int sys_errno;	 /* errno of the failed call, or EACCES if a server refuses; 0: neither */
	uint64_t record; /* counted from 0 within its file */
	uint64_t offset; /* of the record's first byte, in the uncompressed stream of a compressed
			    file */
	uint16_t path_at, hint_at;    /* private: where in `message` they begin, 0: none */
	bool has_record;	      /* record and offset are set */
	bool explained;		      /* private: the message has the reason of sys_errno */
	char message[TFR_ERROR_TEXT]; /* lower case, no period: "data checksum mismatch" */
};

/* The path of the file, "" if none.  Valid until the struct is filled again. */
static inline const char *tfr_error_path(const struct tfr_error *err)
{
	return err->path_at ? err->message + err->path_at : "";
}

/* What to do, in one or more sentences; "" if there is no hint.  Valid until the struct is
 * filled again. */
static inline const char *tfr_error_hint_text(const struct tfr_error *err)
{
	return err->hint_at ? err->message + err->hint_at : "";
}

/* Sets the hint of a filled error, in complete sentences.  An empty one removes it. */
TFR_API void tfr_error_hint(struct tfr_error *err, const char *format, ...) TFR_PRINTF(2, 3);

/* Writes "data checksum mismatch in 'a.tfrecord', record 7, offset 1234" (no newline, control
 * characters escaped) to `text`, cut at `size` bytes including the NUL.  The hint is not part of
 * it.  Returns `text`. */
TFR_API char *tfr_error_format(const struct tfr_error *err, char *text, size_t size);

/* The exit status of a command for `status`: 0 success, 1 bad data, 2 wrong usage, 3 system
 * failure. */
TFR_API int tfr_status_exit_code(enum tfr_status status);

/* The version of the library, "MAJOR.MINOR.PATCH". */
TFR_API const char *tfr_version(void);

#ifdef __cplusplus
}
#endif

#endif
