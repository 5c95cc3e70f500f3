/* convert/picture.h - one file on its way to becoming a record. */
#ifndef TFR_CONVERT_PICTURE_H
#define TFR_CONVERT_PICTURE_H

#include <tfr/convert.h>
#include <tfr/example.h>
#include <tfr/media.h>

#include "base/buf.h"
#include "thread/lanes.h"

/* Reused from file to file, so that memory is allocated only while it grows. */
struct tfr_picture {
	struct tfr_buf path; /* below the folder, with its NUL */
	struct tfr_buf file; /* its bytes */
	size_t size;	     /* of them, as read; stays when the buffer has gone */
	struct tfr_builder *builder;
	const struct iovec *pieces; /* the record; the picture's bytes are in `file` */
	int n_pieces;
	struct tfr_digest digest;
	bool skipped;
	enum tfr_status why; /* skipped: what kind of fault */
	char reason[256];
};

struct tfr_picture_class {
	int64_t label;
	const char *text; /* NULL: no class features */
};

/* Notes why an item is skipped. */
void tfr_picture_skip(struct tfr_picture *p, enum tfr_status why, const char *format, ...)
	TFR_PRINTF(3, 4);

/* Reads the file p->path below the folder `root` and measures it.  Never waits for a file that is
 * none.  What is wrong with the file is a skip; a failure is of the system: memory, descriptors. */
enum tfr_status tfr_picture_load(struct tfr_picture *p, int root, struct tfr_lanes_run *run,
	uint64_t item, struct tfr_image_info *info, struct tfr_error *err);

/* Makes the record of it. */
enum tfr_status tfr_picture_build(struct tfr_picture *p, const struct tfr_image_info *info,
	const struct tfr_picture_class *class, struct tfr_error *err);

/* After the record is written: large buffers go back. */
void tfr_picture_trim(struct tfr_picture *p);
void tfr_picture_clear(struct tfr_picture *p);

#endif
