/* io/remote/store.c - buckets, and the hosts of web servers: their addresses and the requests to
 * them.
 *
 * A store keeps what does not change from request to request.  The region of a bucket may turn out
 * to be another one than was configured; then its address changes, under the lock. */
#include "io/remote/store.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/url.h"
#include "config.h"
#include "io/object.h"
#include "io/remote/address.h"
#include "io/remote/sign.h"

/* --- hidden queries --- */

/* A list of URLs with their queries that only grows.  A query is sent only with URLs in the folder
 * of its own, where the other files of the set and the index of a file are. */

static const char mark[] = "hidden-";

static struct {
	char **urls;
	size_t n;
} hidden;

/* Host names ignore case, and folders hardly ever differ in case alone. */
static bool same_folder(const char *a, const char *b)
{
	size_t n = strcspn(a, "?");

	while (n && a[n - 1] != '/')
		n--;
	/* Without a folder the name counts. */
	if (n > 1 && a[n - 2] == '/')
		n = strcspn(a, "?") + 1;
	return !strncasecmp(a, b, n);
}

/* The number of the query of a URL, from 1; 0: out of memory. */
static size_t number_of_query(const char *url)
{
	const char *query = strchr(url, '?');
	size_t i = 0;
	char *copy;

	tfr_remote_lock();
	while (i < hidden.n && (strcmp(strchr(hidden.urls[i], '?'), query) != 0 ||
				       !same_folder(hidden.urls[i], url)))
		i++;
	if (i == hidden.n) {
		copy = strdup(url);
		if (copy && !TFR_ARRAY_ONE_MORE(hidden.urls, hidden.n))
			hidden.urls[hidden.n++] = copy;
		else
			free(copy);
	}
	i = i < hidden.n ? i + 1 : 0;
	tfr_remote_unlock();
	return i;
}

/* The query in whose place `url` has "hidden-N"; NULL: it has none, or one for another folder.  It
 * belongs to the process. */
static const char *hidden_query(const char *url)
{
	const char *query = strchr(url, '?'), *found = NULL;
	char *end;
	size_t n;

	if (!query || strncmp(query + 1, mark, sizeof(mark) - 1) != 0)
		return NULL;
	n = strtoul(query + sizeof(mark), &end, 10);
	if (*end && *end != '#')
		return NULL;
	tfr_remote_lock();
	if (n && n <= hidden.n && same_folder(hidden.urls[n - 1], url))
		found = strchr(hidden.urls[n - 1], '?') + 1;
	tfr_remote_unlock();
	return found;
}

enum tfr_status tfr_hide_query(const char *url, char **shown, struct tfr_error *err)
{
	size_t n = tfr_path_shown(url), number;

	*shown = NULL;
	if (!url[n] || hidden_query(url))
		return TFR_OK;
	number = number_of_query(url);
	if (number)
		*shown = tfr_asprintf("%.*s?%s%zu", (int)n, url, mark, number);
	return *shown ? TFR_OK : tfr_fail_nomem(err, "opening a web address");
}

/* --- stores --- */

struct row;

struct tfr_store {
	struct tfr_store *next;
	const struct row *row;
	char *name;	      /* the bucket; of a web server: "https://host:port" in lower case */
	/* Under the lock: */
	char *header; /* "Authorization: ...", for a web server */
	struct tfr_address address;
	bool expired, anonymous;
	struct tfr_store_shown shown;
};

/* How to talk to one kind of store. */
struct row {
	const char *scheme;
	enum tfr_store_kind kind;
	enum tfr_vendor vendor;
	const struct tfr_sign_scheme *sign; /* NULL: requests are not signed */
	enum tfr_status (*address)(
		struct tfr_address *a, const char *bucket, struct tfr_error *err);
};

static struct tfr_store *stores;
static bool anonymous;

/* A web server is where its URL says. */
static enum tfr_status web_address(struct tfr_address *a, const char *name, struct tfr_error *err)
{
	a->fixed = true;
	a->base = strdup(name);
	return a->base ? TFR_OK : tfr_fail_nomem(err, "opening a bucket");
}

static const struct row rows[] = {
	{ "s3://", TFR_STORE_S3, TFR_VENDOR_AWS, &tfr_sign_aws, tfr_address_s3 },
	{ "gs://", TFR_STORE_GS, TFR_VENDOR_GCS, &tfr_sign_gcs, tfr_address_gcs },
	{ "https://", TFR_STORE_HTTP, TFR_VENDOR_AWS, NULL, web_address },
	{ "http://", TFR_STORE_HTTP, TFR_VENDOR_AWS, NULL, web_address },
};

/* --- finding a store --- */

