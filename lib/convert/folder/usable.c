/* convert/folder/usable.c - opens files of a folder until one begins like a usable file, those
 * with a matching extension first: in a folder of images, that is the first one. */
#include "convert/folder/usable.h"

#include <errno.h>
#include <string.h>

#include "convert/parts.h"

enum { HEAD = 4096, UNNAMED_MOST = 1000 };

struct looking {
	const struct tfr_usable *u;
	struct tfr_buf path;
	struct tfr_item item;
};

static void clear(struct looking *l)
{
	tfr_buf_clear(&l->path);
	tfr_item_clear(&l->item);
}

/* Whether a file begins like a usable one.  A file that cannot be read is judged by its name. */
static enum tfr_status look_at(
	struct looking *l, const struct tfr_scan_item *found, bool *yes, struct tfr_error *err)
{
	const struct tfr_scan *scan = l->u->scan;
	ssize_t n;

	*yes = false;
	if (!tfr_scan_path(scan, found, &l->path) || !tfr_buf_reserve(&l->item.file, HEAD))
		return tfr_fail_nomem(err, "listing a folder");
	n = tfr_root_head(scan->root, (const char *)l->path.data, l->item.file.data, HEAD);
	if (n < 0 && tfr_errno_of_process(errno))
		return tfr_fail_errno(err, errno, (const char *)l->path.data, "cannot open");
	if (n < 0) {
		*yes = tfr_scan_is_media(tfr_scan_name(scan, found->name));
		return TFR_OK;
	}
	l->item.file.size = (size_t)n;
	l->item.skipped = false;
	l->u->look(&l->item);
	*yes = !l->item.skipped;
	return TFR_OK;
}

/* Whether a file with a usable beginning is usable completely. */
static enum tfr_status judge(struct looking *l, bool *yes, struct tfr_error *err)
{
	enum tfr_status status = tfr_item_read(&l->item, l->u->scan->root,
		(const char *)l->path.data, l->u->look, &(struct tfr_room){ 0 }, err);

	if (!status && !l->item.skipped)
		l->u->judge(&l->item);
	*yes = !status && (!l->item.skipped || l->item.why == TFR_ESYS);
	tfr_item_trim(&l->item);
	return status;
}

static enum tfr_status look_into(struct looking *l, uint32_t dir, enum tfr_usable_reach reach,
	bool named, bool *yes, struct tfr_error *err)
{
	const struct tfr_scan *scan = l->u->scan;
	const struct tfr_scan_dir *d = &scan->dirs[dir];
	size_t left = named || reach == TFR_USABLE_ALL ? SIZE_MAX : UNNAMED_MOST;
	enum tfr_status status = TFR_OK;

	for (uint32_t i = d->first; !status && !*yes && left && i < d->last; i++) {
		const struct tfr_scan_item *found = &scan->items[i];

		if (found->fault || (reach == TFR_USABLE_DIRECTLY && found->dir != dir) ||
			tfr_scan_is_media(tfr_scan_name(scan, found->name)) != named)
			continue;
		status = look_at(l, found, yes, err);
		if (!status && *yes && reach == TFR_USABLE_ALL && l->u->judge)
			status = judge(l, yes, err);
		left--;
	}
	return status;
}

enum tfr_status tfr_usable_in(const struct tfr_usable *u, uint32_t dir, enum tfr_usable_reach reach,
	bool *yes, struct tfr_error *err)
{
	uint32_t end = reach == TFR_USABLE_DIRECTLY ? dir + 1 : u->scan->dirs[dir].end;
	struct looking l = { .u = u };
	enum tfr_status status = TFR_OK;

	*yes = false;
	for (uint32_t d = dir; !*yes && d < end; d++)
		*yes = (u->known && u->known[d]) ||
		       (reach != TFR_USABLE_DIRECTLY && u->scan->dirs[d].left_out);
	if (*yes || u->known)
		return TFR_OK;
	status = look_into(&l, dir, reach, true, yes, err);
	if (!status && !*yes)
		status = look_into(&l, dir, reach, false, yes, err);
	clear(&l);
	return status;
}

enum tfr_status tfr_usable_children(const struct tfr_usable *u, uint32_t dir,
	enum tfr_usable_reach reach, struct tfr_buf *list, struct tfr_error *err)
{
	const struct tfr_scan_dir *dirs = u->scan->dirs;
	enum tfr_status status = TFR_OK;
	bool yes;

	list->size = 0;
	for (uint32_t d = dir + 1; !status && d < dirs[dir].end; d = dirs[d].end) {
		status = tfr_usable_in(u, d, reach, &yes, err);
		if (!status && yes && !tfr_buf_append(list, &d, sizeof(d)))
			status = tfr_fail_nomem(err, "listing a folder");
	}
	return status;
}
