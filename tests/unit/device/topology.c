/* What the kernel and NVIDIA's kernel module report of a device, from folders made in their image.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "device/row.h"
#include "support/temp.h"

#define DEVICE "sys/bus/pci/devices/0000:3a:00.0"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(pci, .init = setup, .fini = teardown);

static void write_file(const char *folder, const char *name, const char *text)
{
	char command[256], path[256];
	FILE *f;

	snprintf(command, sizeof(command), "mkdir -p %s", folder);
	cr_assert_eq(system(command), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
}

Test(pci, the_node_is_that_of_the_address_in_any_case)
{
	write_file(DEVICE, "numa_node", "3\n");
	cr_assert_eq(tfr_pci_node("sys", "0000:3A:00.0"), 3);
	cr_assert_eq(tfr_pci_node("sys", "0000:3a:00.0"), 3);
	cr_assert_eq(tfr_pci_node("sys", "0000:3b:00.0"), -1);
	cr_assert_eq(tfr_pci_node("nowhere", "0000:3a:00.0"), -1);
}

Test(pci, only_plain_addresses_become_paths)
{
	static const char *const addresses[] = { "", "../devices/0000:3a:00.0",
		"0000:3a:00.0/../0000:3a:00.0", "000000000000000000000000000000:3a:00.0", NULL };

	write_file(DEVICE, "numa_node", "3\n");
	for (int i = 0; addresses[i]; i++)
		cr_assert_eq(tfr_pci_node("sys", addresses[i]), -1, "'%s'", addresses[i]);
}

Test(pci, a_node_that_is_none_is_unknown)
{
	static const char *const texts[] = { "-1\n", "", "\n", "x\n", "5000\n", NULL };

	for (int i = 0; texts[i]; i++) {
		write_file(DEVICE, "numa_node", texts[i]);
		cr_assert_eq(tfr_pci_node("sys", "0000:3a:00.0"), -1, "'%s'", texts[i]);
	}
	write_file(DEVICE, "numa_node", "0\n");
	cr_assert_eq(tfr_pci_node("sys", "0000:3a:00.0"), 0);
}

static unsigned generation_of(const char *text)
{
	struct tfr_device_info info = { 0 };

	write_file(DEVICE, "current_link_speed", text);
	tfr_pci_link("sys", "0000:3A:00.0", &info);
	return info.link_generation;
}

/* Texts as kernels since 2.6.30 write them, in include/linux/pci.h and drivers/pci/probe.c. */
Test(pci, the_generation_follows_from_the_rate)
{
	cr_assert_eq(generation_of("2.5 GT/s PCIe\n"), 1);
	cr_assert_eq(generation_of("2.5 GT/s\n"), 1);
	cr_assert_eq(generation_of("5.0 GT/s PCIe\n"), 2);
	cr_assert_eq(generation_of("5 GT/s\n"), 2);
	cr_assert_eq(generation_of("8.0 GT/s PCIe\n"), 3);
	cr_assert_eq(generation_of("16.0 GT/s PCIe\n"), 4);
	cr_assert_eq(generation_of("32.0 GT/s PCIe\n"), 5);
	cr_assert_eq(generation_of("64.0 GT/s PCIe\n"), 6);
	cr_assert_eq(generation_of("128.0 GT/s PCIe\n"), 7);
	cr_assert_eq(generation_of("Unknown speed\n"), 0);
	cr_assert_eq(generation_of("Unknown\n"), 0);
	cr_assert_eq(generation_of("25 GT/s\n"), 0);
	cr_assert_eq(generation_of(""), 0);
}

Test(pci, width_and_maximum_are_read)
{
	struct tfr_device_info info = { 0 };

	write_file(DEVICE, "current_link_width", "8\n");
	write_file(DEVICE, "max_link_width", "16\n");
	write_file(DEVICE, "current_link_speed", "2.5 GT/s PCIe\n");
	write_file(DEVICE, "max_link_speed", "32.0 GT/s PCIe\n");
	tfr_pci_link("sys", "0000:3a:00.0", &info);
	cr_assert_eq(info.link_width, 8);
	cr_assert_eq(info.link_width_max, 16);
	cr_assert_eq(info.link_generation, 1);
	cr_assert_eq(info.link_generation_max, 5);
	/* A virtual function has a width of 0, a device that is gone 255. */
	write_file(DEVICE, "current_link_width", "255\n");
	write_file(DEVICE, "max_link_width", "0\n");
	tfr_pci_link("sys", "0000:3a:00.0", &info);
	cr_assert_eq(info.link_width, 0);
	cr_assert_eq(info.link_width_max, 0);
	tfr_pci_link("sys", "", &info);
	cr_assert_eq(info.link_generation_max, 0);
}

static const char *version_of(const char *text)
{
	static char version[32];

	write_file("proc/driver/nvidia", "version", text);
	cr_assert_eq(tfr_device_driver_version("proc", version, sizeof(version)), *version != 0);
	return version;
}

/* Lines as drivers write them. */
Test(pci, the_version_of_the_driver_is_found)
{
	char version[32] = "x";

	cr_assert_not(tfr_device_driver_version("proc", version, sizeof(version)));
	cr_assert_str_eq(version, "");
	cr_assert_str_eq(
		version_of("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 "
			   "18:56:32 UTC 2023\nGCC version:  gcc version 12.2.0 (Debian)\n"),
		"535.129.03");
	cr_assert_str_eq(
		version_of("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  "
			   "Release Build  (dvs-builder@U22)  Tue Sep 23 09:55:41 UTC 2025\n"),
		"580.95.05");
	cr_assert_str_eq(version_of("NVRM version: NVIDIA UNIX aarch64 Kernel Module  390.157\n"),
		"390.157");
	cr_assert_str_eq(version_of("NVRM version: without a number\n"), "");
	cr_assert_str_eq(version_of("GCC version:  gcc version 12.2.0\n"), "");
	cr_assert_str_eq(version_of(""), "");
	cr_assert_str_eq(version_of("NVRM version: 1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17\n"),
		"1.2.3.4.5.6.7.8.9.10.11.12.13.1");
}
