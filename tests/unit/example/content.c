#include <criterion/criterion.h>

#include <tfr-private/example.h>
#include <tfr-private/text.h>

#include "unit/example/hex.h"

/* wall_time 1.5e9, step 1, summary {loss: tensor float32 [2] of plugin scalars; w: a histogram}. */
static struct hex event(void)
{
	struct hex loss = join(field(1, hex("6c6f7373")),
		join(field(9, field(1, field(1, hex("7363616c617273")))),
			field(8, join(hex("0801 1204 1202 0802"),
					 field(4, hex("0000803f00000040"))))));
	struct hex w = join(field(1, hex("77")),
		field(5, join(hex("19 000000000000f03f"), field(7, hex("000000000000f03f")))));

	return join(
		hex("09 0000 00c0 0b5a d641 1001"), field(5, join(field(1, loss), field(1, w))));
}

static enum tfr_content content(const void *data, size_t size)
{
	struct tfr_printer *p = tfr_printer_new(NULL);
	enum tfr_content what;
	const char *text;
	size_t text_size;

	cr_assert_eq(tfr_printer_text(p, data, size, &text, &text_size, NULL), TFR_OK);
	cr_assert_eq(text[text_size], '\0');
	cr_assert(tfr_is_utf8(text, text_size));
	what = tfr_printer_content(p);
	if (!tfr_printer_json(p, data, size, &text, &text_size, NULL))
		cr_assert(tfr_is_utf8(text, text_size));
	tfr_printer_free(p);
	return what;
}

static enum tfr_content content_of(struct hex h)
{
	return content(h.data, h.size);
}

Test(content, by_fields)
{
	cr_expect_eq(content("", 0), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(content_of(example_a("1a030a0101")), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(content_of(field(2, hex(""))), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(content_of(event()), TFR_CONTENT_RAW);
	cr_expect_eq(content_of(join(event(), example_a("1a030a0101"))), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(content_of(hex("0809 1200 5001")), TFR_CONTENT_TENSOR);
	cr_expect_eq(content_of(hex("5001 1200 0809")), TFR_CONTENT_TENSOR, "fields in any order");
	cr_expect_eq(content_of(hex("0809 1200 5001 5001")), TFR_CONTENT_RAW);
	cr_expect_eq(content_of(hex("0809")), TFR_CONTENT_RAW);
	cr_expect_eq(content_of(hex("68656c6c6f")), TFR_CONTENT_RAW);
}

Test(content, as_told)
{
	struct tfr_printer *p =
		tfr_printer_new(&(struct tfr_print_opts){ .as = TFR_CONTENT_TENSOR });
	struct tfr_error err = { 0 };
	const char *text;
	size_t size;

	cr_expect_eq(tfr_printer_text(p, "\x0a\x00", 2, &text, &size, &err), TFR_EDATA);
	cr_expect_str_eq(err.message, "not a TensorProto: it cannot be parsed");
	cr_expect_eq(tfr_printer_json(p, "\x08\x09\x12\x00", 4, &text, &size, NULL), TFR_OK);
	cr_expect_str_eq(
		text, "{\"tensor\": {\"dtype\": \"int64\", \"shape\": [], \"values\": []}}");
	tfr_printer_free(p);
}

/* What is empty has no address to count from: a sanitizer says so where one is. */
Test(content, nothing_in_it)
{
	cr_expect_eq(content(NULL, 0), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(content_of(hex("2a00")), TFR_CONTENT_RAW);
	cr_expect_eq(content_of(hex("08071204120208004200")), TFR_CONTENT_RAW);
	cr_expect_eq(content_of(hex("08071204120208014200")), TFR_CONTENT_TENSOR);
}

/* Whatever is damaged is printed as something, in UTF-8; sanitizers watch the bounds. */
Test(content, damage)
{
	struct hex whole[] = { hex("0807 1204 1202 0802 2204 0101 6162"),
		hex("0808 1204 1202 0802 4a10 0000803f 00000040 0000803f 00000040"),
		hex("0813 1204 1202 0802 6a04 8078 807c") };

	for (size_t k = 0; k < sizeof(whole) / sizeof(whole[0]); k++) {
		cr_assert_neq(content_of(whole[k]), TFR_CONTENT_RAW, "message %zu", k);
		for (size_t i = 0; i < whole[k].size; i++) {
			uint8_t *cut = malloc(i + 1); /* its end is seen by the sanitizer */

			memcpy(cut, whole[k].data, i);
			content(cut, i);
			free(cut);
			for (int bit = 0; bit < 8; bit++) {
				struct hex h = whole[k];

				h.data[i] ^= (uint8_t)(1 << bit);
				content_of(h);
			}
		}
	}
}
