/* Shares of several sets: read, checked, obeyed. */
#include "shard/fractions.h"
#include "support/temp.h"

#include <math.h>

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(shares, .init = setup, .fini = teardown);

static enum tfr_status check_two(const char *a, const char *b)
{
	struct tfr_share shares[] = { { a, 0.5 }, { b, 0.25 } };

	return tfr_shares_check(shares, 2, NULL);
}

Test(shares, sets_that_have_a_file_in_common_are_refused)
{
	static const char *const common[][2] = {
		{ "a@2.tfrecord", "a@2.tfrecord" },
		{ "a@2.tfrecord", "./a@2.tfrecord" },
		{ "a@2.tfrecord", "a@3.tfrecord" }, /* one pattern reads both */
		{ "a@auto.tfrecord", "a@3.tfrecord" },
		{ "a@2.tfrecord", "here/../a-00001-of-00002.tfrecord" },
		{ "here/link/a@2", "here/a-00000-of-00002" },
		{ "a.2.manifest.json", "a@2" },
		{ "a.2-tfrecord.labels.txt", "a@2.tfrecord" },
		{ "x", "here/../x" },
		{ "-", "-" },
	};
	static const char *const apart[][2] = {
		{ "a@2.tfrecord", "b@2.tfrecord" },
		{ "a@2.tfrecord", "here/a@2.tfrecord" },
		{ "a@2.tfrecord", "a-00001-of-00003.tfrecord" },
		{ "a@2.tfrecord", "a@3.tfrecord.gz" },
		{ "a@2.tfrecord", "a@2.tfrecord.gz" },
		{ "a@2", "a.manifest.json" },
		{ "a@2.tfrecord", "a-00001-of-00002.tfrecord.gz" },
		{ "a@2.tfrecord", "aa-00001-of-00002.tfrecord" },
		{ "-", "a@2" },
		{ "x", "y" },
	};

	cr_assert_eq(mkdir("here", 0777), 0);
	cr_assert_eq(symlink(".", "here/link"), 0);
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++) {
		cr_assert_eq(check_two(common[i][0], common[i][1]), TFR_EUSAGE, "%s", common[i][1]);
		cr_assert_eq(check_two(common[i][1], common[i][0]), TFR_EUSAGE, "%s", common[i][1]);
	}
	for (size_t i = 0; i < sizeof(apart) / sizeof(*apart); i++) {
		cr_assert_eq(check_two(apart[i][0], apart[i][1]), TFR_OK, "%s", apart[i][1]);
		cr_assert_eq(check_two(apart[i][1], apart[i][0]), TFR_OK, "%s", apart[i][1]);
	}
}

Test(shares, fractions_of_a_caller_are_checked_as_well)
{
	static const double wrong[] = { -0.25, 1.5, NAN, INFINITY, -INFINITY };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct tfr_share shares[] = { { "a", 0.5 }, { "b", wrong[i] } };

		cr_assert_eq(tfr_shares_check(shares, 2, NULL), TFR_EUSAGE, "%g", wrong[i]);
	}
}

Test(shares, each_fraction_has_its_stretch_of_the_hashes)
{
	struct tfr_share three[] = { { "a", 0.5 }, { "rest", 0 }, { "c", 0.25 } };
	struct tfr_share whole[] = { { "a", 0.7 }, { "b", 0.2 }, { "c", 0.1 } };
	uint64_t half = (uint64_t)1 << 63;

	cr_assert_eq(tfr_shares_choose(three, 3, 0), 0);
	cr_assert_eq(tfr_shares_choose(three, 3, half - 1), 0);
	cr_assert_eq(tfr_shares_choose(three, 3, half), 2);
	cr_assert_eq(tfr_shares_choose(three, 3, half + half / 2 - 1), 2);
	cr_assert_eq(tfr_shares_choose(three, 3, half + half / 2), 1);
	cr_assert_eq(tfr_shares_choose(three, 3, UINT64_MAX), 1);
	cr_assert_eq(tfr_shares_choose(three, 1, UINT64_MAX), 1, "left over");
	cr_assert_eq(tfr_shares_choose(whole, 3, UINT64_MAX), 2, "meant as 1");
}
