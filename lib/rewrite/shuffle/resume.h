/* rewrite/shuffle/resume.h - the state of a shuffle after a finished pass, in a file: the positions
 * of all records.
 *
 * The file is written when all data that it refers to is on disk, and is complete or absent.  It
 * names the inputs by path, size and time, so that a run with other inputs, another seed or
 * another selection starts from the beginning. */
#ifndef TFR_REWRITE_SHUFFLE_RESUME_H
#define TFR_REWRITE_SHUFFLE_RESUME_H

#include "base/buf.h"
#include "rewrite/shuffle/saved_pass.h"

/* The name of a run in its temporary folders, which differs for outputs of the same name in
 * different folders.  The caller frees it; NULL: out of memory. */
char *tfr_resume_name(const char *output);

/* A number that differs for other inputs, options or builds.  TFR_EUSAGE: an input or the output
 * is a stream, which cannot be read or written again. */
enum tfr_status tfr_resume_fingerprint(const struct tfr_shuffle_opts *opts,
	const char *const *folders, size_t count, uint64_t *fingerprint, struct tfr_error *err);

/* Writes the options that determine the bytes of the output into `said`, one per line, ending in
 * NUL, and a digest of the inputs by path, size and time. */
enum tfr_status tfr_resume_said(const struct tfr_shuffle_opts *opts, struct tfr_buf *said,
	uint64_t *inputs, struct tfr_error *err);
/* Whether the output exists as written by a run with these options; its records and sum go into
 * the report.  TFR_EUSAGE: the existing output has other options or inputs, and must not be
 * replaced. */
enum tfr_status tfr_resume_finished(const struct tfr_shuffle_opts *opts, const struct tfr_buf *said,
	uint64_t inputs, struct tfr_shuffle_report *report, struct tfr_error *err);

/* FOLDER/.NAME-state.  The caller frees it; NULL: out of memory. */
char *tfr_resume_path(const char *folder, const char *name);
enum tfr_status tfr_resume_save(const char *path, const struct tfr_kept *kept,
	const struct tfr_buckets *buckets, struct tfr_error *err);
/* Reads the state of a run with kept->fingerprint.  TFR_END: there is none, it is damaged, or it
 * belongs to another run.  Another status: tfr_state_load() refuses the file. */
enum tfr_status tfr_resume_load(const char *path, struct tfr_kept *kept, struct tfr_dealt *dealt,
	struct tfr_buckets *buckets, struct tfr_error *err);

#endif
