/* Findings in order, though gray is known to be odd only when colour comes; and judging an image.
 */
#include "support/temp.h"

#include <stdlib.h>

#include "convert/findings.h"
#include "io/output.h"

static char *dir;

static void set_up(void)
{
	dir = temp_enter();
}

static void tear_down(void)
{
	temp_leave(dir);
}

TestSuite(findings, .init = set_up, .fini = tear_down);

static const struct tfr_share target = { .set = "t@1" };

static void put(struct tfr_findings *f, struct tfr_item *item, unsigned long n, unsigned channels,
	uint32_t more)
{
	char name[300];
	int size = snprintf(name, sizeof(name), "%0200lu", n);

	cr_assert(tfr_item_name(item, name, (size_t)size));
	item->prefix = "in/";
	item->came.channels = channels;
	item->record = n;
	item->found = more | (channels < 3 ? 1u << TFR_FOUND_GRAY : 0);
	cr_assert_eq(tfr_findings_add(f, item, NULL), TFR_OK);
}

/* Lists so many gray images, every hundredth of them tiny too, then one in colour and one gray
 * one; returns the lines, each of which must come after the one before. */
static unsigned lines_of(unsigned long gray, bool colour, uint64_t *counted)
{
	struct tfr_convert_opts opts = { .output.targets = &target,
		.output.target_count = 1,
		.run.report = "r.tsv",
		.output.writer = { .force = true } };
	struct tfr_input in = { .ops = &tfr_input_folder, .opts = &opts };
	struct tfr_convert_report report;
	struct tfr_findings f;
	struct tfr_item item = { 0 };
	unsigned long last = 0, n;
	unsigned lines = 0;
	char line[1024];
	FILE *file;

	cr_assert_eq(tfr_findings_open(&f, &in, NULL, false, NULL), TFR_OK);
	for (unsigned long i = 0; i < gray; i++)
		put(&f, &item, i, 1, i % 100 == 0 ? 1u << TFR_FOUND_TINY : 0);
	if (colour) {
		put(&f, &item, gray, 3, 1u << TFR_FOUND_HUGE);
		put(&f, &item, gray + 1, 1, 0);
	}
	cr_assert_eq(tfr_findings_seal(&f, &report, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(f.list, NULL), TFR_OK);
	tfr_findings_close(&f);
	tfr_item_clear(&item);
	file = fopen("r.tsv", "r");
	for (; fgets(line, sizeof(line), file); lines++) {
		cr_assert_eq(sscanf(line, "in/%lu", &n), 1, "%s", line);
		cr_assert_geq(n, last);
		last = n;
	}
	fclose(file);
	*counted = report.found[TFR_FOUND_GRAY];
	return lines;
}

Test(findings, gray_is_told_where_colour_comes)
{
	uint64_t gray;

	cr_assert_eq(lines_of(1000, true, &gray), 1000 + 10 + 1 + 1);
	cr_assert_eq(gray, 1001);
	cr_assert_eq(lines_of(1000, false, &gray), 10);
	cr_assert_eq(gray, 0);
	cr_assert_eq(lines_of(0, true, &gray), 2);
	cr_assert_eq(gray, 1);
}

/* More than may wait: what is gray before the first in colour is counted, not listed. */
Test(findings, what_waits_is_bounded)
{
	uint64_t gray;

	cr_assert_eq(lines_of(100000, true, &gray), 1000 + 1 + 1);
	cr_assert_eq(gray, 100001);
	cr_assert_eq(lines_of(100000, false, &gray), 1000);
	cr_assert_eq(gray, 0);
}

static uint32_t lint(const char *name, struct tfr_image_info came)
{
	struct tfr_item item = { .came = came };
	uint32_t found;

	cr_assert(tfr_item_name(&item, name, strlen(name)));
	found = tfr_lint(&item, &(struct tfr_rework){ 0 });
	tfr_item_clear(&item);
	return found;
}

Test(findings, a_plain_image_is_not_odd)
{
	struct tfr_image_info jpeg = { .format = TFR_IMAGE_JPEG,
		.width = 8,
		.height = 9,
		.channels = 3,
		.components = 3,
		.bit_depth = 8,
		.orientation = 1 };

	for (const char *const *name = (const char *const[]){ "a.jpg", "a.JPEG", "a", "a.b/c",
		     "a.dat", ".jpg", "png", NULL };
		*name; name++)
		cr_assert_eq(lint(*name, jpeg), 0, "%s", *name);
	cr_assert_eq(lint("a.png", jpeg), 1u << TFR_FOUND_NAME);
	cr_assert_eq(lint("a.GIF", jpeg), 1u << TFR_FOUND_NAME);
}

Test(findings, each_oddity_by_itself)
{
	struct tfr_image_info plain = { .format = TFR_IMAGE_PNG,
		.width = 8000,
		.height = 6250,
		.channels = 3,
		.components = 3,
		.bit_depth = 8,
		.orientation = 1 };
	struct tfr_image_info odd = plain;

	cr_assert_eq(lint("a.png", odd), 0);
	odd.width++;
	cr_assert_eq(lint("a.png", odd), 1u << TFR_FOUND_HUGE);
	odd = plain;
	odd.width = 7;
	cr_assert_eq(lint("a.png", odd), 1u << TFR_FOUND_TINY);
	odd = plain;
	odd.orientation = 2;
	cr_assert_eq(lint("a.png", odd), 1u << TFR_FOUND_ORIENTATION);
	odd = plain;
	odd.channels = odd.components = 4;
	cr_assert_eq(lint("a.png", odd), 1u << TFR_FOUND_ALPHA);
	odd.format = TFR_IMAGE_JPEG;
	odd.channels = 3;
	cr_assert_eq(lint("a.jpg", odd), 1u << TFR_FOUND_CMYK);
	odd = plain;
	odd.bit_depth = 16;
	cr_assert_eq(lint("a.png", odd), 1u << TFR_FOUND_DEEP);
	odd = plain;
	odd.progressive = true;
	cr_assert_eq(lint("a.png", odd), 1u << TFR_FOUND_PROGRESSIVE);
	odd = plain;
	odd.palette = true;
	cr_assert_eq(lint("a.png", odd), 1u << TFR_FOUND_PALETTE);
	odd = plain;
	odd.channels = odd.components = 1;
	cr_assert_eq(lint("a.png", odd), 1u << TFR_FOUND_GRAY);
}
