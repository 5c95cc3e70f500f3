/* io/remote/service.c - one request by a handle of its own, without the engine: the engine's thread
 * calls this when it signs. */
#include "io/remote/service.h"

#include <string.h>
#include <strings.h>

#include <curl/curl.h>

enum { MOST = 64 << 10 };

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
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, call->milliseconds);
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, 10 * call->milliseconds);
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

enum tfr_status tfr_service_ask(const struct tfr_service_call *call, const char *what,
	struct tfr_buf *answer, struct tfr_error *err)
{
	struct asking a = { .answer = answer, .expect = call->expect, .seen = !call->expect };
	struct curl_slist *headers = NULL;
	CURL *c = curl_easy_init();
	CURLcode code;
	long status = 0;

	answer->size = 0;
	if (!c)
		return tfr_fail_nomem(err, "asking for credentials");
	for (const char *const *h = call->headers; h && *h; h++)
		headers = curl_slist_append(headers, *h);
	set_options(c, call, &a);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	code = curl_easy_perform(c);
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_cleanup(c);
	curl_slist_free_all(headers);
	if (code != CURLE_OK && !status)
		return TFR_END;
	if (code != CURLE_OK)
		return tfr_fail(err, TFR_ESYS, "cannot get credentials from %s: %s", what,
			curl_easy_strerror(code));
	if (status != 200)
		return tfr_fail(err, TFR_ESYS, "cannot get credentials from %s: it answers %ld",
			what, status);
	if (!a.seen)
		return TFR_END;
	return tfr_buf_append(answer, "", 1) ? TFR_OK
					     : tfr_fail_nomem(err, "asking for credentials");
}
