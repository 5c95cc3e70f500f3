/* rewrite/shuffle/resume.h - the state of a shuffle after a finished pass, in a file: where every
 * record is.
 *
 * The file is written when all it speaks of is on disk, and is whole or absent; it names the inputs
 * by path, size and time, so that a run with other inputs, another seed or another selection starts
 * from the beginning. */
#ifndef TFR_REWRITE_SHUFFLE_RESUME_H
#define TFR_REWRITE_SHUFFLE_RESUME_H

#include "base/buf.h"
#include "rewrite/shuffle/saved_pass.h"

/* What a run is called in its temporary folders: two outputs of one name in two folders do not
 * meet. The caller frees it; NULL: out of memory. */
char *tfr_resume_name(const char *output);

/* A number that other inputs, options or builds do not have.  TFR_EUSAGE: an input or the output is
 * a stream, which cannot be read or written again. */
enum tfr_status tfr_resume_fingerprint(const struct tfr_shuffle_opts *opts,
	const char *const *folders, size_t count, uint64_t *fingerprint, struct tfr_error *err);

/* What decides the bytes of the output, one option per line, into `said`, which ends in NUL; and a
 * digest of the inputs by path, size and time. */
enum tfr_status tfr_resume_said(const struct tfr_shuffle_opts *opts, struct tfr_buf *said,
	uint64_t *inputs, struct tfr_error *err);
/* Whether the output is there as a run with these options has written it, whose records and sum go
 * into the report.  TFR_EUSAGE: it had other options or inputs, and an existing output is not to be
 * replaced. */
enum tfr_status tfr_resume_finished(const struct tfr_shuffle_opts *opts, const struct tfr_buf *said,
	uint64_t inputs, struct tfr_shuffle_report *report, struct tfr_error *err);

/* FOLDER/.NAME-state.  The caller frees it; NULL: out of memory. */
char *tfr_resume_path(const char *folder, const char *name);
enum tfr_status tfr_resume_save(const char *folder, const char *name, const struct tfr_kept *kept,
	const struct tfr_buckets *buckets, struct tfr_error *err);
/* Reads the state of a run that has kept->fingerprint.  TFR_END: there is none, it is damaged, or
 * it is of another run.  Another status: tfr_state_load() refuses the file. */
enum tfr_status tfr_resume_load(const char *folder, const char *name, struct tfr_kept *kept,
	struct tfr_dealt *dealt, struct tfr_buckets *buckets, struct tfr_error *err);
void tfr_resume_remove(const char *folder, const char *name);

#endif
