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

Test(output, the_first_of_two_runs_without_force_wins)
{
	struct tfr_output *first = NULL, *second = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_output_open(&first, "a", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_output_open(&second, "a", NULL, &err), TFR_OK);
	cr_assert_eq(tfr_output_seal(first, NULL), TFR_OK);
	cr_assert_eq(tfr_output_seal(second, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(first, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(second, &err), TFR_EEXIST);
	cr_assert_str_eq(err.message, "will not overwrite 'a'");
	tfr_output_close(first);
	tfr_output_close(second);
	cr_assert_eq(temp_count("."), 1);
}

/* Opens a brief output, which has a temporary name, and writes a byte. */
static struct tfr_output *open_brief(bool force)
{
	const struct tfr_output_opts opts = { .force = force, .brief = true };
	struct tfr_output *o = NULL;

	cr_assert_eq(tfr_output_open(&o, "a", &opts, NULL), TFR_OK);
	cr_assert_eq(tfr_output_write(o, "x", 1, NULL), TFR_OK);
	return o;
}

static void publish_brief(struct tfr_output *o)
{
	char text[64] = { 0 };

	cr_assert_eq(tfr_output_seal(o, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(o, NULL), TFR_OK);
	tfr_output_close(o);
	cr_assert_eq(temp_read("a", text, sizeof(text)), 1);
}

Test(output, what_a_killed_run_left_is_removed)
{
	struct tfr_output *o;

	temp_write(".a.tmp", "much longer than what comes now", 31);
	o = open_brief(false);
	cr_assert_str_eq(tfr_output_temporary(o), ".a.tmp");
	publish_brief(o);
	cr_assert_eq(temp_count("."), 1);
}

Test(output, a_file_that_is_not_ours_alone_is_not_touched)
{
	struct tfr_output *o;
	char text[16] = { 0 };

	temp_write("precious", "data", 4);
	cr_assert_eq(link("precious", ".a.tmp"), 0);
	o = open_brief(true);
	cr_assert_str_neq(tfr_output_temporary(o), ".a.tmp");
	publish_brief(o);
	temp_read("precious", text, sizeof(text));
	cr_assert_str_eq(text, "data");
	cr_assert_eq(unlink(".a.tmp"), 0);
	cr_assert_eq(symlink("precious", ".a.tmp"), 0);
	publish_brief(open_brief(true));
	memset(text, 0, sizeof(text));
	temp_read("precious", text, sizeof(text));
	cr_assert_str_eq(text, "data");
	cr_assert_eq(unlink(".a.tmp"), 0);
	cr_assert_eq(mkdir(".a.tmp", 0777), 0);
	publish_brief(open_brief(true));
	cr_assert_eq(temp_count("."), 3);
}

Test(output, only_a_file_of_ours_is_resumed)
{
	const uint64_t size = 2, more = 9;
	struct tfr_output_opts opts = { .resume = &size };
	struct tfr_output *o = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_output_open(&o, "a", &opts, &err), TFR_EDATA);
	temp_write("precious", "data", 4);
	cr_assert_eq(link("precious", ".a.tmp"), 0);
	cr_assert_eq(tfr_output_open(&o, "a", &opts, &err), TFR_EDATA);
	cr_assert_eq(unlink("precious"), 0);
	opts.resume = &more;
	cr_assert_eq(tfr_output_open(&o, "a", &opts, &err), TFR_EDATA);
	opts.resume = &size;
	cr_assert_eq(tfr_output_open(&o, "a", &opts, &err), TFR_OK);
	cr_assert_eq(tfr_output_write(o, "x", 1, NULL), TFR_OK);
	cr_assert_eq(tfr_output_seal(o, NULL), TFR_OK);
	cr_assert_eq(tfr_output_publish(o, NULL), TFR_OK);
	tfr_output_close(o);
	{
		char text[16] = { 0 };

		temp_read("a", text, sizeof(text));
		cr_assert_str_eq(text, "dax");
	}
}

Test(output, a_checkpoint_has_a_name)
{
	struct tfr_output *o = NULL;
	uint64_t token = 1;

	cr_assert_eq(tfr_output_open(&o, "a", NULL, NULL), TFR_OK);
	cr_assert_eq(temp_count("."), 0);
	cr_assert_eq(tfr_output_write(o, "x", 1, NULL), TFR_OK);
	cr_assert_eq(tfr_output_checkpoint(o, &token, NULL), TFR_OK);
	cr_assert_eq(token, 0);
	cr_assert_eq(access(".a.tmp", F_OK), 0);
	tfr_output_keep(o);
	tfr_output_close(o);
	cr_assert_eq(access(".a.tmp", F_OK), 0);
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
	struct tfr_output_opts opts = { .temporaries = t, .brief = true };
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
