#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/remote/credentials.h"
#include "io/remote/sign.h"
#include "remote_support.h"
#include "support/temp.h"

static char *dir;
static struct tfr_keys keys;
static struct tfr_error err;

static void setup(void)
{
	dir = temp_enter();
	clean_environment(dir);
	setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
	setenv("GCE_METADATA_HOST", "127.0.0.1:9", 1);
	mkdir(".aws", 0700);
}

static void teardown(void)
{
	tfr_keys_clear(&keys);
	tfr_keys_forget();
	temp_leave(dir);
}

TestSuite(credentials, .init = setup, .fini = teardown, .timeout = 60);

static void write_text(const char *path, const char *text)
{
	temp_write(path, text, strlen(text));
}

static void set_port(const char *variable, const char *format, int port)
{
	char value[200];

	snprintf(value, sizeof(value), format, port);
	setenv(variable, value, 1);
}

static enum tfr_status get(enum tfr_vendor vendor)
{
	tfr_keys_clear(&keys);
	err = (struct tfr_error){ 0 };
	return tfr_keys_get(vendor, false, &keys, &err);
}

static void expect_keys(const char *id, const char *secret, const char *token)
{
	cr_assert_eq(get(TFR_VENDOR_AWS), TFR_OK, "%s", err.message);
	cr_expect_str_eq(keys.id, id);
	cr_expect_str_eq(keys.secret, secret);
	cr_expect(token ? keys.token && !strcmp(keys.token, token) : !keys.token);
}

static void expect_refused(enum tfr_vendor vendor, const char *message, const char *hint)
{
	enum tfr_status status = get(vendor);

	cr_expect(status == TFR_EUSAGE || status == TFR_ESYS);
	cr_expect_not_null(strstr(err.message, message), "%s", err.message);
	cr_expect(!hint || strstr(tfr_error_hint_text(&err), hint));
	cr_expect_null(strstr(err.message, "hunter2"));
}

Test(credentials, none)
{
	cr_assert_eq(get(TFR_VENDOR_AWS), TFR_END);
	cr_assert_not(tfr_keys_renewable(TFR_VENDOR_AWS));
}

Test(credentials, of_the_environment)
{
	setenv("AWS_ACCESS_KEY_ID", "A", 1);
	expect_refused(TFR_VENDOR_AWS, "AWS_SECRET_ACCESS_KEY is not", NULL);
	setenv("AWS_SECRET_ACCESS_KEY", "hunter2", 1);
	expect_keys("A", "hunter2", NULL);
	cr_assert_not(tfr_keys_renewable(TFR_VENDOR_AWS));
	tfr_keys_forget();
	setenv("AWS_SESSION_TOKEN", "T\r\nX: y", 1);
	expect_refused(TFR_VENDOR_AWS, "control character", NULL);
}

Test(credentials, of_profiles)
{
	write_text(".aws/credentials",
		"[default]\naws_access_key_id = D\naws_secret_access_key = S\n"
		"[two]\naws_access_key_id=E\n");
	write_text(".aws/config", "[profile two]\naws_secret_access_key=T\naws_session_token=U\n");
	expect_keys("D", "S", NULL);
	tfr_keys_forget();
	setenv("AWS_PROFILE", "two", 1);
	expect_keys("E", "T", "U");
	cr_assert(tfr_keys_renewable(TFR_VENDOR_AWS));
}

/* What only the vendor's tool can do is refused, with the command that does it. */
Test(credentials, what_is_not_supported_names_the_command)
{
	static const char *const profiles[][2] = {
		{ "sso_session = x", "single sign-on" },
		{ "sso_start_url = x", "single sign-on" },
		{ "login_session = x", "'aws login'" },
		{ "role_arn = x\nsource_profile = y", "role_arn" },
	};
	char text[200];

	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		snprintf(text, sizeof(text), "[default]\n%s\n", profiles[i][0]);
		write_text(".aws/config", text);
		expect_refused(TFR_VENDOR_AWS, profiles[i][1],
			"aws configure export-credentials --profile default --format env");
		tfr_keys_forget();
	}
	setenv("GOOGLE_APPLICATION_CREDENTIALS", "key.json", 1);
	expect_refused(TFR_VENDOR_GCS, "GOOGLE_APPLICATION_CREDENTIALS", "print-access-token");
}

