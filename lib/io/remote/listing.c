/* io/remote/listing.c - page after page of a listing.
 *
 * The order is the server's: some list in the order of folders.  A server that repeats a page would
 * never end, so the hashes of all keys and tokens are kept: none may come twice. */
#include "io/remote/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash_index.h"
#include "io/remote/object_reader.h"
#include "io/remote/store_answers.h"

enum { PAGE_MOST = 16 << 20, EMPTY_PAGES = 1000 };

struct listing {
	struct tfr_store *s;
	const char *prefix;
	/* Gives an entry of a page to the caller. */
	enum tfr_status (*give)(struct listing *l, const struct tfr_page *p,
		const struct tfr_listed *e, struct tfr_error *err);
	tfr_object_each *each;
	tfr_upload_each *each_upload;
	void *ctx;
	struct tfr_hash_index seen;
	uint64_t *hashes;
	size_t n;
	unsigned empty; /* pages in a row */
};

static enum tfr_status malformed(const struct listing *l, struct tfr_error *err)
{
	char url[300];

	tfr_fail_path(err, TFR_ESYS, tfr_store_show(l->s, l->prefix, url, sizeof(url)),
		"the server sends a malformed listing of");
	tfr_error_hint(err, "Its endpoint may not be that of an object store.");
	return TFR_ESYS;
}

/* Web servers have no listings that programs can rely on. */
static enum tfr_status check_store(const struct listing *l, struct tfr_error *err)
{
	char url[300];

	if (tfr_store_kind(l->s) != TFR_STORE_HTTP)
		return TFR_OK;
	tfr_fail_path(err, TFR_EUSAGE, tfr_store_show(l->s, l->prefix, url, sizeof(url)),
		"a web server cannot list");
	tfr_error_hint(err, "Name the files, or a numbered set such as train@16.tfrecord.");
	return TFR_EUSAGE;
}

static enum tfr_status get_page(struct listing *l, const struct tfr_query *query, size_t n,
	struct tfr_page *p, struct tfr_error *err)
{
	struct tfr_call call = {
		.method = "GET", .key = "", .query = query, .n_query = n, .empty = true
	};
	TFR_AUTO_ANSWER a = { 0 };
	enum tfr_status status = tfr_exchange(l->s, &call, NULL, PAGE_MOST, &a, err);
	char url[300];

	if (status == TFR_END)
		status = tfr_fail_path(err, TFR_ESYS, tfr_store_show(l->s, "", url, sizeof(url)),
			"there is no bucket");
	else if (!status &&
		 !tfr_page_parse(p, a.body.data ?: (const uint8_t *)"", a.body.size, l->prefix))
		status = malformed(l, err);
	return status;
}

/* Whether a key or a token, two of which are one only if they are of one kind, is new. */
static enum tfr_status note(
	struct listing *l, const char *text, uint64_t kind, bool *is_new, struct tfr_error *err)
{
	uint64_t hash = XXH3_64bits_withSeed(text, strlen(text), kind);
	struct tfr_hash_probe probe = tfr_hash_probe(hash);
	uint32_t i;

	*is_new = true;
	while (*is_new && tfr_hash_next(&l->seen, &probe, &i))
		*is_new = l->hashes[i] != hash;
	if (!*is_new)
		return TFR_OK;
	if (TFR_ARRAY_ONE_MORE(l->hashes, l->n) || tfr_hash_add(&l->seen, hash, (uint32_t)l->n))
		return tfr_fail_nomem(err, "listing");
	l->hashes[l->n++] = hash;
	return TFR_OK;
}

