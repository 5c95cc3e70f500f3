/* convert/folder/unused_files.c - the names of images are kept as sorted hashes, so that a million
 * of them cost 8 MB while the input is opened.  A table or JSON proves itself by naming images of
 * the input, or by the members that formats of annotations have. */
#include "convert/folder/unused_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/suffix.h"
#include "convert/folder/splits.h"
#include "convert/input.h"
#include "convert/parts.h"
#include "io/path.h"

enum { MOST = 500 /* files that are examined */, BACK = 16, NAME = 256, NAMED = 3 };

struct file {
	size_t path, head, size; /* in u->texts */
	uint64_t pattern;	 /* a hash of the path without its digits */
	uint64_t n;		 /* files of this pattern */
	bool second, above;
};

/* What reads a file. */
enum reader { NONE, NO_OPTION, BOXES, VOC, CAPTIONS, PANOPTIC, LIST };

/* The column of a table that names images. */
struct column {
	char name[64]; /* in the header; "": there is none */
	bool audio;
	bool repeated; /* two rows in succession name the same image */
};

/* --- names --- */

static uint64_t stem_hash(const char *name)
{
	const char *dot = strrchr(name, '.');

	return XXH3_64bits(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static bool is_media(const char *name)
{
	return tfr_is_image(name) || tfr_scan_is_media(name);
}

/* Whether the content of a file of this name is examined. */
static bool is_candidate(const char *name)
{
	static const char *const extensions[] = { "xml", "json", "geojson", "jsonl", "ndjson",
		"csv", "tsv", "txt", "caption", "ann", "pts", "mat", "npy", "npz", NULL };
	static const char *const others[] = { "readme", "licen", "copying", "requirements",
		"changelog", "manifest.json", "package", "contents.json", "submission" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcasestr(name, others[i]))
			return false;
	return tfr_has_one_of(name, extensions);
}

static uint64_t pattern_of(const char *path)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (; *path; path++)
		if (*path < '0' || *path > '9')
			hash = (hash ^ (uint8_t)*path) * 1099511628211u;
	return hash;
}

bool tfr_unused_note(struct tfr_unused *u, const char *path, bool *wanted)
{
	const char *name = tfr_last_part(path);
	struct file *files = (struct file *)(void *)u->files.data, f = { .above = u->above };
	size_t n = u->files.size / sizeof(f);
	uint64_t stem;

	*wanted = false;
	if (is_media(name)) {
		stem = stem_hash(name);
		return u->above || tfr_buf_append(&u->stems, &stem, sizeof(stem));
	}
	if (!is_candidate(name))
		return true;
	f.pattern = pattern_of(path);
	f.n = 1;
	for (size_t i = n; i > 0 && i + BACK > n; i--) {
		if (files[i - 1].pattern != f.pattern)
			continue;
		files[i - 1].n += files[i - 1].second;
		if (files[i - 1].second)
			return true;
		f.second = true;
		break;
	}
	*wanted = n < MOST;
	return !*wanted || tfr_buf_append(&u->files, &f, sizeof(f));
}

bool tfr_unused_add(struct tfr_unused *u, const char *path, const void *head, size_t size)
{
	struct file *f = (struct file *)(void *)(u->files.data + u->files.size) - 1;

	f->path = u->texts.size;
	f->head = f->path + strlen(path) + 1;
	f->size = size;
	return tfr_buf_append(&u->texts, path, f->head - f->path) &&
	       tfr_buf_append(&u->texts, head, size) && tfr_buf_append(&u->texts, "", 1);
}

static int by_hash(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t images(const struct tfr_unused *u)
{
	return u->stems.size / sizeof(uint64_t);
}

static bool is_stem(const struct tfr_unused *u, const char *name)
{
	uint64_t hash = stem_hash(name);

	return bsearch(&hash, u->stems.data, images(u), sizeof(hash), by_hash);
}

/* Whether a text is the path of an image of the input; or its name without extension, if that has
 * `bare` bytes or more. */
static bool names_image(const struct tfr_unused *u, const char *text, size_t n, size_t bare)
{
	char name[NAME];
	const char *last;

	if (n >= sizeof(name))
		return false;
	memcpy(name, text, n);
	name[n] = '\0';
	last = tfr_last_part(name);
	last = strrchr(last, '\\') ? strrchr(last, '\\') + 1 : last;
	return (is_media(last) || (strlen(last) >= bare && !strchr(last, '.'))) && is_stem(u, last);
}

/* --- contents --- */

static bool is_few(const struct tfr_unused *u, size_t n)
{
	return !n || (n == 1 && images(u) > 1);
}

static bool has(const char *head, const char *what)
{
	return strstr(head, what);
}

/* Texts in quotes that name images, or members of annotations. */
static enum reader read_json(const struct tfr_unused *u, const struct file *f, const char *head)
{
	static const char *const members[] = { "annotations", "annotation", "image_id", "file_name",
		"imagePath", "bbox", "boundingBox", "polygon", "segmentation", "keypoints",
		"shapes", "regions", "caption", "classTitle" };
	bool member = false;
	size_t named = 0, n;

	for (const char *at = head; (at = strchr(at, '"')); at += n + 1) {
		const char *after;

		n = strcspn(++at, "\"");
		if (!at[n])
			break;
		after = at + n + 1 + strspn(at + n + 1, " \t\r\n");
		named += names_image(u, at, n, SIZE_MAX);
		for (size_t i = 0; *after == ':' && i < sizeof(members) / sizeof(*members); i++)
			member |= n == strlen(members[i]) && !memcmp(at, members[i], n);
	}
	if (is_few(u, named) && (!member || f->above))
		return NONE;
	if (!has(head, "\"images\"") && !has(head, "\"categories\""))
		return NO_OPTION;
	return has(head, "\"caption\"") || has((const char *)u->texts.data + f->path, "captions_")
		       ? CAPTIONS
	       : has((const char *)u->texts.data + f->path, "panoptic_") ? PANOPTIC
									 : BOXES;
}

/* The cells of a line; returns the position of the one that names an image, from 1. */
static size_t read_row(const struct tfr_unused *u, const char *line, size_t size, bool text,
	size_t wanted, const char **cell, size_t *cell_size, size_t *cells)
{
	const char *separators = text ? " ,;|\t" : ",;|\t";
	size_t found = 0, n;

	*cells = 0;
	for (const char *at = line, *end = line + size; at <= end; at += n + 1) {
		size_t from = 0, to;

		n = strcspn(at, separators);
		n = n < (size_t)(end - at) ? n : (size_t)(end - at);
		for (to = n; from < to && strchr(" \"'\r", at[from]);)
			from++;
		while (to > from && strchr(" \"'\r", at[to - 1]))
			to--;
		*cells += to > from;
		if (*cells == 1 && to - from >= 32 &&
			strspn(at + from, "0123456789abcdefABCDEF") >= 32)
			return 0; /* a list of checksums */
		if (!found && (wanted ? *cells == wanted
				      : names_image(u, at + from, to - from,
						*cells > 1 ? SIZE_MAX
						: text	   ? 5
							   : 1))) {
			*cell = at + from;
			*cell_size = to - from;
			found = *cells;
		}
	}
	return found;
}

/* A table with more columns than the one that names images, in at least half of its rows. */
static enum reader read_table(const struct tfr_unused *u, const struct file *f, const char *head,
	bool text, struct column *column)
{
	size_t rows = 0, hits = 0, bare = 0, at = 0, n, last_size = 0, size, cells;
	const char *cell = NULL, *last = "", *end = head + f->size, *first = NULL;

	for (const char *line = head; line < end && *line; line += n + 1) {
		n = strcspn(line, "\n");
		if (!line[n] && f->size == TFR_UNUSED_HEAD && rows)
			break;
		if (!n || *line == '\r' || *line == '#')
			continue;
		first = rows++ ? first : line;
		at = read_row(u, line, n, text, 0, &cell, &size, &cells);
		if (!at || cells < 2)
			continue;
		bare += !memchr(cell, '.', size);
		column->audio |= size > 3 && !strncasecmp(cell + size - 3, "wav", 3);
		column->repeated |= size == last_size && !memcmp(cell, last, size);
		last = cell;
		last_size = size;
		if (!hits++ && rows > 1 &&
			read_row(u, first, strcspn(first, "\n"), text, at, &cell, &size, &cells))
			snprintf(column->name, sizeof(column->name), "%.*s", (int)size, cell);
	}
	/* Numbers that are names by chance are fewer than the images. */
	if (hits * 2 < rows || is_few(u, hits) ||
		(bare && f->size < TFR_UNUSED_HEAD && hits * 4 < images(u)))
		return NONE;
	return text || bare || column->repeated || !*column->name ? NO_OPTION : LIST;
}

static enum reader examine(const struct tfr_unused *u, const struct file *f, struct column *column)
{
	static const char *const objects[] = { "json", "jsonl", "ndjson", "geojson", NULL };
	static const char *const tables[] = { "csv", "tsv", "txt", NULL };
	const char *path = (const char *)u->texts.data + f->path, *name = tfr_last_part(path);
	const char *head = (const char *)u->texts.data + f->head;
	enum reader reader = NONE;

	*column = (struct column){ 0 };
	if (tfr_has_extension(name, "xml") && !f->above && has(head, "<annotation"))
		return has(head, "<annotations") ? NO_OPTION : VOC;
	if (tfr_has_one_of(name, objects))
		reader = read_json(u, f, head);
	else if (tfr_has_one_of(name, tables))
		reader = read_table(u, f, head, tfr_has_extension(name, "txt"), column);
	if (!reader && is_stem(u, name))
		reader = has(head, "<annotation>") ? VOC : NO_OPTION;
	return reader;
}

/* --- all of them --- */

/* Whether an option names a file, so that it is read or written. */
static bool is_used(const struct tfr_convert_opts *o, const char *name)
{
	const char *const used[] = { o->labels, o->class_list, o->synsets, o->quarantine,
		o->findings };

	for (size_t i = 0; i < sizeof(used) / sizeof(*used); i++)
		if (used[i] && !strcmp(tfr_last_part(used[i]), name))
			return true;
	return false;
}

static void hint(const struct tfr_convert_opts *o, const char *path, enum reader reader,
	const struct column *column, const char *how, struct tfr_error *err)
{
	static const char *const options[] = { [BOXES] = "annotations",
		[VOC] = "annotations",
		[CAPTIONS] = "captions",
		[PANOPTIC] = "panoptic",
		[LIST] = "embed" };
	static const char ignore[] = "'--ignore-annotations' leaves them out";
	bool in_folder = reader == VOC; /* whose name is wanted */
	int n = (int)(strlen(path) - (in_folder ? strlen(tfr_last_part(path)) : 0));

	if (how || reader == NO_OPTION)
		tfr_error_hint(err, "%s  %s.", how ?: "tfr-shard(1) has the layouts that are read.",
			ignore);
	else if (reader == LIST)
		tfr_error_hint(err,
			"To read them, convert the table with the files that it names: 'tfr shard "
			"%.300s --embed %s=%s/encoded --root %.300s'.  %s.",
			path, column->name, column->audio ? "audio" : "image", o->inputs[0],
			ignore);
	else
		tfr_error_hint(err, "To read them, use '--%s %.*s' with the folder of images.  %s.",
			options[reader], n, path, ignore);
}

enum tfr_status tfr_unused_judge(struct tfr_unused *u, const struct tfr_convert_opts *opts,
	const char *how, struct tfr_error *err)
{
	const struct file *files = (const struct file *)(const void *)u->files.data, *best = NULL;
	enum reader reader = NONE;
	struct column column = { 0 };
	TFR_AUTO_FREE char *path = NULL;
	char text[400] = "";
	uint64_t n = 0, named = 0;

	if (opts->ignore_annotations || !u->stems.size)
		return TFR_OK;
	qsort(u->stems.data, images(u), sizeof(uint64_t), by_hash);
	for (size_t i = 0; i < u->files.size / sizeof(*files); i++) {
		const char *name = (const char *)u->texts.data + files[i].path;
		struct column its;
		enum reader by =
			is_used(opts, tfr_last_part(name)) ? NONE : examine(u, &files[i], &its);

		if (!by)
			continue;
		n += files[i].n;
		if (named++ < NAMED)
			tfr_list_name(text, sizeof(text), name, "");
		if (best && (reader != NO_OPTION || by == NO_OPTION))
			continue;
		best = &files[i];
		reader = by;
		column = its;
	}
	if (!best)
		return TFR_OK;
	path = best->above
		       ? strdup((const char *)u->texts.data + best->path)
		       : tfr_path_join(opts->inputs[0], (const char *)u->texts.data + best->path);
	if (!path)
		return tfr_fail_nomem(err, "looking for annotations");
	if (n == 1)
		tfr_fail(err, TFR_EUSAGE, "%s looks like annotations, which would not be read",
			text);
	else
		tfr_fail(err, TFR_EUSAGE,
			"%llu files look like annotations, which would not be read%s: %s",
			(unsigned long long)n, n > named || named > NAMED ? ", such as" : "", text);
	hint(opts, path, reader, &column, how, err);
	return TFR_EUSAGE;
}

void tfr_unused_clear(struct tfr_unused *u)
{
	tfr_buf_clear(&u->stems);
	tfr_buf_clear(&u->files);
	tfr_buf_clear(&u->texts);
}

/* --- a folder --- */

static enum tfr_status note_file(
	struct tfr_unused *u, const struct tfr_root *root, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *head = NULL;
	bool wanted = false;
	size_t n = 0;

	if (!tfr_unused_note(u, path, &wanted))
		return tfr_fail_nomem(err, "looking for annotations");
	if (!wanted)
		return TFR_OK;
	head = malloc(TFR_UNUSED_HEAD);
	if (!head)
		return tfr_fail_nomem(err, "looking for annotations");
	TFR_TRY(tfr_root_head(root, path, head, TFR_UNUSED_HEAD, &n, err));
	return tfr_unused_add(u, path, head, n)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "looking for annotations");
}

/* A file or the files of a folder, neither of which needs to exist. */
static enum tfr_status note_beside(struct tfr_unused *u, const char *path, struct tfr_error *err)
{
	TFR_AUTO_NAMES names = { 0 };
	struct stat st;
	enum tfr_status status = tfr_look(path, &st, err);

	if (status)
		return status == TFR_END ? TFR_OK : status;
	if (!S_ISDIR(st.st_mode))
		return S_ISREG(st.st_mode) ? note_file(u, NULL, path, err) : TFR_OK;
	TFR_TRY(tfr_list_folder(path, &names, err));
	for (size_t i = 0; i < names.n; i++) {
		TFR_AUTO_FREE char *file = tfr_path_join(path, names.list[i]);

		if (!file)
			return tfr_fail_nomem(err, "looking for annotations");
		status = is_candidate(names.list[i]) ? tfr_look(file, &st, err) : TFR_END;
		if (!status && S_ISREG(st.st_mode))
			status = note_file(u, NULL, file, err);
		if (status && status != TFR_END)
			return status;
	}
	return TFR_OK;
}

/* The usual places above: "annotations/" and "train.csv" of "train/". */
static enum tfr_status note_above(struct tfr_unused *u, const char *folder, struct tfr_error *err)
{
	static const char *const usual[] = { "annotations", "Annotations", "annots", "labels",
		"Labels", "labelTxt", "annotations/%s", "Annotations/%s", "labels/%s", "labels.csv",
		"labels.json", "annotations.csv", "annotations.json", "%s.csv", "%s.json" };
	size_t n = strlen(folder), from;
	const char *scheme = strstr(folder, "://");

	while (n > 1 && folder[n - 1] == '/')
		n--;
	for (from = n; from > 0 && folder[from - 1] != '/';)
		from--;
	/* "." has no name, and neither has a bucket. */
	if (folder[n - 1] == '.' || folder[n - 1] == '/' || !strncasecmp(folder, "http", 4) ||
		(scheme && from <= (size_t)(scheme - folder) + 3))
		return TFR_OK;
	u->above = true;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		char name[NAME + 16];
		TFR_AUTO_FREE char *path = NULL;
		const char *slot = strstr(usual[i], "%s");

		snprintf(name, sizeof(name), "%.*s%.*s%s", slot ? (int)(slot - usual[i]) : NAME,
			usual[i], (int)(slot && n - from < NAME ? n - from : 0), folder + from,
			slot ? slot + 2 : "");
		if (strlen(name) == n - from && !memcmp(name, folder + from, n - from))
			continue;
		path = tfr_asprintf("%.*s%s", (int)from, folder, name);
		if (!path)
			return tfr_fail_nomem(err, "looking for annotations");
		TFR_TRY(note_beside(u, path, err));
	}
	return TFR_OK;
}

static enum tfr_status look(struct tfr_unused *u, const struct tfr_scan *scan,
	const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_BUF path = { 0 };

	for (size_t i = 0; i < scan->n_items; i++) {
		const char *name = tfr_scan_name(scan, scan->items[i].name);

		if (scan->items[i].fault)
			continue;
		if (is_candidate(name) && !tfr_scan_path(scan, &scan->items[i], &path))
			return tfr_fail_nomem(err, "looking for annotations");
		TFR_TRY(note_file(
			u, scan->root, is_candidate(name) ? (const char *)path.data : name, err));
	}
	TFR_TRY(note_above(u, opts->inputs[0], err));
	return tfr_unused_judge(u, opts, NULL, err);
}

enum tfr_status tfr_unused_refuse(
	const struct tfr_scan *scan, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct tfr_unused u = { 0 };
	enum tfr_status status = opts->ignore_annotations ? TFR_OK : look(&u, scan, opts, err);

	tfr_unused_clear(&u);
	return status;
}
