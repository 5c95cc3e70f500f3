/* io/remote/sign.c - the canonical form of a request, and its HMAC by libgcrypt.
 *
 * libcurl 7.88 has signatures of its own (CURLOPT_AWS_SIGV4); CONTRIBUTING.md says why they are not
 * used. */
#include "io/remote/sign.h"
#include "io/remote/store.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <gcrypt.h>

#include "base/digest.h"

const struct tfr_sign_scheme tfr_sign_aws = { "AWS4-HMAC-SHA256", "AWS4", "s3", "aws4_request",
	"x-amz-" };
const struct tfr_sign_scheme tfr_sign_gcs = { "GOOG4-HMAC-SHA256", "GOOG4", "storage",
	"goog4_request", "x-goog-" };

enum { SUM = 32, FIELDS = 48 };

static bool hmac(uint8_t out[SUM], const void *key, size_t key_size, const void *text, size_t size)
{
	gcry_md_hd_t h;
	bool good;

	tfr_digests_begin();
	/* libgcrypt has locks that no fork waits for. */
	tfr_remote_lock();
	good = !gcry_md_open(&h, GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC);
	if (good) {
		gcry_md_setkey(h, key, key_size);
		gcry_md_write(h, text, size);
		memcpy(out, gcry_md_read(h, 0), SUM);
		gcry_md_close(h);
	}
	tfr_remote_unlock();
	return good;
}

/* --- percent-encoding --- */

bool tfr_percent_encode(struct tfr_buf *to, const char *text, size_t n, bool slash)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain = (c < 0x80 && isalnum(c)) || (c && strchr("-._~", c)) ||
			     (c == '/' && !slash);

		if (plain ? !tfr_buf_append(to, &c, 1) : !tfr_buf_printf(to, "%%%02X", c))
			return false;
	}
	return true;
}

/* "name=value", encoded. */
static char *encode_parameter(const struct tfr_query *q)
{
	struct tfr_buf text = { 0 };

	if (!tfr_percent_encode(&text, q->name, strlen(q->name), true) ||
		!tfr_buf_append(&text, "=", 1) ||
		(q->value && !tfr_percent_encode(&text, q->value, strlen(q->value), true)) ||
		!tfr_buf_append(&text, "", 1)) {
		tfr_buf_clear(&text);
		return NULL;
	}
	return (char *)text.data;
}

/* By name and then value: '=' sorts after the digits and before the letters, so that comparing
 * "name=value" would be wrong for names of which one begins another. */
static int by_parameter(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t m = strcspn(x, "="), n = strcspn(y, "="), least = m < n ? m : n;
	int order = memcmp(x, y, least);

	if (order)
		return order;
	return m != n ? (m < n ? -1 : 1) : strcmp(x + m, y + n);
}

static bool canonical_query(struct tfr_buf *to, const struct tfr_query *query, size_t n)
{
	char *parameters[FIELDS];
	bool good = n <= FIELDS;
	size_t made = 0;

	for (; good && made < n; made++) {
		parameters[made] = encode_parameter(&query[made]);
		if (!parameters[made])
			good = false;
	}
	if (good)
		qsort((void *)parameters, n, sizeof(*parameters), by_parameter);
	for (size_t i = 0; good && i < n; i++)
		good = tfr_buf_printf(to, "%s%s", i ? "&" : "", parameters[i]);
	for (size_t i = 0; i < made; i++)
		free(parameters[i]);
	return good;
}

bool tfr_query_encode(struct tfr_buf *to, const struct tfr_query *query, size_t n)
{
	return !n || (tfr_buf_append(to, "?", 1) && canonical_query(to, query, n));
}

/* --- header fields --- */

struct fields {
	char *line[FIELDS]; /* "name:value", the name in lower case */
	size_t n;
};

static int by_line(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t m = strcspn(x, ":"), n = strcspn(y, ":");
	int order = memcmp(x, y, m < n ? m : n);

	return order ? order : (m > n) - (m < n);
}

/* Runs of spaces inside a value count as one. */
static bool add_field(struct fields *f, const char *name, size_t n, const char *value)
{
	char *line = f->n < FIELDS ? malloc(n + strlen(value) + 2) : NULL, *to = line;

	if (!line)
		return false;
	for (size_t i = 0; i < n; i++)
		*to++ = (char)tolower((unsigned char)name[i]);
	*to++ = ':';
	for (; *value == ' '; value++)
		;
	for (; *value; value++)
		if (*value != ' ' || (value[1] && value[1] != ' '))
			*to++ = *value;
	*to = '\0';
	f->line[f->n++] = line;
	return true;
}

/* Adds a field to the signed ones and to those that are sent. */
static bool add_sent(struct fields *f, struct tfr_buf *sent, const char *prefix, const char *name,
	const char *value)
{
	char full[64];

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	return add_field(f, full, strlen(full), value) &&
	       tfr_buf_printf(sent, "%s: %s", full, value) && tfr_buf_append(sent, "", 1);
}

