#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/remote/address.h"
#include "io/remote/object_reader.h"
#include "io/remote/store.h"
#include "remote_support.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
	environment_with_keys(dir);
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(address, .init = setup, .fini = teardown);

static void expect_s3(const char *bucket, const char *base, const char *region)
{
	struct tfr_address a = { 0 };
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_address_s3(&a, bucket, &err), TFR_OK, "%s", err.message);
	cr_assert_str_eq(a.base, base);
	cr_assert_str_eq(a.region, region);
	free(a.base);
}

static void configure(const char *text)
{
	mkdir(".aws", 0700);
	temp_write(".aws/config", text, strlen(text));
}

Test(address, a_bucket_of_aws_is_a_label_unless_it_has_dots)
{
	expect_s3("train", "https://train.s3.us-east-1.amazonaws.com", "us-east-1");
	expect_s3("a.b", "https://s3.us-east-1.amazonaws.com/a.b", "us-east-1");
	expect_s3("Old_Style", "https://s3.us-east-1.amazonaws.com/Old_Style", "us-east-1");
	setenv("AWS_REGION", "cn-north-1", 1);
	expect_s3("train", "https://train.s3.cn-north-1.amazonaws.com.cn", "cn-north-1");
	setenv("AWS_USE_DUALSTACK_ENDPOINT", "true", 1);
	expect_s3("train", "https://train.s3.dualstack.cn-north-1.amazonaws.com.cn", "cn-north-1");
}

Test(address, settings_are_found_in_their_order)
{
	configure("[default]\nregion = eu-west-1\nendpoint_url = http://third:9000/\n"
		  "services = mine\n[services mine]\ns3 =\n  endpoint_url = http://second:9000\n");
	expect_s3("train", "http://second:9000/train", "eu-west-1");
	setenv("AWS_ENDPOINT_URL", "http://General:80/prefix/", 1);
	expect_s3("train", "http://general/prefix/train", "eu-west-1");
	setenv("AWS_ENDPOINT_URL_S3", "https://127.0.0.1:443", 1);
	setenv("AWS_DEFAULT_REGION", "eu-west-2", 1);
	expect_s3("train", "https://127.0.0.1/train", "eu-west-2");
	setenv("AWS_REGION", "eu-west-3", 1);
	setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true", 1);
	expect_s3("train", "https://train.s3.eu-west-3.amazonaws.com", "eu-west-3");
}

Test(address, the_style_of_the_profile_counts)
{
	configure("[profile p]\nendpoint_url = http://minio:9000\ns3 =\n  addressing_style = "
		  "virtual\n"
		  "[profile q]\ns3 =\n  addressing_style = path\n");
	setenv("AWS_PROFILE", "p", 1);
	expect_s3("train", "http://train.minio:9000", "us-east-1");
}

Test(address, a_moved_bucket_keeps_its_style)
{
	struct tfr_address a = { 0 };

	configure("[default]\ns3 =\n  addressing_style = path\n");
	cr_assert_eq(tfr_address_s3(&a, "train", NULL), TFR_OK);
	cr_assert_not(tfr_address_move(&a, "train", "us-east-1"));
	cr_assert_not(tfr_address_move(&a, "train", "evil.example/"));
	cr_assert_not(tfr_address_move(&a, "train", ""));
	cr_assert(tfr_address_move(&a, "train", "eu-west-1"));
	cr_assert_str_eq(a.base, "https://s3.eu-west-1.amazonaws.com/train");
	free(a.base);
}

