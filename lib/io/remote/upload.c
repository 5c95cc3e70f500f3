/* io/remote/upload.c - collects bytes into parts and sends them while the next ones fill.
 *
 * An object below the size of a part is sent by one PUT when it is completed.  A larger one is a
 * multipart upload: parts of one size, at most 10,000, several in flight.  The part size does not
 * change after the first part (Cloudflare R2 wants equal ones).
 *
 * Every part carries its CRC-32C.  A server that verifies it says so by sending it back; to one
 * that does not, the part is sent again with its MD5, and so are all later ones. */
#include "io/remote/upload.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/crc32c.h"
#include "base/digest.h"
#include "io/path.h"
#include "io/remote/http/engine.h"
#include "io/remote/object_reader.h"
#include "io/remote/store_answers.h"
#include "io/temporaries.h"

enum {
	END_SECONDS = 3, /* to abort uploads after an error, before the process ends */
	PART = 16 << 20,
	MIB = 1 << 20,
	FLYING_MOST = 8, /* parts of one object */
	ANSWER_MOST = 1 << 20,
	TRIES = 5, /* of a completion */
};

static _Atomic unsigned open_uploads, ending; /* `ending`: those that are being aborted */

struct tfr_upload_part {
	struct tfr_upload_part *next; /* in flight */
	struct tfr_upload *u;
	struct tfr_request *request;
	struct tfr_pile pile;
	unsigned number; /* from 1 */
	uint32_t crc;
	bool with_md5, ended;
	enum tfr_status status;
	struct tfr_answer answer;
	struct tfr_error err;
};

/* A part that the server has. */
struct tfr_sent_part {
	char etag[TFR_ETAG];
	uint32_t crc;
};

struct tfr_upload {
	struct tfr_upload *next, **back; /* in the list of all that have an id */
	struct tfr_store *store;
	char *url;
	const char *key; /* in `url` */
	bool force, sealed, complete;
	size_t part_size;
	struct tfr_pile pile;	/* the part that fills */
	uint32_t crc;		/* of it */
	uint64_t size;		/* of all */
	char id[TFR_UPLOAD_ID]; /* "": not begun */
	char mark[64];		/* of this upload: a header field that the object keeps */
	struct tfr_sent_part *sent;
	size_t cap;
	unsigned parts;
	struct tfr_upload_part *flying;
	unsigned in_flight;
	struct stat st;
	pthread_mutex_t lock;
	pthread_cond_t landed;
};

/* "x-amz-checksum-crc32c: AAAAAA==" or "x-goog-hash: crc32c=AAAAAA==". */
static void upload_checksum(const struct tfr_upload *u, uint32_t crc, char *text, size_t size)
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

/* --- the list of uploads with an id, for signals and for the end of the process --- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tfr_upload *list;

void tfr_uploads_forget(void)
{
	pthread_mutex_init(&list_lock, NULL);
	list = NULL;
	ending = 0;
}

static void note(struct tfr_upload *u)
{
	pthread_mutex_lock(&list_lock);
	u->next = list;
	u->back = &list;
	if (list)
		list->back = &u->next;
	list = u;
	pthread_mutex_unlock(&list_lock);
}

/* Takes it off the list, whose lock is held. */
static void unlist(struct tfr_upload *u)
{
	if (!u->back)
		return;
	*u->back = u->next;
	if (u->next)
		u->next->back = u->back;
	u->back = NULL;
}

static void free_upload(struct tfr_upload *u)
{
	pthread_mutex_destroy(&u->lock);
	pthread_cond_destroy(&u->landed);
	free(u->sent);
	free(u->url);
	free(u);
}

/* On the thread of an engine.  An upload that remains stays on the list. */
static void on_aborted(
	void *ctx, enum tfr_status status, const struct tfr_answer *a, const struct tfr_error *err)
{
	(void)a, (void)err;
	if ((!status || status == TFR_END) && tfr_engine_lock(&list_lock)) {
		unlist(ctx);
		pthread_mutex_unlock(&list_lock);
		free_upload(ctx);
	}
	ending--;
}

