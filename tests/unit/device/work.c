/* What a device does beside uploads from staging memory: pixels to floats, computing, uploads from
 * pageable memory, measuring its link. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/device.h>

#include "base/clock.h"
#include "base/rng.h"

static const char *const specs[] = { "host", "sim:2G,1ms", "cuda:0", NULL };

static bool open_or_skip(struct tfr_device **dev, const char *spec)
{
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_device_open(dev, spec, &err);

	cr_assert(status == TFR_OK || (status == TFR_EUNAVAILABLE && strncmp(spec, "cuda", 4) == 0),
		"%s: %s", spec, err.message);
	return status == TFR_OK;
}

/* A device, memory on both sides, and two events. */
struct bed {
	struct tfr_device *dev;
	struct tfr_event *ev, *other;
	unsigned char *staging;
	void *bytes, *floats;
	size_t size;
};

static bool make_bed(struct bed *b, const char *spec, enum tfr_memory kind, size_t size)
{
	*b = (struct bed){ .size = size };
	if (!open_or_skip(&b->dev, spec))
		return false;
	cr_assert_eq(tfr_device_alloc(b->dev, kind, size, (void **)&b->staging, NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(b->dev, TFR_MEMORY_DEVICE, size, &b->bytes, NULL), TFR_OK);
	cr_assert_eq(
		tfr_device_alloc(b->dev, TFR_MEMORY_DEVICE, size * sizeof(float), &b->floats, NULL),
		TFR_OK);
	cr_assert_eq(tfr_event_new(&b->ev, b->dev, NULL), TFR_OK);
	cr_assert_eq(tfr_event_new(&b->other, b->dev, NULL), TFR_OK);
	return true;
}

static void clear_bed(struct bed *b, enum tfr_memory kind)
{
	tfr_event_free(b->ev);
	tfr_event_free(b->other);
	tfr_device_free(b->dev, kind, b->staging);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, b->bytes);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, b->floats);
	tfr_device_close(b->dev);
}

/* One value as the law has it; volatile keeps each operation one of float32. */
static float law(unsigned char x, float mean, float std)
{
	volatile float difference = (float)x - mean;
	volatile float quotient = difference / std;

	return quotient;
}

/* False: the driver refuses the kernels. */
static bool normalise_and_compare(
	struct bed *b, unsigned channels, const float *mean, const float *std)
{
	float *back = malloc(b->size * sizeof(float));
	struct tfr_error err = { 0 };
	enum tfr_status status;

	cr_assert_eq(
		tfr_device_upload(b->dev, b->bytes, b->staging, b->size, b->other, NULL), TFR_OK);
	status = tfr_device_normalise(
		b->dev, b->floats, b->bytes, b->size, channels, mean, std, b->ev, &err);
	if (status == TFR_EUNAVAILABLE) {
		cr_assert(strstr(err.message, "cuModuleLoadDataEx on "), "%s", err.message);
		free(back);
		return false;
	}
	cr_assert_eq(status, TFR_OK, "%s", err.message);
	cr_assert_eq(tfr_device_download(b->dev, back, b->floats, b->size * sizeof(float), NULL),
		TFR_OK);
	cr_assert(tfr_event_done(b->ev));
	for (size_t i = 0; i < b->size; i++) {
		float m = mean ? mean[i % channels] : 127.5f, s = std ? std[i % channels] : 127.5f;
		float expected = law(b->staging[i], m, s);

		cr_assert(memcmp(&back[i], &expected, sizeof(float)) == 0,
			"%s, byte %zu of %zu: %a, not %a", tfr_device_name(b->dev), i, b->size,
			(double)back[i], (double)expected);
	}
	free(back);
	return true;
}

Test(device_work, normalises_to_the_bit_behind_the_upload)
{
	static const float imagenet_mean[] = { 123.675f, 116.28f, 103.53f, 1.f };
	static const float imagenet_std[] = { 58.395f, 57.12f, 57.375f, 3.f };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 1, 0);
	for (int k = 0; specs[k]; k++)
		for (unsigned channels = 1; channels <= 4; channels++)
			for (unsigned odd = 0; odd < 3; odd++) {
				struct bed b;
				float mean[4], std[4];

				if (!make_bed(&b, specs[k], TFR_MEMORY_STAGING,
					    channels * (odd == 0 ? 1 : 4096 * odd + 7)))
					continue;
				for (size_t i = 0; i < b.size; i++)
					b.staging[i] = (unsigned char)tfr_rng_u64(&rng);
				for (int c = 0; c < 4; c++) {
					mean[c] = (float)(tfr_rng_u64(&rng) % 65536) / 200.f;
					std[c] = (float)(tfr_rng_u64(&rng) % 65536 + 1) / 700.f;
				}
				if (normalise_and_compare(&b, channels, NULL, NULL)) {
					normalise_and_compare(
						&b, channels, imagenet_mean, imagenet_std);
					normalise_and_compare(&b, channels, mean, std);
				}
				clear_bed(&b, TFR_MEMORY_STAGING);
			}
}

