/* thread/threads.c - a crew: n threads in one function, joined before the call returns. */
#include "thread/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct member {
	pthread_t thread;
	bool started;
	void (*fn)(void *ctx, unsigned worker);
	void *ctx;
	unsigned worker;
};

unsigned tfr_cpu_count(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return (unsigned)CPU_COUNT(&set);
	return 1;
}

unsigned tfr_thread_count(unsigned wanted)
{
	return wanted ? wanted : tfr_cpu_count();
}

static void *member_main(void *arg)
{
	struct member *m = arg;

	m->fn(m->ctx, m->worker);
	return NULL;
}

void tfr_threads_run(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx)
{
	struct member *crew = n > 1 ? calloc(n, sizeof(*crew)) : NULL;

	for (unsigned i = 1; crew && i < n; i++) {
		crew[i] = (struct member){ .fn = fn, .ctx = ctx, .worker = i };
		crew[i].started = pthread_create(&crew[i].thread, NULL, member_main, &crew[i]) == 0;
	}
	fn(ctx, 0);
	for (unsigned i = 1; crew && i < n; i++)
		if (crew[i].started)
			pthread_join(crew[i].thread, NULL);
	free(crew);
}
