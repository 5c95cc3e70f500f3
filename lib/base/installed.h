/* base/installed.h - finds the files that are installed with this code: modules and programs.
 *
 * They are found from the place of the object that contains this function: libtfr.so, or a program
 * that links libtfr.a.  So a tree that is moved keeps working, and neither the environment nor the
 * working directory selects a file.  If nothing is there, the place where `ninja install` puts it
 * is tried. */
#ifndef TFR_BASE_INSTALLED_H
#define TFR_BASE_INSTALLED_H

#include <limits.h>

enum tfr_installed_kind {
	TFR_INSTALLED_MODULE,  /* LIBDIR/tfr/SOVERSION/NAME */
	TFR_INSTALLED_PROGRAM, /* LIBEXECDIR/tfr/NAME */
};

#define TFR_INSTALLED_MISSING "is missing"

struct tfr_installed {
	int fd; /* of O_PATH, to be closed; -1: none */
	int sys_errno;
	char path[PATH_MAX + 128]; /* absolute; of a missing file, where it should be */
};

/* Opens the first file of that name.  NULL: f is filled.  Otherwise what is wrong with it, in the
 * words of a message: TFR_INSTALLED_MISSING, or "cannot be opened" with f->sys_errno. */
const char *tfr_installed_open(
	struct tfr_installed *f, enum tfr_installed_kind kind, const char *name);

/* As tfr_installed_open(), for the file f->path. */
const char *tfr_installed_check(struct tfr_installed *f);

#endif
