/* device/cuda_absent.c - the row of CUDA in a build without it: opening it reports that. */
#include "base/error.h"
#include "device/row.h"

static enum tfr_status fail_not_built(struct tfr_error *err)
{
	return tfr_fail_hint(err, TFR_EUNAVAILABLE, "Build with -Dcuda=driver, the default.",
		"device cuda: not built with CUDA");
}

static bool cuda_absent(struct tfr_error *why)
{
	fail_not_built(why);
	return true;
}

static enum tfr_status cuda_count(const char *args, unsigned *count, struct tfr_error *err)
{
	(void)args;
	(void)count;
	return fail_not_built(err);
}

static enum tfr_status cuda_open(
	struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err)
{
	(void)dev;
	(void)args;
	(void)nth;
	return fail_not_built(err);
}

const struct tfr_device_row tfr_device_cuda = {
	.kind = "cuda",
	.count = cuda_count,
	.open = cuda_open,
	.absent = cuda_absent,
};
