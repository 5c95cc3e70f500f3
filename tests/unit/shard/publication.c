/* Publishing: the order of names, undoing, and what is done with the journal of a killed run. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "io/output.h"
#include "shard/publication.h"
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

TestSuite(publication, .init = setup, .fini = teardown);

static const char *const NAMES[] = { "s0", "s1", "labels", "manifest" };

enum { FILES = 4 };

static int first_proof = FILES - 1;

static struct tfr_lock *open_lock(enum tfr_status expected, struct tfr_error *err)
{
	const struct tfr_lock_opts opts = { .subject = "set" };
	struct tfr_lock *lock = NULL;

	cr_assert_eq(tfr_lock_open(&lock, "set", &opts, err), expected);
	return lock;
}

static void open_files(struct tfr_output *files[FILES], const char *text)
{
	const struct tfr_output_opts opts = { .force = true };

	for (int i = 0; i < FILES; i++) {
		files[i] = NULL;
		cr_assert_eq(tfr_output_open(&files[i], NAMES[i], &opts, NULL), TFR_OK);
		cr_assert_eq(tfr_output_write(files[i], text, strlen(text), NULL), TFR_OK);
		cr_assert_eq(tfr_output_seal(files[i], NULL), TFR_OK);
	}
}

static void add_files(
	struct tfr_publication *p, struct tfr_lock *lock, struct tfr_output *files[FILES])
{
	cr_assert_eq(tfr_publication_lock(p, lock, NULL), TFR_OK);
	for (int i = 0; i < FILES; i++)
		cr_assert_eq(tfr_publication_add(p, files[i],
				     i >= first_proof ? TFR_PUBLISH_PROOF
						      : TFR_PUBLISH_MEMBER,
				     NULL),
			TFR_OK);
}

static void close_files(struct tfr_output *files[FILES])
{
	for (int i = 0; i < FILES; i++)
		tfr_output_close(files[i]);
}

static enum tfr_status publish(const char *text)
{
	struct tfr_lock *lock = open_lock(TFR_OK, NULL);
	struct tfr_output *files[FILES];
	struct tfr_publication p = { 0 };
	enum tfr_status status;

	open_files(files, text);
	add_files(&p, lock, files);
	status = tfr_publication_commit(&p, NULL, NULL);
	tfr_publication_clear(&p);
	close_files(files);
	tfr_lock_close(lock);
	return status;
}

static void assert_all(const char *text)
{
	for (int i = 0; i < FILES; i++) {
		char is[64] = { 0 };

		temp_read(NAMES[i], is, sizeof(is) - 1);
		cr_assert_str_eq(is, text, "%s", NAMES[i]);
	}
	cr_assert_eq(temp_count("."), FILES);
}

Test(publication, a_set_is_published_and_replaced)
{
	cr_assert_eq(publish("one"), TFR_OK);
	assert_all("one");
	cr_assert_eq(publish("two"), TFR_OK);
	assert_all("two");
}

/* A folder where a file is to be cannot be replaced by one. */
Test(publication, a_failure_brings_the_old_set_back)
{
	struct tfr_lock *lock;
	struct tfr_output *files[FILES];
	struct tfr_publication p = { 0 };
	struct stat before, after;

	cr_assert_eq(publish("one"), TFR_OK);
	cr_assert_eq(stat("s0", &before), 0);
	lock = open_lock(TFR_OK, NULL);
	open_files(files, "two");
	add_files(&p, lock, files);
	cr_assert_eq(unlink("labels"), 0);
	cr_assert_eq(mkdir("labels", 0777), 0);
	cr_assert_neq(tfr_publication_commit(&p, NULL, NULL), TFR_OK);
	tfr_publication_clear(&p);
	close_files(files);
	tfr_lock_close(lock);
	cr_assert_eq(stat("s0", &after), 0);
	cr_assert_eq(before.st_ino, after.st_ino);
	cr_assert_eq(rmdir("labels"), 0);
	temp_write("labels", "one", 3);
	assert_all("one");
}

