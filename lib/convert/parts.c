/* convert/parts.c - lists names and paths of a data set; each kind of input knows what they
 * mean. */
#include "convert/parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "convert/folder/splits.h"
#include "io/path.h"
#include "io/root.h"

enum { LOOKED_AT = 4096, KEPT = 16, DOWN = 8, DEEPEST = 2 };

bool tfr_has_extension(const char *name, const char *extension)
{
	const char *dot = strrchr(name, '.');

	return dot && dot > name && !strcasecmp(dot + 1, extension);
}

bool tfr_has_one_of(const char *name, const char *const *extensions)
{
	while (*extensions && !tfr_has_extension(name, *extensions))
		extensions++;
	return *extensions;
}

bool tfr_is_image(const char *name)
{
	static const char *const extensions[] = { "jpg", "jpeg", "jpe", "jfif", "png", "webp",
		"gif", "bmp", "dib", "tif", "tiff", "heic", "heif", "avif", "jxl", "jp2", "ppm",
		"pgm", "pbm", "pnm", "tga", "dng", "cr2", "nef", "arw", NULL };

	return tfr_has_one_of(name, extensions);
}

bool tfr_is_audio(const char *name)
{
	static const char *const extensions[] = { "wav", "wave", "flac", "mp3", "ogg", "oga",
		"opus", "m4a", "aac", "aif", "aiff", "wma", "au", NULL };

	return tfr_has_one_of(name, extensions);
}

bool tfr_is_media(const char *name)
{
	return tfr_is_image(name) || tfr_is_audio(name);
}

