/* device/numa.h - memory of a NUMA node.
 *
 * A copy from the other socket's memory crosses the link between the sockets, which is slower than
 * PCIe 5 and busy with other things.  The first thread that touches or pins a page decides: the
 * kernel places the page on the node that this thread's policy prefers.  So it is enough to set a
 * policy around an allocation that pins.  Without policies in the system, memory stays on any node.
 */
#ifndef TFR_DEVICE_NUMA_H
#define TFR_DEVICE_NUMA_H

enum { NUMA_NODES = 1024 };

/* A thread's policy, to be restored. */
struct tfr_numa_policy {
	int set, mode;
	unsigned long nodes[NUMA_NODES / (8 * sizeof(unsigned long))];
};

/* This thread's pages come from `node` while it has any; -1 changes nothing.  Returns 0, or the
 * errno of a system that refuses: pages then come from any node.  Containers refuse with EPERM
 * unless they may set policies (CAP_SYS_NICE), kernels without NUMA with ENOSYS. */
int tfr_numa_prefer(struct tfr_numa_policy *before, int node);
void tfr_numa_restore(const struct tfr_numa_policy *before);

#endif
