/* convert/folder/unused_files.c - the names of images are kept as sorted hashes, so that a million
 * of them cost 8 MB while the input is opened.  A table or JSON proves itself by naming images of
 * the input, or by the members that formats of annotations have. */
#include "convert/folder/unused_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/compare.h"
#include "base/suffix.h"
#include "base/url.h"
#include "convert/folder/splits.h"
#include "io/path.h"

enum { MOST = 1000 /* files that are examined */, NAME = 256, NAMED = 3 };

struct file {
	size_t path, head; /* sizes with their NULs; both follow */
	bool above;
};

/* What reads a file; the last one of several is the best hint. */
enum reader { NONE, NO_OPTION, PANOPTIC, CAPTIONS, VOC, BOXES };

static const char looking[] = "looking for annotations";

/* --- names --- */

static uint64_t stem_hash(const char *name)
{
	const char *dot = strrchr(name, '.');

	return XXH3_64bits(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* Whether the kind has read a file, by its name alone: a path can be written in several ways. */
static bool is_read(const struct tfr_unused *u, const char *name)
{
	const uint64_t hash = XXH3_64bits(name, strlen(name));
	bool yes = u->in->ops->tree && tfr_has_extension(name, u->in->ops->tree);

	for (size_t i = 0; !yes && u->opened && i < u->opened->names.size; i += sizeof(hash))
		yes = !memcmp(u->opened->names.data + i, &hash, sizeof(hash));
	return yes;
}

/* Whether the content of a file of this name is examined. */
static bool is_candidate(const struct tfr_unused *u, const char *path)
{
	static const char *const extensions[] = { "xml", "json", "geojson", "jsonl", "ndjson",
		"csv", "tsv", "txt", "caption", "ann", "pts", "mat", "npy", "npz", NULL };
	static const char *const others[] = { "readme", "licen", "copying", "requirements",
		"changelog", "manifest.json", "package", "contents.json", "submission", "md5",
		"sha1", "sha256", "checksum" };
	const char *name = tfr_base_name(path);

	/* VOC's lists of splits are for --image-set. */
	if (!tfr_has_one_of(name, extensions) || strstr(path, "ImageSets/"))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcasestr(name, others[i]))
			return false;
	return !is_read(u, name);
}

bool tfr_unused_note(struct tfr_unused *u, const char *path, bool *wanted)
{
	const char *name = tfr_base_name(path);
	const uint64_t stem = stem_hash(name);

	*wanted = is_candidate(u, path) && u->n++ < MOST;
	return u->above || !tfr_is_media(name) || tfr_buf_append(&u->stems, &stem, sizeof(stem));
}

bool tfr_unused_add(struct tfr_unused *u, const char *path, const void *head, size_t size)
{
	const struct file f = { strlen(path) + 1, size + 1, u->above };

	return tfr_buf_append(&u->files, &f, sizeof(f)) &&
	       tfr_buf_append(&u->files, path, f.path) && tfr_buf_append(&u->files, head, size) &&
	       tfr_buf_append(&u->files, "", 1);
}

static size_t images(const struct tfr_unused *u)
{
	return u->stems.size / sizeof(uint64_t);
}

static bool is_stem(const struct tfr_unused *u, uint64_t hash)
{
	return tfr_find_u64((const uint64_t *)(const void *)u->stems.data, images(u), hash);
}

/* Whether a text is the path of an image of the input, or with `any` of any image; or its name
 * without extension, if that has `bare` bytes or more. */
static bool names_image(
	const struct tfr_unused *u, const char *text, size_t n, size_t bare, bool any)
{
	char name[NAME];
	const char *last;

	if (n >= sizeof(name))
		return false;
	memcpy(name, text, n);
	name[n] = '\0';
	last = tfr_base_name(name);
	last = strrchr(last, '\\') ? strrchr(last, '\\') + 1 : last;
	if (any && tfr_is_media(last))
		return true;
	return (tfr_is_media(last) || (strlen(last) >= bare && !strchr(last, '.'))) &&
	       is_stem(u, stem_hash(last));
}

/* --- contents --- */

/* How the texts of a kind of file are separated; of JSON each text in quotes is a row. */
static const struct form {
	const char *const extensions[5];
	const char *separators, *ends, *quotes;
	size_t columns; /* that a row has at least */
	size_t share;	/* at least one row of so many names an image */
	size_t bare;	/* a name without extension counts in the first column if it is as long */
} forms[] = {
	{ { "json", "jsonl", "ndjson", "geojson" }, "\"", "\"", "", 1, TFR_UNUSED_HEAD, SIZE_MAX },
	{ { "csv", "tsv" }, ",;|\t\n", "\n", " \"'\r", 2, 2, 1 },
	{ { "txt" }, " ,;|\t\n", "\n", "\"'\r", 2, 2, 5 },
};

/* `any`: a table of images that are not in the input counts, as of a data set of which it is a
 * part. */
static bool names_images(const struct tfr_unused *u, const struct form *form, bool any,
	const char *head, size_t size)
{
	size_t rows = 0, hits = 0, bare = 0, cells = 0, n;
	bool found = false, is_bare = false;

	for (const char *at = head; *at; at += n + (at[n] != '\0')) {
		size_t from = strspn(at, form->quotes), to;

		for (n = to = strcspn(at, form->separators);
			to > from && strchr(form->quotes, at[to - 1]);)
			to--;
		cells += to > from;
		if (!found && names_image(u, at + from, to - from,
				      cells > 1 ? SIZE_MAX : form->bare, any)) {
			found = true;
			is_bare = !memchr(at + from, '.', to - from);
		}
		if (!strchr(form->ends, at[n]))
			continue;
		rows += cells > 0;
		hits += found && cells >= form->columns;
		bare += found && cells >= form->columns && is_bare;
		found = false;
		cells = 0;
	}
	/* Numbers that are names by chance are fewer than the images. */
	return hits * form->share >= rows && hits >= (images(u) > 1 ? 2 : 1) &&
	       !(bare && size < TFR_UNUSED_HEAD && hits * 4 < images(u));
}

/* Whether JSON has one of the members of annotations. */
static bool has_member(const char *head)
{
	static const char *const members[] = { "\"annotations\"", "\"annotation\"", "\"image_id\"",
		"\"file_name\"", "\"imagePath\"", "\"bbox\"", "\"boundingBox\"", "\"polygon\"",
		"\"segmentation\"", "\"keypoints\"", "\"shapes\"", "\"regions\"", "\"caption\"",
		"\"classTitle\"" };
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(members) / sizeof(*members); i++)
		found = strstr(head, members[i]);
	return found;
}

