/* device/kernels.cu - the kernels: pixels to floats, and one that only takes time.
 *
 * This file includes no header of CUDA's: clang compiles it to kernels.ptx (scripts/ptx), which is
 * kept in the tree, and the driver compiles that for its device.  Tests include it as C after
 * defining the macros below, and run it for every thread of every block on the processor.
 *
 * No multiplication and addition may be fused (-ffp-contract=off), and clang divides floats with
 * correct rounding, so each value has the bits of the processor's plain twin (copier.c). */
#ifndef KERNEL
#define KERNEL extern "C" __attribute__((global))
#define DEVICE static __attribute__((device)) inline

typedef unsigned char uint8_t;
typedef unsigned uint32_t;
typedef unsigned long long uint64_t;

DEVICE uint32_t block_index(void)
{
	return __nvvm_read_ptx_sreg_ctaid_x();
}

DEVICE uint32_t block_count(void)
{
	return __nvvm_read_ptx_sreg_nctaid_x();
}

DEVICE uint32_t thread_index(void)
{
	return __nvvm_read_ptx_sreg_tid_x();
}

DEVICE uint32_t thread_count(void)
{
	return __nvvm_read_ptx_sreg_ntid_x();
}

/* Nanoseconds.  It advances in steps of up to a millisecond on old devices. */
DEVICE uint64_t global_ns(void)
{
	uint64_t ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}
#endif

/* Mirrored by cuda.c. */
struct tfr_kernel_scale {
	float mean[4], std[4];
};

/* to[i] = (from[i] - mean[c]) / std[c], c = i % channels.  The threads of a block are a multiple
 * of 1, 2, 3 and 4, so that every value of a thread belongs to one channel. */
KERNEL void tfr_normalise(float *to, const uint8_t *from, uint64_t count, uint32_t channels,
	struct tfr_kernel_scale scale)
{
	uint64_t i = (uint64_t)block_index() * thread_count() + thread_index();
	uint64_t stride = (uint64_t)block_count() * thread_count();
	uint32_t c = (uint32_t)(i % channels);
	float mean = scale.mean[0], std = scale.std[0];

	/* Comparisons instead of an index keep the array out of slow local memory. */
	for (uint32_t k = 1; k < 4; k++) {
		mean = c == k ? scale.mean[k] : mean;
		std = c == k ? scale.std[k] : std;
	}
	for (; i < count; i += stride)
		to[i] = ((float)from[i] - mean) / std;
}

/* Keeps the multiprocessor of each block busy for `ns` nanoseconds. */
KERNEL void tfr_spin(uint64_t ns)
{
	uint64_t start = global_ns();

	while (global_ns() - start < ns)
		;
}
