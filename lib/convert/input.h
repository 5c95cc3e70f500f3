/* convert/input.h - kinds of input: each is one `const struct tfr_input_ops` and its row in
 * input_kinds.c.
 *
 * There are two forms.  A list (a folder, a CSV file) knows its items beforehand: `items` is
 * their number, and the engine asks for them by number, in random order if needed.  A stream (an
 * archive, a pipe) returns one after the other until TFR_END.  In both, one thread at a time
 * calls next(), which names the item, and many call load(), which makes the features.  A stream
 * may already make them in next(). */
#ifndef TFR_CONVERT_INPUT_H
#define TFR_CONVERT_INPUT_H

#include <tfr-private/media.h>

#include "convert/item.h"
#include "io/root.h"

#define TFR_STREAM UINT64_MAX

struct tfr_class {
	int64_t label;
	const char *text;
	const char *human; /* the text of the class; NULL: the same as the name */
};

/* For qsort() and bsearch(). */
int tfr_class_by_label(const void *a, const void *b);

enum { TFR_WORKBENCH_LISTS = 22 };

/* The tools and buffers that one thread keeps from item to item. */
struct tfr_workbench {
	struct tfr_decoder *decoder; /* NULL until an image is decoded */
	struct tfr_scaler *scaler;   /* and so on */
	struct tfr_encoder *encoder;
	struct tfr_buf turned;		/* pixels */
	struct tfr_buf encoded;		/* exchanged for the bytes of a file */
	struct tfr_buf pixels, scratch; /* for drawing masks */
	struct tfr_buf ends;		/* size_t: where each mask in item->more ends */
	struct tfr_buf lists[TFR_WORKBENCH_LISTS]; /* the values of features that are lists */
};

/* The tools, made when they are first needed.  NULL: out of memory. */
struct tfr_decoder *tfr_workbench_decoder(struct tfr_workbench *bench);
struct tfr_encoder *tfr_workbench_encoder(struct tfr_workbench *bench);
void tfr_workbench_clear(struct tfr_workbench *bench);

/* An open input; the first member of each kind's own struct. */
struct tfr_input {
	const struct tfr_input_ops *ops;
	const struct tfr_convert_opts *opts;
	uint64_t items; /* TFR_STREAM: not known */
	/* the items have only the order of their paths: they are shuffled by default */
	bool by_path;
	bool groups;	     /* an item can be many rows: they are small, and all go to one set */
	uint64_t item_bytes; /* of each, where all have as many and need little but copying; else 0
			      */
	const char *prefix;  /* of items' names in messages: "images/" */
	/* Called before next() if items are taken in random order: gives their numbers and the
	 * position of the wanted one, so that the following ones can be read ahead.  May be
	 * NULL. */
	const uint32_t *order;
	uint64_t place;
	/* How many places there are to read ahead: 0 while items are only looked at. */
	uint64_t ahead;
	/* The classes of items, for labels.txt and the manifest's histogram; 0: none. */
	const struct tfr_class *classes;
	size_t n_classes;
	/* the paths that are read, if they are not opts->input.paths; or NULL */
	const struct tfr_set *files;
	/* the tree of opts->input.paths[0], which tfr_input_close() releases; or NULL */
	struct tfr_scan *scan;
	uint64_t opened; /* the sum of the marks of all files that ops->open() opened */
};

/* The properties of an item that are known before it is read. */
struct tfr_measure {
	uint64_t bytes;
	uint64_t mark; /* as that of the item after load() */
	int fault;     /* the errno if a file could not be looked at */
};

/* Adds a file to an item that has several: its bytes and its mark.  A missing file adds nothing. */
void tfr_measure_add(const struct tfr_root *folder, const char *name, struct tfr_measure *m);

/* Calls opts->run.warn, if there is one. */
void tfr_warn(const struct tfr_convert_opts *opts, const char *format, ...) TFR_PRINTF(2, 3);

