/* device/sim.c - a device with a set bandwidth and latency, for the question "what if the link were
 * so fast".
 *
 * The bytes are moved by a processor of this machine, as on host; only the time they take is the
 * link's.  So a link that is faster than memcpy here cannot be simulated, and the copy's share of a
 * processor is in the result. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/copier.h"

struct unit {
	const char *text;
	double factor;
};

static const struct unit bandwidth_units[] = {
	{ "", 1 },
	{ "K", 1e3 },
	{ "M", 1e6 },
	{ "G", 1e9 },
	{ "T", 1e12 },
	{ NULL },
};

static const struct unit latency_units[] = {
	{ "ns", 1 },
	{ "us", 1e3 },
	{ "ms", 1e6 },
	{ "s", 1e9 },
	{ NULL },
};

/* A decimal number and its unit, which end exactly at `end`.  Negative: they do not. */
static double parse_quantity(const char *text, const char *end, const struct unit *units)
{
	char *rest;
	double number;

	/* strtod would take "nan", "inf", "0x10", signs and blanks as well. */
	if (!isdigit((unsigned char)text[0]) || (text[1] | 32) == 'x')
		return -1;
	number = strtod(text, &rest);
	if (rest == end && number == 0)
		return 0;
	for (; units->text; units++)
		if (rest <= end && strlen(units->text) == (size_t)(end - rest) &&
			strncmp(rest, units->text, (size_t)(end - rest)) == 0)
			return number * units->factor;
	return -1;
}

static enum tfr_status bad_spec(struct tfr_error *err, const char *args)
{
	tfr_fail(err, TFR_EUSAGE, "'sim%s%s' is not a simulated device", args ? ":" : "",
		args ? args : "");
	tfr_error_hint(err, "Give bandwidth in bytes a second and latency: sim:25G,10us.");
	return TFR_EUSAGE;
}

static enum tfr_status sim_open(struct tfr_device *dev, const char *args, struct tfr_error *err)
{
	const char *comma = args ? strchr(args, ',') : NULL;
	double bandwidth, latency;

	if (!comma)
		return bad_spec(err, args);
	if (strchr(comma + 1, ',')) {
		tfr_fail(err, TFR_EUSAGE, "several devices in 'sim:%s'", args);
		tfr_error_hint(err, "This version feeds one device: leave the count out.");
		return TFR_EUSAGE;
	}
	bandwidth = parse_quantity(args, comma, bandwidth_units);
	latency = parse_quantity(comma + 1, comma + 1 + strlen(comma + 1), latency_units);
	/* Under a byte a second or with hours of latency it is a slip, and the arithmetic would
	 * overflow. */
	if (!(bandwidth >= 1 && bandwidth <= 1e18) || latency < 0 || latency > 3600e9)
		return bad_spec(err, args);
	snprintf(dev->name, sizeof(dev->name), "sim:%s", args);
	snprintf(dev->description, sizeof(dev->description),
		"a simulated link of %.4g %s/s, %.4g us latency",
		bandwidth * (bandwidth < 1e9 ? 1e-6 : 1e-9), bandwidth < 1e9 ? "MB" : "GB",
		latency * 1e-3);
	return copier_open(dev, (struct copier_pace){ bandwidth, (uint64_t)latency }, err);
}

const struct device_row tfr_device_sim = {
	.kind = "sim",
	.built = true,
	.in_process = true,
	.open = sim_open,
	.close = copier_close,
	.alloc = copier_alloc,
	.free = copier_free,
	.event_new = copier_event_new,
	.event_free = copier_event_free,
	.upload = copier_upload,
	.wait = copier_wait,
	.done = copier_done,
	.download = copier_download,
};
