/* The fake driver: modules, launches and kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "unit/driver/driver.h"

#define HEAD "// comment\n.version 4.0\n.target sm_50\n.address_size 64\n"
#define NORMALISE                                                                                  \
	".visible .entry tfr_normalise(\n.param .u64 a,\n.param .u64 b,\n.param .u64 c,\n"         \
	".param .u32 d,\n.param .align 4 .b8 e[32]\n)\n{\n}\n"
enum { LOG = 300 };

#define SPIN ".visible .entry tfr_spin(\n\t.param .u64 tfr_spin_param_0\n)\n{\n}\n"

/* What loading `ptx` gives; the log of errors is written to `log`. */
static unsigned load(const char *ptx, char log[LOG])
{
	unsigned options[] = { CUDA_JIT_ERROR_LOG_BUFFER, CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)LOG };
	struct CUmod_st *module;
	unsigned rc;

	*log = '\0';
	rc = cuModuleLoadDataEx(&module, ptx, 2, options, values);
	if (rc == CUDA_OK)
		OK(cuModuleUnload(module));
	else
		cr_assert_eq((uintptr_t)values[1], *log ? strlen(log) : LOG);
	return rc;
}

Test(modules, are_checked_as_the_compiler_does)
{
	struct CUmod_st *module;
	unsigned wrong[] = { 99 };
	void *values[] = { NULL };
	char log[LOG];
	struct bed b;

	open_bed(&b, 0, 1);
	OK(load(HEAD SPIN, log));
	cr_assert_eq(load("\177ELF", log), INVALID_IMAGE);
	cr_assert_eq(
		load(".version 4.0\n.target sm_91\n.address_size 64\n", log), CUDA_INVALID_PTX);
	cr_assert(strstr(log, "SM version"), "%s", log);
	cr_assert_eq(load(".version 4.0\n.target sm_50\n", log), CUDA_INVALID_PTX);
	OK(load(".version 9.0\n.target sm_90\n.address_size 64\n", log));
	cr_assert_eq(load(".version 9.1\n.target sm_50\n.address_size 64\n", log),
		CUDA_UNSUPPORTED_PTX_VERSION);
	fake_cuda.version = 12080;
	cr_assert_eq(load(".version 9.0\n.target sm_50\n.address_size 64\n", log),
		CUDA_UNSUPPORTED_PTX_VERSION);
	fake_cuda.badptx = true;
	cr_assert_eq(load(HEAD, log), CUDA_INVALID_PTX);
	fake_cuda.nojit = true;
	cr_assert_eq(load(HEAD, log), CUDA_JIT_COMPILER_NOT_FOUND);
	fake_cuda.disabledjit = true;
	cr_assert_eq(load(HEAD, log), CUDA_JIT_COMPILATION_DISABLED);
	cr_assert_eq(cuModuleLoadDataEx(&module, HEAD, 1, wrong, values), CUDA_INVALID_VALUE);
	cr_assert_eq(cuModuleLoadDataEx(&module, HEAD, 1, NULL, NULL), CUDA_INVALID_VALUE);
	close_bed(&b);
}

struct kernels {
	struct CUmod_st *module;
	struct CUfunc_st *normalise, *spin;
};

static void load_kernels(struct kernels *k)
{
	struct CUfunc_st *other;
	int registers;

	OK(cuModuleLoadDataEx(&k->module, HEAD NORMALISE SPIN, 0, NULL, NULL));
	OK(cuModuleGetFunction(&k->normalise, k->module, "tfr_normalise"));
	OK(cuModuleGetFunction(&k->spin, k->module, "tfr_spin"));
	cr_assert_eq(cuModuleGetFunction(&other, k->module, "tfr_spi"), NOT_FOUND);
	OK(cuFuncGetAttribute(&registers, CUDA_FUNC_ATTRIBUTE_NUM_REGS, k->normalise));
	OK(cuFuncGetAttribute(&registers, CUDA_FUNC_ATTRIBUTE_NUM_REGS, k->spin));
}

Test(modules, have_the_parameters_of_the_source, .signal = SIGABRT)
{
	struct CUmod_st *module;
	struct CUfunc_st *f;
	struct bed b;

	open_bed(&b, 0, 1);
	OK(cuModuleLoadDataEx(
		&module, HEAD ".visible .entry tfr_spin(.param .u32 a)\n{\n}\n", 0, NULL, NULL));
	cuModuleGetFunction(&f, module, "tfr_spin");
}

static unsigned launch_spin(
	struct bed *b, struct CUfunc_st *f, const unsigned grid[3], const unsigned block[3])
{
	uint64_t ns = 0;
	void *parameters[] = { &ns };

	return cuLaunchKernel(f, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0,
		b->stream, parameters, NULL);
}

