/* device/row.h - the functions of a kind of device, what all open devices have in common, and what
 * the kernel knows of the place of a device.
 *
 * A new kind is a file with one row and one line in the array of device.c.  A kind that is left out
 * of the build keeps its row, and its open() reports that.  Every function but count and open may
 * rely on a successful open. */
#ifndef TFR_DEVICE_ROW_H
#define TFR_DEVICE_ROW_H

#include <sys/types.h>

#include <tfr-private/device.h>

enum { DEVICES_MAX = 64, CHANNELS_MAX = 4 };

/* Pixels to floats.  device.c has checked the arguments and filled in the defaults. */
struct tfr_normalise_job {
	float *to;
	const uint8_t *from;
	size_t count; /* bytes, a multiple of channels */
	unsigned channels;
	float mean[CHANNELS_MAX], std[CHANNELS_MAX];
};

struct tfr_device_row {
	const char *kind; /* the beginning of a spec */
	bool in_process; /* its memory belongs to this process */

	/* The number of devices that `args` names, 1 to DEVICES_MAX.  `args` is the text after
	 * "KIND:"; NULL: none. */
	enum tfr_status (*count)(const char *args, unsigned *count, struct tfr_error *err);
	/* Opens the `nth` of them, from 0.  Fills state, name, description and node. */
	enum tfr_status (*open)(
		struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err);
	/* Whether no such device can exist: no driver, or no visible device.  `why` gives the
	 * reason.  For `auto`; NULL: the device always exists. */
	bool (*absent)(struct tfr_error *why);
	/* NULL: only the node is known. */
	void (*info)(const struct tfr_device *dev, struct tfr_device_info *info);
	void (*close)(struct tfr_device *dev);
	enum tfr_status (*alloc)(struct tfr_device *dev, enum tfr_memory kind, size_t size,
		void **memory, struct tfr_error *err);
	void (*free)(struct tfr_device *dev, enum tfr_memory kind, void *memory);
	enum tfr_status (*event_new)(
		struct tfr_event **ev, struct tfr_device *dev, struct tfr_error *err);
	void (*event_free)(struct tfr_event *ev); /* no work is in progress */
	enum tfr_status (*upload)(struct tfr_device *dev, void *to, const void *from, size_t size,
		struct tfr_event *ev, struct tfr_error *err);
	/* NULL: they always can.  Otherwise whether normalise and compute can work. */
	enum tfr_status (*kernels)(const struct tfr_device *dev, struct tfr_error *err);
	enum tfr_status (*normalise)(struct tfr_device *dev, const struct tfr_normalise_job *what,
		struct tfr_event *ev, struct tfr_error *err);
	enum tfr_status (*compute)(struct tfr_device *dev, double seconds, struct tfr_event *ev,
		struct tfr_error *err);
	enum tfr_status (*wait)(struct tfr_event *ev, double *seconds, struct tfr_error *err);
	bool (*done)(struct tfr_event *ev);
	/* NULL: work in progress cannot be cut short. */
	void (*cut_short)(struct tfr_event *ev);
	enum tfr_status (*download)(struct tfr_device *dev, void *to, const void *from, size_t size,
		struct tfr_error *err);
};

struct tfr_device {
	const struct tfr_device_row *row;
	void *state;   /* of the row */
	int node;      /* of NUMA; -1: unknown */
	pid_t process; /* that opened it */
	char name[64];
	char description[320];
	char reason[160];
};

/* The beginning of every row's event. */
struct tfr_event {
	struct tfr_device *dev;
};

extern const struct tfr_device_row tfr_device_host;
extern const struct tfr_device_row tfr_device_sim;
extern const struct tfr_device_row tfr_device_cuda;

/* --- topology.c --- */

/* Source: Documentation/ABI/testing/sysfs-bus-pci (numa_node, current_link_speed, ...).
 *
 * A copy from the other socket's memory crosses the link between the sockets, which is slower than
 * PCIe 5 and busy with other things.  The first thread that touches or pins a page decides: the
 * kernel places the page on the node that this thread's policy prefers.  So it is enough to set a
 * policy around an allocation that pins.  Without policies in the system, memory stays on any node.
 */

enum { NUMA_NODES = 1024 };

/* The node of a PCI device such as "0000:3B:00.0"; -1: none, or unknown.  `sysfs` is "/sys". */
int tfr_pci_node(const char *sysfs, const char *address);
/* Fills generation and width of the link, now and at most; 0: unknown. */
void tfr_pci_link(const char *sysfs, const char *address, struct tfr_device_info *info);

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
