/* device/numa.c - uses system calls directly: libnuma would be a library for three of them. */
#include "device/numa.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORD = 8 * sizeof(unsigned long) };

int tfr_numa_prefer(struct tfr_numa_policy *before, int node)
{
	unsigned long nodes[NUMA_NODES / WORD] = { 0 };

	before->set = 0;
	if (node < 0 || node >= NUMA_NODES)
		return 0;
	if (syscall(SYS_get_mempolicy, &before->mode, before->nodes, (unsigned long)NUMA_NODES,
		    NULL, 0ul) != 0)
		return errno;
	nodes[node / WORD] = 1ul << node % WORD;
	/* The kernel reads one bit fewer than the argument says. */
	if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes, NUMA_NODES + 1ul) != 0)
		return errno;
	before->set = 1;
	return 0;
}

void tfr_numa_restore(const struct tfr_numa_policy *before)
{
	if (before->set)
		syscall(SYS_set_mempolicy, before->mode, before->nodes, NUMA_NODES + 1ul);
}
