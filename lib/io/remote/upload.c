/* io/remote/upload.c - collects bytes into parts and sends them while the next ones fill.
 *
 * An object below the size of a part is sent by one PUT when it is completed.  A larger one is a
 * multipart upload: parts of one size, at most 10,000, several in flight.  The part size does not
 * change after the first part (Cloudflare R2 wants equal ones).
 *
 * Every part carries its CRC-32C.  A server that verifies it says so by sending it back; to one
 * that does not, the part is sent again with its MD5, and so are all later ones. */
#include "io/remote/upload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/base64.h"
#include "base/crc32c.h"
#include "io/remote/object_reader.h"
#include "io/remote/upload_state.h"

enum {
	PART = 16 << 20,
	MIB = 1 << 20,
	FLYING_MOST = 8, /* parts of one object */
};

static _Atomic unsigned open_uploads;

/* --- opening --- */

/* Large enough for 10,000 parts, in whole MiB. */
static enum tfr_status choose_part_size(struct tfr_upload *u, uint64_t size, struct tfr_error *err)
{
	uint64_t given = tfr_engine_opts()->part_size, least = size / TFR_PARTS_MOST + 1;

	least = (least + MIB - 1) / MIB * MIB;
	u->part_size = (size_t)(given ? given : least > PART ? least : PART);
	if (given && size / given >= TFR_PARTS_MOST) {
		tfr_fail_path(err, TFR_EUSAGE, u->url, "more than %d parts are needed for",
			TFR_PARTS_MOST);
		tfr_error_hint(err, "Use a --part-size of at least %llu MiB.",
			(unsigned long long)(least / MIB));
		return TFR_EUSAGE;
	}
	return TFR_OK;
}

static enum tfr_status check_name(const struct tfr_upload *u, struct tfr_error *err)
{
	size_t n = strlen(u->key);

	if (tfr_store_kind(u->store) == TFR_STORE_HTTP) {
		char url[300];

		tfr_fail_path(err, TFR_EUSAGE, tfr_store_show(u->store, u->key, url, sizeof(url)),
			"cannot write to a web server:");
		tfr_error_hint(err, "Objects are written to s3:// and gs://.");
		return TFR_EUSAGE;
	}
	if (!n || u->key[n - 1] == '/')
		return tfr_fail_path(err, TFR_EUSAGE, u->url, "no name of an object:");
	return n <= 1024 ? TFR_OK
			 : tfr_fail_path(err, TFR_EUSAGE, u->url, "a key has at most 1024 bytes:");
}

enum tfr_status tfr_upload_open(struct tfr_upload **out, const char *url,
	const struct tfr_upload_opts *opts, struct tfr_error *err)
{
	struct tfr_upload *u = calloc(1, sizeof(*u));
	enum tfr_status status;

	if (!u || !(u->url = strdup(url))) {
		free(u);
		return tfr_fail_nomem(err, "writing an object");
	}
	open_uploads++;
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->landed, NULL);
	u->pile = TFR_EMPTY_PILE;
	u->force = opts->force;
	status = tfr_store_find(&u->store, u->url, &u->key, err);
	if (!status)
		status = check_name(u, err);
	if (!status)
		status = choose_part_size(u, opts->size, err);
	if (!status)
		status = tfr_pile_check(open_uploads, u->part_size, err);
	if (status)
		tfr_upload_end(u);
	else
		*out = u;
	return status;
}

/* --- sending --- */

void tfr_upload_checksum(const struct tfr_upload *u, uint32_t crc, char *text, size_t size)
{
	const uint8_t bytes[] = { (uint8_t)(crc >> 24), (uint8_t)(crc >> 16), (uint8_t)(crc >> 8),
		(uint8_t)crc };
	TFR_AUTO_BUF sum = { 0 };

	*text = '\0';
	if (tfr_base64_encode(&sum, bytes, sizeof(bytes)) && tfr_buf_append(&sum, "", 1))
		snprintf(text, size,
			tfr_store_kind(u->store) == TFR_STORE_GS ? "x-goog-hash: crc32c=%s"
								 : "x-amz-checksum-crc32c: %s",
			(char *)sum.data);
}

