/* io/remote/address.c - addresses of buckets.
 *
 * A bucket of AWS is a label of the host name, since paths are being phased out there; one with
 * dots has no certificate and stays a path.  At any other endpoint it is the path, which every
 * server knows.  The host is kept as libcurl sends it, in lower case and without a default port,
 * because it is signed.
 *
 * Sources: docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html,
 * docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html. */
#include "io/remote/address.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/url.h"

/* --- names --- */

/* Google's rules are the wider ones: docs.aws.amazon.com/AmazonS3/latest/userguide/
 * bucketnamingrules.html, cloud.google.com/storage/docs/buckets#naming. */
static bool is_bucket(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			return false;
	return isalnum((unsigned char)name[0]) && isalnum((unsigned char)name[n - 1]) &&
	       !strstr(name, "..");
}

enum tfr_status tfr_bucket_check(const char *name, struct tfr_error *err)
{
	size_t n = strlen(name);

	if (!n)
		return tfr_fail(err, TFR_EUSAGE, "a URL without a bucket");
	if (!strncmp(name, "arn:", 4))
		return tfr_fail(
			err, TFR_EUSAGE, "access points ('%.100s') are not supported", name);
	if (n > 6 && !strcmp(name + n - 6, "--x-s3"))
		return tfr_fail(err, TFR_EUSAGE,
			"directory buckets of S3 Express ('%.100s') are not supported", name);
	if (n > 222)
		return tfr_fail(err, TFR_EUSAGE, "the name of the bucket is too long");
	if (!is_bucket(name, n))
		return tfr_fail(err, TFR_EUSAGE, "'%.100s' is not the name of a bucket", name);
	return TFR_OK;
}

static bool is_region(const char *region)
{
	size_t n =
		strspn(region, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");

	return n && !region[n] && n < TFR_REGION;
}

/* --- endpoints --- */

static bool has_part(CURLU *u, CURLUPart part)
{
	char *text = NULL;
	bool present = !curl_url_get(u, part, &text, 0) && text;

	curl_free(text);
	return present;
}

/* "https://host[:port][/path]" without a slash at its end.  False: not such an address. */
static bool normalise(CURLU *u, const char *text, char url[TFR_ENDPOINT])
{
	char *whole = NULL, *host;
	bool good = !curl_url_set(u, CURLUPART_URL, text, 0) && !has_part(u, CURLUPART_USER) &&
		    !has_part(u, CURLUPART_PASSWORD) && !has_part(u, CURLUPART_QUERY) &&
		    !has_part(u, CURLUPART_FRAGMENT) && has_part(u, CURLUPART_HOST) &&
		    !curl_url_get(u, CURLUPART_URL, &whole, CURLU_NO_DEFAULT_PORT) &&
		    tfr_is_web(whole) && strlen(whole) < TFR_ENDPOINT;

	if (good) {
		strcpy(url, whole);
		host = strstr(url, "://") + 3;
		for (char *c = host; *c && *c != '/'; c++)
			*c = (char)tolower((unsigned char)*c);
		for (size_t n = strlen(host); n && host[n - 1] == '/'; n--)
			host[n - 1] = '\0';
	}
	curl_free(whole);
	return good;
}

/* Of a bad address only the name of its setting is printed: it may have a password. */
static enum tfr_status parse_endpoint(
	const char *text, const char *what, char url[TFR_ENDPOINT], struct tfr_error *err)
{
	CURLU *u = curl_url();
	bool good;

	TFR_NEED_MEMORY(u, err, "opening a bucket");
	good = normalise(u, text, url);
	curl_url_cleanup(u);
	if (good)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EUSAGE,
		"Write https://HOST or http://HOST:PORT, without a user or a query.",
		"the endpoint of %s is not a web address", what);
}

/* As the user gave it, in order of precedence; `what` names the setting. */
static bool find_endpoint(
	const struct tfr_aws_config *c, const char *service, char *url, size_t size, char what[32])
{
	char services[128], section[160], lower[8];
	const char *given;
	size_t i = 0;

	for (; service[i] && i + 1 < sizeof(lower); i++)
		lower[i] = (char)tolower((unsigned char)service[i]);
	lower[i] = '\0';
	if (tfr_environment_true("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"))
		return false;
	snprintf(what, 32, "AWS_ENDPOINT_URL_%s", service);
	given = tfr_environment(what);
	if (!given)
		given = tfr_environment(strcpy(what, "AWS_ENDPOINT_URL"));
	if (given)
		return snprintf(url, size, "%s", given) < (int)size;
	strcpy(what, "endpoint_url");
	if (tfr_aws_setting(c, "services", NULL, services, sizeof(services))) {
		snprintf(section, sizeof(section), "services %s", services);
		if (tfr_config_find(&c->config, section, lower, "endpoint_url", url, size))
			return true;
	}
	return tfr_aws_setting(c, "endpoint_url", NULL, url, size);
}

enum tfr_status tfr_aws_endpoint(const struct tfr_aws_config *c, const char *service,
	char url[TFR_ENDPOINT], struct tfr_error *err)
{
	char given[TFR_ENDPOINT], what[32];

	*url = '\0';
	return find_endpoint(c, service, given, sizeof(given), what)
		       ? parse_endpoint(given, what, url, err)
		       : TFR_OK;
}