static enum tfr_status make(
	struct tfr_store **out, const struct row *row, char *name, struct tfr_error *err)
{
	struct tfr_store *s = calloc(1, sizeof(*s));
	enum tfr_status status;

	TFR_NEED_MEMORY(s, err, "opening a bucket");
	s->row = row;
	s->name = name;
	status = row->kind == TFR_STORE_HTTP ? TFR_OK : tfr_bucket_check(name, err);
	if (!status)
		status = row->address(&s->address, name, err);
	if (status) {
		free(s->address.base);
		free(s);
		return status;
	}
	s->anonymous = anonymous;
	s->next = stores;
	stores = s;
	*out = s;
	return TFR_OK;
}

static enum tfr_status find(
	struct tfr_store **out, const struct row *row, char *name, struct tfr_error *err)
{
	struct tfr_store *s = stores;
	enum tfr_status status;

	while (s && (s->row != row || strcmp(s->name, name) != 0))
		s = s->next;
	status = s ? TFR_OK : make(&s, row, name, err);
	if (status || s->name != name)
		free(name);
	*out = s;
	return status;
}

enum tfr_status tfr_store_find(
	struct tfr_store **s, const char *url, const char **key, struct tfr_error *err)
{
	const struct row *row = NULL;
	enum tfr_status status;
	struct tfr_url u;
	char *name;

	for (size_t i = 0; !row && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strncasecmp(url, rows[i].scheme, strlen(rows[i].scheme)))
			row = &rows[i];
	if (!row || !tfr_url_parse(&u, url))
		return tfr_fail_path(err, TFR_EUSAGE, url, "not the URL of an object:");
	TFR_TRY(tfr_url_check(url, err));
	*key = url + u.path;
	if (row->kind == TFR_STORE_HTTP) {
		name = strndup(url, u.path);
		for (char *c = name; c && *c; c++)
			*c = (char)tolower((unsigned char)*c);
	} else {
		*key += **key == '/';
		name = strndup(url + u.host, u.path - u.host);
	}
	TFR_NEED_MEMORY(name, err, "opening a bucket");
	tfr_remote_lock();
	status = find(s, row, name, err);
	tfr_remote_unlock();
	return status;
}

enum tfr_status tfr_store_authorize(const char *url, const char *header, struct tfr_error *err)
{
	struct tfr_store *s;
	const char *key;

	TFR_TRY(tfr_store_find(&s, url, &key, err));
	tfr_remote_lock();
	free(s->header);
	s->header = strdup(header);
	tfr_remote_unlock();
	return s->header ? TFR_OK : tfr_fail_nomem(err, "preparing a request");
}

void tfr_stores_set(const struct tfr_remote_opts *opts)
{
	tfr_remote_lock();
	anonymous = opts->anonymous;
	for (struct tfr_store *s = stores; s; s = s->next)
		s->anonymous = anonymous;
	tfr_remote_unlock();
}

enum tfr_store_kind tfr_store_kind(const struct tfr_store *s)
{
	return s->row->kind;
}

char *tfr_store_show(const struct tfr_store *s, const char *key, char *text, size_t size)
{
	bool web = s->row->kind == TFR_STORE_HTTP;

	snprintf(text, size, "%s%s%s%.*s", web ? "" : s->row->scheme, s->name, web ? "" : "/",
		(int)(web ? strcspn(key, "?#") : strlen(key)), key);
	return text;
}

void tfr_store_endpoint(struct tfr_store *s, char *text, size_t size)
{
	const char *base, *host;

	tfr_remote_lock();
	base = s->address.base;
	host = strstr(base, "://") + 3;
	*text = '\0';
	if (s->address.fixed && s->address.path)
		snprintf(text, size, "%.*s", (int)(strlen(base) - strlen(s->name) - 1), base);
	else if (s->address.fixed)
		snprintf(text, size, "%.*s%s", (int)(host - base), base,
			host + strlen(s->name) + 1);
	tfr_remote_unlock();
}

/* --- requests --- */

static bool add_header(struct tfr_sending *out, const char *text)
{
	struct curl_slist *longer = curl_slist_append(out->headers, text);

	if (longer)
		out->headers = longer;
	return longer;
}

static bool append_as_written(struct tfr_buf *url, const char *text, size_t n)
{
	bool good = true;

	for (size_t i = 0; good && i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		good = c <= ' ' || c >= 0x7f ? tfr_buf_printf(url, "%%%02X", c)
					     : tfr_buf_append(url, &c, 1);
	}
	return good;
}

