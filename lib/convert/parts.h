/* convert/parts.h - finds the images and annotations of a data set in its tree: its parts, one per
 * split, or a single one.  Each kind of annotations has a finder that knows its layouts.
 *
 * The functions keep a failure in *p->err and go on; the caller checks p->err->status at the end.
 */
#ifndef TFR_CONVERT_PARTS_H
#define TFR_CONVERT_PARTS_H

#include "base/names.h"
#include "convert/folder/scan.h"

/* A folder of a tree. */
struct tfr_place {
	struct tfr_scan *scan;
	uint32_t dir;
};

struct tfr_part {
	const char *split;	      /* a name in a scan, or a copy; NULL: the set has no splits */
	struct tfr_place images;      /* the folder of the images */
	struct tfr_place annotations; /* the folder of their annotations; no scan: it is `path` */
	uint32_t file; /* in annotations.scan: the file of all annotations; TFR_NO_FILE: many files
			*/
	const char *path; /* of the file or folder of annotations, as an option names it, or NULL */
	int form;	  /* which of its layouts, for the kind */
};

struct tfr_parts {
	const struct tfr_convert_opts *opts;
	struct tfr_scan *scan; /* of the input */
	struct tfr_part *list;
	size_t n;
	/* Folders with images that belong to no part, as uint32_t: */
	struct tfr_buf left;   /* nothing was found for them */
	struct tfr_buf others; /* beside splits, without the name of a split */
	struct tfr_names kept; /* names of splits that are in no tree */
	/* Trees outside of the input, where a description or the path of the input leads. */
	struct tfr_scan **more;
	size_t n_more;
	struct tfr_error *err;
};

/* Examines one folder of p->scan and adds its parts with the name of the split. */
typedef void tfr_parts_finder(struct tfr_parts *p, uint32_t dir, const char *split);

/* Adds a part whose annotations are the folder or, if there is one, the file of it. */
void tfr_parts_add(struct tfr_parts *p, const char *split, struct tfr_place images,
	struct tfr_place annotations, uint32_t file);
static inline struct tfr_place tfr_place_in(const struct tfr_parts *p, uint32_t dir)
{
	return (struct tfr_place){ p->scan, dir };
}
/* Adds the parts of a folder of images and one of annotations: one for each sub-folder that both
 * have, if these are the splits and no image is beside them, otherwise one for both. */
void tfr_parts_add_pair(struct tfr_parts *p, struct tfr_place images, struct tfr_place annotations);
/* Scans a folder outside of the input.  No scan: there is no such folder. */
struct tfr_place tfr_parts_outside(struct tfr_parts *p, const char *path);
/* A copy of a name that lives as long as `p`; NULL: out of memory. */
const char *tfr_parts_keep(struct tfr_parts *p, const char *name);
/* Replaces the parts of `p` by those of `better`. */
void tfr_parts_take(struct tfr_parts *p, struct tfr_parts *better);
/* Whether the images of a part are in a folder or in its sub-folder `images`. */
bool tfr_parts_have(const struct tfr_parts *p, struct tfr_place folder);
/* Adds to p->left the folders in `dir` that have images and no part, also beside a part at a
 * deeper level. */
void tfr_parts_leave(struct tfr_parts *p, uint32_t dir);
/* Returns the root, or its only sub-folder if it has nothing else that counts, and so on, as
 * archives often unpack. */
uint32_t tfr_parts_base(const struct tfr_scan *s);
/* Finds parts in `dir` itself, or else in its sub-folders that are splits. */
void tfr_parts_find(struct tfr_parts *p, uint32_t dir, tfr_parts_finder *find);
void tfr_parts_clear(struct tfr_parts *p);

/* How many files of a folder are examined to find out what it has. */
enum { TFR_EXAMINED = 16 };

#endif
