/* cmd/common/finish.c - runs the command of a job once more, with the results of its parts. */
#include "common/finish.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "common/part.h"
#include "common/text.h"

struct finish_run {
	struct cmd *outer; /* that was called */
	struct cmd c;	   /* that the job is made of */
	struct tfr_job *job;
	const char *folder;
	bool part; /* writes the shards of one part */
	struct opt_result options;
	char **words;
};

/* The command line of the parts, without the options of parts. */
static char *join(const struct tfr_job_terms *terms)
{
	struct text line;

	if (!text_open(&line))
		return NULL;
	fprintf(line.f, "tfr %s", terms->command);
	for (size_t i = 0; i < terms->word_count; i++) {
		fputc(' ', line.f);
		cmd_put_word(line.f, terms->words[i]);
	}
	return text_close(&line);
}

struct missing_list {
	struct finish_run *r;
	unsigned step;
	unsigned n;
};

/* Prints the command that runs a part again. */
static void print_missing(void *ctx, uint32_t part)
{
	enum { MOST = 20 };
	struct missing_list *m = ctx;
	const struct tfr_job_terms *terms = tfr_job_terms(m->r->job);
	char *line = m->n < MOST ? join(terms) : NULL;

	if (line && m->step == terms->steps) {
		fprintf(stderr, "  tfr finish ");
		cmd_put_word(stderr, m->r->folder);
		fprintf(stderr, " --part %u/%u\n", part, terms->parts);
	} else if (line) {
		fprintf(stderr, "  %s --part %u/%u --job ", line, part, terms->parts);
		cmd_put_word(stderr, m->r->folder);
		if (terms->steps > 1)
			fprintf(stderr, " --phase %s", m->step ? "gather" : "scatter");
		fputc('\n', stderr);
	} else if (m->n == MOST) {
		fprintf(stderr, "  ...\n");
	}
	m->n++;
	free(line);
}

/* Parts that finished their shards: all of them, or none. */
static int check_assembled(struct finish_run *r)
{
	const struct tfr_job_terms *terms = tfr_job_terms(r->job);
	struct missing_list m = { .r = r, .step = terms->steps };
	struct tfr_error err = { .status = TFR_EDATA };
	uint64_t count;

	if (tfr_job_missing(r->job, terms->steps, &count, NULL, NULL, &err))
		return cmd_fail(r->outer, &err);
	if (!count || count == terms->parts)
		return 0;
	snprintf(err.message, sizeof(err.message),
		"%llu of %u parts have not written their shards; nothing is published; run",
		(unsigned long long)count, terms->parts);
	cmd_error(r->outer, &err);
	tfr_job_missing(r->job, terms->steps, &count, print_missing, &m, &err);
	return r->outer->exit;
}

static int check_complete(struct finish_run *r)
{
	const struct tfr_job_terms *terms = tfr_job_terms(r->job);
	struct tfr_error err;
	uint64_t count;

	for (unsigned step = 0; step < terms->steps; step++) {
		struct missing_list m = { .r = r, .step = step };

		if (tfr_job_missing(r->job, step, &count, NULL, NULL, &err))
			return cmd_fail(r->outer, &err);
		if (!count)
			continue;
		err = (struct tfr_error){ .status = TFR_EDATA };
		snprintf(err.message, sizeof(err.message),
			"%llu of %u parts%s are not recorded; nothing is published; run",
			(unsigned long long)count, terms->parts,
			terms->steps == 1 ? ""
			: step		  ? " of gather"
					  : " of scatter");
		cmd_error(r->outer, &err);
		if (tfr_job_missing(r->job, step, &count, print_missing, &m, &err))
			cmd_fail(r->outer, &err);
		return r->outer->exit;
	}
	return 0;
}

static int parse(struct finish_run *r)
{
	const struct tfr_job_terms *terms = tfr_job_terms(r->job);
	struct tfr_error err;

	r->c.command = help_find_command(terms->command);
	if (!r->c.command || r->c.command->steps != terms->steps)
		return cmd_usage(r->outer, "'%s' is a job of the unknown command '%s'", r->folder,
			terms->command);
	r->c.settings = calloc(1, r->c.command->settings_size + 1);
	r->words = calloc(terms->word_count + 1, sizeof(*r->words));
	r->c.line = join(terms);
	if (!r->c.settings || !r->words || !r->c.line)
		return cmd_no_memory(r->outer);
	for (size_t i = 0; i < terms->word_count; i++)
		r->words[i] = (char *)(uintptr_t)terms->words[i];
	if (r->c.command->defaults)
		memcpy(r->c.settings, r->c.command->defaults, r->c.command->settings_size);
	if (opt_parse(r->c.command, (int)terms->word_count, r->words, r->c.settings, &r->options,
		    &err))
		return cmd_fail(r->outer, &err);
	r->c.operands = r->options.operands;
	r->c.count = r->options.count;
	r->c.argc = (int)terms->word_count;
	r->c.argv = r->words;
	return 0;
}

