/* io/remote/credential_sources.c - where credentials come from: the sources of AWS's command line,
 * in its order, and those of Google Cloud Storage.
 *
 * Sources: docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html, and
 * docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html (IMDSv2);
 * cloud.google.com/storage/docs/authentication/hmackeys,
 * cloud.google.com/compute/docs/access/authenticate-workloads (the metadata server) and
 * cloud.google.com/sdk/docs/properties (CLOUDSDK_AUTH_ACCESS_TOKEN). */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include <curl/curl.h>

#include "io/remote/address.h"
#include "io/remote/config_file.h"
#include "io/remote/credentials.h"
#include "io/remote/sign.h"
#include "io/remote/store.h"
#include "io/remote/xml.h"
#include "io/source.h"

struct service_call {
	const char *method, *url;
	const char *const *headers; /* ends with NULL; may be NULL itself */
	const char *body;	    /* of a POST */
	long milliseconds;	    /* to connect, and five times that in all */
	bool local;		    /* no proxy */
	const char *expect;	    /* a header field that an honest answer has; NULL: none */
};

/* --- services --- */

/* One request by a handle of its own, without the engine: the engine's thread calls this when it
 * signs. */

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

static void set_options(CURL *c, const struct service_call *call, struct asking *a)
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

/* Repeats a request that is answered with 429 or 5xx, twice.
 *
 * TFR_OK: 200, and `answer` has its body, with a NUL after it, at most 64 KiB.  TFR_END: no
 * connection.  TFR_ESYS: any other answer, of which `answer` has the body; the message names `what`
 * and has neither the body nor the headers of the call, which are secrets. */
static enum tfr_status service_ask(const struct service_call *call, const char *what,
	struct tfr_buf *answer, struct tfr_error *err)
{
	struct asking a = { .answer = answer, .expect = call->expect, .seen = !call->expect };
	struct curl_slist *headers = list_headers(call->headers);
	CURL *c = curl_easy_init();
	CURLcode code;
	long status;

	if (!c) {
		tfr_headers_free(headers);
		return tfr_fail_nomem(err, "asking for credentials");
	}
	set_options(c, call, &a);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	code = ask(c, &a, &status);
	curl_easy_cleanup(c);
	tfr_headers_free(headers);
	if (code != CURLE_OK && !status)
		return TFR_END;
	if (code != CURLE_OK)
		return tfr_fail(err, TFR_ESYS, "cannot get credentials from %s: %s", what,
			curl_easy_strerror(code));
	TFR_NEED_MEMORY(tfr_buf_append(answer, "", 1), err, "asking for credentials");
	if (status != 200)
		return tfr_fail(err, TFR_ESYS, "cannot get credentials from %s: it answers %ld",
			what, status);
	return a.seen ? TFR_OK : TFR_END;
}

/* --- AWS --- */

enum { TEXT = 4096, TOKEN_MOST = 64 << 10 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* An identifier and its secret, each in a variable.  TFR_END: neither is set. */
static enum tfr_status from_variables(struct tfr_keys *k, const char *id_name,
	const char *secret_name, const char *token, struct tfr_error *err)
{
	const char *id = tfr_environment(id_name), *secret = tfr_environment(secret_name);

	if (!id && !secret)
		return TFR_END;
	if (!id || !secret)
		return tfr_fail(err, TFR_EUSAGE, "%s is set, but %s is not",
			id ? id_name : secret_name, id ? secret_name : id_name);
	return tfr_keys_set(k, id, secret, token, err);
}

static enum tfr_status from_environment(struct tfr_keys *k, struct tfr_error *err)
{
	return from_variables(k, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
		tfr_environment("AWS_SESSION_TOKEN"), err);
}

/* With a NUL after it. */
static enum tfr_status read_token(const char *file, struct tfr_buf *token, struct tfr_error *err)
{
	TFR_TRY(tfr_source_read_file(file, TOKEN_MOST, token, "reading a token", err));
	TFR_NEED_MEMORY(tfr_buf_append(token, "", 1), err, "reading a token");
	return TFR_OK;
}

/* --- web identity --- */

struct sts_answer {
	char id[256], secret[256], token[TEXT], expires[64];
};

static bool on_sts(void *ctx, const struct tfr_xml_element *e)
{
	static const char at[] =
		"AssumeRoleWithWebIdentityResponse/AssumeRoleWithWebIdentityResult/"
		"Credentials/";
	struct sts_answer *a = ctx;
	char path[160];
	const struct {
		const char *name;
		char *to;
		size_t size;
	} wanted[] = { { "AccessKeyId", a->id, sizeof(a->id) },
		{ "SecretAccessKey", a->secret, sizeof(a->secret) },
		{ "SessionToken", a->token, sizeof(a->token) },
		{ "Expiration", a->expires, sizeof(a->expires) } };

	for (size_t i = 0; e->ends && i < sizeof(wanted) / sizeof(*wanted); i++) {
		snprintf(path, sizeof(path), "%s%s", at, wanted[i].name);
		if (tfr_xml_is(e, path) && strlen(e->text) < wanted[i].size)
			strcpy(wanted[i].to, e->text);
	}
	return true;
}

static enum tfr_status parse_sts(
	struct tfr_keys *k, const struct tfr_buf *text, struct tfr_error *err)
{
	struct sts_answer a = { .id = "" };
	enum tfr_status status;

