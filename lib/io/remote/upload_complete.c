/* io/remote/upload_complete.c - begins a multipart upload, and makes an object appear.
 *
 * Without `force` an object must not replace another.  S3 decides that by If-None-Match: * on PUT
 * and on completion, GCS by x-goog-if-generation-match: 0 on a PUT.  GCS's multipart uploads take
 * no condition, and some servers answer 501: then the name is looked at before the first part and
 * before completion, and another writer may come between the look and the completion.
 *
 * If the answer to a completion is lost, the repetition is refused, although the object is ours:
 * then its ETag decides.
 *
 * Sources: docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html,
 * docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html,
 * cloud.google.com/storage/docs/xml-api/post-object-complete. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <gcrypt.h>

#include "base/base64.h"
#include "base/digest.h"
#include "io/remote/object_reader.h"
#include "io/remote/store_answers.h"
#include "io/remote/upload_state.h"

enum { ANSWER_MOST = 1 << 20, TRIES = 5 };

/* --- the list of uploads with an id, for signals --- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tfr_upload *list;

/* Puts it on the list of those that a signal aborts. */
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

void tfr_upload_forget(struct tfr_upload *u)
{
	pthread_mutex_lock(&list_lock);
	if (u->back) {
		*u->back = u->next;
		if (u->next)
			u->next->back = u->back;
		u->back = NULL;
	}
	pthread_mutex_unlock(&list_lock);
}

/* On the thread of the engine, while a signal handler waits in any other: the lock may be held for
 * good. */
struct tfr_request_opts *tfr_uploads_aborts(size_t *n)
{
	struct tfr_request_opts *all = NULL;
	size_t count = 0;

	*n = 0;
	if (pthread_mutex_trylock(&list_lock))
		return NULL;
	for (struct tfr_upload *u = list; u; u = u->next)
		count++;
	all = calloc(count + 1, sizeof(*all));
	for (struct tfr_upload *u = list; all && u; u = u->next) {
		struct tfr_query *query = calloc(1, sizeof(*query));
		struct tfr_call *call = calloc(1, sizeof(*call));

		if (!query || !call)
			break;
		*query = (struct tfr_query){ "uploadId", u->id };
		*call = (struct tfr_call){ .method = "DELETE",
			.key = u->key,
			.query = query,
			.n_query = 1,
			.empty = true };
		all[(*n)++] = (struct tfr_request_opts){ .store = u->store, .call = call };
	}
	pthread_mutex_unlock(&list_lock);
	return all;
}

/* --- existing objects --- */

static enum tfr_status exists(const struct tfr_upload *u, struct tfr_error *err)
{
	char url[300];

	tfr_fail_path(err, TFR_EEXIST, tfr_store_show(u->store, u->key, url, sizeof(url)),
		"will not overwrite");
	tfr_error_hint(err, "Give -f to replace it.");
	return TFR_EEXIST;
}

static enum tfr_status head(const struct tfr_upload *u, struct tfr_answer *a, struct tfr_error *err)
{
	struct tfr_call call = { .method = "HEAD", .key = u->key, .empty = true };

	return tfr_exchange(u->store, &call, NULL, 0, a, err);
}

/* TFR_EEXIST: there is an object of that name.  Asks the server. */
static enum tfr_status check_absent(const struct tfr_upload *u, struct tfr_error *err)
{
	struct tfr_answer a = { 0 };
	enum tfr_status status = u->force ? TFR_END : head(u, &a, err);

	tfr_answer_clear(&a);
	return status == TFR_END ? TFR_OK : status == TFR_OK ? exists(u, err) : status;
}

/* Whether completion can be refused by the server if the object exists. */
static bool is_conditional(const struct tfr_upload *u, bool multipart)
{
	if (u->force || tfr_store_unconditional(u->store))
		return false;
	return tfr_store_kind(u->store) == TFR_STORE_S3 || !multipart;
}

static const char *condition(const struct tfr_upload *u)
{
	return tfr_store_kind(u->store) == TFR_STORE_S3 ? "If-None-Match: *"
							: "x-goog-if-generation-match: 0";
}

/* --- beginning --- */

static enum tfr_status post_begin(
	struct tfr_upload *u, bool checksums, struct tfr_answer *a, struct tfr_error *err)
{
	static const char *const headers[] = { "x-amz-checksum-algorithm: CRC32C" };
	static const struct tfr_query query[] = { { "uploads", NULL } };
	struct tfr_call call = { .method = "POST",
		.key = u->key,
		.query = query,
		.n_query = 1,
		.headers = headers,
		.n_headers = checksums ? 1 : 0,
		.empty = true };

