#include <math.h>

#include <criterion/criterion.h>

#include <tfr-private/example.h>

static struct tfr_builder *b;
static struct tfr_example *ex;

static void set_up(void)
{
	struct tfr_bytes texts[] = { { (const uint8_t *)"tabby cat", 9 },
		{ (const uint8_t *)"\xff\xd8", 2 } };
	const uint8_t *data;
	size_t size;

	b = tfr_builder_new();
	ex = tfr_example_new();
	tfr_builder_int64(b, "image/class/label", 3, NULL);
	tfr_builder_bytes(b, "image/class/text", texts, 2, NULL);
	tfr_builder_floats(b, "score", (float[]){ 0.1f, 0.9f }, 2, NULL);
	tfr_builder_int64s(b, "big", (int64_t[]){ 9007199254740993, -5 }, 2, NULL);
	tfr_builder_int64s(b, "ends", (int64_t[]){ INT64_MIN, INT64_MAX }, 2, NULL);
	tfr_builder_floats(b, "wide", (float[]){ 0x1p53f, INFINITY, -0x1p63f }, 3, NULL);
	tfr_builder_int64(b, "my key", 1, NULL);
	tfr_builder_int64s(b, "empty", NULL, 0, NULL);
	tfr_builder_feature(b, &(struct tfr_feature){ .key = "unset", .key_size = 5 }, NULL);
	cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
	cr_assert_eq(tfr_example_parse(ex, data, size, NULL), TFR_OK);
}

static void tear_down(void)
{
	tfr_builder_free(b);
	tfr_example_free(ex);
}

TestSuite(where, .init = set_up, .fini = tear_down);

static void expect(const char *expr, bool expected)
{
	struct tfr_where *w;
	struct tfr_error err = { 0 };
	bool selected;

	cr_assert_eq(tfr_where_compile(&w, expr, &err), TFR_OK, "%s: %s", expr, err.message);
	cr_assert_eq(tfr_where_match(w, ex, &selected, &err), TFR_OK);
	cr_assert_eq(selected, expected, "%s", expr);
	tfr_where_free(w);
}

Test(where, numbers)
{
	expect("image/class/label == 3", true);
	expect("image/class/label==4", false);
	expect("image/class/label != 4", true);
	expect("image/class/label >= 3.0 && image/class/label < 3.5", true);
	expect("3 == image/class/label", true);
	expect("4 > image/class/label", true);
	expect("4 < image/class/label", false);
	expect("score == 0.1", true); /* as a float */
	expect("score == 0.1000000001", true);
	expect("score > 0.8 && score < 0.2", true); /* any value */
	expect("big == 9007199254740993", true);
	expect("big == 9007199254740992", false);
	expect("big == 9007199254740992.0", false);
	expect("big == -5", true);
	expect("big < 1e300", true);
	expect("big > 99999999999999999999", false);
	expect("'my key' == 1", true);
	expect("\"my key\" == 1", true);
}

Test(where, numbers_that_no_int64_is)
{
	expect("ends > -9223372036854775809 && !(ends < -9223372036854775809)", true);
	expect("ends[0] > -9223372036854775809", true);
	expect("ends[0] >= -9223372036854775809", true);
	expect("ends[0] == -9223372036854775809", false);
	expect("ends[0] == -9223372036854775808", true);
	expect("-9223372036854775809 < ends[0]", true);
	expect("ends[0] < -1e30", false);
	expect("ends[1] == 9223372036854775807", true);
	expect("ends[1] == 9223372036854775808", false);
	expect("ends[1] < 9223372036854775808", true);
	expect("ends[1] >= 9223372036854775808", false);
	expect("ends[1] < 18446744073709551616", true);
	expect("ends[1] < 1e4000", true);
	expect("ends[1] == 9223372036854775807.5", false);
	expect("big[0] == 9007199254740993.0", true);
	expect("big[0] == 9007199254740993.5", false);
	expect("big[0] > 9007199254740992.5", true);
	expect("big[0] < 9007199254740993.5", true);
}

