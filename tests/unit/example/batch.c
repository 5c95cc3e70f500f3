/* The batch parser against what tf.io.parse_example makes of the same bytes: each row of the table
 * in tfr/batch.h, and what the API says of itself. */
#include <criterion/criterion.h>
#include <stdio.h>

#include <tfr/batch.h>

#include "example/batch.h"
#include "unit/example/hex.h"

static char *append(char *to, const char *end, const char *text)
{
	size_t n = strlen(text);

	cr_assert_lt(n, (size_t)(end - to));
	memcpy(to, text, n + 1);
	return to + n;
}

/* A column as text: its values, then "|" and the splits where it has them. */
static const char *dump(const struct tfr_column *c, enum tfr_kind kind)
{
	static char text[2048];
	char *p = text, *end = text + sizeof(text), one[64];

	*p = '\0';
	for (size_t i = 0; i < c->count; i++) {
		if (kind == TFR_KIND_INT64)
			snprintf(one, sizeof(one), "%lld", (long long)c->int64s[i]);
		else if (kind == TFR_KIND_FLOAT)
			snprintf(one, sizeof(one), "%g", (double)c->floats[i]);
		else if (c->offsets)
			snprintf(one, sizeof(one), "%.*s", (int)(c->offsets[i + 1] - c->offsets[i]),
				(const char *)c->text + c->offsets[i]);
		else
			snprintf(one, sizeof(one), "%.*s", (int)c->bytes[i].size,
				(const char *)c->bytes[i].data);
		p = append(append(p, end, i ? "," : ""), end, one);
	}
	for (size_t r = 0; (c->splits || c->splits32) && r <= c->rows; r++) {
		snprintf(one, sizeof(one), "%s%lld", r ? "," : "|",
			(long long)(c->splits ? c->splits[r] : c->splits32[r]));
		p = append(p, end, one);
	}
	return text;
}

/* Parses records of one feature and says what the column holds, or what is wrong.  `warm`: by a
 * parser that knows what records begin with. */
static const char *parse_by(
	const struct tfr_batch_feature *f, const struct hex *records, size_t n, bool warm)
{
	struct hex usual = example_a("1a03 0a0101");
	static char text[2048];
	struct tfr_batch_parser *p;
	struct tfr_bytes views[8];
	struct tfr_error err = { 0 };
	uint8_t *exact[8]; /* so that reading past the end of a record is seen */

	cr_assert_eq(tfr_batch_parser_new(&p, f, 1, &err), TFR_OK, "%s", err.message);
	if (warm)
		tfr_batch_add(p, usual.data, usual.size, NULL);
	for (size_t i = 0; i < n; i++) {
		exact[i] = malloc(records[i].size ? records[i].size : 1);
		memcpy(exact[i], records[i].data, records[i].size);
		views[i] = (struct tfr_bytes){ exact[i], records[i].size };
	}
	if (tfr_batch_parse(p, views, n, &err)) {
		cr_assert_eq(tfr_batch_rows(p), 0);
		snprintf(text, sizeof(text), "%s", err.message);
	} else {
		cr_assert_eq(tfr_batch_rows(p), n);
		cr_assert_eq(tfr_batch_column(p, 0)->rows, n);
		snprintf(text, sizeof(text), "%s", dump(tfr_batch_column(p, 0), f->kind));
	}
	for (size_t i = 0; i < n; i++)
		free(exact[i]);
	tfr_batch_parser_free(p);
	return text;
}

static const char *parse(const struct tfr_batch_feature *f, const struct hex *records, size_t n)
{
	char cold[2048];

	snprintf(cold, sizeof(cold), "%s", parse_by(f, records, n, false));
	cr_assert_str_eq(parse_by(f, records, n, true), cold);
	return parse_by(f, records, n, true);
}

/* Feature "a", dense of `count` and ragged, of one record. */
static void expect_of(
	enum tfr_kind kind, struct hex record, size_t count, const char *dense, const char *ragged)
{
	struct tfr_batch_feature f = { .name = "a", .kind = kind, .count = count };

