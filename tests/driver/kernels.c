/* kernels.c - launches: their checks, and the kernels' own source as C, for every thread of every
 * block, on the thread of the stream.
 *
 * The threads of a grid run one after the other, so that waiting for the clock must not add up:
 * the clock of each begins when the launch does. */
#include <string.h>

#include "fake.h"

static __thread struct {
	unsigned block, thread;
	const struct fake_launch *launch;
	uint64_t start_ns; /* of the launch */
	unsigned looks;	   /* of this thread of the grid at the clock */
} now;

/* --- kernels.cu as C ------------------------------------------------------------------------- */

static uint32_t block_index(void)
{
	return now.block;
}

static uint32_t block_count(void)
{
	return now.launch->grid[0];
}

static uint32_t thread_index(void)
{
	return now.thread;
}

static uint32_t thread_count(void)
{
	return now.launch->block[0];
}

/* A loop that looks again and again sleeps, for a part of the time that has passed. */
static uint64_t global_ns(void)
{
	uint64_t passed;

	if (now.looks++ == 0)
		return now.start_ns;
	passed = fake_now_ns() - now.start_ns;
	if (now.looks > 2) {
		uint64_t part = passed / 16;

		fake_sleep_until(fake_now_ns() + (part < 10000		  ? 10000
							 : part > 1000000 ? 1000000
									  : part));
	}
	return fake_now_ns();
}

#define KERNEL static
#include "device/kernels.cu"

/* --- the kernels by name --------------------------------------------------------------------- */

typedef unsigned char parameter[FAKE_PARAMETER_BYTES];

static void normalise_thread(const parameter *p)
{
	struct tfr_kernel_scale scale;
	const uint8_t *from;
	uint32_t channels;
	uint64_t count;
	float *to;

	memcpy(&to, p[0], sizeof(to));
	memcpy(&from, p[1], sizeof(from));
	memcpy(&count, p[2], sizeof(count));
	memcpy(&channels, p[3], sizeof(channels));
	memcpy(&scale, p[4], sizeof(scale));
	tfr_normalise(to, from, count, channels, scale);
}

/* Turns the address in a parameter into one of the process. */
static struct fake_use resolve(struct CUctx_st *c, parameter *p, size_t size, bool writes)
{
	struct fake_use use = { .size = size, .writes = writes };
	tfr_cuda_ptr address;

	memcpy(&address, p, sizeof(address));
	use.block = fake_device_block(c, address, size);
	address &= ~(tfr_cuda_ptr)DEVICE_BIT;
	use.at = (const char *)(uintptr_t)address;
	memcpy(p, &address, sizeof(address));
	return use;
}

static bool normalise_resolve(struct CUctx_st *c, parameter *p, struct fake_use *uses)
{
	uint32_t channels;
	uint64_t count;

	memcpy(&count, p[2], sizeof(count));
	memcpy(&channels, p[3], sizeof(channels));
	if (channels == 0 || channels > 4)
		fake_abort("tfr_normalise: %u channels", channels);
	uses[0] = resolve(c, &p[0], count * sizeof(float), true);
	uses[1] = resolve(c, &p[1], count, false);
	return uses[0].block && uses[1].block;
}

static void spin_thread(const parameter *p)
{
	uint64_t ns;

	memcpy(&ns, p[0], sizeof(ns));
	tfr_spin(ns);
}

static const struct fake_kernel kernels[] = {
	{ "tfr_normalise", { 8, 8, 8, 4, sizeof(struct tfr_kernel_scale) }, normalise_thread,
		normalise_resolve },
	{ "tfr_spin", { 8 }, spin_thread, NULL },
};

const struct fake_kernel *fake_kernel_named(const char *name)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	return NULL;
}

/* --- launches -------------------------------------------------------------------------------- */

static void run_block(const struct fake_launch *l)
{
	for (now.thread = 0; now.thread < l->block[0]; now.thread++) {
		now.looks = 0;
		l->kernel->thread((const parameter *)l->parameters);
	}
}

void fake_launch_run(const struct fake_launch *l)
{
	now.launch = l;
	now.start_ns = fake_now_ns();
	for (now.block = 0; now.block < l->grid[0]; now.block++)
		run_block(l);
}

/* The limits of compute capability 5.0 and later (CUDA C++ Programming Guide, technical
 * specifications). */
static bool is_within_limits(const unsigned *grid, const unsigned *block, unsigned shared)
{
	uint64_t threads = 1;

	for (int i = 0; i < 3; i++) {
		threads *= block[i];
		if (grid[i] == 0 || block[i] == 0 || block[i] > (i < 2 ? 1024u : 64u) ||
			grid[i] > (i == 0 ? 0x7fffffffu : 65535u))
			return false;
	}
	return threads <= 1024 && shared <= 48 << 10;
}

/* A kernel that is not loaded yet waits for all work of the device. */
static void load(struct CUfunc_st *f)
{
	if (!f->loaded && fake_drain(f->object.context))
		fake.waiting_frees++;
	f->loaded = true;
}

static unsigned launch(
	const char *call, struct CUfunc_st *f, struct CUstream_st *s, struct fake_launch *l)
{
	struct fake_use uses[FAKE_USES] = { 0 };
	struct CUctx_st *c = f->object.context;
	bool resolved;

	fake_must_exist(call, FAKE_STREAM, s);
	if (((struct fake_object *)s)->context != c)
		return CUDA_INVALID_HANDLE;
	load(f);
	resolved = !l->kernel->resolve || l->kernel->resolve(c, l->parameters, uses);
	fake_stream_launch(s, l, uses, resolved ? CUDA_OK : CUDA_ILLEGAL_ADDRESS);
	return CUDA_OK;
}

unsigned cuLaunchKernel(struct CUfunc_st *f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
	struct CUstream_st *s, void **parameters, void **extra)
{
	struct fake_launch l = { .grid = { grid_x, grid_y, grid_z },
		.block = { block_x, block_y, block_z } };
	unsigned error;

	ENTER(fake_enter_object(__func__, FAKE_FUNCTION, f, NULL));
	if (!s)
		return CUDA_INVALID_HANDLE; /* the default stream is not modelled */
	if (!is_within_limits(l.grid, l.block, shared) || !parameters || extra)
		return CUDA_INVALID_VALUE;
	if (grid_y * grid_z * block_y * block_z != 1)
		fake_abort("%s: the kernels have one dimension", __func__);
	l.kernel = f->kernel;
	for (int i = 0; i < FAKE_PARAMETERS && l.kernel->sizes[i]; i++)
		memcpy(l.parameters[i], parameters[i], l.kernel->sizes[i]);
	pthread_mutex_lock(&fake.lock);
	error = launch(__func__, f, s, &l);
	pthread_mutex_unlock(&fake.lock);
	return error;
}