/* The query of a page is `query`, and the marker that the page before has named. */
static enum tfr_status list_pages(struct listing *l, struct tfr_query *query, size_t n,
	const char *marker_name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *marker = NULL, *id = NULL;
	enum tfr_status status = check_store(l, err);
	bool more = true, is_new = true;

	while (!status && more) {
		struct tfr_page p = { 0 };
		size_t k = n;

		if (marker)
			query[k++] = (struct tfr_query){ marker_name, marker };
		if (id)
			query[k++] = (struct tfr_query){ "upload-id-marker", id };
		status = get_page(l, query, k, &p, err);
		if (!status && l->empty++ > EMPTY_PAGES)
			status = malformed(l, err);
		for (size_t i = 0; !status && i < p.n; i++)
			status = l->give(l, &p, &p.list[i], err);
		more = p.more && !status;
		free(marker);
		free(id);
		marker = more ? strdup((char *)p.text.data + p.next) : NULL;
		id = more && p.next_id ? strdup((char *)p.text.data + p.next_id) : NULL;
		if (more && (!marker || (p.next_id && !id)))
			status = tfr_fail_nomem(err, "listing");
		else if (more && !id)
			status = note(l, marker, 2, &is_new, err);
		if (!status && !is_new)
			status = malformed(l, err);
		tfr_page_clear(&p);
	}
	tfr_hash_clear(&l->seen);
	free(l->hashes);
	return status == TFR_END ? TFR_OK : status;
}

/* --- objects --- */

static enum tfr_status give(struct listing *l, const struct tfr_page *p, const struct tfr_listed *e,
	struct tfr_error *err)
{
	const char *key = (const char *)p->text.data + e->key,
		   *etag = (const char *)p->text.data + e->etag;
	TFR_AUTO_FREE char *name = strdup(key + strlen(l->prefix));
	struct tfr_answer a = { .mtime = e->mtime };
	struct tfr_object_entry entry = { .name = name };
	struct stat st;
	bool is_new;
	size_t n;

	TFR_NEED_MEMORY(name, err, "listing");
	TFR_TRY(note(l, key, e->prefix, &is_new, err));
	/* A prefix may come on each page that has some of its keys. */
	if (!is_new)
		return e->prefix ? TFR_OK : malformed(l, err);
	l->empty = 0;
	n = strlen(name);
	if (!n || (!e->prefix && name[n - 1] == '/')) /* the object that marks a folder */
		return TFR_OK;
	if (e->prefix && name[n - 1] == '/')
		name[--n] = '\0';
	snprintf(a.etag, sizeof(a.etag), "%s", etag);
	tfr_object_identity(&st, l->s, &a, e->size);
	if (e->prefix)
		st = (struct stat){ .st_mode = S_IFDIR | 0755,
			.st_dev = st.st_dev,
			.st_ino = XXH3_64bits(key, strlen(key)),
			.st_nlink = 1 };
	entry.st = &st;
	if (!n)
		return TFR_OK;
	return l->each(l->ctx, &entry, err);
}

enum tfr_status tfr_listing(struct tfr_store *s, const char *prefix, bool deep, size_t most,
	tfr_object_each *each, void *ctx, struct tfr_error *err)
{
	struct listing l = { .s = s, .prefix = prefix, .give = give, .each = each, .ctx = ctx };
	char count[24];
	struct tfr_query query[7] = { { "list-type", "2" }, { "encoding-type", "url" },
		{ "prefix", prefix }, { "max-keys", count }, { "delimiter", "/" } };

	snprintf(count, sizeof(count), "%zu", most && most < 1000 ? most : 1000);
	return list_pages(&l, query, deep ? 4 : 5, "continuation-token", err);
}

/* --- unfinished uploads --- */

/* Several uploads of one key are listed in the order of their start.  A page of uploads counts as
 * an empty page, because its keys are not compared with earlier ones. */
static enum tfr_status give_upload(struct listing *l, const struct tfr_page *p,
	const struct tfr_listed *e, struct tfr_error *err)
{
	const char *text = (const char *)p->text.data;

	return l->each_upload(l->ctx, text + e->key, text + e->id, e->mtime, err);
}

/* Ceph encodes the keys of uploads without saying so, so this is not asked for. */
enum tfr_status tfr_listing_uploads(struct tfr_store *s, const char *prefix, tfr_upload_each *each,
	void *ctx, struct tfr_error *err)
{
	struct listing l = {
		.s = s, .prefix = prefix, .give = give_upload, .each_upload = each, .ctx = ctx
	};
	struct tfr_query query[4] = { { "uploads", NULL }, { "prefix", prefix } };

	return list_pages(&l, query, 2, "key-marker", err);
}

/* --- remembered listings --- */