static enum reader examine(
	const struct tfr_unused *u, const struct file *f, const char *path, const char *head)
{
	const char *name = tfr_base_name(path);
	const bool json = tfr_has_one_of(name, forms[0].extensions);
	bool named = false;

	if (tfr_has_extension(name, "xml") && !f->above && strstr(head, "<annotation"))
		return strstr(head, "<annotations") ? NO_OPTION : VOC;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		named |= tfr_has_one_of(name, forms[i].extensions) &&
			 names_images(u, &forms[i], !json && !f->above, head, f->head - 1);
	named |= json && !f->above && has_member(head);
	if (json && named && (strstr(head, "\"images\"") || strstr(head, "\"categories\"")))
		return strstr(path, "panoptic_")				  ? PANOPTIC
		       : strstr(head, "\"caption\"") || strstr(path, "captions_") ? CAPTIONS
										  : BOXES;
	if (named || is_stem(u, stem_hash(name)))
		return !named && strstr(head, "<annotation>") ? VOC : NO_OPTION;
	return NONE;
}

/* --- all of them --- */

enum tfr_status tfr_unused_judge(struct tfr_unused *u, const char *how, struct tfr_error *err)
{
	static const char *const options[] = { [PANOPTIC] = "panoptic",
		[CAPTIONS] = "captions",
		[VOC] = "annotations",
		[BOXES] = "annotations" };
	const char *best = NULL;
	enum reader reader = NONE;
	char text[400] = "";
	size_t n = 0;
	struct file f;

	tfr_sort_u64((uint64_t *)(void *)u->stems.data, images(u));
	for (size_t at = 0; u->stems.size && at < u->files.size;
		at += sizeof(f) + f.path + f.head) {
		const char *path = (const char *)u->files.data + at + sizeof(f);
		enum reader by;

		memcpy(&f, u->files.data + at, sizeof(f));
		by = examine(u, &f, path, path + f.path);
		if (by && n++ < NAMED)
			tfr_list_name(text, sizeof(text), path, "");
		best = by > reader ? path : best;
		reader = by > reader ? by : reader;
	}
	if (!reader)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "%zu%s file%s, which would not be read: %s%s", n,
		u->n > MOST ? " or more" : "",
		n == 1 ? " looks like annotations" : "s look like annotations", text,
		n > NAMED ? ", ..." : "");
	if (how || reader == NO_OPTION)
		tfr_error_hint(err, "%s  '--ignore-annotations' leaves them out.",
			how ?: "tfr-shard(1) has the layouts that are read.");
	else
		tfr_error_hint(err,
			"To read them, use '--%s %.*s' with the folder of images%s.  "
			"'--ignore-annotations' leaves them out.",
			options[reader],
			(int)(reader == VOC ? tfr_base_name(best) - best : (ptrdiff_t)strlen(best)),
			best, reader < VOC ? ", and '--annotations' for their boxes" : "");
	return TFR_EUSAGE;
}

void tfr_unused_clear(struct tfr_unused *u)
{
	tfr_buf_clear(&u->stems);
	tfr_buf_clear(&u->files);
}

/* --- a folder --- */

/* Notes the file `item` of a tree, or without one that of a path, and reads what may be
 * annotations. */
