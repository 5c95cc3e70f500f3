/* device/cuda_driver.c - the table of driver calls from libcuda.so.1, which every NVIDIA driver
 * installs.  It is opened once and never closed: the driver has threads of its own. */
#include "device/cuda_api.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"

/* The file that was found. */
static const char *path_of(void *library)
{
	struct link_map *map = NULL;

	return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && *map->l_name ? map->l_name
										  : LIBRARY;
}

/* A library that exists and cannot be loaded is not an absent one. */
static enum tfr_status not_loaded(bool *absent, struct tfr_error *err)
{
	static const char missing[] = LIBRARY ": cannot open shared object file";
	const char *why = dlerror();

	*absent = why && strncmp(why, missing, sizeof(missing) - 1) == 0;
	if (*absent) {
		tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: no driver: " LIBRARY " is not found");
		tfr_error_hint(err,
			"Install NVIDIA's driver.  In a container, the option --gpus all brings "
			"its library along.");
	} else {
		tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: cannot load " LIBRARY ": %s",
			why ? why : "unknown error");
		tfr_error_hint(err, "Install NVIDIA's driver again.");
	}
	return TFR_EUNAVAILABLE;
}

static enum tfr_status fail_missing_call(void *library, const char *name, struct tfr_error *err)
{
	return tfr_fail_hint(err, TFR_EUNAVAILABLE, "Install NVIDIA's driver R346 (2015) or later.",
		"device cuda: '%s' has no %s", path_of(library), name);
}

enum tfr_status tfr_cuda_fill(struct tfr_cuda_api *api, bool *absent, struct tfr_error *err)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return not_loaded(absent, err);
	*absent = false;
#define FIND(name, older, arguments)                                                               \
	api->name = (__typeof__(api->name))(uintptr_t)dlsym(library, #name);                       \
	if (!api->name && *older)                                                                  \
		api->name = (__typeof__(api->name))(uintptr_t)dlsym(library, older);               \
	if (!api->name)                                                                            \
		return fail_missing_call(library, #name, err);
	TFR_CUDA_CALLS(FIND)
#undef FIND
	return TFR_OK;
}