/* Whether a list of this name is compressed by GZIP. */
bool tfr_list_is_packed(const char *path);
/* Opens a file without a name for what an input has to unpack, in --tmpdir's folder or beside the
 * first set.  The descriptor is the caller's. */
enum tfr_status tfr_unpacked_open(
	const struct tfr_convert_opts *opts, int *fd, struct tfr_error *err);
enum tfr_status tfr_unpacked_write(const struct tfr_convert_opts *opts, int fd, const uint8_t *data,
	size_t size, struct tfr_error *err);

/* The first input as seen without reading it. */
struct tfr_offer {
	const char *path;
	bool directory;
	bool missing;	     /* there is no such file: a name for several files */
	const uint8_t *head; /* the first bytes of a regular file, else NULL */
	size_t head_size;
	struct tfr_scan *scan; /* of a directory: its tree */
	struct tfr_error *err; /* recognises() fills it if its answer is void */
};

/* Passes on why a look at the offer failed, unless nothing is there or it is of another kind. */
void tfr_offer_failed(const struct tfr_offer *offer, const struct tfr_error *why);

/* What a kind of input is, and the options that it uses. */
enum tfr_input_flag {
	TFR_INPUT_SEVERAL = 1 << 0, /* accepts more than one input */
	TFR_INPUT_FRAMED = 1 << 1,  /* items can be many records */
	/* Items are all files, so that files other than images or WAV files are no loss. */
	TFR_INPUT_STRAYS = 1 << 2,
	TFR_INPUT_BOXES = 1 << 3,  /* images have several classes */
	TFR_INPUT_SPLITS = 1 << 4, /* targets can name folders: items are `placed` */
	TFR_INPUT_PLAIN = 1 << 5,  /* images without annotations: synsets, class_list, tfds */
	TFR_INPUT_IMAGES = 1 << 6, /* uses tfr_image_add(), and so images.sha256 */
	/* The images can also be changed: nothing else in the records (masks, areas) refers to
	 * their pixels. */
	TFR_INPUT_REWORKS = 1 << 7,
	TFR_INPUT_AUDIO = 1 << 8,    /* uses tfr_audio_item_add(), and so `audio` */
	TFR_INPUT_COLUMNS = 1 << 9,  /* has columns: types, embeds */
	TFR_INPUT_CELLS = 1 << 10,   /* ... in CSV: delimiter, na */
	TFR_INPUT_CHOOSES = 1 << 11, /* files or arrays: include, exclude */
	TFR_INPUT_LABELS = 1 << 12,  /* labels */
	TFR_INPUT_NUMBERS = 1 << 13, /* numbers the classes: label_base */
	TFR_INPUT_CLASSLESS = 1 << 14,
	TFR_INPUT_TMPDIR = 1 << 15,
	TFR_INPUT_MASKS = 1 << 16,
	TFR_INPUT_ANNOTATIONS = 1 << 17, /* annotations, captions, panoptic */
	TFR_INPUT_IMAGE_SET = 1 << 18,
	TFR_INPUT_SHAPES = 1 << 19, /* draw_masks */
	TFR_INPUT_SANDBOX = 1 << 20,
};