Test(address, bad_endpoints_and_regions_are_not_printed)
{
	static const char *const bad[] = { "minio:9000", "ftp://host", "https://me:hunter2@host",
		"https://host?x=hunter2", "https://host#hunter2", "https://" };
	struct tfr_address a = { 0 };
	struct tfr_error err = { 0 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		setenv("AWS_ENDPOINT_URL_S3", bad[i], 1);
		cr_assert_eq(tfr_address_s3(&a, "train", &err), TFR_EUSAGE, "%s", bad[i]);
		cr_assert_null(strstr(err.message, "hunter2"));
		cr_assert_not_null(strstr(err.message, "AWS_ENDPOINT_URL_S3"));
	}
	unsetenv("AWS_ENDPOINT_URL_S3");
	setenv("AWS_REGION", "eu.evil.example/", 1);
	cr_assert_eq(tfr_address_s3(&a, "train", &err), TFR_EUSAGE);
	setenv("STORAGE_EMULATOR_HOST", "me:hunter2@host:1", 1);
	cr_assert_eq(tfr_address_gcs(&a, "train", &err), TFR_EUSAGE);
}

Test(address, emulators_with_and_without_a_scheme)
{
	static const char *const rows[][2] = { { "localhost:9023", "http://localhost:9023/b" },
		{ "https://Host:443/", "https://host/b" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tfr_address a = { 0 };

		setenv("STORAGE_EMULATOR_HOST", rows[i][0], 1);
		cr_assert_eq(tfr_address_gcs(&a, "b", NULL), TFR_OK);
		cr_assert_str_eq(a.base, rows[i][1]);
		free(a.base);
	}
}

Test(address, names_of_buckets)
{
	static const char *const good[] = { "abc", "a.b-c", "A_b0", "x" };
	static const char *const bad[] = { "", "..", ".a", "a.", "a..b", "-a", "a/b", "a b", "a@b",
		"a:1", "b--use1-az4--x-s3", "arn:aws:s3:eu-west-1:1:accesspoint" };

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		cr_expect_eq(tfr_bucket_check(good[i], NULL), TFR_OK, "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect_eq(tfr_bucket_check(bad[i], NULL), TFR_EUSAGE, "%s", bad[i]);
}

/* --- what is sent --- */

static bool has_header(const struct tfr_sending *out, const char *start)
{
	for (const struct curl_slist *h = out->headers; h; h = h->next)
		if (!strncmp(h->data, start, strlen(start)))
			return true;
	return false;
}

static void expect_url(const char *url, const char *sent, const char *authorization)
{
	struct tfr_call call = { .method = "GET", .empty = true };
	struct tfr_sending out;
	struct tfr_store *s;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_store_find(&s, url, &call.key, &err), TFR_OK, "%s", err.message);
	cr_assert_eq(tfr_store_sign(s, &call, &out, &err), TFR_OK, "%s", err.message);
	cr_expect_str_eq(out.url, sent);
	cr_expect_eq(has_header(&out, "Authorization"), authorization != NULL);
	cr_expect(!authorization || has_header(&out, authorization), "%s", url);
	tfr_sending_clear(&out);
}

Test(address, keys_are_sent_as_they_are)
{
	expect_url("s3://b/a b?c#d%20//../é",
		"https://b.s3.us-east-1.amazonaws.com/a%20b%3Fc%23d%2520//../%C3%A9",
		"Authorization: AWS4-HMAC-SHA256 Credential=AKID/");
	expect_url("gs://b/..", "https://storage.googleapis.com/b/..",
		"Authorization: GOOG4-HMAC-SHA256 Credential=GOOG/");
	expect_url("s3://b//x", "https://b.s3.us-east-1.amazonaws.com//x", "Authorization: AWS4");
	expect_url("HTTPS://Host:8/a%20b/é?x=1&y#z", "https://host:8/a%20b/%C3%A9?x=1&y", NULL);
	expect_url("http://host", "http://host/", NULL);
	expect_url("http://host?a=b", "http://host/?a=b", NULL);
}

Test(address, users_of_web_servers_are_refused)
{
	static const char *const urls[] = { "https://me:p%40ss@host/x", "http://me@host",
		"HTTP://@host?a", "https://a@b:c@host/x@y" };
	struct tfr_error err = { 0 };
	struct tfr_store *s;
	const char *key;

	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		cr_expect_eq(tfr_store_find(&s, urls[i], &key, &err), TFR_EUSAGE, "%s", urls[i]);
		cr_expect_str_eq(err.message, "a user name or a password in the URL of 'host'");
	}
	cr_expect_eq(tfr_store_find(&s, "https://host/x@y?z@", &key, &err), TFR_OK);
}

