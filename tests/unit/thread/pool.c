#include <criterion/criterion.h>
#include <pthread.h>

#include "thread/pool.h"

struct sum {
	struct tfr_pool_job job;
	uint64_t n, result;
	pthread_t by;
};

static void add_up(struct tfr_pool_job *job)
{
	struct sum *s = (struct sum *)job;

	s->result = 0;
	for (uint64_t i = 1; i <= s->n; i++)
		s->result += i;
	s->by = pthread_self();
}

Test(pool, jobs_are_done_whoever_waits_for_them_in_whatever_order)
{
	enum { JOBS = 200 };

	for (unsigned threads = 1; threads <= 5; threads++) {
		struct tfr_pool *p = tfr_pool_new(threads);
		struct sum s[JOBS] = { 0 };

		for (unsigned round = 0; round < 20; round++) {
			for (unsigned i = 0; i < JOBS; i++) {
				s[i].job.work = add_up;
				s[i].n = round * JOBS + i;
				s[i].result = UINT64_MAX;
				tfr_pool_give(p, &s[i].job);
			}
			for (unsigned k = 0; k < JOBS; k++) {
				unsigned i = round % 2 ? JOBS - 1 - k : k * 7 % JOBS;

				tfr_pool_wait(p, &s[i].job);
				cr_assert_eq(s[i].result, s[i].n * (s[i].n + 1) / 2);
				cr_assert(tfr_pool_done(p, &s[i].job));
			}
			cr_assert_eq(tfr_pool_backlog(p), 0);
		}
		tfr_pool_free(p);
	}
}

Test(pool, one_thread_is_the_callers)
{
	struct tfr_pool *p = tfr_pool_new(1);
	struct sum a = { .job.work = add_up, .n = 4 }, b = a, never = a;

	tfr_pool_wait(p, &never.job);
	cr_assert_eq(never.result, 0);
	tfr_pool_give(p, &a.job);
	tfr_pool_give(p, &b.job);
	cr_assert_eq(tfr_pool_backlog(p), 2);
	tfr_pool_wait(p, &b.job);
	cr_assert_eq(b.result, 10);
	cr_assert(pthread_equal(b.by, pthread_self()));
	cr_assert_not(tfr_pool_done(p, &a.job), "the other was not waited for");
	cr_assert(tfr_pool_take_back(p, &a.job));
	cr_assert_eq(a.result, 0);
	cr_assert_not(tfr_pool_take_back(p, &b.job), "what is done cannot be taken back");
	tfr_pool_free(p);
}

Test(pool, more_jobs_than_threads_are_begun_by_all_of_them)
{
	struct tfr_pool *p = tfr_pool_new(3);
	struct sum s[3] = { { .job.work = add_up, .n = 1000000 },
		{ .job.work = add_up, .n = 1000000 }, { .job.work = add_up, .n = 1000000 } };

	for (int i = 0; i < 3; i++)
		tfr_pool_give(p, &s[i].job);
	/* Nobody waits here: the pool's own two threads do all three. */
	for (int i = 0; i < 3; i++)
		while (!tfr_pool_done(p, &s[i].job))
			sched_yield();
	for (int i = 0; i < 3; i++)
		cr_assert_not(pthread_equal(s[i].by, pthread_self()));
	tfr_pool_free(p);
}