/* Gives `each` the request that aborts an upload. */
static void make_abort(struct tfr_upload *u,
	void (*each)(void *ctx, const struct tfr_request_opts *opts), void *ctx)
{
	const struct tfr_query query[] = { { "uploadId", u->id } };
	const struct tfr_call call = {
		.method = "DELETE", .key = u->key, .query = query, .n_query = 1, .empty = true
	};
	const struct tfr_request_opts opts = {
		.store = u->store, .call = &call, .detached = true, .ctx = u, .done = on_aborted
	};

	each(ctx, &opts);
}

/* On the thread of the engine, while a signal handler waits in any other.  If that thread holds the
 * lock, nothing changes the list any more. */
void tfr_uploads_aborts(void (*each)(void *ctx, const struct tfr_request_opts *opts), void *ctx)
{
	bool held = tfr_engine_lock(&list_lock);

	for (struct tfr_upload *u = list; u; u = u->next)
		make_abort(u, each, ctx);
	if (held)
		pthread_mutex_unlock(&list_lock);
}

/* --- existing objects --- */

/* Without `force` an object must not replace another.  S3 decides that by If-None-Match: * on PUT
 * and on completion, GCS by x-goog-if-generation-match: 0 on a PUT.  GCS's multipart uploads take
 * no condition, some servers answer 501 to one, and others ignore it.  So the name is looked at
 * before the first byte and before completion as well; where no server decides, another writer may
 * come between the look and the completion.
 *
 * If the answer to a completion is lost, its repetition is refused, although the object is ours.
 * Every object has the mark of its upload, so a look at it decides.
 *
 * Sources: docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html,
 * docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html,
 * cloud.google.com/storage/docs/xml-api/post-object-complete. */

/* Whether completion can be refused by the server if the object exists. */
static bool is_conditional(const struct tfr_upload *u, bool multipart)
{
	if (u->force || tfr_store_shown(u->store)->unconditional)
		return false;
	return tfr_store_kind(u->store) == TFR_STORE_S3 || !multipart;
}

static const char *condition(const struct tfr_upload *u)
{
	return tfr_store_kind(u->store) == TFR_STORE_S3 ? "If-None-Match: *"
							: "x-goog-if-generation-match: 0";
}

/* Asks the server what has the name.  TFR_OK: the object of this upload, which `a` describes;
 * TFR_END: nothing; TFR_EEXIST: another object. */
static enum tfr_status look(const struct tfr_upload *u, struct tfr_answer *a, struct tfr_error *err)
{
	struct tfr_call call = { .method = "HEAD", .key = u->key, .empty = true };
	enum tfr_status status;

	tfr_answer_clear(a);
	status = tfr_exchange(u->store, &call, NULL, 0, a, err);
	return status || !strcmp(a->mark, strchr(u->mark, ' ') + 1) ? status
								    : tfr_fail_exists(err, u->url);
}

/* Looks before a write.  To those who may not list, S3 answers 403 for a missing name: then the
 * condition decides alone. */
static enum tfr_status look_before(
	const struct tfr_upload *u, bool multipart, struct tfr_answer *a, struct tfr_error *err)
{
	enum tfr_status status = u->force ? TFR_END : look(u, a, err);

	return status == TFR_ESYS && a->status == 403 && is_conditional(u, multipart) ? TFR_END
										      : status;
}

/* --- beginning --- */

static enum tfr_status post_begin(
	struct tfr_upload *u, bool checksums, struct tfr_answer *a, struct tfr_error *err)
{
	const char *headers[] = { u->mark, "x-amz-checksum-algorithm: CRC32C" };
	static const struct tfr_query query[] = { { "uploads", NULL } };
	struct tfr_call call = { .method = "POST",
		.key = u->key,
		.query = query,
		.n_query = 1,
		.headers = headers,
		.n_headers = checksums ? 2 : 1,
		.empty = true };