Test(address, a_header_is_for_one_server)
{
	static const char *const others[] = { "https://host:8/x", "http://host/x", "https://hos/x",
		"s3://host/x" };

	cr_assert_eq(
		tfr_store_authorize("https://Host/y", "Authorization: Bearer T", NULL), TFR_OK);
	expect_url("https://host/x", "https://host/x", "Authorization: Bearer T");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct tfr_call call = { .method = "GET", .empty = true };
		struct tfr_sending out;
		struct tfr_store *s;

		cr_assert_eq(tfr_store_find(&s, others[i], &call.key, NULL), TFR_OK);
		cr_assert_eq(tfr_store_sign(s, &call, &out, NULL), TFR_OK);
		cr_expect_not(has_header(&out, "Authorization: Bearer"), "%s", others[i]);
		tfr_sending_clear(&out);
	}
}

/* Requests to a bucket in a region that was not known are under way at once. */
Test(address, each_of_several_requests_learns_the_region)
{
	struct tfr_store *s;
	const char *key;

	cr_assert_eq(tfr_store_find(&s, "s3://moved/x", &key, NULL), TFR_OK);
	cr_expect(tfr_store_region(s, "us-east-1", "eu-central-1"));
	cr_expect(tfr_store_region(s, "us-east-1", "eu-central-1"));
	cr_expect_not(tfr_store_region(s, "eu-central-1", "eu-central-1"));
	cr_expect_not(tfr_store_region(s, "eu-central-1", "no region"));
	expect_url("s3://moved/x", "https://moved.s3.eu-central-1.amazonaws.com/x",
		"Authorization: AWS4");
}

Test(address, nothing_is_signed_when_anonymous)
{
	tfr_stores_set(&(struct tfr_remote_opts){ .anonymous = true });
	expect_url("s3://b/x", "https://b.s3.us-east-1.amazonaws.com/x", NULL);
	expect_url("gs://b/x", "https://storage.googleapis.com/b/x", NULL);
}

/* Takes every lock that threads share. */
static void use_names(void)
{
	struct tfr_call call = { .method = "GET", .empty = true };
	struct stat st = { .st_size = 1 };
	struct tfr_sending out;
	struct tfr_store *s;
	char *shown;

	tfr_hide_query("https://host/d/x?y", &shown, NULL);
	free(shown);
	tfr_object_remember("s3://b/x", &st);
	tfr_object_look("s3://b/x", &st, NULL);
	if (!tfr_store_find(&s, "s3://b/x", &call.key, NULL) &&
		!tfr_store_sign(s, &call, &out, NULL))
		tfr_sending_clear(&out);
}

static atomic_bool over;

static void *use_names_meanwhile(void *unused)
{
	while (!over)
		use_names();
	return unused;
}

Test(address, a_fork_finds_every_lock_free)
{
	pthread_t thread;
	int status = 0;

#ifdef __SANITIZE_ADDRESS__
	cr_skip_test("the allocator of the sanitizer hangs in the child if a thread allocates during fork()");
#endif
	environment_with_keys("/nonexistent");
	pthread_create(&thread, NULL, use_names_meanwhile, NULL);
	for (int i = 0; i < 300 && !status; i++) {
		pid_t pid = fork();

		if (!pid) {
			alarm(60); /* it would hang */
			use_names();
			_exit(0);
		}
		waitpid(pid, &status, 0);
	}
	over = true;
	pthread_join(thread, NULL);
	cr_assert_eq(status, 0);
}
