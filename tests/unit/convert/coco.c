/* Files of annotations: cut anywhere into blocks, cut short anywhere, and what is in them. */
#include "support/temp.h"

#include "base/rng.h"
#include "convert/coco/coco_read.h"

static struct tfr_buf golden(void)
{
	struct tfr_buf text = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/coco/instances.json", getenv("TFR_TEST_DATA"));
	cr_assert(tfr_buf_reserve(&text, 1 << 16));
	text.size = temp_read(path, text.data, 1 << 16);
	return text;
}

/* Scans the text in pieces that `r` draws (NULL: in one), each in memory of its own size, and gives
 * the elements with their offsets in the whole. */
static enum tfr_status scan(
	const struct tfr_buf *text, struct tfr_rng *r, struct tfr_buf *all, struct tfr_error *err)
{
	struct tfr_coco_scan s = { .path = "a" };
	TFR_AUTO_BUF open = { 0 };
	enum tfr_status status = TFR_OK;
	size_t at = 0;

	all->size = 0;
	while (!status && at < text->size) {
		size_t n = r ? 1 + tfr_rng_u32(r) % 200 : text->size, needed;
		TFR_AUTO_BUF elements = { 0 };
		struct tfr_coco_element *e;

		n = n < text->size - at ? n : text->size - at;
		cr_assert(tfr_buf_append(&open, text->data + at, n));
		at += n;
		status = tfr_coco_scan(&s, open.data, open.size, &elements, err);
		e = (struct tfr_coco_element *)(void *)elements.data;
		for (size_t i = 0; i < elements.size / sizeof(*e); i++) {
			cr_assert(open.data[e[i].from] == '{' && open.data[e[i].to - 1] == '}');
			e[i].from += (uint32_t)s.offset;
			e[i].to += (uint32_t)s.offset;
		}
		cr_assert(tfr_buf_append(all, elements.data, elements.size));
		needed = tfr_coco_scan_drop(&s);
		open.size -= needed;
		memmove(open.data, open.data + needed, open.size);
	}
	return status ? status : tfr_coco_scan_end(&s, err);
}

Test(coco, blocks_make_no_difference)
{
	TFR_AUTO_BUF text = golden(), whole = { 0 }, pieces = { 0 };
	struct tfr_rng r;

	cr_assert_eq(scan(&text, NULL, &whole, NULL), TFR_OK);
	cr_assert_eq(whole.size / sizeof(struct tfr_coco_element), 1 + 22 + 8);
	tfr_rng_init(&r, 1, 0);
	for (int i = 0; i < 300; i++) {
		cr_assert_eq(scan(&text, &r, &pieces, NULL), TFR_OK);
		cr_assert(
			pieces.size == whole.size && !memcmp(pieces.data, whole.data, whole.size));
	}
}

Test(coco, every_cut_is_told_with_its_byte)
{
	TFR_AUTO_BUF text = golden(), elements = { 0 };
	struct tfr_error err;
	char wanted[64];

	for (size_t n = 0; n < text.size; n++) {
		TFR_AUTO_BUF cut = { 0 };

		cr_assert(tfr_buf_append(&cut, text.data, n));
		cr_assert_eq(scan(&cut, NULL, &elements, &err), TFR_EDATA);
		snprintf(wanted, sizeof(wanted), "truncated JSON at byte %zu of 'a'", n);
		cr_assert_str_eq(err.message, wanted);
	}
}

/* A file of many blocks, its annotations in every order of images. */
Test(coco, a_file_of_many_blocks)
{
	enum { IMAGES = 500, ANNOTATIONS = 40000 };
	char *dir = temp_enter();
	FILE *f = fopen("a.json", "w");
	struct tfr_convert_opts opts = { .input.draw_masks = true };
	struct tfr_error err;
	size_t used = 0;

	fprintf(f, "{\"annotations\": [");
	for (int k = 0; k < ANNOTATIONS; k++)
		used += k * 7 % (IMAGES + 1) != IMAGES && k % 3;
	for (int k = 0; k < ANNOTATIONS; k++)
		fprintf(f,
			"%s\n{\"id\": %d, \"image_id\": %d, \"category_id\": %d, \"bbox\": [0, 0, "
			"1, %d], "
			"\"area\": %d, \"segmentation\": [[%d, 0, 1, 0, 1, 1]]}",
			k ? "," : "", k, k * 7 % (IMAGES + 1), k % 2, k % 3, k, k);
	fprintf(f,
		"], \"categories\": [{\"id\": 1, \"name\": \"b\"}, {\"id\": 0, \"name\": \"a\"}], "
		"\"images\": [");
	for (int i = 0; i < IMAGES; i++)
		fprintf(f, "%s{\"id\": %d, \"file_name\": \"%d\", \"width\": 9, \"height\": 9}",
			i ? ", " : "", IMAGES - i - 1, IMAGES - i - 1);
	fprintf(f, "]}");
	fclose(f);
	for (opts.run.threads = 1; opts.run.threads < 6; opts.run.threads += 2) {
		struct tfr_table t = { .opts = &opts };
		struct tfr_open_part part = { .prefix = dir, .first_part = &part };
		struct tfr_coco c = { .t = &t, .part = &part };
		struct tfr_source *source;
		uint32_t all = 0;

		c.folder = NULL;
		cr_assert_eq(tfr_source_open(&source, "a.json", &err), TFR_OK);
		cr_assert_eq(tfr_coco_read(&c, source, "a.json", TFR_COCO_OBJECTS, &err), TFR_OK,
			"%s", err.message);
		cr_assert(t.n_images == IMAGES && t.n_boxes == used);
		cr_assert_eq(tfr_table_finish(&t, &err), TFR_OK);
		for (uint32_t i = 0; i < IMAGES; i++) {
			int64_t before = -1, id = IMAGES - i - 1;

			cr_assert_eq(atoi(tfr_table_string(&t, t.images[i].name)), id);
			cr_assert_eq(atoi(tfr_table_string(&t, t.images[i].source)), id);
			for (; all < tfr_table_boxes_end(&t, i); all++) {
				const struct tfr_box *box = &t.boxes[tfr_table_box(&t, all)];
				const struct tfr_box_more *more = &t.more[tfr_table_box(&t, all)];
				int64_t k = (int64_t)more->area;

				cr_assert(k * 7 % (IMAGES + 1) == id && k > before);
				cr_assert(box->side[3] > 0);
				cr_assert_eq(atoi((const char *)more->shape + 2), (int)k);
				cr_assert_str_eq(tfr_table_string(&t, t.classes[box->class].name),
					k % 2 ? "b" : "a");
				before = k;
			}
		}
		cr_assert_eq(all, t.n_boxes);
		tfr_coco_clear(&c);
		tfr_table_clear(&t);
	}
	temp_leave(dir);
}
