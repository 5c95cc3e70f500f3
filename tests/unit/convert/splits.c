/* Which names are those of splits. */
#include <criterion/criterion.h>

#include "convert/folder/splits.h"

Test(splits, names)
{
	static const char *const yes[] = { "train", "Train", "TRAINING", "val", "valid",
		"validation", "dev", "test", "testing", "eval", "Split-train", "Split-eval",
		"train2017", "val_2017", "training_set", "test_set", "testset", "TrainImages",
		"seg_train", "train-clean-100", "train_images", "dev.1", "trainval" };
	static const char *const no[] = { "", "cat", "trainer", "contest", "test tube", "pred",
		"images", "set", "2017", "_", "n01440764", "train cat", "tr\xc3\xa4in", "validity",
		"images_cat", "tests" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		cr_assert(tfr_split_is_name(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		cr_assert_not(tfr_split_is_name(no[i]), "%s", no[i]);
	cr_assert(tfr_split_is_wrapping("images") && tfr_split_is_wrapping("train"));
	cr_assert_not(tfr_split_is_wrapping("cat") || tfr_split_is_wrapping("7"));
}