	if (!tfr_xml_read(text->data, strlen((const char *)text->data), on_sts, &a) || !*a.id ||
		!*a.secret)
		status = tfr_fail(err, TFR_ESYS, "STS gives no credentials");
	else
		status = tfr_keys_set(k, a.id, a.secret, a.token, err);
	if (!status)
		k->expires = tfr_parse_time(a.expires);
	explicit_bzero(&a, sizeof(a));
	return status;
}

/* The code is a word such as "ExpiredTokenException"; the message may quote the token. */
static bool on_sts_fault(void *ctx, const struct tfr_xml_element *e)
{
	struct tfr_error *err = ctx;

	if (e->ends && tfr_xml_is(e, "ErrorResponse/Error/Code") && strlen(e->text) < 64 &&
		strspn(e->text, letters) == strlen(e->text))
		tfr_error_append(err, " %s", e->text);
	return true;
}

static void explain(const struct tfr_buf *answer, struct tfr_error *err)
{
	if (!err || !answer->size)
		return;
	tfr_xml_read(answer->data, answer->size - 1, on_sts_fault, err);
	tfr_error_hint(err, "Check AWS_ROLE_ARN and the token in AWS_WEB_IDENTITY_TOKEN_FILE.");
}

/* What a role needs, from the environment or else from the profile. */
struct identity {
	char role[2100], session[128], file[1024], url[TFR_ENDPOINT];
};

static bool take_setting(const struct tfr_aws_config *c, const char *variable, const char *name,
	char *to, size_t size)
{
	const char *given = tfr_environment(variable);

	return given ? snprintf(to, size, "%s", given) < (int)size
		     : tfr_aws_setting(c, name, NULL, to, size);
}

static enum tfr_status find_sts(
	const struct tfr_aws_config *c, struct identity *id, struct tfr_error *err)
{
	char region[TFR_REGION];

	TFR_TRY(tfr_aws_region(c, region, err));
	TFR_TRY(tfr_aws_endpoint(c, "STS", id->url, err));
	if (!*id->url)
		snprintf(id->url, sizeof(id->url), "https://sts.%s.amazonaws.com%s", region,
			!strncmp(region, "cn-", 3) ? ".cn" : "");
	strncat(id->url, "/", sizeof(id->url) - strlen(id->url) - 1);
	return TFR_OK;
}

static enum tfr_status find_identity(struct identity *id, struct tfr_error *err)
{
	struct tfr_aws_config c;
	enum tfr_status status = TFR_OK;

