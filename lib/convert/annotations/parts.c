/* convert/annotations/parts.c - what layouts of data sets have in common: splits, a folder around
 * everything, and folders that no part has. */
#include "convert/annotations/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "convert/folder/splits.h"
#include "io/path.h"

enum { DEEPEST = 2, WIDEST = 16 };

static const char looking[] = "looking for annotations";

void tfr_parts_add(struct tfr_parts *p, const char *split, struct tfr_place images,
	struct tfr_place annotations, uint32_t file)
{
	if (TFR_ARRAY_ONE_MORE(p->list, p->n))
		tfr_fail_nomem(p->err, looking);
	else
		p->list[p->n++] = (struct tfr_part){ split, images, annotations, file, NULL, 0 };
}

struct tfr_place tfr_parts_outside(struct tfr_parts *p, const char *path)
{
	struct tfr_place none = { NULL, 0 };
	struct tfr_scan *scan;
	struct tfr_error why = { 0 };
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, &why);

	if (status)
		status = tfr_absent_or_failed(path, status, &why, p->err);
	if (status || !S_ISDIR(st.st_mode))
		return none;
	scan = calloc(1, sizeof(*scan));
	if (!scan || TFR_ARRAY_ONE_MORE(p->more, p->n_more)) {
		free(scan);
		tfr_fail_nomem(p->err, looking);
		return none;
	}
	p->more[p->n_more++] = scan;
	return tfr_scan_folder(scan, path, NULL, p->err) ? none : (struct tfr_place){ scan, 0 };
}

const char *tfr_parts_keep(struct tfr_parts *p, const char *name)
{
	if (tfr_names_insert(&p->kept, p->kept.n, name, strlen(name)))
		return p->kept.list[p->kept.n - 1];
	tfr_fail_nomem(p->err, looking);
	return NULL;
}

void tfr_parts_clear(struct tfr_parts *p)
{
	for (size_t i = 0; i < p->n_more; i++) {
		tfr_scan_clear(p->more[i]);
		free(p->more[i]);
	}
	free(p->more);
	free(p->list);
	tfr_names_clear(&p->kept);
	tfr_buf_clear(&p->left);
	tfr_buf_clear(&p->others);
	*p = (struct tfr_parts){ .err = p->err };
}

/* --- what no part has --- */

/* Whether a folder, or one of its first folders and so on, has images. */
static bool has_images(const struct tfr_scan *s, uint32_t dir, unsigned depth)
{
	uint32_t at = 0, folders = 0;
	bool found = tfr_scan_next(s, dir, TFR_FILE_IMAGE, &at) != TFR_NO_FILE;

	for (uint32_t d = dir + 1;
		!found && depth < DEEPEST && d < s->dirs[dir].end && folders++ < WIDEST;
		d = s->dirs[d].end)
		found = has_images(s, d, depth + 1);
	return found;
}

bool tfr_parts_have(const struct tfr_parts *p, struct tfr_place folder)
{
	uint32_t images = tfr_scan_child_exactly(folder.scan, folder.dir, "images");

	for (size_t i = 0; i < p->n; i++) {
		const struct tfr_place *has = &p->list[i].images;

		if (has->scan == folder.scan && (has->dir == folder.dir || has->dir == images))
			return true;
	}
	return false;
}

/* Removes the folders that a part has now. */
static void remove_had(const struct tfr_parts *p, struct tfr_buf *dirs)
{
	uint32_t *list = (uint32_t *)(void *)dirs->data;
	size_t n = dirs->size / sizeof(*list);

	dirs->size = 0;
	for (size_t i = 0; i < n; i++)
		if (!tfr_parts_have(p, tfr_place_in(p, list[i]))) {
			list[dirs->size / sizeof(*list)] = list[i];
			dirs->size += sizeof(*list);
		}
}

void tfr_parts_take(struct tfr_parts *p, struct tfr_parts *better)
{
	struct tfr_parts was = *p;

	*p = *better;
	p->left = was.left;
	p->others = was.others;
	was.left = better->left;
	was.others = better->others;
	*better = was;
	remove_had(p, &p->left);
	remove_had(p, &p->others);
}

