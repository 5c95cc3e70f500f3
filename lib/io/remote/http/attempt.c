/* io/remote/http/attempt.c - one attempt at a request after another, until one succeeds or the time
 * is up.
 *
 * The time-out counts from the last progress, which is 16 KiB of the body or its end.  A third of
 * it without progress ends an attempt, so that a dead connection is replaced twice before the
 * request fails.  The time that is spent sending content is not counted, but sending is no
 * progress: content is not sent forever to a server that accepts it and never answers. */
#include "io/remote/http/attempt.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/remote/http/failure.h"
#include "io/remote/http/measurements.h"

enum { PROGRESS = 16 << 10, FAULT_MOST = 64 << 10, BRIEF_MOST = 4, REDIRECTS = 8 };

/* --- the copy of a call --- */

/* Offsets first, because the buffer moves while it grows. */
static bool keep(struct tfr_request *t, const char *text, size_t *at)
{
	*at = t->copy.size;
	return !text || tfr_buf_append(&t->copy, text, strlen(text) + 1);
}

static bool copy_call(struct tfr_request *t, const struct tfr_call *from)
{
	size_t n = 2 + 2 * from->n_query + from->n_headers, k = 0, at[64];
	struct tfr_query *query = calloc(from->n_query + 1, sizeof(*query));
	const char **headers = calloc(from->n_headers + 1, sizeof(*headers));
	bool good = query && headers && n <= 64 && keep(t, from->method, &at[k++]) &&
		    keep(t, from->key, &at[k++]);

	t->call = *from;
	t->call.query = query;
	t->call.headers = headers;
	for (size_t i = 0; good && i < from->n_query; i++)
		good = keep(t, from->query[i].name, &at[k++]) &&
		       keep(t, from->query[i].value, &at[k++]);
	for (size_t i = 0; good && i < from->n_headers; i++)
		good = keep(t, from->headers[i], &at[k++]);
	if (!good)
		return false;
	k = 0;
	t->call.method = (char *)t->copy.data + at[k++];
	t->call.key = (char *)t->copy.data + at[k++];
	for (size_t i = 0; i < from->n_query; i++) {
		query[i].name = (char *)t->copy.data + at[k++];
		query[i].value = from->query[i].value ? (char *)t->copy.data + at[k] : NULL;
		k++;
	}
	for (size_t i = 0; i < from->n_headers; i++)
		headers[i] = (char *)t->copy.data + at[k++];
	return true;
}

enum tfr_status tfr_attempts_new(
	struct tfr_request **out, const struct tfr_request_opts *opts, struct tfr_error *err)
{
	struct tfr_request *t = calloc(1, sizeof(*t));

	TFR_NEED_MEMORY(t, err, "starting a request");
	t->o = *opts;
	if (!copy_call(t, opts->call)) {
		tfr_attempts_free(t);
		return tfr_fail_nomem(err, "starting a request");
	}
	*out = t;
	return TFR_OK;
}

void tfr_attempts_free(struct tfr_request *t)
{
	free((void *)t->call.query);
	free((void *)t->call.headers);
	tfr_buf_clear(&t->copy);
	tfr_sending_clear(&t->sending);
	tfr_buf_clear(&t->fault);
	tfr_answer_clear(&t->answer);
	free(t);
}

/* --- what libcurl calls --- */

static size_t on_header(char *line, size_t one, size_t size, void *data)
{
	struct tfr_request *t = data;

	(void)one;
	if (size > 5 && !memcmp(line, "HTTP/", 5))
		t->fault.size = 0; /* a redirect was followed */
	return tfr_answer_line(&t->answer, &t->notes, line, size) ? size : 0;
}

static enum tfr_status wrong_answer(struct tfr_request *t, const char *what)
{
	char url[300];

	tfr_fail_path(&t->err, TFR_ESYS, tfr_store_show(t->o.store, t->call.key, url, sizeof(url)),
		"%s in the answer for", what);
	tfr_error_hint(&t->err, "The server or a proxy before it breaks the rules of HTTP.");
	return TFR_ESYS;
}

