#include <criterion/criterion.h>
#include <math.h>

#include "base/escape.h"
#include "rewrite/resample/resample.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(resample_target, .init = setup, .fini = teardown);

static void assert_entry(
	const struct tfr_target *t, size_t i, const char *name, size_t size, double w)
{
	struct tfr_bytes text = tfr_classes_at(&t->names, i).text;

	cr_assert_eq(text.size, size, "name %zu of '%s' has %zu bytes", i, name, text.size);
	cr_assert_arr_eq(text.data, name, size);
	cr_assert_eq(t->weights[i], w);
}

Test(resample_target, forms)
{
	struct tfr_target t;

	cr_assert_eq(tfr_target_parse(&t, "uniform", NULL), TFR_OK);
	cr_assert_eq(t.form, TFR_TARGET_UNIFORM);
	cr_assert_eq(tfr_target_parse(&t, "proportional", NULL), TFR_OK);
	cr_assert(t.form == TFR_TARGET_PROPORTIONAL && t.exponent == 1);
	cr_assert_eq(tfr_target_parse(&t, "proportional^-0.5", NULL), TFR_OK);
	cr_assert(t.form == TFR_TARGET_PROPORTIONAL && t.exponent == -0.5);
	cr_assert_eq(tfr_target_parse(&t, "uniform=1", NULL), TFR_OK);
	cr_assert_eq(t.form, TFR_TARGET_LIST);
	assert_entry(&t, 0, "uniform", 7, 1);
	tfr_target_clear(&t);
}

Test(resample_target, lists)
{
	struct tfr_target t;

	cr_assert_eq(
		tfr_target_parse(&t,
			"0=0.5, 1 = 2 ,\"a,b=c\"=1e-3,'it''=0,'x\\'y\"'=3,\"\"=4,\\x00\\\\\\n\\t=5,"
			"caf\xc3\xa9=6,\xff=7,-9223372036854775808=8",
			NULL),
		TFR_EUSAGE, "a quote that ends before its =");
	tfr_target_clear(&t);
	cr_assert_eq(tfr_target_parse(&t,
			     "0=0.5, 1= 2 ,\"a,b=c\"=1e-3,'x\\'y\"'=3,\"\"=4,\\x00\\\\\\n\\t=5,"
			     "caf\xc3\xa9=6,\xff=7,-9223372036854775808=8",
			     NULL),
		TFR_OK);
	cr_assert_eq(t.names.n, 9);
	assert_entry(&t, 0, "0", 1, 0.5);
	assert_entry(&t, 1, "1", 1, 2);
	assert_entry(&t, 2, "a,b=c", 5, 1e-3);
	assert_entry(&t, 3, "x'y\"", 4, 3);
	assert_entry(&t, 4, "", 0, 4);
	assert_entry(&t, 5, "\0\\\n\t", 4, 5);
	assert_entry(&t, 6, "caf\xc3\xa9", 5, 6);
	assert_entry(&t, 7, "\xff", 1, 7);
	assert_entry(&t, 8, "-9223372036854775808", 20, 8);
	tfr_target_clear(&t);
}

Test(resample_target, every_fault_is_named)
{
	static const struct {
		const char *spec, *says;
	} faults[] = {
		{ "", "neither uniform" },
		{ "unifrom", "neither uniform" },
		{ "proportional^", "finite number after ^" },
		{ "proportional^inf", "finite number after ^" },
		{ "proportional^nan", "finite number after ^" },
		{ "proportional^1e999", "finite number after ^" },
		{ "proportional^0x1", "finite number after ^" },
		{ "proportionally", "neither uniform" },
		{ "0=-0.5", "class '0' has the weight '-0.5' in --target" },
		{ "0=nan", "class '0' has the weight 'nan'" },
		{ "0=inf", "class '0' has the weight 'inf'" },
		{ "0=1e999", "class '0' has the weight '1e999'" },
		{ "0=0x10", "class '0' has the weight '0x10'" },
		{ "0=", "class '0' has the weight ''" },
		{ "0=1=2", "class '0' has the weight '1=2'" },
		{ "0=1,", "class '' has no weight" },
		{ "0=1,1", "class '1' has no weight" },
		{ "a,b=1", "class 'a' has no weight" },
		{ "0=0,1=0", "no class has a weight above 0 in --target" },
		{ "0=1,1=1,0=1", "class '0' is listed twice" },
		{ "\\x41=1,A=2", "class 'A' is listed twice" },
		{ "\"a=1", "a quote is not closed" },
		{ "a\\b=1", "a backslash before 'b'" },
		{ "a\\x4=1", "a backslash before 'x'" },
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		struct tfr_error err = { 0 };
		struct tfr_target t;

		cr_expect_eq(tfr_target_parse(&t, faults[i].spec, &err), TFR_EUSAGE,
			"'%s' is taken", faults[i].spec);
		cr_expect(strstr(err.message, faults[i].says), "'%s' gives: %s", faults[i].spec,
			err.message);
		tfr_target_clear(&t);
	}
}

