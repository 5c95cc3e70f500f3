/* cmd/common/run_part.c - runs a command as a part of a job.
 *
 * The command's own main() does the work; the library reads only this part's share, and nothing is
 * published.  What the command prints about its share is not wanted: standard output is /dev/null
 * meanwhile.  Then the result is recorded.  The end of a job runs the same main() once more, with
 * the results of all parts in place of the inputs. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cmd.h"
#include "common/finish.h"
#include "common/part.h"
#include "common/text.h"

enum { WAIT_FIRST_MS = 20, WAIT_MOST_MS = 2000, SAY_EVERY_S = 60 };

struct part_run {
	struct cmd *c;
	const struct opt_result *options;
	struct tfr_job_terms terms;
	struct tfr_job_place place;
	char *said; /* terms.options */
	bool again; /* the last step was recorded before */
};

int cmd_divide(struct cmd *c, struct tfr_set *set, bool whole_files)
{
	struct tfr_error err;

	return tfr_set_divide(set, c->job, whole_files, &err) ? cmd_fail(c, &err) : 0;
}

int cmd_refuse_in_part(struct cmd *c, bool given, const char *option)
{
	if (!given || !c->job)
		return 0;
	return cmd_usage(c, "%s cannot go with --part", option);
}

/* The options that decide the output, and the operands. */
static char *describe(const struct cmd *c)
{
	/* They change what a run costs or prints. */
	static const char *const indifferent[] = { "jobs", "tmpdir", "progress", "quiet", "force",
		"memory", NULL };
	/* The memory decides how a shuffle divides its records: all parts need the same. */
	static const char *const but_memory[] = { "jobs", "tmpdir", "progress", "quiet", "force",
		NULL };
	char *options = opt_describe(
		c->command->options, c->settings, c->command->steps > 1 ? but_memory : indifferent);
	struct text text;

	if (!options || !text_open(&text)) {
		free(options);
		return NULL;
	}
	fputs(options, text.f);
	free(options);
	for (size_t i = 0; i < c->count; i++) {
		cmd_put_word(text.f, c->operands[i]);
		fputc('\n', text.f);
	}
	return text_close(&text);
}

/* --- one step --- */

static int redirect(struct cmd *c, int *kept)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(stdout);
	*kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null >= 0 && *kept >= 0 && dup2(null, STDOUT_FILENO) >= 0) {
		close(null);
		return 0;
	}
	if (null >= 0)
		close(null);
	cmd_usage(c, "cannot redirect standard output");
	return c->exit = 3;
}

static void restore(int kept)
{
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
}

int cmd_run_muted(struct cmd *c)
{
	int kept;

	if (redirect(c, &kept))
		return c->exit;
	c->in_part = true;
	c->command->main(c);
	c->in_part = false;
	restore(kept);
	return c->exit;
}

static int do_part(struct cmd *c)
{
	struct tfr_error err;

	cmd_run_muted(c);
	if (!c->exit && tfr_job_commit(c->job, &err))
		cmd_fail(c, &err);
	return c->exit;
}

struct part_list {
	struct text text;
	unsigned n;
};

static void list_missing(void *ctx, uint32_t part)
{
	enum { MOST = 20 };
	struct part_list *list = ctx;

	if (list->n < MOST)
		fprintf(list->text.f, "%s%u", list->n ? ", " : "", part);
	else if (list->n == MOST)
		fputs(", ...", list->text.f);
	list->n++;
}

/* Waits until all parts of a step are recorded, or says which are missing. */
static int await(struct cmd *c, struct tfr_job *job, unsigned step, bool wait)
{
	unsigned ms = WAIT_FIRST_MS;
	double said = cmd_seconds();

	for (;;) {
		struct part_list missing = { .n = 0 };
		struct tfr_error err;
		uint64_t count;
		char *list;

		if (!text_open(&missing.text))
			return cmd_no_memory(c);
		if (tfr_job_missing(job, step, &count, list_missing, &missing, &err)) {
			free(text_close(&missing.text));
			return cmd_fail(c, &err);
		}
		list = text_close(&missing.text);
		if (!count || !wait) {
			if (count)
				cmd_usage(c,
					"--phase gather needs all parts of scatter; missing: %s",
					list);
			free(list);
			return c->exit;
		}
		if (cmd_seconds() - said > SAY_EVERY_S) {
			cmd_closing_line(c, "waiting for %s %s", count > 1 ? "parts" : "part",
				list ? list : "");
			said = cmd_seconds();
		}
		free(list);
		nanosleep(&(struct timespec){ ms / 1000, (long)(ms % 1000) * 1000000 }, NULL);
		ms = ms * 3 / 2 < WAIT_MOST_MS ? ms * 3 / 2 : WAIT_MOST_MS;
	}
}