static bool has_header(const struct tfr_request *t, const char *name)
{
	for (size_t i = 0; i < t->call.n_headers; i++)
		if (!strncasecmp(t->call.headers[i], name, strlen(name)))
			return true;
	return false;
}

/* The complete object, or the answer to something else.  Also the answer to a range, from servers
 * that do not know them: the same request then begins anew. */
static enum tfr_status check_whole(struct tfr_request *t)
{
	const struct tfr_answer *a = &t->answer;

	if (t->o.body)
		t->taken = t->o.body->size = 0;
	t->skip = t->o.first ? 0 : t->taken;
	if (strcmp(t->call.method, "GET") != 0)
		return TFR_OK;
	if (a->status == 206 && !has_header(t, "Range:"))
		return wrong_answer(t, "a range that was not asked for");
	/* Without a length, a broken connection looks like the end.  Stores always send one. */
	if (a->length == UINT64_MAX && !t->notes.chunked &&
		tfr_store_kind(t->o.store) != TFR_STORE_HTTP)
		return wrong_answer(t, "no length");
	t->whole = true;
	return TFR_OK;
}

/* Compares an answer 2xx with what was asked for. */
static enum tfr_status check_head(struct tfr_request *t)
{
	const struct tfr_answer *a = &t->answer;
	bool reading = !strcmp(t->call.method, "GET") || !strcmp(t->call.method, "HEAD");
	uint64_t first = t->o.first + t->taken;
	char text[40];

	snprintf(text, sizeof(text), "the status %ld", a->status);
	if (reading && a->status != 200 && a->status != 206)
		return wrong_answer(t, text);
	if (a->encoded && tfr_store_kind(t->o.store) == TFR_STORE_HTTP)
		return wrong_answer(t, "a compressed body (Content-Encoding)");
	if (!t->o.ranged || t->whole || a->status != 206)
		return check_whole(t);
	if (a->first == UINT64_MAX)
		return wrong_answer(t, "no Content-Range");
	if (a->first != first)
		return wrong_answer(t, "a wrong Content-Range");
	if (a->last > t->o.last || (a->length != UINT64_MAX && a->length != a->last - a->first + 1))
		return wrong_answer(t, "a Content-Range that does not fit");
	return TFR_OK;
}

static enum tfr_status begin_body(struct tfr_request *t)
{
	enum tfr_status status = check_head(t);

	t->headed = true;
	memcpy(t->etag, t->answer.etag, sizeof(t->etag));
	if (!status && t->o.head)
		status = t->o.head(t->o.ctx, &t->answer, &t->err);
	return status;
}

static enum tfr_status take(struct tfr_request *t, const uint8_t *data, size_t size)
{
	uint64_t skip = t->skip < size ? t->skip : size;
	enum tfr_status status = TFR_OK;

	if (skip < size && t->o.take)
		status = t->o.take(t->o.ctx, data + skip, size - (size_t)skip, &t->err);
	if (status)
		return status;
	t->skip -= skip;
	t->taken += size - skip;
	return TFR_OK;
}