Test(credentials, of_a_process)
{
	write_text("print",
		"#!/bin/sh\necho \"{\\\"Version\\\": 1, \\\"AccessKeyId\\\": \\\"$1\\\", "
		"\\\"SecretAccessKey\\\": \\\"$2\\\", \\\"SessionToken\\\": \\\"$#\\\", "
		"\\\"Expiration\\\": \\\"2000-01-01T00:00:00Z\\\"}\"\n");
	chmod("print", 0700);
	write_text(".aws/config",
		"[default]\ncredential_process = ./print \"a;b\" $(touch injected) 'c d'\n");
	expect_keys("a;b", "$(touch", "4");
	cr_assert_eq(keys.expires, 946684800);
	cr_assert(access("injected", F_OK) != 0);
}

Test(credentials, a_process_that_fails)
{
	static const char *const rows[][2] = {
		{ "/bin/false", "fails with status 1" },
		{ "/nonexistent/x", "cannot run" },
		{ "/bin/echo hunter2", "does not give a JSON object" },
		{ "/bin/echo '{\"AccessKeyId\": \"hunter2\"}'",
			"no AccessKeyId and SecretAccessKey" },
		{ "/bin/echo 'open", "not a command line" },
		{ "/usr/bin/yes", "more than 64 KiB" },
		{ "/bin/sh -c 'kill -9 $$'", "status 137" },
	};
	char text[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "[default]\ncredential_process = %s\n", rows[i][0]);
		write_text(".aws/config", text);
		expect_refused(TFR_VENDOR_AWS, rows[i][1], NULL);
	}
}

#define ANSWER                                                                                     \
	"{\"AccessKeyId\": \"I\", \"SecretAccessKey\": \"J\", \"Token\": \"K\", "                  \
	"\"Expiration\": \"2099-01-01T00:00:00Z\"}"

Test(credentials, of_the_instance)
{
	static const struct reply replies[] = {
		{ "PUT /latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: ", 200, "",
			"tok\n" },
		{ "GET /latest/meta-data/iam/security-credentials/ ",
			"X-aws-ec2-metadata-token: tok\r", 200, "", "role\n" },
		{ "GET /latest/meta-data/iam/security-credentials/role ", "token: tok\r", 200, "",
			ANSWER },
		{ NULL, NULL, 0, NULL, NULL },
	};

	unsetenv("AWS_EC2_METADATA_DISABLED");
	set_port("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:%d/", serve(replies));
	setenv("http_proxy", "http://127.0.0.1:9", 1);
	expect_keys("I", "J", "K");
	expect_keys("I", "J", "K");
	cr_assert_eq(stop_serving(), 3);
	cr_assert(tfr_keys_renewable(TFR_VENDOR_AWS));
}

Test(credentials, an_instance_without_a_role_is_anonymous)
{
	static const struct reply replies[] = {
		{ "PUT /latest/api/token", NULL, 200, "", "tok" },
		{ NULL, NULL, 0, NULL, NULL },
	};

	unsetenv("AWS_EC2_METADATA_DISABLED");
	set_port("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:%d", serve(replies));
	cr_assert_eq(get(TFR_VENDOR_AWS), TFR_END);
	cr_assert_eq(stop_serving(), 2);
}

Test(credentials, of_a_container)
{
	static const struct reply replies[] = {
		{ "GET /creds?x ", "Authorization: Basic abc\r", 200, "", ANSWER },
		{ NULL, NULL, 0, NULL, NULL },
	};

	set_port("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:%d/creds?x",
		serve(replies));
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "wrong", 1);
	write_text("token", "Basic abc\n");
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "token", 1);
	expect_keys("I", "J", "K");
	cr_assert_eq(stop_serving(), 1);
}

