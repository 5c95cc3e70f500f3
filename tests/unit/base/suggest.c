/* Which of several words was meant, in whatever order they are offered. */
#include <criterion/criterion.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/rng.h"

static const char *const features[] = { "image/encoded", "image/format", "image/class/label",
	"image/class/text", "image/object/class/label", "audio/encoded", "abcd", "abce" };

enum { N = sizeof(features) / sizeof(*features) };

static const char *of(struct tfr_suggestion *m, const char *wanted, const char *const *words, size_t n)
{
	tfr_suggestion_init(m, wanted, strlen(wanted));
	for (size_t i = 0; i < n; i++)
		tfr_suggestion_offer(m, words[i], strlen(words[i]));
	return tfr_suggestion_word(m);
}

static const char *meant(const char *wanted)
{
	static struct tfr_suggestion m;

	return of(&m, wanted, features, N);
}

Test(meant, words)
{
	cr_expect_str_eq(meant("image/class/lable"), "image/class/label");
	cr_expect_str_eq(meant("image/enc"), "image/encoded"); /* the only one that begins so */
	cr_expect_null(meant("image/"));		       /* several do */
	cr_expect_str_eq(meant("label"), "image/class/label"); /* the shortest that ends so */
	cr_expect_str_eq(meant("lebel"), "image/class/label");
	cr_expect_str_eq(meant("clas/text"), "image/class/text");
	cr_expect_str_eq(meant("objekt/class/label"), "image/object/class/label");
	cr_expect_str_eq(meant("Image/Class/TEXT"), "image/class/text");
	cr_expect_str_eq(meant("abcf"), "abcd"); /* the first of two as near */
}

Test(meant, itself_and_nothing_are_not_meant)
{
	cr_expect_null(meant("zzz"));
	cr_expect_null(meant(""));
	cr_expect_null(meant("i"));
	cr_expect_str_eq(meant("abcd"), "abce");
}

Test(meant, words_that_are_too_long_or_no_texts)
{
	char longest[300];
	struct tfr_suggestion m;

	memset(longest, 'x', sizeof(longest));
	tfr_suggestion_init(&m, "xxx", 3);
	tfr_suggestion_offer(&m, longest, 256);
	tfr_suggestion_offer(&m, "xxx\0", 4);
	tfr_suggestion_offer(&m, "", 0);
	cr_expect_null(tfr_suggestion_word(&m));
	tfr_suggestion_offer(&m, longest, 255);
	cr_expect_eq(strlen(tfr_suggestion_word(&m)), 255);
}

/* In any order, any number of times, in one go or merged of parts: the same. */
Test(meant, order_does_not_matter)
{
	static const char *const wanted[] = { "label", "image/", "image/e", "abcx", "image/fromat",
		"audio/encodde", "class/label", "nothing" };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 1, 1);
	for (unsigned round = 0; round < 4000; round++) {
		const char *want = wanted[round % 8], *one, *other;
		struct tfr_suggestion whole, parts[3];
		bool offered[N] = { false };

		for (unsigned k = 0; k < 3; k++)
			tfr_suggestion_init(&parts[k], want, strlen(want));
		for (unsigned k = 0; k < 2 * N; k++) {
			size_t i = tfr_rng_below(&rng, N);

			offered[i] = true;
			tfr_suggestion_offer(
				&parts[tfr_rng_below(&rng, 3)], features[i], strlen(features[i]));
		}
		tfr_suggestion_merge(&parts[1], &parts[2]);
		tfr_suggestion_merge(&parts[0], &parts[1]);
		tfr_suggestion_init(&whole, want, strlen(want));
		for (size_t i = 0; i < N; i++)
			if (offered[i])
				tfr_suggestion_offer(&whole, features[i], strlen(features[i]));
		one = tfr_suggestion_word(&whole);
		other = tfr_suggestion_word(&parts[0]);
		cr_assert_eq(!one, !other, "%s", want);
		if (one)
			cr_assert_str_eq(one, other);
	}
}

Test(meant, hint)
{
	struct tfr_error err = { 0 };
	struct tfr_suggestion m;

	of(&m, "zzz", features, N);
	tfr_suggestion_hint(&m, &err);
	cr_expect_str_eq(tfr_error_hint_text(&err), "");
	of(&m, "txt", (const char *const[]){ "text" }, 1);
	tfr_suggestion_hint(&m, &err);
	cr_expect_str_eq(tfr_error_hint_text(&err), "Did you mean 'text'?");
	tfr_suggestion_hint(&m, NULL);
}
