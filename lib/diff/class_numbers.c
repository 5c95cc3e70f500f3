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

enum tfr_status tfr_diff_classes(const struct tfr_set *const sides[2],
	struct tfr_diff_class_report *report, struct tfr_error *err)
{
	const struct tfr_class_entry *x, *y;
	TFR_AUTO_CLASS_MAP a = { 0 };
	TFR_AUTO_CLASS_MAP b = { 0 };

	*report = (struct tfr_diff_class_report){ 0 };
	TFR_TRY(find_map(&a, sides[0], err));
	TFR_TRY(find_map(&b, sides[1], err));
	report->differ = tfr_class_map_conflicts(&a, &b, &x, &y);
	if (report->differ) {
		tfr_escape_line(report->text, sizeof(report->text), x->text);
		report->label[0] = x->label;
		report->label[1] = y->label;
	}
	return TFR_OK;
}
