/* Layouts of annotated data sets: which folders of images and annotations are found, and which are
 * left out. */
#include <fcntl.h>

#include "support/temp.h"

#include "convert/annotations/kinds.h"

static char *dir;

static void set_up(void)
{
	dir = temp_enter();
}

static void tear_down(void)
{
	temp_leave(dir);
}

TestSuite(layouts, .init = set_up, .fini = tear_down);

static void put(const char *path, const char *text)
{
	char folder[200];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		mkdir(folder, 0755);
	}
	temp_write(path, text, strlen(text));
}

static char *path_of(struct tfr_place place)
{
	char *path = tfr_scan_folder_path(place.scan, place.dir);

	cr_assert(path);
	return path;
}

static char *print_dirs(
	char *out, const char *what, struct tfr_scan *scan, const struct tfr_buf *dirs)
{
	const uint32_t *list = (const uint32_t *)(const void *)dirs->data;

	for (size_t i = 0; i < dirs->size / sizeof(*list); i++) {
		TFR_AUTO_FREE char *path = path_of((struct tfr_place){ scan, list[i] });

		out += sprintf(out, "%s %s\n", what, path);
	}
	return out;
}

/* The parts as lines "SPLIT IMAGES ANNOTATIONS", then "left NAME" and "other NAME". */
static void expect(const struct tfr_set_kind *kind, const char *folder, const char *wanted)
{
	static const struct tfr_convert_opts opts;
	struct tfr_error err = { 0 };
	struct tfr_scan scan;
	struct tfr_parts parts = { .opts = &opts, .scan = &scan, .err = &err };
	char text[2000] = "", *out = text;

	cr_assert_eq(tfr_scan_folder(&scan, folder, NULL, &err), TFR_OK, "%s", err.message);
	kind->find(&parts, tfr_parts_base(&scan));
	cr_assert(!err.status, "%s", err.message);
	for (size_t i = 0; i < parts.n; i++) {
		const struct tfr_part *part = &parts.list[i];
		TFR_AUTO_FREE char *images = path_of(part->images);
		TFR_AUTO_FREE char *annotations =
			part->file == TFR_NO_FILE
				? path_of(part->annotations)
				: tfr_scan_file_path(part->annotations.scan, part->file);

		out += sprintf(out, "%s %s %s\n", part->split ?: "-", images, annotations);
	}
	out = print_dirs(out, "left", &scan, &parts.left);
	print_dirs(out, "other", &scan, &parts.others);
	cr_assert_str_eq(text, wanted, "%s", text);
	tfr_parts_clear(&parts);
	tfr_scan_clear(&scan);
}

static const char xml[] = "<annotation><filename>1.jpg</filename></annotation>";
static const char json[] = "  {\"images\": [], \"annotations\": [], \"categories\": []}";

/* --- VOC --- */

Test(layouts, voc_as_published)
{
	put("d/JPEGImages/1.jpg", "");
	put("d/Annotations/1.xml", xml);
	put("d/ImageSets/Main/train.txt", "1\n");
	expect(&tfr_set_voc, "d", "- d/JPEGImages d/Annotations\n");
	/* a single folder around it */
	mkdir("w", 0755);
	cr_assert_eq(rename("d", "w/VOC2012"), 0);
	expect(&tfr_set_voc, "w", "- w/VOC2012/JPEGImages w/VOC2012/Annotations\n");
}

Test(layouts, voc_with_splits)
{
	put("d/images/train/1.jpg", "");
	put("d/annotations/train/1.xml", xml);
	put("d/images/val/2.jpg", "");
	put("d/annotations/val/2.xml", xml);
	put("d/images/test/3.jpg", "");
	expect(&tfr_set_voc, "d",
		"train d/images/train d/annotations/train\nval d/images/val d/annotations/val\n"
		"left d/images/test\n");
}

Test(layouts, voc_beside_the_images)
{
	put("d/train/1.jpg", "");
	put("d/train/1.xml", xml);
	put("d/valid/2.jpg", "");
	put("d/valid/2.xml", xml);
	put("d/extra/3.jpg", "");
	expect(&tfr_set_voc, "d", "train d/train d/train\nvalid d/valid d/valid\nother d/extra\n");
}

Test(layouts, other_xml_is_not_voc)
{
	put("d/images/1.jpg", "");
	put("d/annotations/1.xml", "<robot/>");
	expect(&tfr_set_voc, "d", "");
	put("e/1.jpg", "");
	put("e/1.xml", "<robot/>");
	expect(&tfr_set_voc, "e", "");
	put("f/1.txt", "no image");
	expect(&tfr_set_voc, "f", "");
}

Test(layouts, voc_deeper_down)
{
	put("d/a/b/1.jpg", "");
	put("d/a/b/1.xml", xml);
	put("d/a/c/2.jpg", "");
	expect(&tfr_set_voc, "d", "- d/a d/a\n");
}

/* --- COCO --- */

Test(layouts, coco_as_published)
{
	put("d/annotations/instances_val2017.json", json);
	put("d/annotations/instances_train2017.json", json);
	put("d/annotations/captions_train2017.json", json);
	put("d/train2017/1.jpg", "");
	put("d/val2017/2.jpg", "");
	put("d/test2017/3.jpg", "");
	expect(&tfr_set_coco, "d",
		"train2017 d/train2017 d/annotations/instances_train2017.json\n"
		"val2017 d/val2017 d/annotations/instances_val2017.json\nleft d/test2017\n");
}

