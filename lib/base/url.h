/* base/url.h - the components of a URL.
 *
 * A user, a password and a query, which is often a signature that gives access, are secrets: none
 * of them is printed or stored.  Where a name comes in, tfr_hide_secrets() refuses the first two
 * and exchanges the third for a number, so that every later name can be printed.  Messages of
 * base/error.c print only tfr_path_shown() of any path. */
#ifndef TFR_BASE_URL_H
#define TFR_BASE_URL_H

#include <stdbool.h>
#include <stddef.h>

#include <tfr/remote.h>

enum tfr_url_kind {
	TFR_URL_OTHER, /* a scheme that is not served */
	TFR_URL_STORE, /* s3, gs: all that follows the bucket is the key */
	TFR_URL_WEB,
};

/* "SCHEME://[USER@]HOST[:PORT][/PATH][?QUERY]" as offsets.  A component that it does not have
 * is empty: its offset is that of the next one, or of the end. */
struct tfr_url {
	enum tfr_url_kind kind;
	size_t authority, host, path, query;
};

/* False: `text` is not a URL. */
bool tfr_url_parse(struct tfr_url *u, const char *text);
bool tfr_is_web(const char *path);

/* Whether the URL `text` has a host, and a number as its port if any:
 * "https://user:pass/word@host" has the port "pass". */
bool tfr_url_has_host(const struct tfr_url *u, const char *text);

#endif
