/* cmd/shard/splits.h - sets of tfr shard that name a folder of INPUT, and the command that names
 * them all. */
#ifndef TFR_CMD_SHARD_SPLITS_H
#define TFR_CMD_SHARD_SPLITS_H

#include "common/cmd.h"

/* The splits of an input that was refused. */
struct splits_found {
	struct split_found {
		char *folder;
		uint64_t files;
		bool classes; /* it has class folders */
	} * list;
	size_t n;
};

/* Parses "SET=FOLDER/" into `share`, which gets copies.  False: `text` has another form, or, if
 * *status is not 0, out of memory. */
bool splits_parse(const char *text, struct tfr_share *share, enum tfr_status *status);
/* False: out of memory. */
bool splits_add(struct splits_found *s, const struct tfr_found_split *found);
/* Prints the command line with one set for each split.  `like` is the first of the given sets,
 * which they replace.  Notes about the splits follow. */
void splits_print_command(struct cmd *c, const struct splits_found *s, const char *like, bool tfds);
void splits_clear(struct splits_found *s);

#endif