	return tfr_exchange(u->store, &call, NULL, ANSWER_MOST, a, err);
}

enum tfr_status tfr_upload_begin(struct tfr_upload *u, struct tfr_error *err)
{
	enum tfr_status status;
	bool checksums = tfr_store_kind(u->store) == TFR_STORE_S3 && tfr_store_verifies(u->store);
	struct tfr_answer a = { 0 };
	char url[300];

	TFR_TRY(is_conditional(u, true) ? TFR_OK : check_absent(u, err));
	tfr_store_show(u->store, u->key, url, sizeof(url));
	status = post_begin(u, checksums, &a, err);
	if (checksums && (a.status == 400 || a.status == 501)) {
		tfr_answer_clear(&a);
		tfr_store_note_unverified(u->store);
		status = post_begin(u, false, &a, err);
	}
	if (status == TFR_END)
		status = tfr_fail_path(err, TFR_ESYS, url, "the bucket does not exist of");
	if (!status && !tfr_upload_started(u->id, a.body.data ?: (const uint8_t *)"", a.body.size))
		status = tfr_fail_path(
			err, TFR_ESYS, url, "the server does not begin an upload correctly for");
	if (!status)
		note(u);
	tfr_answer_clear(&a);
	return status;
}

/* --- one PUT --- */

static enum tfr_status put_once(struct tfr_upload *u, struct tfr_answer *a, struct tfr_error *err)
{
	const struct tfr_request_body content = tfr_pile_body(&u->pile);
	char checksum[64], md5[48] = "Content-MD5: ";
	const char *headers[3] = { checksum };
	struct tfr_call call = { .method = "PUT",
		.key = u->key,
		.headers = headers,
		.n_headers = 1,
		.empty = !content.size };
	enum tfr_status status = TFR_OK;

	tfr_upload_checksum(u, u->crc, checksum, sizeof(checksum));
	if (!tfr_store_verifies(u->store)) {
		status = tfr_pile_md5(&u->pile, md5 + strlen(md5), err);
		headers[call.n_headers++] = md5;
	}
	if (is_conditional(u, false))
		headers[call.n_headers++] = condition(u);
	else if (!status)
		status = check_absent(u, err);
	return status ? status : tfr_exchange(u->store, &call, &content, 64 << 10, a, err);
}

/* The MD5 of the bytes is the ETag of most objects that one PUT has made. */
static bool is_ours(struct tfr_upload *u, const char *expected)
{
	struct tfr_answer a = { 0 };
	bool ours =
		head(u, &a, NULL) == TFR_OK && a.length == u->size && !strcasecmp(a.etag, expected);

	tfr_answer_clear(&a);
	return ours;
}

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

static enum tfr_status put(struct tfr_upload *u, struct tfr_answer *a, struct tfr_error *err)
{
	enum tfr_status status = put_once(u, a, err);
	char tag[TFR_ETAG];