static size_t on_body(char *data, size_t one, size_t size, void *ctx)
{
	struct tfr_request *t = ctx;
	enum tfr_status status = TFR_OK;

	(void)one;
	if (t->answer.status < 200 || t->answer.status > 299) {
		t->got += size;
		if (t->fault.size + size <= FAULT_MOST)
			tfr_buf_append(&t->fault, data, size);
		return t->got > 16 * FAULT_MOST ? 0 : size;
	}
	t->window_bytes += size;
	if (!t->headed)
		status = begin_body(t);
	if (!status)
		status = take(t, (const uint8_t *)data, size);
	if (status == TFR_END) {
		t->paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	t->refused = status;
	t->got += size;
	return status ? 0 : size;
}

static size_t on_send(char *to, size_t one, size_t room, void *ctx)
{
	struct tfr_request *t = ctx;
	const struct tfr_request_body *c = &t->o.content;
	size_t n = c->size - (size_t)t->sent;
	ssize_t got;

	room *= one;
	n = n < room ? n : room;
	if (!n)
		return 0;
	if (c->data) {
		memcpy(to, (const char *)c->data + t->sent, n);
	} else {
		got = TEMP_FAILURE_RETRY(pread(c->fd, to, n, (off_t)(c->offset + t->sent)));
		if (got <= 0)
			return CURL_READFUNC_ABORT;
		n = (size_t)got;
	}
	t->sent += n;
	t->window_sent += n;
	return n;
}

/* libcurl sends the content again after a redirect or on a connection that was closed. */
static int on_seek(void *ctx, curl_off_t offset, int origin)
{
	struct tfr_request *t = ctx;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > t->o.content.size)
		return CURL_SEEKFUNC_FAIL;
	/* Sent again: the server may have got it before. */
	t->attempts += t->sent > 0;
	t->sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

/* --- an attempt --- */

static enum tfr_status sign(struct tfr_request *t)
{
	const char *headers[64];
	struct tfr_call call = t->call;
	char range[64], match[TFR_ETAG + 16];

	for (size_t i = 0; i < call.n_headers; i++)
		headers[i] = call.headers[i];
	call.headers = headers;
	if (t->o.ranged && !t->whole) {
		snprintf(range, sizeof(range), "Range: bytes=%llu-%llu",
			(unsigned long long)(t->o.first + t->taken), (unsigned long long)t->o.last);
		headers[call.n_headers++] = range;
	}
	/* The rest of what the attempt before has begun. */
	if (t->o.ranged && t->taken && *t->etag == '"' && !has_header(t, "If-Match:")) {
		snprintf(match, sizeof(match), "If-Match: %s", t->etag);
		headers[call.n_headers++] = match;
	}
	tfr_sending_clear(&t->sending);
	return tfr_store_sign(t->o.store, &call, &t->sending, &t->err);
}

/* A server that moves from https to http would expose what is read. */
static void set_protocols(CURL *c, const char *url)
{
	bool tls = !strncasecmp(url, "https:", 6);
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, tls ? "https" : "http,https");
#else
	curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS,
		(long)(tls ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static void set_method(struct tfr_request *t)
{
	const char *method = t->call.method;
	curl_off_t size = (curl_off_t)t->o.content.size;
	CURL *c = t->easy;

	if (!strcmp(method, "HEAD")) {
		curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
	} else if (!strcmp(method, "PUT")) {
		curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, size);
	} else if (!strcmp(method, "POST")) {
		curl_easy_setopt(c, CURLOPT_POST, 1L);
		curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, size);
	} else if (strcmp(method, "GET") != 0) {
		curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, method);
	}
	curl_easy_setopt(c, CURLOPT_READFUNCTION, on_send);
	curl_easy_setopt(c, CURLOPT_READDATA, t);
	curl_easy_setopt(c, CURLOPT_SEEKFUNCTION, on_seek);
	curl_easy_setopt(c, CURLOPT_SEEKDATA, t);
}

/* Reading: 256 KiB per call of recv().  The memory is held only while a request is active. */
static void set_options(struct tfr_request *t)
{
	CURL *c = t->easy;
	long wait = (long)(tfr_engine_opts()->timeout * 1000 / 3);

	curl_easy_reset(c);
	curl_easy_setopt(c, CURLOPT_PRIVATE, t);
	curl_easy_setopt(c, CURLOPT_URL, t->sending.url);
	curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, t->sending.headers);
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_BUFFERSIZE, 256L << 10);
	curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, 256L << 10);
	curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, wait > 1 ? wait : 1L);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->curl_says);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	if (t->sending.ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, t->sending.ca_file);
	if (t->sending.netrc) {
		curl_easy_setopt(c, CURLOPT_HTTPAUTH,
			t->digest ? (long)CURLAUTH_DIGEST : (long)CURLAUTH_BASIC);
		curl_easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	}
	/* A signature is for one host; a web server may send the reader elsewhere. */
	if (tfr_store_kind(t->o.store) == TFR_STORE_HTTP && !t->o.content.size) {
		curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
		curl_easy_setopt(c, CURLOPT_MAXREDIRS, (long)REDIRECTS);
	}
	set_protocols(c, t->sending.url);
	set_method(t);
}

