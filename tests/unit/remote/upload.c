#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/remote/http/engine.h"
#include "io/remote/upload.h"
#include "remote_support.h"
#include "support/temp.h"

/* Of "hello", as md5sum and the CRC-32C of RFC 3720 have it. */
#define MD5 "\"5d41402abc4b2a76b9719d911017c592\""
#define SUM "x-amz-checksum-crc32c: mnG7TA==\r\n"
#define TAG(tag) "ETag: " tag "\r\n"
#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, 0, NULL, NULL, 0                                                       \
	}

static char *dir;
static struct tfr_error err;

static void setup(void)
{
	dir = temp_enter();
	environment_with_keys(dir);
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(upload, .init = setup, .fini = teardown, .timeout = 60);

static void begin(const struct reply *replies)
{
	char url[100];
	int port = serve(replies);

	snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
	setenv("AWS_ENDPOINT_URL_S3", url, 1);
	setenv("STORAGE_EMULATOR_HOST", url, 1);
	tfr_engine_set(&(struct tfr_remote_opts){ .timeout = 5, .part_size = 5 << 20 });
}

/* Writes `size` bytes, which begin with "hello". */
static enum tfr_status put(const char *url, bool force, size_t size)
{
	const struct tfr_upload_opts opts = { .force = force };
	char *data = calloc(1, size);
	struct tfr_upload *u = NULL;
	enum tfr_status status = tfr_upload_open(&u, url, &opts, &err);

	memcpy(data, "hello", 5);
	if (!status)
		status = tfr_upload_write(u, data, size, &err);
	if (!status)
		status = tfr_upload_seal(u, &err);
	if (!status)
		status = tfr_upload_complete(u, &err);
	tfr_upload_end(u);
	cr_assert_not(tfr_uploads_left());
	free(data);
	return status;
}

Test(upload, one_put_that_the_server_verifies)
{
	static const struct reply replies[] = {
		{ "PUT /b/k HTTP", "\r\nIf-None-Match: *\r\n", 200, SUM TAG(MD5), "", 0 }, END
	};

	begin(replies);
	cr_assert_eq(put("s3://b/k", false, 5), TFR_OK, "%s", err.message);
	cr_assert_eq(stop_serving(), 2);
}

Test(upload, other_bytes_are_an_error)
{
	static const struct reply replies[] = {
		{ "PUT /b/k HTTP", SUM, 200, "x-amz-checksum-crc32c: AAAAAA==\r\n" TAG(MD5), "",
			0 },
		END
	};

	begin(replies);
	cr_assert_eq(put("s3://b/k", true, 5), TFR_ESYS);
	cr_assert_not_null(strstr(err.message, "other bytes than were sent"));
	stop_serving();
}

Test(upload, an_object_that_exists)
{
	static const struct reply replies[] = { { "PUT /b/k HTTP", NULL, 412, "", "", 0 }, END };

	begin(replies);
	cr_assert_eq(put("s3://b/k", false, 5), TFR_EEXIST);
	cr_assert_eq(stop_serving(), 3);
}

/* A server that knows no conditions is asked whether the object exists. */
Test(upload, a_server_without_conditions)
{
	static const struct reply replies[] = {
		{ "PUT /b/k HTTP", "\r\nIf-None-Match: *\r\n", 501, "", "", 0 },
		{ "PUT /b/k HTTP", NULL, 200, SUM TAG(MD5), "", 0 },
		{ "HEAD /b/old HTTP", NULL, 200, "", "", 0 },
		END,
	};

	begin(replies);
	cr_assert_eq(put("s3://b/k", false, 5), TFR_OK, "%s", err.message);
	cr_assert_eq(put("s3://b/old", false, 5), TFR_EEXIST);
	cr_assert_eq(stop_serving(), 5);
}

/* The answer was lost, and the repetition finds an object: without the mark of the upload it is not
 * ours, although it has our MD5. */
Test(upload, a_lost_answer)
{
	static const struct reply replies[] = {
		{ "HEAD /b/theirs", NULL, 404, "", "", 1 },
		{ "PUT /b/theirs", "\r\nx-amz-meta-tfr-upload: ", 0, "", "", 1 },
		{ "PUT /b/theirs", NULL, 412, "", "", 1 },
		{ "HEAD /b/theirs", NULL, 200,
			TAG(MD5) "x-amz-meta-tfr-upload: 0123456789abcdef\r\n", "hello", 0 },
		END,
	};

	begin(replies);
	cr_assert_eq(put("s3://b/theirs", false, 5), TFR_EEXIST);
	cr_assert_eq(stop_serving(), 4);
}

/* Nothing shows that the CRC-32C was compared, so the bytes are sent again with their MD5. */
Test(upload, a_server_that_does_not_verify)
{
	static const struct reply replies[] = {
		{ "PUT /b/k HTTP", "\r\nContent-MD5: XUFAKrxLKna5cZ2REBfFkg==\r\n", 200,
			TAG("\"x\""), "", 0 },
		{ "PUT /b/k HTTP", NULL, 200, TAG("\"x\""), "", 0 },
		END,
	};

	begin(replies);
	cr_assert_eq(put("s3://b/k", false, 5), TFR_OK, "%s", err.message);
	cr_assert_eq(stop_serving(), 3);
	cr_assert_eq(served(0), 1);
}

Test(upload, conditions_of_google)
{
	static const struct reply replies[] = {
		{ "PUT /b/k HTTP", "\r\nx-goog-if-generation-match: 0\r\n", 200,
			"x-goog-hash: crc32c=mnG7TA==\r\n" TAG(MD5), "", 0 },
		END
	};

	begin(replies);
	cr_assert_eq(put("gs://b/k", false, 5), TFR_OK, "%s", err.message);
	cr_assert_eq(stop_serving(), 2);
}

/* --- parts --- */

#define START                                                                                      \
	{                                                                                          \
		"POST /b/k?uploads", NULL, 200, "",                                                \
			"<InitiateMultipartUploadResult><UploadId>u</UploadId></"                  \
			"InitiateMultipartUploadResult>",                                          \
			0                                                                          \
	}
#define PART                                                                                       \
	{                                                                                          \
		"PUT /b/k?partNumber=", "&uploadId=u HTTP", 200, TAG("\"p\""), "", 0               \
	}
#define ABORT                                                                                      \
	{                                                                                          \
		"DELETE /b/k?uploadId=u HTTP", NULL, 204, "", "", 0                                \
	}
#define DONE "<CompleteMultipartUploadResult><ETag>\"e-2\"</ETag></CompleteMultipartUploadResult>"
#define FAULT(code) "<Error><Code>" code "</Code><Message>m</Message></Error>"

enum { LARGE = 6 << 20 };

/* Completion answers 200 before it knows: an error that passes is repeated. */
Test(upload, a_completion_that_fails_and_then_succeeds)
{
	static const struct reply replies[] = { START, PART,
		{ "POST /b/k?uploadId=u", "<PartNumber>2</PartNumber>", 200, "",
			FAULT("InternalError"), 1 },
		{ "POST /b/k?uploadId=u", "\r\nIf-None-Match: *\r\n", 200, "", DONE, 0 }, ABORT,
		END };

	begin(replies);
	cr_assert_eq(put("s3://b/k", false, LARGE), TFR_OK, "%s", err.message);
	stop_serving();
	cr_assert_eq(served(2), 1);
	cr_assert_eq(served(3), 1);
	cr_assert_eq(served(4), 0);
}

/* What fails for good is aborted. */
Test(upload, a_completion_that_fails)
{
	static const struct reply replies[] = { START, PART,
		{ "POST /b/k?uploadId=u", NULL, 200, "", FAULT("InvalidPart"), 0 }, ABORT, END };

	begin(replies);
	cr_assert_eq(put("s3://b/k", false, LARGE), TFR_ESYS);
	cr_assert_not_null(strstr(err.message, "InvalidPart"), "%s", err.message);
	stop_serving();
	cr_assert_eq(served(2), 1);
	cr_assert_eq(served(3), 1);
}

Test(upload, parts_without_conditions_are_looked_for)
{
	static const struct reply replies[] = { START, PART,
		{ "POST /b/k?uploadId=u", "If-None-Match", 501, "", "", 0 },
		{ "POST /b/k?uploadId=u", NULL, 200, "", DONE, 0 }, ABORT, END };

	begin(replies);
	cr_assert_eq(put("s3://b/k", false, LARGE), TFR_OK, "%s", err.message);
	stop_serving();
	cr_assert_eq(served(2), 1);
	cr_assert_eq(served(3), 1);
}

Test(upload, a_part_that_is_refused_aborts_the_upload)
{
	static const struct reply replies[] = { START,
		{ "PUT /b/k?partNumber=", NULL, 403, "", FAULT("AccessDenied"), 0 }, ABORT, END };

	begin(replies);
	cr_assert_eq(put("s3://b/k", false, LARGE), TFR_ESYS);
	cr_assert_not_null(strstr(err.message, "403 AccessDenied"), "%s", err.message);
	stop_serving();
	cr_assert_eq(served(2), 1);
}