Test(publication, a_name_that_is_taken_meanwhile_is_not_replaced)
{
	struct tfr_lock *lock = open_lock(TFR_OK, NULL);
	struct tfr_publication p = { 0 };
	struct tfr_output *o = NULL;
	struct tfr_error err = { 0 };
	char text[16] = { 0 };

	cr_assert_eq(tfr_output_open(&o, "a", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_output_seal(o, NULL), TFR_OK);
	cr_assert_eq(tfr_publication_lock(&p, lock, NULL), TFR_OK);
	cr_assert_eq(tfr_publication_add(&p, o, TFR_PUBLISH_LAST, NULL), TFR_OK);
	temp_write("a", "theirs", 6);
	cr_assert_eq(tfr_publication_commit(&p, NULL, &err), TFR_EEXIST);
	tfr_publication_clear(&p);
	tfr_output_close(o);
	tfr_lock_close(lock);
	temp_read("a", text, sizeof(text));
	cr_assert_str_eq(text, "theirs");
	cr_assert_eq(temp_count("."), 1);
}

/* --- killed runs --- */

/* Carries out `steps` of a publication in another process, which is then gone without a trace but
 * its files: the journal, second names, the proof removed, each file, in this order. */
static void publish_partly(const char *text, int steps)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct tfr_lock *lock = open_lock(TFR_OK, NULL);
		struct tfr_output *files[FILES];
		struct tfr_publication p = { 0 };
		TFR_AUTO_BUF journal = { 0 };
		int done = 0;

		open_files(files, text);
		add_files(&p, lock, files);
		if (done++ < steps) {
			tfr_journal_format(&p.journal, &journal);
			tfr_lock_begin(lock, journal.data, journal.size, NULL);
		}
		for (uint32_t k = 0; k < p.journal.n; k++)
			if (p.journal.entries[k].old && done++ < steps)
				(void)!link(p.journal.entries[k].path, p.journal.entries[k].old);
		if (p.journal.entries[FILES - 1].old && done++ < steps)
			unlink("manifest");
		for (int i = 0; i < FILES; i++)
			if (done++ < steps)
				tfr_output_place(files[i], true, NULL);
		_exit(done < steps ? 1 : 0); /* 1: there were fewer steps */
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
}

/* The outputs of the next run remove these, not the lock. */
static void remove_temporaries(void)
{
	for (int i = 0; i < FILES; i++) {
		char temp[32];

		snprintf(temp, sizeof(temp), ".%s.tmp", NAMES[i]);
		unlink(temp);
	}
}

Test(publication, a_run_killed_at_any_step_is_undone_or_finished)
{
	enum { STEPS = 1 + FILES + 1 + FILES };

	for (int steps = 0; steps <= STEPS; steps++) {
		struct tfr_lock *lock;

		cr_assert_eq(publish("old"), TFR_OK);
		publish_partly("new", steps);
		lock = open_lock(TFR_OK, NULL);
		remove_temporaries();
		tfr_lock_close(lock);
		assert_all(steps == STEPS ? "new" : "old");
	}
}

Test(publication, a_first_run_killed_at_any_step_leaves_nothing)
{
	enum { STEPS = 1 + FILES };

	for (int steps = 0; steps < STEPS; steps++) {
		struct tfr_lock *lock;

		publish_partly("new", steps);
		lock = open_lock(TFR_OK, NULL);
		tfr_lock_close(lock);
		cr_assert_eq(temp_count("."), 0, "%d steps", steps);
	}
}

Test(publication, what_changed_after_a_kill_is_not_touched)
{
	struct tfr_error err = { 0 };
	char text[16] = { 0 };

	cr_assert_eq(publish("old"), TFR_OK);
	publish_partly("new", 1 + FILES + 1 + 2);
	cr_assert_eq(unlink("s1"), 0);
	temp_write("s1", "mine", 4);
	open_lock(TFR_EEXIST, &err);
	cr_assert(strstr(err.message, "s1"), "%s", err.message);
	temp_read("s1", text, sizeof(text));
	cr_assert_str_eq(text, "mine");
	cr_assert_eq(access(".set.lock", F_OK), 0);
	/* Without the user's file there is one way back. */
	cr_assert_eq(unlink("s1"), 0);
	tfr_lock_close(open_lock(TFR_OK, NULL));
	remove_temporaries();
	assert_all("old");
}

/* A power cut may keep the last name that was given and lose one before it. */
Test(publication, a_proof_that_was_lost_undoes_all)
{
	struct tfr_lock *lock;

	first_proof = FILES - 2;
	publish_partly("new", 1 + FILES);
	cr_assert_eq(unlink(NAMES[FILES - 2]), 0);
	lock = open_lock(TFR_OK, NULL);
	tfr_lock_close(lock);
	cr_assert_eq(temp_count("."), 0);
}

