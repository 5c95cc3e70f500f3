/* convert/folder/synsets.c - lists of text lines; the list for lookups is sorted once. */
#include "convert/folder/synsets.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convert/list/line_reader.h"

struct pair {
	size_t class, text; /* offsets in texts */
	uint64_t line;
};

static enum tfr_status bad_line(
	const char *path, uint64_t line, const char *what, struct tfr_error *err)
{
	return tfr_fail(
		err, TFR_EDATA, "%s in '%s', line %llu", what, path, (unsigned long long)line);
}

/* Calls `take` with each line, without its end. */
static enum tfr_status each_line(const char *path,
	enum tfr_status (*take)(void *ctx, const char *path, uint64_t number, const char *line,
		size_t size, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	struct tfr_lines lines;
	const char *line;
	size_t size;
	enum tfr_status status = tfr_lines_open(&lines, path, err);

	while (!status && !(status = tfr_lines_next(&lines, &line, &size, err))) {
		while (size && strchr("\r\n", line[size - 1]) && line[size - 1])
			size--;
		status = memchr(line, '\0', size) ? bad_line(path, lines.number, "a NUL byte", err)
						  : take(ctx, path, lines.number, line, size, err);
		if (status)
			break;
	}
	tfr_lines_clear(&lines);
	return status == TFR_END ? TFR_OK : status;
}

static bool keep(struct tfr_buf *texts, const char *text, size_t size, size_t *at)
{
	*at = texts->size;
	return tfr_buf_append(texts, text, size) && tfr_buf_append(texts, "", 1);
}

/* --- synsets --- */

static enum tfr_status take_pair(void *ctx, const char *path, uint64_t number, const char *line,
	size_t size, struct tfr_error *err)
{
	struct tfr_synsets *s = ctx;
	struct pair p = { .line = number };
	size_t n = 0, from;

	if (!size)
		return TFR_OK;
	while (n < size && line[n] != '\t' && line[n] != ' ')
		n++;
	for (from = n; from < size && (line[from] == '\t' || line[from] == ' '); from++)
		;
	if (!n || from == size)
		return bad_line(path, number, "not a class and its text", err);
	if (!keep(&s->texts, line, n, &p.class) ||
		!keep(&s->texts, line + from, size - from, &p.text) ||
		!tfr_buf_append(&s->pairs_, &p, sizeof(p)))
		return tfr_fail_nomem(err, "reading labels");
	s->n++;
	return TFR_OK;
}

static const char *text_at(const struct tfr_synsets *s, size_t at)
{
	return (const char *)s->texts.data + at;
}

static int by_class(const void *a, const void *b, void *ctx)
{
	return strcmp(text_at(ctx, ((const struct pair *)a)->class),
		text_at(ctx, ((const struct pair *)b)->class));
}

enum tfr_status tfr_synsets_read(struct tfr_synsets *s, const char *path, struct tfr_error *err)
{
	enum tfr_status status = each_line(path, take_pair, s, err);
	struct pair *pairs = (struct pair *)(void *)s->pairs_.data;

	if (status)
		return status;
	if (!s->n)
		return tfr_fail_path(err, TFR_EDATA, path, "no synsets in");
	qsort_r(pairs, s->n, sizeof(*pairs), by_class, s);
	for (size_t i = 1; i < s->n; i++)
		if (!by_class(&pairs[i - 1], &pairs[i], s))
			return tfr_fail(err, TFR_EDATA, "the class '%s' is repeated in '%s'",
				text_at(s, pairs[i].class), path);
	return TFR_OK;
}

const char *tfr_synsets_find(const struct tfr_synsets *s, const char *class)
{
	const struct pair *pairs = (const struct pair *)(const void *)s->pairs_.data;
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(text_at(s, pairs[middle].class), class);

		if (!order)
			return text_at(s, pairs[middle].text);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void tfr_synsets_clear(struct tfr_synsets *s)
{
	tfr_buf_clear(&s->texts);
	tfr_buf_clear(&s->pairs_);
	*s = (struct tfr_synsets){ 0 };
}

/* --- a class an image --- */

static enum tfr_status take_class(void *ctx, const char *path, uint64_t number, const char *line,
	size_t size, struct tfr_error *err)
{
	struct tfr_class_list *l = ctx;
	size_t at;

	if (!size) {
		l->blank = l->blank ? l->blank : number;
		return TFR_OK;
	}
	if (l->blank)
		return bad_line(path, l->blank, "no class", err);
	if (!keep(&l->texts, line, size, &at) || !tfr_buf_append(&l->offsets_, &at, sizeof(at)))
		return tfr_fail_nomem(err, "reading labels");
	l->n++;
	return TFR_OK;
}

enum tfr_status tfr_class_list_read(
	struct tfr_class_list *l, const char *path, struct tfr_error *err)
{
	return each_line(path, take_class, l, err);
}

void tfr_class_list_clear(struct tfr_class_list *l)
{
	tfr_buf_clear(&l->texts);
	tfr_buf_clear(&l->offsets_);
	*l = (struct tfr_class_list){ 0 };
}
