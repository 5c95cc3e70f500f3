/* Modules: those that are refused and why, and where they are found. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/error.h>

#include "base/installed.h"
#include "base/module.h"
#include "config.h"
#include "support/temp.h"

/* A file beside this program. */
static const char *beside(const char *name)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 100);

	cr_assert_gt(n, 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, name);
	return path;
}

static enum tfr_status load(const char *path, const void **calls, struct tfr_error *err)
{
	*calls = NULL;
	return tfr_module_load(calls, path, "stub", "libstub", err);
}

static void refuse(const char *path, const char *message, const char *hint)
{
	struct tfr_error err = { 0 };
	const void *calls;

	cr_assert_eq(load(path, &calls, &err), TFR_EUNAVAILABLE, "%s", path);
	cr_assert_null(calls);
	cr_assert(strstr(err.message, message), "%s", err.message);
	cr_assert(strstr(tfr_error_hint_text(&err), hint), "%s", tfr_error_hint_text(&err));
}

Test(module, opens)
{
	struct tfr_error err = { 0 };
	const void *calls;

	cr_assert_eq(load(beside("stub-good.so"), &calls, &err), TFR_OK, "%s", err.message);
	cr_assert_str_eq(calls, "calls");
	cr_assert_eq(tfr_module_load(&calls, beside("stub-good.so"), "gif", "giflib", &err),
		TFR_EUNAVAILABLE);
	cr_assert(strstr(err.message, "is the module stub, not gif"), "%s", err.message);
}

Test(module, refused)
{
	refuse(beside("stub-other-build.so"), "is of another build: 0.1.0 0123456789abcdef, where",
		"from the same package");
	refuse(beside("stub-other-magic.so"), "is not a module of tfr", "");
	refuse(beside("libstub-needed.so"), "is not a module of tfr", "");
	refuse("/nonexistent/stub.so", "the module '/nonexistent/stub.so' cannot be opened",
		"No such file");
}

Test(module, not_an_object)
{
	char *dir = temp_enter(), path[4096];

	temp_write("text.so", "no shared object", 16);
	snprintf(path, sizeof(path), "%s/text.so", dir);
	refuse(path, "/text.so' cannot be opened", "The dynamic loader says: ");
	temp_leave(dir);
}

/* In another folder, the module does not find the library that it needs. */
Test(module, library_is_missing)
{
	char *dir = temp_enter(), path[4096], command[9000];

	snprintf(path, sizeof(path), "%s/copy.so", dir);
	snprintf(command, sizeof(command), "cp '%s' '%s'", beside("stub-needs.so"), path);
	cr_assert_eq(system(command), 0);
	refuse(path, "libstub-needed.so is not installed",
		"Install libstub, with the libraries that it needs.");
	temp_leave(dir);
}

Test(installed, owner_and_mode)
{
	struct tfr_installed f = { 0 };
	char *dir = temp_enter();

	temp_write("file", "x", 1);
	strcpy(f.path, dir);
	cr_assert_str_eq(tfr_installed_check(&f), "is not a file");
	cr_assert_eq(f.fd, -1);
	strcat(f.path, "/file");
	cr_assert_null(tfr_installed_check(&f));
	cr_assert_geq(f.fd, 0);
	close(f.fd);
	chmod("file", 0666);
	cr_assert_str_eq(tfr_installed_check(&f), "can be changed by every user");
	chmod("file", 0664);
	cr_assert_null(tfr_installed_check(&f));
	close(f.fd);
	if (!geteuid()) {
		struct stat own;

		cr_assert_eq(stat("/proc/self/exe", &own), 0);
		cr_assert_eq(chown("file", own.st_uid + 1, (gid_t)-1), 0);
		cr_assert_str_eq(tfr_installed_check(&f), "belongs to another user");
	}
	unlink("file");
	cr_assert_str_eq(tfr_installed_check(&f), TFR_INSTALLED_MISSING);
	temp_leave(dir);
}

Test(installed, missing_everywhere)
{
	struct tfr_installed f;

	for (int kind = TFR_INSTALLED_MODULE; kind <= TFR_INSTALLED_PROGRAM; kind++) {
		cr_assert_str_eq(
			tfr_installed_open(&f, kind, "nonexistent"), TFR_INSTALLED_MISSING);
		cr_assert(strstr(f.path, "/tfr/"), "%s", f.path);
		cr_assert_eq(f.path[0], '/');
		cr_assert_eq(f.fd, -1);
	}
}

/* A library in another place than its program: what is beside the library counts, however that was
 * loaded. */
static void find_beside_library(const char *library, const char *dir)
{
	__typeof__(&tfr_installed_open) find;
	void *object = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	struct tfr_installed f;
	char path[4096];

	cr_assert(object, "%s", dlerror());
	find = (__typeof__(find))(uintptr_t)dlsym(object, "stub_installed");
	cr_assert_eq(chdir("/"), 0);
	cr_assert_null(find(&f, TFR_INSTALLED_MODULE, "x.so"));
	close(f.fd);
	snprintf(path, sizeof(path), "%s/lib/" TFR_MODULES "/x.so", dir);
	cr_assert_str_eq(f.path, path);
	cr_assert_null(find(&f, TFR_INSTALLED_PROGRAM, "program"));
	close(f.fd);
	snprintf(path, sizeof(path), "%s/libexec/tfr/program", dir);
	cr_assert_str_eq(f.path, path);
	dlclose(object);
	cr_assert_eq(chdir(dir), 0);
}

Test(installed, beside_a_library)
{
	char *dir = temp_enter(), path[4096], command[9000];

	snprintf(command, sizeof(command),
		"mkdir -p lib/" TFR_MODULES " libexec/tfr link && cp '%s' lib/real.so && "
		"ln -s ../lib/real.so link/libtfr.so && touch lib/" TFR_MODULES
		"/x.so libexec/tfr/program",
		beside("stub-installed.so"));
	cr_assert_eq(system(command), 0);
	snprintf(path, sizeof(path), "%s/lib/real.so", dir);
	find_beside_library(path, dir);
	find_beside_library("lib/real.so", dir);
	find_beside_library("link/libtfr.so", dir);
	temp_leave(dir);
}

Test(module, of_a_feature)
{
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_feature_open("zlib", &err), TFR_END);
	cr_assert_neq(tfr_feature_open("giflib", &err), TFR_END);
}
