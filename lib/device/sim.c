/* device/sim.c - a device with a set bandwidth and latency, to try other links.
 *
 * A processor of this machine moves the bytes, as on host; only the duration is that of the link.
 * So a link that is faster than memcpy cannot be simulated, and the processor time of the copy is
 * in the result. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

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

/* A decimal number with its unit, up to `end`.  Negative: malformed. */
static double parse_quantity(const char *text, const char *end, const struct unit *units)
{
	char *rest;
	double number;

	/* strtod() also accepts "nan", "inf", "0x10", signs and blanks. */
	if (!isdigit((unsigned char)text[0]) || (text[1] | 32) == 'x')
		return -1;
	number = tfr_text_f64(text, &rest);
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
	tfr_error_hint(err, "Give the bandwidth in bytes per second, the latency and, for several, "
			    "their number: "
			    "sim:25G,10us,4.");
	return TFR_EUSAGE;
}

/* The parsed "25G,10us,4". */
struct sim_spec {
	struct tfr_copier_pace pace;
	double latency_ns;
	unsigned count;
	int link_length; /* of the text before the count */
};

static enum tfr_status parse_spec(struct sim_spec *spec, const char *args, struct tfr_error *err)
{
	const char *comma = args ? strchr(args, ',') : NULL;
	const char *end;

	if (!comma)
		return bad_spec(err, args);
	end = strchrnul(comma + 1, ',');
	spec->pace.bandwidth = parse_quantity(args, comma, bandwidth_units);
	spec->latency_ns = parse_quantity(comma + 1, end, latency_units);
	spec->link_length = (int)(end - args);
	spec->count = 1;
	/* Less than a byte per second or hours of latency are a mistake, and the arithmetic would
	 * overflow. */
	if (!(spec->pace.bandwidth >= 1 && spec->pace.bandwidth <= 1e18) || spec->latency_ns < 0 ||
		spec->latency_ns > 3600e9)
		return bad_spec(err, args);
	spec->pace.latency_ns = (uint64_t)spec->latency_ns;
	if (*end) {
		size_t digits = strspn(end + 1, "0123456789");

		spec->count = digits <= 3 ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
		if (digits == 0 || end[1 + digits])
			return bad_spec(err, args);
		if (spec->count < 1 || spec->count > DEVICES_MAX)
			return tfr_fail(err, TFR_EUSAGE,
				"'sim:%s' is not 1 to %d simulated devices", args, DEVICES_MAX);
	}
	return TFR_OK;
}

static enum tfr_status sim_count(const char *args, unsigned *count, struct tfr_error *err)
{
	struct sim_spec spec;
	enum tfr_status status = parse_spec(&spec, args, err);

	if (status == TFR_OK)
		*count = spec.count;
	return status;
}

static enum tfr_status sim_open(
	struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err)
{
	struct sim_spec spec;
	double bandwidth;

	TFR_TRY(parse_spec(&spec, args, err));
	bandwidth = spec.pace.bandwidth;
	snprintf(dev->name, sizeof(dev->name), "sim:%.*s", spec.link_length, args);
	if (spec.count > 1)
		snprintf(dev->name, sizeof(dev->name), "sim:%.*s#%u",
			spec.link_length < 48 ? spec.link_length : 48, args, nth);
	snprintf(dev->description, sizeof(dev->description),
		"a simulated link of %.4g %s/s, %.4g us latency",
		bandwidth * (bandwidth < 1e9 ? 1e-6 : 1e-9), bandwidth < 1e9 ? "MB" : "GB",
		spec.latency_ns * 1e-3);
	return tfr_copier_open(dev, spec.pace, err);
}

const struct tfr_device_row tfr_device_sim = {
	.kind = "sim",
	.built = true,
	.in_process = true,
	.count = sim_count,
	.open = sim_open,
	.close = tfr_copier_close,
	.alloc = tfr_copier_alloc,
	.free = tfr_copier_free,
	.event_new = tfr_copier_event_new,
	.event_free = tfr_copier_event_free,
	.upload = tfr_copier_upload,
	.normalise = tfr_copier_normalise,
	.compute = tfr_copier_compute,
	.wait = tfr_copier_wait,
	.done = tfr_copier_done,
	.cut_short = tfr_copier_cut_short,
	.download = tfr_copier_download,
};
