/* base/module.c - opens modules.
 *
 * The dynamic loader of glibc does not survive a fork while another thread opens an object: the
 * child crashes when it opens one itself.  So a fork waits until a module is open.  A failure for
 * lack of memory or of descriptors is not kept. */
#include "base/module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/error.h>

#include "base/installed.h"
#include "config.h"
#include "module_build.h"

static const struct row {
	const char *name, *library;
	bool built;
	const char *instead; /* what works without it */
} rows[] = {
	[TFR_MODULE_ARCHIVE] = { "archive", "libarchive", TFR_HAVE_LIBARCHIVE,
		"Tar archives that are not compressed can be read without it." },
	[TFR_MODULE_AUDIO] = { "audio", "libsndfile", TFR_HAVE_LIBSNDFILE,
		"WAV files of PCM and of floats are read without it." },
	[TFR_MODULE_GIF] = { "gif", "giflib", TFR_HAVE_GIFLIB, NULL },
	[TFR_MODULE_REMOTE] = { "remote", "libcurl", TFR_HAVE_LIBCURL,
		"Download the file, and name the copy." },
	[TFR_MODULE_WEBP] = { "webp", "libwebp", TFR_HAVE_LIBWEBP, NULL },
	[TFR_MODULE_YAML] = { "yaml", "libyaml", TFR_HAVE_LIBYAML,
		"Or give the names of the classes with --labels, one per line." },
};

struct outcome {
	atomic_bool kept;  /* the others do not change any more */
	const void *calls; /* NULL: err says why not */
	struct tfr_error err;
};

static struct outcome outcomes[TFR_MODULE_COUNT];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* --- a file --- */

/* The loader names a library that is missing by its name alone, other faults by a path. */
static enum tfr_status not_opened(
	const char *path, const char *library, const char *text, struct tfr_error *err)
{
	int n = (int)strcspn(text, ":");

	if (strcspn(text, "/") > (size_t)n) {
		tfr_fail(err, TFR_EUNAVAILABLE, "%.*s is not installed", n, text);
		tfr_error_hint(err, "Install %s, with the libraries that it needs.", library);
		return TFR_EUNAVAILABLE;
	}
	tfr_fail(err, TFR_EUNAVAILABLE, "the module '%s' cannot be opened", path);
	tfr_error_hint(err, "The dynamic loader says: %s.", text);
	return TFR_EUNAVAILABLE;
}

static enum tfr_status check_module(
	const struct tfr_module *m, const char *path, const char *name, struct tfr_error *err)
{
	if (!m || memcmp(m->magic, TFR_MODULE_MAGIC, sizeof(TFR_MODULE_MAGIC)) != 0)
		return tfr_fail(err, TFR_EUNAVAILABLE, "'%s' is not a module of tfr", path);
	if (strncmp(m->build, TFR_MODULE_BUILD, sizeof(m->build)) != 0)
		return tfr_fail_hint(err, TFR_EUNAVAILABLE,
			"Install tfr and its modules from the same package.",
			"the module '%s' is of another build: %.*s, where this "
			"is " TFR_MODULE_BUILD,
			path, (int)sizeof(m->build), m->build);
	if (strncmp(m->name, name, sizeof(m->name)) != 0)
		return tfr_fail(err, TFR_EUNAVAILABLE, "'%s' is the module %.*s, not %s", path,
			(int)sizeof(m->name), m->name, name);
	return TFR_OK;
}

enum tfr_status tfr_module_load(const void **calls, const char *path, const char *name,
	const char *library, struct tfr_error *err)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct tfr_module *m;
	enum tfr_status status;

	if (!object)
		return not_opened(path, library, dlerror(), err);
	m = dlsym(object, "tfr_module");
	status = check_module(m, path, name, err);
	if (status)
		dlclose(object);
	else
		*calls = m->calls;
	return status;
}

/* --- a module --- */