	cr_assert_str_eq(parse(&f, &record, 1), dense);
	f.layout = TFR_RAGGED;
	cr_assert_str_eq(parse(&f, &record, 1), ragged);
	f.copy = true;
	cr_assert_str_eq(parse(&f, &record, 1), ragged);
	f.layout = TFR_DENSE;
	cr_assert_str_eq(parse(&f, &record, 1), dense);
}

static void expect(struct hex record, size_t count, const char *dense, const char *ragged)
{
	expect_of(TFR_KIND_INT64, record, count, dense, ragged);
}

/* Refused in every layout, with one message. */
static void refused(enum tfr_kind kind, struct hex record, const char *message)
{
	struct tfr_batch_feature f = { .name = "a", .kind = kind, .layout = TFR_PADDED };

	expect_of(kind, record, 1, message, message);
	cr_assert_str_eq(parse(&f, &record, 1), message);
}

/* ---- The rows of the table ---- */

Test(batch, golden_bytes_of_tensorflow)
{
	expect(hex("0a150a130a0161120e1a0c0a0affffffffffffffffff01"), 1, "-1", "-1|0,1");
	expect_of(TFR_KIND_FLOAT, hex("0a0f0a0d0a0161120812060a040000803f"), 1, "1", "1|0,1");
	expect_of(TFR_KIND_BYTES, hex("0a0e0a0c0a016112070a050a000a0178"), 2, ",x", ",x|0,2");
}

Test(batch, packed_or_not)
{
	expect(example_a("1a04 0801 0802"), 2, "1,2", "1,2|0,2");
	expect(example_a("1a06 0801 08808001"), 2, "1,16384", "1,16384|0,2");
	expect_of(TFR_KIND_FLOAT, example_a("120a 0d0000803f 0d00000040"), 2, "1,2", "1,2|0,2");
}

Test(batch, only_the_first_chunk_counts)
{
	expect(example_a("1a08 0a020102 0a020304"), 2, "1,2", "1,2|0,2");
	expect(example_a("1a08 0a020102 0a020304"), 4,
		"feature 'a' has a list of 2, not 4, in record 0 of the batch", "1,2|0,2");
	expect(example_a("1a06 0a020102 0803"), 2, "1,2", "1,2|0,2");
	expect(example_a("1a04 0a020102 1a03 0a0103"), 2, "1,2", "1,2|0,2");
	expect(example_a("1a06 0a00 0a020304"), 2,
		"feature 'a' has a list of 0, not 2, in record 0 of the batch", "|0,0");
	expect(example_a("1a00 1a04 0a020102"), 2,
		"feature 'a' has a list of 0, not 2, in record 0 of the batch", "|0,0");
	expect_of(TFR_KIND_FLOAT, example_a("120c 0a040000803f 0a0400000040"), 1, "1", "1|0,1");
	expect_of(TFR_KIND_BYTES, example_a("0a03 0a0178 0a03 0a0179"), 1, "x", "x|0,1");
}

Test(batch, unpacked_may_not_turn_packed)
{
	refused(TFR_KIND_INT64, example_a("1a06 0801 0a020203"),
		"feature 'a' is damaged: list with a field that is not a value, at byte 13 of "
		"record 0 of the batch");
	refused(TFR_KIND_FLOAT, example_a("120b 0d0000803f 0a0400000040"),
		"feature 'a' is damaged: list with a field that is not a value, at byte 16 of "
		"record 0 of the batch");
}

Test(batch, of_two_kinds_the_first_counts)
{
	expect(example_a("1a03 0a0101 0a03 0a0178"), 1, "1", "1|0,1");
	refused(TFR_KIND_BYTES, example_a("1a03 0a0101 0a03 0a0178"),
		"feature 'a' is of kind int64, not bytes, in record 0 of the batch");
}

Test(batch, the_last_entry_counts)
{
	struct hex one = example_a("1a03 0a0101"), two = example_a("1a03 0a0102");

	expect(join(one, two), 1, "2", "2|0,1");
	expect(field(1, join(field(1, hex("0a0161 1205 1a030a0101")),
				field(1, hex("0a0161 1205 1a030a0102")))),
		1, "2", "2|0,1");
	/* What an entry that does not count holds is not looked at, but for how it begins. */
	expect(join(example_a("1203 0a0101"), two), 1, "2", "2|0,1");
	refused(TFR_KIND_INT64, join(example_a("2201ff"), two),
		"feature 'a' is damaged: begins with something else than a list, at byte 9 of "
		"record 0 of the batch");
}