	TFR_TRY(tfr_aws_config_read(&c, err));
	if (!take_setting(&c, "AWS_WEB_IDENTITY_TOKEN_FILE", "web_identity_token_file", id->file,
		    sizeof(id->file)))
		status = TFR_END;
	else if (!take_setting(&c, "AWS_ROLE_ARN", "role_arn", id->role, sizeof(id->role)))
		status = tfr_fail(err, TFR_EUSAGE,
			"AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
	else
		status = find_sts(&c, id, err);
	if (!status && !take_setting(&c, "AWS_ROLE_SESSION_NAME", "role_session_name", id->session,
			       sizeof(id->session)))
		snprintf(id->session, sizeof(id->session), "tfr-%ld", (long)getpid());
	tfr_aws_config_clear(&c);
	return status;
}

static bool write_form(struct tfr_buf *body, const struct identity *id, const struct tfr_buf *token)
{
	size_t n = strcspn((const char *)token->data, "\r\n");

	return tfr_buf_printf(
		       body, "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=") &&
	       tfr_percent_encode(body, id->role, strlen(id->role), true) &&
	       tfr_buf_printf(body, "&RoleSessionName=") &&
	       tfr_percent_encode(body, id->session, strlen(id->session), true) &&
	       tfr_buf_printf(body, "&WebIdentityToken=") &&
	       tfr_percent_encode(body, (const char *)token->data, n, true) &&
	       tfr_buf_append(body, "", 1);
}

static enum tfr_status ask_sts(struct tfr_keys *k, const struct identity *id,
	const struct tfr_buf *token, struct tfr_error *err)
{
	TFR_AUTO_BUF answer = { 0 };
	TFR_AUTO_BUF body = { 0 };
	struct service_call call = { .method = "POST", .url = id->url, .milliseconds = 5000 };
	enum tfr_status status = TFR_ENOMEM;

	if (write_form(&body, id, token)) {
		call.body = (const char *)body.data;
		status = service_ask(&call, "STS", &answer, err);
	} else {
		tfr_fail_nomem(err, "asking for credentials");
	}
	if (!status)
		status = parse_sts(k, &answer, err);
	else if (status == TFR_ESYS)
		explain(&answer, err);
	else if (status == TFR_END)
		status = tfr_fail(err, TFR_ESYS, "cannot get credentials from STS: no connection");
	tfr_keys_wipe(&body);
	tfr_keys_wipe(&answer);
	return status;
}

static enum tfr_status from_web_identity(struct tfr_keys *k, struct tfr_error *err)
{
	struct identity id = { .role = "" };
	TFR_AUTO_BUF token = { 0 };
	enum tfr_status status = find_identity(&id, err);

	if (!status)
		status = read_token(id.file, &token, err);
	if (!status)
		status = ask_sts(k, &id, &token, err);
	tfr_keys_wipe(&token);
	return status;
}

/* --- the profile --- */

static enum tfr_status unsupported(
	const struct tfr_aws_config *c, const char *what, struct tfr_error *err)
{
	tfr_fail(err, TFR_EUSAGE,
		"the profile '%s' gets its credentials by %s, which is not supported", c->profile,
		what);
	tfr_error_hint(err,
		"Export them first: eval \"$(aws configure export-credentials --profile %s "
		"--format env)\"",
		c->profile);
	return TFR_EUSAGE;
}

static enum tfr_status run_process(struct tfr_keys *k, const char *command, struct tfr_error *err)
{
	TFR_AUTO_BUF output = { 0 };
	enum tfr_status status = tfr_run_command(command, "credential_process", &output, err);

	if (!status)
		status = tfr_keys_from_json(k, &output, "credential_process", err);
	tfr_keys_wipe(&output);
	return status;
}

static enum tfr_status from_config(
	struct tfr_keys *k, const struct tfr_aws_config *c, struct tfr_error *err)
{
	char id[256], secret[256], token[TEXT], command[TEXT];
	bool has_id = tfr_aws_setting(c, "aws_access_key_id", NULL, id, sizeof(id));
	bool has_secret = tfr_aws_setting(c, "aws_secret_access_key", NULL, secret, sizeof(secret));
	enum tfr_status status = TFR_END;

	if (tfr_aws_setting(c, "role_arn", NULL, command, sizeof(command)))
		return unsupported(c, "assuming a role (role_arn)", err);
	if (has_id && has_secret) {
		if (!tfr_aws_setting(c, "aws_session_token", NULL, token, sizeof(token)))
			token[0] = '\0';
		status = tfr_keys_set(k, id, secret, *token ? token : NULL, err);
		explicit_bzero(secret, sizeof(secret));
		explicit_bzero(token, sizeof(token));
	} else if (tfr_aws_setting(c, "credential_process", NULL, command, sizeof(command))) {
		status = run_process(k, command, err);
	} else if (tfr_aws_setting(c, "login_session", NULL, command, sizeof(command))) {
		status = unsupported(c, "'aws login'", err);
	} else if (tfr_aws_setting(c, "sso_session", NULL, command, sizeof(command)) ||
		   tfr_aws_setting(c, "sso_start_url", NULL, command, sizeof(command))) {
		status = unsupported(c, "single sign-on", err);
	} else if (has_id || has_secret) {
		status = tfr_fail(err, TFR_EUSAGE,
			"the profile '%s' has only one of aws_access_key_id and "
			"aws_secret_access_key",
			c->profile);
	}
	return status;
}

static enum tfr_status from_profile(struct tfr_keys *k, struct tfr_error *err)
{
	struct tfr_aws_config c;
	enum tfr_status status;