static int run_step(struct part_run *r, unsigned step)
{
	struct cmd *c = r->c;
	struct tfr_error err;
	enum tfr_status recorded;

	if (tfr_job_open(&c->job, r->options->part.job, &r->terms, &r->place, step,
		    cmd_temporaries(), &err))
		return cmd_fail(c, &err);
	recorded = tfr_job_recorded(c->job, &err);
	r->again = recorded == TFR_OK;
	if (recorded != TFR_OK && recorded != TFR_END)
		cmd_fail(c, &err);
	else if (recorded == TFR_END &&
		 !(step && await(c, c->job, step - 1, r->options->part.wait)))
		do_part(c);
	if (!c->exit)
		cmd_closing_line(c, "part %u of %u is recorded%s in '%s'", tfr_job_part(c->job),
			tfr_job_terms(c->job)->parts, recorded ? "" : " already",
			r->options->part.job);
	return c->exit;
}

/* The part that finds all others recorded finishes the job, and so does one of several that do.  If
 * it was killed, the same part that runs again finishes the job; two that do no harm. */
static int finish_if_last(struct part_run *r)
{
	struct cmd *c = r->c;
	struct tfr_error err;
	enum tfr_status status;
	uint64_t count;

	if (tfr_job_missing(c->job, c->command->steps - 1, &count, NULL, NULL, &err))
		return cmd_fail(c, &err);
	if (count)
		return 0;
	status = tfr_job_mark(c->job, "finishing", &err);
	if (status == TFR_EEXIST && !r->again) {
		if (tfr_job_marked(c->job, "done", &err) == TFR_END)
			cmd_closing_line(c,
				"another part finishes the job; if it was killed, run 'tfr finish "
				"%s'",
				r->options->part.job);
		return 0;
	}
	return status && status != TFR_EEXIST ? cmd_fail(c, &err)
					      : finish_job(c, r->options->part.job, 0, NULL);
}

static int check(struct cmd *c, const struct opt_part_settings *s)
{
	if (!s->part)
		return cmd_usage(c, "%s goes with --part I/N",
			s->job	   ? "--job"
			: s->phase ? "--phase"
				   : "--wait");
	if (!s->job)
		return cmd_usage(c, "--part needs --job DIR, the directory that all parts share");
	if (s->phase && strcmp(s->phase, "scatter") && strcmp(s->phase, "gather"))
		return cmd_usage(c, "--phase takes scatter or gather, not '%s'", s->phase);
	if (s->phase && c->command->steps == 1)
		return cmd_usage(
			c, "--phase is for commands of two phases; '%s' has one", c->command->name);
	if (!s->phase && !s->wait && c->command->steps > 1)
		return cmd_usage(c,
			"'%s' has two phases: give --phase scatter, then --phase gather, or --wait",
			c->command->name);
	return 0;
}

int cmd_run_part(struct cmd *c, const struct opt_result *options)
{
	const struct opt_part_settings *s = &options->part;
	struct part_run r = { .c = c, .options = options };
	unsigned step, end;
	struct tfr_error err;

	if (!s->part && !s->job && !s->phase && !s->wait)
		return c->command->main(c);
	if (check(c, s))
		return c->exit;
	if (part_find(s->part, &r.place, &r.terms.parts, &err))
		return cmd_fail(c, &err);
	r.said = describe(c);
	if (!r.said)
		return cmd_no_memory(c);
	r.terms.command = c->argv[1]; /* or its alias, as it was typed */
	r.terms.steps = c->command->steps;
	r.terms.options = r.said;
	r.terms.words = options->words;
	r.terms.word_count = options->word_count;
	step = s->phase && !strcmp(s->phase, "gather");
	end = s->phase ? step + 1 : c->command->steps;
	for (; !c->exit && step < end; step++) {
		tfr_job_close(c->job);
		c->job = NULL;
		run_step(&r, step);
	}
	if (!c->exit && s->wait && end == c->command->steps)
		finish_if_last(&r);
	tfr_job_close(c->job);
	c->job = NULL;
	free(r.said);
	return c->exit;
}
