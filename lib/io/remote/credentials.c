/* io/remote/credentials.c - keys are kept per vendor for the process, and renewed in time. */
#include "io/remote/credentials.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/json_read.h"
#include "io/remote/config_file.h"

enum { EARLY = 300, PAUSE = 15 }; /* seconds before the end, and between questions */

static struct ring {
	pthread_mutex_t lock;
	const struct tfr_key_source *source; /* the one that answered; NULL: not asked */
	bool none;
	struct tfr_keys keys;
	time_t asked;	/* last, whether or not it gave keys */
	time_t renewed; /* last on demand: requests in flight are all refused at about one time */
} rings[] = {
	[TFR_VENDOR_AWS] = { .lock = PTHREAD_MUTEX_INITIALIZER },
	[TFR_VENDOR_GCS] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

/* --- the lock, and forks --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void tfr_remote_lock(void)
{
	pthread_mutex_lock(&lock);
}

void tfr_remote_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* A fork waits for the lock of the module, which also keeps two forks from meeting here.  A service
 * is asked with the lock of its ring held.  A fork does not wait for that: the child asks again. */

static bool held[2];

static void hold_during_fork(void)
{
	tfr_remote_lock();
	for (size_t i = 0; i < 2; i++)
		held[i] = !pthread_mutex_trylock(&rings[i].lock);
}

static void allow_in_parent(void)
{
	for (size_t i = 0; i < 2; i++)
		if (held[i])
			pthread_mutex_unlock(&rings[i].lock);
	tfr_remote_unlock();
}

static void allow_in_child(void)
{
	for (size_t i = 0; i < 2; i++)
		if (!held[i])
			rings[i] = (struct ring){ .lock = PTHREAD_MUTEX_INITIALIZER };
	allow_in_parent();
}

__attribute__((constructor)) static void register_forks(void)
{
	pthread_atfork(hold_during_fork, allow_in_parent, allow_in_child);
}

static void wipe(char **text)
{
	if (*text)
		explicit_bzero(*text, strlen(*text));
	free(*text);
	*text = NULL;
}

void tfr_keys_clear(struct tfr_keys *k)
{
	wipe(&k->id);
	wipe(&k->secret);
	wipe(&k->token);
	k->expires = 0;
}

void tfr_keys_wipe(struct tfr_buf *text)
{
	if (text->data)
		explicit_bzero(text->data, text->cap);
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

/* A newline in a key would end the header field that it is sent in. */
static bool is_clean(const char *text)
{
	for (; text && *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

enum tfr_status tfr_keys_set(struct tfr_keys *k, const char *id, const char *secret,
	const char *token, struct tfr_error *err)
{
	if (!is_clean(id) || !is_clean(secret) || !is_clean(token))
		return tfr_fail(err, TFR_EUSAGE, "credentials with a space or a control character");
	*k = (struct tfr_keys){ 0 };
	if (copy_text(&k->id, id) && copy_text(&k->secret, secret) && copy_text(&k->token, token))
		return TFR_OK;
	tfr_keys_clear(k);
	return tfr_fail_nomem(err, "reading credentials");
}

/* --- answers of services --- */

time_t tfr_parse_time(const char *text)
{
	struct tm tm = { 0 };
	const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;

	long past = tm.tm_year + 1899L;
	long days = 365L * (tm.tm_year - 70) + past / 4 - past / 100 + past / 400 - 477;

	/* As timegm(), which takes a lock that a forked child may find held for good. */
	return end ? 86400 * (days + tm.tm_yday) + 3600 * tm.tm_hour + 60 * tm.tm_min + tm.tm_sec
		   : 0;
}

static enum tfr_status parse(struct json_object **doc, const struct tfr_buf *text, const char *what,
	struct tfr_error *err)
{
	const struct tfr_json_limits limits = { .depth = 8, .size = 64 << 10 };
	size_t size = text->size ? strnlen((const char *)text->data, text->size) : 0;
	enum tfr_status status = tfr_json_read(doc, text->data, size, &limits, NULL);

	if (status == TFR_ENOMEM)
		return tfr_fail_nomem(err, "reading credentials");
	return status || !json_object_is_type(*doc, json_type_object)
		       ? tfr_fail(err, TFR_ESYS, "%s does not give a JSON object", what)
		       : TFR_OK;
}

enum tfr_status tfr_keys_from_json(
	struct tfr_keys *k, const struct tfr_buf *text, const char *what, struct tfr_error *err)
{
	TFR_AUTO_JSON doc = NULL;
	const char *id, *secret;

	TFR_TRY(parse(&doc, text, what, err));
	id = tfr_json_text_at(doc, "AccessKeyId");
	secret = tfr_json_text_at(doc, "SecretAccessKey");
	if (!id || !secret)
		return tfr_fail(err, TFR_ESYS, "%s gives no AccessKeyId and SecretAccessKey", what);
	TFR_TRY(tfr_keys_set(k, id, secret,
		tfr_json_text_at(doc, "Token") ?: tfr_json_text_at(doc, "SessionToken"), err));
	k->expires = tfr_parse_time(tfr_json_text_at(doc, "Expiration"));
	return TFR_OK;
}

enum tfr_status tfr_token_from_json(
	struct tfr_keys *k, const struct tfr_buf *text, const char *what, struct tfr_error *err)
{
	TFR_AUTO_JSON doc = NULL;
	const char *token;
	int64_t lasts;

	TFR_TRY(parse(&doc, text, what, err));
	token = tfr_json_text_at(doc, "access_token");
	if (!token)
		return tfr_fail(err, TFR_ESYS, "%s gives no access_token", what);
	TFR_TRY(tfr_keys_set(k, NULL, NULL, token, err));
	lasts = json_object_get_int64(json_object_object_get(doc, "expires_in"));
	if (lasts > 0)
		k->expires = time(NULL) + lasts;
	return TFR_OK;
}

/* --- the ring of a vendor --- */

static enum tfr_status ask_all(
	struct ring *r, const struct tfr_key_source *sources, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;

	for (; status == TFR_END && sources->name; sources++) {
		status = sources->get(&r->keys, err);
		if (status == TFR_OK)
			r->source = sources;
	}
	r->none = status == TFR_END;
	return status;
}

static enum tfr_status renew_keys(struct ring *r, struct tfr_error *err)
{
	struct tfr_keys fresh = { 0 };
	enum tfr_status status = r->source->get(&fresh, err);

	if (status == TFR_END)
		return tfr_fail(err, TFR_ESYS, "%s gives no credentials any more", r->source->name);
	TFR_TRY(status);
	tfr_keys_clear(&r->keys);
	r->keys = fresh;
	return TFR_OK;
}

/* Sources are asked again at most every PAUSE seconds.  Old keys that are still valid serve if new
 * ones cannot be had. */
static enum tfr_status update(
	struct ring *r, enum tfr_vendor vendor, bool renew, struct tfr_error *err)
{
	time_t now = time(NULL);
	bool ends = r->keys.expires && r->keys.expires - now < EARLY;
	bool valid = r->source && (!r->keys.expires || r->keys.expires > now);
	enum tfr_status status;

	if (r->none)
		return TFR_END;
	if (valid && (renew ? now - r->renewed < 2 : !ends || now - r->asked < PAUSE))
		return TFR_OK;
	if (!r->source)
		status = ask_all(
			r, vendor == TFR_VENDOR_AWS ? tfr_aws_sources : tfr_gcs_sources, err);
	else
		status = renew_keys(r, err);
	r->asked = now;
	if (renew)
		r->renewed = now;
	if (status != TFR_END && valid && !renew)
		status = TFR_OK;
	return status;
}

enum tfr_status tfr_keys_get(
	enum tfr_vendor vendor, bool renew, struct tfr_keys *k, struct tfr_error *err)
{
	struct ring *r = &rings[vendor];
	enum tfr_status status;

	*k = (struct tfr_keys){ 0 };
	pthread_mutex_lock(&r->lock);
	status = update(r, vendor, renew, err);
	if (!status)
		status = tfr_keys_set(k, r->keys.id, r->keys.secret, r->keys.token, err);
	k->expires = r->keys.expires;
	pthread_mutex_unlock(&r->lock);
	return status;
}

/* Sources that read the environment or a file always give the same, unless a file has changed. */
bool tfr_keys_renewable(enum tfr_vendor vendor)
{
	struct ring *r = &rings[vendor];
	bool renewable;

	pthread_mutex_lock(&r->lock);
	renewable = r->source && strcmp(r->source->name, "the environment") != 0;
	pthread_mutex_unlock(&r->lock);
	return renewable;
}

void tfr_keys_forget(void)
{
	for (size_t i = 0; i < sizeof(rings) / sizeof(*rings); i++) {
		pthread_mutex_lock(&rings[i].lock);
		tfr_keys_clear(&rings[i].keys);
		rings[i].source = NULL;
		rings[i].none = false;
		pthread_mutex_unlock(&rings[i].lock);
	}
}
