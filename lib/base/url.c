/* base/url.c - the one parser of URLs.  It reports nothing, because base/error.c uses it. */
#include "base/url.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <tfr-private/io.h>

static const struct {
	const char *scheme;
	enum tfr_url_kind kind;
} schemes[] = { { "http", TFR_URL_WEB }, { "https", TFR_URL_WEB }, { "s3", TFR_URL_STORE },
	{ "gs", TFR_URL_STORE } };

bool tfr_url_parse(struct tfr_url *u, const char *text)
{
	const char *user;
	size_t n = 0;

	*u = (struct tfr_url){ .kind = TFR_URL_OTHER };
	while (isalnum((unsigned char)text[n]) || (text[n] && strchr("+-.", text[n])))
		n++;
	if (!n || strncmp(text + n, "://", 3) != 0)
		return false;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (n == strlen(schemes[i].scheme) && !strncasecmp(text, schemes[i].scheme, n))
			u->kind = schemes[i].kind;
	u->authority = n + 3;
	u->path =
		u->authority + strcspn(text + u->authority, u->kind == TFR_URL_STORE ? "/" : "/?#");
	user = memrchr(text + u->authority, '@', u->path - u->authority);
	u->host = user ? (size_t)(user + 1 - text) : u->authority;
	u->query = u->path + strcspn(text + u->path, u->kind == TFR_URL_STORE ? "" : "?");
	return true;
}

bool tfr_is_url(const char *path)
{
	struct tfr_url u;

	return tfr_url_parse(&u, path) && u.kind != TFR_URL_OTHER;
}

bool tfr_is_web(const char *path)
{
	struct tfr_url u;

	return tfr_url_parse(&u, path) && u.kind == TFR_URL_WEB;
}

bool tfr_url_has_host(const struct tfr_url *u, const char *text)
{
	size_t end = u->host + strcspn(text + u->host, text[u->host] == '[' ? "]" : ":/?#");

	end += text[end] == ']';
	return end > u->host && (text[u->host] != '[' || text[end - 1] == ']') && end <= u->path &&
	       (end == u->path || (text[end] == ':' && strspn(text + end + 1, "0123456789") ==
							       u->path - end - 1));
}

size_t tfr_path_shown(const char *path)
{
	struct tfr_url u;

	if (*path == '@')
		return 1 + tfr_path_shown(path + 1);
	if (!tfr_url_parse(&u, path))
		return strlen(path);
	return u.host > u.authority || (u.kind == TFR_URL_WEB && !tfr_url_has_host(&u, path))
		       ? u.authority
		       : u.query;
}
