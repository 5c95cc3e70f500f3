/* cmd/common/selection.h - the selected records of a command, one after another: parses the
 * selecting options, opens the inputs, and uses <tfr-private/select.h>. */
#ifndef TFR_CMD_COMMON_SELECTION_H
#define TFR_CMD_COMMON_SELECTION_H

#include "common/cmd.h"

/* Its records are taken with tfr_select_next() and the like. */
struct selection {
	struct tfr_set *set;	 /* NULL: the mixture */
	struct mixture *mixture; /* NULL: the set */
	struct tfr_select *select;
	struct tfr_stream_writer *quarantine; /* NULL: no quarantine was requested */
};

struct selection_opts {
	/* selection_open() sets the members of the order, of --every and --sample, of the mix, of
	 * faults and of messages; the caller sets the others. */
	struct tfr_select_opts select;
	const char *every;	/* "N" or "N+OFFSET"; NULL: all */
	const char *sample;	/* "0.1"; NULL: all */
	const char *interleave; /* "CYCLE,BLOCK"; NULL: one file after another */
	const char *mix;	/* "a=0.7,b=0.3,until=first", in place of operands; NULL: these */
	bool allow_missing;
	const char *on_error; /* "fail" (or NULL), "skip" or "quarantine=FILE" */
	bool force;	      /* overwrite that FILE */
};

/* Opens the command's inputs.  On failure the error is printed and the exit status returned; 0 is
 * success. */
int selection_open(struct cmd *c, struct selection *s, const struct selection_opts *opts);
/* Publishes the quarantine alone. */
enum tfr_status selection_publish(struct selection *s, struct tfr_error *err);
void selection_close(struct selection *s);

/* Like tfr_set_info_carry() for the inputs; the sets of a mixture have no classes in common. */
enum tfr_status selection_carry(
	const struct selection *s, struct tfr_set_info *info, struct tfr_error *err);

/* The bytes of all inputs, as far as they have a size and are read once. */
uint64_t selection_bytes(const struct selection *s);
#endif