static void on_done(
	void *ctx, enum tfr_status status, const struct tfr_answer *a, const struct tfr_error *err)
{
	struct tfr_upload_part *part = ctx;
	struct tfr_upload *u = part->u;

	pthread_mutex_lock(&u->lock);
	part->status = status;
	part->answer = *a;
	if (status && status != TFR_END)
		part->err = *err;
	part->ended = true;
	pthread_cond_signal(&u->landed);
	pthread_mutex_unlock(&u->lock);
}

static enum tfr_status send_part(struct tfr_upload_part *part, struct tfr_error *err)
{
	struct tfr_upload *u = part->u;
	char number[16], checksum[64], md5[48] = "Content-MD5: ";
	const struct tfr_query query[] = { { "partNumber", number }, { "uploadId", u->id } };
	const char *headers[] = { checksum, md5 };
	struct tfr_call call = { .method = "PUT",
		.key = u->key,
		.query = query,
		.n_query = 2,
		.headers = headers,
		.n_headers = 1 };
	struct tfr_request_opts opts = { .store = u->store,
		.call = &call,
		.content = tfr_pile_body(&part->pile),
		.ctx = part,
		.done = on_done };
	enum tfr_status status = TFR_OK;

	snprintf(number, sizeof(number), "%u", part->number);
	tfr_upload_checksum(u, part->crc, checksum, sizeof(checksum));
	part->with_md5 = !tfr_store_verifies(u->store);
	if (part->with_md5) {
		status = tfr_pile_md5(&part->pile, md5 + strlen(md5), err);
		call.n_headers = 2;
	}
	part->ended = false;
	return status ? status : tfr_request_start(&part->request, &opts, err);
}

static void free_part(struct tfr_upload_part *part)
{
	tfr_request_end(part->request);
	tfr_pile_clear(&part->pile);
	free(part);
}

/* Sends a part, or frees it. */
static enum tfr_status launch(struct tfr_upload_part *part, struct tfr_error *err)
{
	struct tfr_upload *u = part->u;
	enum tfr_status status = send_part(part, err);

	if (status) {
		free_part(part);
		return status;
	}
	pthread_mutex_lock(&u->lock);
	part->next = u->flying;
	u->flying = part;
	pthread_mutex_unlock(&u->lock);
	u->in_flight++;
	return TFR_OK;
}

/* A part has landed: keeps its tag, or sends it again. */
static enum tfr_status settle(
	struct tfr_upload *u, struct tfr_upload_part *part, struct tfr_error *err)
{
	struct tfr_answer *a = &part->answer;
	bool verified = a->has_crc32c && a->crc32c == part->crc;

	if (part->status == TFR_END) {
		tfr_fail_path(err, TFR_ESYS, u->url, "the upload was aborted by another program:");
		return TFR_ESYS;
	}
	if (part->status) {
		if (err)
			*err = part->err;
		return part->status;
	}
	if (a->has_crc32c && !verified)
		return tfr_fail_path(
			err, TFR_ESYS, u->url, "the server got other bytes than were sent:");
	if (!*a->etag)
		return tfr_fail_path(
			err, TFR_ESYS, u->url, "the server gives no ETag to a part of");
	if (!verified && !part->with_md5) {
		tfr_store_note_unverified(u->store);
		return TFR_END;
	}
	memcpy(u->sent[part->number - 1].etag, a->etag, sizeof(a->etag));
	u->sent[part->number - 1].crc = part->crc;
	return TFR_OK;
}

/* Takes parts that have landed; waits for one if `wait`. */
static enum tfr_status collect(struct tfr_upload *u, bool wait, struct tfr_error *err)
{
	struct tfr_upload_part **at = &u->flying, *part;
	enum tfr_status status;

	pthread_mutex_lock(&u->lock);
	for (;;) {
		for (at = &u->flying; *at && !(*at)->ended; at = &(*at)->next)
			;
		if (*at || !wait || !u->flying)
			break;
		pthread_cond_wait(&u->landed, &u->lock);
	}
	part = *at;
	if (part)
		*at = part->next;
	pthread_mutex_unlock(&u->lock);
	if (!part)
		return TFR_END;
	u->in_flight--;
	status = settle(u, part, err);
	if (status != TFR_END) {
		free_part(part);
		return status;
	}
	tfr_request_end(part->request);
	part->request = NULL;
	return launch(part, err);
}

