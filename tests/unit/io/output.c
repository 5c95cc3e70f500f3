#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "io/output.h"
#include "io/source.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(output, .init = setup, .fini = teardown);

Test(output, appears_only_when_published)
{
	struct tfr_output *o = NULL;
	char text[16] = { 0 };

	cr_assert_eq(tfr_output_open(&o, "a", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_output_write(o, "hello", 5, NULL), TFR_OK);
	cr_assert_neq(access("a", F_OK), 0);
	cr_assert_eq(access(".a.tmp", F_OK), 0);
	cr_assert_eq(tfr_output_seal(o, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(o, NULL), TFR_OK);
	tfr_output_close(o);
	cr_assert_eq(temp_read("a", text, sizeof(text)), 5);
	cr_assert_eq(temp_count("."), 1);
}

Test(output, close_without_publish_leaves_nothing)
{
	struct tfr_output *o = NULL;

	cr_assert_eq(tfr_output_open(&o, "a", NULL, NULL), TFR_OK);
	tfr_output_close(o);
	cr_assert_eq(temp_count("."), 0);
}

Test(output, an_existing_file_is_safe_without_force)
{
	struct tfr_output_opts force = { .force = true };
	struct tfr_output *o = NULL;
	struct tfr_error err = { 0 };
	char text[16] = { 0 };

	temp_write("a", "old", 3);
	cr_assert_eq(tfr_output_open(&o, "a", NULL, &err), TFR_EEXIST);
	cr_assert_str_eq(err.message, "will not overwrite 'a'");
	cr_assert_eq(tfr_output_open(&o, "a", &force, NULL), TFR_OK);
	cr_assert_eq(tfr_output_write(o, "new!", 4, NULL), TFR_OK);
	temp_read("a", text, sizeof(text));
	cr_assert_str_eq(text, "old");
	cr_assert_eq(tfr_output_seal(o, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(o, NULL), TFR_OK);
	tfr_output_close(o);
	temp_read("a", text, sizeof(text));
	cr_assert_str_eq(text, "new!");
}

Test(output, a_file_that_appears_meanwhile_is_safe_too)
{
	struct tfr_output *o = NULL;

	cr_assert_eq(tfr_output_open(&o, "a", NULL, NULL), TFR_OK);
	temp_write("a", "old", 3);
	cr_assert_eq(tfr_output_seal(o, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(o, NULL), TFR_EEXIST);
	tfr_output_close(o);
	cr_assert_eq(temp_count("."), 1);
}

Test(output, a_second_run_on_the_same_target_is_refused)
{
	struct tfr_output *first = NULL, *second = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_output_open(&first, "a", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_output_open(&second, "a", NULL, &err), TFR_ESYS);
	cr_assert_str_eq(err.message, "another run is writing 'a'");
	cr_assert_eq(access(".a.tmp", F_OK), 0, "the first run's file must survive the refusal");
	tfr_output_close(first);
	cr_assert_eq(tfr_output_open(&second, "a", NULL, NULL), TFR_OK);
	tfr_output_close(second);
}

Test(output, what_a_killed_run_left_is_taken_over)
{
	struct tfr_output *o = NULL;
	char text[64] = { 0 };

	temp_write(".a.tmp", "much longer than what comes now", 31);
	cr_assert_eq(tfr_output_open(&o, "a", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_output_write(o, "x", 1, NULL), TFR_OK);
	cr_assert_eq(tfr_output_seal(o, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(o, NULL), TFR_OK);
	tfr_output_close(o);
	cr_assert_eq(temp_read("a", text, sizeof(text)), 1);
}

Test(output, a_full_disk_is_an_error_and_leaves_nothing)
{
	struct rlimit limit = { 4096, 4096 };
	static char data[65536];
	struct tfr_output *o = NULL;
	struct tfr_error err = { 0 };

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(tfr_output_open(&o, "a", NULL, NULL), TFR_OK);
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_assert_eq(tfr_output_write(o, data, sizeof(data), &err), TFR_ESYS);
	cr_assert_eq(err.sys_errno, EFBIG);
	tfr_output_close(o);
	cr_assert_eq(temp_count("."), 0);
}

Test(output, temporaries_can_be_removed_by_a_handler)
{
	struct tfr_temporaries *t = tfr_temporaries_new();
	struct tfr_output_opts opts = { .temporaries = t };
	struct tfr_output *a = NULL, *b = NULL;

	cr_assert_eq(tfr_output_open(&a, "a", &opts, NULL), TFR_OK);
	cr_assert_eq(tfr_output_open(&b, "b", &opts, NULL), TFR_OK);
	cr_assert_eq(tfr_output_seal(b, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(b, NULL), TFR_OK);
	tfr_temporaries_unlink(t);
	cr_assert_eq(temp_count("."), 1);
	cr_assert_eq(access("b", F_OK), 0);
	tfr_output_close(a);
	tfr_output_close(b);
	tfr_temporaries_free(t);
}

Test(output, a_device_is_written_directly)
{
	struct tfr_output *o = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_output_open(&o, "/dev/full", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_output_write(o, "x", 1, &err), TFR_ESYS);
	cr_assert_eq(err.sys_errno, ENOSPC);
	tfr_output_close(o);
}

Test(source, refuses_a_directory_and_names_a_missing_file)
{
	struct tfr_source *s = NULL;
	struct tfr_error err = { 0 };
	char text[256];

	cr_assert_eq(tfr_source_open(&s, "/tmp", &err), TFR_ESYS);
	cr_assert_str_eq(
		tfr_error_format(&err, text, sizeof(text)), "cannot read '/tmp': Is a directory");
	cr_assert_eq(tfr_source_open(&s, "/nonexistent/x", &err), TFR_ESYS);
	cr_assert_str_eq(tfr_error_format(&err, text, sizeof(text)),
		"cannot open '/nonexistent/x': No such file or directory");
}
