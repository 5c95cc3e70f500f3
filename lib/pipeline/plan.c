/* pipeline/plan.c - where the memory goes, settled before anything runs.
 *
 * The first records are read ahead as they would be anyway; their sizes, and the sizes of the
 * pictures in them, are what the plan is made of.  Nothing is opened twice, so a pipe is planned
 * like a file.  What cannot fit is refused here, with the sizes. */
#include <stdio.h>

#include "base/error.h"
#include "pipeline/state.h"

enum { MIB = 1 << 20, SAMPLE_RECORDS = 64, SAMPLE_WAIT_NS = 200000000 };

/* What this process takes before it feeds anything: code, libraries, stacks. */
#define PROCESS_BYTES (10ull * MIB)
/* The block a reader reads into. */
#define BLOCK_BYTES (512ull << 10)

struct findings {
	uint64_t records, bytes, footprint;
	uint64_t largest; /* footprint */
	uint64_t pictures;
	uint64_t pixels, most_pixels; /* of all pictures, of the largest */
	bool compressed;
};

/* Whether reading has come as far as it will without anybody taking records. */
static bool sampled(const struct tfr_pipeline *p, uint64_t *records)
{
	const struct source *src = &p->source;
	bool all_stand = true;

	*records = 0;
	for (uint32_t i = 0; i < src->count; i++) {
		const struct reading *r = &src->readings[i];

		for (const struct sample *s = r->head; s; s = s->next)
			++*records;
		if (r->path && r->bytes < src->budget)
			all_stand = false;
	}
	return all_stand || *records >= SAMPLE_RECORDS;
}

/* Waits for the first records, but after the first one not for long: a pipe may be slow. */
static enum tfr_status await_sample(struct tfr_pipeline *p, struct tfr_error *err)
{
	uint64_t first = 0, records;

	while (!sampled(p, &records)) {
		uint64_t now = tfr_clock_ns();
		struct timespec ts;

		if (records && !first)
			first = now;
		if (first && now - first > SAMPLE_WAIT_NS)
			break;
		if (p->opts.cancelled && p->opts.cancelled(p->opts.ctx))
			return tfr_fail(err, TFR_ECANCELLED, "cancelled");
		if (p->opts.seconds > 0 && (double)(now - p->start_ns) * 1e-9 > p->opts.seconds)
			break;
		for (uint32_t i = 0; i < p->source.count; i++)
			atomic_store(&p->source.readings[i].hungry, true);
		now += 10000000;
		ts = (struct timespec){ (time_t)(now / 1000000000), (long)(now % 1000000000) };
		pthread_cond_timedwait(&p->arrivals, &p->lock, &ts);
	}
	return TFR_OK;
}

static void look_at(struct tfr_pipeline *p, const struct sample *s, struct findings *f)
{
	const struct tfr_feature *feature;
	struct tfr_image_info info;
	struct tfr_bytes picture;

	f->records++;
	f->bytes += s->size;
	f->footprint += sample_footprint(s->size);
	if (sample_footprint(s->size) > f->largest)
		f->largest = sample_footprint(s->size);
	if (tfr_example_parse(p->example, s->data, s->size, NULL))
		return;
	feature = tfr_example_get(p->example, "image/encoded");
	if (!feature || feature->kind != TFR_KIND_BYTES)
		return;
	f->pictures++;
	if (!tfr_feature_bytes(feature, 0, &picture) ||
		tfr_image_probe(picture.data, picture.size, &info, NULL))
		return;
	f->pixels += (uint64_t)info.width * info.height;
	if ((uint64_t)info.width * info.height > f->most_pixels)
		f->most_pixels = (uint64_t)info.width * info.height;
}

/* The first error of a file that gave nothing at all, when no file gave anything. */
static enum tfr_status nothing_to_feed(const struct tfr_pipeline *p, struct tfr_error *err)
{
	for (uint32_t i = 0; i < p->source.count; i++) {
		const struct reading *r = &p->source.readings[i];

		if (r->ended && r->status != TFR_END) {
			if (err)
				*err = r->err;
			return r->status;
		}
	}
	return TFR_OK;
}

