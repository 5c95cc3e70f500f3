/* device/numa.c - uses system calls directly: libnuma would be a library for three of them. */
#include "device/numa.h"

#include <ctype.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORD = 8 * sizeof(unsigned long) };

int tfr_numa_node_of_pci(const char *sysfs, const char *address)
{
	char path[512], lower[32];
	size_t length = strlen(address);
	int node = -1;
	FILE *f;

	if (length >= sizeof(lower) || strspn(address, "0123456789abcdefABCDEF:.") != length)
		return -1;
	for (size_t i = 0; i <= length; i++)
		lower[i] = (char)tolower((unsigned char)address[i]);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/numa_node", sysfs, lower);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%d", &node) != 1 || node < 0 || node >= NUMA_NODES)
		node = -1;
	fclose(f);
	return node;
}

void tfr_numa_prefer(struct tfr_numa_policy *before, int node)
{
	unsigned long nodes[NUMA_NODES / WORD] = { 0 };

	before->set = 0;
	if (node < 0 || node >= NUMA_NODES ||
		syscall(SYS_get_mempolicy, &before->mode, before->nodes, (unsigned long)NUMA_NODES,
			NULL, 0ul) != 0)
		return;
	nodes[node / WORD] = 1ul << node % WORD;
	/* The kernel reads one bit fewer than the argument says. */
	before->set = syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes, NUMA_NODES + 1ul) == 0;
}

void tfr_numa_restore(const struct tfr_numa_policy *before)
{
	if (before->set)
		syscall(SYS_set_mempolicy, before->mode, before->nodes, NUMA_NODES + 1ul);
}