/* A web address is sent as it is written, but for bytes that no URL may have. */
static bool append_web(struct tfr_buf *url, const char *server, const char *key)
{
	TFR_AUTO_FREE char *whole = tfr_asprintf("%s%s", server, key);
	const char *query = NULL;
	size_t n = strcspn(key, "?#");

	if (whole && key[n] == '?')
		query = hidden_query(whole) ?: key + n + 1;
	return whole && (*key == '/' || tfr_buf_append(url, "/", 1)) &&
	       append_as_written(url, key, n) &&
	       (!query || (tfr_buf_append(url, "?", 1) &&
				  append_as_written(url, query, strcspn(query, "#"))));
}

static bool append_key(struct tfr_buf *url, const struct tfr_call *call)
{
	return (!*call->key ||
		       (tfr_buf_append(url, "/", 1) &&
			       tfr_percent_encode(url, call->key, strlen(call->key), false))) &&
	       tfr_query_encode(url, call->query, call->n_query);
}

static bool make_url(const struct tfr_store *s, const struct tfr_call *call, const char *base,
	struct tfr_sending *out)
{
	struct tfr_buf url = { 0 };
	bool good =
		tfr_buf_append(&url, base, strlen(base)) &&
		(s->row->sign ? append_key(&url, call) : append_web(&url, s->name, call->key)) &&
		tfr_buf_append(&url, "", 1);

	out->url = (char *)url.data;
	return good;
}

/* Splits the URL that is sent into the parts that are signed. */
static void locate(const char *url, char *host, size_t size, const char **path, int *path_size)
{
	const char *at = strstr(url, "://") + 3;
	size_t n = strcspn(at, "/?");

	snprintf(host, size, "%.*s", (int)n, at);
	*path = at + n;
	*path_size = (int)strcspn(*path, "?");
}

static const char *payload_of(const struct tfr_call *call)
{
	static const char nothing[] =
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

	return call->empty ? nothing : "UNSIGNED-PAYLOAD";
}

static bool sign(struct tfr_store *s, const struct tfr_call *call, const struct tfr_keys *k,
	const char *region, struct tfr_sending *out)
{
	TFR_AUTO_BUF fields = { 0 };
	TFR_AUTO_FREE char *path = NULL;
	const char *at;
	char host[300];
	bool good;
	int n;
	struct tfr_sign_input in = { .scheme = s->row->sign,
		.method = call->method,
		.host = host,
		.query = call->query,
		.n_query = call->n_query,
		.headers = call->headers,
		.n_headers = call->n_headers,
		.payload = payload_of(call),
		.id = k->id,
		.secret = k->secret,
		.token = k->token,
		.region = region,
		.time = time(NULL) };

	locate(out->url, host, sizeof(host), &at, &n);
	path = n ? strndup(at, (size_t)n) : strdup("/");
	in.path = path;
	good = path && tfr_sign(&in, &fields);
	for (size_t i = 0; good && i < fields.size; i += strlen((char *)fields.data + i) + 1)
		good = add_header(out, (char *)fields.data + i);
	if (fields.data)
		explicit_bzero(fields.data, fields.size);
	return good;
}

static bool add_bearer(struct tfr_sending *out, const struct tfr_keys *k)
{
	TFR_AUTO_FREE char *text = tfr_asprintf("Authorization: Bearer %s", k->token);
	bool good = text && add_header(out, text);

	if (text)
		explicit_bzero(text, strlen(text));
	return good;
}

/* libcurl would add fields of its own, some of them after a wait. */
static bool add_fields(
	const struct tfr_store *s, const struct tfr_call *call, struct tfr_sending *out)
{
	bool good = add_header(out, "Expect:") && add_header(out, "User-Agent: tfr/" TFR_VERSION) &&
		    add_header(out, "Content-Type:");

	/* GCS decompresses objects that are stored compressed, unless the client can. */
	if (s->row->kind == TFR_STORE_GS)
		good = good && add_header(out, "Accept-Encoding: gzip");
	else if (s->row->kind == TFR_STORE_HTTP)
		good = good && add_header(out, "Accept-Encoding: identity");
	for (size_t i = 0; good && i < call->n_headers; i++)
		good = add_header(out, call->headers[i]);
	return good;
}

static enum tfr_status authorise(struct tfr_store *s, const struct tfr_call *call,
	const char *region, bool renew, struct tfr_sending *out, struct tfr_error *err)
{
	struct tfr_keys k;
	enum tfr_status status = tfr_keys_get(s->row->vendor, renew, &k, err);
	bool good;

	if (status == TFR_END) {
		tfr_remote_lock();
		s->anonymous = true;
		tfr_remote_unlock();
	}
	if (status)
		return status == TFR_END ? TFR_OK : status;
	good = k.id ? sign(s, call, &k, region, out) : add_bearer(out, &k);
	tfr_keys_clear(&k);
	return good ? TFR_OK : tfr_fail_nomem(err, "signing a request");
}