static enum tfr_status not_found(const struct row *row, const struct tfr_installed *file,
	const char *fault, struct tfr_error *err)
{
	if (file->sys_errno)
		return tfr_fail_errno(err, file->sys_errno, file->path, "cannot open");
	tfr_fail(err, TFR_EUNAVAILABLE, "the module '%s' %s", file->path, fault);
	if (!strcmp(fault, TFR_INSTALLED_MISSING))
		tfr_error_hint(err, "It is installed with libtfr, and needs %s.", row->library);
	else
		tfr_error_hint(err, "It must belong to root, to this user or to the owner of tfr, "
				    "and others must not be able to write to it.");
	return TFR_EUNAVAILABLE;
}

static enum tfr_status open_module(const void **calls, const struct row *row, struct tfr_error *err)
{
	struct tfr_installed file;
	enum tfr_status status;
	const char *fault;
	char name[32];

	if (!row->built)
		return tfr_fail(err, TFR_EUNAVAILABLE, "not built with %s", row->library);
	snprintf(name, sizeof(name), "%s.so", row->name);
	fault = tfr_installed_open(&file, TFR_INSTALLED_MODULE, name);
	if (fault)
		return not_found(row, &file, fault, err);
	status = tfr_module_load(calls, file.path, row->name, row->library, err);
	close(file.fd);
	return status;
}

static void hold_forks(void)
{
	pthread_mutex_lock(&opening);
}

static void allow_forks(void)
{
	pthread_mutex_unlock(&opening);
}

static void register_forks(void)
{
	pthread_atfork(hold_forks, allow_forks, allow_forks);
}

static void open_now(struct outcome *to, const struct row *row)
{
	char hint[TFR_ERROR_TEXT];

	to->err = (struct tfr_error){ 0 };
	if (open_module(&to->calls, row, &to->err) && row->instead) {
		snprintf(hint, sizeof(hint), "%s", tfr_error_hint_text(&to->err));
		tfr_error_hint(&to->err, "%s%s%s", hint, *hint ? " " : "", row->instead);
	}
}

/* The result of opening it, now or before.  `now` is for one that is not kept. */
static const struct outcome *outcome_of(enum tfr_module_name name, struct outcome *now)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct outcome *o = &outcomes[name];

	if (atomic_load_explicit(&o->kept, memory_order_acquire))
		return o;
	pthread_once(&once, register_forks);
	pthread_mutex_lock(&opening);
	if (!atomic_load_explicit(&o->kept, memory_order_relaxed)) {
		open_now(o, &rows[name]);
		now->calls = NULL;
		now->err = o->err;
		if (!o->err.status || o->err.status == TFR_EUNAVAILABLE)
			atomic_store_explicit(&o->kept, true, memory_order_release);
		else
			o = now;
	}
	pthread_mutex_unlock(&opening);
	return o;
}

enum tfr_status tfr_module_open(const void **calls, enum tfr_module_name name,
	struct tfr_error *err, const char *format, ...)
{
	struct outcome now;
	const struct outcome *found = outcome_of(name, &now);
	char what[TFR_ERROR_TEXT], why[2 * TFR_ERROR_TEXT];
	va_list args;

	*calls = found->calls;
	if (found->calls || !err)
		return found->err.status;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	tfr_fail(err, found->err.status, "%s: %s", what,
		tfr_error_format(&found->err, why, sizeof(why)));
	tfr_error_hint(err, "%s", tfr_error_hint_text(&found->err));
	return found->err.status;
}

enum tfr_status tfr_feature_open(const char *name, struct tfr_error *err)
{
	const struct outcome *found;
	struct outcome now;

	for (size_t i = 0; i < TFR_MODULE_COUNT; i++)
		if (!strcmp(name, rows[i].library)) {
			found = outcome_of((enum tfr_module_name)i, &now);
			if (err)
				*err = found->err;
			return found->err.status;
		}
	return TFR_END;
}
