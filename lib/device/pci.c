/* device/pci.c - reads attributes of a PCI device from sysfs, each a line of text. */
#include "device/pci.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "device/numa.h"

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
static unsigned generation(const char *sysfs, const char *address, const char *name)
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
static unsigned width(const char *sysfs, const char *address, const char *name)
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
	info->link_generation = generation(sysfs, address, "current_link_speed");
	info->link_generation_max = generation(sysfs, address, "max_link_speed");
	info->link_width = width(sysfs, address, "current_link_width");
	info->link_width_max = width(sysfs, address, "max_link_width");
}
