/* tests/stubs/installed.c - a library that has room base in it, as libtfr.so has. */
#include "base/installed.h"
#include "base/error.h"

TFR_API const char *stub_installed(
	struct tfr_installed *f, enum tfr_installed_kind kind, const char *name);

const char *stub_installed(struct tfr_installed *f, enum tfr_installed_kind kind, const char *name)
{
	return tfr_installed_open(f, kind, name);
}
