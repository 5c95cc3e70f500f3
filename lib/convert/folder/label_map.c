/* convert/folder/label_map.c - reads labels from a file.
 *
 * The first line decides which of the two forms the file has, and the others must have it too,
 * so that a name that begins with digits and a colon is not ambiguous.  Names are bytes, not
 * text, and are compared with those of folders unchanged.  A manifest with classes is first
 * converted to such lines. */
#include "convert/folder/label_map.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/source.h"
#include "shard/manifests.h"

static enum tfr_status check_text(struct tfr_label_map *m, const char *path, struct tfr_error *err)
{
	if (m->text.size > TFR_LABEL_MAP_MOST)
		return tfr_fail_path(err, TFR_EDATA, path, "the list of labels is too large:");
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
		m->text.size--;
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

static size_t count_lines(const struct tfr_label_map *m)
{
	size_t n = 1;

	for (size_t i = 0; i < m->text.size; i++)
		n += m->text.data[i] == '\n';
	return n;
}

static enum tfr_status read_lines(
	struct tfr_label_map *m, const char *path, int64_t base, struct tfr_error *err)
{
	char *line = (char *)m->text.data, *next;
	bool labelled = false;

	for (size_t number = 1; line; line = next, number++) {
		size_t n = strcspn(line, "\n");
		struct tfr_class *class = &m->classes[m->n];
		char *name = line;
		bool has_label;

		next = line[n] ? line + n + 1 : NULL;
		if (n && line[n - 1] == '\r')
			n--;
		line[n] = '\0';
		if (!n)
			continue;
		has_label = split(line, &class->label, &name);
		if (!m->n)
			labelled = has_label;
		if (labelled && !has_label)
			return tfr_fail(
				err, TFR_EDATA, "no LABEL:NAME in '%s', line %zu", path, number);
		if (!labelled) {
			name = line;
			class->label = base + (int64_t)m->n;
		}
		class->text = name;
		m->n++;
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
	size_t lines;

	*m = (struct tfr_label_map){ .text = *text };
	*text = (struct tfr_buf){ 0 };
	TFR_TRY(check_text(m, path, err));
	TFR_TRY(take_manifest(m, err));
	lines = count_lines(m);
	m->classes = calloc(lines, sizeof(*m->classes));
	m->by_name = calloc(lines, sizeof(*m->by_name));
	if (!m->classes || !m->by_name)
		return tfr_fail_nomem(err, "reading labels");
	TFR_TRY(read_lines(m, path, base, err));
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
