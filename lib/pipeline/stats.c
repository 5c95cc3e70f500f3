/* pipeline/stats.c - the stages by name, and what was measured of them.
 *
 * Rates and shares are taken from the first batch to the last, so that filling the shuffle buffer,
 * which every run pays once, does not pass for what the feed can do. */
#include <math.h>
#include <string.h>

#include "pipeline/state.h"

const struct stage_row tfr_stage_rows[STAGES] = {
	[STAGE_READ] = { "read", true, false },
	[STAGE_PARSE] = { "parse", false, true },
	[STAGE_SHUFFLE] = { "shuffle", true, true },
	[STAGE_DECODE] = { "decode", false, true },
	[STAGE_RESIZE] = { "resize", false, true },
	[STAGE_BATCH] = { "batch", true, true },
	[STAGE_UPLOAD] = { "upload", true, false },
	[STAGE_CONSUMER] = { "consumer", true, false },
};

/* Charges what every thread is at up to `now`. */
void stats_settle(struct tfr_pipeline *p, uint64_t now)
{
	for (uint32_t i = 0; p->source.readings && i < p->source.count; i++)
		span_settle(&p->source.readings[i].span, now);
	for (unsigned i = 0; p->workers && i < p->opts.threads; i++)
		span_settle(&p->workers[i].idle, now);
	span_settle(&p->uploader_span, now);
	span_settle(&p->consumer_span, now);
}

bool stats_steady(const struct tfr_pipeline *p)
{
	return p->batches >= 3 && p->last_ns - p->first_ns >= p->first_ns - p->start_ns;
}

static void keep(const struct tfr_pipeline *p, struct counter *counters, uint64_t *pool)
{
	memcpy(counters, p->counters, sizeof(p->counters));
	pool[0] = p->pool_starved;
	pool[1] = p->pool_blocked;
	pool[2] = p->pool_serial;
}

/* 32 buckets an octave: a percentile is off by 3% at most. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned octave = 0;

	while ((ns >> octave) > 63)
		octave++;
	return octave ? octave * 32 + (unsigned)(ns >> octave) : (unsigned)ns;
}

static double bucket_seconds(unsigned bucket)
{
	unsigned octave = bucket < 64 ? 0 : bucket / 32 - 1;

	return ldexp((double)(bucket - octave * 32), (int)octave) * 1e-9;
}

void stats_delivered(
	struct tfr_pipeline *p, const struct target *t, uint64_t waited_ns, uint64_t now)
{
	struct counter *c = &p->counters[STAGE_CONSUMER];

	p->batches++;
	p->records += t->records;
	p->payload_bytes += t->payload_bytes;
	p->device_bytes += t->bytes;
	c->items++;
	c->bytes += t->bytes;
	p->epochs = t->epoch;
	stats_settle(p, now);
	if (p->batches == 1) {
		p->first_ns = now;
		p->first_records = p->records;
		p->first_payload_bytes = p->payload_bytes;
		p->first_device_bytes = p->device_bytes;
		keep(p, p->first, p->first_pool);
	} else {
		p->waits[bucket_of(waited_ns)]++;
		if (waited_ns > p->wait_max_ns)
			p->wait_max_ns = waited_ns;
	}
	p->last_ns = now;
	keep(p, p->last, p->last_pool);
}

static double percentile(const struct tfr_pipeline *p, double share)
{
	uint64_t count = p->batches > 1 ? p->batches - 1 : 0, seen = 0;
	uint64_t wanted = (uint64_t)ceil(share * (double)count);

	for (unsigned i = 0; count && i < WAIT_BUCKETS; i++) {
		seen += p->waits[i];
		if (seen >= wanted && seen)
			return fmin(bucket_seconds(i), (double)p->wait_max_ns * 1e-9);
	}
	return 0;
}

static void fill_rates(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	bool steady = stats_steady(p);
	double seconds = steady ? (double)(p->last_ns - p->first_ns) * 1e-9 : st->seconds;

	st->records_per_second = (double)(p->records - (steady ? p->first_records : 0)) / seconds;
	st->bytes_per_second =
		(double)(p->payload_bytes - (steady ? p->first_payload_bytes : 0)) / seconds;
	st->device_bytes_per_second =
		(double)(p->device_bytes - (steady ? p->first_device_bytes : 0)) / seconds;
}

static void fill_waits(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	const struct counter *first = &p->first[STAGE_CONSUMER], *last = &p->last[STAGE_CONSUMER];
	double starved = (double)(last->starved - first->starved);
	double whole = starved + (double)(last->busy - first->busy);

	st->wait_p50 = percentile(p, 0.50);
	st->wait_p95 = percentile(p, 0.95);
	st->wait_p99 = percentile(p, 0.99);
	st->wait_max = (double)p->wait_max_ns * 1e-9;
	st->idle_fraction = whole > 0 ? starved / whole : 1;
}

static unsigned stage_threads(const struct tfr_pipeline *p, enum stage stage)
{
	if (stage == STAGE_READ)
		return p->source.count;
	return tfr_stage_rows[stage].pool ? p->opts.threads : 1;
}

static void fill_stages(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	for (unsigned i = 0; i < STAGES; i++) {
		const struct counter *c = &p->counters[i];

		if (!p->pictures && !tfr_stage_rows[i].payloads)
			continue;
		st->stages[st->stage_count++] = (struct tfr_stage_stats){
			.name = tfr_stage_rows[i].name,
			.threads = stage_threads(p, i),
			.busy = (double)c->busy * 1e-9,
			.starved = (double)c->starved * 1e-9,
			.blocked = (double)c->blocked * 1e-9,
			.items = c->items,
			.bytes = c->bytes,
		};
	}
}

void tfr_pipeline_stats(struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	uint64_t now = tfr_clock_ns();

	pthread_mutex_lock(&p->lock);
	stats_settle(p, now);
	*st = (struct tfr_pipeline_stats){
		.seconds = (double)(now - p->start_ns) * 1e-9,
		.first_batch_seconds = p->batches ? (double)(p->first_ns - p->start_ns) * 1e-9 : 0,
		.records = p->records,
		.skipped = p->skipped,
		.batches = p->batches,
		.epochs = p->epochs,
		.bytes = p->payload_bytes,
		.device_bytes = p->device_bytes,
		.shuffle_least = p->shuffle.least,
	};
	fill_rates(p, st);
	fill_waits(p, st);
	fill_stages(p, st);
	stats_judge(p, st);
	pthread_mutex_unlock(&p->lock);
}
