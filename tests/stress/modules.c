/* Threads that open all modules at the same time get the same results, and children that are forked
 * meanwhile open them, too. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/module.h"

/* ThreadSanitizer does not support children that load objects. */
#ifdef __SANITIZE_THREAD__
enum { THREADS = 8, CHILDREN = 0 };
#else
enum { THREADS = 8, CHILDREN = 8 };
#endif

struct result {
	const void *calls[TFR_MODULE_COUNT];
	struct tfr_error err[TFR_MODULE_COUNT];
};

static pthread_barrier_t together;

static void open_all(struct result *r)
{
	for (int i = 0; i < TFR_MODULE_COUNT; i++)
		tfr_module_open(
			&r->calls[i], (enum tfr_module_name)i, &r->err[i], "cannot read '%s'", "x");
}

static void *run(void *arg)
{
	pthread_barrier_wait(&together);
	open_all(arg);
	return NULL;
}

static int differs(const struct result *a, const struct result *b)
{
	for (int i = 0; i < TFR_MODULE_COUNT; i++)
		if (a->calls[i] != b->calls[i] || a->err[i].status != b->err[i].status ||
			strcmp(a->err[i].message, b->err[i].message) != 0 ||
			(!a->calls[i] && a->err[i].status != TFR_EUNAVAILABLE)) {
			fprintf(stderr, "module %d: '%s' and '%s'\n", i, a->err[i].message,
				b->err[i].message);
			return 1;
		}
	return 0;
}

int main(void)
{
	static struct result results[THREADS];
	pthread_t threads[THREADS];
	int failed = 0;

	pthread_barrier_init(&together, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, &results[i]))
			return 1;
	pthread_barrier_wait(&together);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid) {
			static struct result own;

			alarm(60);
			open_all(&own);
			_exit(differs(&own, &own));
		}
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CHILDREN; i++) {
		int status;

		if (wait(&status) < 0 || status) {
			fprintf(stderr, "a child ended with status %d\n", status);
			failed = 1;
		}
	}
	for (int i = 1; i < THREADS; i++)
		failed |= differs(&results[0], &results[i]);
	return failed;
}