static enum tfr_status note_file(struct tfr_unused *u, const struct tfr_scan *scan, uint32_t item,
	const char *path, struct tfr_error *err)
{
	char head[TFR_UNUSED_HEAD];
	struct tfr_error why = { 0 };
	bool wanted = false;
	size_t n = 0;

	TFR_NEED_MEMORY(tfr_unused_note(u, path, &wanted), err, looking);
	if (!wanted)
		return TFR_OK;
	if (scan)
		n = tfr_scan_head(scan, item, head, sizeof(head), &why);
	else
		tfr_root_head(NULL, path, head, sizeof(head), &n, &why);
	TFR_TRY(tfr_error_pass(&why, err));
	TFR_NEED_MEMORY(tfr_unused_add(u, path, head, n), err, looking);
	return TFR_OK;
}

static enum tfr_status note_all(
	struct tfr_unused *u, const struct tfr_scan *scan, struct tfr_error *err)
{
	for (uint32_t i = 0; i < scan->n_items + scan->n_outside; i++) {
		const struct tfr_scan_item *item = &scan->items[i];
		const bool media = item->kind == TFR_FILE_IMAGE || item->kind == TFR_FILE_AUDIO;
		TFR_AUTO_FREE char *path = NULL;

		u->above |= i >= scan->n_items;
		if (item->fault)
			continue;
		path = media ? NULL : tfr_scan_file_path(scan, i);
		TFR_NEED_MEMORY(media || path, err, looking);
		TFR_TRY(note_file(u, scan, i, path ?: tfr_scan_name(scan, item->name), err));
	}
	return TFR_OK;
}

/* A file outside of the tree, or a folder with all that it contains. */
static enum tfr_status note_beside(struct tfr_unused *u, const char *path, struct tfr_error *err)
{
	struct tfr_scan scan;
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, err);

	if (status)
		return status == TFR_END ? TFR_OK : status;
	if (!S_ISDIR(st.st_mode))
		return note_file(u, NULL, 0, path, err);
	TFR_TRY(tfr_scan_folder(&scan, path, NULL, err));
	status = note_all(u, &scan, err);
	tfr_scan_clear(&scan);
	return status;
}

/* Whether a name above the input is a usual one: "annotations/", "labels.csv", "train.json" of
 * "train/". */
static bool is_usual(const char *name, const char *input)
{
	const char *const words[] = { "annotations", "annots", "labels", "labelTxt", input };
	const size_t n = strcspn(name, ".");
	bool usual = false;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		usual |= n == strlen(words[i]) && !strncasecmp(name, words[i], n);
	return usual && strcmp(name, input) &&
	       (!name[n] || tfr_has_extension(name, "csv") || tfr_has_extension(name, "json"));
}

/* Looks only where the folder above can be listed: a key of a bucket is often for one prefix.  A
 * folder "." has no name, and nothing is above a bucket. */
static enum tfr_status note_above(struct tfr_unused *u, struct tfr_error *err)
{
	const char *folder = u->in->opts->input.paths[0], *name;
	TFR_AUTO_FREE char *path = strndup(folder, strlen(folder) - tfr_has_suffix(folder, "/"));
	TFR_AUTO_FREE char *above = NULL;
	TFR_AUTO_NAMES names = { 0 };
	struct tfr_error why = { .sys_errno = 0 };

	TFR_NEED_MEMORY(path, err, looking);
	name = tfr_base_name(path);
	above = strndup(path, (size_t)(name - path));
	TFR_NEED_MEMORY(above, err, looking);
	if (!name[strspn(name, ".")] || tfr_is_web(path) || tfr_has_suffix(above, "://"))
		return TFR_OK;
	if (tfr_list_folder(*above ? above : ".", &names, &why))
		return why.sys_errno == EACCES ? TFR_OK : tfr_error_pass(&why, err);
	u->above = true;
	for (size_t i = 0; i < names.n; i++) {
		TFR_AUTO_FREE char *file = tfr_asprintf("%s%s", above, names.list[i]);

		TFR_NEED_MEMORY(file, err, looking);
		if (is_usual(names.list[i], name))
			TFR_TRY(note_beside(u, file, err));
	}
	return TFR_OK;
}

enum tfr_status tfr_unused_refuse(
	const struct tfr_input *in, const struct tfr_opened *opened, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = in->opts;
	struct tfr_unused u = { .in = in, .opened = opened };
	struct tfr_error why = { 0 };
	enum tfr_status status;

	/* Annotations that are named are chosen. */
	if (o->input.ignore_annotations || o->input.annotations || o->input.captions ||
		o->input.panoptic || o->classes.list)
		return TFR_OK;
	status = note_all(&u, in->scan, &why);
	if (!status && !in->scan->places)
		status = note_above(&u, &why);
	tfr_error_pass(&why, err);
	if (!status)
		status = tfr_unused_judge(&u, in->scan->places ? TFR_UNUSED_UNPACK : NULL, err);
	tfr_unused_clear(&u);
	return status;
}
