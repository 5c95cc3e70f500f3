/* device/numa.h - the node of NUMA that a PCI device hangs on, and memory of that node.
 *
 * A copy from the other socket's memory crosses the link between the sockets, which is slower than
 * PCIe 5 and busy with other things.  The kernel places a page on the node that the policy of the
 * thread prefers which touches or pins it first, so a policy set around an allocation that pins is
 * all it takes.  Where the system has no policies, memory lies where it lies. */
#ifndef TFR_DEVICE_NUMA_H
#define TFR_DEVICE_NUMA_H

#include <stddef.h>

enum { NUMA_NODES = 1024 };

/* A thread's policy, to be put back. */
struct numa_policy {
	int set, mode;
	unsigned long nodes[NUMA_NODES / (8 * sizeof(unsigned long))];
};

/* The node of a PCI device such as "0000:3B:00.0", as SYSFS/bus/pci/devices has it in lower case
 * (Documentation/ABI/testing/sysfs-bus-pci: numa_node).  -1: none, or not known. */
int tfr_numa_node_of_pci(const char *sysfs, const char *address);

/* This thread's pages come from `node` while it has any; -1 changes nothing. */
void tfr_numa_prefer(struct numa_policy *before, int node);
void tfr_numa_restore(const struct numa_policy *before);

#endif
