/* convert/list/metadata.h - Hugging Face's ImageFolder and AudioFolder: metadata.csv or
 * metadata.jsonl beside files, a row for each of them
 * (https://huggingface.co/docs/datasets/image_dataset).
 *
 * metadata_scan.c reads all rows before any file, to decide what depends on all of them.
 * metadata_boxes.c makes boxes of the objects of a row.  metadata.c is the input, a list whose columns
 * of paths are embedded. */
#ifndef TFR_CONVERT_LIST_METADATA_H
#define TFR_CONVERT_LIST_METADATA_H

#include "convert/folder/object_classes.h"
#include "convert/list/list.h"
#include "convert/parts.h"

struct metadata {
	struct tfr_input in;
	struct tfr_convert_opts opts; /* of the list: with its columns of paths */
	const char *path;	      /* of the table, which opts.inputs is */
	struct tfr_input *list;
	struct tfr_buf names;	/* of features that embedded columns become */
	struct tfr_buf embeds_; /* struct tfr_embed */
	char *folder;		/* of the files */
	char *filter;		/* "train/": only rows of files in it; NULL: all */
	struct tfr_buf rows_;	/* uint32_t: the items' rows in the list; where there is a filter */
	struct tfr_object_classes classes; /* of objects, where they are texts */
	bool objects, texts; /* rows have boxes; their classes are texts */
	uint64_t unusable;   /* boxes left out, counted by any thread */
};

/* --- metadata_scan.c --- */

/* Reads all rows: m->embeds_, rows_, classes, objects and texts.  Warns of images that no row
 * names. */
enum tfr_status tfr_metadata_scan(
	struct metadata *m, const struct tfr_input_ops *ops, struct tfr_error *err);

/* --- metadata_boxes.c --- */

struct tfr_objects {
	struct json_object *row;	     /* owns the arrays */
	struct json_object *boxes, *classes; /* arrays of the same length; classes may be NULL */
	size_t n;
};

/* The objects of a row of JSON lines; n is 0 where it has none.  TFR_EDATA: they are malformed.
 * Release them after TFR_OK. */
enum tfr_status tfr_metadata_objects(
	struct tfr_objects *o, const char *row, size_t size, struct tfr_error *err);
void tfr_objects_clear(struct tfr_objects *o);
/* Adds image/object/… of the item's row.  What is wrong with it skips the item. */
enum tfr_status tfr_metadata_add_boxes(struct metadata *m, struct tfr_item *item,
	struct tfr_boxes *boxes, struct tfr_error *err);

#endif
