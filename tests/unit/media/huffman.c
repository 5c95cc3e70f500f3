/* Our Huffman decoder gives the coefficients that libjpeg gives, and an image that is damaged
 * anywhere ends for both in the same way. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/rng.h"
#include "images.h"
#include "media/formats/jpeg.h"
#include "unit/variants.h"

static const struct {
	unsigned h, v;
} samplings[] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 1, 2 }, { 4, 1 }, { 4, 2 } };

struct decompress {
	struct jpeg_decompress_struct c;
	struct jpeg_error_mgr errors;
};

static void open_jpeg(struct decompress *d, const struct tfr_buf *jpeg)
{
	d->c.err = jpeg_std_error(&d->errors);
	jpeg_create_decompress(&d->c);
	jpeg_mem_src(&d->c, jpeg->data, jpeg->size);
	jpeg_read_header(&d->c, TRUE);
}

/* One block of an MCU against libjpeg's; MCUs at the right and the bottom have more blocks than the
 * image. */
static void check_block(struct decompress *all, jvirt_barray_ptr *arrays, int component,
	JDIMENSION x, JDIMENSION y, const JCOEF *block)
{
	const jpeg_component_info *info = &all->c.comp_info[component];
	JBLOCKARRAY row;

	if (x >= info->width_in_blocks || y >= info->height_in_blocks)
		return;
	row = all->c.mem->access_virt_barray((j_common_ptr)&all->c, arrays[component], y, 1, FALSE);
	cr_assert_eq(memcmp(row[0][x], block, sizeof(JBLOCK)), 0, "component %d, block %u, %u",
		component, x, y);
}

static void check_mcu(struct decompress *all, jvirt_barray_ptr *arrays,
	const struct jpeg_decompress_struct *c, JDIMENSION column, JDIMENSION row,
	JBLOCKROW *blocks)
{
	for (int i = 0, n = 0; i < c->comps_in_scan; i++) {
		const jpeg_component_info *info = c->cur_comp_info[i];
		JDIMENSION w = (JDIMENSION)info->MCU_width, h = (JDIMENSION)info->MCU_height;

		for (JDIMENSION y = 0; y < h; y++)
			for (JDIMENSION x = 0; x < w; x++, n++)
				check_block(all, arrays, info->component_index, column * w + x,
					row * h + y, *blocks[n]);
	}
}

/* Columns [first, last) come with coefficients, the others, and rows that are passed over, with
 * none; the ones behind them prove that no bit was lost. */
static void check_coefficients(struct tfr_huffman *h, const struct jpeg_kind *kind, uint64_t seed)
{
	TFR_AUTO_BUF jpeg = make_jpeg(kind);
	struct decompress all, ours;
	jvirt_barray_ptr *arrays;
	JBLOCK memory[D_MAX_BLOCKS_IN_MCU];
	JBLOCKROW blocks[D_MAX_BLOCKS_IN_MCU];
	JDIMENSION first, last, columns;
	struct tfr_rng rng;

	tfr_rng_init(&rng, 7, seed);
	for (int i = 0; i < D_MAX_BLOCKS_IN_MCU; i++)
		blocks[i] = &memory[i];
	open_jpeg(&all, &jpeg);
	arrays = jpeg_read_coefficients(&all.c);
	open_jpeg(&ours, &jpeg);
	jpeg_start_decompress(&ours.c);
	columns = ours.c.MCUs_per_row;
	first = (JDIMENSION)tfr_rng_below(&rng, columns + 1);
	last = first + (JDIMENSION)tfr_rng_below(&rng, columns - first + 1);
	if (!tfr_huffman_start(h, &ours.c, first, last))
		cr_assert(tfr_huffman_start(h, &ours.c, first, last), "not even at second sight");
	for (JDIMENSION row = 0; row < ours.c.MCU_rows_in_scan; row++) {
		bool passed = tfr_rng_below(&rng, 4) == 0;

		for (JDIMENSION column = 0; column < columns; column++) {
			memset(memory, 0, sizeof(memory));
			cr_assert(tfr_huffman_mcu(h, passed ? NULL : blocks), "MCU %u, %u of %u",
				column, row, columns);
			if (!passed && column >= first && column < last)
				check_mcu(&all, arrays, &ours.c, column, row, blocks);
		}
	}
	cr_assert_eq(tfr_huffman_position(h) - jpeg.data, (ptrdiff_t)jpeg.size - 2);
	jpeg_destroy_decompress(&ours.c);
	jpeg_destroy_decompress(&all.c);
}