/* A command that finds out what a prefix holds lists the same folders again and again, so a few
 * listings are kept as text: of each entry its struct stat, and its name with the NUL. */

enum { KEPT = 64, MOST = 1 << 20, SECONDS = 5 };

struct listed {
	char *url; /* NULL: free */
	uint64_t until;
	struct tfr_buf entries;
};

static struct {
	struct listed slot[KEPT];
} memory;

static struct listed *slot_of(const char *url)
{
	return &memory.slot[XXH3_64bits(url, strlen(url)) % KEPT];
}

static void clear_listed(struct listed *l)
{
	free(l->url);
	tfr_buf_clear(&l->entries);
	*l = (struct listed){ 0 };
}

void tfr_listed_forget(void)
{
	tfr_remote_lock();
	for (size_t i = 0; i < KEPT; i++)
		clear_listed(&memory.slot[i]);
	tfr_remote_unlock();
}

/* Copies, so that the lock is not held while the caller's function runs. */
static bool recall(const char *url, struct tfr_buf *entries)
{
	struct listed *l = slot_of(url);
	bool found;

	tfr_remote_lock();
	found = l->url && !strcmp(l->url, url) && tfr_clock_ns() < l->until &&
		(!l->entries.size || tfr_buf_append(entries, l->entries.data, l->entries.size));
	tfr_remote_unlock();
	return found;
}

static enum tfr_status replay(
	const struct tfr_buf *entries, tfr_object_each *each, void *ctx, struct tfr_error *err)
{
	for (size_t at = 0; at < entries->size;) {
		struct stat st;
		struct tfr_object_entry entry = { (const char *)entries->data + at + sizeof(st),
			&st };
		enum tfr_status status;

		memcpy(&st, entries->data + at, sizeof(st));
		at += sizeof(st) + strlen(entry.name) + 1;
		status = each(ctx, &entry, err);
		if (status)
			return status == TFR_END ? TFR_OK : status;
	}
	return TFR_OK;
}

/* --- a listing that is new --- */

struct fresh_listing {
	const char *url;
	tfr_object_each *each;
	void *ctx;
	struct tfr_buf entries;
	bool kept; /* all of them so far are in `entries` */
	bool cut;  /* the caller wanted no more */
};

static enum tfr_status take(void *ctx, const struct tfr_object_entry *entry, struct tfr_error *err)
{
	struct fresh_listing *l = ctx;
	TFR_AUTO_FREE char *url = tfr_asprintf("%s%s", l->url, entry->name);
	enum tfr_status status;

	/* What the listing says is not asked for again soon. */
	if (url)
		tfr_object_remember(url, entry->st);
	l->kept = l->kept && l->entries.size < MOST &&
		  tfr_buf_append(&l->entries, entry->st, sizeof(*entry->st)) &&
		  tfr_buf_append(&l->entries, entry->name, strlen(entry->name) + 1);
	status = l->each(l->ctx, entry, err);
	l->cut = l->cut || status;
	return status;
}

static void keep_listing(struct fresh_listing *l)
{
	struct listed *slot = slot_of(l->url), fresh = { .url = strdup(l->url) };

	if (!fresh.url)
		return;
	fresh.until = tfr_clock_ns() + SECONDS * UINT64_C(1000000000);
	fresh.entries = l->entries;
	l->entries = (struct tfr_buf){ 0 };
	tfr_remote_lock();
	clear_listed(slot);
	*slot = fresh;
	tfr_remote_unlock();
}

enum tfr_status tfr_list_objects(
	const char *url, bool deep, tfr_object_each *each, void *ctx, struct tfr_error *err)
{
	struct fresh_listing l = { .url = url, .each = each, .ctx = ctx, .kept = !deep };
	TFR_AUTO_BUF known = { 0 };
	struct tfr_store *s;
	const char *key;
	enum tfr_status status;

	if (!deep && recall(url, &known))
		return replay(&known, each, ctx, err);
	TFR_TRY(tfr_store_find(&s, url, &key, err));
	status = tfr_listing(s, key, deep, 0, take, &l, err);
	if (!status && l.kept && !l.cut)
		keep_listing(&l);
	tfr_buf_clear(&l.entries);
	return status;
}
