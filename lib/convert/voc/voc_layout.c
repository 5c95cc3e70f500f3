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

/* Whether a file of a folder begins with an element <annotation>; <annotations> is CVAT's. */
static bool is_annotation(const char *folder, const char *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_path_join(folder, name);
	char head[HEAD];
	size_t n = tfr_head_of(path, head, sizeof(head), err);

	return n && memmem(head, n, "<annotation", strlen("<annotation")) &&
	       !memmem(head, n, "<annotations", strlen("<annotations"));
}

/* Whether a folder, or one of its first `widest` folders and so on, has annotations; with `beside`,
 * only those beside images count. */
static bool has_annotations(
	const char *folder, unsigned depth, size_t widest, bool beside, struct tfr_error *err)
{
	TFR_AUTO_LISTING l = { 0 };
	bool found = false;

	tfr_listing_open(&l, folder, err);
	for (size_t i = 0; i < l.xmls.n && (l.images.n || !beside) && !found; i++)
		found = is_annotation(folder, l.xmls.list[i], err);
	for (size_t i = 0; i < l.folders.n && i < widest && !found && depth < DEEPEST; i++) {
		TFR_AUTO_FREE char *path = tfr_path_join(folder, l.folders.list[i]);

		found = has_annotations(path, depth + 1, widest, beside, err);
	}
	return found;
}

static bool find(struct tfr_parts *p, const char *folder, struct tfr_listing *l, const char *split)
{
	TFR_AUTO_FREE char *own = tfr_child(l, folder, "JPEGImages");
	TFR_AUTO_FREE char *images = tfr_child(l, folder, "images");
	TFR_AUTO_FREE char *annotations = tfr_child(l, folder, "Annotations");
	const char *found = own ?: images;

	if (found && annotations &&
		(own || has_annotations(annotations, 0, SIZE_MAX, false, p->err)))
		return split ? tfr_parts_add(p, split, found, annotations)
			     : tfr_parts_add_pair(p, found, annotations);
	return !l->xmls.n || !l->images.n ||
	       !has_annotations(folder, DEEPEST, SIZE_MAX, false, p->err) ||
	       tfr_parts_add(p, split, folder, folder);
}

bool tfr_voc_find(struct tfr_parts *parts, const char *folder)
{
	TFR_AUTO_FREE char *images = NULL;
	TFR_AUTO_LISTING l = { 0 };

	if (!tfr_parts_find(parts, folder, find))
		return false;
	if (parts->n)
		return true;
	tfr_listing_open(&l, folder, parts->err);
	images = tfr_child(&l, folder, "images");
	if (images && !tfr_parts_find(parts, images, find))
		return false;
	return parts->n || !has_annotations(folder, 0, WIDEST, true, parts->err) ||
	       tfr_parts_add(parts, NULL, folder, folder);
}

/* --- the image of an annotation --- */

/* Sets the path to the first `n` bytes of `folder` and `name`.  False: out of memory. */
static bool set_path(struct tfr_buf *path, const char *folder, size_t n, const char *name)
{
	path->size = 0;
	return tfr_buf_append(path, folder, n) && tfr_buf_append(path, name, strlen(name) + 1);
}

/* Whether there is such an image, or the search has failed, which sets *status. */
static bool is_at(const struct tfr_root *images, struct tfr_buf *path, const char *folder, size_t n,
	const char *name, enum tfr_status *status, struct tfr_error *err)
{
	struct stat st;

	if (!set_path(path, folder, n, name))
		*status = tfr_fail_nomem(err, "reading annotations");
	else if (!tfr_path_is_below((const char *)path->data))
		return false;
	else if (!tfr_root_stat(images, (const char *)path->data, &st))
		return S_ISREG(st.st_mode);
	else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != ENAMETOOLONG)
		*status = tfr_fail_errno(err, errno, (const char *)path->data, "cannot access");
	return *status;
}

enum tfr_status tfr_voc_image(const struct tfr_root *images, const char *xml, const char *filename,
	struct tfr_buf *path, struct tfr_error *err)
{
	static const char *const extensions[] = { ".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG",
		".webp", ".bmp", ".gif" };
	const char *slash = strrchr(xml, '/'), *last = strrchr(filename, '/');
	const char *dot = strrchr(xml, '.'), *windows = strrchr(filename, '\\');
	size_t folder = slash ? (size_t)(slash + 1 - xml) : 0;
	size_t stem = dot ? (size_t)(dot - xml) : strlen(xml);
	enum tfr_status status = TFR_OK;
	bool found;

	if (windows && (!last || windows > last))
		last = windows;
	found = is_at(images, path, xml, folder, filename, &status, err) ||
		is_at(images, path, "", 0, filename, &status, err) ||
		(last && is_at(images, path, xml, folder, last + 1, &status, err));
	for (size_t i = 0; !found && i < sizeof(extensions) / sizeof(*extensions); i++)
		found = is_at(images, path, xml, stem, extensions[i], &status, err);
	if (!found && !set_path(path, "", 0, filename))
		status = tfr_fail_nomem(err, "reading annotations");
	return status;
}
