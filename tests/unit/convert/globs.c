/* Patterns against paths: what means what, and what a pattern of many stars costs. */
#include <criterion/criterion.h>
#include <string.h>

#include "convert/folder/globs.h"

static const struct {
	const char *pattern, *path;
	bool folder, matches;
} cases[] = {
	{ "*.jpg", "1.jpg", false, true },
	{ "*.jpg", "a/b/1.jpg", false, true },
	{ "*.jpg", "a.jpg/1.png", false, false },
	{ "a", "a", true, true },
	{ "a", "b/a", true, true },
	{ "a", "ab", true, false },
	{ "a/", "a", true, true },
	{ "a/", "a", false, false },
	{ "a/", "b/a", true, true },
	{ "/a", "a", true, true },
	{ "/a", "b/a", true, false },
	{ "/a/", "a", true, true },
	{ "a/b", "a/b", false, true },
	{ "a/b", "x/a/b", false, false },
	{ "a/b", "a/b/c", false, false },
	{ "a/*", "a/b", false, true },
	{ "a/*", "a/b/c", false, false },
	{ "a/?", "a/b", false, true },
	{ "a/?", "a/bc", false, false },
	{ "a?b", "a/b", false, false },
	{ "a[/]b", "a/b", false, false },
	{ "**", "a", false, true },
	{ "**", "a/b/c", false, true },
	{ "a/**", "a/b/c", false, true },
	{ "a/**", "a", true, true },
	{ "a/**", "b/a/c", false, false },
	{ "**/c", "a/b/c", false, true },
	{ "**/c", "c", false, true },
	{ "**/c", "a/b/cd", false, false },
	{ "a/**/c", "a/c", false, true },
	{ "a/**/c", "a/b/x/c", false, true },
	{ "a/**/c", "a/b/c/d", false, false },
	{ "a/**/c/**/e", "a/c/b/c/d/e", false, true },
	{ "a/**/c/**/e", "a/c/b/c/d/f", false, false },
	{ "**/a/**", "x/a/y", false, true },
	{ "***", "a", false, true },
	{ "a**b", "axyb", false, true },
	{ "[a-c].png", "b.png", false, true },
	{ "[!a-c].png", "b.png", false, false },
	{ "\\*.png", "*.png", false, true },
	{ "\\*.png", "a.png", false, false },
	{ "", "a", false, false },
	{ "caf\xe9", "caf\xe9", true, true },
	{ "caf?", "caf\xe9", true, true },
};

Test(globs, what_a_pattern_means)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_assert_eq(tfr_glob_matches(cases[i].pattern, cases[i].path, cases[i].folder),
			cases[i].matches, "'%s' and '%s'", cases[i].pattern, cases[i].path);
}

/* Tried naively, this would not end. */
Test(globs, many_stars_are_no_trap)
{
	char pattern[4000] = "", path[4000] = "";

	for (int i = 0; i < 100; i++)
		strcat(pattern, "**/a/");
	strcat(pattern, "b");
	for (int i = 0; i < 1000; i++)
		strcat(path, "a/");
	strcat(path, "a");
	cr_assert_not(tfr_glob_matches(pattern, path, false));
	strcat(path, "/b");
	cr_assert(tfr_glob_matches(pattern, path, false));
}

Test(globs, too_long_is_no_match)
{
	char pattern[5000];

	memset(pattern, 'a', sizeof(pattern) - 1);
	pattern[sizeof(pattern) - 1] = '\0';
	cr_assert_not(tfr_glob_matches(pattern, pattern, false));
	pattern[4000] = '\0';
	cr_assert_not(tfr_glob_matches(pattern, pattern, false));
}