	if (status && a->status == 501 && is_conditional(u, false)) {
		tfr_store_note_unconditional(u->store);
		tfr_answer_clear(a);
		status = put_once(u, a, err);
	}
	if (!status && !a->has_crc32c && tfr_store_verifies(u->store)) {
		/* Nothing says that the server has compared: once more, with the MD5. */
		tfr_store_note_unverified(u->store);
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
	if (status == TFR_ESYS && a->status == 412) {
		tag_of_pile(u, tag, sizeof(tag));
		status = a->attempts > 1 && is_ours(u, tag) ? TFR_OK : exists(u, err);
	}
	if (status == TFR_END)
		status = tfr_fail_path(err, TFR_ESYS, u->url, "the bucket does not exist of");
	return status;
}

/* --- completing a multipart upload --- */

static bool list_parts(const struct tfr_upload *u, struct tfr_buf *xml)
{
	bool sums = tfr_store_kind(u->store) == TFR_STORE_S3 && tfr_store_verifies(u->store);
	bool good = tfr_buf_printf(xml, "<CompleteMultipartUpload>");
	char checksum[64];

	for (unsigned i = 0; good && i < u->parts; i++) {
		good = tfr_buf_printf(xml, "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag>",
			i + 1, u->sent[i].etag);
		tfr_upload_checksum(u, u->sent[i].crc, checksum, sizeof(checksum));
		if (good && sums)
			good = tfr_buf_printf(xml, "<ChecksumCRC32C>%s</ChecksumCRC32C>",
				strchr(checksum, ' ') + 1);
		good = good && tfr_buf_printf(xml, "</Part>");
	}
	return good && tfr_buf_printf(xml, "</CompleteMultipartUpload>");
}

/* The tag of the whole is the MD5 of the parts' MD5s, and their number, unless it is encrypted. */
static void tag_of_parts(const struct tfr_upload *u, char *tag, size_t size)
{
	uint8_t sum[16];
	char hex[33];
	gcry_md_hd_t h;

	*tag = '\0';
	tfr_digests_begin();
	if (gcry_md_open(&h, GCRY_MD_MD5, 0))
		return;
	for (unsigned i = 0; i < u->parts; i++) {
		const char *etag = u->sent[i].etag + (*u->sent[i].etag == '"');

		for (int k = 0; k < 16 && etag[2 * k] && etag[2 * k + 1]; k++) {
			char pair[3] = { etag[2 * k], etag[2 * k + 1] };

			sum[0] = (uint8_t)strtoul(pair, NULL, 16);
			gcry_md_write(h, sum, 1);
		}
	}
	memcpy(sum, gcry_md_read(h, 0), sizeof(sum));
	gcry_md_close(h);
	tfr_hex(sum, sizeof(sum), hex);
	snprintf(tag, size, "\"%s-%u\"", hex, u->parts);
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
	enum tfr_status status = call.n_headers ? TFR_OK : check_absent(u, err);

	return status ? status : tfr_exchange(u->store, &call, &content, ANSWER_MOST, a, err);
}

/* The status 200 comes before the work is done, so that an error may follow it, or nothing. */
static enum tfr_status judge(
	struct tfr_upload *u, struct tfr_answer *a, bool *again, struct tfr_error *err)
{
	const uint8_t *text = a->body.data ?: (const uint8_t *)"";
	struct tfr_store_fault fault;
	enum tfr_status status = tfr_upload_completed(a->etag, &fault, text, a->body.size);
	char url[300];

	if (!status)
		return TFR_OK;
	*again = status == TFR_ESYS || !strcmp(fault.code, "InternalError") ||
		 !strcmp(fault.code, "SlowDown") || !strcmp(fault.code, "ServiceUnavailable");
	tfr_fail_path(
		err, TFR_ESYS, tfr_store_show(u->store, u->key, url, sizeof(url)), "cannot write");
	tfr_error_append(err, ": the upload was not completed: %s: %s (request %s)",
		*fault.code ? fault.code : "the answer was cut", fault.message, fault.request_id);
	return TFR_ESYS;
}

static enum tfr_status complete_parts(
	struct tfr_upload *u, struct tfr_answer *a, struct tfr_error *err)
{
	TFR_AUTO_BUF xml = { 0 };
	enum tfr_status status = list_parts(u, &xml) ? TFR_ESYS : TFR_ENOMEM;
	unsigned sent = 0;
	bool again = true;
	char tag[TFR_ETAG];

	if (status == TFR_ENOMEM)
		return tfr_fail_nomem(err, "writing an object");
	for (int tries = 0; again && tries < TRIES; tries++) {
		again = false;
		sent++;
		tfr_answer_clear(a);
		status = post_complete(u, &xml, a, err);
		if (status == TFR_ESYS && a->status == 501 && is_conditional(u, true)) {
			tfr_store_note_unconditional(u->store);
			again = true;
			sent--;
		} else if (!status) {
			status = judge(u, a, &again, err);
		}
	}
	if (!status || (status != TFR_END &&
			       !(status == TFR_ESYS && (a->status == 412 || a->status == 200))))
		return status;
	tag_of_parts(u, tag, sizeof(tag));
	if ((a->attempts > 1 || sent > 1) && is_ours(u, tag))
		return TFR_OK;
	if (status == TFR_END)
		return tfr_fail_path(
			err, TFR_ESYS, u->url, "the upload was aborted by another program:");
	return a->status == 412 ? exists(u, err) : status;
}

enum tfr_status tfr_upload_complete(struct tfr_upload *u, struct tfr_error *err)
{
	struct tfr_answer a = { 0 };
	enum tfr_status status = *u->id ? complete_parts(u, &a, err) : put(u, &a, err);

	if (!status) {
		u->complete = true;
		tfr_upload_forget(u);
		tfr_pile_clear(&u->pile);
		tfr_object_identity(&u->st, u->store, &a, u->size);
	}
	tfr_object_changed(u->url);
	tfr_answer_clear(&a);
	return status;
}
