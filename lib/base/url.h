/* base/url.h - what a URL must not have, and what of it must not be seen. */
#ifndef TFR_BASE_URL_H
#define TFR_BASE_URL_H

#include <stddef.h>

#include "base/error.h"

/* TFR_EUSAGE: a web address has a user name or a password.  Neither is in the message. */
enum tfr_status tfr_url_check(const char *url, struct tfr_error *err);

/* The bytes of a path that are printed and stored: of a web address, those before its query, which is
 * often a signature that gives access. */
size_t tfr_url_shown(const char *path);

#endif
