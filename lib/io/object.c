/* io/object.c - opens the module for objects. */
#include "io/object.h"

#include <stdatomic.h>
#include <string.h>

#include "base/module.h"
#include "base/url.h"

/* NULL: nothing remote was used yet, so there is nothing to measure and nothing to abort. */
static const struct tfr_object_module *_Atomic used;
static const volatile bool *_Atomic stop_reading;

void tfr_objects_stop(const volatile bool *stop)
{
	atomic_store(&stop_reading, stop);
}

enum tfr_status tfr_url_check(const char *url, struct tfr_error *err)
{
	struct tfr_url u;

	if (!tfr_url_parse(&u, url) || u.kind == TFR_URL_OTHER)
		return TFR_OK;
	if (u.host > u.authority) {
		tfr_fail(err, TFR_EUSAGE, "a user name or a password in the URL of '%.*s'",
			(int)(u.path - u.host), url + u.host);
		tfr_error_hint(err, u.kind == TFR_URL_WEB
					    ? "Write them to ~/.netrc, or use --header "
					      "'Authorization: ...'."
					    : "tfr-remote(7) lists where credentials are "
					      "looked for.");
		return TFR_EUSAGE;
	}
	if (u.kind == TFR_URL_WEB && !tfr_url_has_host(&u, url))
		return tfr_fail_hint(err, TFR_EUSAGE,
			"Write https://HOST/PATH or https://HOST:PORT/PATH.",
			"a URL without a host, or with a port that is not a number");
	return TFR_OK;
}

enum tfr_status tfr_objects(
	const struct tfr_object_module **calls, const char *url, struct tfr_error *err)
{
	const void *table = NULL;

	*calls = NULL;
	TFR_TRY(tfr_url_check(url, err));
	TFR_TRY(tfr_module_open(&table, TFR_MODULE_REMOTE, err, "cannot open '%.*s'",
		(int)tfr_path_shown(url), url));
	*calls = table;
	(*calls)->stop(atomic_load(&stop_reading));
	atomic_store(&used, *calls);
	return TFR_OK;
}

enum tfr_status tfr_hide_secrets(const char *path, char **shown, struct tfr_error *err)
{
	const struct tfr_object_module *remote;
	struct tfr_url u;

	*shown = NULL;
	TFR_TRY(tfr_url_check(path, err));
	if (!path[tfr_path_shown(path)] || !tfr_url_parse(&u, path))
		return TFR_OK;
	if (u.kind != TFR_URL_OTHER) {
		TFR_TRY(tfr_objects(&remote, path, err));
		return remote->hide(path, shown, err);
	}
	/* It is not served, so that nothing is lost. */
	*shown = tfr_asprintf(
		"%.*s%.*s", (int)u.authority, path, (int)(u.query - u.host), path + u.host);
	TFR_NEED_MEMORY(*shown, err, "opening a web address");
	return TFR_OK;
}

enum tfr_status tfr_remote_authorize(const char *url, const char *header, struct tfr_error *err)
{
	const struct tfr_object_module *remote;

	TFR_TRY(tfr_objects(&remote, url, err));
	return remote->authorize(url, header, err);
}

/* Settings are for later uses: without the module there will be none. */
enum tfr_status tfr_remote_set(const struct tfr_remote_opts *opts, struct tfr_error *err)
{
	const void *table = NULL;
	struct tfr_error why = { 0 };
	enum tfr_status status =
		tfr_module_open(&table, TFR_MODULE_REMOTE, &why, "cannot change settings");

	if (status == TFR_EUNAVAILABLE)
		return TFR_OK;
	TFR_TRY(tfr_error_pass(&why, err));
	return ((const struct tfr_object_module *)table)->set(opts, err);
}

void tfr_remote_statistics(struct tfr_remote_statistics *s)
{
	const struct tfr_object_module *calls = atomic_load(&used);

	*s = (struct tfr_remote_statistics){ 0 };
	if (calls)
		calls->statistics(s);
}

const char *tfr_objects_abort(bool patient)
{
	const struct tfr_object_module *calls = atomic_load(&used);

	return calls ? calls->abort(patient) : "";
}
