#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <tfr/remote.h>

#include "io/source.h"
#include "support/temp.h"

enum { SIZE = 300000, PART = 1000 };

static char *dir;
static uint8_t bytes[SIZE];

static void setup(void)
{
	dir = temp_enter();
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 251);
	temp_write("a", bytes, SIZE);
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(source, .init = setup, .fini = teardown);

static void expect_lost(const struct tfr_error *err, const char *message)
{
	cr_assert_eq(err->status, TFR_ESYS);
	cr_assert_str_eq(err->message, message);
	cr_assert_str_eq(tfr_error_path(err), "a");
}

/* What ends sooner than it did when it was opened is a failure, wherever the reader was. */
Test(source, a_file_that_lost_bytes_fails)
{
	static const off_t ends[] = { 0, 1, 100000, SIZE - 1 };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct tfr_source *s = NULL;
		struct tfr_error err = { 0 };
		uint8_t text[SIZE];
		char message[128];
		size_t got;

		temp_write("a", bytes, SIZE);
		snprintf(message, sizeof(message), "the end is at byte %lld of %d in 'a'",
			(long long)ends[i], SIZE);
		cr_assert_eq(tfr_source_open(&s, "a", NULL), TFR_OK);
		cr_assert_eq(truncate("a", ends[i]), 0);
		cr_assert_eq(tfr_source_read(s, text, SIZE, &got, &err), TFR_ESYS);
		expect_lost(&err, message);
		cr_assert_eq(tfr_source_read_at(s, 0, text, SIZE, &got, &err), TFR_ESYS);
		expect_lost(&err, message);
		/* The bytes before the end can be read. */
		cr_assert_eq(tfr_source_read_at(s, 0, text, (size_t)ends[i], &got, NULL), TFR_OK);
		cr_assert(got == (size_t)ends[i] && !memcmp(text, bytes, got));
		tfr_source_close(s);
	}
}

Test(source, the_end_of_what_was_opened_is_no_failure)
{
	static const char more[] = "more";
	struct tfr_source *s = NULL;
	uint8_t text[SIZE + 10];
	size_t got;
	int fd;

	cr_assert_eq(tfr_source_open(&s, "a", NULL), TFR_OK);
	cr_assert_eq(tfr_source_read_at(s, SIZE - 5, text, 10, &got, NULL), TFR_OK);
	cr_assert_eq(got, 5);
	cr_assert_eq(tfr_source_read_at(s, SIZE + 5, text, 10, &got, NULL), TFR_OK);
	cr_assert_eq(got, 0);
	cr_assert_eq(tfr_source_read(s, text, sizeof(text), &got, NULL), TFR_OK);
	cr_assert(got == SIZE && !memcmp(text, bytes, SIZE));
	cr_assert_eq(tfr_source_read(s, text, sizeof(text), &got, NULL), TFR_OK);
	cr_assert_eq(got, 0);
	/* It may grow. */
	fd = open("a", O_WRONLY | O_APPEND);
	cr_assert_eq(write(fd, more, 4), 4);
	close(fd);
	cr_assert_eq(tfr_source_read(s, text, sizeof(text), &got, NULL), TFR_OK);
	cr_assert(got == 4 && !memcmp(text, more, 4));
	tfr_source_close(s);
}

/* Files of /proc have a size of 0, which promises nothing. */
Test(source, a_size_of_zero_promises_nothing)
{
	TFR_AUTO_BUF text = { 0 };

	cr_assert_eq(tfr_source_read_file("/proc/self/maps", SIZE_MAX, &text, "", NULL), TFR_OK);
	cr_assert_gt(text.size, 0);
	text.size = 0;
	cr_assert_eq(tfr_source_read_file("/dev/null", SIZE_MAX, &text, "", NULL), TFR_OK);
	cr_assert_eq(text.size, 0);
}

static void *write_slowly(void *arg)
{
	int fd = *(int *)arg;

	for (size_t at = 0; at < SIZE; at += PART)
		if (write(fd, bytes + at, PART) != PART)
			break;
	close(fd);
	return NULL;
}

