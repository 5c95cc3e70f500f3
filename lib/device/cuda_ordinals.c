/* device/cuda_ordinals.c - parses "cuda:0,1", and answers the questions that need no open device.
 */
#include "device/cuda_ordinals.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/cuda_api.h"

bool tfr_cuda_ordinals_absent(struct tfr_error *why)
{
	const struct tfr_cuda_api *api;
	bool absent;
	int count;

	return tfr_cuda_count(&api, &count, &absent, why) != TFR_OK && absent;
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
		const struct tfr_cuda_api *api;
		bool absent;
		int count = 1;
		enum tfr_status status = args ? tfr_cuda_count(&api, &count, &absent, err) : TFR_OK;

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