/* Sends the part that is full. */
static enum tfr_status dispatch(struct tfr_upload *u, struct tfr_error *err)
{
	struct tfr_upload_part *part;
	enum tfr_status status = *u->id ? TFR_OK : tfr_upload_begin(u, err);

	while (!status && u->in_flight >= FLYING_MOST)
		status = collect(u, true, err);
	if (status)
		return status;
	if (u->parts == TFR_PARTS_MOST) {
		tfr_fail_path(err, TFR_ESYS, u->url, "more than %d parts of %zu MiB in",
			TFR_PARTS_MOST, u->part_size / MIB);
		tfr_error_hint(
			err, "Its size was not known in advance.  Use a larger --part-size.");
		return TFR_ESYS;
	}
	part = calloc(1, sizeof(*part));
	if (!part || TFR_ARRAY_RESERVE(u->sent, u->cap, u->parts + 1u)) {
		free(part);
		return tfr_fail_nomem(err, "writing an object");
	}
	u->sent[u->parts] = (struct tfr_sent_part){ .etag = "" };
	*part = (struct tfr_upload_part){
		.u = u, .pile = u->pile, .crc = u->crc, .number = ++u->parts
	};
	u->pile = TFR_EMPTY_PILE;
	u->crc = 0;
	return launch(part, err);
}

/* Memory that is short comes back from parts in flight; without any, the part goes to a file. */
static enum tfr_status add(
	struct tfr_upload *u, const uint8_t *data, size_t size, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;

	while (status == TFR_END) {
		status = tfr_pile_add(&u->pile, data, size, u->part_size, !u->in_flight, err);
		if (status == TFR_END) {
			enum tfr_status landed = collect(u, true, err);

			if (landed && landed != TFR_END)
				return landed;
		}
	}
	if (!status)
		u->crc = tfr_crc32c(u->crc, data, size);
	return status;
}

enum tfr_status tfr_upload_write(
	struct tfr_upload *u, const void *data, size_t size, struct tfr_error *err)
{
	const uint8_t *p = data;
	enum tfr_status status = TFR_OK;

	while (!status && size) {
		size_t room = u->part_size - u->pile.size, n = size < room ? size : room;

		if (!n) {
			status = dispatch(u, err);
			continue;
		}
		status = add(u, p, n, err);
		p += n;
		size -= n;
		u->size += n;
	}
	while (!status && u->in_flight) {
		enum tfr_status landed = collect(u, false, err);

		if (landed == TFR_END)
			break;
		status = landed;
	}
	return status;
}

enum tfr_status tfr_upload_seal(struct tfr_upload *u, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (*u->id && u->pile.size)
		status = dispatch(u, err);
	while (!status && u->in_flight)
		status = collect(u, true, err);
	u->sealed = !status;
	u->st = (struct stat){
		.st_mode = S_IFREG | 0644, .st_nlink = 1, .st_size = (off_t)u->size
	};
	return status;
}

const struct stat *tfr_upload_stat(const struct tfr_upload *u)
{
	return &u->st;
}

/* --- the end --- */

enum tfr_status tfr_upload_abort(const char *url, const char *id, struct tfr_error *err)
{
	const struct tfr_query query[] = { { "uploadId", id } };
	struct tfr_call call = { .method = "DELETE", .query = query, .n_query = 1, .empty = true };
	struct tfr_answer a = { 0 };
	struct tfr_store *s;
	enum tfr_status status = tfr_store_find(&s, url, &call.key, err);

	if (!status)
		status = tfr_exchange(s, &call, NULL, 64 << 10, &a, err);
	tfr_answer_clear(&a);
	return status == TFR_END ? TFR_OK : status;
}

void tfr_upload_end(struct tfr_upload *u)
{
	if (!u)
		return;
	while (u->flying) {
		struct tfr_upload_part *part = u->flying;

		u->flying = part->next;
		free_part(part);
	}
	tfr_upload_forget(u);
	if (*u->id && !u->complete)
		tfr_upload_abort(u->url, u->id, NULL);
	open_uploads--;
	tfr_pile_clear(&u->pile);
	pthread_mutex_destroy(&u->lock);
	pthread_cond_destroy(&u->landed);
	free(u->sent);
	free(u->url);
	free(u);
}
