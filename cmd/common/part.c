/* cmd/common/part.c - reads --part, and finds the part in the environment of a scheduler.
 *
 * A scheduler is a row of a table: the variables with the id of this task, the number of tasks, the
 * first and the last id and the step, and the id of the first task if no variable has it. */
#include "common/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 100000 };

struct scheduler {
	const char *id;
	const char *count; /* NULL: unknown */
	const char *first, *last, *stride;
	int64_t from;  /* the id of the first task, if `first` is not set */
	bool launcher; /* starts the processes of one step, such as a task of an array */
};

/* A launcher inside a scheduler comes before it, unless it starts a single process. */
static const struct scheduler schedulers[] = {
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL, NULL, 0, true },
	{ "PMI_RANK", "PMI_SIZE", NULL, NULL, NULL, 0, true },
	{ "PARALLEL_SEQ", NULL, NULL, NULL, NULL, 1, false },
	{ "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
		"SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", 0, false },
	{ "SLURM_PROCID", "SLURM_NTASKS", NULL, NULL, NULL, 0, true },
	{ "JOB_COMPLETION_INDEX", NULL, NULL, NULL, NULL, 0, false },
	{ "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", NULL, NULL, NULL, 0, false },
	{ "BATCH_TASK_INDEX", "BATCH_TASK_COUNT", NULL, NULL, NULL, 0, false },
	{ "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT", NULL, NULL, NULL, 0, false },
	{ "PBS_ARRAY_INDEX", NULL, NULL, NULL, NULL, 0, false },
	{ "SGE_TASK_ID", NULL, "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", 1, false },
};

static bool read_number(const char *text, const char *end, int64_t *n)
{
	char *stop;

	errno = 0;
	*n = strtoll(text, &stop, 10);
	return stop == end && end > text && !errno && *n >= 0;
}

/* Reads the number in a variable of the environment. */
static bool read_variable(const char *variable, int64_t *n)
{
	const char *text = variable ? getenv(variable) : NULL;

	return text && read_number(text, text + strlen(text), n);
}

static const struct scheduler *find_scheduler(int64_t *id)
{
	const struct scheduler *alone = NULL; /* a launcher of one process */
	int64_t count;

	for (size_t i = 0; i < sizeof(schedulers) / sizeof(*schedulers); i++) {
		const struct scheduler *s = &schedulers[i];

		/* SGE says "undefined" outside of an array. */
		if (!read_variable(s->id, id) || (alone && s->launcher))
			continue;
		if (!s->launcher || !read_variable(s->count, &count) || count > 1)
			return s;
		alone = s;
	}
	if (alone)
		read_variable(alone->id, id);
	return alone;
}

/* Reads the index of this task and the number of tasks; *count is 0 if that is unknown. */
static void read_task(
	const struct scheduler *s, int64_t id, int64_t *index, int64_t *count, bool *irregular)
{
	int64_t first, last, stride;

	*irregular = false;
	*index = id - s->from;
	if (!read_variable(s->count, count))
		*count = 0;
	if (!read_variable(s->first, &first) || !read_variable(s->last, &last) ||
		!read_variable(s->stride, &stride) || !stride)
		return;
	*irregular = *count && *count != (last - first) / stride + 1;
	*count = (last - first) / stride + 1;
	*index = (id - first) / stride;
}

/* `number` is the N of auto/N, or 0. */
static int find_part(struct cmd *c, int64_t number)
{
	const struct scheduler *s;
	int64_t id, index, count;
	bool irregular;

	s = find_scheduler(&id);
	if (!s)
		return cmd_usage_hint(c,
			"Give --part I/N, or set a variable that tfr-cluster(7) lists.",
			"--part auto: the environment names no scheduler");
	read_task(s, id, &index, &count, &irregular);
	if (!number && !count)
		return cmd_usage_hint(c, "Give --part auto/N.",
			"--part auto: this scheduler does not say how many parts there are");
	if (!number && irregular)
		return cmd_usage_hint(c,
			"Give --part auto/N, which takes the ids as indexes of parts.",
			"--part auto: the task ids of the array have no constant step");
	if (number && count && number != count) /* some of N tasks run: ids are indexes */
		index = id - s->from;
	number = number ? number : count;
	if (number > PARTS_MAX || index < 0 || index >= number)
		return cmd_usage_hint(c,
			"Start one task per part.  Number the tasks of an array from 0, as in "
			"0-63.",
			"--part auto: task %lld is not one of the parts", (long long)id);
	c->part = (uint32_t)index;
	c->parts = (uint32_t)number;
	return 0;
}

int cmd_take_part(struct cmd *c, const char *text)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	int64_t part, parts = 0;

	if (!text)
		return 0;
	if (!strcmp(text, "auto"))
		return find_part(c, 0);
	if (!slash || !read_number(slash + 1, text + strlen(text), &parts) ||
		(strncmp(text, "auto/", 5) && !read_number(text, slash, &part)))
		return cmd_usage_hint(c, "Parts count from 0, as shards do: 0/8 to 7/8.",
			"--part takes I/N, auto/N or auto");
	if (parts < 1 || parts > PARTS_MAX)
		return cmd_usage_hint(c, NULL, "--part: the number of parts is 1 to %d", PARTS_MAX);
	if (!strncmp(text, "auto/", 5))
		return find_part(c, parts);
	if (part >= parts)
		return cmd_usage_hint(c, "Parts count from 0, as shards do: the last of 8 is 7/8.",
			"--part: there is no part %lld", (long long)part);
	c->part = (uint32_t)part;
	c->parts = (uint32_t)parts;
	return 0;
}

int cmd_refuse_in_part(struct cmd *c, bool given, const char *option, const char *hint)
{
	if (!given || !c->parts)
		return 0;
	return cmd_usage_hint(c, hint, "%s cannot go with --part", option);
}