	return tfr_exchange(u->store, &call, NULL, ANSWER_MOST, a, err);
}

/* Begins a multipart upload. */
static enum tfr_status upload_begin(struct tfr_upload *u, struct tfr_error *err)
{
	enum tfr_status status = look_before(u, true, &(struct tfr_answer){ 0 }, err);
	bool checksums =
		tfr_store_kind(u->store) == TFR_STORE_S3 && !tfr_store_shown(u->store)->unverified;
	TFR_AUTO_ANSWER a = { 0 };

	if (status != TFR_END)
		return status;
	status = post_begin(u, checksums, &a, err);
	if (checksums && (a.status == 400 || a.status == 501)) {
		tfr_answer_clear(&a);
		tfr_store_shown(u->store)->unverified = true;
		status = post_begin(u, false, &a, err);
	}
	if (status == TFR_END)
		status = tfr_fail_path(err, TFR_ESYS, u->url, "the bucket does not exist:");
	if (!status && !tfr_upload_started(u->id, a.body.data ?: (const uint8_t *)"", a.body.size))
		status = tfr_fail_path(err, TFR_ESYS, u->url,
			"the server sends a malformed answer to the start of an upload:");
	if (!status)
		note(u);
	return status;
}

/* --- one PUT --- */

static enum tfr_status put_once(struct tfr_upload *u, struct tfr_answer *a, struct tfr_error *err)
{
	const struct tfr_request_body content = tfr_pile_body(&u->pile);
	char checksum[64], md5[48] = "Content-MD5: ";
	const char *headers[4] = { checksum, u->mark };
	struct tfr_call call = { .method = "PUT",
		.key = u->key,
		.headers = headers,
		.n_headers = 2,
		.empty = !content.size };
	enum tfr_status status = TFR_OK;

	upload_checksum(u, u->crc, checksum, sizeof(checksum));
	if (tfr_store_shown(u->store)->unverified) {
		status = tfr_pile_md5(&u->pile, md5 + strlen(md5), err);
		headers[call.n_headers++] = md5;
	}
	if (is_conditional(u, false))
		headers[call.n_headers++] = condition(u);
	return status ? status : tfr_exchange(u->store, &call, &content, 64 << 10, a, err);
}

/* The MD5 of the bytes is the ETag of most objects that one PUT has made. */
static void tag_of_pile(const struct tfr_upload *u, char *tag, size_t size)
{
	char md5[32], hex[33] = "";
	TFR_AUTO_BUF sum = { 0 };

	*tag = '\0';
	if (tfr_pile_md5(&u->pile, md5, NULL) || !tfr_base64_decode(&sum, md5, strlen(md5)))
		return;
	tfr_hex(sum.data, sum.size < 16 ? sum.size : 16, hex);
	snprintf(tag, size, "\"%s\"", hex);
}

/* After a completion: if it failed and the object is ours all the same, its answer was lost. */
static enum tfr_status look_after(
	struct tfr_upload *u, enum tfr_status status, struct tfr_answer *a, struct tfr_error *err)
{
	long http = a->status;

	if (status != TFR_ESYS && status != TFR_END)
		return status;
	if (look(u, a, NULL) == TFR_OK)
		return TFR_OK;
	return http == 412 ? tfr_fail_exists(err, u->url) : status;
}

static bool list_parts(const struct tfr_upload *u, struct tfr_buf *xml)
{
	bool sums =
		tfr_store_kind(u->store) == TFR_STORE_S3 && !tfr_store_shown(u->store)->unverified;
	bool good = tfr_buf_printf(xml, "<CompleteMultipartUpload>");
	char checksum[64];

	for (unsigned i = 0; good && i < u->parts; i++) {
		good = tfr_buf_printf(xml, "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag>",
			i + 1, u->sent[i].etag);
		upload_checksum(u, u->sent[i].crc, checksum, sizeof(checksum));
		if (good && sums)
			good = tfr_buf_printf(xml, "<ChecksumCRC32C>%s</ChecksumCRC32C>",
				strchr(checksum, ' ') + 1);
		good = good && tfr_buf_printf(xml, "</Part>");
	}
	return good && tfr_buf_printf(xml, "</CompleteMultipartUpload>");
}