struct tfr_input_ops {
	const char *name;    /* as for --from */
	const char *what;    /* "a folder of images" */
	const char *nothing; /* no item became a record: "no images in" */
	/* for TFR_ON_ERROR_FAIL, an item that is not usable: "not a usable image" */
	const char *refused;
	unsigned flags; /* enum tfr_input_flag */
	/* The input is a folder, and annotations in it that are not read are refused: those that
	 * were not opened, except for files with this extension, or "".  Else NULL. */
	const char *tree;
	bool (*recognises)(const struct tfr_convert_opts *opts, const struct tfr_offer *offer);
	enum tfr_status (*open)(
		struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err);
	/* In its place for an input that is a folder, whose tree stays the caller's. */
	enum tfr_status (*open_tree)(struct tfr_input **in, const struct tfr_convert_opts *opts,
		struct tfr_scan *scan, struct tfr_error *err);
	/* Fetches the next item, or of a list item->number, as far as one thread must do it.
	 * TFR_END: the stream has ended.  A fault of the item skips it. */
	enum tfr_status (*next)(struct tfr_input *in, struct tfr_item *item,
		const struct tfr_room *room, struct tfr_error *err);
	/* Puts the features into item->builder.  Not called for items that next() skipped. */
	enum tfr_status (*load)(struct tfr_input *in, struct tfr_item *item,
		struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
	/* Of a stream: skips `items` that another run has done.  NULL: next() fetches them, and
	 * they are dropped. */
	enum tfr_status (*pass)(struct tfr_input *in, uint64_t items, struct tfr_error *err);
	/* Of a list: measures the files of an item that next() has fetched, without reading
	 * them; a missing file has no bytes.  NULL: sizes are not known beforehand. */
	void (*measure)(
		struct tfr_input *in, const struct tfr_item *item, struct tfr_measure *measure);
	void (*close)(struct tfr_input *in);
};

/* Calls `each` for every item of the input, with its name and everything that is known before
 * reading.  No record is made.  `order` has the numbers of a list's items, shuffled; NULL: in
 * order. */
enum tfr_status tfr_input_walk(struct tfr_input *in, const uint32_t *order,
	enum tfr_status (*each)(void *ctx, struct tfr_item *item, struct tfr_error *err), void *ctx,
	struct tfr_error *err);

/* TFR_EUSAGE with the reason `why`: the input is a pipe or the like, which cannot be read again, or
 * a pattern. */
enum tfr_status tfr_input_is_lasting(struct tfr_input *in, const char *why, struct tfr_error *err);
/* What the digest of the input has of an item: its name and `mark`. */
uint64_t tfr_item_mark(const struct tfr_item *item, uint64_t mark);
/* The digest of the names, sizes and modification times of all files that open() has opened and of
 * those of the items, if they are known before reading: it changes if a file is changed, added or
 * removed.  `items` is the sum of tfr_item_mark() if all are loaded; NULL: they are measured. */
enum tfr_status tfr_input_digest(
	struct tfr_input *in, const uint64_t *items, uint64_t *digest, struct tfr_error *err);

struct tfr_set_kind;
/* The kind of annotated data set that a tree is; NULL: none.  TFR_EUSAGE: it can be several. */
enum tfr_status tfr_set_recognise(const struct tfr_set_kind **set,
	const struct tfr_convert_opts *opts, struct tfr_scan *scan, struct tfr_error *err);
/* Opens the archive opts->input.paths[0] as an annotated data set; `set` NULL: as the kind that it
 * is, and without annotations as tfr_input_archive. */
enum tfr_status tfr_archive_open_set(struct tfr_input **in, const struct tfr_set_kind *set,
	const struct tfr_convert_opts *opts, struct tfr_error *err);
/* TFR_EUSAGE: an option has no effect on this kind of input. */
enum tfr_status tfr_input_check(const struct tfr_input_ops *ops,
	const struct tfr_convert_opts *opts, struct tfr_error *err);
/* Opens opts->input.paths as the kind opts->input.from, or as the kind that recognises them. */
enum tfr_status tfr_input_open(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err);

void tfr_input_close(struct tfr_input *in);

extern const struct tfr_input_ops tfr_input_audio, tfr_input_npy, tfr_input_hdf5;
extern const struct tfr_input_ops tfr_input_folder, tfr_input_csv, tfr_input_tsv, tfr_input_jsonl;
extern const struct tfr_input_ops tfr_input_records;
extern const struct tfr_input_ops tfr_input_webdataset, tfr_input_archive;

/* For hints: quotes the cells of a TSV file in which quotes mean nothing. */
#define TFR_QUOTE_TSV "sed 's/\"/\"\"/g; s/[^\\t\\r]*\"[^\\t\\r]*/\"&\"/g'"

#endif
