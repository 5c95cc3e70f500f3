/* cmd/common/selection.h - the selected records of a command, one after another: parses the
 * selecting options, opens the inputs, and uses <tfr/select.h>. */
#ifndef TFR_CMD_COMMON_SELECTION_H
#define TFR_CMD_COMMON_SELECTION_H

#include "common/cmd.h"

struct selection;

struct selection_opts {
	uint64_t skip, limit;	/* limit UINT64_MAX: all */
	const char *where;	/* NULL: all */
	const char *records;	/* "0,5,10-20,100-"; NULL: all */
	const char *every;	/* "N" or "N+OFFSET"; NULL: all */
	const char *sample;	/* "0.1"; NULL: all */
	const char *interleave; /* "CYCLE,BLOCK"; NULL: one file after another */
	const char *mix;	/* "a=0.7,b=0.3,until=first", in place of operands; NULL: these */
	uint64_t shuffle_buffer, seed; /* 0: the order is kept */
	enum tfr_framing framing;
	enum tfr_compression compression;
	bool allow_missing;
	const char *on_error;		   /* "fail" (or NULL), "skip" or "quarantine=FILE" */
	bool force;			   /* overwrite that FILE */
	const struct tfr_growing *growing; /* NULL: the inputs do not grow */
	struct tfr_progress *progress;
};

/* Opens the command's inputs.  On failure the error is printed and the exit status returned; 0 is
 * success. */
int selection_open(struct cmd *c, struct selection **s, const struct selection_opts *opts);
/* The next selected record, a view until the next call.  TFR_END after the last. */
enum tfr_status selection_next(struct selection *s, struct tfr_record *rec, struct tfr_error *err);
/* The file of the last record. */
const char *selection_path(const struct selection *s);
/* Sets the place of `rec` in `err`. */
void selection_locate(
	const struct selection *s, const struct tfr_record *rec, struct tfr_error *err);
/* As tfr_select_reject(). */
enum tfr_status selection_reject(struct selection *s, const struct tfr_record *rec,
	enum tfr_status status, struct tfr_error *err);
/* The library's stream of the records. */
struct tfr_select *selection_records(struct selection *s);
/* After the last record: reports names in --where that no record has. */
void selection_finish(struct selection *s);
/* The FILE of "quarantine=FILE"; NULL: `on_error` is another word. */
const char *selection_quarantine(const char *on_error);
/* Checks the word of --on-error; NULL is allowed.  0, or the exit status: the error is printed. */
int selection_check_on_error(struct cmd *c, const char *on_error);
/* Opens that FILE; `*quarantine` stays as it is if `on_error` is another word. */
enum tfr_status selection_open_quarantine(struct tfr_stream_writer **quarantine,
	const char *on_error, bool force, bool dry_run, struct tfr_error *err);
/* The quarantine, to be published with a set; NULL: none. */
struct tfr_stream_writer *selection_aside(const struct selection *s);
/* Publishes the quarantine alone. */
enum tfr_status selection_publish(struct selection *s, struct tfr_error *err);
void selection_close(struct selection *s);

/* Like tfr_set_info_carry() for the inputs; the sets of a mixture have no classes in common. */
enum tfr_status selection_carry(
	const struct selection *s, struct tfr_set_info *info, struct tfr_error *err);

/* The bytes of all inputs, as far as they have a size and are read once. */
uint64_t selection_bytes(const struct selection *s);
/* Records read so far, and faults skipped. */
uint64_t selection_read(const struct selection *s);
uint64_t selection_bad(const struct selection *s);

#endif