Test(batch, an_unset_entry_after_one_with_a_list)
{
	struct hex record = join(example_a("1a03 0a0101"), example_a(""));
	struct tfr_batch_feature f = { .name = "a", .kind = TFR_KIND_INT64 };

	expect(record, 1, "1", "|0,0");
	f.layout = TFR_PADDED;
	cr_assert_str_eq(parse(&f, &record, 1), "1|0,1");
	expect(join(example_a(""), example_a("1a03 0a0101")), 1, "1", "1|0,1");
}

Test(batch, entries)
{
	struct hex lacks_value = field(1, field(1, hex("0a0161"))),
		   lacks_key = field(1, field(1, hex("1205 1a030a0101"))),
		   two_keys = field(1, field(1, hex("0a0161 0a0162 1205 1a030a0101"))),
		   unknown = field(1, field(1, hex("0a0161 1205 1a030a0101 1800"))),
		   instead = field(1, field(1, hex("0a0161 1800")));
	const char *incomplete = "not an Example: entry without a key or a value, at byte 4 of "
				 "record 0 of the batch";

	expect(field(1, field(1, hex("1205 1a030a0101 0a0161"))), 1, "1", "1|0,1");
	refused(TFR_KIND_INT64, lacks_value, incomplete);
	refused(TFR_KIND_INT64, lacks_key, incomplete);
	refused(TFR_KIND_INT64, field(1, field(1, hex(""))), incomplete);
	refused(TFR_KIND_INT64, two_keys,
		"not an Example: entry with more than a key and a value, at byte 10 of record 0 of "
		"the batch");
	refused(TFR_KIND_INT64, unknown,
		"not an Example: entry with more than a key and a value, at byte 14 of record 0 of "
		"the batch");
	refused(TFR_KIND_INT64, instead,
		"not an Example: entry with a field that is neither key nor value, at byte 7 of "
		"record 0 of the batch");
}

Test(batch, unknown_fields)
{
	struct hex a = example_a("1a030a0101");

	/* In Example: skipped, but no groups. */
	expect(join(hex("1801 2500000000 29 0000000000000000 3201ff"), a), 1, "1", "1|0,1");
	expect(join(a, hex("1801")), 1, "1", "1|0,1");
	refused(TFR_KIND_INT64, join(hex("1b 0801 1c"), a),
		"not an Example: group, at byte 0 of record 0 of the batch");
	/* In Features. */
	refused(TFR_KIND_INT64, field(1, join(hex("1001"), field(1, hex("0a0161 1200")))),
		"not an Example: field of Features that is no entry, at byte 2 of record 0 of the "
		"batch");
	/* In Feature, before and after the list. */
	refused(TFR_KIND_INT64, example_a("2001 1a030a0101"),
		"feature 'a' is damaged: begins with something else than a list, at byte 9 of "
		"record 0 of the batch");
	expect(example_a("1a030a0101 2001"), 1, "1", "1|0,1");
	/* In the list, before and after the values. */
	refused(TFR_KIND_INT64, example_a("1a05 1001 0a0101"),
		"feature 'a' is damaged: list with a field that is not a value, at byte 11 of "
		"record 0 of the batch");
	expect(example_a("1a05 0a0101 1001"), 1, "1", "1|0,1");
	refused(TFR_KIND_BYTES, example_a("0a05 0a0178 1001"),
		"feature 'a' is damaged: list with a field that is not a value, at byte 14 of "
		"record 0 of the batch");
}

