/* io/remote/look.c - objects by name: whether they exist, their size and identity.
 *
 * Commands ask for the same name several times in a row.  So an answer is remembered for a few
 * seconds; opening an object always asks the server. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/clock.h"
#include "io/remote/listing.h"
#include "io/remote/object_reader.h"

enum { REMEMBERED = 1 << 16, SECONDS = 5, LISTED = 30 };

static struct memory {
	struct known {
		char *url; /* NULL: free */
		uint64_t until;
		bool exists;
		struct stat st;
	} slot[REMEMBERED];
} memory;

static struct known *slot_of(const char *url)
{
	return &memory.slot[XXH3_64bits(url, strlen(url)) % REMEMBERED];
}

static void remember(const char *url, bool exists, const struct stat *st, unsigned seconds)
{
	struct known *k = slot_of(url);
	char *copy = strdup(url);

	if (!copy)
		return;
	tfr_remote_lock();
	free(k->url);
	*k = (struct known){ copy, tfr_clock_ns() + seconds * UINT64_C(1000000000), exists, *st };
	tfr_remote_unlock();
}

static bool recall(const char *url, enum tfr_status *status, struct stat *st)
{
	const struct known *k = slot_of(url);
	bool found;

	tfr_remote_lock();
	found = k->url && !strcmp(k->url, url) && tfr_clock_ns() < k->until;
	if (found) {
		*st = k->st;
		*status = k->exists ? TFR_OK : TFR_END;
	}
	tfr_remote_unlock();
	return found;
}

void tfr_object_remember(const char *url, const struct stat *st)
{
	remember(url, true, st, LISTED);
}

void tfr_object_changed(const char *url)
{
	struct known *k = slot_of(url);

	tfr_listed_forget();
	tfr_remote_lock();
	free(k->url);
	k->url = NULL;
	tfr_remote_unlock();
}

void tfr_object_identity(
	struct stat *st, const struct tfr_store *s, const struct tfr_answer *a, uint64_t size)
{
	/* Listings of some stores have no quotes around it. */
	const char *etag = a->etag + (*a->etag == '"');
	XXH64_hash_t tag = XXH3_64bits(etag, strcspn(etag, "\""));

	*st = (struct stat){ .st_mode = S_IFREG | 0644, .st_nlink = 1 };
	st->st_size = size == UINT64_MAX ? -1 : (off_t)size;
	st->st_mtim.tv_sec = a->mtime;
	st->st_ino = *a->etag ? tag : XXH3_64bits(&a->mtime, sizeof(a->mtime));
	st->st_dev = (dev_t)(uintptr_t)s;
}

/* --- asking the server --- */

/* HEAD has no body, so the reason of a refusal comes from asking for the first byte. */
static enum tfr_status ask(
	struct tfr_store *s, const char *key, struct tfr_answer *a, struct tfr_error *err)
{
	static const char *const range[] = { "Range: bytes=0-0" };
	struct tfr_call head = { .method = "HEAD", .key = key, .empty = true };
	struct tfr_call get = {
		.method = "GET", .key = key, .headers = range, .n_headers = 1, .empty = true
	};
	enum tfr_status status = tfr_exchange(s, &head, NULL, 0, a, err);
	long http = a->status;

	if (http != 400 && http != 401 && http != 403 && http != 405 && http != 501)
		return status;
	tfr_answer_clear(a);
	status = tfr_exchange(s, &get, NULL, 64 << 10, a, err);
	if (status == TFR_ESYS && a->status == 416 && a->total == 0) {
		a->length = 0;
		return TFR_OK;
	}
	if (!status && a->status == 206)
		a->length = a->total;
	return status;
}

static enum tfr_status one_more(
	void *ctx, const struct tfr_object_entry *entry, struct tfr_error *err)
{
	(void)entry, (void)err;
	*(bool *)ctx = true;
	return TFR_END;
}

/* Whether an object is below the prefix; a store has no folders. */
static enum tfr_status look_below(
	struct tfr_store *s, const char *key, struct stat *st, struct tfr_error *err)
{
	size_t n = strlen(key);
	TFR_AUTO_FREE char *prefix = tfr_asprintf(n && key[n - 1] != '/' ? "%s/" : "%s", key);
	bool found = false;
	enum tfr_status status;

	TFR_NEED_MEMORY(prefix, err, "looking for an object");
	status = tfr_listing(s, prefix, true, 1, one_more, &found, err);
	if (status && status != TFR_END)
		return status;
	*st = (struct stat){ .st_mode = S_IFDIR | 0755, .st_nlink = 1 };
	st->st_dev = (dev_t)(uintptr_t)s;
	st->st_ino = XXH3_64bits(prefix, strlen(prefix));
	return found ? TFR_OK : TFR_END;
}

static enum tfr_status look_http(
	struct tfr_store *s, const char *key, struct stat *st, struct tfr_error *err)
{
	size_t n = strcspn(key, "?#");
	TFR_AUTO_ANSWER a = { 0 };

	if (!n || key[n - 1] == '/') { /* a page, and no file */
		*st = (struct stat){ .st_mode = S_IFDIR | 0755, .st_nlink = 1 };
		return TFR_OK;
	}
	TFR_TRY(ask(s, key, &a, err));
	tfr_object_identity(st, s, &a, a.length);
	return TFR_OK;
}

static enum tfr_status look_store(
	struct tfr_store *s, const char *key, struct stat *st, struct tfr_error *err)
{
	size_t n = strlen(key);
	TFR_AUTO_ANSWER a = { 0 };
	enum tfr_status status = TFR_END;

	if (n && key[n - 1] != '/')
		status = ask(s, key, &a, err);
	if (!status)
		tfr_object_identity(st, s, &a, a.length);
	return status == TFR_END ? look_below(s, key, st, err) : status;
}

enum tfr_status tfr_object_look(const char *url, struct stat *st, struct tfr_error *err)
{
	struct tfr_store *s;
	const char *key;
	enum tfr_status status;

	if (recall(url, &status, st))
		return status;
	*st = (struct stat){ 0 };
	TFR_TRY(tfr_store_find(&s, url, &key, err));
	status = tfr_store_kind(s) == TFR_STORE_HTTP ? look_http(s, key, st, err)
						     : look_store(s, key, st, err);
	if (status == TFR_OK || status == TFR_END)
		remember(url, status == TFR_OK, st, SECONDS);
	return status;
}
