/* convert/folder/synsets.c - both lists are kept line by line; the one for lookups is sorted once.
 */
#include "convert/folder/synsets.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convert/list/line_reader.h"

static enum tfr_status bad_line(
	const char *path, uint64_t line, const char *what, struct tfr_error *err)
{
	return tfr_fail(
		err, TFR_EDATA, "%s in '%s', line %llu", what, path, (unsigned long long)line);
}

/* Adds each line, without its end, as `take` permits.  TFR_END: it is not added. */
static enum tfr_status read_lines(struct tfr_names *names, const char *path,
	enum tfr_status (*take)(uint64_t *ctx, const char *path, uint64_t number, char *line,
		struct tfr_error *err),
	struct tfr_error *err)
{
	struct tfr_lines lines;
	const char *line;
	size_t size;
	uint64_t ctx = 0;
	enum tfr_status status = tfr_lines_open(&lines, path, err);

	while (!status && !(status = tfr_lines_next(&lines, &line, &size, err))) {
		while (size && strchr("\r\n", line[size - 1]) && line[size - 1])
			size--;
		if (memchr(line, '\0', size))
			status = bad_line(path, lines.number, "a NUL byte", err);
		else if (!tfr_names_insert(names, names->n, line, size))
			status = tfr_fail_nomem(err, "reading labels");
		else
			status = take(&ctx, path, lines.number, names->list[names->n - 1], err);
		if (status == TFR_END)
			free(names->list[--names->n]);
		status = status == TFR_END ? TFR_OK : status;
		if (status)
			break;
	}
	tfr_lines_clear(&lines);
	return status == TFR_END ? TFR_OK : status;
}

/* --- synsets --- */

/* Ends the class of the line by a NUL. */
static enum tfr_status take_pair(
	uint64_t *ctx, const char *path, uint64_t number, char *line, struct tfr_error *err)
{
	size_t n = strcspn(line, "\t ");

	(void)ctx;
	if (!*line)
		return TFR_END;
	if (!n || !line[n + strspn(line + n, "\t ")])
		return bad_line(path, number, "not a class and its text", err);
	line[n] = '\0';
	return TFR_OK;
}

enum tfr_status tfr_synsets_read(struct tfr_names *pairs, const char *path, struct tfr_error *err)
{
	TFR_TRY(read_lines(pairs, path, take_pair, err));
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

/* --- a class an image --- */

/* *blank is the first empty line, after which only empty lines may follow. */
static enum tfr_status take_class(
	uint64_t *blank, const char *path, uint64_t number, char *line, struct tfr_error *err)
{
	if (!*line) {
		*blank = *blank ? *blank : number;
		return TFR_END;
	}
	return *blank ? bad_line(path, *blank, "no class", err) : TFR_OK;
}

enum tfr_status tfr_class_list_read(
	struct tfr_names *classes, const char *path, struct tfr_error *err)
{
	return read_lines(classes, path, take_class, err);
}
