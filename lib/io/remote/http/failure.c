/* io/remote/http/failure.c - classifies failed attempts and describes them.
 *
 * 408, 429 and 5xx may succeed when repeated; 400, 401, 403 and 404 do not.  A connection that is
 * refused and a name that is not found are repeated a few times only, unless the server has
 * answered before: mostly they are misspelt. */
#include "io/remote/http/failure.h"

#include <errno.h>
#include <string.h>

#include "io/remote/xml.h"

/* --- the <Error> of a store --- */

/* Only printable characters: the text goes into messages. */
static void take_text(char *to, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++)
		if (*text >= ' ' && *text <= '~')
			to[n++] = *text;
	to[n] = '\0';
}

static bool on_element(void *ctx, const struct tfr_xml_element *e)
{
	struct tfr_store_fault *f = ctx;

	if (!e->ends)
		return true;
	if (tfr_xml_is(e, "Error/Code"))
		take_text(f->code, sizeof(f->code), e->text);
	else if (tfr_xml_is(e, "Error/Message"))
		take_text(f->message, sizeof(f->message), e->text);
	else if (tfr_xml_is(e, "Error/RequestId"))
		take_text(f->request_id, sizeof(f->request_id), e->text);
	else if (tfr_xml_is(e, "Error/Region"))
		take_text(f->region, sizeof(f->region), e->text);
	return true;
}

/* What was read before an error in the text is used. */
void tfr_store_fault_parse(struct tfr_store_fault *f, const void *text, size_t size)
{
	*f = (struct tfr_store_fault){ .code = "" };
	tfr_xml_read(text, size, on_element, f);
}

/* --- the verdict --- */

static enum tfr_verdict judge_status(long status)
{
	switch (status) {
	case 408:
	case 429:
	case 500:
	case 502:
	case 503:
	case 504:
		return TFR_FAILURE_REPEAT;
	default:
		/* 501: not implemented; 505: the version of HTTP; above that, proxies invent. */
		return status > 505 ? TFR_FAILURE_REPEAT : TFR_FAILURE_FINAL;
	}
}

/* Stores answer some transient faults with 400 and 409. */
static bool is_transient(const char *code)
{
	static const char *const codes[] = { "RequestTimeout", "SlowDown", "InternalError",
		"OperationAborted", "ConditionalRequestConflict", "ServiceUnavailable" };

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (!strcmp(code, codes[i]))
			return true;
	return false;
}

enum tfr_verdict tfr_failure_judge(const struct tfr_failure *f)
{
	switch (f->code) {
	case CURLE_OK:
		return is_transient(f->fault->code) ? TFR_FAILURE_REPEAT
						    : judge_status(f->answer->status);
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_SSL_CONNECT_ERROR:
		return TFR_FAILURE_BRIEF;
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_FAIL_REWIND:
	case CURLE_AGAIN:
		return TFR_FAILURE_REPEAT;
	default:
		return TFR_FAILURE_FINAL;
	}
}

/* --- the message --- */

static bool is_write(const char *method)
{
	return !strcmp(method, "PUT") || !strcmp(method, "POST");
}

static const char *what_failed(const char *method)
{
	return is_write(method)		   ? "cannot write"
	       : !strcmp(method, "DELETE") ? "cannot remove"
					   : "cannot read";
}

static void append_answer(const struct tfr_failure *f, struct tfr_error *err)
{
	const char *id = *f->notes->request_id ? f->notes->request_id : f->fault->request_id;

	tfr_error_append(err, "%ld", f->answer->status);
	if (*f->fault->code)
		tfr_error_append(err, " %s", f->fault->code);
	else if (*f->notes->reason)
		tfr_error_append(err, " %s", f->notes->reason);
	if (*f->fault->message)
		tfr_error_append(err, ": %s", f->fault->message);
	if (*id)
		tfr_error_append(err, " (request %s)", id);
}

static void hint(const struct tfr_failure *f, struct tfr_error *err)
{
	long status = f->answer->status;

	if (f->code == CURLE_PEER_FAILED_VERIFICATION || f->code == CURLE_SSL_CACERT_BADFILE) {
		tfr_error_hint(err,
			"The server's certificate is always verified.  If a company's own "
			"authority signed it, name the file of its certificates in "
			"AWS_CA_BUNDLE.");
	} else if (f->code == CURLE_SSL_CONNECT_ERROR) {
		tfr_error_hint(err, "The server may not speak TLS on this port.  If so, write "
				    "http:// in the address or the endpoint.");
	} else if (f->code == CURLE_COULDNT_RESOLVE_HOST || f->code == CURLE_COULDNT_CONNECT ||
		   f->code == CURLE_COULDNT_RESOLVE_PROXY) {
		tfr_error_hint(err, "Check the name and port of the server, the endpoint "
				    "(AWS_ENDPOINT_URL, STORAGE_EMULATOR_HOST) and the proxy "
				    "(https_proxy).");
	} else if (f->code == CURLE_TOO_MANY_REDIRECTS) {
		tfr_error_hint(err, "The server redirects in a circle.");
	} else if (f->code != CURLE_OK && tfr_failure_judge(f) == TFR_FAILURE_REPEAT &&
		   is_write(f->method)) {
		tfr_error_hint(err, "The server may still carry out what it has received.  "
				    "--timeout sets how long a request is repeated.");
	} else if (f->code != CURLE_OK) {
		if (f->attempts > 1)
			tfr_error_hint(err, "--timeout sets how long a request is repeated.");
	} else if (status == 401 || status == 403 || status == 400) {
		tfr_store_hint(f->store, status, f->fault->code, err);
	} else if (status >= 300 && status < 400) {
		tfr_error_hint(err, "The server redirects the request, which a store must not do; "
				    "check the endpoint and the region.");
	} else if (status == 429 || status == 503) {
		tfr_error_hint(err, "The server limits the rate of requests.  Use fewer "
				    "--connections, or a longer --timeout.");
	} else if (status >= 500) {
		tfr_error_hint(err, "The fault is the server's.  Try again later, or with a longer "
				    "--timeout.");
	}
}

/* The system's texts for these are shorter than libcurl's. */
static void append_fault(const struct tfr_failure *f, struct tfr_error *err)
{
	if (f->code == CURLE_OPERATION_TIMEDOUT)
		tfr_error_append(err, "no answer for %.0f s", f->waited);
	else
		tfr_error_append(
			err, "%s", *f->curl_says ? f->curl_says : curl_easy_strerror(f->code));
}

enum tfr_status tfr_failure_report(const struct tfr_failure *f, struct tfr_error *err)
{
	char url[300];

	if (!err)
		return TFR_ESYS;
	tfr_fail_path(err, TFR_ESYS, tfr_store_show(f->store, f->key, url, sizeof(url)), "%s",
		what_failed(f->method));
	tfr_error_append(err, ": ");
	if (f->code == CURLE_OK)
		append_answer(f, err);
	else
		append_fault(f, err);
	if (f->attempts > 1)
		tfr_error_append(err, ", after %u attempts", f->attempts);
	if (f->code == CURLE_OK && (f->answer->status == 401 || f->answer->status == 403))
		tfr_error_explained(err, EACCES);
	if (f->code == CURLE_OK && (f->answer->status == 405 || f->answer->status == 501))
		tfr_error_explained(err, ENOSYS);
	hint(f, err);
	return TFR_ESYS;
}
