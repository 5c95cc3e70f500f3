/* diff/class_numbers.c - checks that the classes of both sides have the same numbers. */
#include <stdio.h>
#include <stdlib.h>

#include <tfr-private/diff.h>
#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "inspect/find_class_map.h"

static enum tfr_status find_map(
	struct tfr_class_map *m, const struct tfr_set *set, struct tfr_error *err)
{
	size_t n = tfr_set_count(set);
	TFR_AUTO_FREE const char **files = calloc(n + 1, sizeof(*files));

	TFR_NEED_MEMORY(files, err, "comparing the classes");
	for (size_t i = 0; i < n; i++)
		files[i] = tfr_set_path(set, i);
	return tfr_class_map_find(m, files, n, err);
}

static enum tfr_status compare_maps(struct tfr_class_map maps[2],
	const struct tfr_set *const sides[2], struct tfr_diff_class_report *report,
	struct tfr_error *err)
{
	const struct tfr_class_entry *a, *b;

	TFR_TRY(find_map(&maps[0], sides[0], err));
	TFR_TRY(find_map(&maps[1], sides[1], err));
	report->differ = tfr_class_map_conflicts(&maps[0], &maps[1], &a, &b);
	if (report->differ) {
		tfr_escape_line(report->text, sizeof(report->text), a->text);
		report->label[0] = a->label;
		report->label[1] = b->label;
	}
	return TFR_OK;
}

enum tfr_status tfr_diff_classes(const struct tfr_set *const sides[2],
	struct tfr_diff_class_report *report, struct tfr_error *err)
{
	struct tfr_class_map maps[2] = { 0 };
	enum tfr_status status;

	*report = (struct tfr_diff_class_report){ 0 };
	status = compare_maps(maps, sides, report, err);
	tfr_class_map_clear(&maps[0]);
	tfr_class_map_clear(&maps[1]);
	return status;
}
