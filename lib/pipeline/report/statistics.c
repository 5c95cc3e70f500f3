/* pipeline/report/statistics.c - what was measured, stage by stage.
 *
 * Rates and shares are taken from the first batch to the last, so that filling the shuffle buffer,
 * which every run pays once, does not pass for what the feed can do. */
#include <math.h>
#include <string.h>

#include "pipeline/state.h"

/* Charges what every thread is at up to `now`. */
void tfr_statistics_settle(struct tfr_pipeline *p, uint64_t now)
{
	for (uint32_t i = 0; p->source.readings && i < p->source.count; i++)
		tfr_span_settle(&p->source.readings[i].span, now);
	for (unsigned i = 0; p->workers && i < p->opts.threads; i++)
		tfr_span_settle(&p->workers[i].idle, now);
	for (unsigned i = 0; i < p->uploader_count; i++)
		tfr_span_settle(&p->uploaders[i].span, now);
	tfr_span_settle(&p->consumer_span, now);
	for (unsigned i = 0; i < p->rows; i++)
		if (p->list.at[i].kind == STAGE_INFLATE)
			p->counters[i] = p->inflated;
}

bool tfr_statistics_steady(const struct tfr_pipeline *p)
{
	return p->batches >= 3 && p->last_ns - p->first_ns >= p->first_ns - p->start_ns;
}

static void keep(const struct tfr_pipeline *p, struct tfr_stage_counter *counters, uint64_t *pool)
{
	memcpy(counters, p->counters, (p->rows + 1) * sizeof(*counters));
	pool[0] = p->pool_starved;
	pool[1] = p->pool_blocked;
	pool[2] = p->pool_serial;
	pool[3] = p->pool_waited;
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

static void note_epoch(struct tfr_pipeline *p, const struct tfr_device_batch *a, uint64_t now)
{
	p->epochs = a->epoch;
	if (a->epoch == 0) {
		p->first_epoch_ns = now;
		p->first_epoch_records = p->records;
	}
}

void tfr_statistics_delivered(
	struct tfr_pipeline *p, const struct tfr_device_batch *a, uint64_t waited_ns, uint64_t now)
{
	struct tfr_stage_counter *c = &p->counters[p->rows];

	p->batches++;
	p->records += a->records;
	p->payload_bytes += a->payload_bytes;
	p->device_bytes += p->uploads ? a->bytes : 0;
	c->items++;
	c->bytes += p->uploads ? a->bytes : 0;
	note_epoch(p, a, now);
	tfr_statistics_settle(p, now);
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
	bool steady = tfr_statistics_steady(p);
	double seconds = steady ? (double)(p->last_ns - p->first_ns) * 1e-9 : st->seconds;

	st->records_per_second = (double)(p->records - (steady ? p->first_records : 0)) / seconds;
	st->records_per_second_total = (double)p->records / st->seconds;
	st->bytes_per_second =
		(double)(p->payload_bytes - (steady ? p->first_payload_bytes : 0)) / seconds;
	st->device_bytes_per_second =
		(double)(p->device_bytes - (steady ? p->first_device_bytes : 0)) / seconds;
	if (p->first_epoch_ns > p->start_ns)
		st->first_epoch_records_per_second =
			(double)p->first_epoch_records /
			((double)(p->first_epoch_ns - p->start_ns) * 1e-9);
	if (p->records > p->first_epoch_records && p->last_ns > p->first_epoch_ns)
		st->later_epochs_records_per_second =
			(double)(p->records - p->first_epoch_records) /
			((double)(p->last_ns - p->first_epoch_ns) * 1e-9);
}

static void fill_waits(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	const struct tfr_stage_counter *first = &p->first[p->rows], *last = &p->last[p->rows];
	double starved = (double)(last->starved - first->starved);
	double whole = starved + (double)(last->busy - first->busy);

	st->wait_p50 = percentile(p, 0.50);
	st->wait_p95 = percentile(p, 0.95);
	st->wait_p99 = percentile(p, 0.99);
	st->wait_max = (double)p->wait_max_ns * 1e-9;
	st->idle_fraction = whole > 0 ? starved / whole : 1;
}

static unsigned stage_threads(const struct tfr_pipeline *p, unsigned row)
{
	enum tfr_stage_kind kind = row < p->rows ? p->list.at[row].kind : STAGE_UPLOAD;

	if (kind == STAGE_READ || kind == STAGE_INFLATE)
		return p->source.count;
	if (kind == STAGE_UPLOAD)
		return row < p->rows && p->uploader_count ? p->uploader_count : 1;
	return p->opts.threads;
}

/* What the next one found waiting behind a stage: behind the last stage of its node. */
static void fill_queue(const struct tfr_pipeline *p, unsigned row, struct tfr_stage_stats *s)
{
	for (unsigned i = 1; i < p->node_count; i++) {
		const struct tfr_flow_node *n = &p->nodes[i];

		if (n->kind >= NODE_PLACE || n->row != row || !n->to)
			continue;
		s->queue_mean = n->looks ? (double)n->seen / (double)n->looks : 0;
		s->queue_now = n->kind == NODE_SHUFFLE ? n->held : tfr_flow_node_waiting(p, n);
		if (n->kind == NODE_SHUFFLE)
			s->queue_capacity = n->shuffle.shuffler.capacity;
		else
			s->queue_capacity = n->most ? n->most
						    : (uint64_t)n->slot_count * n->grain *
							      (n->decodes ? n->recipe.copies : 1);
	}
}

static void fill_found(
	const struct tfr_queue_meter *f, uint64_t capacity, struct tfr_stage_stats *s)
{
	s->queue_mean = f->looks ? (double)f->seen / (double)f->looks : 0;
	s->queue_capacity = capacity;
	s->queue_now = f->now;
}

/* Batches: in staging memory as their device found them, and on devices as the consumer did.  Those
 * in staging memory are behind the last stage before upload. */
static void fill_batches(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	uint64_t each = (uint64_t)p->uploader_count * p->opts.steps_per_transfer;

	if (!p->uploader_count)
		return;
	if (p->uploads)
		fill_found(&p->arrived, each * p->plan.device, &st->stages[p->rows - 1]);
	fill_found(&p->assembled, each * p->plan.staging,
		&st->stages[p->uploads ? p->rows - 2 : p->rows - 1]);
}

static void fill_stages(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	for (unsigned i = 0; i <= p->rows; i++) {
		const struct tfr_stage_counter *c = &p->counters[i];
		struct tfr_stage_stats *s = &st->stages[st->stage_count++];

		*s = (struct tfr_stage_stats){
			.name = i < p->rows ? p->list.at[i].row->name : "consumer",
			.text = i < p->rows ? p->list.at[i].text : "consumer",
			.threads = stage_threads(p, i),
			.busy = (double)c->busy * 1e-9,
			.starved = (double)c->starved * 1e-9,
			.blocked = (double)c->blocked * 1e-9,
			.items = c->items,
			.bytes = c->bytes,
		};
		fill_queue(p, i, s);
	}
}

static void fill_devices(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	for (unsigned i = 0; p->uploads && i < p->uploader_count && i < TFR_DEVICES_MAX; i++) {
		const struct tfr_uploader *l = &p->uploaders[i];

		st->devices[st->device_count++] = (struct tfr_device_stats){
			.busy = (double)l->busy_ns * 1e-9,
			.batches = l->sent_batches,
			.bytes = l->sent_bytes,
		};
	}
}

static uint64_t shuffle_least(const struct tfr_pipeline *p)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 1; i < p->node_count; i++)
		if (p->nodes[i].kind == NODE_SHUFFLE && p->nodes[i].least < least &&
			p->nodes[i].shuffle.shuffler.capacity == p->plan.shuffle)
			least = p->nodes[i].least;
	return least == UINT64_MAX ? p->plan.shuffle : least;
}