enum tfr_status tfr_attempt_begin(struct tfr_request *t, double now)
{
	enum tfr_status status = sign(t);

	t->began = t->window = now;
	if (!t->attempts)
		t->progress = now;
	t->window_bytes = t->window_sent = t->skip = t->got = t->sent = 0;
	t->headed = t->paused = false;
	t->refused = TFR_OK;
	t->notes = (struct tfr_answer_notes){ .retry_after = -1 };
	t->answer.status = 0;
	t->fault.size = 0;
	t->curl_says[0] = '\0';
	if (status)
		return status;
	tfr_measure_request(t->attempts++);
	set_options(t);
	return TFR_OK;
}

void tfr_attempt_measure(struct tfr_request *t)
{
	curl_off_t connect = 0, first = 0;
	long connections = 0;

	curl_easy_getinfo(t->easy, CURLINFO_NUM_CONNECTS, &connections);
	curl_easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME_T, &connect);
	curl_easy_getinfo(t->easy, CURLINFO_STARTTRANSFER_TIME_T, &first);
	if (connections)
		tfr_measure_connection((double)connect * 1e-6);
	if (first > connect)
		tfr_measure_first_byte((double)(first - connect) * 1e-6);
	tfr_measure_bytes(t->got, t->sent);
}

bool tfr_attempt_stalls(const struct tfr_request *t, double now)
{
	struct tfr_request *mine = (struct tfr_request *)(uintptr_t)t;
	double most = tfr_engine_opts()->timeout;

	if (t->paused)
		return false;
	if (t->window_bytes + t->window_sent >= (t->o.patient ? 1 : PROGRESS)) {
		mine->progress = t->window_bytes ? now : t->progress + (now - t->window);
		mine->window_bytes = mine->window_sent = 0;
		mine->window = now;
		mine->brief = 0;
	}
	return now - t->window > (t->o.patient ? most : most / 3) || now - t->progress > most;
}

/* --- its result --- */

/* Some servers answer 400 to a range from the beginning that extends past the end of the object,
 * and some answer 416 without the size, which is 0 if the object is empty. */
static bool must_be_whole(const struct tfr_request *t, const struct tfr_store_fault *fault)
{
	if (!t->o.ranged || t->whole || t->o.first || t->taken)
		return false;
	return t->answer.status == 416
		       ? t->answer.total == UINT64_MAX
		       : t->answer.status == 400 && (!strcmp(fault->code, "InvalidArgument") ||
							    !strcmp(fault->code, "InvalidRange"));
}

/* Something that another attempt can change at once: the range, the region, or the credentials. */
static bool can_correct(struct tfr_request *t, const struct tfr_store_fault *fault)
{
	long status = t->answer.status;
	const char *region = *t->notes.region ? t->notes.region : fault->region;

	if (!t->moved && *region &&
		(status == 301 || status == 307 || status == 400 || status == 403) &&
		tfr_store_region(t->o.store, t->sending.region, region)) {
		t->moved = true;
		return true;
	}
	if (must_be_whole(t, fault)) {
		t->whole = true;
		return true;
	}
	/* Asking for both at once would cost each request an answer 401 first. */
	if (status == 401 && t->sending.netrc && !t->digest) {
		t->digest = true;
		return true;
	}
	if (!t->renewed &&
		(status == 401 || !strcmp(fault->code, "ExpiredToken") ||
			!strcmp(fault->code, "ExpiredTokenException") ||
			!strcmp(fault->code, "TokenRefreshRequired") ||
			!strcmp(fault->code, "RequestExpired")) &&
		tfr_store_expired(t->o.store)) {
		t->renewed = true;
		return true;
	}
	return false;
}