Test(batch, keys_of_any_bytes_and_tags_that_are_not_minimal)
{
	struct hex r = field(1, field(1, hex("0a02ff00 1205 1a030a0107")));
	struct tfr_batch_feature f = { .name = "\xff\0", .name_size = 2, .kind = TFR_KIND_INT64 };

	cr_assert_str_eq(parse(&f, &r, 1), "7");
	f.name_size = 0;
	cr_assert_str_eq(parse(&f, &r, 1), "feature '\xff' is missing in record 0 of the batch");
	/* `8a 00` is field 1 all the same, and yet unknown. */
	r = join(hex("8a00"), hex("0c 0a0a 0a0161 1205 1a030a0101"));
	expect(r, 1, "feature 'a' is missing in record 0 of the batch", "|0,0");
}

Test(batch, faults_of_the_wire)
{
	refused(TFR_KIND_INT64, example_a("1a0d 0a0b ffffffffffffffffffff01"),
		"feature 'a' is damaged: number cut short or longer than 10 bytes, at byte 13 of "
		"record 0 of the batch");
	refused(TFR_KIND_INT64, example_a("1a03 0a0180"),
		"feature 'a' is damaged: number cut short or longer than 10 bytes, at byte 13 of "
		"record 0 of the batch");
	refused(TFR_KIND_INT64, join(example_a("1a030a0101"), hex("00")),
		"not an Example: field number 0, at byte 14 of record 0 of the batch");
	refused(TFR_KIND_INT64, join(example_a("1a030a0101"), hex("ff")),
		"not an Example: number cut short, at byte 14 of record 0 of the batch");
	refused(TFR_KIND_INT64, example_a("1a"),
		"feature 'a' is damaged: number cut short, at byte 10 of record 0 of the batch");
	refused(TFR_KIND_INT64, example_a("1a05 0a0101"),
		"feature 'a' is damaged: field runs past the end of what holds it, at byte 9 of "
		"record 0 of the batch");
	refused(TFR_KIND_INT64, example_a("1a03 0a0301"),
		"feature 'a' is damaged: field runs past the end of what holds it, at byte 11 of "
		"record 0 of the batch");
	/* 1 to 3 bytes after the last float are dropped. */
	expect_of(TFR_KIND_FLOAT, example_a("1208 0a06 0000803f 0000"), 1, "1", "1|0,1");
	expect_of(TFR_KIND_FLOAT, example_a("1205 0a03 000080"), 1,
		"feature 'a' has a list of 0, not 1, in record 0 of the batch", "|0,0");
}

Test(batch, missing_is_not_empty)
{
	const char *missing = "feature 'a' is missing in record 0 of the batch";
	const char *empty = "feature 'a' has a list of 0, not 1, in record 0 of the batch";
	struct hex unset = hex("0a070a050a01611200"), set = hex("0a090a070a016112021a00");
	const int64_t fill = 7;
	struct tfr_batch_feature f = { .name = "a", .kind = TFR_KIND_INT64, .fill = &fill };

	expect(hex(""), 1, missing, "|0,0");
	expect(hex("0a00"), 1, missing, "|0,0");
	expect(unset, 1, missing, "|0,0");
	expect(set, 1, empty, "|0,0");
	cr_assert_str_eq(parse(&f, &unset, 1), "7");
	cr_assert_str_eq(parse(&f, &(struct hex){ .size = 0 }, 1), "7");
	cr_assert_str_eq(parse(&f, &set, 1), empty);
}

Test(batch, kinds_and_counts)
{
	struct hex ints = example_a("1a04 0a020102"), floats = example_a("1206 0a040000803f"),
		   texts = example_a("0a06 0a0178 0a0179");

	refused(TFR_KIND_FLOAT, ints,
		"feature 'a' is of kind int64, not float, in record 0 of the batch");
	refused(TFR_KIND_BYTES, floats,
		"feature 'a' is of kind float, not bytes, in record 0 of the batch");
	refused(TFR_KIND_INT64, texts,
		"feature 'a' is of kind bytes, not int64, in record 0 of the batch");
	expect(ints, 1, "feature 'a' has a list of 2, not 1, in record 0 of the batch", "1,2|0,2");
	expect(ints, 3, "feature 'a' has a list of 2, not 3, in record 0 of the batch", "1,2|0,2");
	expect_of(TFR_KIND_BYTES, texts, 1,
		"feature 'a' has a list of 2, not 1, in record 0 of the batch", "x,y|0,2");
	expect_of(TFR_KIND_FLOAT, floats, 2,
		"feature 'a' has a list of 1, not 2, in record 0 of the batch", "1|0,1");
}