Test(resample_target, a_file_that_exists_wins_and_has_any_name_but_a_tab)
{
	static const char lines[] = "#1\t5\na,b\t1e2\r\n\t3\nA\\x42\\\\\t0\na\tb\t1";
	struct tfr_error err = { 0 };
	struct tfr_target t;

	temp_write("uniform", lines, sizeof(lines) - 1);
	cr_assert_eq(tfr_target_open(&t, "uniform", &err), TFR_OK, "%s", err.message);
	cr_assert_eq(t.form, TFR_TARGET_LIST);
	cr_assert_eq(t.names.n, 5);
	assert_entry(&t, 0, "#1", 2, 5);
	assert_entry(&t, 1, "a,b", 3, 100);
	assert_entry(&t, 2, "", 0, 3);
	assert_entry(&t, 3, "AB\\", 3, 0);
	assert_entry(&t, 4, "a\tb", 3, 1);
	tfr_target_clear(&t);
	mkdir("proportional", 0700);
	cr_assert_eq(tfr_target_open(&t, "proportional", &err), TFR_OK);
	cr_assert_eq(t.form, TFR_TARGET_PROPORTIONAL, "a folder is no file");
}

Test(resample_target, faults_of_a_file_have_their_line)
{
	static const struct {
		const char *lines, *says;
	} faults[] = {
		{ "", "no class has a weight above 0 in 'f'" },
		{ "0\t0\n", "no class has a weight above 0 in 'f'" },
		{ "0\t1\n1 2\n", "no tab in line 2 of 'f'" },
		{ "0\t1\n\n1\t1\n", "no tab in line 2 of 'f'" },
		{ "0\t1\n1\t-2\n", "class '1' has the weight '-2' in line 2 of 'f'" },
		{ "0\t1\n1\t2 \n", "class '1' has the weight '2 ' in line 2 of 'f'" },
		{ "0\t1\n1\t1\n0\t1\n", "class '0' is listed twice in line 3 of 'f'" },
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		struct tfr_error err = { 0 };
		struct tfr_target t;

		temp_write("f", faults[i].lines, strlen(faults[i].lines));
		cr_expect_eq(tfr_target_open(&t, "f", &err), TFR_EUSAGE);
		cr_expect(strstr(err.message, faults[i].says), "%s", err.message);
		tfr_target_clear(&t);
	}
}

Test(resample_target, names_survive_escaping_and_reading_back)
{
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < 256; b += 5) {
			uint8_t raw[3] = { (uint8_t)a, (uint8_t)b, 'z' };
			TFR_AUTO_BUF text = { 0 };
			size_t size;

			cr_assert(tfr_escape_exactly(&text, raw, 3));
			for (size_t i = 0; i < text.size; i++)
				cr_assert(text.data[i] >= 0x20 && text.data[i] != 0x7f);
			size = text.size;
			cr_assert(tfr_class_unescape((char *)text.data, &size));
			cr_assert_eq(size, 3);
			cr_assert_arr_eq(text.data, raw, 3);
		}
	}
}

static void add_number(struct tfr_classes *c, int64_t number, uint64_t records)
{
	struct tfr_counted_class class = { .kind = TFR_KIND_INT64, .number = number };

	cr_assert_eq(tfr_classes_add(c, &class, records, NULL, NULL), TFR_OK);
}