Test(device_work, normalising_nothing_is_done_at_once)
{
	for (int k = 0; specs[k]; k++) {
		struct bed b;
		enum tfr_status status;

		if (!make_bed(&b, specs[k], TFR_MEMORY_STAGING, 16))
			continue;
		status = tfr_device_normalise(
			b.dev, b.floats, b.bytes, 0, 3, NULL, NULL, b.ev, NULL);
		cr_assert(status == TFR_OK || status == TFR_EUNAVAILABLE);
		cr_assert_eq(tfr_event_wait(b.ev, NULL, NULL), TFR_OK);
		clear_bed(&b, TFR_MEMORY_STAGING);
	}
}

Test(device_work, refuses_what_makes_no_sense)
{
	static const struct {
		float mean[3], std[3];
	} bad[] = {
		{ { 1, 2, 3 }, { 1, 0, 1 } },
		{ { 1, 2, 3 }, { 1, 1, -0.f } },
		{ { 1, 2, 3 }, { NAN, 1, 1 } },
		{ { 1, 2, 3 }, { 1, 1, INFINITY } },
		{ { 1, NAN, 3 }, { 1, 1, 1 } },
		{ { -INFINITY, 2, 3 }, { 1, 1, 1 } },
	};

	for (int k = 0; specs[k]; k++) {
		struct tfr_error err = { 0 };
		struct bed b;
		double rate;

		if (!make_bed(&b, specs[k], TFR_MEMORY_STAGING, 16))
			continue;
		cr_assert_eq(tfr_device_normalise(
				     b.dev, b.floats, b.bytes, 16, 3, NULL, NULL, b.ev, &err),
			TFR_EUSAGE);
		cr_assert_str_eq(err.message, "16 bytes are not pixels of 1 to 4 channels");
		cr_assert_eq(tfr_device_normalise(
				     b.dev, b.floats, b.bytes, 15, 5, NULL, NULL, b.ev, &err),
			TFR_EUSAGE);
		cr_assert_eq(tfr_device_normalise(
				     b.dev, b.floats, b.bytes, 15, 0, NULL, NULL, b.ev, &err),
			TFR_EUSAGE);
		for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
			cr_assert_eq(tfr_device_normalise(b.dev, b.floats, b.bytes, 15, 3,
					     bad[i].mean, bad[i].std, b.ev, &err),
				TFR_EUSAGE, "%zu", i);
			cr_assert(strstr(err.message, "must be finite"), "%s", err.message);
		}
		cr_assert_eq(tfr_device_compute(b.dev, -1, b.ev, &err), TFR_EUSAGE);
		cr_assert_str_eq(err.message, "-1 seconds of computing are not 0 to 3600");
		cr_assert_eq(tfr_device_compute(b.dev, NAN, b.ev, &err), TFR_EUSAGE);
		cr_assert_eq(tfr_device_compute(b.dev, 3601, b.ev, &err), TFR_EUSAGE);
		cr_assert_eq(tfr_device_links(&b.dev, 1, &(size_t){ 0 }, false, &rate, &err),
			TFR_EUSAGE);
		clear_bed(&b, TFR_MEMORY_STAGING);
	}
}

