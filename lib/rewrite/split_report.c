/* rewrite/split_report.c - the classes of a division, sorted, in one piece of memory: the rows,
 * then their counts, then their texts. */
#include "rewrite/split_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

static int compare(const void *a, const void *b)
{
	const struct tfr_class *const *x = a, *const *y = b;

	return tfr_class_compare(*x, *y);
}

static const struct tfr_class **sorted(const struct tfr_strata *strata, size_t *text_bytes)
{
	size_t n = tfr_strata_classes(strata);
	const struct tfr_class **all = calloc(n + 1, sizeof(const struct tfr_class *));

	*text_bytes = 0;
	for (size_t i = 0; all && i < n; i++) {
		all[i] = tfr_strata_class_at(strata, (uint32_t)i);
		*text_bytes += all[i]->text.size;
	}
	if (all)
		qsort((void *)all, n, sizeof(*all), compare);
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
	size_t n = tfr_strata_classes(strata), columns = share_count + 1, text_bytes;
	const struct tfr_class **all = sorted(strata, &text_bytes);
	struct tfr_split_class *rows = NULL;
	uint64_t *counts;
	uint8_t *text;

	if (all)
		rows = malloc(n * (sizeof(*rows) + 2 * columns * sizeof(*counts)) + text_bytes + 1);
	if (!rows) {
		free((void *)all);
		return tfr_fail_nomem(err, "reporting the classes");
	}
	counts = (uint64_t *)(rows + n);
	text = (uint8_t *)(counts + 2 * columns * n);
	for (size_t i = 0; i < n; i++) {
		const struct tfr_class *class = all[i];

		rows[i] = (struct tfr_split_class){ class->kind, class->label,
			{ text, class->text.size }, tfr_strata_records(strata, class->id), counts,
			counts + columns };
		memcpy(counts, received + class->id * columns, columns * sizeof(*counts));
		for (size_t k = 0; k < columns; k++)
			counts[columns + k] = tfr_strata_wanted(strata, class->id, k);
		if (class->text.size)
			memcpy(text, class->text.data, class->text.size);
		counts += 2 * columns;
		text += class->text.size;
		report->off += count_off(&rows[i], columns);
	}
	free((void *)all);
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
