/* io/remote/service.c - one request by a handle of its own, without the engine: the engine's thread
 * calls this when it signs. */
#include "io/remote/service.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include <curl/curl.h>

#include "io/remote/address.h"

enum { MOST = 64 << 10, ATTEMPTS = 3 };

struct asking {
	struct tfr_buf *answer;
	const char *expect;
	bool seen;
};

static size_t on_body(char *data, size_t one, size_t n, void *ctx)
{
	struct asking *a = ctx;

	(void)one;
	if (a->answer->size + n > MOST || !tfr_buf_append(a->answer, data, n))
		return 0;
	return n;
}

static size_t on_header(char *line, size_t one, size_t n, void *ctx)
{
	struct asking *a = ctx;
	size_t size = a->expect ? strlen(a->expect) : 0;

	(void)one;
	a->seen = a->seen || (n >= size && !strncasecmp(line, a->expect, size));
	return n;
}

static void set_options(CURL *c, const struct tfr_service_call *call, struct asking *a)
{
	curl_easy_setopt(c, CURLOPT_URL, call->url);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L); /* the headers of the call are secrets */
	if (tfr_ca_file())
		curl_easy_setopt(c, CURLOPT_CAINFO, tfr_ca_file());
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, call->milliseconds);
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, 5 * call->milliseconds);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, a);
	if (call->expect) {
		curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
		curl_easy_setopt(c, CURLOPT_HEADERDATA, a);
	}
	if (call->local)
		curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
	if (call->body)
		curl_easy_setopt(c, CURLOPT_POSTFIELDS, call->body);
	else if (strcmp(call->method, "GET") != 0)
		curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, call->method);
}

static CURLcode ask_once(CURL *c, struct asking *a, long *status)
{
	CURLcode code;

	a->answer->size = 0;
	*status = 0;
	code = curl_easy_perform(c);
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, status);
	return code;
}

static CURLcode ask(CURL *c, struct asking *a, long *status)
{
	struct timespec pause = { .tv_nsec = 200000000 };
	CURLcode code = ask_once(c, a, status);

	for (int i = 1; i < ATTEMPTS && code == CURLE_OK && (*status == 429 || *status >= 500);
		i++) {
		nanosleep(&pause, NULL);
		pause.tv_nsec *= 2;
		code = ask_once(c, a, status);
	}
	return code;
}

static struct curl_slist *list_headers(const char *const *from)
{
	struct curl_slist *headers = NULL, *longer;

	for (; from && *from; from++) {
		longer = curl_slist_append(headers, *from);
		if (!longer)
			break;
		headers = longer;
	}
	return headers;
}

static void free_headers(struct curl_slist *headers)
{
	for (struct curl_slist *h = headers; h; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(headers);
}

enum tfr_status tfr_service_ask(const struct tfr_service_call *call, const char *what,
	struct tfr_buf *answer, struct tfr_error *err)
{
	struct asking a = { .answer = answer, .expect = call->expect, .seen = !call->expect };
	struct curl_slist *headers = list_headers(call->headers);
	CURL *c = curl_easy_init();
	CURLcode code;
	long status;

	if (!c) {
		free_headers(headers);
		return tfr_fail_nomem(err, "asking for credentials");
	}
	set_options(c, call, &a);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	code = ask(c, &a, &status);
	curl_easy_cleanup(c);
	free_headers(headers);
	if (code != CURLE_OK && !status)
		return TFR_END;
	if (code != CURLE_OK)
		return tfr_fail(err, TFR_ESYS, "cannot get credentials from %s: %s", what,
			curl_easy_strerror(code));
	if (!tfr_buf_append(answer, "", 1))
		return tfr_fail_nomem(err, "asking for credentials");
	if (status != 200)
		return tfr_fail(err, TFR_ESYS, "cannot get credentials from %s: it answers %ld",
			what, status);
	return a.seen ? TFR_OK : TFR_END;
}