	TFR_TRY(tfr_aws_config_read(&c, err));
	status = from_config(k, &c, err);
	tfr_aws_config_clear(&c);
	return status;
}

/* --- containers --- */

static bool is_trusted_host(const char *host)
{
	static const char *const hosts[] = { "localhost", "[::1]", "169.254.170.2",
		"169.254.170.23", "[fd00:ec2::23]" };

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
		if (!strcasecmp(host, hosts[i]))
			return true;
	return !strncmp(host, "127.", 4) && strspn(host, "0123456789.") == strlen(host);
}

/* Without TLS, a token must not leave the host, its link, or the agents of ECS and EKS. */
static bool is_trusted(const char *url)
{
	CURLU *u = curl_url();
	char *scheme = NULL, *host = NULL;
	bool yes = u && !curl_url_set(u, CURLUPART_URL, url, 0) &&
		   !curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) &&
		   !curl_url_get(u, CURLUPART_HOST, &host, 0) &&
		   (!strcmp(scheme, "https") || (!strcmp(scheme, "http") && is_trusted_host(host)));

	curl_free(scheme);
	curl_free(host);
	curl_url_cleanup(u);
	return yes;
}

static enum tfr_status container_token(struct tfr_buf *header, struct tfr_error *err)
{
	const char *file = tfr_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	const char *token = tfr_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
	TFR_AUTO_BUF text = { 0 };

	TFR_TRY(file ? read_token(file, &text, err) : TFR_OK);
	if (file)
		token = (const char *)text.data;
	if (token && (!tfr_buf_printf(
			      header, "Authorization: %.*s", (int)strcspn(token, "\r\n"), token) ||
			     !tfr_buf_append(header, "", 1)))
		return tfr_fail_nomem(err, "reading a token");
	tfr_keys_wipe(&text);
	return TFR_OK;
}

static enum tfr_status from_container(struct tfr_keys *k, struct tfr_error *err)
{
	const char *relative = tfr_environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *full = tfr_environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	TFR_AUTO_BUF header = { 0 };
	TFR_AUTO_BUF answer = { 0 };
	const char *headers[] = { NULL, NULL };
	char url[1024];
	struct service_call call = {
		.method = "GET", .url = url, .headers = headers, .milliseconds = 1000, .local = true
	};
	enum tfr_status status;

	if (!relative && !full)
		return TFR_END;
	if (relative)
		snprintf(url, sizeof(url), "http://169.254.170.2%s", relative);
	else
		snprintf(url, sizeof(url), "%s", full);
	if (!is_trusted(url))
		return tfr_fail(err, TFR_EUSAGE,
			"AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https "
			"nor of this host");
	TFR_TRY(container_token(&header, err));
	headers[0] = (const char *)header.data;
	status = service_ask(&call, "the container's service", &answer, err);
	if (status == TFR_END)
		status = tfr_fail(err, TFR_ESYS,
			"cannot get credentials from the container's service: no connection");
	else if (!status)
		status = tfr_keys_from_json(k, &answer, "the container's service", err);
	tfr_keys_wipe(&header);
	tfr_keys_wipe(&answer);
	return status;
}

/* --- the instance --- */

static enum tfr_status get_role(
	const char *base, const char *const *headers, struct tfr_keys *k, struct tfr_error *err)
{
	static const char at[] = "/latest/meta-data/iam/security-credentials/";
	TFR_AUTO_BUF answer = { 0 };
	char url[1024], role[256];
	struct service_call call = {
		.method = "GET", .url = url, .headers = headers, .milliseconds = 1000, .local = true
	};
	enum tfr_status status;

	snprintf(url, sizeof(url), "%s%s", base, at);
	status = service_ask(&call, "the instance's metadata", &answer, NULL);
	if (status) /* 404: the instance has no role */
		return TFR_END;
	snprintf(role, sizeof(role), "%.*s", (int)strcspn((char *)answer.data, "\r\n"),
		(char *)answer.data);
	snprintf(url, sizeof(url), "%s%s%s", base, at, role);
	status = service_ask(&call, "the instance's metadata", &answer, err);
	if (!status)
		status = tfr_keys_from_json(k, &answer, "the instance's metadata", err);
	tfr_keys_wipe(&answer);
	return status;
}

/* Version 2 only, which wants a token first: a server that can be made to send a GET elsewhere
 * cannot get these credentials. */
static enum tfr_status from_instance(struct tfr_keys *k, struct tfr_error *err)
{
	static const char *const ttl[] = { "X-aws-ec2-metadata-token-ttl-seconds: 21600", NULL };
	const char *base = tfr_environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
	TFR_AUTO_BUF token = { 0 };
	char url[512], header[512];
	const char *headers[] = { header, NULL };
	struct service_call call = {
		.method = "PUT", .url = url, .headers = ttl, .milliseconds = 1000, .local = true
	};
	size_t n;