char *tfr_path_join(const char *folder, const char *name)
{
	size_t n = strlen(folder);

	return tfr_asprintf(n && folder[n - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

/* Whether there is something of that name.  A link to itself or
 * to too long a name leads nowhere. */
static bool look_at(const char *path, struct stat *st, struct tfr_error *err)
{
	struct tfr_error why = { .sys_errno = 0 };
	enum tfr_status status =
		path ? tfr_look(path, st, &why) : tfr_fail_nomem(&why, "looking at a folder");

	if (status && status != TFR_END && why.sys_errno != ELOOP && why.sys_errno != ENAMETOOLONG)
		*err = why;
	return !status;
}

bool tfr_is_folder(const char *path, struct tfr_error *err)
{
	struct stat st;

	return look_at(path, &st, err) && S_ISDIR(st.st_mode);
}

bool tfr_is_file(const char *path, struct tfr_error *err)
{
	struct stat st;

	return look_at(path, &st, err) && S_ISREG(st.st_mode);
}

size_t tfr_head_of(const char *path, void *head, size_t size, struct tfr_error *err)
{
	struct tfr_error why = { .sys_errno = 0 };
	size_t got = 0;
	enum tfr_status status = path ? tfr_root_head(NULL, path, head, size, &got, &why)
				      : tfr_fail_nomem(&why, "looking at a folder");

	if (status && status != TFR_END)
		*err = why;
	return status ? 0 : got;
}

/* --- a look --- */

static struct tfr_names *kind_of(struct tfr_listing *l, const char *name)
{
	if (tfr_is_image(name))
		return &l->images;
	if (tfr_has_extension(name, "txt"))
		return &l->texts;
	if (tfr_has_extension(name, "xml"))
		return &l->xmls;
	if (tfr_has_one_of(name, (const char *const[]){ "yaml", "yml", NULL }))
		return &l->yamls;
	if (tfr_has_one_of(name, (const char *const[]){ "json", "csv", "jsonl", NULL }))
		return &l->tables;
	return NULL;
}

static void note(struct tfr_listing *l, const char *folder, const char *name, unsigned char type)
{
	struct tfr_names *kind = kind_of(l, name);
	TFR_AUTO_FREE char *path = NULL;
	bool good = true, is_folder = type == DT_DIR;

	if (type != DT_DIR && type != DT_REG) {
		path = tfr_path_join(folder, name);
		good = path != NULL;
		is_folder = good && tfr_is_folder(path, l->err);
	}
	if (is_folder)
		kind = &l->folders;
	if (good && (is_folder || (kind && kind->n < KEPT)))
		good = tfr_names_insert(kind, kind->n, name, strlen(name));
	if (!good)
		tfr_fail_nomem(l->err, "listing a folder");
}

static void list_prefix(struct tfr_listing *l, const char *url)
{
	struct tfr_names names = { 0 };

	tfr_list_folder(url, &names, l->err);
	for (size_t n = 0; n < names.n && !l->cut && !l->err->status; n++) {
		l->cut = n == LOOKED_AT;
		if (names.list[n][0] != '.' && !l->cut)
			note(l, url, names.list[n], DT_UNKNOWN);
	}
	tfr_names_clear(&names);
}

static void list_local(struct tfr_listing *l, const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *e = NULL;
	int fault = d || errno == ENOENT || errno == ENOTDIR ? 0 : errno;

	for (size_t n = 0; d && !l->cut && !l->err->status; n++) {
		errno = 0;
		e = readdir(d);
		fault = errno;
		if (!e)
			break;
		l->cut = n == LOOKED_AT;
		if (e->d_name[0] != '.' && !l->cut)
			note(l, folder, e->d_name, e->d_type);
	}
	if (fault)
		tfr_fail_errno(l->err, fault, folder, "cannot list folder");
	if (d)
		closedir(d);
}

bool tfr_listing_open(struct tfr_listing *l, const char *folder, struct tfr_error *err)
{
	*l = (struct tfr_listing){ .err = err };
	if (!folder)
		tfr_fail_nomem(err, "listing a folder");
	else if (tfr_is_url(folder))
		list_prefix(l, folder);
	else
		list_local(l, folder);
	tfr_names_sort(&l->folders);
	return !err->status;
}

void tfr_listing_close(struct tfr_listing *l)
{
	tfr_names_clear(&l->folders);
	tfr_names_clear(&l->texts);
	tfr_names_clear(&l->xmls);
	tfr_names_clear(&l->yamls);
	tfr_names_clear(&l->images);
	tfr_names_clear(&l->tables);
}

char *tfr_child(struct tfr_listing *l, const char *folder, const char *name)
{
	for (size_t i = 0; i < l->folders.n; i++)
		if (!strcasecmp(l->folders.list[i], name)) {
			char *path = tfr_path_join(folder, l->folders.list[i]);

			if (!path)
				tfr_fail_nomem(l->err, "listing a folder");
			return path;
		}
	return NULL;
}

/* --- parts --- */

static void clear_part(struct tfr_part *part)
{
	free(part->split);
	free(part->images);
	free(part->annotations);
}

bool tfr_parts_add(
	struct tfr_parts *p, const char *split, const char *images, const char *annotations)
{
	struct tfr_part part = { .split = split ? strdup(split) : NULL,
		.images = strdup(images),
		.annotations = strdup(annotations) };

	if (TFR_ARRAY_ONE_MORE(p->list, p->n) || !part.images || !part.annotations ||
		(split && !part.split)) {
		clear_part(&part);
		return false;
	}
	p->list[p->n++] = part;
	return true;
}

void tfr_parts_clear(struct tfr_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		clear_part(&p->list[i]);
	free(p->list);
	tfr_names_clear(&p->left);
	tfr_names_clear(&p->others);
	*p = (struct tfr_parts){ .err = p->err };
}

/* --- what no part has --- */

static bool has_images(const char *folder, unsigned depth, struct tfr_error *err)
{
	TFR_AUTO_LISTING l = { 0 };
	bool found = false;

	if (tfr_listing_open(&l, folder, err)) {
		found = l.images.n;
		for (size_t i = 0; i < l.folders.n && i < KEPT && !found && depth < DEEPEST; i++) {
			TFR_AUTO_FREE char *path = tfr_path_join(folder, l.folders.list[i]);

			found = has_images(path, depth + 1, err);
		}
	}
	return found;
}

static bool is_same_folder(const char *a, const char *b, struct tfr_error *err)
{
	struct stat x, y;

	return look_at(a, &x, err) && look_at(b, &y, err) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

bool tfr_parts_have(const struct tfr_parts *p, const char *folder)
{
	TFR_AUTO_FREE char *images = tfr_path_join(folder, "images");

	for (size_t i = 0; i < p->n; i++)
		if (is_same_folder(p->list[i].images, folder, p->err) ||
			(images && is_same_folder(p->list[i].images, images, p->err)))
			return true;
	return false;
}

/* Adds to `names`, of `p`, the folder `name` in `folder` if it has images. */
static bool leave(
	struct tfr_parts *p, struct tfr_names *names, const char *folder, const char *name)
{
	TFR_AUTO_FREE char *path = tfr_path_join(folder, name);

	if (!path)
		return false;
	return !has_images(path, 0, p->err) ||
	       tfr_names_insert(names, names->n, path, strlen(path));
}

/* Whether a part has its images below a folder. */
static bool holds_part(const struct tfr_parts *p, const char *folder)
{
	size_t n = strlen(folder);

	for (size_t i = 0; i < p->n; i++)
		if (!strncmp(p->list[i].images, folder, n) && p->list[i].images[n] == '/')
			return true;
	return false;
}

bool tfr_parts_leave(struct tfr_parts *p, const char *folder)
{
	TFR_AUTO_LISTING l = { 0 };
	bool good = true;

	tfr_listing_open(&l, folder, p->err);
	for (size_t i = 0; good && i < l.folders.n; i++) {
		const char *name = l.folders.list[i];
		TFR_AUTO_FREE char *path = tfr_path_join(folder, name);

		good = path != NULL;
		if (good && holds_part(p, path))
			good = tfr_parts_leave(p, path);
		else if (good && !tfr_parts_have(p, path))
			good = leave(p, &p->left, folder, name);
	}
	return good;
}

/* --- pairs and splits --- */

/* The sub-folder of `annotations` with the same name; NULL: none. */
static char *counterpart(const char *annotations, const char *name, struct tfr_error *err)
{
	char *path = tfr_path_join(annotations, name);

	if (tfr_is_folder(path, err))
		return path;
	free(path);
	return NULL;
}

bool tfr_parts_add_pair(struct tfr_parts *p, const char *images, const char *annotations)
{
	TFR_AUTO_LISTING l = { 0 };
	size_t before = p->n;
	bool good = true, splits = tfr_listing_open(&l, images, p->err) && !l.images.n;

	for (size_t i = 0; good && splits && i < l.folders.n; i++) {
		const char *name = l.folders.list[i];
		TFR_AUTO_FREE char *a = counterpart(annotations, name, p->err), *b = NULL;

		splits = tfr_split_is_name(name);
		if (!splits)
			continue;
		if (!a) {
			good = leave(p, &p->left, images, name);
			continue;
		}
		b = tfr_path_join(images, name);
		good = b && tfr_parts_add(p, name, b, a);
	}
	while (!splits && p->n > before)
		clear_part(&p->list[--p->n]);
	if (p->n == before)
		tfr_names_clear(&p->left);
	return p->n > before ? good : tfr_parts_add(p, NULL, images, annotations);
}

/* Examines the folders that are splits.  If `find` finds nothing in most of them, what the
 * others have does not belong to the data set. */
static bool find_splits(
	struct tfr_parts *p, const char *folder, struct tfr_listing *l, tfr_parts_finder find)
{
	bool good = true;

	for (size_t i = 0; good && i < l->folders.n; i++) {
		const char *name = l->folders.list[i];
		TFR_AUTO_FREE char *path = NULL;
		TFR_AUTO_LISTING inside = { 0 };
		size_t before = p->n;

		if (!tfr_split_is_name(name))
			continue;
		path = tfr_path_join(folder, name);
		if (!path)
			return false;
		good = !tfr_listing_open(&inside, path, p->err) || find(p, path, &inside, name);
		if (good && p->n == before)
			good = leave(p, &p->left, folder, name);
	}
	if (p->left.n > p->n || !p->n)
		tfr_parts_clear(p);
	for (size_t i = 0; good && p->n && i < l->folders.n; i++)
		if (!tfr_split_is_name(l->folders.list[i]))
			good = leave(p, &p->others, folder, l->folders.list[i]);
	return good;
}

bool tfr_parts_find(struct tfr_parts *p, const char *folder, tfr_parts_finder find)
{
	TFR_AUTO_LISTING l = { 0 };
	bool good = true;

	if (tfr_listing_open(&l, folder, p->err))
		good = find(p, folder, &l, NULL);
	if (good && !p->n)
		good = find_splits(p, folder, &l, find);
	return good;
}

char *tfr_parts_base(const char *folder, struct tfr_error *err)
{
	char *base = strdup(folder);

	for (int i = 0; base && i < DOWN; i++) {
		TFR_AUTO_LISTING l = { 0 };
		bool on = tfr_listing_open(&l, base, err) && l.folders.n == 1 && !l.cut &&
			  !l.images.n && !l.texts.n && !l.xmls.n && !l.yamls.n && !l.tables.n;
		char *below = on ? tfr_path_join(base, l.folders.list[0]) : NULL;

		if (!on)
			break;
		free(base);
		base = below;
	}
	return base;
}