enum tfr_status tfr_store_sign(struct tfr_store *s, const struct tfr_call *call,
	struct tfr_sending *out, struct tfr_error *err)
{
	TFR_AUTO_FREE char *base = NULL;
	char region[TFR_REGION];
	bool renew, unsigned_, good;

	*out = (struct tfr_sending){ 0 };
	tfr_remote_lock();
	base = strdup(s->address.base);
	memcpy(region, s->address.region, sizeof(region));
	renew = s->expired;
	s->expired = false;
	unsigned_ = s->anonymous || !s->row->sign;
	out->netrc = s->row->kind == TFR_STORE_HTTP && !s->header && !s->anonymous;
	good = !s->header || add_header(out, s->header);
	tfr_remote_unlock();
	memcpy(out->region, region, sizeof(region));
	out->ca_file = tfr_ca_file();
	TFR_NEED_MEMORY(good && base && make_url(s, call, base, out) && add_fields(s, call, out),
		err, "preparing a request");
	return unsigned_ ? TFR_OK : authorise(s, call, region, renew, out, err);
}

void tfr_headers_free(struct curl_slist *headers)
{
	for (struct curl_slist *h = headers; h; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(headers);
}

void tfr_sending_clear(struct tfr_sending *s)
{
	tfr_headers_free(s->headers);
	free(s->url);
	*s = (struct tfr_sending){ 0 };
}

/* --- what a server's answer changes --- */

bool tfr_store_expired(struct tfr_store *s)
{
	bool can = s->row->sign && !tfr_store_anonymous(s) && tfr_keys_renewable(s->row->vendor);

	tfr_remote_lock();
	s->expired = s->expired || can;
	tfr_remote_unlock();
	return can;
}

bool tfr_store_region(struct tfr_store *s, const char *used, const char *region)
{
	bool differs;

	if (s->row->kind != TFR_STORE_S3)
		return false;
	tfr_remote_lock();
	/* The answer to another request may have moved the bucket meanwhile. */
	differs = tfr_address_move(&s->address, s->name, region) ||
		  (strcmp(used, region) != 0 && !strcmp(s->address.region, region));
	tfr_remote_unlock();
	return differs;
}

enum tfr_status tfr_store_prepare(struct tfr_store *s, struct tfr_error *err)
{
	struct tfr_keys k = { 0 };
	enum tfr_status status;

	if (!s->row->sign || tfr_store_anonymous(s))
		return TFR_OK;
	status = tfr_keys_get(s->row->vendor, false, &k, err);
	tfr_keys_clear(&k);
	return status == TFR_END ? TFR_OK : status;
}

bool tfr_store_anonymous(const struct tfr_store *s)
{
	bool yes;

	tfr_remote_lock();
	yes = s->anonymous;
	tfr_remote_unlock();
	return yes;
}

struct tfr_store_shown *tfr_store_shown(struct tfr_store *s)
{
	return &s->shown;
}

void tfr_store_hint(
	const struct tfr_store *s, long http_status, const char *code, struct tfr_error *err)
{
	if (strstr(code, "QuotaExceeded")) { /* MinIO has a prefix */
		tfr_error_hint(err, "The quota of the user or of the bucket is used up.");
	} else if (s->row->kind == TFR_STORE_HTTP) {
		if (http_status != 400)
			tfr_error_hint(err, "Check the user name and the password in ~/.netrc, or "
					    "the value of --header 'Authorization: ...'.");
	} else if (tfr_store_anonymous(s) && http_status != 400) {
		tfr_error_hint(err,
			"The request was not signed, because no credentials were found or "
			"--anonymous was given; tfr-remote(7) lists where they are looked for%s.",
			s->row->kind == TFR_STORE_GS ? ", such as the token that "
						       "'gcloud auth print-access-token' prints"
						     : "");
	} else if (!strcmp(code, "RequestTimeTooSkewed")) {
		tfr_error_hint(err, "The clock of this machine is wrong.");
	} else if (!strcmp(code, "SignatureDoesNotMatch") || !strcmp(code, "InvalidAccessKeyId")) {
		tfr_error_hint(err,
			"Check the key and its secret, and that they belong to this endpoint.");
	} else if (!strcmp(code, "ExpiredToken")) {
		tfr_error_hint(err, "The credentials have expired; get new ones.");
	} else if (http_status != 400) {
		tfr_error_hint(err,
			"Check that the credentials may do this with this key, and, if the "
			"bucket is public, try --anonymous.");
	}
}