static enum tfr_status find_out(struct tfr_pipeline *p, struct findings *f, struct tfr_error *err)
{
	enum tfr_status status;

	pthread_mutex_lock(&p->lock);
	status = await_sample(p, err);
	for (uint32_t i = 0; status == TFR_OK && i < p->source.count; i++) {
		const struct reading *r = &p->source.readings[i];

		f->compressed |= r->compressed;
		for (const struct sample *s = r->head; s; s = s->next)
			look_at(p, s, f);
	}
	if (status == TFR_OK && !f->records)
		status = nothing_to_feed(p, err);
	pthread_mutex_unlock(&p->lock);
	return status;
}

static uint64_t shuffle_need(const struct tfr_pipeline *p, const struct findings *f)
{
	uint64_t records = p->opts.shuffle > 1 ? p->opts.shuffle : 1;
	uint64_t need = records * (f->footprint / f->records + sizeof(struct tfr_shuffled)),
		 all = tfr_set_bytes(p->opts.set);

	/* Files smaller than the buffer bound it; two epochs may be in it at once.  What compressed
	 * files hold is not known. */
	if (all && !f->compressed) {
		all += all / 4 + MIB;
		if (p->opts.epochs != 1)
			all *= 2;
		need = need < all ? need : all;
	}
	return need;
}

static uint64_t payload_batch_bytes(const struct tfr_pipeline *p, const struct findings *f)
{
	uint64_t mean = f->bytes / f->records + 1;

	return p->opts.batch * (mean + mean / 4) + f->largest +
	       (p->opts.batch + 1) * sizeof(uint64_t);
}

/* Each worker has a picture as they mostly are, and one of them the largest.  A studio refuses what
 * needs more than a quarter of the memory: a single giant does not keep all others from being fed.
 */
static uint64_t scratch_need(const struct tfr_pipeline *p, const struct findings *f)
{
	uint64_t mean = f->pixels / (f->pictures ? f->pictures : 1) * 3, most = f->most_pixels * 3;

	if (most > p->opts.memory / 4)
		most = p->opts.memory / 4;
	if (mean > most)
		mean = most;
	return p->opts.threads * (mean + MIB) + most - mean;
}

static void fill_plan(struct tfr_pipeline *p, const struct findings *f)
{
	struct tfr_pipeline_plan *plan = &p->plan;
	uint64_t queued = (p->fifo_capacity + p->opts.threads) * (f->footprint / f->records);

	plan->limit = p->opts.memory;
	plan->record_bytes = f->bytes / f->records;
	plan->shuffle = p->opts.shuffle > 1 ? p->opts.shuffle : 1;
	plan->shuffle_bytes = shuffle_need(p, f);
	plan->batch_bytes = p->pictures
				    ? (uint64_t)p->opts.batch * p->opts.width * p->opts.height * 12
				    : payload_batch_bytes(p, f);
	plan->read_bytes = p->source.count * (p->source.budget + BLOCK_BYTES + 2 * f->largest) +
			   queued + p->store.idle_limit;
	plan->scratch_bytes = p->pictures ? scratch_need(p, f) : 0;
	plan->device_counted = tfr_device_in_process(p->opts.device);
}

static uint64_t total_with(struct tfr_pipeline_plan *plan, unsigned staging, unsigned device)
{
	plan->staging = staging;
	plan->device = device;
	plan->total = PROCESS_BYTES + plan->shuffle_bytes + plan->read_bytes + plan->scratch_bytes +
		      plan->batch_bytes * (staging + (plan->device_counted ? device : 0));
	return plan->total;
}

static enum tfr_status refuse(const struct tfr_pipeline *p, struct tfr_error *err)
{
	const struct tfr_pipeline_plan *plan = &p->plan;
	char total[TFR_SIZE_TEXT], limit[TFR_SIZE_TEXT], shuffle[TFR_SIZE_TEXT],
		batch[TFR_SIZE_TEXT];
	char record[TFR_SIZE_TEXT], rest[TFR_SIZE_TEXT];
	unsigned buffers = plan->staging + (plan->device_counted ? plan->device : 0);
	uint64_t fixed = plan->total - plan->shuffle_bytes,
		 each = plan->shuffle_bytes / plan->shuffle + 1;

