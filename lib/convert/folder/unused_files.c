/* convert/folder/unused_files.c - the names of a scan are sorted, so that files which differ
 * only in the extension are adjacent. */
#include "convert/folder/unused_files.h"

#include <string.h>

#include "base/error.h"
#include "base/suffix.h"
#include "convert/input.h"
#include "convert/parts.h"

static const char *name_of(const struct tfr_scan *s, size_t i)
{
	return tfr_scan_name(s, s->items[i].name);
}

/* Whether two items of a folder have the same name except for the extension. */
static bool are_alike(const struct tfr_scan *s, size_t a, size_t b)
{
	const char *x = name_of(s, a), *y = name_of(s, b);
	const char *dot = strrchr(x, '.'), *other = strrchr(y, '.');

	return s->items[a].dir == s->items[b].dir && dot && other && dot - x == other - y &&
	       !memcmp(x, y, (size_t)(dot - x));
}

static bool has_image(const struct tfr_scan *s, size_t i)
{
	for (size_t k = i; k-- > 0 && are_alike(s, k, i);)
		if (tfr_is_image(name_of(s, k)))
			return true;
	for (size_t k = i + 1; k < s->n_items && are_alike(s, k, i); k++)
		if (tfr_is_image(name_of(s, k)))
			return true;
	return false;
}

bool tfr_unused_is_annotation(const char *path)
{
	static const char *const names[] = { "_annotations.txt", "_annotations.csv", "metadata.csv",
		"metadata.jsonl" };
	static const char *const extensions[] = { "xml", "json", NULL };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	if (tfr_has_extension(name, "txt"))
		return !strncmp(path, "labels/", 7) || strstr(path, "/labels/");
	return tfr_has_one_of(name, extensions) && !tfr_has_suffix(name, ".manifest.json");
}

void tfr_unused_say(
	const struct tfr_convert_opts *opts, uint64_t n, const char *first, const char *why)
{
	if (n == 1)
		tfr_warn(opts, "'%.4000s' looks like annotations%s", first, why);
	else if (n)
		tfr_warn(opts, "%llu files, such as '%.4000s', look like annotations%s",
			(unsigned long long)n, first, why);
}

enum tfr_status tfr_unused_warn(
	const struct tfr_scan *scan, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	size_t n = 0;
	TFR_AUTO_BUF path = { 0 }, first = { 0 };

	for (size_t i = 0; opts->warn && i < scan->n_items; i++) {
		if (scan->items[i].fault || tfr_is_image(name_of(scan, i)))
			continue;
		if (!tfr_scan_path(scan, &scan->items[i], &path))
			return tfr_fail_nomem(err, "listing a folder");
		if (!tfr_unused_is_annotation((const char *)path.data) &&
			!(tfr_has_extension(name_of(scan, i), "txt") && has_image(scan, i)))
			continue;
		if (!n++ && !tfr_buf_append(&first, path.data, path.size))
			return tfr_fail_nomem(err, "listing a folder");
	}
	tfr_unused_say(opts, n, (const char *)first.data,
		" that are not read; see tfr-shard(1) for the layouts that are");
	return TFR_OK;
}