/* ---- Many records ---- */

static const char *const ROWS[4] = { "1a04 0a020102", "1a03 0a0103", "", "1a05 0a03040506" };
static const char *const TEXTS[4] = { "0a06 0a0178 0a0179", "0a05 0a037a7a7a", "",
	"0a08 0a0171 0a00 0a0172" };

static const char *parse_rows(const struct tfr_batch_feature *f)
{
	struct hex records[4];

	for (int i = 0; i < 4; i++)
		records[i] = example_a(f->kind == TFR_KIND_INT64 ? ROWS[i] : TEXTS[i]);
	return parse(f, records, 4);
}

Test(batch, rows_ragged_and_padded)
{
	struct tfr_batch_feature f = {
		.name = "a", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED, .splits32 = true
	};
	const int64_t fill[2] = { -1, -1 };

	cr_assert_str_eq(parse_rows(&f), "1,2,3,4,5,6|0,2,3,3,6");
	f.layout = TFR_PADDED;
	cr_assert_str_eq(parse_rows(&f), "1,2,0,3,0,0,0,0,0,4,5,6|0,2,3,3,6");
	f.splits32 = false;
	f.fill = fill;
	cr_assert_str_eq(parse_rows(&f), "1,2,-1,3,-1,-1,-1,-1,-1,4,5,6|0,2,3,3,6");
	f.count = 2;
	cr_assert_str_eq(parse_rows(&f),
		"feature 'a' has a list of 1, not a multiple of 2, in record 1 of the batch");
	f.layout = TFR_DENSE;
	cr_assert_str_eq(
		parse_rows(&f), "feature 'a' has a list of 1, not 2, in record 1 of the batch");
}

Test(batch, rows_of_bytes_padded_copied_or_not)
{
	const struct tfr_bytes fill = { (const uint8_t *)"--", 2 };
	struct tfr_batch_feature f = { .name = "a", .kind = TFR_KIND_BYTES, .layout = TFR_PADDED };

	for (int copy = 0; copy < 2; copy++) {
		f.copy = copy;
		f.fill = NULL;
		cr_assert_str_eq(parse_rows(&f), "x,y,,zzz,,,,,,q,,r|0,2,3,3,6");
		f.fill = &fill;
		cr_assert_str_eq(parse_rows(&f), "x,y,--,zzz,--,--,--,--,--,q,,r|0,2,3,3,6");
	}
}

Test(batch, defaults_of_every_kind)
{
	const struct tfr_bytes texts[2] = { { (const uint8_t *)"one", 3 }, { NULL, 0 } };
	struct hex records[2] = { hex(""), example_a("0a06 0a0178 0a0179") };
	struct tfr_batch_feature f = {
		.name = "a", .kind = TFR_KIND_BYTES, .count = 2, .fill = texts
	};

	cr_assert_str_eq(parse(&f, records, 2), "one,,x,y");
	f.copy = true;
	cr_assert_str_eq(parse(&f, records, 2), "one,,x,y");
	f = (struct tfr_batch_feature){
		.name = "a", .kind = TFR_KIND_FLOAT, .count = 2, .fill = (float[]){ 0.5f, -1 }
	};
	cr_assert_str_eq(parse(&f, records, 1), "0.5,-1");
}

Test(batch, no_records_and_no_features)
{
	struct tfr_batch_feature f = { .name = "a", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED };
	struct tfr_batch_parser *p;
	struct hex r = example_a("1a030a0101");

	cr_assert_str_eq(parse(&f, NULL, 0), "|0");
	f.layout = TFR_PADDED;
	cr_assert_str_eq(parse(&f, NULL, 0), "|0");
	f.layout = TFR_DENSE;
	cr_assert_str_eq(parse(&f, NULL, 0), "");
	cr_assert_eq(tfr_batch_parser_new(&p, NULL, 0, NULL), TFR_OK);
	cr_assert_eq(tfr_batch_add(p, r.data, r.size, NULL), TFR_OK);
	cr_assert_eq(tfr_batch_add(p, "\xff", 1, NULL), TFR_EDATA);
	cr_assert_eq(tfr_batch_finish(p, NULL), TFR_OK);
	cr_assert_eq(tfr_batch_rows(p), 1);
	tfr_batch_parser_free(p);
}