	tfr_fail(err, TFR_ENOMEM,
		"needs %s of memory, %s are allowed: shuffle buffer %s (%llu records of %s), "
		"batches %u x %s, the rest %s",
		tfr_format_size(plan->total, total), tfr_format_size(plan->limit, limit),
		tfr_format_size(plan->shuffle_bytes, shuffle), (unsigned long long)plan->shuffle,
		tfr_format_size(plan->record_bytes, record), buffers,
		tfr_format_size(plan->batch_bytes, batch),
		tfr_format_size(fixed - buffers * plan->batch_bytes, rest));
	if (fixed + 16 * each < plan->limit)
		tfr_error_hint(err, "Lower --shuffle-buffer to %llu, or raise --memory to %lluM.",
			(unsigned long long)((plan->limit - fixed) / each),
			(unsigned long long)(plan->total / MIB + 1));
	else
		tfr_error_hint(err, "Lower --batch or --size, or raise --memory to %lluM.",
			(unsigned long long)(plan->total / MIB + 1));
	return TFR_ENOMEM;
}

/* Buffers for batches: as many in flight as was asked for; else as many as fit, for one that is
 * filled, one that is sent and one that is used. */
static bool fits(struct tfr_pipeline *p)
{
	static const unsigned choices[][2] = { { 3, 3 }, { 3, 2 }, { 2, 2 }, { 2, 1 }, { 1, 1 } };
	struct tfr_pipeline_plan *plan = &p->plan;

	if (p->opts.prefetch)
		return total_with(plan, p->opts.prefetch, p->opts.prefetch) <= plan->limit;
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		if (total_with(plan, choices[i][0], choices[i][1]) <= plan->limit)
			return true;
	return false;
}

enum tfr_status plan_make(struct tfr_pipeline *p, struct tfr_error *err)
{
	struct findings f = { 0 };
	enum tfr_status status = find_out(p, &f, err);
	uint64_t room;

	if (status)
		return status;
	if (!f.records)
		return tfr_fail(err, TFR_EDATA, "no records to feed");
	p->pictures = f.pictures > 0;
	p->fifo_capacity =
		p->pictures ? 2 * GRAIN_PICTURES + 2 * p->opts.threads + 4 : 2 * GRAIN_PAYLOADS + 4;
	fill_plan(p, &f);
	if (!fits(p))
		return refuse(p, err);
	/* What is left over is headroom for records larger than the first ones. */
	room = p->plan.limit - p->plan.total + p->plan.shuffle_bytes;
	p->shuffle.byte_limit = (uint64_t)((double)room * (double)f.bytes / (double)f.footprint);
	return TFR_OK;
}

void plan_describe(struct tfr_pipeline *p)
{
	char *text = p->description;
	size_t size = sizeof(p->description);
	int n = snprintf(text, size, "read=%u, ", p->source.count);

	if (p->pictures)
		n += snprintf(text + n, size - (size_t)n, "parse, ");
	if (p->opts.shuffle > 1)
		n += snprintf(text + n, size - (size_t)n, "shuffle=%llu, ",
			(unsigned long long)p->opts.shuffle);
	if (p->pictures)
		n += snprintf(text + n, size - (size_t)n, "decode, ");
	for (unsigned i = 0; p->pictures && i < p->recipe.count; i++) {
		const struct transform *t = p->recipe.transforms[i];

		n += snprintf(text + n, size - (size_t)n, "%s", t->name);
		if (t->shapes)
			n += snprintf(text + n, size - (size_t)n, "=%ux%u", p->opts.width,
				p->opts.height);
		n += snprintf(text + n, size - (size_t)n, ", ");
	}
	snprintf(text + n, size - (size_t)n, "batch=%u, upload", p->opts.batch);
}
