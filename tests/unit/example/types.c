/* Which type of message records are: what only one of them can be, what several can be, and random
 * Examples, which are never anything else. */
#include <criterion/criterion.h>

#include "base/buf.h"
#include "base/rng.h"
#include "example/content.h"
#include "unit/example/hex.h"

static enum tfr_likeness like(struct hex h)
{
	return tfr_likeness_of(h.data, h.size);
}

/* An Example {"a": [1]}. */
static struct hex example(void)
{
	return example_a("1a030a0101");
}

Test(types, examples)
{
	cr_expect_eq(like(example()), TFR_IS_EXAMPLE);
	cr_expect_eq(like(example_a("")), TFR_IS_EXAMPLE, "a kind that is unset");
	cr_expect_eq(like(join(example(), hex("7805"))), TFR_IS_EXAMPLE, "an unknown field");
	cr_expect_eq(like(join(hex("09 0000000000000000"), example())), TFR_IS_EXAMPLE);
	cr_expect_eq(like(field(2, field(1, join(hex("0a0161"), hex("1200"))))), TFR_IS_EXAMPLE,
		"a feature list without steps");
	cr_expect_eq(like(field(1, field(1, hex("0a0161")))), TFR_LIKE_EXAMPLE, "no value");
	cr_expect_eq(like(field(1, field(1, hex("1200")))), TFR_LIKE_EXAMPLE, "no name");
	cr_expect_eq(like(example_a("12050a03000000")), TFR_LIKE_EXAMPLE, "a damaged list");
	cr_expect_eq(like(hex("")), TFR_LIKE_ANY);
	cr_expect_eq(like(hex("0a00")), TFR_LIKE_EXAMPLE);
	cr_expect_eq(like(hex("1200")), TFR_LIKE_EXAMPLE);
}

Test(types, elwc)
{
	struct hex one = field(1, example()), context = field(2, example());

	cr_expect_eq(like(one), TFR_IS_ELWC, "an ExampleList");
	cr_expect_eq(like(join(one, context)), TFR_IS_ELWC);
	cr_expect_eq(like(join(context, one)), TFR_IS_ELWC);
	cr_expect_eq(like(context), TFR_IS_ELWC);
	cr_expect_eq(like(join(one, hex("1200"))), TFR_IS_ELWC);
	cr_expect_eq(like(join(hex("0a00"), context)), TFR_IS_ELWC);
	cr_expect_eq(like(join(one, hex("1800"))), TFR_IS_MESSAGE, "a field that it has not");
	cr_expect_eq(like(field(1, one)), TFR_IS_MESSAGE, "one level deeper");
	cr_expect_eq(like(field(1, join(example(), hex("1001")))), TFR_IS_MESSAGE);
}

Test(types, others)
{
	cr_expect_eq(like(hex("2a0a 0a08 0a0161 1500000000")), TFR_IS_MESSAGE, "an Event");
	cr_expect_eq(like(hex("1a0161")), TFR_IS_MESSAGE);
	cr_expect_eq(like(hex("09 0000000000000000 1001")), TFR_IS_MESSAGE);
	cr_expect_eq(like(hex("0809 1200 5001")), TFR_IS_TENSOR);
	cr_expect_eq(like(hex("0809 12020800 5001")), TFR_IS_MESSAGE, "no shape");
	cr_expect_eq(like(hex("08ff7f 1200 5001")), TFR_IS_MESSAGE, "no type");
	cr_expect_eq(like(hex("0a050a036162631001")), TFR_IS_MESSAGE);
	cr_expect_eq(like(hex("0a03616263")), TFR_IS_MESSAGE);
	cr_expect_eq(like(hex("7b2278223a317d")), TFR_IS_RAW);
	cr_expect_eq(like(hex("00")), TFR_IS_RAW);
}

static enum tfr_content most(uint64_t any, uint64_t like_example, enum tfr_likeness a, uint64_t n,
	enum tfr_likeness b, uint64_t m)
{
	struct tfr_content_counts c = {
		.records = { [TFR_LIKE_ANY] = any, [TFR_LIKE_EXAMPLE] = like_example }
	};
	struct tfr_content_result r;

	c.records[a] += n;
	c.records[b] += m;
	r = tfr_content_settle(&c);
	cr_assert_eq(r.all, any + like_example + n + m);
	return r.most;
}

