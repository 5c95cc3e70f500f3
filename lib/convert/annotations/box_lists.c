/* convert/annotations/box_lists.c - a CSV file beside images, with a row for each box.
 *
 * A layout is a row of `layouts`: the name of the file, the names of its columns, and what its
 * numbers mean.  Images are in the order in which rows first name them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/error.h"
#include "convert/annotations/csv_table.h"
#include "convert/number_text.h"

/* What the four numbers of a box are. */
enum form {
	CORNERS, /* xmin, ymin, xmax, ymax */
	SIZE,	 /* xmin, ymin, width, height */
	CENTRE,	 /* the centre's x, y, then width, height */
};

static const struct layout {
	const char *file;
	const char *image;	    /* columns: its path below the folder of the file */
	const char *width, *height; /* of the image in pixels; NULL: not told */
	const char *class;
	const char *numbers[4];
	enum form form;
} layouts[] = {
	/* Roboflow's "Tensorflow Object Detection" */
	{ "_annotations.csv", "filename", "width", "height", "class",
		{ "xmin", "ymin", "xmax", "ymax" }, CORNERS },
};

enum { LAYOUTS = sizeof(layouts) / sizeof(*layouts) };

static void find_in(struct tfr_parts *p, uint32_t dir, const char *split)
{
	for (int i = 0; i < LAYOUTS; i++) {
		uint32_t file = tfr_scan_file(p->scan, dir, layouts[i].file);

		if (file == TFR_NO_FILE)
			continue;
		tfr_parts_add(p, split, tfr_place_in(p, dir), tfr_place_in(p, dir), file);
		if (p->n)
			p->list[p->n - 1].form = i;
		return;
	}
}

static void find(struct tfr_parts *p, uint32_t base)
{
	tfr_parts_find(p, base, find_in);
}

struct reading {
	struct tfr_table *t;
	const struct tfr_open_part *part;
	const struct layout *layout;
	struct tfr_csv_table csv;
	size_t image, width, height, class, numbers[4]; /* columns; SIZE_MAX: none */
	struct tfr_hash_index by_name;			/* images of the part */
	size_t unusable;
};

static enum tfr_status find_columns(struct reading *r, struct tfr_error *err)
{
	const struct layout *l = r->layout;

	TFR_TRY(tfr_csv_column(&r->csv, l->image, &r->image, err));
	TFR_TRY(tfr_csv_column(&r->csv, l->width, &r->width, err));
	TFR_TRY(tfr_csv_column(&r->csv, l->height, &r->height, err));
	TFR_TRY(tfr_csv_column(&r->csv, l->class, &r->class, err));
	for (int i = 0; i < 4; i++)
		TFR_TRY(tfr_csv_column(&r->csv, l->numbers[i], &r->numbers[i], err));
	return TFR_OK;
}

/* A side of the image; 0 without a column for it. */
static enum tfr_status read_size(
	struct reading *r, size_t column, uint32_t *size, struct tfr_error *err)
{
	double value = 0;

	if (column != SIZE_MAX)
		TFR_TRY(tfr_csv_number(&r->csv, column, 1, INT32_MAX, &value, err));
	*size = (uint32_t)value;
	return value == *size ? TFR_OK : tfr_csv_fault(&r->csv, column, "not a whole number", err);
}

/* The number of the image that the row names, which is added if there is none. */
static enum tfr_status find_image(struct reading *r, uint32_t *image, struct tfr_error *err)
{
	struct tfr_table *t = r->t;
	struct tfr_bytes name = tfr_csv_cell(&r->csv, r->image);
	const uint64_t hash = XXH3_64bits(name.data, name.size);
	struct tfr_hash_probe p = tfr_hash_probe(hash);
	struct tfr_image_row row = { .file = TFR_NO_FILE, .mask = TFR_NO_FILE };

	TFR_TRY(read_size(r, r->width, &row.width, err));
	TFR_TRY(read_size(r, r->height, &row.height, err));
	while (tfr_hash_next(&r->by_name, &p, image)) {
		struct tfr_image_row *found = &t->images[*image];
		const char *text = tfr_table_string(t, found->name);

		if (strncmp(text, (const char *)name.data, name.size) || text[name.size])
			continue;
		if (found->fault || (found->width == row.width && found->height == row.height))
			return TFR_OK;
		return tfr_table_fault(t, found, TFR_EDATA, "two sizes in the CSV file", err);
	}
	TFR_TRY(tfr_table_text(t, (const char *)name.data, name.size, &row.name, err));
	*image = (uint32_t)t->n_images;
	TFR_TRY(tfr_table_add_image(t, &row, err));
	return tfr_hash_add(&r->by_name, hash, *image) ? tfr_fail_nomem(err, "reading annotations")
						       : TFR_OK;
}

static enum tfr_status read_row(struct reading *r, struct tfr_error *err)
{
	struct tfr_box box = { .class = 0 };
	struct tfr_bytes name;
	double s[4];
	uint32_t image, class;

	TFR_TRY(tfr_csv_class(&r->csv, r->class, &name, err));
	TFR_TRY(find_image(r, &image, err));
	for (int i = 0; i < 4; i++)
		TFR_TRY(tfr_csv_number(&r->csv, r->numbers[i], -1e9, 1e9, &s[i], err));
	for (int axis = 0; axis < 2 && r->layout->form != CORNERS; axis++) {
		s[axis] -= r->layout->form == CENTRE ? s[2 + axis] / 2 : 0;
		s[2 + axis] += s[axis];
	}
	TFR_TRY(tfr_table_class(r->t, (const char *)name.data, name.size, &class, err));
	box.image = image;
	box.class = class;
	if (r->width != SIZE_MAX && !tfr_box_is_usable(r->t, s, r->t->images[image].width,
					    r->t->images[image].height)) {
		r->unusable++;
		return TFR_OK;
	}
	return tfr_table_add_box(r->t, &box, s, NULL, err);
}

static enum tfr_status read_part(
	struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err)
{
	struct reading r = { .t = t, .part = part, .layout = &layouts[part->at->form] };
	enum tfr_status status = tfr_csv_open(&r.csv, part, err);

	t->by_name = t->clips = t->named_source = true;
	if (!status)
		status = find_columns(&r, err);
	while (!status && !(status = tfr_csv_next(&r.csv, err)))
		status = read_row(&r, err);
	tfr_csv_close(&r.csv);
	tfr_hash_clear(&r.by_name);
	tfr_part_warn(part, r.unusable, "box", "boxes",
		"left out: without an area, or past the edge of its image");
	return status == TFR_END ? TFR_OK : status;
}

const struct tfr_set_kind tfr_set_box_lists = {
	.ops = {
		.name = "csv-boxes",
		.what = "images with boxes in a CSV file",
		.nothing = "no image that the CSV file names in",
		.refused = "not a usable image",
		.flags = TFR_INPUT_IMAGES | TFR_INPUT_LABELS | TFR_INPUT_NUMBERS |
			 TFR_INPUT_SPLITS | TFR_INPUT_BOXES,
		.tree = "",
	},
	.none = "no CSV file of boxes in",
	.sizes = "in the CSV file",
	.unmatched = "the CSV file does not list them",
	.all_parts = true,
	.find = find,
	.read = read_part,
};
