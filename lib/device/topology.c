/* device/topology.c - where a device is: the link and the node of a PCI device, as sysfs tells
 * them, each attribute a line of text; and memory of a node.
 *
 * Policies are set by system calls: libnuma would be a library for three of them. */
#include "device/row.h"

#include <ctype.h>
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tfr-private/text.h>

/* --- PCI --- */

/* A driver writes addresses in capitals, sysfs in lower case.  False: there is no such attribute,
 * and the text is empty. */
static bool read_attribute(
	const char *sysfs, const char *address, const char *name, char *text, int size)
{
	char path[512], lower[32];
	size_t length = strlen(address);
	FILE *f;

	*text = '\0';
	if (!length || length >= sizeof(lower) ||
		strspn(address, "0123456789abcdefABCDEF:.") != length)
		return false;
	for (size_t i = 0; i <= length; i++)
		lower[i] = (char)tolower((unsigned char)address[i]);
	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", sysfs, lower, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(text, size, f))
		*text = '\0';
	fclose(f);
	return *text;
}

int tfr_pci_node(const char *sysfs, const char *address)
{
	char text[32], *end;
	long node;

	if (!read_attribute(sysfs, address, "numa_node", text, sizeof(text)))
		return -1;
	node = strtol(text, &end, 10);
	return end == text || node < 0 || node >= NUMA_NODES ? -1 : (int)node;
}

/* From "32.0 GT/s PCIe": the rates of generations 1 to 7 (PCI Express Base Specification). */
static unsigned read_generation(const char *sysfs, const char *address, const char *name)
{
	static const double rates[] = { 2.5, 5, 8, 16, 32, 64, 128 };
	char text[64], *rest;
	double rate;

	if (!read_attribute(sysfs, address, name, text, sizeof(text)))
		return 0;
	rate = tfr_text_f64(text, &rest);
	for (unsigned i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		if (rate >= rates[i] && rate <= rates[i])
			return i + 1;
	return 0;
}

/* Lanes; a link that is down has 0, and an unknown one 255. */
static unsigned read_width(const char *sysfs, const char *address, const char *name)
{
	char text[32];
	unsigned long lanes;

	if (!read_attribute(sysfs, address, name, text, sizeof(text)))
		return 0;
	lanes = strtoul(text, NULL, 10);
	return lanes <= 32 ? (unsigned)lanes : 0;
}

void tfr_pci_link(const char *sysfs, const char *address, struct tfr_device_info *info)
{
	info->link_generation = read_generation(sysfs, address, "current_link_speed");
	info->link_generation_max = read_generation(sysfs, address, "max_link_speed");
	info->link_width = read_width(sysfs, address, "current_link_width");
	info->link_width_max = read_width(sysfs, address, "max_link_width");
}

/* --- NUMA --- */

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
