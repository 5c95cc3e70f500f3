/* tests/fuzz/annotations.c - any bytes as a file of boxes in CSV, of classes in CSV or of Create ML
 * beside images, in an archive in memory: refused with a message, or a table whose images, boxes
 * and classes are consistent.
 *
 * The first byte chooses the kind and the name of the file.  The file is read twice, as two parts
 * of a data set, which share their classes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert/annotations/kinds.h"
#include "io/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	const struct tfr_set_kind *kind;
	const char *file;
} files[] = {
	{ &tfr_set_box_lists, "_annotations.csv" },
	{ &tfr_set_tag_lists, "_classes.csv" },
	{ &tfr_set_createml, "_annotations.createml.json" },
	{ &tfr_set_createml, "boxes.json" },
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* A text of the table. */
static void check_text(const struct tfr_table *t, uint32_t offset)
{
	check(offset < t->texts.size);
	check(!t->texts.data[t->texts.size - 1]);
}

static void check_class(const struct tfr_table *t, uint32_t class)
{
	check(class < t->n_classes && t->classes[class].numbered && t->classes[class].name);
}

static void check_image(const struct tfr_table *t, size_t i)
{
	const struct tfr_image_row *row = &t->images[i];

	check(row->file == TFR_NO_FILE && row->mask == TFR_NO_FILE);
	check_text(t, row->name);
	check_text(t, row->fault);
	check(row->fault || tfr_path_is_below(tfr_table_string(t, row->name)));
	check(!row->fault || row->status == TFR_EDATA);
	check(!row->width == !row->height);
	check(row->first <= tfr_table_boxes_end(t, i) && row->tag <= tfr_table_tags_end(t, i));
	for (uint32_t k = row->tag; k < tfr_table_tags_end(t, i); k++) {
		check_class(t, t->tags[k]);
		for (uint32_t other = row->tag; other < k; other++)
			check(t->tags[k] != t->tags[other]);
	}
}

/* A box is of its image, and inside it as soon as its size is known. */
static void check_box(struct tfr_table *t, uint32_t image, uint32_t k)
{
	const struct tfr_box *box = &t->boxes[k];
	double side[4];

	check(box->image == image);
	check_class(t, box->class);
	if (t->images[image].width) {
		for (int i = 0; i < 4; i++)
			check(box->side[i] >= 0 && box->side[i] <= 1);
		return;
	}
	memcpy(side, t->pixels[k], sizeof(side));
	for (int i = 0; i < 4; i++)
		check(!isnan(side[i]));
	if (tfr_box_is_usable(t, side, 64, 32))
		check(side[0] >= 0 && side[0] < side[2] && side[2] <= 64 && side[1] >= 0 &&
			side[1] < side[3] && side[3] <= 32);
}

/* Classes have names of their own, and labels in the order of these. */
static void check_table(struct tfr_table *t)
{
	size_t boxes = 0;

	check(t->by_name && t->n_sorted == t->n_classes && !t->n_corners && !t->n_keypoints);
	for (size_t k = 0; k < t->n_sorted; k++)
		check(t->sorted[k].label == (int64_t)k && *t->sorted[k].text &&
			(!k || strcmp(t->sorted[k - 1].text, t->sorted[k].text) < 0));
	for (uint32_t i = 0; i < t->n_images; i++) {
		check_image(t, i);
		for (uint32_t k = t->images[i].first; k < tfr_table_boxes_end(t, i); k++, boxes++)
			check_box(t, i, tfr_table_box(t, k));
	}
	check(boxes == t->n_boxes);
}

static void read_parts(
	struct tfr_parts *p, const struct tfr_set_kind *kind, const struct tfr_convert_opts *opts)
{
	struct tfr_table t = { .opts = opts };
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_OK;
	size_t images = 0, classes = 0;

	for (int k = 0; k < 2 && !status; k++) {
		struct tfr_open_part part = { .at = &p->list[0], .opts = opts };

		part.aside = part.prefix = part.below = FUZZ_SAFE(strdup("x/y"));
		part.first_part = &part;
		part.first = (uint32_t)t.n_images;
		status = kind->read(&t, &part, &err);
		free(part.aside);
		if (!k) {
			images = t.n_images;
			classes = t.n_classes;
		}
	}
	if (!status)
		status = tfr_table_finish(&t, &err);
	if (status)
		check(status == TFR_EDATA && err.message[0]);
	else if (!fuzz_out_of_memory) {
		check(t.n_images == 2 * images && t.n_classes == classes);
		check_table(&t);
	}
	tfr_table_clear(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *paths[] = { "x" };
	struct tfr_convert_opts opts = { .input.paths = paths, .input.count = 1 };
	const int n = size ? data[0] % 4 : 0;
	const struct tfr_scan_member members[] = {
		{ "a.png", 0, 0 },
		{ files[n].file, 0, size ? size - 1 : 0 },
		{ "b/c.jpg", 0, 0 },
	};
	struct tfr_source *source = NULL;
	struct tfr_error err = { 0 };
	struct tfr_scan scan;

	if (!size)
		return 0;
	check(!FUZZ_SAFE(tfr_source_open_memory(&source, data + 1, size - 1, "x", NULL)));
	if (!tfr_scan_members(&scan, "x", source, members, 3, &err)) {
		struct tfr_parts parts = { .opts = &opts, .scan = &scan, .err = &err };

		files[n].kind->find(&parts, tfr_parts_base(&scan));
		check(parts.n == 1 || (n == 3 && !parts.n));
		check(!err.status);
		if (parts.n)
			read_parts(&parts, files[n].kind, &opts);
		tfr_parts_clear(&parts);
		tfr_scan_clear(&scan);
	}
	tfr_source_close(source);
	return 0;
}
