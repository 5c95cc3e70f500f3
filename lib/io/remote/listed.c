/* io/remote/listed.c - a few listings as text: of each entry its struct stat, and its name with the
 * NUL. */
#include "io/remote/listed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/clock.h"
#include "io/remote/object_reader.h"

enum { KEPT = 64, MOST = 1 << 20, SECONDS = 5 };

struct listed {
	char *url; /* NULL: free */
	uint64_t until;
	struct tfr_buf entries;
};

static struct {
	pthread_mutex_t lock;
	struct listed slot[KEPT];
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct listed *slot_of(const char *url)
{
	return &memory.slot[XXH3_64bits(url, strlen(url)) % KEPT];
}

static void clear(struct listed *l)
{
	free(l->url);
	tfr_buf_clear(&l->entries);
	*l = (struct listed){ 0 };
}

void tfr_listed_forget(void)
{
	pthread_mutex_lock(&memory.lock);
	for (size_t i = 0; i < KEPT; i++)
		clear(&memory.slot[i]);
	pthread_mutex_unlock(&memory.lock);
}

/* Copies, so that the lock is not held while the caller's function runs. */
static bool recall(const char *url, struct tfr_buf *entries)
{
	struct listed *l = slot_of(url);
	bool found;

	pthread_mutex_lock(&memory.lock);
	found = l->url && !strcmp(l->url, url) && tfr_clock_ns() < l->until &&
		(!l->entries.size || tfr_buf_append(entries, l->entries.data, l->entries.size));
	pthread_mutex_unlock(&memory.lock);
	return found;
}

static enum tfr_status replay(
	const struct tfr_buf *entries, tfr_object_each *each, void *ctx, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t at = 0; !status && at < entries->size;) {
		struct stat st;
		struct tfr_object_entry entry = { (const char *)entries->data + at + sizeof(st),
			&st };

		memcpy(&st, entries->data + at, sizeof(st));
		at += sizeof(st) + strlen(entry.name) + 1;
		status = each(ctx, &entry, err);
	}
	return status == TFR_END ? TFR_OK : status;
}

/* --- a listing that is new --- */

struct listing {
	const char *url;
	tfr_object_each *each;
	void *ctx;
	struct tfr_buf entries;
	bool keep; /* all of them so far are in `entries` */
	bool cut;  /* the caller wanted no more */
};

static enum tfr_status take(void *ctx, const struct tfr_object_entry *entry, struct tfr_error *err)
{
	struct listing *l = ctx;
	TFR_AUTO_FREE char *url = tfr_asprintf("%s%s", l->url, entry->name);
	enum tfr_status status;

	/* What the listing says is not asked for again soon. */
	if (url)
		tfr_object_remember(url, entry->st);
	l->keep = l->keep && l->entries.size < MOST &&
		  tfr_buf_append(&l->entries, entry->st, sizeof(*entry->st)) &&
		  tfr_buf_append(&l->entries, entry->name, strlen(entry->name) + 1);
	status = l->each(l->ctx, entry, err);
	l->cut = l->cut || status;
	return status;
}

static void keep(struct listing *l)
{
	struct listed *slot = slot_of(l->url), fresh = { .url = strdup(l->url) };

	if (!fresh.url)
		return;
	fresh.until = tfr_clock_ns() + SECONDS * UINT64_C(1000000000);
	fresh.entries = l->entries;
	l->entries = (struct tfr_buf){ 0 };
	pthread_mutex_lock(&memory.lock);
	clear(slot);
	*slot = fresh;
	pthread_mutex_unlock(&memory.lock);
}

enum tfr_status tfr_list_objects(
	const char *url, bool deep, tfr_object_each *each, void *ctx, struct tfr_error *err)
{
	struct listing l = { .url = url, .each = each, .ctx = ctx, .keep = !deep };
	TFR_AUTO_BUF known = { 0 };
	struct tfr_store *s;
	const char *key;
	enum tfr_status status;

	if (!deep && recall(url, &known))
		return replay(&known, each, ctx, err);
	status = tfr_store_find(&s, url, &key, err);
	if (!status)
		status = tfr_listing(s, key, deep, 0, take, &l, err);
	if (!status && l.keep && !l.cut)
		keep(&l);
	tfr_buf_clear(&l.entries);
	return status;
}
