/* convert/input.h - what can be made into records: a kind of input is one `const struct
 * tfr_input_ops` and its row in inputs.c.
 *
 * Two shapes.  A list knows its items before it starts (a folder, a CSV file): `items` says how
 * many, and the engine asks for them by number, shuffled if that is wanted.  A stream (an archive,
 * a pipe) gives one after the other until TFR_END.  In both, next() is called by one thread at a
 * time and says what the item is called, load() by many at once: it makes the features.  (A stream
 * may make them in next() already.) */
#ifndef TFR_CONVERT_INPUT_H
#define TFR_CONVERT_INPUT_H

#include "convert/item.h"
#include "convert/workbench.h"

#define TFR_STREAM UINT64_MAX

struct tfr_class {
	int64_t label;
	const char *text;
	const char *human; /* what people call it; NULL: nothing else */
};

/* An open input; the first member of each kind's own struct. */
struct tfr_input {
	const struct tfr_input_ops *ops;
	const struct tfr_convert_opts *opts;
	uint64_t items;	     /* TFR_STREAM: nobody knows */
	bool by_path;	     /* only their paths order the items: they are shuffled by default */
	bool groups;	     /* items may stand for many rows: they are small, and all of one set */
	uint64_t item_bytes; /* of each, where all have as many and need little but copying; else 0
			      */
	const char *prefix;  /* of items' names in messages: "images/" */
	/* Before next(), where items are taken in a random order: their numbers, and which of these
	 * is wanted, so that those after it can be read ahead.  Else NULL. */
	const uint32_t *order;
	uint64_t place;
	/* What items belong to, for labels.txt and the manifest's histogram; 0: no classes. */
	const struct tfr_class *classes;
	size_t n_classes;
	const struct tfr_set *files; /* what is read, where that is not opts->inputs; or NULL */
};

/* What is known of an item before it is read. */
struct tfr_measure {
	uint64_t bytes;
	int64_t mtime; /* nanoseconds since 1970 */
};

/* Adds a file of an item that has several: the bytes, and the later time.  A missing one adds
 * nothing. */
void tfr_measure_add(int folder, const char *name, struct tfr_measure *m);

/* What the first input looks like from outside. */
struct tfr_offer {
	const char *path;
	bool directory;
	bool missing;	     /* no such file: a name for several */
	const uint8_t *head; /* the first bytes of a regular file, else NULL */
	size_t head_size;
	int *failed; /* recognises() puts an errno here where its answer is void */
};

struct tfr_input_ops {
	const char *name;    /* as --from has it */
	const char *what;    /* "a folder of images" */
	const char *nothing; /* no item became a record: "no images in" */
	const char *refused; /* with TFR_ON_ERROR_FAIL, one that will not: "not an image to use" */
	bool several;	     /* takes more than one input */
	bool columns;	     /* has columns: opts->types and opts->embeds mean something */
	bool framed;	     /* items may be many records at a time */
	bool images;	     /* uses tfr_image_add(): opts->sha256 means something */
	/* And these may be changed on the way: nothing else in its records (masks, areas)
	 * speaks of their pixels. */
	bool reworks;
	bool arrays;   /* obeys opts->include and exclude, which are about names of arrays */
	bool sounds;   /* uses tfr_sound_add(): opts->sound and frame mean something */
	bool strays;   /* items are whatever files there are, so that others than images or sounds
			* are no loss */
	bool labelled; /* obeys opts->labels, whatever of the next it does not */
	bool splits;   /* obeys opts->targets that name folders: its items are `placed` */
	bool chooses;  /* obeys opts->include, exclude and labels */
	bool (*recognises)(const struct tfr_convert_opts *opts, const struct tfr_offer *offer);
	enum tfr_status (*open)(
		struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err);
	/* Brings the next item, or of a list item->number, as far as must be done by one thread.
	 * TFR_END: a stream is at its end.  What is wrong with the item is a skip. */
	enum tfr_status (*next)(struct tfr_input *in, struct tfr_item *item,
		const struct tfr_room *room, struct tfr_error *err);
	/* Puts the features into item->builder.  Not called for what next() skipped. */
	enum tfr_status (*load)(struct tfr_input *in, struct tfr_item *item,
		struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
	/* Of a stream: passes over `items`, which another run has done.  NULL: next() brings them,
	 * and nothing is made of them. */
	enum tfr_status (*pass)(struct tfr_input *in, uint64_t items, struct tfr_error *err);
	/* Of a list: looks at what an item that next() has brought is made of, without reading it;
	 * what is not there has no bytes.  NULL: the sizes of items are not known beforehand. */
	void (*measure)(
		struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure);
	void (*close)(struct tfr_input *in);
};

/* Opens what opts->inputs name, of the kind that opts->from says or that is recognised. */
enum tfr_status tfr_input_open(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err);

extern const struct tfr_input_ops tfr_input_audio, tfr_input_npy, tfr_input_hdf5;
extern const struct tfr_input_ops tfr_input_folder, tfr_input_csv, tfr_input_tsv, tfr_input_jsonl;
extern const struct tfr_input_ops tfr_input_raw_tsv;
extern const struct tfr_input_ops tfr_input_records;
extern const struct tfr_input_ops tfr_input_pairs, tfr_input_coco, tfr_input_voc, tfr_input_yolo;
extern const struct tfr_input_ops tfr_input_metadata;
extern const struct tfr_input_ops tfr_input_webdataset, tfr_input_archive;

#endif
