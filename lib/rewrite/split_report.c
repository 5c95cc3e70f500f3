/* rewrite/split_report.c - the classes of a division, sorted, in one piece of memory: the rows,
 * then their counts, then their texts. */
#include "rewrite/split_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

static int compare(const void *a, const void *b, void *classes)
{
	struct tfr_class x = tfr_classes_at(classes, *(const uint32_t *)a);
	struct tfr_class y = tfr_classes_at(classes, *(const uint32_t *)b);

	return tfr_class_compare(&x, &y);
}

static uint32_t *sorted(const struct tfr_classes *classes)
{
	uint32_t *all = calloc(classes->n + 1, sizeof(*all));

	for (size_t i = 0; all && i < classes->n; i++)
		all[i] = (uint32_t)i;
	if (all)
		qsort_r(all, classes->n, sizeof(*all), compare, (void *)(uintptr_t)classes);
	return all;
}

/* More than wanted in one set is less than wanted in another: what is too much is counted. */
static uint64_t count_off(const struct tfr_split_class *row, size_t columns)
{
	uint64_t off = 0;

	for (size_t i = 0; i < columns; i++)
		off += row->received[i] > row->wanted[i] ? row->received[i] - row->wanted[i] : 0;
	return off;
}

enum tfr_status tfr_split_report_classes(struct tfr_split_report *report,
	const struct tfr_strata *strata, const uint64_t *received, size_t share_count,
	struct tfr_error *err)
{
	const struct tfr_classes *classes = tfr_strata_classes(strata);
	size_t n = classes->n, columns = share_count + 1;
	TFR_AUTO_FREE uint32_t *all = sorted(classes);
	struct tfr_split_class *rows = NULL;
	uint64_t *counts;
	uint8_t *text;

	if (all)
		rows = malloc(n * (sizeof(*rows) + 2 * columns * sizeof(*counts)) +
			      classes->text.size + 1);
	if (!rows)
		return tfr_fail_nomem(err, "reporting the classes");
	counts = (uint64_t *)(rows + n);
	text = (uint8_t *)(counts + 2 * columns * n);
	for (size_t i = 0; i < n; i++) {
		struct tfr_class class = tfr_classes_at(classes, all[i]);

		rows[i] = (struct tfr_split_class){ class.kind, class.number,
			{ text, class.text.size }, classes->items[all[i]].records, counts,
			counts + columns };
		memcpy(counts, received + all[i] * columns, columns * sizeof(*counts));
		for (size_t k = 0; k < columns; k++)
			counts[columns + k] = tfr_strata_wanted(strata, all[i], k);
		if (class.text.size)
			memcpy(text, class.text.data, class.text.size);
		counts += 2 * columns;
		text += class.text.size;
		report->off += count_off(&rows[i], columns);
	}
	report->memory = report->classes = rows;
	report->class_count = n;
	report->temp_bytes = tfr_strata_spilled(strata);
	return TFR_OK;
}

void tfr_split_report_clear(struct tfr_split_report *report)
{
	free(report->memory);
	free(report->sets);
	*report = (struct tfr_split_report){ 0 };
}
