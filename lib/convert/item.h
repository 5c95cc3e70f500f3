/* convert/item.h - one thing of an input on its way to becoming a record: a file of a folder, a
 * member of an archive, a line of a list. */
#ifndef TFR_CONVERT_ITEM_H
#define TFR_CONVERT_ITEM_H

#include <tfr-private/convert.h>
#include <tfr-private/example.h>

#include "base/buf.h"
#include "thread/lanes.h"

#define TFR_NO_CLASS UINT32_MAX
/* Bytes that an item can have: an Example holds 2 GiB, its other features among them. */
#define TFR_ITEM_MOST (INT32_MAX - (1 << 16))

/* One of the places of an item that has several, without a record: it is skipped. */
struct tfr_gap {
	uint64_t place; /* among those of the item */
	enum tfr_status why;
	char name[24];
	char reason[256];
};

/* Records with their framing, verified. */
struct tfr_framed {
	const uint8_t *data; /* NULL: the item is made into one record */
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
	uint64_t records; /* its places: 1, or of framed records as many as there are and of gaps */

	/* By the input: */
	struct tfr_buf name; /* what it is called, with its NUL: "cats/1.jpg" */
	const char *prefix;  /* of the name in messages; NULL: the input's */
	bool placed;	     /* `target` is the set it goes to, as its folder says */
	bool hashed;	     /* `hash` decides the set; otherwise the name's XXH3-64 does */
	uint64_t hash;
	struct tfr_buf file; /* its bytes, where the record points into them */
	struct tfr_buf more; /* other bytes that the record points into */
	size_t size;	     /* bytes read for it; stays when the buffers have gone */
	uint32_t class;	     /* one of the input's, or TFR_NO_CLASS */
	struct tfr_framed framed;
	void *own; /* what else the input keeps here, or NULL */
	void (*free_own)(void *own);
	void (*trim_own)(void *own); /* after the record is written; NULL: nothing */

	struct tfr_builder *builder; /* empty when next() is called */
	const struct iovec *pieces;  /* the record; large values lie where the input put them */
	int n_pieces;
	struct tfr_digest digest;

	bool skipped;
	enum tfr_status why;	  /* skipped: what kind of fault */
	enum tfr_finding finding; /* and what is reported of it */
	char reason[256];

	/* Of what was not: a bit for each finding.  The image as it came, whose measures are
	 * their details; `detail` is that of TFR_FOUND_SIZE. */
	uint32_t found;
	struct tfr_image_info came;
	char detail[96];
	/* Where the record lies, once it is written: */
	uint32_t shard;
	uint64_t record;
};

/* Where an item says how many bytes it is going to hold, and waits until they may be held. */
struct tfr_room {
	struct tfr_lanes_run *run; /* NULL: nothing bounds it */
	uint64_t item;
	bool groups; /* of an input whose in->groups is set: the item may have many places */
};

void tfr_room_reserve(const struct tfr_room *room, uint64_t bytes);

/* Makes it item `number` of its input, of which nothing is known yet, its builder empty. */
enum tfr_status tfr_item_start(struct tfr_item *item, uint64_t number, struct tfr_error *err);
/* Sets the name.  False: out of memory. */
bool tfr_item_name(struct tfr_item *item, const char *name, size_t size);
/* What decides the set: the hash that the input says, or XXH3-64 of the name. */
uint64_t tfr_item_hash(const struct tfr_item *item);
/* Notes why an item is skipped. */
void tfr_item_skip(struct tfr_item *item, enum tfr_status why, const char *format, ...)
	TFR_PRINTF(3, 4);
/* Skips it for what a lower room says of its data.  Where that is only that memory is lacking, the
 * run ends with it. */
void tfr_item_skip_error(struct tfr_item *item, const struct tfr_error *why);
/* Notes that an image is not as its input says; what it should be and what it is. */
void tfr_item_found_size(struct tfr_item *item, const char *format, ...) TFR_PRINTF(2, 3);
/* Reads the file `path` below the folder `root` into item->file: a regular file, whole, never
 * waiting for one that is none.  `look`, which may be NULL, sees the first block of a large file
 * and may skip the item before the rest is read.  What is wrong with the file is a skip; a failure
 * is of the system: memory, descriptors. */
enum tfr_status tfr_item_read(struct tfr_item *item, int root, const char *path,
	void (*look)(struct tfr_item *item), const struct tfr_room *room, struct tfr_error *err);
/* Makes the record of the features in the builder. */
enum tfr_status tfr_item_gather(struct tfr_item *item, struct tfr_error *err);
/* After the record is written: large buffers go back. */
void tfr_item_trim(struct tfr_item *item);
void tfr_item_clear(struct tfr_item *item);

#endif