Test(launches, are_limited)
{
	static const unsigned bad[][2][3] = {
		{ { 0, 1, 1 }, { 1, 1, 1 } },
		{ { 1, 0, 1 }, { 1, 1, 1 } },
		{ { 1, 1, 1 }, { 1, 1, 0 } },
		{ { 1, 1, 1 }, { 1025, 1, 1 } },
		{ { 1, 1, 1 }, { 32, 33, 1 } },
		{ { 1, 1, 1 }, { 1, 1, 65 } },
		{ { 0x80000000u, 1, 1 }, { 1, 1, 1 } },
		{ { 1, 65536, 1 }, { 1, 1, 1 } },
	};
	struct kernels k;
	struct bed b;

	open_bed(&b, 0, 1);
	load_kernels(&k);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert_eq(launch_spin(&b, k.spin, bad[i][0], bad[i][1]), CUDA_INVALID_VALUE,
			"%zu", i);
	OK(launch_spin(&b, k.spin, (unsigned[]){ 3, 1, 1 }, (unsigned[]){ 1024, 1, 1 }));
	OK(cuStreamSynchronize(b.stream));
	OK(cuModuleUnload(k.module));
	close_bed(&b);
}

/* Floats of `count` bytes by `blocks` blocks of `threads`; the floats come first in `memory`. */
static unsigned normalise(
	struct bed *b, struct CUfunc_st *f, uint64_t count, unsigned blocks, unsigned threads)
{
	struct {
		float mean[4], std[4];
	} scale = { { 1, 2, 3, 0 }, { 2, 4, 8, 1 } };
	tfr_cuda_ptr to = b->memory, from = b->memory + count * 4;
	uint32_t channels = 3;
	void *parameters[] = { &to, &from, &count, &channels, &scale };

	return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, b->stream, parameters, NULL);
}

Test(launches, run_every_thread_of_every_block)
{
	enum { COUNT = 3 * 700 };
	float *floats = malloc(COUNT * sizeof(float));
	struct kernels k;
	struct bed b;

	open_bed(&b, 0, COUNT * 5);
	load_kernels(&k);
	for (int i = 0; i < COUNT; i++)
		b.pinned[i] = (unsigned char)i;
	for (unsigned blocks = 1; blocks <= 4; blocks++) {
		OK(cuMemcpyHtoDAsync_v2(b.memory + COUNT * 4, b.pinned, COUNT, b.stream));
		OK(normalise(&b, k.normalise, COUNT, blocks, 768));
		OK(cuMemcpyDtoHAsync_v2(floats, b.memory, COUNT * 4, b.stream));
		for (int i = 0; i < COUNT; i++)
			cr_assert_eq(floats[i],
				((float)(unsigned char)i - (float)(i % 3 + 1)) /
					(float)(2 << i % 3),
				"%u blocks, value %d", blocks, i);
	}
	OK(normalise(&b, k.normalise, COUNT + 1, 1, 768)); /* beyond the memory */
	cr_assert_eq(cuStreamSynchronize(b.stream), CUDA_ILLEGAL_ADDRESS);
	cr_assert_eq(cuModuleUnload(k.module), CUDA_ILLEGAL_ADDRESS);
	free(floats);
	close_bed(&b);
}

Test(launches, spin_on_all_blocks_at_once_beside_copies)
{
	uint64_t ns = 50000000, start;
	void *parameters[] = { &ns };
	struct kernels k;
	struct bed b;
	float ms;

	open_bed(&b, 0, 100);
	load_kernels(&k);
	memset(b.pinned, 1, 100);
	start = tfr_clock_ns();
	OK(cuEventRecord(b.start, b.other));
	OK(cuLaunchKernel(k.spin, 16, 1, 1, 32, 1, 1, 0, b.other, parameters, NULL));
	OK(cuEventRecord(b.end, b.other));
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, 100, b.stream));
	OK(cuStreamSynchronize(b.stream));
	if (tfr_clock_ns() - start < ns)
		cr_assert_eq(cuEventQuery(b.end), CUDA_NOT_READY);
	OK(cuEventSynchronize(b.end));
	OK(cuEventElapsedTime(&ms, b.start, b.end));
	cr_assert_geq(ms, 49.99f);
	OK(cuModuleUnload(k.module));
	cr_assert_eq(fake_cuda_waiting_frees(), 0);
	close_bed(&b);
}

/* CUDA loads a kernel lazily, which waits for the kernels in progress. */
Test(launches, load_a_kernel_that_was_not_asked_about)
{
	struct CUfunc_st *late;
	uint64_t ns = 0;
	void *parameters[] = { &ns };
	pthread_t thread;
	struct kernels k;
	struct bed b;

	open_bed(&b, 0, 100);
	load_kernels(&k);
	OK(cuModuleGetFunction(&late, k.module, "tfr_spin"));
	fake_cuda.hangs = "kernel";
	OK(cuLaunchKernel(k.spin, 1, 1, 1, 1, 1, 1, 0, b.stream, parameters, NULL));
	thread = end_hangs_later();
	OK(cuLaunchKernel(late, 1, 1, 1, 1, 1, 1, 0, b.other, parameters, NULL));
	cr_assert_eq(fake_cuda_waiting_frees(), 1);
	OK(cuStreamSynchronize(b.other));
	pthread_join(thread, NULL);
	OK(cuModuleUnload(k.module));
	close_bed(&b);
}
