/* io/remote/http/measurements.c - counters, and times in buckets that each are a tenth wider than
 * the last one. */
#include "io/remote/http/measurements.h"

#include <math.h>
#include <stdatomic.h>

enum { BUCKETS = 160 };

static const double shortest = 1e-5, step = 1.1; /* the last bucket: 42 s */

struct times {
	_Atomic uint64_t bucket[BUCKETS];
};

static struct {
	_Atomic uint64_t requests, retries, throttled, in, out, connections;
	_Atomic int at_once, most_at_once;
	struct times first_byte, connect;
} sums;

static void note(struct times *t, double seconds)
{
	double at = seconds > shortest ? log(seconds / shortest) / log(step) : 0;

	t->bucket[at < BUCKETS - 1 ? (int)at : BUCKETS - 1]++;
}

static double percentile(const struct times *t, double p)
{
	uint64_t sum = 0, seen = 0, rank;

	for (int i = 0; i < BUCKETS; i++)
		sum += t->bucket[i];
	if (!sum)
		return 0;
	rank = (uint64_t)ceil(p * (double)sum);
	for (int i = 0; i < BUCKETS; i++) {
		seen += t->bucket[i];
		if (seen >= rank)
			return shortest * pow(step, i + 0.5);
	}
	return shortest * pow(step, BUCKETS);
}

void tfr_measure_request(bool again)
{
	sums.requests++;
	sums.retries += again;
}

void tfr_measure_throttled(void)
{
	sums.throttled++;
}

void tfr_measure_bytes(uint64_t in, uint64_t out)
{
	sums.in += in;
	sums.out += out;
}

void tfr_measure_connection(double seconds)
{
	sums.connections++;
	note(&sums.connect, seconds);
}

void tfr_measure_active(int more)
{
	int now = atomic_fetch_add(&sums.at_once, more) + more;

	if (now > sums.most_at_once)
		sums.most_at_once = now;
}

void tfr_measure_first_byte(double seconds)
{
	note(&sums.first_byte, seconds);
}

double tfr_measured_first_byte(void)
{
	return percentile(&sums.first_byte, 0.5);
}

void tfr_measured(struct tfr_remote_statistics *s)
{
	*s = (struct tfr_remote_statistics){
		.requests = sums.requests,
		.retries = sums.retries,
		.throttled = sums.throttled,
		.bytes_in = sums.in,
		.bytes_out = sums.out,
		.connections = sums.connections,
		.most_at_once = (unsigned)sums.most_at_once,
		.first_byte_p50 = percentile(&sums.first_byte, 0.5),
		.first_byte_p99 = percentile(&sums.first_byte, 0.99),
		.connect_p50 = percentile(&sums.connect, 0.5),
	};
}
