/* convert/folder/class_lists.c - reads labels, synsets and the classes of images from files.
 *
 * Of a file of labels, the first line decides which of the two forms the file has, and the others
 * must have it too, so that a name that begins with digits and a colon is not ambiguous.  Names are
 * bytes, not text, and are compared with those of folders unchanged.  A manifest with classes is
 * first converted to such lines. */
#include "convert/folder/class_lists.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "convert/list/line_reader.h"
#include "io/source.h"
#include "shard/manifests.h"

/* Whether a text begins with a byte order mark, as editors on Windows write. */
static bool has_mark(const char *text, size_t size)
{
	return size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
}

static enum tfr_status check_text(struct tfr_label_map *m, const char *path, struct tfr_error *err)
{
	if (m->text.size > TFR_LABEL_MAP_MOST)
		return tfr_fail_path(err, TFR_EDATA, path, "the list of labels is too large:");
	if (has_mark((const char *)m->text.data, m->text.size))
		memmove(m->text.data, m->text.data + 3, m->text.size -= 3);
	TFR_NEED_MEMORY(tfr_buf_reserve(&m->text, 1), err, "reading labels");
	if (memchr(m->text.data, '\0', m->text.size))
		return tfr_fail_path(err, TFR_EDATA, path,
			"not a list of labels, because it contains NUL bytes:");
	m->text.data[m->text.size] = '\0';
	return TFR_OK;
}

/* Replaces a manifest by lines LABEL:NAME.  Any other text stays. */
static enum tfr_status take_manifest(struct tfr_label_map *m, struct tfr_error *err)
{
	struct tfr_manifest *manifest = NULL;
	TFR_AUTO_BUF lines = { 0 };
	enum tfr_status status;

	if (!m->text.size || *m->text.data != '{')
		return TFR_OK;
	status = tfr_manifest_parse(&manifest, m->text.data, m->text.size, NULL);
	for (size_t i = 0; !status && i < manifest->classes.n; i++) {
		const struct tfr_class_entry *class = &manifest->classes.list[i];

		if (!tfr_buf_printf(&lines, "%lld:%s\n", (long long)class->label, class->text))
			status = TFR_ENOMEM;
	}
	tfr_manifest_free(manifest);
	if (status == TFR_ENOMEM || (!status && !tfr_buf_append(&lines, "", 1)))
		return tfr_fail_nomem(err, "reading labels");
	if (!status) {
		struct tfr_buf text = m->text;

		m->text = lines;
		lines = text;
	}
	return TFR_OK;
}

/* Parses the label at the beginning of a line, and the name after it; false: there is no label. */
static bool split(char *line, int64_t *label, char **name)
{
	char *end;
	long long n;

	if (!isdigit((unsigned char)line[*line == '-']))
		return false;
	errno = 0;
	n = strtoll(line, &end, 10);
	if (errno || *end != ':' || !end[1])
		return false;
	*label = n;
	*name = end + 1;
	return true;
}

static enum tfr_status read_classes(
	struct tfr_label_map *m, const char *path, int64_t base, struct tfr_error *err)
{
	char *line = (char *)m->text.data, *next;
	bool labelled = false;

	for (size_t number = 1; line; line = next, number++) {
		size_t n = strcspn(line, "\n");
		struct tfr_class class = { .label = base + (int64_t)m->n, .text = line };
		char *name;
		int64_t label;
		bool has_label;

		next = line[n] ? line + n + 1 : NULL;
		n -= n && line[n - 1] == '\r';
		line[n] = '\0';
		if (!n)
			continue;
		has_label = split(line, &label, &name);
		if (!m->n)
			labelled = has_label;
		if (labelled && !has_label)
			return tfr_fail(
				err, TFR_EDATA, "no LABEL:NAME in '%s', line %zu", path, number);
		if (labelled)
			class = (struct tfr_class){ .label = label, .text = name };
		if (TFR_ARRAY_ONE_MORE(m->classes, m->n))
			return tfr_fail_nomem(err, "reading labels");
		m->classes[m->n++] = class;
	}
	if (!m->n)
		return tfr_fail_path(err, TFR_EDATA, path, "no labels in");
	if (labelled && base)
		return tfr_fail(err, TFR_EUSAGE,
			"--label-base has no effect: '%s' gives each name a label", path);
	return TFR_OK;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct tfr_class *const *)a)->text,
		(*(const struct tfr_class *const *)b)->text);
}

static enum tfr_status sort(struct tfr_label_map *m, const char *path, struct tfr_error *err)
{
	m->by_name = calloc(m->n, sizeof(*m->by_name));
	TFR_NEED_MEMORY(m->by_name, err, "reading labels");
	qsort(m->classes, m->n, sizeof(*m->classes), tfr_class_by_label);
	for (size_t i = 0; i < m->n; i++)
		m->by_name[i] = &m->classes[i];
	qsort(m->by_name, m->n, sizeof(*m->by_name), by_name);
	for (size_t i = 1; i < m->n; i++) {
		if (m->classes[i].label == m->classes[i - 1].label)
			return tfr_fail(err, TFR_EDATA, "the label %lld is repeated in '%s'",
				(long long)m->classes[i].label, path);
		if (!strcmp(m->by_name[i]->text, m->by_name[i - 1]->text))
			return tfr_fail(err, TFR_EDATA, "the name '%s' is repeated in '%s'",
				m->by_name[i]->text, path);
	}
	return TFR_OK;
}

