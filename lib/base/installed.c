/* base/installed.c - where modules and programs are, and whether they may be used.
 *
 * A file that is loaded or started must belong to root, to this user or to the owner of our own
 * object, and not everyone may write to it.  Otherwise another user could have put it there.  Where
 * everyone may write to our own object, as on file systems without modes, this protects nothing.
 * The first file that exists decides: a file that is refused is not replaced by a later one. */
#include "base/installed.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"

/* From the folder of the program or of the library; the last is absolute. */
static const char *const places[][4] = {
	[TFR_INSTALLED_MODULE] = { TFR_MODULES, "../" TFR_LIBDIR_NAME "/" TFR_MODULES,
		"../lib/" TFR_MODULES, TFR_LIBDIR "/" TFR_MODULES },
	[TFR_INSTALLED_PROGRAM] = { "../libexec/tfr", "../" TFR_LIBEXECDIR_NAME "/tfr",
		TFR_LIBDIR_UP TFR_LIBEXECDIR_NAME "/tfr", TFR_LIBEXECDIR "/tfr" },
};

/* The object that contains this function. */
static bool own_object(char path[PATH_MAX])
{
	char loaded[2 * PATH_MAX];
	struct link_map *map = NULL;
	const char *name;
	ssize_t n;
	Dl_info info;

	if (!dladdr1(&places, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name[0]) {
		n = readlink("/proc/self/exe", path, PATH_MAX - 1);
		path[n > 0 ? n : 0] = '\0';
		return n > 0;
	}
	if (map->l_name[0] == '/')
		return realpath(map->l_name, path);
	/* Loaded by a relative path: the loader knows of which folder. */
	if (dlinfo(map, RTLD_DI_ORIGIN, loaded))
		return false;
	name = strrchr(map->l_name, '/');
	strcat(loaded, "/");
	strncat(loaded, name ? name + 1 : map->l_name, PATH_MAX - 1);
	return realpath(loaded, path);
}

/* The fault of a file's owner or mode; NULL: none. */
static const char *distrust(const struct stat *it)
{
	char path[PATH_MAX];
	struct stat own;
	bool known = own_object(path) && !stat(path, &own);

	if (it->st_uid && it->st_uid != geteuid() && !(known && it->st_uid == own.st_uid))
		return "belongs to another user";
	if ((it->st_mode & S_IWOTH) && !(known && (own.st_mode & S_IWOTH)))
		return "can be changed by every user";
	return NULL;
}

const char *tfr_installed_check(struct tfr_installed *f)
{
	const char *fault = NULL;
	struct stat it;

	f->sys_errno = 0;
	f->fd = TEMP_FAILURE_RETRY(open(f->path, O_PATH | O_CLOEXEC));
	if (f->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return TFR_INSTALLED_MISSING;
	if (f->fd < 0 || fstat(f->fd, &it)) {
		f->sys_errno = errno;
		fault = "cannot be opened";
	} else if (!S_ISREG(it.st_mode)) {
		fault = "is not a file";
	} else {
		fault = distrust(&it);
	}
	if (fault && f->fd >= 0) {
		close(f->fd);
		f->fd = -1;
	}
	return fault;
}

/* The path of a file in a place, without "..": `own` has no symbolic links. */
static void join_path(struct tfr_installed *f, const char *own, size_t folder, const char *place,
	const char *name)
{
	while (!strncmp(place, "../", 3)) {
		place += 3;
		while (folder && own[--folder] != '/')
			;
	}
	snprintf(f->path, sizeof(f->path), "%.*s/%s/%s", (int)folder, own, place, name);
}

const char *tfr_installed_open(
	struct tfr_installed *f, enum tfr_installed_kind kind, const char *name)
{
	char own[PATH_MAX];
	bool known = own_object(own);

	for (const char *const *place = places[kind];; place++) {
		if (**place == '/')
			snprintf(f->path, sizeof(f->path), "%s/%s", *place, name);
		else if (known)
			join_path(f, own, (size_t)(strrchr(own, '/') - own), *place, name);
		if (**place == '/' || (known && !access(f->path, F_OK)))
			return tfr_installed_check(f);
	}
}
