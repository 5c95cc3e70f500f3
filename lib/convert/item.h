/* convert/item.h - one item of an input on its way to a record: a file of a folder, a member of
 * an archive, a line of a list. */
#ifndef TFR_CONVERT_ITEM_H
#define TFR_CONVERT_ITEM_H

#include <tfr-private/convert.h>
#include <tfr-private/example.h>

#include "base/buf.h"
#include "io/root.h"
#include "thread/lanes.h"

#define TFR_NO_CLASS UINT32_MAX
/* The largest item: an Example holds 2 GiB, including its other features. */
#define TFR_ITEM_MOST (INT32_MAX - (1 << 16))

/* A place of an item with several places that has no record: it is skipped. */
struct tfr_gap {
	uint64_t place; /* among those of the item */
	enum tfr_status why;
	char name[24]; /* "": that of the item */
	char reason[256];
};

/* Records with their framing, verified. */
struct tfr_framed {
	const uint8_t *data; /* NULL: the item becomes one record */
	size_t size;
	const uint64_t *sums;	    /* XXH3-64 of each payload */
	const struct tfr_gap *gaps; /* in order */
	size_t n_gaps;
};

/* Reused from item to item, so that memory is allocated only while it grows. */
struct tfr_item {
	uint64_t number;  /* in its input, from 0; shuffling does not change it */
	uint32_t target;  /* the set it goes to */
	uint64_t rank;	  /* in that set, skipped ones counted */
	uint64_t records; /* its places: 1, or as many as there are framed records and gaps */

	/* Set by the input: */
	struct tfr_buf name; /* its name, with its NUL: "cats/1.jpg" */
	const char *prefix;  /* of the name in messages; NULL until next() is done: the input's */
	bool placed;	     /* `target` is the set that its folder goes to */
	bool hashed;	     /* `hash` decides the set; otherwise the XXH3-64 of the name does */
	uint64_t hash;
	struct tfr_buf file; /* its bytes, if the record points into them */
	struct tfr_buf more; /* other bytes that the record points into */
	size_t size;	     /* bytes read for it; valid after the buffers are freed */
	uint64_t mark;	     /* the sum of the marks of the files that were read for it */
	uint32_t class;	     /* one of the input's, or TFR_NO_CLASS */
	struct tfr_framed framed;
	void *own; /* data of the input for this item, or NULL */
	void (*free_own)(void *own);
	void (*trim_own)(void *own); /* after the record is written; NULL: nothing */

	struct tfr_builder *builder; /* empty when next() is called */
	const struct iovec *pieces;  /* the record; large values stay where the input put them */
	int n_pieces;
	struct tfr_digest digest;

	bool skipped;
	enum tfr_status why;	  /* if it is skipped: the kind of fault */
	enum tfr_finding finding; /* and the text to report */
	char reason[256];

	/* If it is not skipped: one bit per finding.  The image before any change, whose
	 * measures are the details. */
	uint32_t found;
	struct tfr_image_info came;
	/* The place of the record after it is written: */
	uint32_t shard;
	uint64_t record;
};

/* Used by an item to announce how many bytes it will hold, and to wait until that is allowed. */
struct tfr_room {
	struct tfr_lanes_run *lanes; /* NULL: there is no limit */
	uint64_t item;
	bool groups; /* for an input with in->groups: the item can have many places */
};

void tfr_room_reserve(const struct tfr_room *room, uint64_t bytes);

/* Resets it to item `number` of its input, with an empty builder. */
enum tfr_status tfr_item_start(struct tfr_item *item, uint64_t number, struct tfr_error *err);
/* Sets the name.  False: out of memory. */
bool tfr_item_name(struct tfr_item *item, const char *name, size_t size);
/* The hash that decides the set: that of the input, or the XXH3-64 of the name. */
uint64_t tfr_item_hash(const struct tfr_item *item);
/* Skips the item for this reason. */
void tfr_item_skip(struct tfr_item *item, enum tfr_status why, const char *format, ...)
	TFR_PRINTF(3, 4);
/* Skips the item because of an error of a lower room in its data.  If that error is only lack of
 * memory, the run ends with it. */
void tfr_item_skip_error(struct tfr_item *item, const struct tfr_error *why);
/* Reads the file `path` below the folder `root`, or an object, into item->file: a complete regular
 * file, never blocking on another kind.  `look`, which may be NULL, gets the first block of a large
 * file and may skip the item before the rest is read.  A fault of the file skips the item; only a
 * fault of the system (memory, descriptors) is a failure. */
enum tfr_status tfr_item_read(struct tfr_item *item, const struct tfr_root *root, const char *path,
	void (*look)(struct tfr_item *item), const struct tfr_room *room, struct tfr_error *err);
/* Reads another file of the item into `into`; its bytes count as the item's. */
enum tfr_status tfr_item_read_other(struct tfr_item *item, struct tfr_buf *into,
	const struct tfr_root *root, const char *path, const struct tfr_room *room,
	struct tfr_error *err);
/* Adds to the reason of a skipped item which of its files it is about: "its mask 'a.png': ". */
void tfr_item_blame(struct tfr_item *item, const char *what, const char *name);
/* Makes the record from the features in the builder. */
enum tfr_status tfr_item_gather(struct tfr_item *item, struct tfr_error *err);
/* Called after the record is written: frees large buffers. */
void tfr_item_trim(struct tfr_item *item);
void tfr_item_clear(struct tfr_item *item);

#endif
