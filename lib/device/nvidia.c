/* device/nvidia.c - what can be known of NVIDIA's driver without using it: the version of its
 * kernel module, and where the loader finds its library. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/device.h>

/* The first word like "580.95.05" of the line "NVRM version: NVIDIA UNIX Open Kernel Module for
 * x86_64  580.95.05  Release Build ...". */
bool tfr_device_driver_version(const char *proc, char *version, size_t size)
{
	char path[512], line[256], *rest = line, *word;
	FILE *f;

	*version = '\0';
	snprintf(path, sizeof(path), "%s/driver/nvidia/version", proc);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	if (strncmp(line, "NVRM version:", 13) != 0)
		return false;
	while (!*version && (word = strsep(&rest, " \t\n")))
		if (strchr(word, '.') && strspn(word, "0123456789.") == strlen(word))
			snprintf(version, size, "%s", word);
	return *version;
}

/* Loading the library starts nothing: that is what cuInit() does. */
bool tfr_device_driver_library(char *path, size_t size)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
	struct link_map *map = NULL;

	*path = '\0';
	if (!library)
		return false;
	if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map)
		snprintf(path, size, "%s", map->l_name);
	dlclose(library);
	return *path;
}