/* 0.1 s, doubled each time, of which the jitter takes up to a half. */
static double back_off(const struct tfr_request *t, double jitter)
{
	double wait = fmin(0.1 * pow(2, t->attempts < 12 ? t->attempts - 1 : 11), 20);

	wait *= 1 - jitter / 2;
	return fmax(wait, t->notes.retry_after);
}

static enum tfr_status fail(
	struct tfr_request *t, const struct tfr_store_fault *fault, CURLcode code, double now)
{
	const struct tfr_failure f = { .store = t->o.store,
		.key = t->call.key,
		.method = t->call.method,
		.code = code,
		.curl_says = t->curl_says,
		.answer = &t->answer,
		.notes = &t->notes,
		.fault = fault,
		.attempts = t->attempts,
		.waited = now - t->progress };

	snprintf(t->answer.code, sizeof(t->answer.code), "%s", fault->code);
	t->answer.attempts = t->attempts;
	if (code == CURLE_OK && t->answer.status == 404 && strcmp(fault->code, "NoSuchBucket") != 0)
		return TFR_END;
	return tfr_failure_report(&f, &t->err);
}

static enum tfr_status judge(struct tfr_request *t, const struct tfr_store_fault *fault,
	CURLcode code, double now, double jitter, double *wait)
{
	const struct tfr_failure f = { .code = code, .answer = &t->answer, .fault = fault };
	enum tfr_verdict verdict = tfr_failure_judge(&f);

	if (code == CURLE_OK && (t->answer.status == 429 || t->answer.status == 503))
		tfr_measure_throttled();
	if (code == CURLE_OK && can_correct(t, fault))
		return TFR_ATTEMPT_AGAIN;
	if (verdict == TFR_FAILURE_FINAL ||
		(verdict == TFR_FAILURE_BRIEF && ++t->brief >= BRIEF_MOST &&
			!tfr_store_shown(t->o.store)->reached))
		return fail(t, fault, code, now);
	*wait = back_off(t, jitter);
	if (now + *wait - t->progress <= tfr_engine_opts()->timeout)
		return TFR_ATTEMPT_AGAIN;
	if (verdict == TFR_FAILURE_BRIEF)
		tfr_store_shown(t->o.store)->reached = false;
	return fail(t, fault, code, now);
}

/* Whether everything came that was asked for.  libcurl compares with Content-Length alone. */
static bool is_short(const struct tfr_request *t)
{
	uint64_t last = t->o.last;

	if (!t->o.ranged || t->answer.status != 206)
		return t->skip > 0;
	if (t->answer.total != UINT64_MAX && last >= t->answer.total)
		last = t->answer.total - 1;
	return t->o.first + t->taken <= last;
}

enum tfr_status tfr_attempt_end(
	struct tfr_request *t, CURLcode code, double now, double jitter, double *wait)
{
	struct tfr_store_fault fault = { .code = "" };
	enum tfr_status status = TFR_OK;
	long http = t->answer.status;

	*wait = 0;
	if (http)
		tfr_store_shown(t->o.store)->reached = true;
	if (t->refused)
		return t->refused;
	if (code == CURLE_OK && http >= 200 && http <= 299) {
		if (!t->headed)
			status = begin_body(t);
		if (status)
			return status;
		if (!is_short(t))
			return TFR_OK;
		code = CURLE_PARTIAL_FILE;
	}
	if (code == CURLE_OK)
		tfr_store_fault_parse(&fault, t->fault.data ?: (const uint8_t *)"", t->fault.size);
	if (t->got > PROGRESS && http >= 200 && http <= 299)
		t->progress = now;
	return judge(t, &fault, code, now, jitter, wait);
}