/* A run is resumed that had published everything, and is killed when it has removed the manifest. */
Test(publication, a_file_that_had_its_name_keeps_it)
{
	const uint64_t size = 3;
	const struct tfr_output_opts again = { .force = true, .resume = &size, .sealed = true };

	cr_assert_eq(publish("one"), TFR_OK);
	if (fork() == 0) {
		struct tfr_lock *lock = open_lock(TFR_OK, NULL);
		struct tfr_output *files[FILES];
		struct tfr_publication p = { 0 };
		TFR_AUTO_BUF journal = { 0 };

		open_files(files, "two");
		for (int i = 0; i < FILES - 1; i++) {
			tfr_output_close(files[i]);
			cr_assert_eq(tfr_output_open(&files[i], NAMES[i], &again, NULL), TFR_OK);
			cr_assert_eq(tfr_output_seal(files[i], NULL), TFR_OK);
		}
		add_files(&p, lock, files);
		tfr_journal_format(&p.journal, &journal);
		tfr_lock_begin(lock, journal.data, journal.size, NULL);
		(void)!rename("manifest", p.journal.entries[FILES - 1].old);
		_exit(0);
	}
	wait(NULL);
	tfr_lock_close(open_lock(TFR_OK, NULL));
	remove_temporaries();
	assert_all("one");
}

/* Of two sets, the lock of the first was removed already: this process has it locked itself. */
Test(publication, a_journal_whose_other_lock_is_ours_is_done_with)
{
	const struct tfr_lock_opts opts = { .subject = "other" };
	struct tfr_lock *lock, *other = NULL;

	if (fork() == 0) {
		struct tfr_output *files[FILES];
		struct tfr_publication p = { 0 };
		TFR_AUTO_BUF journal = { 0 };

		lock = open_lock(TFR_OK, NULL);
		open_files(files, "new");
		cr_assert_eq(tfr_publication_lock(&p, lock, NULL), TFR_OK);
		cr_assert_eq(tfr_lock_open(&other, "other", &opts, NULL), TFR_OK);
		add_files(&p, other, files);
		tfr_journal_format(&p.journal, &journal);
		tfr_lock_begin(other, journal.data, journal.size, NULL);
		for (int i = 0; i < FILES; i++)
			tfr_output_place(files[i], false, NULL);
		tfr_lock_publish(lock);
		_exit(0);
	}
	wait(NULL);
	lock = open_lock(TFR_OK, NULL);
	cr_assert_eq(tfr_lock_open(&other, "other", &opts, NULL), TFR_OK);
	tfr_lock_close(lock);
	tfr_lock_close(other);
	assert_all("new");
}

/* --- lock files --- */

Test(publication, a_second_run_is_refused)
{
	struct tfr_lock *lock = open_lock(TFR_OK, NULL);
	struct tfr_error err = { 0 };

	open_lock(TFR_ESYS, &err);
	cr_assert_str_eq(err.message, "another run is writing 'set'");
	cr_assert(tfr_lock_is_locked("set"));
	tfr_lock_close(lock);
	cr_assert_not(tfr_lock_is_locked("set"));
	cr_assert_eq(temp_count("."), 0);
}

Test(publication, only_a_lock_file_of_ours_is_taken)
{
	struct tfr_error err = { 0 };

	temp_write("precious", "data", 4);
	cr_assert_eq(link("precious", ".set.lock"), 0);
	open_lock(TFR_ESYS, &err);
	cr_assert(strstr(err.message, "not a lock file of this user"), "%s", err.message);
	cr_assert_eq(unlink(".set.lock"), 0);
	cr_assert_eq(symlink("precious", ".set.lock"), 0);
	open_lock(TFR_ESYS, &err);
	cr_assert_eq(unlink(".set.lock"), 0);
	cr_assert_eq(mkfifo(".set.lock", 0600), 0);
	open_lock(TFR_ESYS, &err);
	cr_assert_eq(temp_count("."), 2);
}

Test(publication, a_journal_that_was_cut_off_is_none)
{
	struct stat st;

	publish_partly("new", 1);
	cr_assert_eq(stat(".set.lock", &st), 0);
	for (off_t size = st.st_size - 1; size > 0; size -= 7) {
		cr_assert_eq(truncate(".set.lock", size), 0);
		tfr_lock_close(open_lock(TFR_OK, NULL));
		cr_assert_eq(temp_count("."), 0);
		publish_partly("new", 1);
	}
}