Test(device_work, computes_beside_uploads_and_one_after_the_other)
{
	for (int k = 0; specs[k]; k++) {
		struct bed b;
		struct tfr_event *upload;
		enum tfr_status status;
		double seconds = 0;
		uint64_t start;

		if (!make_bed(&b, specs[k], TFR_MEMORY_STAGING, 4096))
			continue;
		cr_assert_eq(tfr_event_new(&upload, b.dev, NULL), TFR_OK);
		start = tfr_clock_ns();
		status = tfr_device_compute(b.dev, 0.1, b.ev, NULL);
		if (status == TFR_OK) {
			cr_assert_eq(tfr_device_compute(b.dev, 0.2, b.other, NULL), TFR_OK);
			cr_assert_not(tfr_event_done(b.other));
			/* Behind either of them it would be there only after 0.1 s. */
			cr_assert_eq(
				tfr_device_upload(b.dev, b.bytes, b.staging, b.size, upload, NULL),
				TFR_OK);
			cr_assert_eq(tfr_event_wait(upload, NULL, NULL), TFR_OK);
			if (tfr_clock_ns() - start < 290000000)
				cr_assert_not(tfr_event_done(b.other), "%s", specs[k]);
			cr_assert_eq(tfr_event_wait(b.ev, &seconds, NULL), TFR_OK);
			cr_assert_geq(seconds, 0.0999, "%s", specs[k]);
			cr_assert_geq(tfr_clock_ns() - start, 100000000, "%s", specs[k]);
			cr_assert_eq(tfr_event_wait(b.other, &seconds, NULL), TFR_OK);
			cr_assert_geq(seconds, 0.1999, "%s", specs[k]);
			cr_assert_geq(tfr_clock_ns() - start, 300000000, "%s", specs[k]);
		} else {
			cr_assert_eq(status, TFR_EUNAVAILABLE);
		}
		tfr_event_free(upload);
		clear_bed(&b, TFR_MEMORY_STAGING);
	}
}

/* A long normalisation is behind the upload before it, and an upload after it does not wait for it.
 * A busy machine may finish the former first: one round in which it does not is enough. */
Test(device_work, normalises_beside_later_uploads)
{
	for (int k = 0; specs[k]; k++) {
		enum { APART = 48 }; /* bytes that are not normalised */
		struct tfr_event *upload;
		enum tfr_status status = TFR_OK;
		bool beside = false;
		struct bed b;

		if (!make_bed(&b, specs[k], TFR_MEMORY_STAGING, 24 << 20))
			continue;
		cr_assert_eq(tfr_event_new(&upload, b.dev, NULL), TFR_OK);
		memset(b.staging, 3, b.size);
		for (int round = 0; round < 50 && !beside && !status; round++) {
			float first, last;

			cr_assert_eq(
				tfr_device_upload(b.dev, b.bytes, b.staging, b.size, b.other, NULL),
				TFR_OK);
			status = tfr_device_normalise(b.dev, b.floats, b.bytes, b.size - APART, 3,
				NULL, NULL, b.ev, NULL);
			cr_assert_eq(tfr_device_upload(b.dev, (char *)b.bytes + b.size - APART,
					     b.staging, APART, upload, NULL),
				TFR_OK);
			cr_assert_eq(tfr_event_wait(upload, NULL, NULL), TFR_OK);
			beside = !tfr_event_done(b.ev);
			cr_assert(tfr_event_done(b.other));
			cr_assert_eq(
				tfr_device_download(b.dev, &first, b.floats, sizeof(first), NULL),
				TFR_OK);
			cr_assert(status || tfr_event_done(b.ev));
			cr_assert_eq(
				tfr_device_download(b.dev, &last,
					(float *)b.floats + b.size - APART - 1, sizeof(last), NULL),
				TFR_OK);
			if (!status)
				cr_assert(first == law(3, 127.5f, 127.5f) && last == first);
		}
		cr_assert(status == TFR_EUNAVAILABLE || beside, "%s", specs[k]);
		tfr_event_free(upload);
		clear_bed(&b, TFR_MEMORY_STAGING);
	}
}

Test(device_work, an_event_goes_from_one_kind_of_work_to_another)
{
	for (int k = 0; specs[k]; k++) {
		struct bed b;

		if (!make_bed(&b, specs[k], TFR_MEMORY_STAGING, 30000))
			continue;
		for (int round = 0; round < 20; round++) {
			cr_assert_eq(
				tfr_device_upload(b.dev, b.bytes, b.staging, b.size, b.ev, NULL),
				TFR_OK);
			cr_assert_eq(tfr_event_wait(b.ev, NULL, NULL), TFR_OK);
			if (tfr_device_compute(b.dev, 1e-4, b.ev, NULL) == TFR_OK)
				cr_assert_eq(tfr_event_wait(b.ev, NULL, NULL), TFR_OK);
			if (tfr_device_normalise(b.dev, b.floats, b.bytes, b.size, 3, NULL, NULL,
				    b.ev, NULL) == TFR_OK)
				cr_assert_eq(tfr_event_wait(b.ev, NULL, NULL), TFR_OK);
			cr_assert(tfr_event_done(b.ev));
		}
		clear_bed(&b, TFR_MEMORY_STAGING);
	}
}