Test(huffman, coefficients_are_those_of_libjpeg)
{
	static const int qualities[] = { 5, 50, 75, 90, 96, 100 };
	struct tfr_huffman *h = tfr_huffman_new();
	uint64_t seed = 0;

	for (size_t s = 0; s < sizeof(samplings) / sizeof(*samplings); s++)
		for (size_t q = 0; q < sizeof(qualities) / sizeof(*qualities); q++)
			for (unsigned more = 0; more < 8; more++) {
				struct jpeg_kind kind = { .width = 30 + 47 * (more & 3),
					.height = 20 + (uint32_t)q * 31,
					.components = 3,
					.h = samplings[s].h,
					.v = samplings[s].v,
					.quality = qualities[q],
					.optimised = more & 1,
					.restart = more & 2 ? 1 + more : 0 };

				check_coefficients(h, &kind, seed++);
				if (more & 4)
					kind = (struct jpeg_kind){ .width = 500,
						.height = 90,
						.components = more & 1 ? 1 : 4,
						.h = 1,
						.v = 1,
						.quality = qualities[q] };
				check_coefficients(h, &kind, seed++);
			}
	tfr_huffman_free(h);
}

static void check_same(
	struct tfr_decoder *d[2], const struct tfr_buf *jpeg, const struct tfr_crop *w)
{
	struct tfr_error err[2] = { 0 };
	struct tfr_image image[2];
	enum tfr_status status[2];

	for (int i = 0; i < 2; i++)
		status[i] = tfr_decode(d[i], jpeg->data, jpeg->size, w, 3, &image[i], &err[i]);
	cr_assert_eq(status[0], status[1], "'%s' and '%s'", err[0].message, err[1].message);
	if (status[0]) {
		cr_assert_str_eq(err[0].message, err[1].message);
		return;
	}
	for (uint32_t y = 0; y < image[0].height; y++)
		cr_assert_eq(memcmp(image[0].data + y * image[0].stride,
				     image[1].data + y * image[1].stride, image[0].width * 3),
			0, "row %u", y);
}

/* One to three bytes are others, anywhere: in headers, in tables, in the data, at markers. */
static void check_damage(const struct jpeg_kind *kind, int times)
{
	struct tfr_decoder *d[2] = { tfr_decoder_new(NULL),
		tfr_decoder_new(&(struct tfr_decoder_opts){ .plain = true }) };
	const struct tfr_crop window = { kind->width / 3, kind->height / 3, kind->width / 2,
		kind->height / 2 };
	TFR_AUTO_BUF jpeg = make_jpeg(kind);
	TFR_AUTO_FREE uint8_t *whole = malloc(jpeg.size);
	struct tfr_rng rng;

	memcpy(whole, jpeg.data, jpeg.size);
	tfr_rng_init(&rng, 8, jpeg.size);
	for (int i = 0; i < times; i++) {
		check_same(d, &jpeg, NULL);
		check_same(d, &jpeg, &window);
		memcpy(jpeg.data, whole, jpeg.size);
		for (uint64_t n = 1 + tfr_rng_below(&rng, 3); n; n--) {
			/* Every other one in the headers, where its tables are. */
			size_t within = tfr_rng_below(&rng, 2) ? jpeg.size : 640;

			jpeg.data[tfr_rng_below(&rng, within)] = (uint8_t)tfr_rng_u32(&rng);
		}
	}
	tfr_decoder_free(d[0]);
	tfr_decoder_free(d[1]);
}

Test(huffman, damage_is_seen_as_libjpeg_sees_it)
{
	struct jpeg_kind kind = { .width = 200, .height = 130, .components = 3, .h = 2, .v = 2 };

#ifdef __x86_64__
	variant(tfr_cpu_allows(TFR_CPU_AVX2) && __builtin_cpu_supports("bmi2"), "huffman", "bmi2");
#endif
	check_damage(&kind, 3000);
	kind.restart = 5;
	check_damage(&kind, 3000);
	kind.optimised = true;
	check_damage(&kind, 1000);
	check_damage(&(struct jpeg_kind){ .width = 120, .height = 90, .components = 1 }, 1000);
}

/* Bytes FF that only fill, a restart marker that is not the one due, data behind the last MCU: what
 * libjpeg makes of them. */
Test(huffman, odd_markers_are_libjpegs_business)
{
	const struct jpeg_kind kind = {
		.width = 200, .height = 130, .components = 3, .h = 2, .v = 2, .restart = 9
	};
	struct tfr_decoder *d[2] = { tfr_decoder_new(NULL),
		tfr_decoder_new(&(struct tfr_decoder_opts){ .plain = true }) };
	TFR_AUTO_BUF jpeg = make_jpeg(&kind);

	for (size_t i = jpeg.size - 2; i > jpeg.size / 2; i--) {
		TFR_AUTO_BUF odd = { 0 };

		if (jpeg.data[i] != 0xff)
			continue;
		for (int insert = 0; insert < 3; insert++) {
			static const char *const inserted[] = { "\xff", "\x12\x34", "\xff\xd3" };
			size_t n = strlen(inserted[insert]);

			odd.size = 0;
			cr_assert(tfr_buf_append(&odd, jpeg.data, i) &&
				  tfr_buf_append(&odd, inserted[insert], n) &&
				  tfr_buf_append(&odd, jpeg.data + i, jpeg.size - i));
			check_same(d, &jpeg, NULL);
			check_same(d, &odd, NULL);
		}
	}
	tfr_decoder_free(d[0]);
	tfr_decoder_free(d[1]);
}