enum tfr_status tfr_aws_region(
	const struct tfr_aws_config *c, char region[TFR_REGION], struct tfr_error *err)
{
	const char *given = tfr_environment("AWS_REGION") ?: tfr_environment("AWS_DEFAULT_REGION");

	strcpy(region, "us-east-1");
	if (given)
		snprintf(region, TFR_REGION, "%s", given);
	else
		tfr_aws_setting(c, "region", NULL, region, TFR_REGION);
	return is_region(region) ? TFR_OK
				 : tfr_fail(err, TFR_EUSAGE, "the region of AWS is not valid");
}

/* --- addresses --- */

/* A bucket with dots has no certificate, and one with capitals no host name. */
static bool wants_path(const char *bucket)
{
	for (; *bucket; bucket++)
		if (*bucket == '.' || *bucket == '_' || isupper((unsigned char)*bucket))
			return true;
	return false;
}

static char *amazon(const struct tfr_address *a, const char *bucket)
{
	char host[200];

	snprintf(host, sizeof(host), "s3%s%s.%s.amazonaws.com%s",
		tfr_environment_true("AWS_USE_FIPS_ENDPOINT") ? "-fips" : "",
		tfr_environment_true("AWS_USE_DUALSTACK_ENDPOINT") ? ".dualstack" : "", a->region,
		!strncmp(a->region, "cn-", 3) ? ".cn" : "");
	return a->path ? tfr_asprintf("https://%s/%s", host, bucket)
		       : tfr_asprintf("https://%s.%s", bucket, host);
}

/* The bucket as the first label of the host. */
static char *virtual_host(const char *endpoint, const char *bucket)
{
	const char *host = strstr(endpoint, "://") + 3;

	return tfr_asprintf("%.*s%s.%s", (int)(host - endpoint), endpoint, bucket, host);
}

static enum tfr_status settle(struct tfr_address *a, char *base, struct tfr_error *err)
{
	TFR_NEED_MEMORY(base, err, "opening a bucket");
	free(a->base);
	a->base = base;
	return TFR_OK;
}

enum tfr_status tfr_address_s3(struct tfr_address *a, const char *bucket, struct tfr_error *err)
{
	char endpoint[TFR_ENDPOINT], style[16] = "";
	struct tfr_aws_config c;
	enum tfr_status status;

	TFR_TRY(tfr_aws_config_read(&c, err));
	status = tfr_aws_region(&c, a->region, err);
	if (!status)
		status = tfr_aws_endpoint(&c, "S3", endpoint, err);
	tfr_aws_setting(&c, "s3", "addressing_style", style, sizeof(style));
	tfr_aws_config_clear(&c);
	if (status)
		return status;
	a->fixed = *endpoint;
	a->path = !strcmp(style, "path") ||
		  (strcmp(style, "virtual") != 0 && (a->fixed || wants_path(bucket)));
	if (!a->fixed)
		return settle(a, amazon(a, bucket), err);
	return settle(a,
		a->path ? tfr_asprintf("%s/%s", endpoint, bucket) : virtual_host(endpoint, bucket),
		err);
}

enum tfr_status tfr_address_gcs(struct tfr_address *a, const char *bucket, struct tfr_error *err)
{
	const char *emulator = tfr_environment("STORAGE_EMULATOR_HOST");
	char text[TFR_ENDPOINT], endpoint[TFR_ENDPOINT] = "https://storage.googleapis.com";
	enum tfr_status status = TFR_OK;

	strcpy(a->region, "auto");
	a->fixed = a->path = true;
	if (emulator) {
		snprintf(text, sizeof(text), "%s%s", strstr(emulator, "://") ? "" : "http://",
			emulator);
		status = parse_endpoint(text, "STORAGE_EMULATOR_HOST", endpoint, err);
	}
	return status ? status : settle(a, tfr_asprintf("%s/%s", endpoint, bucket), err);
}

bool tfr_address_move(struct tfr_address *a, const char *bucket, const char *region)
{
	char old[TFR_REGION];

	if (!is_region(region) || !strcmp(a->region, region))
		return false;
	strcpy(old, a->region);
	strcpy(a->region, region);
	if (a->fixed || settle(a, amazon(a, bucket), NULL) == TFR_OK)
		return true;
	strcpy(a->region, old);
	return false;
}

/* --- certificates --- */

/* The bundles of Debian, of Red Hat, of SUSE and of Alpine, for a libcurl that was built on another
 * system. */
const char *tfr_ca_file(void)
{
	static const char *const bundles[] = { "/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem" };
	const char *given = tfr_environment("AWS_CA_BUNDLE");

	given = given ?: tfr_environment("CURL_CA_BUNDLE");
	given = given ?: tfr_environment("SSL_CERT_FILE");
	for (size_t i = 0; !given && i < sizeof(bundles) / sizeof(*bundles); i++)
		if (access(bundles[i], R_OK) == 0)
			given = bundles[i];
	return given;
}