Test(where, floats_against_integers)
{
	expect("wide[0] == 9007199254740993", true); /* as a float */
	expect("wide[0] == big[0]", false);	     /* both are in the record */
	expect("wide[0] < big[0]", true);
	expect("big[0] > wide[0]", true);
	expect("wide[2] == ends[0]", true);
	expect("wide[1] > ends[1]", true);
	expect("wide[1] == 1e39", false);
	expect("wide[1] > 1e39", true);
	expect("wide[1] > 1e400", true);
	expect("wide[0] < 1e39 && wide[0] < 1e400", true);
}

Test(where, not_equal_is_the_negation_of_equal)
{
	expect("score != 0.1", false); /* though 0.9 differs */
	expect("nowhere != 1", true);
	expect("nowhere == 1", false);
	expect("nowhere < 1 || nowhere >= 1", false);
	expect("image/class/label == \"3\"", false);
	expect("image/class/label != \"3\"", true);
	expect("image/class/text > 0", false);
}

Test(where, texts)
{
	expect("image/class/text == \"tabby cat\"", true);
	expect("image/class/text == 'tabby cat'", true);
	expect("image/class/text >= 'tabby'", true);
	expect("image/class/text =~ \"^tabby\\b\"", true);
	expect("image/class/text =~ \"^cat\"", false);
	expect("image/class/text[1] =~ '.'", false); /* not a character */
	expect("image/class/label =~ '3'", false);
	expect("image/class/text =~ '(?i)TABBY'", true);
}

Test(where, items_and_functions)
{
	expect("score[1] > 0.5", true);
	expect("score[0] > 0.5", false);
	expect("score[2] > 0", false);
	expect("score[1] > score[0]", true);
	expect("score > score[0]", true);
	expect("len(score) == 2 && len(empty) == 0 && len(nowhere) == 0", true);
	expect("size(image/class/text) == 9", true);
	expect("size(score) == 4", false);
	expect("size(nowhere) >= 0", false);
	expect("exists(empty) && !exists(unset) && !exists(nowhere)", true);
	expect("len == 1 || size == 1 || exists == 1", false); /* names, without a parenthesis */
}

Test(where, logic)
{
	expect("!(image/class/label == 3)", false);
	expect("!!exists(score)", true);
	expect("exists(nowhere) || exists(score) && exists(big)", true);
	expect("(exists(nowhere) || exists(score)) && exists(nowhere)", false);
	expect(" ( ( big==-5 ) ) ", true);
}

static void refuse(const char *expr, const char *message)
{
	struct tfr_where *w = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_where_compile(&w, expr, &err), TFR_EUSAGE, "%s", expr);
	cr_assert_str_eq(err.message, message);
}

Test(where, mistakes_are_told_with_their_place)
{
	refuse("", "expected a feature's name at character 1 of ''");
	refuse("a", "expected an operator (== != < <= > >= =~) at character 2 of 'a'");
	refuse("a = 3", "'=' is written '==' at character 3 of 'a = 3'");
	refuse("a == ", "expected a feature's name at character 6 of 'a == '");
	refuse("a == cat", "expected a number, a text in quotes or one value, as in name[0] at "
			   "character 6 of 'a == cat'");
	refuse("a == 'cat", "unclosed quote at character 6 of 'a == 'cat'");
	refuse("a == 3 b", "expected && or || or the end at character 8 of 'a == 3 b'");
	refuse("(a == 3", "expected ')' at character 8 of '(a == 3'");
	refuse("exists(a", "expected ')' at character 9 of 'exists(a'");
	refuse("a[x] == 1",
		"expected the number of a value, counted from 0 at character 3 of 'a[x] == 1'");
	refuse("a =~ 3", "=~ takes a feature on its left and a pattern in quotes on its right at "
			 "character 6 of 'a =~ 3'");
	refuse("a =~ '('", "bad pattern (missing closing parenthesis at its character 2) at "
			   "character 6 of 'a =~ '(''");
	refuse("3x == 1", "neither a number nor a name (names that begin like a number must be in "
			  "quotes) at character 1 of "
			  "'3x == 1'");
}