static bool collect(
	struct fields *f, const struct tfr_sign_input *in, const char *date, struct tfr_buf *sent)
{
	const char *prefix = in->scheme->prefix;
	bool good = add_field(f, "host", 4, in->host);

	for (size_t i = 0; good && i < in->n_headers; i++) {
		const char *colon = strchr(in->headers[i], ':');

		good = colon &&
		       add_field(f, in->headers[i], (size_t)(colon - in->headers[i]), colon + 1);
	}
	good = good && add_sent(f, sent, prefix, "date", date) &&
	       add_sent(f, sent, prefix, "content-sha256", in->payload);
	if (good && in->token && *in->token)
		good = add_sent(f, sent, prefix, "security-token", in->token);
	if (good)
		qsort((void *)f->line, f->n, sizeof(*f->line), by_line);
	return good;
}

static bool signed_names(struct tfr_buf *to, const struct fields *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!tfr_buf_printf(
			    to, "%s%.*s", i ? ";" : "", (int)strcspn(f->line[i], ":"), f->line[i]))
			return false;
	return tfr_buf_append(to, "", 1);
}

/* --- the signature --- */

static bool canonical_request(struct tfr_buf *to, const struct tfr_sign_input *in,
	const struct fields *f, const char *names)
{
	bool good = tfr_buf_printf(to, "%s\n%s\n", in->method, in->path) &&
		    canonical_query(to, in->query, in->n_query) && tfr_buf_append(to, "\n", 1);

	for (size_t i = 0; good && i < f->n; i++)
		good = tfr_buf_printf(to, "%s\n", f->line[i]);
	return good && tfr_buf_printf(to, "\n%s\n%s", names, in->payload);
}

static bool signing_key(uint8_t key[SUM], const struct tfr_sign_input *in, const char *day)
{
	const struct tfr_sign_scheme *s = in->scheme;
	TFR_AUTO_BUF first = { 0 };
	bool good = tfr_buf_printf(&first, "%s%s", s->key, in->secret) &&
		    hmac(key, first.data, first.size, day, strlen(day)) &&
		    hmac(key, key, SUM, in->region, strlen(in->region)) &&
		    hmac(key, key, SUM, s->service, strlen(s->service)) &&
		    hmac(key, key, SUM, s->end, strlen(s->end));

	if (first.data)
		explicit_bzero(first.data, first.size);
	return good;
}

static bool authorise(const struct tfr_sign_input *in, const char *date, const struct fields *f,
	struct tfr_buf *sent)
{
	TFR_AUTO_BUF names = { 0 };
	TFR_AUTO_BUF request = { 0 };
	TFR_AUTO_BUF text = { 0 };
	char day[9], hash[TFR_SHA256_HEX], hex[TFR_SHA256_HEX];
	uint8_t key[SUM], sum[SUM];
	bool good;

	memcpy(day, date, 8);
	day[8] = '\0';
	good = signed_names(&names, f) && canonical_request(&request, in, f, (char *)names.data) &&
	       tfr_buf_printf(&text, "%s\n%s\n%s/%s/%s/%s\n%s", in->scheme->algorithm, date, day,
		       in->region, in->scheme->service, in->scheme->end,
		       tfr_sha256(request.data, request.size, hash)) &&
	       signing_key(key, in, day) && hmac(sum, key, SUM, text.data, text.size);
	explicit_bzero(key, sizeof(key));
	if (!good)
		return false;
	tfr_hex(sum, SUM, hex);
	return tfr_buf_printf(sent,
		       "Authorization: %s Credential=%s/%s/%s/%s/%s, SignedHeaders=%s, "
		       "Signature=%s",
		       in->scheme->algorithm, in->id, day, in->region, in->scheme->service,
		       in->scheme->end, (char *)names.data, hex) &&
	       tfr_buf_append(sent, "", 1);
}

/* gmtime_r() and strftime() take a lock of glibc, which a forked child may find held for good.  The
 * year begins in March, so that its last day is the leap day. */
static void put_date(time_t time, char *text, size_t size)
{
	long days = time / 86400 + 719468, second = time % 86400; /* since 1 March of year 0 */
	long cycle = days / 146097, day = days % 146097;
	long year = (day - day / 1460 + day / 36524 - day / 146096) / 365, month;

	day -= 365 * year + year / 4 - year / 100;
	month = (5 * day + 2) / 153;
	day -= (153 * month + 2) / 5 - 1;
	month += month < 10 ? 3 : -9;
	snprintf(text, size, "%04ld%02ld%02ldT%02ld%02ld%02ldZ", 400 * cycle + year + (month < 3),
		month, day, second / 3600, second / 60 % 60, second % 60);
}

bool tfr_sign(const struct tfr_sign_input *in, struct tfr_buf *sent)
{
	struct fields f = { .n = 0 };
	char date[64];
	bool good;

	put_date(in->time, date, sizeof(date));
	good = collect(&f, in, date, sent) && authorise(in, date, &f, sent);
	for (size_t i = 0; i < f.n; i++)
		free(f.line[i]);
	return good;
}
