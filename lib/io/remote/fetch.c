/* io/remote/fetch.c - small objects, each by one request, many of them in flight.
 *
 * A caller that knows the next names announces them with tfr_object_prefetch(); the bytes wait in a
 * table until tfr_object_fetch() takes them.  The table is bounded in objects and in bytes, and
 * what does not fit is fetched when it is asked for.  An object that was announced and never taken
 * leaves the table when its place is needed and it is the oldest. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/remote/http/engine.h"
#include "io/remote/object_reader.h"

enum {
	SLOTS = 128,
	BYTES = 24 << 20,
	UNKNOWN = 192 << 10,	/* counted for an object whose size is not known */
	UNKNOWN_MOST = 4 << 20, /* a larger one is fetched again when it is asked for */
};

struct parcel {
	char *url;
	const char *key;
	struct tfr_store *store;
	struct tfr_request *request;
	size_t expected, most;
	uint64_t age;
	bool over; /* it is larger than `most` */
	struct stat st;
	struct tfr_buf body;
};

static struct {
	struct parcel *slot[SLOTS];
	uint64_t age, bytes;
	pid_t pid;
} table;

/* --- on a thread that runs libcurl --- */

static enum tfr_status on_head(void *ctx, const struct tfr_answer *a, struct tfr_error *err)
{
	struct parcel *p = ctx;

	tfr_object_identity(&p->st, p->store, a, a->length);
	p->over = a->length != UINT64_MAX && a->length > p->most;
	if (p->over)
		return TFR_ECANCELLED;
	if (a->length != UINT64_MAX && !p->body.size && !tfr_buf_reserve(&p->body, a->length))
		return tfr_fail_nomem(err, "reading an object");
	return TFR_OK;
}

static enum tfr_status on_body(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct parcel *p = ctx;

	p->over = size > p->most - p->body.size;
	if (p->over)
		return TFR_ECANCELLED;
	return tfr_buf_append(&p->body, data, size) ? TFR_OK
						    : tfr_fail_nomem(err, "reading an object");
}

/* --- parcels --- */

static void free_parcel(struct parcel *p)
{
	if (!p)
		return;
	tfr_request_end(p->request);
	tfr_buf_clear(&p->body);
	free(p->url);
	free(p);
}

static enum tfr_status order(
	struct parcel **out, const char *url, size_t expected, size_t most, struct tfr_error *err)
{
	struct tfr_call call = { .method = "GET", .empty = true };
	struct parcel *p = calloc(1, sizeof(*p));
	struct tfr_request_opts opts = {
		.call = &call, .ctx = p, .head = on_head, .take = on_body
	};
	enum tfr_status status;

	if (!p || !(p->url = strdup(url))) {
		free(p);
		return tfr_fail_nomem(err, "reading an object");
	}
	p->expected = expected;
	p->most = most;
	opts.body = &p->body;
	status = tfr_store_find(&p->store, p->url, &p->key, err);
	call.key = p->key;
	opts.store = p->store;
	if (!status)
		status = tfr_request_start(&p->request, &opts, err);
	if (status)
		free_parcel(p);
	else
		*out = p;
	return status;
}

/* With the lock held.  Takes it out of the table. */
static struct parcel *take_slot(int i)
{
	struct parcel *p = table.slot[i];

	table.slot[i] = NULL;
	if (p)
		table.bytes -= p->expected;
	return p;
}

static int find_slot(const char *url)
{
	for (int i = 0; i < SLOTS; i++)
		if (table.slot[i] && !strcmp(table.slot[i]->url, url))
			return i;
	return -1;
}

/* A free slot, or the oldest one if that has ended long ago. */
static int room_for(uint64_t size, struct parcel **old)
{
	int oldest = -1, free_one = -1;

	for (int i = 0; i < SLOTS; i++) {
		if (!table.slot[i])
			free_one = i;
		else if (oldest < 0 || table.slot[i]->age < table.slot[oldest]->age)
			oldest = i;
	}
	if (free_one >= 0 && table.bytes + size <= BYTES)
		return free_one;
	if (oldest < 0 || !tfr_request_ended(table.slot[oldest]->request) ||
		table.age - table.slot[oldest]->age < 4 * SLOTS)
		return -1;
	*old = take_slot(oldest);
	return table.bytes + size <= BYTES ? oldest : -1;
}

/* Transfers of the parent do not continue in a child. */
static void lock_table(void)
{
	tfr_remote_lock();
	if (table.pid != getpid()) {
		memset((void *)table.slot, 0, sizeof(table.slot));
		table.bytes = 0;
		table.pid = getpid();
	}
}

bool tfr_object_prefetch(const char *url, uint64_t size)
{
	struct parcel *p = NULL, *old = NULL;
	bool known;
	int slot;

	size_t most = size ? (size_t)size : UNKNOWN_MOST;

	size = size ? size : UNKNOWN;
	lock_table();
	table.age++;
	known = find_slot(url) >= 0;
	slot = known ? -1 : room_for(size, &old);
	tfr_remote_unlock();
	free_parcel(old);
	if (slot < 0 || order(&p, url, (size_t)size, most, NULL))
		return known;
	tfr_remote_lock();
	if (!table.slot[slot]) {
		p->age = table.age;
		table.slot[slot] = p;
		table.bytes += size;
		p = NULL;
	}
	tfr_remote_unlock();
	free_parcel(p);
	return !p;
}

/* Waits for a parcel, and frees it. */
static enum tfr_status deliver(
	struct parcel *p, void **data, size_t *size, struct stat *st, struct tfr_error *err)
{
	enum tfr_status status = tfr_request_wait(p->request, NULL, err);

	if (st)
		*st = p->st;
	if (p->over) {
		*size = p->st.st_size < 0 ? SIZE_MAX : (size_t)p->st.st_size;
		status = TFR_END;
	} else if (status == TFR_END) {
		status = tfr_fail_errno(err, ENOENT, p->url, "cannot open");
	} else if (!status && !p->body.data && !tfr_buf_reserve(&p->body, 1)) {
		status = tfr_fail_nomem(err, "reading an object");
	}
	if (!status) {
		*data = p->body.data;
		*size = p->body.size;
		p->body = (struct tfr_buf){ 0 };
	}
	free_parcel(p);
	return status;
}

enum tfr_status tfr_object_fetch(const char *url, size_t most, void **data, size_t *size,
	struct stat *st, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;
	struct parcel *p = NULL;
	size_t announced = 0; /* bytes it may have; 0: it was not */
	int slot;

	lock_table();
	slot = find_slot(url);
	if (slot >= 0) {
		p = take_slot(slot);
		announced = p->most;
	}
	tfr_remote_unlock();
	if (announced)
		status = deliver(p, data, size, st, err);
	/* It may have grown since it was listed. */
	if (status == TFR_END && announced < most) {
		status = order(&p, url, 0, most, err);
		if (!status)
			status = deliver(p, data, size, st, err);
	}
	return status;
}
