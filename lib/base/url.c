/* base/url.c - the schemes that the module remote serves. */
#include "base/url.h"

#include <string.h>
#include <strings.h>

#include <tfr-private/io.h>

bool tfr_is_url(const char *path)
{
	static const char *const schemes[] = { "http://", "https://", "s3://", "gs://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (!strncasecmp(path, schemes[i], strlen(schemes[i])))
			return true;
	return false;
}

enum tfr_status tfr_url_check(const char *url, struct tfr_error *err)
{
	const char *host = strstr(url, "://"), *at;
	size_t n;

	if (!host || strncasecmp(url, "http", 4) != 0)
		return TFR_OK;
	host += 3;
	n = strcspn(host, "/?#");
	at = memrchr(host, '@', n);
	if (!at)
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "a user name or a password in the URL of '%.*s'",
		(int)(host + n - at - 1), at + 1);
	tfr_error_hint(err, "Write them to ~/.netrc, or use --header 'Authorization: ...'.");
	return TFR_EUSAGE;
}

size_t tfr_url_shown(const char *path)
{
	return tfr_is_url(path) && !strncasecmp(path, "http", 4) ? strcspn(path, "?")
								 : strlen(path);
}
