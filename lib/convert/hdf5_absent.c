/* convert/hdf5_absent.c - in the place of hdf5.c, in a build without libhdf5: it says so. */
#include <string.h>

#include "base/error.h"
#include "convert/input.h"

static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	(void)opts;
	return offer->head_size >= 8 && !memcmp(offer->head, "\x89HDF\r\n\x1a\n", 8);
}

static enum tfr_status open_hdf5(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	(void)in;
	tfr_fail_path(
		err, TFR_EUNAVAILABLE, opts->inputs[0], "not built with libhdf5, which reads");
	tfr_error_hint(err, "Arrays of NumPy, in files .npy and .npz, can be read.");
	return TFR_EUNAVAILABLE;
}

const struct tfr_input_ops tfr_input_hdf5 = {
	.name = "hdf5",
	.what = "an HDF5 file",
	.columns = true,
	.arrays = true,
	.recognises = recognises,
	.open = open_hdf5,
};
