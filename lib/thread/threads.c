/* thread/threads.c - starts and joins threads, singly or several in one function.
 *
 * A thread starts on a processor of its own and may then move.  Without that, the kernel was seen
 * to queue a new thread on the processor of its creator, where it ran 3 ms later, and to leave it
 * there. A count that takes 10 ms then has one processor. */
#include "thread/threads.h"

#include <stdlib.h>

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

unsigned tfr_thread_share(unsigned threads, uint64_t items)
{
	return items && items < threads ? threads / (unsigned)items : 1;
}

static void *thread_main(void *arg)
{
	struct tfr_thread *t = arg;

	if (t->allowed_known)
		pthread_setaffinity_np(pthread_self(), sizeof(t->allowed), &t->allowed);
	t->fn(t->ctx, t->worker);
	return NULL;
}

/* The allowed processor `steps` after the caller's, in a circle. */
static int processor_after(const cpu_set_t *allowed, unsigned steps)
{
	int cpu = sched_getcpu();

	for (steps %= (unsigned)CPU_COUNT(allowed); steps; steps--) {
		do {
			cpu = (cpu + 1) % CPU_SETSIZE;
		} while (!CPU_ISSET(cpu, allowed));
	}
	return cpu;
}

bool tfr_thread_start(
	struct tfr_thread *t, void (*fn)(void *ctx, unsigned worker), void *ctx, unsigned worker)
{
	pthread_attr_t attr;
	cpu_set_t one;

	*t = (struct tfr_thread){ .fn = fn, .ctx = ctx, .worker = worker };
	t->allowed_known = sched_getaffinity(0, sizeof(t->allowed), &t->allowed) == 0 &&
			   CPU_COUNT(&t->allowed) > 0;
	if (!t->allowed_known) {
		t->started = pthread_create(&t->thread, NULL, thread_main, t) == 0;
		return t->started;
	}
	CPU_ZERO(&one);
	CPU_SET(processor_after(&t->allowed, worker), &one);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	t->started = pthread_create(&t->thread, &attr, thread_main, t) == 0;
	pthread_attr_destroy(&attr);
	return t->started;
}

void tfr_thread_join(struct tfr_thread *t)
{
	if (t->started)
		pthread_join(t->thread, NULL);
	t->started = false;
}

void tfr_threads_run(unsigned n, void (*fn)(void *ctx, unsigned worker), void *ctx)
{
	struct tfr_thread *crew = n > 1 ? calloc(n, sizeof(*crew)) : NULL;

	for (unsigned i = 1; crew && i < n; i++)
		tfr_thread_start(&crew[i], fn, ctx, i);
	fn(ctx, 0);
	for (unsigned i = 1; crew && i < n; i++)
		tfr_thread_join(&crew[i]);
	free(crew);
}