/* A pipe gives less than it is asked for; so does a file with a bad sector. */
Test(source, short_reads_are_not_the_end)
{
	pthread_t writer;
	uint8_t text[SIZE + 1];
	int fds[2];

	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(pthread_create(&writer, NULL, write_slowly, &fds[1]), 0);
	cr_assert_eq(tfr_fd_read(fds[0], text, SIZE + 1, -1), SIZE);
	cr_assert_eq(memcmp(text, bytes, SIZE), 0);
	cr_assert_eq(tfr_fd_read(fds[0], text, 1, -1), 0);
	pthread_join(writer, NULL);
	close(fds[0]);
}

Test(source, descriptors_are_read_where_asked)
{
	uint8_t text[16];
	int fd = open("a", O_RDONLY);

	cr_assert_eq(tfr_fd_read(fd, text, 16, 500), 16);
	cr_assert_eq(memcmp(text, bytes + 500, 16), 0);
	cr_assert_eq(tfr_fd_read(fd, text, 16, SIZE - 3), 3);
	cr_assert_eq(tfr_fd_read(fd, text, 16, SIZE + 3), 0);
	cr_assert_eq(tfr_fd_read(fd, text, 16, -1), 16);
	cr_assert_eq(memcmp(text, bytes, 16), 0);
	close(fd);
	errno = 0;
	cr_assert_eq(tfr_fd_read(fd, text, 16, -1), -1);
	cr_assert_eq(errno, EBADF);
}

/* A caller may keep what it has read and report the failure at its next call, so that one must fail
 * too. */
Test(source, a_failed_read_fails_again_until_a_seek)
{
	int fd = open("a", O_RDONLY), good = dup(fd), bad = open("a", O_WRONLY);
	struct tfr_source *s = NULL;
	uint8_t text[PART];
	size_t got;

	cr_assert_eq(tfr_source_open_fd(&s, fd, "a", NULL), TFR_OK);
	cr_assert_eq(tfr_source_read(s, text, PART, &got, NULL), TFR_OK);
	cr_assert_eq(dup2(bad, fd), fd);
	cr_assert_eq(tfr_source_read(s, text, PART, &got, NULL), TFR_ESYS);
	cr_assert_eq(dup2(good, fd), fd);
	for (int i = 0; i < 2; i++) {
		struct tfr_error err;

		cr_assert_eq(tfr_source_read_some(s, text, PART, &got, &err), TFR_ESYS);
		cr_assert_eq(err.sys_errno, EBADF);
	}
	tfr_source_seek(s, PART);
	cr_assert_eq(tfr_source_read(s, text, PART, &got, NULL), TFR_OK);
	cr_assert(got == PART && !memcmp(text, bytes + PART, PART));
	tfr_source_close(s);
	close(fd);
	close(good);
	close(bad);
}

Test(source, what_is_found_beside_others_is_a_regular_file)
{
	TFR_AUTO_BUF text = { 0 };
	struct tfr_error err;

	cr_assert_eq(tfr_source_read_regular("a", SIZE_MAX, &text, "", NULL), TFR_OK);
	cr_assert(text.size == SIZE && !memcmp(text.data, bytes, SIZE));
	cr_assert_eq(mkfifo("f", 0600), 0);
	cr_assert_eq(tfr_source_read_regular("f", SIZE_MAX, &text, "", &err), TFR_EDATA);
	cr_assert_str_eq(err.message, "not a regular file: 'f'");
	cr_assert_eq(tfr_source_read_regular(".", SIZE_MAX, &text, "", &err), TFR_EDATA);
	cr_assert_eq(tfr_source_read_regular("none", SIZE_MAX, &text, "", &err), TFR_ESYS);
}

Test(source, a_file_beyond_the_limit_is_more_than_the_limit)
{
	TFR_AUTO_BUF text = { 0 };

	cr_assert_eq(tfr_source_read_file("a", 100, &text, "", NULL), TFR_OK);
	cr_assert_gt(text.size, 100);
}

Test(remote, settings_that_cannot_be_made_now_are_an_error)
{
	const struct tfr_remote_opts opts = { .timeout = 5 };
	struct tfr_error err = { 0 };
	struct rlimit few, usual;
	enum tfr_status status;

	getrlimit(RLIMIT_NOFILE, &usual);
	few = usual;
	few.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &few);
	status = tfr_remote_set(&opts, &err);
	setrlimit(RLIMIT_NOFILE, &usual);
	cr_expect_eq(status, TFR_ESYS);
	cr_expect_eq(tfr_remote_set(&opts, &err), TFR_OK);
}