static enum tfr_status weigh(
	const char *spec, const struct tfr_classes *classes, double *weights, struct tfr_error *err)
{
	struct tfr_classing by_value = { 0 };
	struct tfr_target t;
	enum tfr_status status = tfr_target_parse(&t, spec, err);

	if (!status)
		status = tfr_target_weights(&t, &by_value, classes, weights, err);
	tfr_target_clear(&t);
	return status;
}

Test(resample_target, weights_of_classes)
{
	struct tfr_classes c = { 0 };
	double w[8];
	struct tfr_error err = { 0 };

	add_number(&c, INT64_MAX, 4);
	add_number(&c, INT64_MIN, 1);
	add_number(&c, -1, 16);
	tfr_classes_sort(&c);
	cr_assert_eq(weigh("uniform", &c, w, &err), TFR_OK);
	cr_assert(w[0] == 1 && w[1] == 1 && w[2] == 1);
	cr_assert_eq(weigh("proportional", &c, w, &err), TFR_OK);
	cr_assert(w[0] == 1 / 16. && w[1] == 1 && w[2] == 0.25);
	cr_assert_eq(weigh("proportional^0.5", &c, w, &err), TFR_OK);
	cr_assert(w[0] == 0.25 && w[1] == 1 && w[2] == 0.5);
	cr_assert_eq(weigh("proportional^-1", &c, w, &err), TFR_OK);
	cr_assert(w[0] == 1 && w[1] == 1 / 16. && w[2] == 0.25);
	cr_assert_eq(weigh("proportional^-5000", &c, w, &err), TFR_OK);
	cr_assert(w[0] == 1 && w[1] == 0 && w[2] == 0);
	cr_assert_eq(weigh("-9223372036854775808=3,9223372036854775807=1", &c, w, &err), TFR_OK);
	cr_assert(w[0] == 1.5 && w[1] == 0 && w[2] == 0.5);
	cr_assert_eq(weigh("-1=1,17=0", &c, w, &err), TFR_OK, "a class of weight 0 need not be");
	cr_assert_eq(weigh("-1=1,17=0.1", &c, w, &err), TFR_EDATA);
	cr_assert(strstr(err.message, "class '17' of --target does not occur"));
	cr_assert(strstr(tfr_error_hint_text(&err), "'-9223372036854775808', '-1', '9223372036854775807'"));
	cr_assert_eq(
		weigh("-1\\x00\\x00=1", &c, w, &err), TFR_EDATA, "nor with what C would cut off");
	cr_assert_eq(weigh("-01=1", &c, w, &err), TFR_EDATA, "a number is as we write it");
	cr_assert_eq(weigh("9223372036854775808=1", &c, w, &err), TFR_EDATA);
	cr_assert(strstr(tfr_error_hint_text(&err), "Did you mean '9223372036854775807'?"), "%s", tfr_error_hint_text(&err));
	tfr_classes_clear(&c);
}

Test(resample_target, a_table_grows_and_is_bounded)
{
	struct tfr_counted_class class = { .kind = TFR_KIND_INT64 };
	struct tfr_classes c = { .bounds = &tfr_resample_bounds }, again = { 0 };
	struct tfr_error err = { 0 };
	uint32_t index;

	for (int64_t i = 0; i < TFR_CLASSES_MAX; i++) {
		class.number = i * 4096;
		cr_assert_eq(tfr_classes_add(&c, &class, 1, &index, &err), TFR_OK);
		cr_assert_eq(index, i);
	}
	cr_assert_eq(tfr_classes_add(&c, &class, 1, NULL, &err), TFR_OK);
	class.number = -1;
	cr_assert_eq(tfr_classes_add(&c, &class, 1, NULL, &err), TFR_EUSAGE);
	cr_assert(strstr(err.message, "more than 1000000 classes"));
	cr_assert(strstr(tfr_error_hint_text(&err), "--class"));
	cr_assert_eq(tfr_classes_merge(&again, &c, &err), TFR_OK);
	tfr_classes_sort(&again);
	for (int64_t i = 0; i < TFR_CLASSES_MAX; i += 997) {
		class.number = i * 4096;
		cr_assert_eq(tfr_classes_find(&again, &class), i);
	}
	tfr_classes_clear(&c);
	tfr_classes_clear(&again);
}
