/* The devices of <tfr/device.h> on real hardware, beside the driver's own calls.
 *
 * gpu [MIB]     MIB: of the batches that figures are taken with [64]
 *
 * Whatever a clock decides is printed as a figure, never a failure.  The last line is "N passed, N
 * failed, N skipped".  Over the fake driver it is a test of itself. */
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <tfr-private/device.h>

#include "device/cuda_api.h"

enum { SLOTS = 4, REPEATS = 24 };

static unsigned passed, failed, skipped;

static bool check(bool ok, const char *where, const char *what)
{
	printf("%s: %s: %s\n", ok ? "ok" : "FAILED", where, what);
	passed += ok;
	failed += !ok;
	return ok;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void fill(unsigned char *to, size_t size, uint64_t seed)
{
	for (size_t i = 0; i < size; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		to[i] = (unsigned char)(seed >> 56);
	}
}

/* --- what is right or wrong ------------------------------------------------------------------ */

struct slots {
	struct tfr_device *dev;
	struct tfr_event *events[SLOTS];
	void *staging[SLOTS], *memory[SLOTS];
	size_t size;
};

static bool open_slots(struct slots *s, struct tfr_device *dev, size_t size)
{
	bool ok = true;

	*s = (struct slots){ .dev = dev, .size = size };
	for (int i = 0; ok && i < SLOTS; i++)
		ok = !tfr_device_alloc(dev, TFR_MEMORY_STAGING, size, &s->staging[i], NULL) &&
		     !tfr_device_alloc(dev, TFR_MEMORY_DEVICE, size, &s->memory[i], NULL) &&
		     !tfr_event_new(&s->events[i], dev, NULL);
	return ok;
}

static void close_slots(struct slots *s)
{
	for (int i = 0; i < SLOTS; i++) {
		tfr_event_free(s->events[i]);
		tfr_device_free(s->dev, TFR_MEMORY_STAGING, s->staging[i]);
		tfr_device_free(s->dev, TFR_MEMORY_DEVICE, s->memory[i]);
	}
}

static void uploads_arrive(struct tfr_device *dev, size_t size)
{
	unsigned char *back = malloc(size);
	struct slots s;
	bool ok = open_slots(&s, dev, size);

	for (int round = 0; ok && round < 3 * SLOTS; round++) {
		int i = round % SLOTS;

		ok = !tfr_event_wait(s.events[i], NULL, NULL);
		fill(s.staging[i], size, (uint64_t)round);
		ok = ok && !tfr_device_upload(dev, s.memory[i], s.staging[i], size - (size_t)round,
				   s.events[i], NULL);
	}
	for (int i = 0; ok && i < SLOTS; i++) {
		size_t n = size - (size_t)(2 * SLOTS + i);

		ok = !tfr_device_download(dev, back, s.memory[i], n, NULL) &&
		     memcmp(back, s.staging[i], n) == 0;
	}
	close_slots(&s);
	free(back);
	check(ok, tfr_device_name(dev), "uploads arrive, with several under way");
}

/* The floats that `dev` makes of `count` bytes; false: it failed. */
static bool normalise(struct tfr_device *dev, float *to, const unsigned char *from, size_t count,
	unsigned channels, const float *mean, const float *std, struct tfr_error *err)
{
	struct tfr_event *uploaded = NULL, *ready = NULL;
	void *staging = NULL, *bytes = NULL, *floats = NULL;
	bool ok = !tfr_device_alloc(dev, TFR_MEMORY_STAGING, count, &staging, err) &&
		  !tfr_device_alloc(dev, TFR_MEMORY_DEVICE, count, &bytes, err) &&
		  !tfr_device_alloc(dev, TFR_MEMORY_DEVICE, count * sizeof(float), &floats, err) &&
		  !tfr_event_new(&uploaded, dev, err) && !tfr_event_new(&ready, dev, err);

	if (ok)
		memcpy(staging, from, count);
	ok = ok && !tfr_device_upload(dev, bytes, staging, count, uploaded, err) &&
	     !tfr_device_normalise(dev, floats, bytes, count, channels, mean, std, ready, err) &&
	     !tfr_event_wait(ready, NULL, err) &&
	     !tfr_device_download(dev, to, floats, count * sizeof(float), err);
	tfr_event_free(uploaded);
	tfr_event_free(ready);
	tfr_device_free(dev, TFR_MEMORY_STAGING, staging);
	tfr_device_free(dev, TFR_MEMORY_DEVICE, bytes);
	tfr_device_free(dev, TFR_MEMORY_DEVICE, floats);
	return ok;
}

/* Every byte on every channel, by many means and deviations, the last two those of users. */
static void floats_are_the_hosts(struct tfr_device *dev, struct tfr_device *host)
{
	static const float usual[2][4] = { { 123.675f, 116.28f, 103.53f, 0 },
		{ 58.395f, 57.12f, 57.375f, 1 } };
	enum { COUNT = 12 * 256 * 257 };
	unsigned char *from = malloc(COUNT);
	float *expected = malloc(COUNT * sizeof(float)), *got = malloc(COUNT * sizeof(float));
	struct tfr_error err = { 0 };
	bool ok = true;

	for (int round = 0; ok && round < 40; round++) {
		unsigned channels = (unsigned)round % 4 + 1;
		size_t count = COUNT - (size_t)(round / 4) * 12 - (round % 2 ? 0 : 12);
		uint16_t drawn[8];
		float law[2][4];

		fill(from, COUNT, (uint64_t)round);
		fill((unsigned char *)drawn, sizeof(drawn), (uint64_t)round + 1000);
		for (int c = 0; c < 4; c++) {
			law[0][c] = round < 4 ? usual[0][c] : (float)drawn[c] / 200.f;
			law[1][c] = round < 4 ? usual[1][c] : (float)(drawn[4 + c] + 1) / 700.f;
		}
		ok = normalise(dev, got, from, count, channels, round ? law[0] : NULL,
			     round ? law[1] : NULL, &err) &&
		     normalise(host, expected, from, count, channels, round ? law[0] : NULL,
			     round ? law[1] : NULL, &err) &&
		     memcmp(got, expected, count * sizeof(float)) == 0;
		if (!ok)
			printf("round %d: %s\n", round, err.message);
		if (err.status == TFR_EUNAVAILABLE)
			break;
	}
	if (err.status == TFR_EUNAVAILABLE) {
		printf("skipped: %s\n", err.message);
		skipped++;
	} else {
		check(ok, tfr_device_name(dev), "floats have the bits that the host gives them");
	}
	free(from);
	free(expected);
	free(got);
}

static void computing_overlaps(struct tfr_device *dev, size_t size)
{
	const double wanted = 0.5;
	struct tfr_event *computed = NULL;
	struct tfr_error err = { 0 };
	struct slots s;
	double start, seconds = 0;
	bool ok = open_slots(&s, dev, size) && !tfr_event_new(&computed, dev, NULL);

	start = now();
	if (ok && tfr_device_compute(dev, wanted, computed, &err) == TFR_EUNAVAILABLE) {
		printf("skipped: %s\n", err.message);
		skipped++;
		ok = false;
	} else {
		bool done;

		ok = ok && !err.status &&
		     !tfr_device_upload(dev, s.memory[0], s.staging[0], size, s.events[0], NULL) &&
		     !tfr_event_wait(s.events[0], NULL, NULL);
		done = tfr_event_done(computed);
		check(ok && (!done || now() - start > wanted), tfr_device_name(dev),
			"uploads go on while it computes");
		ok = ok && !tfr_event_wait(computed, &seconds, NULL);
		check(ok && seconds >= wanted * 0.999, tfr_device_name(dev),
			"it computes for as long as it is told");
		printf("figure: %s: %.4f s of computing took %.4f s\n", tfr_device_name(dev),
			wanted, seconds);
	}
	tfr_event_free(computed);
	close_slots(&s);
}

static void survives_too_much(struct tfr_device *dev)
{
	static const char *const calls[] = { "cuMemHostAlloc on ", "cuMemAlloc on " };
	bool ok = true;

	for (int kind = TFR_MEMORY_STAGING; kind <= TFR_MEMORY_DEVICE; kind++) {
		struct tfr_error err = { 0 };
		void *memory = NULL;

		ok = ok &&
		     tfr_device_alloc(dev, (enum tfr_memory)kind, (size_t)1 << 50, &memory, &err) ==
			     TFR_ENOMEM &&
		     strncmp(err.message, calls[kind], strlen(calls[kind])) == 0;
		if (!ok)
			printf("status %d: %s\n", err.status, err.message);
	}
	check(ok, tfr_device_name(dev), "too much memory is refused by the call's name");
}

/* --- figures --------------------------------------------------------------------------------- */

/* What a copy by the driver's calls needs. */
struct plain {
	struct CUstream_st *stream;
	struct CUevent_st *start, *end;
	tfr_cuda_ptr to;
	void *from;
};

/* REPEATS copies after one that warms up; false: a call failed. */
static bool copy_repeatedly(
	const struct tfr_cuda_api *api, const struct plain *p, size_t size, float *ms)
{
	bool ok = true;

	for (int i = 0; ok && i <= REPEATS; i++) {
		if (i == 1)
			ok = !api->cuEventRecord(p->start, p->stream);
		ok = ok && !api->cuMemcpyHtoDAsync_v2(p->to, p->from, size, p->stream);
	}
	return ok && !api->cuEventRecord(p->end, p->stream) && !api->cuEventSynchronize(p->end) &&
	       !api->cuEventElapsedTime(ms, p->start, p->end);
}

static double copy_rate(const struct tfr_cuda_api *api, size_t size, bool pinned)
{
	struct plain p = { 0 };
	float ms = 0;
	bool ok = !api->cuMemAlloc_v2(&p.to, size) &&
		  !api->cuStreamCreate(&p.stream, CUDA_STREAM_NON_BLOCKING) &&
		  !api->cuEventCreate(&p.start, 0) && !api->cuEventCreate(&p.end, 0);

	if (pinned)
		ok = ok && !api->cuMemHostAlloc(&p.from, size, 0);
	else
		ok = ok && (p.from = malloc(size));
	if (ok)
		memset(p.from, 1, size);
	ok = ok && copy_repeatedly(api, &p, size, &ms);
	if (p.start)
		api->cuEventDestroy_v2(p.start);
	if (p.end)
		api->cuEventDestroy_v2(p.end);
	if (p.stream)
		api->cuStreamDestroy_v2(p.stream);
	if (p.to)
		api->cuMemFree_v2(p.to);
	if (pinned && p.from)
		api->cuMemFreeHost(p.from);
	else
		free(p.from);
	return ok && ms > 0 ? (double)size * REPEATS / (double)ms * 1e3 : 0;
}

/* What the driver itself does: bytes per second by its events, without libtfr's device. */
static double outside(int ordinal, size_t size, bool pinned)
{
	const struct tfr_cuda_api *api;
	struct CUctx_st *context;
	bool absent;
	int device;
	double rate = 0;

	if (tfr_cuda_get(&api, &absent, NULL) || api->cuDeviceGet(&device, ordinal) ||
		api->cuDevicePrimaryCtxRetain(&context, device))
		return 0;
	if (!api->cuCtxPushCurrent_v2(context)) {
		rate = copy_rate(api, size, pinned);
		api->cuCtxPopCurrent_v2(&context);
	}
	api->cuDevicePrimaryCtxRelease_v2(device);
	return rate;
}

/* Batches dealt to `count` devices in order from rings of staging memory, by the wall's clock. */
static double dealt(struct tfr_device **devs, unsigned count, size_t size)
{
	struct slots *s = calloc(count, sizeof(*s));
	double start = 0, seconds;
	bool ok = true;

	for (unsigned d = 0; d < count; d++)
		ok = open_slots(&s[d], devs[d], size) && ok;
	for (int k = 0; ok && k < REPEATS + 2 * SLOTS; k++)
		for (unsigned d = 0; ok && d < count; d++) {
			int i = k % SLOTS;

			ok = !tfr_event_wait(s[d].events[i], NULL, NULL);
			if (k == 2 * SLOTS && d == 0)
				start = now();
			ok = ok && !tfr_device_upload(devs[d], s[d].memory[i], s[d].staging[i],
					   size, s[d].events[i], NULL);
		}
	for (unsigned d = 0; ok && d < count; d++)
		for (int i = 0; ok && i < SLOTS; i++)
			ok = !tfr_event_wait(s[d].events[i], NULL, NULL);
	seconds = now() - start;
	for (unsigned d = 0; d < count; d++)
		close_slots(&s[d]);
	free(s);
	/* When the clock starts, every memory has been used, and SLOTS - 1 uploads a device are
	 * under way. */
	return ok ? (double)size * (REPEATS + SLOTS - 1) * count / seconds : 0;
}

/* Where the first page of staging memory lies; -1: the system does not say. */
static int node_of_staging(struct tfr_device *dev)
{
	void *memory = NULL;
	int node = -1;

	if (tfr_device_alloc(dev, TFR_MEMORY_STAGING, 1 << 20, &memory, NULL))
		return -1;
	memset(memory, 1, 1 << 20);
	if (syscall(SYS_get_mempolicy, &node, NULL, 0ul, memory,
		    (unsigned long)(MPOL_F_NODE | MPOL_F_ADDR)) != 0)
		node = -1;
	tfr_device_free(dev, TFR_MEMORY_STAGING, memory);
	return node;
}

static void figures(struct tfr_device *dev, size_t size)
{
	const char *name = tfr_device_name(dev);
	int ordinal = atoi(name + strlen("cuda:"));
	double pinned = outside(ordinal, size, true), pageable = outside(ordinal, size, false);
	double link = 0, plain = 0, batches;
	bool ok = !tfr_device_links(&dev, 1, &size, false, &link, NULL) &&
		  !tfr_device_links(&dev, 1, &size, true, &plain, NULL);

	batches = dealt(&dev, 1, size);
	check(ok && pinned > 0 && pageable > 0 && batches > 0, name, "bandwidths can be measured");
	printf("figure: %s: batches of %zu MiB at %.2f GB/s, %.1f%% of pinned memory's %.2f GB/s\n",
		name, size >> 20, batches * 1e-9, 100 * batches / pinned, pinned * 1e-9);
	printf("figure: %s: tfr_device_links() says %.2f GB/s pinned (%+.1f%%), %.2f pageable "
	       "(%+.1f%%)\n",
		name, link * 1e-9, 100 * (link / pinned - 1), plain * 1e-9,
		100 * (plain / pageable - 1));
}

int main(int argc, char **argv)
{
	size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 64) << 20;
	struct tfr_device **devs = NULL, *host = NULL;
	struct tfr_error err = { 0 };
	unsigned count = 0;
	enum tfr_status status = tfr_devices_open(&devs, &count, "cuda:all", &err);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (status == TFR_EUNAVAILABLE) {
		printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", err.message);
		return 0;
	}
	if (!check(!status && !tfr_device_open(&host, "host", NULL), "cuda:all",
		    status ? err.message : "every device opens"))
		count = 0;
	for (unsigned d = 0; d < count; d++) {
		struct tfr_device_info info;

		tfr_device_info(devs[d], &info);
		printf("%s: %s\n", tfr_device_name(devs[d]), tfr_device_description(devs[d]));
		printf("figure: %s: on node %d, staging memory on node %d (-1: not known)\n",
			tfr_device_name(devs[d]), info.node, node_of_staging(devs[d]));
		uploads_arrive(devs[d], 3000001);
		floats_are_the_hosts(devs[d], host);
		computing_overlaps(devs[d], size);
		survives_too_much(devs[d]);
		figures(devs[d], size);
	}
	if (count > 1)
		printf("figure: %u devices at once: %.2f GB/s\n", count,
			dealt(devs, count, size) * 1e-9);
	tfr_devices_close(devs, count);
	tfr_device_close(host);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failed > 0;
}