Test(credentials, a_container_token_stays_on_the_host)
{
	static const char *const urls[] = { "http://example.com/x",
		"http://127.0.0.1:80@example.com/", "http://127.0.0.1.example.com/",
		"http://169.254.169.254/", "ftp://127.0.0.1/", "x" };

	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "hunter2", 1);
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", urls[i], 1);
		expect_refused(TFR_VENDOR_AWS, "AWS_CONTAINER_CREDENTIALS_FULL_URI", NULL);
	}
}

Test(credentials, of_a_web_identity)
{
	static const struct reply replies[] = {
		{ "POST / ",
			"RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=a%26b&"
			"WebIdentityToken=ey.x%2B",
			200, "",
			"<AssumeRoleWithWebIdentityResponse "
			"xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">"
			"<AssumeRoleWithWebIdentityResult><Credentials><SessionToken>K</"
			"SessionToken>"
			"<SecretAccessKey>J</SecretAccessKey><Expiration>2099-01-01T00:00:00Z</"
			"Expiration>"
			"<AccessKeyId>I</AccessKeyId></Credentials></"
			"AssumeRoleWithWebIdentityResult>"
			"</AssumeRoleWithWebIdentityResponse>" },
		{ NULL, NULL, 0, NULL, NULL },
	};

	setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/r", 1);
	setenv("AWS_ROLE_SESSION_NAME", "a&b", 1);
	write_text("token", "ey.x+\n");
	setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "token", 1);
	set_port("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:%d", serve(replies));
	expect_keys("I", "J", "K");
	cr_assert_eq(stop_serving(), 1);
}

Test(credentials, a_web_identity_that_is_refused)
{
	static const struct reply replies[] = {
		{ "POST / ", NULL, 400, "",
			"<ErrorResponse><Error><Code>ExpiredTokenException</Code><Message>hunter2"
			"</Message></Error></ErrorResponse>" },
		{ NULL, NULL, 0, NULL, NULL },
	};

	setenv("AWS_ROLE_ARN", "arn:aws:iam::1:role/r", 1);
	write_text("token", "hunter2");
	setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "token", 1);
	set_port("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:%d", serve(replies));
	expect_refused(TFR_VENDOR_AWS, "STS: it answers 400 ExpiredTokenException", "AWS_ROLE_ARN");
	stop_serving();
}

Test(credentials, a_service_that_fails_is_asked_three_times)
{
	static const struct reply replies[] = {
		{ "GET /", NULL, 503, "", "hunter2" },
		{ NULL, NULL, 0, NULL, NULL },
	};

	set_port("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://localhost:%d/", serve(replies));
	expect_refused(TFR_VENDOR_AWS, "it answers 503", NULL);
	cr_assert_eq(stop_serving(), 3);
}

Test(credentials, a_redirect_is_not_followed)
{
	static const struct reply replies[] = {
		{ "GET /a", NULL, 302, "Location: /b\r\n", "" },
		{ "GET /b", NULL, 200, "", ANSWER },
		{ NULL, NULL, 0, NULL, NULL },
	};

	set_port("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://localhost:%d/a", serve(replies));
	expect_refused(TFR_VENDOR_AWS, "it answers 302", NULL);
	cr_assert_eq(stop_serving(), 1);
}

/* --- Google --- */

static void expect_token(const char *token)
{
	cr_assert_eq(get(TFR_VENDOR_GCS), TFR_OK, "%s", err.message);
	cr_expect_null(keys.id);
	cr_expect_str_eq(keys.token, token);
}

