/* convert/voc/voc_layout.c - the layouts in which annotations of PASCAL VOC are exported.
 *
 *   JPEGImages/ Annotations/    PASCAL VOC
 *   images/ annotations/        Kaggle; with splits as images/train
 *   *.jpg *.xml in one folder   Roboflow, labelImg; in train/, valid/, test/ or in images/
 *
 * Tools change images after they wrote the name into the annotation.  So if the named image is
 * absent, the image beside the annotation with the same name is used. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "convert/folder/scan.h"
#include "convert/voc/voc.h"

enum { HEAD = 4096, DEEPEST = 2, WIDEST = 8 };

/* Whether a file of a folder begins with an element <annotation>.  *good becomes false if memory
 * or descriptors are exhausted; likewise below. */
static bool is_annotation(const char *folder, const char *name, bool *good)
{
	TFR_AUTO_FREE char *path = tfr_path_join(folder, name);
	char head[HEAD];
	ssize_t n = path ? tfr_root_head(NULL, path, head, sizeof(head)) : -1;

	if (!path || (n < 0 && tfr_errno_of_process(errno)))
		*good = false;
	return n > 0 && memmem(head, (size_t)n, "<annotation", strlen("<annotation"));
}

/* Whether a folder, or one of its first `widest` folders and so on, has annotations; with `beside`,
 * only those beside images count. */
static bool has_annotations(
	const char *folder, unsigned depth, size_t widest, bool beside, bool *good)
{
	struct tfr_listing l;
	bool found = false;

	if (tfr_listing_open(&l, folder)) {
		for (size_t i = 0; i < l.xmls.n && (l.images.n || !beside) && !found; i++)
			found = is_annotation(folder, l.xmls.list[i], good);
		for (size_t i = 0; i < l.folders.n && i < widest && !found && depth < DEEPEST;
			i++) {
			TFR_AUTO_FREE char *path = tfr_path_join(folder, l.folders.list[i]);

			*good &= path != NULL;
			found = path && has_annotations(path, depth + 1, widest, beside, good);
		}
	}
	*good &= !l.failed;
	tfr_listing_close(&l);
	return found;
}

static bool find(struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *split)
{
	TFR_AUTO_FREE char *own = tfr_child(l, folder, "JPEGImages");
	TFR_AUTO_FREE char *images = tfr_child(l, folder, "images");
	TFR_AUTO_FREE char *annotations = tfr_child(l, folder, "Annotations");
	const char *found = own ?: images;
	bool good = true;

	if (found && annotations &&
		(own || has_annotations(annotations, 0, SIZE_MAX, false, &good)))
		return split ? tfr_parts_add(p, split, found, annotations)
			     : tfr_parts_add_pair(p, found, annotations);
	if (l->xmls.n && l->images.n && has_annotations(folder, DEEPEST, SIZE_MAX, false, &good))
		return tfr_parts_add(p, split, folder, folder);
	return good;
}

bool tfr_voc_find(struct tfr_parts *parts, const char *folder)
{
	TFR_AUTO_FREE char *images = NULL;
	struct tfr_listing l;
	bool good;

	good = tfr_parts_find(parts, folder, find);
	if (!good || parts->n)
		return good;
	if (!tfr_listing_open(&l, folder))
		return !l.failed;
	images = tfr_child(&l, folder, "images");
	good = !l.failed;
	tfr_listing_close(&l);
	if (!good)
		return false;
	if (images && !tfr_parts_find(parts, images, find))
		return false;
	if (parts->n || !has_annotations(folder, 0, WIDEST, true, &good))
		return good;
	return tfr_parts_add(parts, NULL, folder, folder);
}

/* --- the image of an annotation --- */

/* Sets the path to the first `n` bytes of `folder` and `name`.  False: out of memory. */
static bool set_path(struct tfr_buf *path, const char *folder, size_t n, const char *name)
{
	path->size = 0;
	return tfr_buf_append(path, folder, n) && tfr_buf_append(path, name, strlen(name) + 1);
}

/* Whether there is such an image, or memory is exhausted, which sets *good. */
static bool is_at(const struct tfr_root *images, struct tfr_buf *path, const char *folder, size_t n,
	const char *name, bool *good)
{
	struct stat st;

	*good = set_path(path, folder, n, name);
	return !*good || (tfr_path_is_below((const char *)path->data) &&
				 !tfr_root_stat(images, (const char *)path->data, &st) &&
				 S_ISREG(st.st_mode));
}

bool tfr_voc_image(
	const struct tfr_root *images, const char *xml, const char *filename, struct tfr_buf *path)
{
	static const char *const extensions[] = { ".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG",
		".webp", ".bmp", ".gif" };
	const char *slash = strrchr(xml, '/'), *last = strrchr(filename, '/');
	const char *dot = strrchr(xml, '.'), *windows = strrchr(filename, '\\');
	size_t folder = slash ? (size_t)(slash + 1 - xml) : 0;
	size_t stem = dot ? (size_t)(dot - xml) : strlen(xml);
	bool good, found;

	if (windows && (!last || windows > last))
		last = windows;
	found = is_at(images, path, xml, folder, filename, &good) ||
		is_at(images, path, "", 0, filename, &good) ||
		(last && is_at(images, path, xml, folder, last + 1, &good));
	for (size_t i = 0; !found && i < sizeof(extensions) / sizeof(*extensions); i++)
		found = is_at(images, path, xml, stem, extensions[i], &good);
	return found ? good : set_path(path, "", 0, filename);
}
