/* convert/annotations/tag_lists.c - a CSV file beside images that gives each image any number of
 * classes: a column of file names, and a column of 0 and 1 for each class, as Roboflow's
 * _classes.csv has them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convert/annotations/csv_table.h"

static void find_in(struct tfr_parts *p, uint32_t dir, const char *split)
{
	uint32_t file = tfr_scan_file(p->scan, dir, "_classes.csv");

	if (file != TFR_NO_FILE)
		tfr_parts_add(p, split, tfr_place_in(p, dir), tfr_place_in(p, dir), file);
}

static void find(struct tfr_parts *p, uint32_t base)
{
	tfr_parts_find(p, base, find_in);
}

/* Adds the image of a row, whose cell `image` is its name, and its classes. */
static enum tfr_status read_row(struct tfr_table *t, struct tfr_csv_table *csv, size_t image,
	const uint32_t *classes, struct tfr_error *err)
{
	struct tfr_image_row row = { .file = TFR_NO_FILE, .mask = TFR_NO_FILE };
	struct tfr_bytes name = tfr_csv_cell(csv, image);
	double value;

	TFR_TRY(tfr_table_text(t, (const char *)name.data, name.size, &row.name, err));
	TFR_TRY(tfr_table_add_image(t, &row, err));
	for (size_t k = 0; k < csv->columns; k++) {
		if (k == image)
			continue;
		TFR_TRY(tfr_csv_number(csv, k, 0, 1, &value, err));
		if (value != 0 && value != 1)
			return tfr_csv_fault(csv, k, "neither 0 nor 1", err);
		if (value == 1)
			TFR_TRY(tfr_table_add_tag(t, classes[k], err));
	}
	return TFR_OK;
}

/* Sets the class of each column but `image`. */
static enum tfr_status name_classes(struct tfr_table *t, const struct tfr_csv_table *csv,
	size_t image, uint32_t *classes, struct tfr_error *err)
{
	TFR_AUTO_FREE bool *seen = NULL;

	for (size_t k = 0; k < csv->columns; k++) {
		const char *name = csv->names.list[k];

		if (!*name)
			return tfr_fail_path(
				err, TFR_EDATA, csv->path, "column %zu has no name in", k + 1);
		if (k != image)
			TFR_TRY(tfr_table_class(t, name, strlen(name), &classes[k], err));
	}
	seen = calloc(t->n_classes + 1, sizeof(*seen));
	TFR_NEED_MEMORY(seen, err, "reading annotations");
	for (size_t k = 0; k < csv->columns; k++) {
		if (k != image && seen[classes[k]])
			return tfr_fail(err, TFR_EDATA, "two columns '%s' in '%s'",
				csv->names.list[k], csv->path);
		seen[classes[k]] |= k != image;
	}
	return TFR_OK;
}

static enum tfr_status read_rows(
	struct tfr_table *t, struct tfr_csv_table *csv, struct tfr_error *err)
{
	TFR_AUTO_FREE uint32_t *classes = calloc(csv->columns + 1, sizeof(*classes));
	enum tfr_status status;
	size_t image;

	TFR_NEED_MEMORY(classes, err, "reading annotations");
	TFR_TRY(tfr_csv_column(csv, "filename", &image, err));
	status = name_classes(t, csv, image, classes, err);
	while (!status && !(status = tfr_csv_next(csv, err)))
		status = read_row(t, csv, image, classes, err);
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status read_part(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	struct tfr_csv_table csv;
	enum tfr_status status = tfr_csv_open(&csv, part, err);

	t->by_name = t->tagged = true;
	if (!status)
		status = read_rows(t, &csv, err);
	tfr_csv_close(&csv);
	return status;
}

const struct tfr_set_kind tfr_set_tag_lists = {
	.ops = {
		.name = "csv-classes",
		.what = "images with classes in a CSV file",
		.nothing = "no image that the CSV file names in",
		.refused = "not a usable image",
		.flags = TFR_INPUT_IMAGES | TFR_INPUT_REWORKS | TFR_INPUT_LABELS |
			 TFR_INPUT_NUMBERS | TFR_INPUT_SPLITS | TFR_INPUT_BOXES,
		.tree = "",
	},
	.none = "no _classes.csv in",
	.unmatched = "the CSV file does not list them",
	.all_parts = true,
	.find = find,
	.read = read_part,
};