static enum tfr_status post_complete(struct tfr_upload *u, const struct tfr_buf *xml,
	struct tfr_answer *a, struct tfr_error *err)
{
	const struct tfr_query query[] = { { "uploadId", u->id } };
	const char *headers[] = { condition(u) };
	const struct tfr_request_body content = { .data = xml->data, .size = xml->size };
	struct tfr_call call = { .method = "POST",
		.key = u->key,
		.query = query,
		.n_query = 1,
		.headers = headers,
		.n_headers = is_conditional(u, true) ? 1 : 0 };

	return tfr_exchange(u->store, &call, &content, ANSWER_MOST, a, err);
}

/* The status 200 comes before the work is done, so that an error may follow it, or nothing. */
static enum tfr_status judge(
	struct tfr_upload *u, struct tfr_answer *a, bool *again, struct tfr_error *err)
{
	const uint8_t *text = a->body.data ?: (const uint8_t *)"";
	struct tfr_store_fault fault;
	enum tfr_status status = tfr_upload_completed(a->etag, &fault, text, a->body.size);

	if (!status)
		return TFR_OK;
	*again = status == TFR_ESYS || !strcmp(fault.code, "InternalError") ||
		 !strcmp(fault.code, "SlowDown") || !strcmp(fault.code, "ServiceUnavailable");
	tfr_fail_path(err, TFR_ESYS, u->url, "cannot write");
	tfr_error_append(err, ": the upload was not completed: %s: %s (request %s)",
		*fault.code ? fault.code : "the answer was cut", fault.message, fault.request_id);
	return TFR_ESYS;
}

/* Gives the object its name: by one PUT, or of its parts by `xml`. */
static enum tfr_status complete_once(struct tfr_upload *u, const struct tfr_buf *xml,
	struct tfr_answer *a, struct tfr_error *err)
{
	enum tfr_status status = TFR_ESYS;
	bool again = true;

	for (int tries = 0; again && tries < TRIES; tries++) {
		again = false;
		status = look_before(u, xml, a, err);
		if (status != TFR_END)
			return status;
		tfr_answer_clear(a);
		status = xml ? post_complete(u, xml, a, err) : put_once(u, a, err);
		if (status == TFR_ESYS && a->status == 501 && is_conditional(u, xml)) {
			tfr_store_shown(u->store)->unconditional = true;
			again = true;
		} else if (!status && xml) {
			status = judge(u, a, &again, err);
		}
	}
	return look_after(u, status, a, err);
}

static enum tfr_status complete_parts(
	struct tfr_upload *u, struct tfr_answer *a, struct tfr_error *err)
{
	TFR_AUTO_BUF xml = { 0 };
	enum tfr_status status;

	TFR_NEED_MEMORY(list_parts(u, &xml), err, "writing an object");
	status = complete_once(u, &xml, a, err);
	if (status == TFR_END)
		status = tfr_fail_path(
			err, TFR_ESYS, u->url, "the upload was aborted by another program:");
	return status;
}

static enum tfr_status put(struct tfr_upload *u, struct tfr_answer *a, struct tfr_error *err)
{
	enum tfr_status status = complete_once(u, NULL, a, err);
	char tag[TFR_ETAG];

