/* memory.c - device memory and pinned memory.
 *
 * The driver waits for all work of the device before it frees memory, which delays the caller by
 * a kernel that has nothing to do with it: such calls are counted.  Memory that a copy or a kernel
 * still uses must not be freed at all, although the driver's wait would hide that. */
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake.h"

/* New memory has a content that no test expects; of a large block only the beginning. */
enum { PATTERN = 0xa5, PATTERN_MOST = 1 << 20, PAGE = 4096 };

static bool contains(const struct fake_block *b, const char *memory, size_t size)
{
	return memory >= b->memory && memory < b->memory + b->size &&
	       size <= b->size - (size_t)(memory - b->memory);
}

struct fake_block *fake_block(const void *memory, size_t size, bool pinned)
{
	for (struct fake_object *o = fake.objects; o; o = o->next) {
		struct fake_block *b = (struct fake_block *)o;

		if (o->kind == FAKE_BLOCK && b->pinned == pinned && contains(b, memory, size))
			return b;
	}
	return NULL;
}

struct fake_block *fake_device_block(struct CUctx_st *c, tfr_cuda_ptr address, size_t size)
{
	struct fake_block *b = NULL;

	if (address & DEVICE_BIT)
		b = fake_block((const void *)(uintptr_t)(address & ~DEVICE_BIT), size, false);
	return b && b->object.context == c ? b : NULL;
}

static unsigned allocate(struct CUctx_st *c, struct fake_block **out, size_t size, bool pinned)
{
	struct fake_block *b;
	unsigned error = CUDA_OK;

	if (size == 0)
		return CUDA_INVALID_VALUE;
	pthread_mutex_lock(&fake.lock);
	if ((double)size + (pinned ? 0 : (double)c->used) > fake_cuda.memory)
		error = CUDA_OUT_OF_MEMORY;
	else if (!pinned)
		c->used += size;
	pthread_mutex_unlock(&fake.lock);
	if (error)
		return error;
	b = malloc(sizeof(*b));
	*b = (struct fake_block){ .memory = aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE),
		.size = size,
		.pinned = pinned };
	memset(b->memory, PATTERN, size < PATTERN_MOST ? size : PATTERN_MOST);
	pthread_mutex_lock(&fake.lock);
	fake_add(&b->object, FAKE_BLOCK, c);
	pthread_mutex_unlock(&fake.lock);
	*out = b;
	return CUDA_OK;
}

void fake_block_free(struct fake_block *b)
{
	if (!b->pinned)
		b->object.context->used -= b->size;
	fake_remove(&b->object);
	free(b->memory);
	free(b);
}

/* After a failure the caller may be unable to wait for the work that uses the memory. */
static void release(const char *call, struct CUctx_st *c, struct fake_block *b)
{
	if (b->users && !c->error && !fake.failed[c->device])
		fake_abort("%s: work in progress uses the %zu bytes", call, b->size);
	if (fake_drain(c))
		fake.waiting_frees++;
	fake_block_free(b);
}

/* The node that this thread's pages are to come from. */
static int preferred_node(void)
{
	unsigned long nodes[16] = { 0 };
	int mode = 0;

	if (syscall(SYS_get_mempolicy, &mode, nodes, 1024ul, NULL, 0ul) != 0 ||
		mode != MPOL_PREFERRED)
		return -1;
	for (int n = 0; n < 1024; n++)
		if (nodes[n / 64] >> n % 64 & 1)
			return n;
	return -1;
}

unsigned cuMemHostAlloc(void **memory, size_t size, unsigned flags)
{
	int node = preferred_node();
	struct fake_block *b;
	struct CUctx_st *c;

	ENTER(fake_enter_context(__func__, &c));
	if (!memory || flags > 7)
		return CUDA_INVALID_VALUE;
	ENTER(allocate(c, &b, size, true));
	*memory = b->memory;
	pthread_mutex_lock(&fake.lock);
	fake.pinned_node = node;
	pthread_mutex_unlock(&fake.lock);
	return CUDA_OK;
}

unsigned cuMemAlloc_v2(tfr_cuda_ptr *memory, size_t size)
{
	struct fake_block *b;
	struct CUctx_st *c;

	ENTER(fake_enter_context(__func__, &c));
	if (!memory)
		return CUDA_INVALID_VALUE;
	ENTER(allocate(c, &b, size, false));
	*memory = (uintptr_t)b->memory | DEVICE_BIT;
	return CUDA_OK;
}

static unsigned free_block(const char *call, struct CUctx_st *c, const void *memory, bool pinned)
{
	struct fake_block *b;
	unsigned error = CUDA_OK;

	pthread_mutex_lock(&fake.lock);
	b = fake_block(memory, 1, pinned);
	if (!b || b->memory != memory || b->object.context != c)
		error = CUDA_INVALID_VALUE;
	else
		release(call, c, b);
	pthread_mutex_unlock(&fake.lock);
	return error;
}

unsigned cuMemFreeHost(void *memory)
{
	struct CUctx_st *c;
	unsigned error = fake_enter_context(__func__, &c), wrong;

	if (!c)
		return error;
	wrong = free_block(__func__, c, memory, true);
	return wrong ? wrong : error;
}

unsigned cuMemFree_v2(tfr_cuda_ptr memory)
{
	struct CUctx_st *c;
	unsigned error = fake_enter_context(__func__, &c), wrong = CUDA_INVALID_VALUE;

	if (!c)
		return error;
	if (memory & DEVICE_BIT)
		wrong = free_block(
			__func__, c, (const void *)(uintptr_t)(memory & ~DEVICE_BIT), false);
	return wrong ? wrong : error;
}

unsigned cuMemGetInfo_v2(size_t *available, size_t *total)
{
	struct CUctx_st *c;

	ENTER(fake_enter_context(__func__, &c));
	pthread_mutex_lock(&fake.lock);
	*total = (size_t)fake_cuda.memory;
	*available = *total - c->used;
	pthread_mutex_unlock(&fake.lock);
	return CUDA_OK;
}