	if (tfr_environment_true("AWS_EC2_METADATA_DISABLED"))
		return TFR_END;
	base = base ?: "http://169.254.169.254";
	n = strlen(base);
	snprintf(url, sizeof(url), "%.*s/latest/api/token", (int)(base[n - 1] == '/' ? n - 1 : n),
		base);
	if (service_ask(&call, "the instance's metadata", &token, NULL))
		return TFR_END;
	snprintf(header, sizeof(header), "X-aws-ec2-metadata-token: %.*s",
		(int)strcspn((char *)token.data, "\r\n"), (char *)token.data);
	url[strlen(url) - strlen("/latest/api/token")] = '\0';
	return get_role(url, headers, k, err);
}

const struct tfr_key_source tfr_aws_sources[] = {
	{ "the environment", from_environment },
	{ "a web identity", from_web_identity },
	{ "the profile", from_profile },
	{ "the container's service", from_container },
	{ "the instance's metadata", from_instance },
	{ NULL, NULL },
};

/* --- Google Cloud Storage --- */

static enum tfr_status from_token(struct tfr_keys *k, struct tfr_error *err)
{
	const char *token = tfr_environment("CLOUDSDK_AUTH_ACCESS_TOKEN");

	return token ? tfr_keys_set(k, NULL, NULL, token, err) : TFR_END;
}

/* The names of boto and of django-storages. */
static enum tfr_status from_hmac(struct tfr_keys *k, struct tfr_error *err)
{
	return from_variables(k, "GS_ACCESS_KEY_ID", "GS_SECRET_ACCESS_KEY", NULL, err);
}

/* A token of Google is valid for an hour; one that the command has cached, for less. */
static enum tfr_status from_command(struct tfr_keys *k, struct tfr_error *err)
{
	const char *command = tfr_environment("TFR_GS_TOKEN_COMMAND");
	TFR_AUTO_BUF output = { 0 };
	enum tfr_status status;
	char *text;

	if (!command)
		return TFR_END;
	TFR_TRY(tfr_run_command(command, "TFR_GS_TOKEN_COMMAND", &output, err));
	text = (char *)output.data;
	text[strcspn(text, "\r\n")] = '\0';
	status = *text ? tfr_keys_set(k, NULL, NULL, text, err)
		       : tfr_fail(err, TFR_ESYS, "TFR_GS_TOKEN_COMMAND prints no token");
	if (!status)
		k->expires = time(NULL) + 1800;
	tfr_keys_wipe(&output);
	return status;
}

static enum tfr_status from_file(struct tfr_keys *k, struct tfr_error *err)
{
	const char *file = tfr_environment("GOOGLE_APPLICATION_CREDENTIALS");

	(void)k;
	if (!file || tfr_is_null_device(file))
		return TFR_END;
	return tfr_fail_hint(err, TFR_EUSAGE,
		"Let Google's tool print tokens: export TFR_GS_TOKEN_COMMAND='gcloud auth "
		"application-default print-access-token'",
		"GOOGLE_APPLICATION_CREDENTIALS is not supported");
}

static enum tfr_status from_gcs_metadata(struct tfr_keys *k, struct tfr_error *err)
{
	static const char *const flavor[] = { "Metadata-Flavor: Google", NULL };
	const char *host = tfr_environment("GCE_METADATA_HOST");
	TFR_AUTO_BUF answer = { 0 };
	char url[512];
	struct service_call call = { .method = "GET",
		.url = url,
		.headers = flavor,
		.milliseconds = 1000,
		.local = true,
		.expect = "metadata-flavor: google" };
	enum tfr_status status;

	if (tfr_environment_true("NO_GCE_CHECK"))
		return TFR_END;
	snprintf(url, sizeof(url),
		"http://%s/computeMetadata/v1/instance/service-accounts/default/token",
		host ?: "metadata.google.internal");
	status = service_ask(&call, "the metadata server", &answer, host ? err : NULL);
	if (status)
		return host && status != TFR_END ? status : TFR_END;
	status = tfr_token_from_json(k, &answer, "the metadata server", err);
	tfr_keys_wipe(&answer);
	return status;
}

const struct tfr_key_source tfr_gcs_sources[] = {
	{ "the environment", from_token },
	{ "the environment", from_hmac },
	{ "TFR_GS_TOKEN_COMMAND", from_command },
	{ "GOOGLE_APPLICATION_CREDENTIALS", from_file },
	{ "the metadata server", from_gcs_metadata },
	{ NULL, NULL },
};
