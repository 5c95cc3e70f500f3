/* Distances of words, and where they end to be near. */
#include <criterion/criterion.h>
#include <string.h>

#include <tfr-private/text.h>

static unsigned distance(const char *a, const char *b)
{
	return tfr_text_distance(a, strlen(a), b, strlen(b));
}

Test(nearest, distances)
{
	char longest[70] = "";

	cr_expect_eq(distance("count", "count"), 0);
	cr_expect_eq(distance("coutn", "count"), 1); /* two exchanged */
	cr_expect_eq(distance("cout", "count"), 1);
	cr_expect_eq(distance("counts", "count"), 1);
	cr_expect_eq(distance("coumt", "count"), 1);
	cr_expect_eq(distance("ocutn", "count"), 2);
	cr_expect_eq(distance("ca", "abc"), UINT32_MAX); /* 3 where no part is edited twice */
	cr_expect_eq(distance("by", "key"), UINT32_MAX); /* half of it */
	cr_expect_eq(distance("", "abc"), UINT32_MAX);
	cr_expect_eq(distance("frobnicate", "count"), UINT32_MAX);
	cr_expect_eq(distance("image/class/lable", "image/class/label"), 1);
	cr_expect_eq(distance("abcdefghi", "abcxyzghi"), 3); /* a third */
	cr_expect_eq(distance("abcdefgh", "abxyzfgh"), UINT32_MAX);
	memset(longest, 'a', 64);
	cr_expect_eq(distance(longest, longest), 0);
	memset(longest, 'a', 65);
	cr_expect_eq(distance(longest, longest), UINT32_MAX);
}
