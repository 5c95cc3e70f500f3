/* device/cuda_ordinals.c - parses "cuda:0,1", and answers the questions that need no open device.
 */
#include "device/cuda_ordinals.h"

#include <cuda_runtime_api.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static enum tfr_status call_failed(const char *call, cudaError_t rc, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: %s: %s", call, cudaGetErrorString(rc));
}

/* Without a driver the runtime reports "insufficient driver".  The version tells the two cases
 * apart: 0 is no driver. */
static enum tfr_status probe(int *count, bool *absent, struct tfr_error *err)
{
	int driver = 0, runtime = 0;
	cudaError_t rc = cudaDriverGetVersion(&driver);

	*absent = rc == cudaSuccess && driver == 0;
	if (rc != cudaSuccess)
		return call_failed("cudaDriverGetVersion", rc, err);
	if (driver == 0)
		return tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: no driver");
	rc = cudaGetDeviceCount(count);
	*absent = rc == cudaErrorNoDevice || (rc == cudaSuccess && *count == 0);
	if (rc == cudaErrorInsufficientDriver) {
		cudaRuntimeGetVersion(&runtime);
		return tfr_fail(err, TFR_EUNAVAILABLE,
			"device cuda: the driver is for CUDA %d.%d, this build needs %d.%d",
			driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
	}
	if (*absent)
		return tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: no device");
	return rc == cudaSuccess ? TFR_OK : call_failed("cudaGetDeviceCount", rc, err);
}

enum tfr_status tfr_cuda_ordinals_probe(int *count, struct tfr_error *err)
{
	bool absent;

	return probe(count, &absent, err);
}

bool tfr_cuda_ordinals_absent(struct tfr_error *why)
{
	bool absent;
	int count = 0;

	probe(&count, &absent, why);
	return absent;
}

static enum tfr_status bad_ordinals(struct tfr_error *err, const char *args)
{
	tfr_fail(err, TFR_EUSAGE, "'cuda:%s' is not a device such as cuda:0", args);
	tfr_error_hint(err, "Several are cuda:0,1 or cuda:all.");
	return TFR_EUSAGE;
}

static enum tfr_status add_ordinal(
	struct tfr_cuda_ordinals *o, const char *args, const char *digits, struct tfr_error *err)
{
	int ordinal = atoi(digits);

	for (unsigned i = 0; i < o->count; i++)
		if (o->at[i] == ordinal)
			return tfr_fail(err, TFR_EUSAGE, "device cuda:%d twice in 'cuda:%s'",
				ordinal, args);
	if (o->count == DEVICES_MAX)
		return tfr_fail(
			err, TFR_EUSAGE, "'cuda:%s' names more than %d devices", args, DEVICES_MAX);
	o->at[o->count++] = ordinal;
	return TFR_OK;
}

enum tfr_status tfr_cuda_ordinals_parse(
	struct tfr_cuda_ordinals *o, const char *args, struct tfr_error *err)
{
	*o = (struct tfr_cuda_ordinals){ 0 };
	if (!args || strcmp(args, "all") == 0) {
		int count = 1;
		enum tfr_status status = args ? tfr_cuda_ordinals_probe(&count, err) : TFR_OK;

		for (; status == TFR_OK && o->count < (unsigned)count && o->count < DEVICES_MAX;
			o->count++)
			o->at[o->count] = (int)o->count;
		return status;
	}
	for (const char *at = args;; at++) {
		size_t digits = strspn(at, "0123456789");
		enum tfr_status status;

		if (digits == 0 || digits > 4 || (at[digits] && at[digits] != ','))
			return bad_ordinals(err, args);
		status = add_ordinal(o, args, at, err);
		at += digits;
		if (status || !*at)
			return status;
	}
}
