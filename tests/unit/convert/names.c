/* Names: paths of members made harmless, keys and fields of samples, braces. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "convert/archive/members.h"
#include "convert/archive/webdataset_names.h"
#include "convert/folder/splits.h"
#include "convert/input.h"

static void expect_name(const char *path, const char *name, bool hidden, const char *fault)
{
	TFR_AUTO_BUF b = { 0 };
	const char *why;
	bool dot;

	cr_assert(tfr_member_name(path, &b, &dot, &why));
	cr_assert_str_eq((char *)b.data, name);
	cr_assert_eq(dot, hidden, "%s", path);
	cr_assert_eq(!why, !fault, "%s", path);
	if (fault)
		cr_assert_str_eq(why, fault);
}

Test(names, stay_below_the_folder)
{
	expect_name("a/b.jpg", "a/b.jpg", false, NULL);
	expect_name("./a//./b", "a/b", false, NULL);
	expect_name("a/b/", "a/b", false, NULL);
	expect_name("..a/b", "..a/b", true, NULL);
	expect_name("a/.b", "a/.b", true, NULL);
	expect_name("...", "...", true, NULL);
	expect_name("a/../b", "a/../b", false, "a path with '..'");
	expect_name("..", "..", false, "a path with '..'");
	expect_name("a/..", "a/..", false, "a path with '..'");
	expect_name(".a/..", ".a/..", false, "a path with '..'");
	expect_name("/a", "/a", false, "an absolute path");
	expect_name("", "", false, "no name");
	expect_name("./", "./", false, "no name");
}

Test(names, key_up_to_the_first_dot_of_the_last_component)
{
	cr_assert_eq(tfr_sample_key("a/0001.seg.png"), 6);
	cr_assert_eq(tfr_sample_key("a.b/c.d"), 5);
	cr_assert_eq(tfr_sample_key("x.y"), 1);
	cr_assert_eq(tfr_sample_key("a.b/c"), 0);
	cr_assert_eq(tfr_sample_key(".x"), 0);
	cr_assert_eq(tfr_sample_key("a/.x.y"), 0);
	cr_assert_eq(tfr_sample_key("x."), 1);
	cr_assert_eq(tfr_sample_key(""), 0);
}

Test(names, fields_of_a_sample)
{
	struct tfr_sample s = { 0 };
	struct tfr_error err;

	cr_assert(tfr_sample_start(&s, "a/1.JPG"));
	cr_assert_eq(tfr_sample_add(&s, "a/1.JPG", 5, 7, &err), TFR_OK);
	cr_assert_eq(tfr_sample_add(&s, "a/1.png", 0, 0, &err), TFR_OK);
	cr_assert_eq(tfr_sample_add(&s, "a/1.Seg.PNG", 0, 0, &err), TFR_OK);
	cr_assert_str_eq(tfr_sample_field(&s, 0), "jpg");
	cr_assert_str_eq(tfr_sample_field(&s, 2), "seg.png");
	cr_assert(s.parts[0].image && !s.parts[1].image);
	cr_assert(!s.has_audio);
	cr_assert_eq(tfr_sample_add(&s, "a/1.WAV", 0, 0, &err), TFR_OK);
	cr_assert_eq(tfr_sample_add(&s, "a/1.mic.wav", 0, 0, &err), TFR_OK);
	cr_assert(s.has_audio && s.parts[3].audio && !s.parts[4].audio);
	cr_assert_str_eq((const char *)s.audio.data, "a/1.WAV");
	cr_assert(tfr_sample_has(&s, "a/1.x") && !tfr_sample_has(&s, "a/10.x") &&
		  !tfr_sample_has(&s, "a/1"));
	cr_assert_eq(tfr_sample_add(&s, "a/1.jPg", 0, 0, &err), TFR_EDATA);
	cr_assert_str_eq(
		err.message, "sample 'a/1' has field 'jpg' twice, the second time in 'a/1.jPg'");
	cr_assert(tfr_sample_start(&s, "b.cls"));
	cr_assert_eq(s.n_parts, 0);
	tfr_sample_clear(&s);
}

static void expect_braces(const char *text, const char *expected)
{
	struct tfr_names names = { 0 };
	char all[4096] = "";

	cr_assert_eq(tfr_braces_expand(&names, text, NULL), TFR_OK);
	for (size_t i = 0; i < names.n; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "",
			names.list[i]);
	cr_assert_str_eq(all, expected);
	tfr_names_clear(&names);
}

Test(names, braces)
{
	expect_braces("a.tar", "a.tar");
	expect_braces("a-{0..3}.tar", "a-0.tar a-1.tar a-2.tar a-3.tar");
	expect_braces("a-{008..011}", "a-008 a-009 a-010 a-011");
	expect_braces("{2..0}", "2 1 0");
	expect_braces("{a,b}{1..2}", "a1 a2 b1 b2");
	expect_braces("x{a,{1..2},}", "xa x1 x2 x");
	expect_braces("{}{a}{1..}", "{}{a}{1..}");
	expect_braces("{a{1..2}", "{a1 {a2");
	expect_braces("}{", "}{");
}

Test(names, too_many_braces)
{
	struct tfr_names names = { 0 };
	char deep[512] = "";

	cr_assert_eq(tfr_braces_expand(&names, "{0..999999}{0..9}", NULL), TFR_EUSAGE);
	tfr_names_clear(&names);
	for (int i = 0; i < 100; i++)
		strcat(deep, "{1,}");
	cr_assert_eq(tfr_braces_expand(&names, deep, NULL), TFR_EUSAGE);
	tfr_names_clear(&names);
	cr_assert_eq(tfr_braces_expand(&names, "{99999999999999999999..3}", NULL), TFR_OK);
	cr_assert_eq(names.n, 1);
	tfr_names_clear(&names);
}

Test(names, classes_sorted_each_once)
{
	struct tfr_convert_opts opts = { .classes.base = 1 };
	struct tfr_input in = { .opts = &opts };
	struct tfr_class_names c = { 0 };

	cr_assert(tfr_class_names_add(&c, "dog") && tfr_class_names_add(&c, "dog"));
	cr_assert(tfr_class_names_add(&c, "cat") && tfr_class_names_add(&c, "do"));
	cr_assert(tfr_class_names_add(&c, "\xff") && tfr_class_names_add(&c, "cat"));
	cr_assert(tfr_class_names_number(&c, &in));
	cr_assert_eq(in.n_classes, 4);
	cr_assert_str_eq(in.classes[0].text, "cat");
	cr_assert_str_eq(in.classes[1].text, "do");
	cr_assert_eq(in.classes[3].label, 4);
	cr_assert_eq(tfr_class_names_find(&c, "dog"), 2);
	cr_assert_eq(tfr_class_names_find(&c, "d"), TFR_NO_CLASS);
	tfr_class_names_clear(&c);
}
