/* What EXIF says of an image's turn, and turning it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "media/formats/exif.h"
#include "images.h"

static void check_turned(struct tfr_decoder *d, const char *name, unsigned orientation)
{
	TFR_AUTO_BUF file = golden(name);
	struct tfr_image_info info;
	struct tfr_image image, turned;
	uint8_t out[13 * 9 * 3];
	char expected[32];

	snprintf(expected, sizeof(expected), "%s.u8", name);
	TFR_AUTO_BUF want = golden(expected);
	cr_assert_eq(tfr_image_probe(file.data, file.size, &info, NULL), TFR_OK);
	cr_assert_eq(info.orientation, orientation, "%s: %u", name, info.orientation);
	cr_assert_eq(tfr_decode(d, file.data, file.size, NULL, 3, &image, NULL), TFR_OK);
	cr_assert_eq(tfr_image_turn(&image, orientation, out, &turned, NULL), TFR_OK);
	cr_assert_eq(turned.width, tfr_orientation_swaps(orientation) ? 9 : 13);
	cr_assert_eq(turned.height, tfr_orientation_swaps(orientation) ? 13 : 9);
	cr_assert_eq(want.size, sizeof(out));
	cr_assert_eq(memcmp(out, want.data, sizeof(out)), 0, "%s", name);
}

Test(turn, pixels_are_those_of_exif_transpose)
{
	struct tfr_decoder *d = tfr_decoder_new(NULL);

	for (unsigned n = 1; n <= 8; n++) {
		char name[32];

		snprintf(name, sizeof(name), "turn-%u.jpg", n);
		check_turned(d, name, n);
	}
	check_turned(d, "turn-6.png", 6);
	tfr_decoder_free(d);
}

Test(turn, every_number_of_channels)
{
	const uint8_t p[24] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
		19, 20, 21, 22, 23 };
	uint8_t out[24], back[24];

	for (unsigned c = 1; c <= 4; c++) {
		struct tfr_image m = { p, (size_t)3 * c, 3, 2, c }, turned, again;

		/* Clockwise, then anticlockwise. */
		cr_assert_eq(tfr_image_turn(&m, 6, out, &turned, NULL), TFR_OK);
		cr_assert_eq(memcmp(out, p + (size_t)3 * c, c), 0);
		cr_assert_eq(tfr_image_turn(&turned, 8, back, &again, NULL), TFR_OK);
		cr_assert_eq(memcmp(back, p, (size_t)6 * c), 0);
	}
}

Test(turn, numbers_that_mean_nothing)
{
	uint8_t out[3];
	struct tfr_image turned, m = { (const uint8_t *)"abc", 3, 1, 1, 3 };

	cr_assert_eq(tfr_image_turn(&m, 0, out, &turned, NULL), TFR_EUSAGE);
	cr_assert_eq(tfr_image_turn(&m, 9, out, &turned, NULL), TFR_EUSAGE);
	cr_assert_not(tfr_orientation_swaps(0));
	cr_assert_not(tfr_orientation_swaps(99));
}

Test(exif, both_byte_orders_and_types)
{
	static const uint8_t little[] = "II*\0\10\0\0\0\2\0"
					"\17\1\2\0\3\0\0\0ab\0\0"
					"\22\1\3\0\1\0\0\0\10\0\0\0";
	static const uint8_t wide[] = "MM\0*\0\0\0\10\0\1"
				      "\1\22\0\4\0\0\0\1\0\0\0\5";
	uint8_t written[TFR_EXIF_SIZE];

	cr_assert_eq(tfr_exif_orientation(little, sizeof(little) - 1), 8);
	cr_assert_eq(tfr_exif_orientation(wide, sizeof(wide) - 1), 5);
	for (unsigned n = 1; n <= 8; n++) {
		tfr_exif_write(n, written);
		cr_assert_eq(tfr_exif_orientation(written, sizeof(written)), n);
	}
}

Test(exif, nonsense_is_no_turn)
{
	uint8_t block[TFR_EXIF_SIZE];

	/* Cut short anywhere before the value, and every byte of all values: never a crash. */
	tfr_exif_write(6, block);
	for (size_t size = 0; size < 22; size++) {
		TFR_AUTO_FREE uint8_t *part = malloc(size ? size : 1);

		memcpy(part, block, size);
		cr_assert_eq(tfr_exif_orientation(part, size), 1, "%zu bytes", size);
	}
	for (size_t i = 0; i < sizeof(block); i++)
		for (unsigned v = 0; v < 256; v++) {
			unsigned found;

			tfr_exif_write(6, block);
			block[i] = (uint8_t)v;
			found = tfr_exif_orientation(block, sizeof(block));
			cr_assert(found >= 1 && found <= 8);
		}
	tfr_exif_write(9, block);
	cr_assert_eq(tfr_exif_orientation(block, sizeof(block)), 1);
	tfr_exif_write(0, block);
	cr_assert_eq(tfr_exif_orientation(block, sizeof(block)), 1);
}