Test(where, depth_and_length_are_bounded)
{
	static char deep[20001], wide[20001];
	struct tfr_where *w = NULL;

	memset(deep, '(', 20000);
	cr_assert_eq(tfr_where_compile(&w, deep, NULL), TFR_EUSAGE);
	memset(deep, '!', 20000);
	cr_assert_eq(tfr_where_compile(&w, deep, NULL), TFR_EUSAGE);
	for (size_t i = 0; i + 8 < 20000; i += 8)
		memcpy(wide + i, "a==1 || ", 8);
	cr_assert_eq(tfr_where_compile(&w, wide, NULL), TFR_EUSAGE);
}

Test(where, a_pattern_that_explodes_is_stopped)
{
	struct tfr_builder *slow = tfr_builder_new();
	struct tfr_where *w;
	struct tfr_error err = { 0 };
	const uint8_t *data;
	size_t size;
	bool selected;

	tfr_builder_text(slow, "t", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", NULL);
	tfr_builder_flatten(slow, &data, &size, NULL);
	tfr_example_parse(ex, data, size, NULL);
	cr_assert_eq(tfr_where_compile(&w, "t =~ '^(a+)+$'", NULL), TFR_OK);
	cr_assert_eq(tfr_where_match(w, ex, &selected, &err), TFR_EDATA);
	cr_assert_str_eq(err.message,
		"pattern '^(a+)+$' needs too many steps on a value of 41 bytes of feature 't'");
	tfr_where_free(w);
	tfr_builder_free(slow);
}

Test(where, names_never_found_are_remembered)
{
	struct tfr_where *w, *other;
	const char *name, *nearest;
	bool selected;

	cr_assert_eq(tfr_where_compile(&w,
			     "image/class/labl == 3 || text == 'x' || score > 0 || zzz == 1", NULL),
		TFR_OK);
	cr_assert_eq(tfr_where_compile(&other,
			     "image/class/labl == 3 || text == 'x' || score > 0 || zzz == 1", NULL),
		TFR_OK);
	cr_assert_eq(tfr_where_match(w, ex, &selected, NULL), TFR_OK);
	tfr_feature_watch_merge(tfr_where_lookout(other), tfr_where_lookout(w));
	cr_assert(tfr_feature_watch_missing(tfr_where_lookout(other), 0, &name, &nearest));
	cr_assert_str_eq(name, "image/class/labl");
	cr_assert_str_eq(nearest, "image/class/label");
	cr_assert(tfr_feature_watch_missing(tfr_where_lookout(other), 1, &name, &nearest));
	cr_assert_str_eq(name, "text");
	cr_assert_str_eq(nearest, "image/class/text");
	cr_assert(tfr_feature_watch_missing(tfr_where_lookout(other), 2, &name, &nearest));
	cr_assert_str_eq(name, "zzz");
	cr_assert_null(nearest);
	cr_assert_not(tfr_feature_watch_missing(tfr_where_lookout(other), 3, &name, &nearest));
	tfr_where_free(w);
	tfr_where_free(other);
}

static void count_error(void *ctx, const struct tfr_error *err)
{
	(void)err;
	++*(int *)ctx;
}

/* How many names of the expression are errors where no record has them. */
static int errors_of(const char *expression, struct tfr_example *e)
{
	struct tfr_where *w;
	bool selected;
	int errors = 0;

	cr_assert_eq(tfr_where_compile(&w, expression, NULL), TFR_OK);
	cr_assert_eq(tfr_where_match(w, e, &selected, NULL), TFR_OK);
	tfr_feature_watch_report(tfr_where_lookout(w), count_error, NULL, &errors);
	tfr_where_free(w);
	return errors;
}

Test(where, knows_whose_absence_it_asks_for)
{
	static const struct {
		const char *expression;
		int errors;
	} rows[] = {
		{ "x == 1", 1 },
		{ "3 < x && y[2] =~ 'a' || size(z) > 1", 3 },
		{ "exists(x) || len(y) > 0 || z != 1", 0 },
		{ "!(x == 1) || y == 2", 1 },
		{ "!(x == 1 && (y == 2 || !(z == 3)))", 0 },
		{ "exists(x) && x == 1", 0 },
		{ "!exists(x) && y == 1", 1 },
	};
	struct tfr_example *e = tfr_example_new();

	cr_assert_eq(tfr_example_parse(e, "", 0, NULL), TFR_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(
			errors_of(rows[i].expression, e), rows[i].errors, "%s", rows[i].expression);
	tfr_example_free(e);
}
