/* Memory of a CUDA device over the fake driver: where pinned memory is, and how much of it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/row.h"
#include "fake_cuda.h"
#include "unit/device/cuda_bed.h"

static int preferred_mode(void)
{
	int mode = -1;

	return syscall(SYS_get_mempolicy, &mode, NULL, 0ul, NULL, 0ul) == 0 ? mode : -1;
}

Test(numa, a_policy_is_set_for_a_while)
{
	struct tfr_numa_policy before;
	int mode = preferred_mode();

	if (mode < 0)
		cr_skip_test("this system has no memory policies");
	cr_assert_eq(tfr_numa_prefer(&before, 0), 0);
	cr_assert_eq(preferred_mode(), 1); /* MPOL_PREFERRED */
	tfr_numa_restore(&before);
	cr_assert_eq(preferred_mode(), mode);
}

Test(numa, a_node_that_is_not_there_is_refused_and_an_unknown_one_ignored)
{
	struct tfr_numa_policy before;
	int mode = preferred_mode();

	if (mode < 0)
		cr_skip_test("this system has no memory policies");
	cr_assert_eq(tfr_numa_prefer(&before, NUMA_NODES - 1), EINVAL);
	tfr_numa_restore(&before);
	cr_assert_eq(tfr_numa_prefer(&before, -1), 0);
	tfr_numa_restore(&before);
	cr_assert_eq(preferred_mode(), mode);
}

static void allocate_on(struct tfr_device *dev, int node, struct tfr_device_info *info)
{
	void *memory;

	dev->node = node;
	cr_assert_eq(tfr_device_alloc(dev, TFR_MEMORY_STAGING, SIZE, &memory, NULL), TFR_OK);
	tfr_device_info(dev, info);
	tfr_device_free(dev, TFR_MEMORY_STAGING, memory);
}

Test(cuda_memory, staging_memory_is_on_the_node_of_the_device)
{
	struct tfr_numa_policy saved;
	struct tfr_device_info info;
	int before = preferred_mode(), refused = tfr_numa_prefer(&saved, 0);
	struct tfr_device *dev;

	tfr_numa_restore(&saved);
	cr_assert_eq(tfr_device_open(&dev, "cuda", NULL), TFR_OK);
	allocate_on(dev, -1, &info);
	cr_assert_eq(fake_cuda_pinned_node(), -1);
	cr_assert_str_empty(info.unbound);
	allocate_on(dev, 0, &info);
	cr_assert_eq(fake_cuda_pinned_node(), refused ? -1 : 0);
	cr_assert_eq(*info.unbound != '\0', refused != 0);
	allocate_on(dev, NUMA_NODES - 1, &info); /* there is no such node */
	cr_assert_eq(fake_cuda_pinned_node(), -1);
	cr_assert_eq(strncmp(info.unbound, "set_mempolicy: ", 15), 0, "%s", info.unbound);
	cr_assert_eq(preferred_mode(), before);
	tfr_device_close(dev);
	cr_assert(fake_cuda_all_freed());
}

Test(cuda_memory, pinned_memory_is_counted_at_its_most)
{
	struct tfr_device_info info;
	struct tfr_device *dev;
	void *memory[3];

	cr_assert_eq(tfr_device_open(&dev, "cuda", NULL), TFR_OK);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(tfr_device_alloc(dev, TFR_MEMORY_STAGING, 1000000, &memory[i], NULL),
			TFR_OK);
	for (int i = 0; i < 3; i++)
		tfr_device_free(dev, TFR_MEMORY_STAGING, memory[i]);
	cr_assert_eq(tfr_device_alloc(dev, TFR_MEMORY_STAGING, 10, &memory[0], NULL), TFR_OK);
	tfr_device_free(dev, TFR_MEMORY_STAGING, memory[0]);
	tfr_device_info(dev, &info);
	cr_assert_eq(info.pinned, 3000000);
	cr_assert_leq(info.pinned_outside, info.pinned);
	tfr_device_close(dev);
	cr_assert(fake_cuda_all_freed());
}
