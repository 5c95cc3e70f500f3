/* tfr/filters.c - filters for packed data sets, in addition to libhdf5's own.
 *
 * libhdf5 opens a plugin when it first meets its filter.  In the sandbox nothing can be opened, so
 * all plugins are opened before. */
#include <H5PLextern.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lzf.h"
#include "read_hdf5.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5Zdevelop.h>
#endif

enum { LZF_CHUNK = 2 /* the value with the size of a chunk; a smaller result is an error */ };

/* libhdf5's memory comes from malloc(), as its own filters assume. */
static size_t unpack_lzf(unsigned flags, size_t n_values, const unsigned values[], size_t bytes,
	size_t *room, void **data)
{
	size_t size;
	void *out;

	if (!(flags & H5Z_FLAG_REVERSE) || !tfr_lzf_measure(*data, bytes, &size) || !size ||
		(n_values > LZF_CHUNK && size < values[LZF_CHUNK]))
		return 0;
	out = malloc(size);
	if (!out)
		return 0;
	tfr_lzf_unpack(*data, bytes, out);
	free(*data);
	*data = out;
	*room = size;
	return size;
}

/* Debian's plugin for it does not load, because its library is missing. */
static const H5Z_class2_t lzf = {
	.version = H5Z_CLASS_T_VERS,
	.id = 32000, /* registered by h5py */
	.decoder_present = 1,
	.name = "lzf",
	.filter = unpack_lzf,
};

/* A library that is not a plugin, or does not load, is ignored; libhdf5 ignores it, too. */
static void load_plugin(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	H5PL_type_t (*type)(void);
	const void *(*info)(void);

	if (!library)
		return;
	type = (H5PL_type_t(*)(void))(uintptr_t)dlsym(library, "H5PLget_plugin_type");
	info = (const void *(*)(void))(uintptr_t)dlsym(library, "H5PLget_plugin_info");
	if (!type || !info || type() != H5PL_TYPE_FILTER || H5Zregister(info()) < 0)
		dlclose(library);
}

static void load_folder(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, alphasort);
	char path[4096];

	for (int i = 0; i < n; i++) {
		if (strstr(names[i]->d_name, ".so") &&
			snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name) <
				(int)sizeof(path))
			load_plugin(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

/* Plugins that are disabled (HDF5_PLUGIN_PRELOAD) remain disabled. */
bool filters_load(void)
{
	unsigned folders = 0, allowed = 0;
	char folder[4096];

	H5PLget_loading_state(&allowed);
	H5PLsize(&folders);
	for (unsigned i = 0; (allowed & H5PL_FILTER_PLUGIN) && i < folders; i++) {
		ssize_t n = H5PLget(i, folder, sizeof(folder));

		if (n > 0 && n < (ssize_t)sizeof(folder))
			load_folder(folder);
	}
	H5PLset_loading_state(0);
	return H5Zregister(&lzf) >= 0;
}