/* ---- The parser ---- */

Test(batch, wrong_use_is_refused)
{
	struct tfr_batch_feature two[2] = { { .name = "a", .kind = TFR_KIND_INT64 },
		{ .name = "a", .kind = TFR_KIND_FLOAT } };
	struct tfr_batch_parser *p;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_batch_parser_new(&p, two, 2, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "feature 'a' is wanted twice");
	cr_assert_null(p);
	two[1].name = NULL;
	cr_assert_eq(tfr_batch_parser_new(&p, two, 2, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "feature 1 of a batch has no name");
	two[1] = (struct tfr_batch_feature){ .name = "b" };
	cr_assert_eq(tfr_batch_parser_new(&p, two, 2, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "feature 1 of a batch has no kind");
	tfr_batch_parser_free(NULL);
}

/* A record that fails after some of its features went in leaves no trace. */
Test(batch, a_bad_record_is_not_in_the_batch)
{
	struct tfr_batch_feature f[3] = {
		{ .name = "b", .kind = TFR_KIND_BYTES, .layout = TFR_RAGGED, .copy = true },
		{ .name = "c",
			.kind = TFR_KIND_INT64,
			.layout = TFR_DENSE,
			.fill = (int64_t[]){ 9 } },
		{ .name = "a", .kind = TFR_KIND_INT64, .layout = TFR_PADDED },
	};
	struct hex texts = field(1, field(1, hex("0a0162 1205 0a030a0178"))),
		   good = join(texts, example_a("1a04 0a020102")),
		   bad = join(texts, example_a("1a03 0a0180"));
	struct tfr_batch_parser *p;

	cr_assert_eq(tfr_batch_parser_new(&p, f, 3, NULL), TFR_OK);
	for (int round = 0; round < 2; round++) {
		cr_assert_eq(tfr_batch_add(p, bad.data, bad.size, NULL), TFR_EDATA);
		cr_assert_eq(tfr_batch_add(p, good.data, good.size, NULL), TFR_OK);
		cr_assert_eq(tfr_batch_add(p, bad.data, bad.size, NULL), TFR_EDATA);
		cr_assert_eq(tfr_batch_add(p, texts.data, texts.size, NULL), TFR_OK);
		cr_assert_eq(tfr_batch_rows(p), 2);
		cr_assert_eq(tfr_batch_finish(p, NULL), TFR_OK);
		cr_assert_str_eq(dump(tfr_batch_column(p, 0), TFR_KIND_BYTES), "x,x|0,1,2");
		cr_assert_str_eq(dump(tfr_batch_column(p, 1), TFR_KIND_INT64), "9,9");
		cr_assert_str_eq(dump(tfr_batch_column(p, 2), TFR_KIND_INT64), "1,2,0,0|0,2,2");
	}
	tfr_batch_parser_free(p);
}

Test(batch, memory_is_kept_from_batch_to_batch)
{
	struct tfr_batch_feature f[2] = {
		{ .name = "a", .kind = TFR_KIND_INT64, .layout = TFR_PADDED },
		{ .name = "b", .kind = TFR_KIND_BYTES, .layout = TFR_RAGGED, .copy = true },
	};
	struct hex a = example_a("1a04 0a020102"),
		   b = field(1, field(1, hex("0a0162 1205 0a030a0178")));
	struct tfr_bytes records[300];
	struct tfr_batch_parser *p;
	struct tfr_column first[2];

	for (int i = 0; i < 300; i++)
		records[i] = i % 3 ? (struct tfr_bytes){ a.data, a.size }
				   : (struct tfr_bytes){ b.data, b.size };
	cr_assert_eq(tfr_batch_parser_new(&p, f, 2, NULL), TFR_OK);
	for (int round = 0; round < 5; round++) {
		cr_assert_eq(tfr_batch_parse(p, records, 300, NULL), TFR_OK);
		for (int i = 0; i < 2; i++) {
			const struct tfr_column *c = tfr_batch_column(p, i);

			if (!round)
				first[i] = *c;
			cr_assert_arr_eq(&first[i], c, sizeof(*c));
		}
		cr_assert_eq(first[0].count, 600);
		cr_assert_eq(first[1].offsets[100], 100);
	}
	tfr_batch_parser_free(p);
}

Test(batch, names_of_every_length)
{
	enum { LONGEST = 140 };
	struct tfr_batch_feature f[LONGEST];
	char names[LONGEST][LONGEST + 1];
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_batch_parser *p;
	struct tfr_bytes records[3];

	for (int i = 0; i < LONGEST; i++) {
		memset(names[i], 'n', (size_t)i);
		names[i][i] = '\0';
		f[i] = (struct tfr_batch_feature){ .name = names[i], .kind = TFR_KIND_INT64 };
		cr_assert_eq(tfr_builder_int64(b, names[i], 1000 + i, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_builder_flatten(b, &records[0].data, &records[0].size, NULL), TFR_OK);
	records[1] = records[2] = records[0];
	cr_assert_eq(tfr_batch_parser_new(&p, f, LONGEST, NULL), TFR_OK);
	cr_assert_eq(tfr_batch_parse(p, records, 3, NULL), TFR_OK);
	for (size_t i = 0; i < LONGEST; i++)
		for (int r = 0; r < 3; r++)
			cr_assert_eq(tfr_batch_column(p, i)->int64s[r], 1000 + (int64_t)i);
	tfr_batch_parser_free(p);
	tfr_builder_free(b);
}

/* So many values that nobody waits for them: the column is told that it has them. */
Test(batch, more_values_than_splits_can_count)
{
	struct tfr_batch_feature f = {
		.name = "a", .kind = TFR_KIND_INT64, .layout = TFR_RAGGED, .splits32 = true
	};
	struct tfr_batch_parser *p;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_batch_parser_new(&p, &f, 1, NULL), TFR_OK);
	p->columns[0].elements = INT32_MAX;
	cr_assert_eq(tfr_batch_add(p, "", 0, &err), TFR_OK);
	p->columns[0].elements = (size_t)INT32_MAX + 1;
	cr_assert_eq(tfr_batch_add(p, "", 0, &err), TFR_EUSAGE);
	cr_assert_str_eq(
		err.message, "feature 'a' has more values in a batch than 32-bit row splits count");
	cr_assert_str_eq(tfr_error_hint_text(&err), "Ask for 64-bit row splits, or parse smaller batches.");
	cr_assert_eq(tfr_batch_rows(p), 1);
	cr_assert_eq(tfr_batch_finish(p, NULL), TFR_OK);
	cr_assert_eq(tfr_batch_column(p, 0)->splits32[1], INT32_MAX);
	tfr_batch_parser_free(p);
}

/* One row so long that no memory holds a batch padded to it. */
Test(batch, padding_that_does_not_fit)
{
	struct tfr_batch_feature f = { .name = "a", .kind = TFR_KIND_INT64, .layout = TFR_PADDED };

	for (int copied = 0; copied < 2; copied++) {
		struct tfr_batch_parser *p;
		struct tfr_error err = { 0 };

		cr_assert_eq(tfr_batch_parser_new(&p, &f, 1, NULL), TFR_OK);
		for (int r = 0; r < 4; r++)
			cr_assert_eq(tfr_batch_add(p, "", 0, NULL), TFR_OK);
		((int64_t *)p->columns[0].splits.data)[4] = INT64_MAX / 2;
		p->columns[0].elements = INT64_MAX / 2;
		cr_assert_eq(tfr_batch_finish(p, &err), TFR_ENOMEM);
		cr_assert_eq(tfr_batch_add(p, "", 0, NULL), TFR_OK);
		cr_assert_eq(tfr_batch_rows(p), 1);
		tfr_batch_parser_free(p);
		f.kind = TFR_KIND_BYTES;
		f.copy = true;
	}
}
