/* thread/threads.c - a crew: n threads in one function, joined before the call returns.
 *
 * A thread is started on a processor of its own and is then let go: left to itself the kernel was
 * seen to put a new thread behind its maker, where it came to run 3 ms later, and to leave it
 * there; a count that takes 10 ms then has one processor. */
#include "thread/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct member {
	pthread_t thread;
	bool started;
	const cpu_set_t *allowed; /* NULL: not known, the kernel chooses */
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

	if (m->allowed)
		pthread_setaffinity_np(pthread_self(), sizeof(*m->allowed), m->allowed);
	m->fn(m->ctx, m->worker);
	return NULL;
}

/* The allowed processor after `cpu`, in a circle. */
static int next_cpu(const cpu_set_t *allowed, int cpu)
{
	do {
		cpu = (cpu + 1) % CPU_SETSIZE;
	} while (!CPU_ISSET(cpu, allowed));
	return cpu;
}

static bool start(struct member *m, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t one;
	bool started;

	if (!m->allowed)
		return pthread_create(&m->thread, NULL, member_main, m) == 0;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	started = pthread_create(&m->thread, &attr, member_main, m) == 0;
	pthread_attr_destroy(&attr);
	return started;
}

void tfr_threads_run(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx)
{
	struct member *crew = n > 1 ? calloc(n, sizeof(*crew)) : NULL;
	cpu_set_t allowed;
	bool known = n > 1 && sched_getaffinity(0, sizeof(allowed), &allowed) == 0 &&
		     CPU_COUNT(&allowed) > 0;
	int cpu = sched_getcpu();

	for (unsigned i = 1; crew && i < n; i++) {
		cpu = known ? next_cpu(&allowed, cpu) : 0;
		crew[i] = (struct member){
			.allowed = known ? &allowed : NULL, .fn = fn, .ctx = ctx, .worker = i
		};
		crew[i].started = start(&crew[i], cpu);
	}
	fn(ctx, 0);
	for (unsigned i = 1; crew && i < n; i++)
		if (crew[i].started)
			pthread_join(crew[i].thread, NULL);
	free(crew);
}
