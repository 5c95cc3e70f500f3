/* device/cuda_memory.c - pinned, pageable and device memory of a CUDA device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "device/cuda_device.h"
#include "device/numa.h"

enum { PAGE = 4096 };

/* Bytes of this process that are in memory: the second number of /proc/self/statm, in pages. */
static uint64_t resident_bytes(void)
{
	unsigned long long size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &size, &pages) != 2)
		pages = 0;
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Notes pinned memory.  Whether the process's size counts it depends on how the driver maps it:
 * its growth during the allocation tells. */
static void note_pinned(struct tfr_cuda *c, struct tfr_cuda_pinned *block, uint64_t grown)
{
	block->outside = grown < block->size ? block->size - grown : 0;
	pthread_mutex_lock(&c->lock);
	block->next = c->pinned;
	c->pinned = block;
	c->pinned_now += block->size;
	c->outside_now += block->outside;
	if (c->pinned_now > c->info.pinned) {
		c->info.pinned = c->pinned_now;
		c->info.pinned_outside = c->outside_now;
	}
	pthread_mutex_unlock(&c->lock);
}

static void forget_pinned(struct tfr_cuda *c, const void *memory)
{
	pthread_mutex_lock(&c->lock);
	for (struct tfr_cuda_pinned **at = &c->pinned; *at; at = &(*at)->next)
		if ((*at)->memory == memory) {
			struct tfr_cuda_pinned *block = *at;

			*at = block->next;
			c->pinned_now -= block->size;
			c->outside_now -= block->outside;
			free(block);
			break;
		}
	pthread_mutex_unlock(&c->lock);
}

/* Pinned memory gets its place when it is pinned: in this call, on this thread. */
static unsigned pin(struct tfr_device *dev, size_t size, void **memory)
{
	struct tfr_cuda *c = dev->state;
	struct tfr_numa_policy before;
	int refused = tfr_numa_prefer(&before, dev->node);
	unsigned rc = c->api->cuMemHostAlloc(memory, size, 0);

	tfr_numa_restore(&before);
	if (refused) {
		pthread_mutex_lock(&c->lock);
		snprintf(c->info.unbound, sizeof(c->info.unbound), "set_mempolicy: %s",
			strerror(refused));
		pthread_mutex_unlock(&c->lock);
	}
	return rc;
}

static enum tfr_status alloc_pinned(
	struct tfr_device *dev, size_t size, void **memory, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
	struct tfr_cuda_pinned *block = malloc(sizeof(*block));
	uint64_t before = resident_bytes(), after;
	unsigned rc;

	if (!block)
		return tfr_fail_nomem(err, "making room for batches");
	rc = pin(dev, size, memory);
	if (rc) {
		free(block);
		tfr_cuda_fail(c->api, err, dev->name, "cuMemHostAlloc", rc);
		if (rc == CUDA_OUT_OF_MEMORY)
			tfr_error_hint(err, "Staging memory is pinned: lower --batch or the "
					    "prefetch of the stage list, or use --pageable.");
		return rc == CUDA_OUT_OF_MEMORY ? TFR_ENOMEM : TFR_ESYS;
	}
	after = resident_bytes();
	*block = (struct tfr_cuda_pinned){ .memory = *memory, .size = size };
	note_pinned(c, block, after > before ? after - before : 0);
	return TFR_OK;
}

static enum tfr_status alloc_device(
	struct tfr_device *dev, size_t size, void **memory, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
	size_t free_bytes, total;
	tfr_cuda_ptr at = 0;
	unsigned rc = c->api->cuMemAlloc_v2(&at, size);

	if (rc == CUDA_OK) {
		*memory = (void *)(uintptr_t)at;
		return TFR_OK;
	}
	tfr_cuda_fail(c->api, err, dev->name, "cuMemAlloc_v2", rc);
	if (rc != CUDA_OUT_OF_MEMORY)
		return TFR_ESYS;
	if (c->api->cuMemGetInfo_v2(&free_bytes, &total) == CUDA_OK)
		tfr_error_append(err, " (%.2f GiB asked for, %.2f of %.2f GiB free)",
			(double)size * 0x1p-30, (double)free_bytes * 0x1p-30,
			(double)total * 0x1p-30);
	return TFR_ENOMEM;
}

enum tfr_status tfr_cuda_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err)
{
	enum tfr_status status;

	if (kind == TFR_MEMORY_PAGEABLE)
		return posix_memalign(memory, PAGE, size)
			       ? tfr_fail(err, TFR_ENOMEM,
					 "device %s: no memory for a buffer of %zu bytes",
					 dev->name, size)
			       : TFR_OK;
	TFR_TRY(tfr_cuda_enter(dev, err));
	status = kind == TFR_MEMORY_STAGING ? alloc_pinned(dev, size, memory, err)
					    : alloc_device(dev, size, memory, err);
	tfr_cuda_leave(dev);
	return status;
}

void tfr_cuda_free(struct tfr_device *dev, enum tfr_memory kind, void *memory)
{
	struct tfr_cuda *c = dev->state;

	if (kind == TFR_MEMORY_PAGEABLE) {
		free(memory);
		return;
	}
	if (kind == TFR_MEMORY_STAGING)
		forget_pinned(c, memory);
	if (tfr_cuda_enter(dev, NULL))
		return;
	if (kind == TFR_MEMORY_STAGING)
		c->api->cuMemFreeHost(memory);
	else
		c->api->cuMemFree_v2((uintptr_t)memory);
	tfr_cuda_leave(dev);
}