/* The number of threads is that of this process, and not that of the parts. */
static void set_jobs(struct finish_run *r, uint64_t jobs)
{
	for (const struct opt *o = r->c.command->options; o->type; o++)
		if (o->type == OPT_JOB && o->name && !strcmp(o->name, "jobs"))
			*(uint64_t *)(void *)((char *)r->c.settings + o->offset) = jobs;
}

/* What a process of this job published before it was killed is replaced. */
static void set_force(struct finish_run *r)
{
	for (const struct opt *o = r->c.command->options; o->type; o++)
		if (o->type == OPT_FLAG && o->name && !strcmp(o->name, "force"))
			*(bool *)(void *)((char *)r->c.settings + o->offset) = true;
}

/* Writes the shards of one part. */
static int finish_part(struct finish_run *r)
{
	uint32_t part = tfr_job_part(r->job), parts = tfr_job_terms(r->job)->parts;
	struct tfr_error err;
	enum tfr_status recorded = tfr_job_recorded(r->job, &err);

	if (!r->c.command->publishes)
		return cmd_usage(
			r->outer, "'%s' writes no sets: finish without --part", r->c.command->name);
	if (recorded != TFR_OK && recorded != TFR_END)
		return cmd_fail(r->outer, &err);
	if (recorded == TFR_END) {
		cmd_run_muted(&r->c);
		if (r->c.exit && !r->c.published)
			return r->outer->exit = r->c.exit;
		if (tfr_job_commit(r->job, &err))
			return cmd_fail(r->outer, &err);
	}
	cmd_closing_line(r->outer, "the shards of part %u of %u are recorded%s in '%s'", part,
		parts, recorded ? "" : " already", r->folder);
	return 0;
}

static int run(struct finish_run *r, uint64_t jobs)
{
	struct tfr_error err;
	enum tfr_status done = tfr_job_marked(r->job, "done", &err);

	if (done == TFR_OK) {
		cmd_closing_line(r->outer, "the job '%s' is finished already", r->folder);
		return 0;
	}
	if (done != TFR_END)
		return cmd_fail(r->outer, &err);
	if (check_complete(r) || parse(r))
		return r->outer->exit;
	set_jobs(r, jobs);
	r->c.quiet = r->outer->quiet;
	r->c.job = r->job;
	if (r->part)
		return finish_part(r);
	if (check_assembled(r))
		return r->outer->exit;
	if (tfr_job_publishes_again(r->job))
		set_force(r);
	r->c.command->main(&r->c);
	r->outer->exit = r->c.exit > r->outer->exit ? r->c.exit : r->outer->exit;
	/* A report can be printed again; a set is published once. */
	if ((r->c.exit && !r->c.published) || !r->c.command->publishes)
		return r->outer->exit;
	if (tfr_job_mark(r->job, "done", &err) == TFR_OK || err.status == TFR_EEXIST)
		return r->outer->exit;
	return cmd_fail(r->outer, &err);
}

static int open_job(struct finish_run *r, const char *folder, const char *part)
{
	struct tfr_job_place place;
	struct tfr_error err;
	uint32_t parts;

	if ((part && part_find(part, &place, &parts, &err)) ||
		tfr_job_open_finish(&r->job, folder, part ? &place : NULL, cmd_temporaries(), &err))
		return cmd_fail(r->outer, &err);
	if (part && !place.guess && parts != tfr_job_terms(r->job)->parts)
		return cmd_usage(r->outer, "the job '%s' has %u parts, not %u", r->folder,
			tfr_job_terms(r->job)->parts, parts);
	return 0;
}

int finish_job(struct cmd *c, const char *folder, uint64_t jobs, const char *part)
{
	struct finish_run r = { .outer = c, .folder = folder, .part = part };
	char *absolute = NULL;

	if (!strstr(folder, "://"))
		absolute = realpath(folder, NULL);
	if (open_job(&r, absolute ? absolute : folder, part)) {
		tfr_job_close(r.job);
		free(absolute);
		return c->exit;
	}
	/* Paths of the job are relative to the folder in which its first part ran. */
	if (chdir(tfr_job_directory(r.job)) && !c->quiet)
		cmd_warn(c,
			"cannot enter '%s', where the parts ran: relative paths may not be found",
			tfr_job_directory(r.job));
	run(&r, jobs);
	if (r.c.command)
		opt_result_clear(&r.options, r.c.command->options, r.c.settings);
	free(r.c.settings);
	free(r.c.line);
	free(r.words);
	tfr_job_close(r.job);
	free(absolute);
	return c->exit;
}
