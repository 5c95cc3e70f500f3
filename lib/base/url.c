/* base/url.c - the schemes that the module remote serves. */
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
