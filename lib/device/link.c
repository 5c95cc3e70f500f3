/* device/link.c - measures the bandwidth of a link: uploads of one size back to back, two in
 * flight, so that the link never waits for a call.
 *
 * Only the time in which the link was occupied counts, by the device's own clock.  The first upload
 * does not count: it touches memory, and the clocks of links and memory rise. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "device/row.h"

enum { UNDER_WAY = 2, MEASURE_NS = 200000000, LEAST = 3 };

struct bench {
	struct tfr_device *dev;
	enum tfr_memory kind;
	void *from, *to;
	struct tfr_event *events[UNDER_WAY];
};

static enum tfr_status prepare(struct bench *b, size_t size, struct tfr_error *err)
{
	enum tfr_status status = tfr_device_alloc(b->dev, b->kind, size, &b->from, err);

	if (status == TFR_OK)
		status = tfr_device_alloc(b->dev, TFR_MEMORY_DEVICE, size, &b->to, err);
	for (unsigned i = 0; status == TFR_OK && i < UNDER_WAY; i++)
		status = tfr_event_new(&b->events[i], b->dev, err);
	return status;
}

static void clear(struct bench *b)
{
	for (unsigned i = 0; i < UNDER_WAY; i++)
		tfr_event_free(b->events[i]);
	tfr_device_free(b->dev, b->kind, b->from);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, b->to);
}

static enum tfr_status upload(struct bench *b, size_t size, uint64_t n, struct tfr_error *err)
{
	return tfr_device_upload(b->dev, b->to, b->from, size, b->events[n % UNDER_WAY], err);
}

static enum tfr_status measure(struct bench *b, size_t size, double *rate, struct tfr_error *err)
{
	enum tfr_status status = upload(b, size, 0, err);
	double busy = 0, seconds = 0;
	uint64_t until = UINT64_MAX, n = 0;
	bool last = false;

	while (status == TFR_OK && !last) {
		last = n >= LEAST && tfr_clock_ns() >= until;
		if (!last)
			status = upload(b, size, n + 1, err);
		if (status == TFR_OK)
			status = tfr_event_wait(b->events[n % UNDER_WAY], &seconds, err);
		if (n++ == 0)
			until = tfr_clock_ns() + MEASURE_NS;
		else
			busy += seconds;
	}
	*rate = busy > 0 ? (double)(n - 1) * (double)size / busy : 0;
	return status;
}

enum tfr_status tfr_device_link(struct tfr_device *dev, size_t size, bool pageable,
	double *bytes_per_second, struct tfr_error *err)
{
	struct bench b = { .dev = dev,
		.kind = pageable ? TFR_MEMORY_PAGEABLE : TFR_MEMORY_STAGING };
	enum tfr_status status;

	if (size == 0)
		return tfr_fail(err, TFR_EUSAGE, "measuring a link needs at least 1 byte");
	status = prepare(&b, size, err);
	if (status == TFR_OK) {
		memset(b.from, 1, size);
		status = measure(&b, size, bytes_per_second, err);
	}
	clear(&b);
	return status;
}