/* Adds the folder to `names`, of `p`, if it has images. */
static void leave(struct tfr_parts *p, struct tfr_buf *names, uint32_t dir)
{
	if (has_images(p->scan, dir, 0) && !tfr_buf_append(names, &dir, sizeof(dir)))
		tfr_fail_nomem(p->err, looking);
}

/* Whether a part has its images below a folder. */
static bool holds_part(const struct tfr_parts *p, uint32_t dir)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].images.scan == p->scan && p->list[i].images.dir != dir &&
			tfr_scan_is_in(p->scan, p->list[i].images.dir, dir))
			return true;
	return false;
}

void tfr_parts_leave(struct tfr_parts *p, uint32_t dir)
{
	for (uint32_t d = dir + 1; d < p->scan->dirs[dir].end; d = p->scan->dirs[d].end)
		if (holds_part(p, d))
			tfr_parts_leave(p, d);
		else if (!tfr_parts_have(p, tfr_place_in(p, d)))
			leave(p, &p->left, d);
}

/* --- pairs and splits --- */

void tfr_parts_add_pair(struct tfr_parts *p, const char *split, struct tfr_place images,
	struct tfr_place annotations)
{
	const struct tfr_scan *s = images.scan;
	uint32_t at = 0;
	size_t before = p->n, left = p->left.size;
	bool splits = !split && tfr_scan_next(s, images.dir, TFR_FILE_IMAGE, &at) == TFR_NO_FILE;

	for (uint32_t d = images.dir + 1; splits && d < s->dirs[images.dir].end;
		d = s->dirs[d].end) {
		const char *name = tfr_scan_name(s, s->dirs[d].name);
		uint32_t other = tfr_scan_child_exactly(annotations.scan, annotations.dir, name);

		splits = tfr_split_is_name(name);
		if (splits && other != TFR_NO_FOLDER)
			tfr_parts_add(p, name, (struct tfr_place){ images.scan, d },
				(struct tfr_place){ annotations.scan, other }, TFR_NO_FILE);
		else if (splits && images.scan == p->scan)
			leave(p, &p->left, d);
	}
	if (splits && p->n > before)
		return;
	p->n = before;
	p->left.size = left;
	tfr_parts_add(p, split, images, annotations, TFR_NO_FILE);
}

/* Examines the folders that are splits.  If `find` finds nothing in most of them, what the
 * others have does not belong to the data set. */
static void find_splits(struct tfr_parts *p, uint32_t dir, tfr_parts_finder *find)
{
	const struct tfr_scan *s = p->scan;

	for (uint32_t d = dir + 1; d < s->dirs[dir].end; d = s->dirs[d].end) {
		const char *name = tfr_scan_name(s, s->dirs[d].name);
		size_t before = p->n;

		if (!tfr_split_is_name(name))
			continue;
		find(p, d, name);
		if (p->n == before)
			leave(p, &p->left, d);
	}
	if (p->left.size / sizeof(uint32_t) > p->n || !p->n)
		p->n = p->left.size = 0;
	for (uint32_t d = dir + 1; p->n && d < s->dirs[dir].end; d = s->dirs[d].end)
		if (!tfr_split_is_name(tfr_scan_name(s, s->dirs[d].name)))
			leave(p, &p->others, d);
}

void tfr_parts_find(struct tfr_parts *p, uint32_t dir, tfr_parts_finder *find)
{
	find(p, dir, NULL);
	if (!p->n)
		find_splits(p, dir, find);
}

uint32_t tfr_parts_base(const struct tfr_scan *s)
{
	enum { DOWN = 8 };
	uint32_t dir = 0;

	for (int i = 0; i < DOWN; i++) {
		bool alone = dir + 1 < s->dirs[dir].end && s->dirs[dir + 1].end == s->dirs[dir].end;

		for (enum tfr_file_kind k = TFR_FILE_IMAGE; alone && k <= TFR_FILE_TABLE; k++) {
			uint32_t at = 0;

			alone = k == TFR_FILE_AUDIO || tfr_scan_next(s, dir, k, &at) == TFR_NO_FILE;
		}
		if (!alone)
			break;
		dir++;
	}
	return dir;
}