Test(layouts, coco_of_cvat)
{
	put("d/annotations/instances_default.json", json);
	put("d/images/1.jpg", "");
	expect(&tfr_set_coco, "d", "default d/images d/annotations/instances_default.json\n");
	put("e/annotations/instances_a.json", json);
	put("e/images/a/1.jpg", "");
	expect(&tfr_set_coco, "e", "a e/images/a e/annotations/instances_a.json\n");
}

Test(layouts, coco_of_roboflow)
{
	put("d/train/_annotations.coco.json", json);
	put("d/train/1.jpg", "");
	put("d/test/2.jpg", "");
	expect(&tfr_set_coco, "d", "train d/train d/train/_annotations.coco.json\nleft d/test\n");
	expect(&tfr_set_coco, "d/train", "- d/train d/train/_annotations.coco.json\n");
}

Test(layouts, other_json_is_not_coco)
{
	put("d/annotations/instances_a.json", "[1]");
	put("d/a/1.jpg", "");
	put("d/b.json", "{\"b\": 1}");
	put("d/b/1.jpg", "");
	expect(&tfr_set_coco, "d", "");
}

/* --- YOLO --- */

Test(layouts, yolo_of_ultralytics)
{
	put("d/images/train/1.jpg", "");
	put("d/labels/train/1.txt", "0 .5 .5 1 1\n");
	put("d/images/val/2.jpg", "");
	put("d/labels/val/2.txt", "");
	put("d/images/test/3.jpg", "");
	expect(&tfr_set_yolo, "d",
		"train d/images/train d/labels/train\nval d/images/val d/labels/val\n"
		"left d/images/test\n");
}

Test(layouts, yolo_of_roboflow)
{
	put("d/train/images/1.jpg", "");
	put("d/train/labels/1.txt", "0 .5 .5 1 1\n");
	put("d/test/images/2.jpg", "");
	put("d/README.txt", "not labels");
	expect(&tfr_set_yolo, "d", "train d/train/images d/train/labels\nleft d/test\n");
}

Test(layouts, yolo_of_darknet)
{
	put("d/1.jpg", "");
	put("d/1.txt", "0 .5 .5 1 1\n");
	expect(&tfr_set_yolo, "d", "");
	put("d/classes.txt", "cat\n");
	expect(&tfr_set_yolo, "d", "- d d\n");
}

Test(layouts, text_that_is_not_labels_is_not_yolo)
{
	put("d/images/1.jpg", "");
	put("d/labels/1.txt", "a caption of the image\n");
	expect(&tfr_set_yolo, "d", "");
	put("e/images/1.jpg", "");
	put("e/labels/1.txt", "0 .5 .5 1 2\n"); /* past the image */
	expect(&tfr_set_yolo, "e", "");
}

/* Only such texts are beside empty labels: the labels decide. */
Test(layouts, texts_that_are_not_labels_by_name)
{
	put("d/images/1.jpg", "");
	put("d/labels/1.txt", "");
	put("d/labels/README.txt", "Exported by a tool.\n");
	put("d/labels/notes.txt", "none\n");
	expect(&tfr_set_yolo, "d", "- d/images d/labels\n");
	put("d/labels/class.txt", "none\n");
	expect(&tfr_set_yolo, "d", "");
}

/* --- the image of an annotation --- */

/* Reads an annotation of the images in i/; `wanted` NULL: it is refused. */
static void expect_image(const char *annotation, const char *filename, const char *wanted)
{
	static const struct tfr_convert_opts opts;
	struct tfr_table t = { .opts = &opts };
	struct tfr_scan images, annotations;
	struct tfr_error err = { 0 };
	char path[200], text[300];

	snprintf(path, sizeof(path), "a/%s", annotation);
	snprintf(text, sizeof(text), "<annotation><filename>%s</filename></annotation>", filename);
	put(path, text);
	cr_assert(!tfr_scan_folder(&images, "i", NULL, &err) &&
		  !tfr_scan_folder(&annotations, "a", NULL, &err));
	const struct tfr_part part = {
		.images = { &images, 0 }, .annotations = { &annotations, 0 }, .file = TFR_NO_FILE
	};
	struct tfr_open_part open = { .at = &part, .opts = &opts, .aside = path };

	cr_assert_eq(tfr_set_voc.read(&t, &open, &err), TFR_OK, "%s", err.message);
	cr_assert_eq(t.n_images, 1);
	cr_assert_eq(t.images[0].aside, wanted == NULL);
	if (wanted)
		cr_assert_str_eq(tfr_table_string(&t, t.images[0].name), wanted);
	tfr_table_clear(&t);
	tfr_scan_clear(&images);
	tfr_scan_clear(&annotations);
	cr_assert_eq(unlink(path), 0);
}

Test(layouts, the_image_of_an_annotation)
{
	put("i/1.jpg", "");
	put("i/deep/2.jpg", "");
	put("i/deep/1.jpg", "");
	put("i/3.PNG", "");
	put("outside.jpg", "");
	expect_image("1.xml", "1.jpg", "1.jpg");
	expect_image("deep/x.xml", "1.jpg", "deep/1.jpg");   /* beside it first */
	expect_image("other/x.xml", "1.jpg", "1.jpg");	     /* then at the top */
	expect_image("x.xml", "deep/2.jpg", "deep/2.jpg");
	expect_image("deep/x.xml", "/home/me/2.jpg", "deep/2.jpg"); /* a path elsewhere */
	expect_image("deep/x.xml", "C:\\me\\2.jpg", "deep/2.jpg");
	expect_image("3.xml", "3.bmp", "3.PNG"); /* converted later */
	expect_image("deep/2.xml", "gone.jpg", "deep/2.jpg");
	expect_image("4.xml", "4.jpg", "4.jpg"); /* absent */
	expect_image("x.xml", "../outside.jpg", NULL);
}
