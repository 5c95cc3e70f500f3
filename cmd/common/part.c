/* cmd/common/part.c - finds the part in the environment of a scheduler.
 *
 * A scheduler is a row of a table: the variables that have the id of a task, the number of tasks,
 * and the ids of the first and the last, and the number that the first one has. */
#include "common/part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scheduler {
	const char *name, *id;
	const char *count; /* NULL: unknown */
	const char *first, *last, *stride;
	int64_t from;  /* the id of the first task, if `first` is NULL */
	bool launcher; /* of the processes of one step, such as a task of an array */
};

/* A launcher inside a scheduler comes before it, unless it starts a single process. */
static const struct scheduler schedulers[] = {
	{ "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL, NULL, 0, true },
	{ "PMI", "PMI_RANK", "PMI_SIZE", NULL, NULL, NULL, 0, true },
	{ "GNU parallel", "PARALLEL_SEQ", NULL, NULL, NULL, NULL, 1, false },
	{ "Slurm's array", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
		"SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", 0, false },
	{ "Slurm", "SLURM_PROCID", "SLURM_NTASKS", NULL, NULL, NULL, 0, true },
	{ "Kubernetes", "JOB_COMPLETION_INDEX", NULL, NULL, NULL, NULL, 0, false },
	{ "AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", NULL, NULL, NULL, 0,
		false },
	{ "Google Batch", "BATCH_TASK_INDEX", "BATCH_TASK_COUNT", NULL, NULL, NULL, 0, false },
	{ "Cloud Run", "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT", NULL, NULL, NULL, 0, false },
	{ "PBS", "PBS_ARRAY_INDEX", NULL, NULL, NULL, NULL, 0, false },
	{ "SGE", "SGE_TASK_ID", NULL, "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", 1,
		false },
};

enum { SCHEDULERS = sizeof(schedulers) / sizeof(*schedulers) };

static enum tfr_status refuse(struct tfr_error *err, const char *message, const char *hint)
{
	*err = (struct tfr_error){ .status = TFR_EUSAGE };
	snprintf(err->message, sizeof(err->message), "%s", message);
	if (hint)
		tfr_error_hint(err, "%s", hint);
	return TFR_EUSAGE;
}

static bool read_number(const char *text, const char *end, int64_t *n)
{
	char *stop;

	errno = 0;
	*n = strtoll(text, &stop, 10);
	return stop == end && end > text && !errno && *n >= 0;
}

/* The number in a variable of the environment. */
static bool get(const char *variable, int64_t *n)
{
	const char *text = variable ? getenv(variable) : NULL;

	return text && read_number(text, text + strlen(text), n);
}

static const struct scheduler *find_scheduler(int64_t *id)
{
	const struct scheduler *alone = NULL; /* a launcher of one process */
	int64_t count;

	for (size_t i = 0; i < SCHEDULERS; i++) {
		const struct scheduler *s = &schedulers[i];

		/* SGE says "undefined" outside of an array. */
		if (!get(s->id, id) || (alone && s->launcher))
			continue;
		if (!s->launcher || !get(s->count, &count) || count > 1)
			return s;
		alone = s;
	}
	if (alone)
		get(alone->id, id);
	return alone;
}

/* Fills the place and *count, 0: the environment does not know it. */
static enum tfr_status look_around(
	struct tfr_job_place *place, int64_t *count, struct tfr_error *err)
{
	const struct scheduler *s = find_scheduler(&place->id);
	int64_t first, last, stride, tasks;

	*count = 0;
	place->stride = 1;
	if (!s)
		return refuse(err, "--part auto: no scheduler has said which part this is",
			"tfr-cluster(7) lists the variables that it looks for.  Give --part I/N.");
	place->first = s->from;
	if (s->count && get(s->count, count) && !*count)
		*count = 0;
	if (!get(s->first, &first) || !get(s->last, &last) || !get(s->stride, &stride) || !stride)
		return TFR_OK;
	place->first = first;
	place->stride = stride;
	tasks = (last - first) / stride + 1;
	place->irregular = *count && *count != tasks;
	*count = tasks;
	return TFR_OK;
}

static enum tfr_status find_auto(
	const char *number, struct tfr_job_place *place, uint32_t *parts, struct tfr_error *err)
{
	int64_t n = 0, count;
	enum tfr_status status = look_around(place, &count, err);

	if (status)
		return status;
	if (number &&
		(!read_number(number, number + strlen(number), &n) || !n || n > TFR_JOB_PARTS_MAX))
		return refuse(err, "--part auto/N takes a number of parts from 1 to 100000", NULL);
	if (!number && !count)
		return refuse(err,
			"--part auto: this scheduler does not say how many parts there are",
			"Give --part auto/N.");
	if (number && count && n != count) { /* some tasks of N run, by their own numbers */
		place->first = 0;
		place->stride = 1;
		place->irregular = false;
	}
	if (!number && count > TFR_JOB_PARTS_MAX)
		return refuse(err, "a job has at most 100000 parts", NULL);
	place->guess = !number;
	*parts = (uint32_t)(number ? n : count);
	return TFR_OK;
}

enum tfr_status part_find(
	const char *text, struct tfr_job_place *place, uint32_t *parts, struct tfr_error *err)
{
	const char *slash = strchr(text, '/');
	int64_t n;

	*place = (struct tfr_job_place){ .stride = 1 };
	if (!strcmp(text, "auto"))
		return find_auto(NULL, place, parts, err);
	if (!strncmp(text, "auto/", 5))
		return find_auto(slash + 1, place, parts, err);
	if (!slash || !read_number(text, slash, &place->id) ||
		!read_number(slash + 1, text + strlen(text), &n))
		return refuse(err, "--part takes I/N, auto/N or auto",
			"Parts count from 0, as shards do: 0/8 to 7/8.");
	if (n < 1 || n > TFR_JOB_PARTS_MAX)
		return refuse(err, "--part takes a number of parts from 1 to 100000", NULL);
	*parts = (uint32_t)n;
	if (place->id < n)
		return TFR_OK;
	refuse(err, "--part counts from 0, as shards do", NULL);
	tfr_error_hint(err, "The parts of %lld are 0/%lld to %lld/%lld.", (long long)n,
		(long long)n, (long long)n - 1, (long long)n);
	return TFR_EUSAGE;
}