	if (!status && !a->has_crc32c && !tfr_store_shown(u->store)->unverified) {
		/* Nothing says that the server has compared: once more, with the MD5. */
		tfr_store_shown(u->store)->unverified = true;
		tag_of_pile(u, tag, sizeof(tag));
		if (strcasecmp(a->etag, tag) != 0) {
			u->force = true; /* it is ours by now */
			tfr_answer_clear(a);
			status = put_once(u, a, err);
		}
	} else if (!status && a->has_crc32c && a->crc32c != u->crc) {
		return tfr_fail_path(
			err, TFR_ESYS, u->url, "the server stored other bytes than were sent:");
	}
	if (status == TFR_END)
		status = tfr_fail_path(err, TFR_ESYS, u->url, "the bucket does not exist:");
	return status;
}

enum tfr_status tfr_upload_complete(struct tfr_upload *u, struct tfr_error *err)
{
	TFR_AUTO_ANSWER a = { 0 };
	enum tfr_status status = *u->id ? complete_parts(u, &a, err) : put(u, &a, err);

	if (!status) {
		u->complete = true;
		pthread_mutex_lock(&list_lock);
		unlist(u);
		pthread_mutex_unlock(&list_lock);
		tfr_pile_clear(&u->pile);
		tfr_object_identity(&u->st, u->store, &a, u->size);
	}
	tfr_object_changed(u->url);
	return status;
}

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
		tfr_fail_path(err, TFR_EUSAGE, u->url, "cannot write to a web server:");
		tfr_error_hint(err, "Objects are written to s3:// and gs://.");
		return TFR_EUSAGE;
	}
	if (!n || u->key[n - 1] == '/')
		return tfr_fail_path(err, TFR_EUSAGE, u->url, "no name of an object:");
	return n <= 1024 ? TFR_OK
			 : tfr_fail_path(err, TFR_EUSAGE, u->url, "a key has at most 1024 bytes:");
}

static enum tfr_status prepare_upload(struct tfr_upload *u, uint64_t size, struct tfr_error *err)
{
	TFR_TRY(tfr_store_find(&u->store, u->url, &u->key, err));
	TFR_TRY(check_name(u, err));
	snprintf(u->mark, sizeof(u->mark), "x-%s-meta-tfr-upload: %016llx",
		tfr_store_kind(u->store) == TFR_STORE_GS ? "goog" : "amz",
		(unsigned long long)tfr_random_token());
	TFR_TRY(choose_part_size(u, size, err));
	return tfr_pile_check(open_uploads, u->part_size, err);
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
	status = prepare_upload(u, opts->size, err);
	if (status)
		tfr_upload_end(u);
	else
		*out = u;
	return status;
}

/* --- sending --- */

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
	upload_checksum(u, part->crc, checksum, sizeof(checksum));
	part->with_md5 = tfr_store_shown(u->store)->unverified;
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
		tfr_store_shown(u->store)->unverified = true;
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
	enum tfr_status status = *u->id ? TFR_OK : upload_begin(u, err);

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

static void start_abort(void *ctx, const struct tfr_request_opts *opts)
{
	struct tfr_request *t;

	(void)ctx;
	ending++;
	if (tfr_request_start(&t, opts, NULL))
		ending--;
}

bool tfr_uploads_left(void)
{
	const struct timespec moment = { 0, 10000000 };
	uint64_t until = tfr_clock_ns() + END_SECONDS * UINT64_C(1000000000);
	bool left;

	while (ending && tfr_clock_ns() < until)
		nanosleep(&moment, NULL);
	pthread_mutex_lock(&list_lock);
	left = list;
	pthread_mutex_unlock(&list_lock);
	return left;
}

/* Does not wait for the abort: a server that is slow, or gone, would be waited for once per
 * upload. */
void tfr_upload_end(struct tfr_upload *u)
{
	if (!u)
		return;
	while (u->flying) {
		struct tfr_upload_part *part = u->flying;

		u->flying = part->next;
		free_part(part);
	}
	open_uploads--;
	tfr_pile_clear(&u->pile);
	if (*u->id && !u->complete)
		make_abort(u, start_abort, NULL);
	else
		free_upload(u);
}