void tfr_pipeline_stats(struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	uint64_t now = tfr_clock_ns();
	struct tfr_load load;

	tfr_load_read(&load);
	pthread_mutex_lock(&p->lock);
	tfr_statistics_settle(p, now);
	*st = (struct tfr_pipeline_stats){
		.seconds = (double)(now - p->start_ns) * 1e-9,
		.first_batch_seconds = p->batches ? (double)(p->first_ns - p->start_ns) * 1e-9 : 0,
		.records = p->records,
		.skipped = p->skipped,
		.batches = p->batches,
		.epochs = p->epochs,
		.bytes = p->payload_bytes,
		.device_bytes = p->device_bytes,
		.shuffle_least = shuffle_least(p),
		.threads = p->opts.threads,
	};
	st->load_known = tfr_load_between(&p->load_then, &load, &st->other_load, &st->stolen_load);
	fill_rates(p, st);
	fill_waits(p, st);
	fill_stages(p, st);
	fill_batches(p, st);
	fill_devices(p, st);
	tfr_statistics_judge(p, st);
	pthread_mutex_unlock(&p->lock);
}

size_t tfr_pipeline_waits(struct tfr_pipeline *p, struct tfr_wait_bucket *buckets, size_t n)
{
	size_t count = 0;

	pthread_mutex_lock(&p->lock);
	for (unsigned i = 0; i < WAIT_BUCKETS; i++) {
		if (!p->waits[i])
			continue;
		if (count < n)
			buckets[count] = (struct tfr_wait_bucket){ bucket_seconds(i), p->waits[i] };
		count++;
	}
	pthread_mutex_unlock(&p->lock);
	return count;
}
