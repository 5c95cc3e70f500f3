/* convert/parts.h - finds the images and annotations of a data set: its parts, one per split, or
 * a single one.
 *
 * Folders are recognised by a bounded number of their names, in any case ("Images"), so that a
 * folder of millions of files costs no more than one of thousands. */
#ifndef TFR_CONVERT_PARTS_H
#define TFR_CONVERT_PARTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/names.h"

/* The files and folders directly in a folder, without those that begin with a dot. */
struct tfr_listing {
	struct tfr_names folders; /* sorted */
	/* The first few files of each kind, by their extensions in any case, unsorted. */
	struct tfr_names texts, xmls, yamls, images, tables;
	bool cut; /* there are more than were examined */
	struct tfr_error *err;
};

/* The functions below that examine files and folders keep a failure in *err and go on.  The caller
 * checks err->status at the end.  A missing file or folder is not a failure; a path of NULL is one:
 * out of memory. */

bool tfr_listing_open(struct tfr_listing *l, const char *folder, struct tfr_error *err);
void tfr_listing_close(struct tfr_listing *l);
#define TFR_AUTO_LISTING __attribute__((cleanup(tfr_listing_close))) struct tfr_listing

bool tfr_has_extension(const char *name, const char *extension);
/* Whether it has one of the extensions of a list that ends in NULL. */
bool tfr_has_one_of(const char *name, const char *const *extensions);
/* Whether the name of a file has the extension of an image or of audio, of any format. */
bool tfr_is_image(const char *name);
bool tfr_is_audio(const char *name);
bool tfr_is_media(const char *name); /* either */
/* "FOLDER/NAME"; NULL: out of memory. */
char *tfr_path_join(const char *folder, const char *name);
bool tfr_is_folder(const char *path, struct tfr_error *err);
bool tfr_is_file(const char *path, struct tfr_error *err);
/* Reads the first bytes of a file and returns their number. */
size_t tfr_head_of(const char *path, void *head, size_t size, struct tfr_error *err);
/* The path of the first sub-folder of `folder` that has this name in any case; NULL: none, or out
 * of memory, and l->err is set. */
char *tfr_child(struct tfr_listing *l, const char *folder, const char *name);

struct tfr_part {
	char *split;  /* the folder's name, such as "train"; NULL: the data set has no splits */
	char *images; /* a folder */
	char *annotations; /* a folder, or a file of all annotations */
};

struct tfr_parts {
	struct tfr_part *list;
	size_t n;
	/* Folders with images that belong to no part: */
	struct tfr_names left;	 /* nothing was found for them */
	struct tfr_names others; /* beside splits, without the name of a split */
	struct tfr_error *err;	 /* of finding them, for another reason than memory */
};

/* Examines one folder and adds its parts with the name of the split.  False: out of memory. */
typedef bool (*tfr_parts_finder)(
	struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *split);

/* Adds a part with copies of the arguments.  False: out of memory. */
bool tfr_parts_add(
	struct tfr_parts *p, const char *split, const char *images, const char *annotations);
/* Adds the parts of a folder of images and one of annotations: one for each sub-folder that both
 * have, if these are the splits and no image is beside them, otherwise one for both.  False: out
 * of memory. */
bool tfr_parts_add_pair(struct tfr_parts *p, const char *images, const char *annotations);
void tfr_parts_clear(struct tfr_parts *p);
/* Whether the images of a part are in a folder or in its sub-folder `images`. */
bool tfr_parts_have(const struct tfr_parts *p, const char *folder);
/* Adds to p->left the folders in `folder` that have images and no part, also beside a part at a
 * deeper level.  False: out of memory. */
bool tfr_parts_leave(struct tfr_parts *p, const char *folder);

/* Returns the folder itself, or its only sub-folder if it has nothing else that counts, and so
 * on, as archives often unpack.  NULL: out of memory. */
char *tfr_parts_base(const char *folder, struct tfr_error *err);
/* Finds parts in `folder` itself, or else in its sub-folders that are splits.  False: out of
 * memory. */
bool tfr_parts_find(struct tfr_parts *p, const char *folder, tfr_parts_finder find);

#endif
