/* Recipes against what TensorFlow and torchvision make of the same image and mask. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "pipeline/images/executor.h"

struct bytes {
	uint8_t *data;
	size_t size;
};

static struct bytes load(const char *folder, const char *name)
{
	TFR_AUTO_FREE char *path = NULL;
	struct bytes b = { .data = malloc(1 << 20) };
	FILE *f;

	cr_assert_gt(asprintf(&path, "%s/%s/%s", getenv("TFR_TEST_DATA"), folder, name), 0);
	f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	b.size = fread(b.data, 1, 1 << 20, f);
	fclose(f);
	return b;
}

/* Outputs one after the other, images and masks apart. */
struct outputs {
	uint8_t *at[2];
	size_t size[2];
};

static void *place(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct outputs *o = ctx;
	void *to = o->at[mask] + o->size[mask];

	(void)k;
	o->size[mask] += tfr_image_form_bytes(form);
	return to;
}

static void compare(const char *name, const struct tfr_image_input *in)
{
	struct bytes golden = load("recipe", name);
	uint8_t *line_end = memchr(golden.data, '\n', golden.size), *wanted = line_end + 1;
	size_t size = golden.size - (size_t)(wanted - golden.data);
	struct outputs o = { { malloc(1 << 20), malloc(1 << 20) }, { 0, 0 } };
	struct tfr_error err = { 0 };
	TFR_AUTO_FREE char *list = NULL;
	struct tfr_image_executor *st;
	struct tfr_stage_list s;
	struct tfr_recipe r;

	*line_end = '\0';
	cr_assert_gt(asprintf(&list, "read,parse,%s", (char *)golden.data), 0);
	cr_assert_eq(tfr_stage_list_parse(&s, list, &err), TFR_OK, "%s: %s", list, err.message);
	cr_assert_eq(tfr_image_executor_new(&st, 1 << 24, false, NULL), TFR_OK);
	tfr_recipe_init(&r, &s, 2, 0);
	cr_assert_eq(tfr_image_executor_run(st, &r, in, place, &o, &err), TFR_OK, "%s: %s", list,
		err.message);
	cr_expect_eq(o.size[0] + o.size[1], size, "%s: %zu and %zu bytes, not %zu", list, o.size[0],
		o.size[1], size);
	memcpy(o.at[0] + o.size[0], o.at[1], o.size[1]);
	for (size_t i = 0; i < size; i++)
		cr_assert_eq(o.at[0][i], wanted[i], "%s: byte %zu of %zu", list, i, size);
	tfr_image_executor_free(st);
	tfr_stage_list_free(&s);
	free(o.at[0]);
	free(o.at[1]);
	free(golden.data);
}

Test(recipe_golden, several_steps_equal_those_of_others)
{
	struct bytes image = load("media", "420.jpg"), mask = load("media", "palette.png");
	struct tfr_image_input in = { .encoded = image.data,
		.encoded_size = image.size,
		.mask_encoded = mask.data,
		.mask_encoded_size = mask.size };
	TFR_AUTO_FREE char *path = NULL;
	unsigned count = 0;
	DIR *folder;

	cr_assert_gt(asprintf(&path, "%s/recipe", getenv("TFR_TEST_DATA")), 0);
	folder = opendir(path);
	cr_assert_not_null(folder);
	for (struct dirent *e; (e = readdir(folder));) {
		if (e->d_name[0] == '.')
			continue;
		compare(e->d_name, &in);
		count++;
	}
	closedir(folder);
	cr_expect_eq(count, 9);
	free(image.data);
	free(mask.data);
}