enum tfr_status tfr_label_map_parse(struct tfr_label_map *m, struct tfr_buf *text, const char *path,
	int64_t base, struct tfr_error *err)
{
	*m = (struct tfr_label_map){ .text = *text };
	*text = (struct tfr_buf){ 0 };
	TFR_TRY(check_text(m, path, err));
	TFR_TRY(take_manifest(m, err));
	TFR_TRY(read_classes(m, path, base, err));
	return sort(m, path, err);
}

enum tfr_status tfr_label_map_read(
	struct tfr_label_map *m, const char *path, int64_t base, struct tfr_error *err)
{
	TFR_AUTO_BUF text = { 0 };

	*m = (struct tfr_label_map){ 0 };
	TFR_TRY(tfr_source_read_file(path, TFR_LABEL_MAP_MOST, &text, "reading labels", err));
	return tfr_label_map_parse(m, &text, path, base, err);
}

uint32_t tfr_label_map_find(const struct tfr_label_map *m, const char *name)
{
	const struct tfr_class key = { .text = name }, *wanted = &key;
	const struct tfr_class *const *found =
		bsearch(&wanted, m->by_name, m->n, sizeof(*m->by_name), by_name);

	return found ? (uint32_t)(*found - m->classes) : TFR_NO_CLASS;
}

void tfr_label_map_clear(struct tfr_label_map *m)
{
	tfr_buf_clear(&m->text);
	free(m->classes);
	free(m->by_name);
	*m = (struct tfr_label_map){ 0 };
}

/* --- synsets, and one class per image --- */

/* Adds the lines of a file without their ends.  With `pairs`, a NUL ends the class in each, and
 * empty lines are skipped; otherwise only empty lines may follow the first one. */
static enum tfr_status read_lines(
	struct tfr_names *names, const char *path, bool pairs, struct tfr_error *err)
{
	struct tfr_lines lines;
	const char *line;
	size_t size;
	uint64_t blank = 0;
	enum tfr_status status = tfr_lines_open(&lines, path, err);

	while (!status && !(status = tfr_lines_next(&lines, &line, &size, err))) {
		const char *fault = NULL;
		uint64_t number = lines.number;
		size_t class = 0, text;

		if (number == 1 && has_mark(line, size)) {
			line += 3;
			size -= 3;
		}
		while (size && (line[size - 1] == '\r' || line[size - 1] == '\n'))
			size--;
		while (class < size && line[class] != '\t' && line[class] != ' ')
			class++;
		for (text = class; text < size && (line[text] == '\t' || line[text] == ' ');)
			text++;
		if (memchr(line, '\0', size)) {
			fault = "a NUL byte";
		} else if (!size) {
			blank = blank ? blank : number;
			continue;
		} else if (pairs && (!class || text == size)) {
			fault = "not a class and its text";
		} else if (!pairs && blank) {
			fault = "no class";
			number = blank;
		}
		if (fault)
			status = tfr_fail(err, TFR_EDATA, "%s in '%s', line %llu", fault, path,
				(unsigned long long)number);
		else if (!tfr_names_insert(names, names->n, line, size))
			status = tfr_fail_nomem(err, "reading labels");
		else if (pairs)
			names->list[names->n - 1][class] = '\0';
	}
	tfr_lines_clear(&lines);
	return status == TFR_END ? TFR_OK : status;
}

enum tfr_status tfr_synsets_read(struct tfr_names *pairs, const char *path, struct tfr_error *err)
{
	TFR_TRY(read_lines(pairs, path, true, err));
	if (!pairs->n)
		return tfr_fail_path(err, TFR_EDATA, path, "no synsets in");
	tfr_names_sort(pairs);
	for (size_t i = 1; i < pairs->n; i++)
		if (!strcmp(pairs->list[i - 1], pairs->list[i]))
			return tfr_fail(err, TFR_EDATA, "the class '%s' is repeated in '%s'",
				pairs->list[i], path);
	return TFR_OK;
}

const char *tfr_synsets_find(const struct tfr_names *pairs, const char *class)
{
	char *const *found = bsearch(
		&class, (void *)pairs->list, pairs->n, sizeof(*pairs->list), tfr_compare_names);
	const char *text = found ? *found + strlen(*found) + 1 : NULL;

	return text ? text + strspn(text, "\t ") : NULL;
}

enum tfr_status tfr_class_list_read(
	struct tfr_names *classes, const char *path, struct tfr_error *err)
{
	return read_lines(classes, path, false, err);
}