Test(credentials, of_google)
{
	setenv("TFR_GS_TOKEN_COMMAND", "/bin/echo from-command", 1);
	expect_token("from-command");
	cr_assert(tfr_keys_renewable(TFR_VENDOR_GCS));
	tfr_keys_forget();
	setenv("GS_ACCESS_KEY_ID", "G", 1);
	setenv("GS_SECRET_ACCESS_KEY", "H", 1);
	cr_assert_eq(get(TFR_VENDOR_GCS), TFR_OK);
	cr_assert_str_eq(keys.id, "G");
	tfr_keys_forget();
	setenv("CLOUDSDK_AUTH_ACCESS_TOKEN", "from-environment", 1);
	expect_token("from-environment");
	cr_assert_not(tfr_keys_renewable(TFR_VENDOR_GCS));
}

Test(credentials, of_googles_metadata_server)
{
	static const struct reply replies[] = {
		{ "GET /computeMetadata/v1/instance/service-accounts/default/token ",
			"Metadata-Flavor: Google\r", 200, "Metadata-Flavor: Google\r\n",
			"{\"access_token\": \"T\", \"expires_in\": 3599, \"token_type\": "
			"\"Bearer\"}" },
		{ NULL, NULL, 0, NULL, NULL },
	};

	set_port("GCE_METADATA_HOST", "127.0.0.1:%d", serve(replies));
	expect_token("T");
	cr_assert_gt(keys.expires, time(NULL) + 3000);
	stop_serving();
}

/* Another server at that address, such as that of a hotel's network. */
Test(credentials, a_metadata_server_shows_that_it_is_one)
{
	static const struct reply replies[] = {
		{ "GET /", NULL, 200, "", "{\"access_token\": \"T\"}" },
		{ NULL, NULL, 0, NULL, NULL },
	};

	set_port("GCE_METADATA_HOST", "127.0.0.1:%d", serve(replies));
	cr_assert_eq(get(TFR_VENDOR_GCS), TFR_END);
	stop_serving();
}

/* --- renewal --- */

Test(credentials, keys_are_renewed_on_demand_and_before_they_expire)
{
	static const struct reply soon[] = {
		{ "GET /", NULL, 200, "",
			"{\"AccessKeyId\": \"I\", \"SecretAccessKey\": \"J\", \"Expiration\": "
			"\"2001-01-01T00:00:00Z\"}" },
		{ NULL, NULL, 0, NULL, NULL },
	};

	set_port("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:%d/", serve(soon));
	expect_keys("I", "J", NULL);
	expect_keys("I", "J", NULL);
	cr_assert_eq(stop_serving(), 2);
	cr_assert_eq(get(TFR_VENDOR_AWS), TFR_ESYS); /* expired, and there is no service */
}

Test(credentials, times)
{
	cr_expect_eq(tfr_parse_time("2026-11-23T12:00:00Z"), 1795435200);
	cr_expect_eq(tfr_parse_time("2026-11-23T12:00:00.123Z"), 1795435200);
	cr_expect_eq(tfr_parse_time("2026-11-23T12:00:00+00:00"), 1795435200);
	cr_expect_eq(tfr_parse_time("tomorrow"), 0);
	cr_expect_eq(tfr_parse_time(NULL), 0);
	/* As the C library has them; requests are signed with the other direction. */
	for (time_t t = 0; t < (time_t)1 << 33; t += 86399 * 7) {
		char text[64], want[64];
		TFR_AUTO_BUF fields = { 0 };
		struct tfr_sign_input in = { .scheme = &tfr_sign_aws,
			.method = "GET",
			.host = "h",
			.path = "/",
			.payload = "UNSIGNED-PAYLOAD",
			.id = "a",
			.secret = "b",
			.region = "c",
			.time = t };

		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
		cr_assert_eq(tfr_parse_time(text), t, "%s", text);
		strftime(want, sizeof(want), "x-amz-date: %Y%m%dT%H%M%SZ", gmtime(&t));
		cr_assert(tfr_sign(&in, &fields) && tfr_buf_append(&fields, "", 1));
		cr_assert_not_null(
			memmem(fields.data, fields.size, want, strlen(want)), "%s", want);
	}
}