Test(types, decided_together)
{
	const enum tfr_likeness any = TFR_LIKE_ANY, raw = TFR_IS_RAW, message = TFR_IS_MESSAGE;

	cr_expect_eq(most(0, 0, any, 0, any, 0), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(most(999, 0, any, 0, any, 0), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(most(999, 0, TFR_IS_TENSOR, 1, any, 0), TFR_CONTENT_TENSOR);
	cr_expect_eq(most(999, 0, TFR_IS_TENSOR, 5, TFR_IS_EXAMPLE, 1), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(most(0, 9, any, 0, any, 0), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(most(0, 9, TFR_IS_ELWC, 1, any, 0), TFR_CONTENT_ELWC);
	cr_expect_eq(most(0, 9, message, 1, any, 0), TFR_CONTENT_MESSAGE);
	cr_expect_eq(most(0, 9, message, 1, TFR_IS_EXAMPLE, 1), TFR_CONTENT_EXAMPLE);
	cr_expect_eq(most(0, 0, message, 30, raw, 10), TFR_CONTENT_RAW, "by chance");
	cr_expect_eq(most(0, 0, message, 90, raw, 10), TFR_CONTENT_MESSAGE);
}

Test(types, words)
{
	struct tfr_content_counts c = { .records = { [TFR_IS_EXAMPLE] = 7, [TFR_IS_TENSOR] = 2 } };
	struct tfr_content_result r = tfr_content_settle(&c);
	char text[TFR_CONTENT_TEXT];
	struct tfr_error err = { 0 };

	cr_expect_eq(tfr_content_refuse(&r, "x", &err), TFR_OK);
	cr_assert(tfr_content_mixture(text, &r));
	cr_expect_str_eq(text, "2 of 9 records are not Examples: 2 TensorProtos");
	c = (struct tfr_content_counts){
		.records = { [TFR_IS_TENSOR] = 1, [TFR_IS_ELWC] = 2, [TFR_IS_MESSAGE] = 3 }
	};
	r = tfr_content_settle(&c);
	cr_expect_not(tfr_content_mixture(text, &r));
	cr_expect_eq(tfr_content_refuse(&r, "x", &err), TFR_EDATA);
	cr_expect_str_eq(err.message,
		"'x' holds no Examples: 2 ExampleListWithContexts, 1 TensorProto and 3 protobuf "
		"messages of another type");
	c = (struct tfr_content_counts){ .records = { [TFR_IS_TENSOR] = 3 } };
	r = tfr_content_settle(&c);
	cr_expect_eq(tfr_content_refuse(&r, "", &err), TFR_EDATA);
	cr_expect_str_eq(err.message, "holds TensorProtos, not Examples");
	cr_expect_eq(tfr_content_refuse(&r, NULL, &err), TFR_EDATA);
	cr_expect_str_eq(err.message, "the inputs hold TensorProtos, not Examples");
}

/* ---- Random Examples ---- */

static void put(struct tfr_buf *b, unsigned number, const void *data, size_t size)
{
	uint8_t head[6] = { (uint8_t)(number << 3 | 2) };
	size_t n = 1;

	for (size_t left = size; left >= 0x80; left >>= 7)
		head[n++] = (uint8_t)(left | 0x80);
	head[n] = (uint8_t)(size >> 7 * (n - 1));
	cr_assert(tfr_buf_append(b, head, n + 1) && tfr_buf_append(b, data, size));
}

/* Bytes that look like wire format more often than chance would have it. */
static size_t random_bytes(struct tfr_rng *rng, uint8_t *to, size_t most)
{
	static const uint8_t likely[] = { 0x0a, 0x12, 0x1a, 0, 1, 2, 3, 4, 5, 0x08, 0x09, 0x10 };
	size_t n = tfr_rng_below(rng, most);

	for (size_t i = 0; i < n; i++)
		to[i] = tfr_rng_below(rng, 4) ? likely[tfr_rng_below(rng, sizeof(likely))]
					      : (uint8_t)tfr_rng_below(rng, 256);
	return n;
}

static void random_feature(struct tfr_rng *rng, struct tfr_buf *feature)
{
	static const uint8_t varints[] = { 9, 10, 18, 1, 0 };
	TFR_AUTO_BUF list = { 0 };
	unsigned kind = (unsigned)tfr_rng_below(rng, 4);
	uint8_t bytes[24];

	if (kind == 1)
		for (uint64_t i = tfr_rng_below(rng, 4); i; i--)
			put(&list, 1, bytes, random_bytes(rng, bytes, sizeof(bytes)));
	else if (kind && tfr_rng_below(rng, 2))
		put(&list, 1, kind == 2 ? (const uint8_t *)"\x0a\x02\x12\x00" : varints,
			kind == 2 ? 4 : sizeof(varints));
	if (kind)
		put(feature, kind, list.size ? list.data : bytes, list.size);
}

static void random_map(struct tfr_rng *rng, struct tfr_buf *map, bool lists)
{
	uint8_t name[16];

	for (uint64_t i = 1 + tfr_rng_below(rng, 3); i; i--) {
		TFR_AUTO_BUF entry = { 0 };
		TFR_AUTO_BUF feature = { 0 };
		TFR_AUTO_BUF list = { 0 };

		random_feature(rng, &feature);
		if (lists && tfr_rng_below(rng, 3))
			put(&list, 1, feature.size ? feature.data : name, feature.size);
		put(&entry, 1, name, random_bytes(rng, name, sizeof(name)));
		if (lists)
			put(&entry, 2, list.size ? list.data : name, list.size);
		else
			put(&entry, 2, feature.size ? feature.data : name, feature.size);
		put(map, 1, entry.data, entry.size);
	}
}

Test(types, random_examples)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 14, 0);
	for (int i = 0; i < 20000; i++) {
		TFR_AUTO_BUF record = { 0 };
		TFR_AUTO_BUF context = { 0 };
		TFR_AUTO_BUF lists = { 0 };
		uint64_t which = tfr_rng_below(&rng, 3);

		if (which < 2)
			random_map(&rng, &context, false);
		if (which)
			random_map(&rng, &lists, true);
		if (which < 2)
			put(&record, 1, context.data, context.size);
		if (which)
			put(&record, 2, lists.data, lists.size);
		cr_assert_eq(
			tfr_likeness_of(record.data, record.size), TFR_IS_EXAMPLE, "record %d", i);
	}
}
