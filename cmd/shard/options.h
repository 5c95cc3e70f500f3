/* cmd/shard/options.h - the settings of tfr shard and the table that fills them. */
#ifndef TFR_CMD_SHARD_OPTIONS_H
#define TFR_CMD_SHARD_OPTIONS_H

#include "common/cmd.h"

struct shard_settings {
	/* input */
	const char *from, *mask, *annotations, *captions, *panoptic, *panoptic_masks, *image_set;
	bool draw_masks, allow_missing, no_sandbox, ignore_annotations;
	struct opt_list include, exclude;
	/* classes */
	const char *labels, *synsets, *class_list;
	uint64_t label_base;
	bool no_classes;
	/* images */
	const char *resize, *filter;
	uint64_t quality;
	int reencode;
	bool enlarge, orient, rgb8, sha256, verify;
	/* audio */
	const char *audio;
	double frame; /* -1: not given */
	/* lists and arrays */
	struct opt_list types, embeds;
	const char *root, *tmpdir, *delimiter, *na;
	/* order and division */
	bool shuffle, keep_order, stratify;
	uint64_t seed;
	/* output */
	struct opt_list outputs;
	const char *tfds;
	uint64_t shard_size, records_per_shard;
	int level, compress;
	bool force, dry_run;
	struct expecting expect;
	/* running */
	const char *on_error, *report, *part;
	uint64_t jobs, memory;
	double checkpoint, max_skipped;
	int progress;
	bool quiet, json, resume;
};

extern const struct opt shard_options[];
extern const struct shard_settings shard_defaults;

/* Each checks its options and puts them into `o`.  On failure it prints the error and returns the
 * exit status; 0 is success. */

/* The inputs, annotations and patterns.  `o` keeps pointers into `c` and `s`. */
int shard_parse_input(
	struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o);
int shard_parse_images(
	struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o);
int shard_parse_audio(struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o);
/* --types NAME=TYPE,..., --embed COLUMN[=FEATURE], --delimiter and --na: allocates lists in `o`. */
int shard_parse_columns(
	struct cmd *c, const struct shard_settings *s, struct tfr_convert_opts *o);
void shard_free_columns(struct tfr_convert_opts *o);

#endif
