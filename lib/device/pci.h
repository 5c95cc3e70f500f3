/* device/pci.h - what the kernel knows of a PCI device.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-pci (numa_node, current_link_speed, ...). */
#ifndef TFR_DEVICE_PCI_H
#define TFR_DEVICE_PCI_H

#include <tfr-private/device.h>

/* The node of a PCI device such as "0000:3B:00.0"; -1: none, or unknown.  `sysfs` is "/sys". */
int tfr_pci_node(const char *sysfs, const char *address);

/* Fills generation and width of the link, now and at most; 0: unknown. */
void tfr_pci_link(const char *sysfs, const char *address, struct tfr_device_info *info);

#endif