Test(device_work, pageable_memory_arrives_too)
{
	for (int k = 0; specs[k]; k++) {
		struct bed b;
		unsigned char *back;

		/* Over the simulated driver's buffer of 4 MiB, from its middle. */
		if (!make_bed(&b, specs[k], TFR_MEMORY_PAGEABLE, (9 << 20) + 5))
			continue;
		back = malloc(b.size);
		for (size_t i = 0; i < b.size; i++)
			b.staging[i] = (unsigned char)(i ^ i >> 8 ^ i >> 16);
		cr_assert_eq(
			tfr_device_upload(b.dev, b.bytes, b.staging + 3, b.size - 3, b.ev, NULL),
			TFR_OK);
		cr_assert_eq(tfr_event_wait(b.ev, NULL, NULL), TFR_OK);
		cr_assert_eq(tfr_device_download(b.dev, back, b.bytes, b.size - 3, NULL), TFR_OK);
		cr_assert_eq(memcmp(back, b.staging + 3, b.size - 3), 0, "%s", specs[k]);
		free(back);
		clear_bed(&b, TFR_MEMORY_PAGEABLE);
	}
}

Test(device_work, a_link_is_measured)
{
	for (int k = 0; specs[k]; k++)
		for (int pageable = 0; pageable < 2; pageable++) {
			struct tfr_device *dev;
			struct tfr_error err = { 0 };
			double rate = -1;

			if (!open_or_skip(&dev, specs[k]))
				continue;
			cr_assert_eq(tfr_device_links(
					     &dev, 1, &(size_t){ 1 << 20 }, pageable, &rate, &err),
				TFR_OK, "%s", err.message);
			cr_assert_gt(rate, 0);
			/* A paced link is never faster than its pace, and from staging memory it is
			 * just that. */
			if (strncmp(specs[k], "sim", 3) == 0)
				cr_assert(pageable ? rate <= 2.0001e9 : fabs(rate - 2e9) < 1e6,
					"%g", rate);
			tfr_device_close(dev);
		}
}

Test(device_work, links_are_measured_together)
{
	struct tfr_device **devs;
	struct tfr_error err = { 0 };
	unsigned count;
	size_t sizes[] = { 1 << 20, 1000, 4 << 20 };
	double rates[3] = { 0 };

	cr_assert_eq(tfr_devices_open(&devs, &count, "sim:1G,1ms,3", &err), TFR_OK);
	cr_assert_eq(count, 3);
	cr_assert_eq(tfr_device_links(devs, count, sizes, false, rates, &err), TFR_OK, "%s",
		err.message);
	for (unsigned i = 0; i < count; i++)
		cr_assert(fabs(rates[i] - 1e9) < 1e6, "%u: %g", i, rates[i]);
	sizes[1] = 0;
	cr_assert_eq(tfr_device_links(devs, count, sizes, false, rates, &err), TFR_EUSAGE);
	tfr_devices_close(devs, count);
}

/* A link and a step that would take an hour are left at once, and what comes next is not late. */
Test(work, is_cut_short)
{
	struct bed b;
	uint64_t start = tfr_clock_ns();

	cr_assert(make_bed(&b, "sim:1000,0", TFR_MEMORY_STAGING, 4000000));
	b.staging[3999999] = 7;
	cr_assert_eq(tfr_device_upload(b.dev, b.bytes, b.staging, b.size, b.ev, NULL), TFR_OK);
	cr_assert_eq(tfr_device_compute(b.dev, 3600, b.other, NULL), TFR_OK);
	cr_assert_not(tfr_event_done(b.ev));
	cr_assert_not(tfr_event_done(b.other));
	tfr_event_cut_short(b.ev);
	tfr_event_cut_short(b.other);
	cr_assert_eq(tfr_event_wait(b.ev, NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(b.other, NULL, NULL), TFR_OK);
	cr_assert_eq(((unsigned char *)b.bytes)[3999999], 7);
	cr_assert_eq(tfr_device_upload(b.dev, b.bytes, b.staging, 10, b.ev, NULL), TFR_OK);
	cr_assert_eq(tfr_device_compute(b.dev, 0.001, b.other, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(b.ev, NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(b.other, NULL, NULL), TFR_OK);
	tfr_event_cut_short(b.ev); /* nothing is under way */
	cr_assert_lt(tfr_clock_ns() - start, 600e9);
	clear_bed(&b, TFR_MEMORY_STAGING);
}
