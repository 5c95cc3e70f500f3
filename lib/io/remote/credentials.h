/* io/remote/credentials.h - who signs: keys of AWS and of Google Cloud Storage, found as the
 * vendors' tools find them (tfr-remote(7), CREDENTIALS).
 *
 * A source of credentials is a function and a row in aws_sources[] or gcs_sources[], in the order
 * in which they are asked. */
#ifndef TFR_IO_REMOTE_CREDENTIALS_H
#define TFR_IO_REMOTE_CREDENTIALS_H

#include <time.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_keys {
	char *id, *secret; /* NULL: `token` is a bearer token */
	char *token;	   /* NULL: none */
	time_t expires;	   /* 0: never */
};

void tfr_keys_clear(struct tfr_keys *k);  /* wipes them */
void tfr_keys_wipe(struct tfr_buf *text); /* its bytes; it keeps its memory */

enum tfr_vendor { TFR_VENDOR_AWS, TFR_VENDOR_GCS };

/* Gives a copy of the keys, which the caller clears.  They are fetched at the first call and again
 * five minutes before they expire, or with `renew`.  TFR_END: none are configured, so requests are
 * not signed.  TFR_EUSAGE: a source is configured that is not supported, or is incomplete; the hint
 * names the vendor's command that exports credentials. */
enum tfr_status tfr_keys_get(
	enum tfr_vendor vendor, bool renew, struct tfr_keys *k, struct tfr_error *err);
/* Whether tfr_keys_get() with `renew` could give others than before. */
bool tfr_keys_renewable(enum tfr_vendor vendor);
/* Forgets all. */
void tfr_keys_forget(void);

/* A source.  TFR_END: it is not configured. */
struct tfr_key_source {
	const char *name;
	enum tfr_status (*get)(struct tfr_keys *k, struct tfr_error *err);
};
extern const struct tfr_key_source tfr_aws_sources[], tfr_gcs_sources[]; /* end with name NULL */

/* For sources: */
enum tfr_status tfr_keys_set(struct tfr_keys *k, const char *id, const char *secret,
	const char *token, struct tfr_error *err);
/* Reads {"AccessKeyId":…,"SecretAccessKey":…,"Token" or "SessionToken":…,"Expiration":…}. */
enum tfr_status tfr_keys_from_json(
	struct tfr_keys *k, const struct tfr_buf *text, const char *what, struct tfr_error *err);
/* Reads {"access_token":…,"expires_in":…}. */
enum tfr_status tfr_token_from_json(
	struct tfr_keys *k, const struct tfr_buf *text, const char *what, struct tfr_error *err);
/* "2026-11-23T12:00:00Z", also with a fraction or "+00:00"; 0: not a time. */
time_t tfr_parse_time(const char *text);
/* Runs a command line without a shell and appends its output, up to 64 KiB, and a NUL.  It has a
 * minute. */
enum tfr_status tfr_run_command(
	const char *line, const char *what, struct tfr_buf *output, struct tfr_error *err);

/* The lock of what all threads share: names, stores, and what is remembered of objects.  It is held
 * for moments, and a fork waits for it, so that a child finds it free. */
void tfr_remote_lock(void);
void tfr_remote_unlock(void);

#endif
