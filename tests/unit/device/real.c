/* The cuda row as this build and this machine have it: with or without a driver. */
#include <criterion/criterion.h>
#include <string.h>

#include "device/row.h"

Test(device_real, cuda_answers_or_says_why_not)
{
	struct tfr_device *dev = NULL;
	struct tfr_error err = { 0 };
	bool built = tfr_device_cuda.close;
	enum tfr_status status = tfr_device_open(&dev, "cuda", &err);

	if (status == TFR_OK) {
		cr_assert(built);
		cr_assert_str_eq(tfr_device_name(dev), "cuda:0");
		tfr_device_close(dev);
		return;
	}
	cr_assert_eq(status, TFR_EUNAVAILABLE);
	cr_assert_eq(strncmp(err.message, "device cuda: ", 13), 0, "%s", err.message);
	if (!built)
		cr_assert_str_eq(err.message, "device cuda: not built with CUDA");
}

Test(device_real, auto_takes_what_there_is_and_says_why)
{
	struct tfr_device *dev = NULL;
	const char *reason;

	cr_assert_eq(tfr_device_open(&dev, "auto", NULL), TFR_OK);
	reason = tfr_device_reason(dev);
	if (strcmp(tfr_device_name(dev), "host") == 0)
		cr_assert_eq(strncmp(reason, "no CUDA device: ", 16), 0, "%s", reason);
	else
		cr_assert_str_eq(reason, "a CUDA device answers");
	tfr_device_close(dev);
}
