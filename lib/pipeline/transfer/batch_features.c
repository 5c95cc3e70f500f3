/* pipeline/transfer/batch_features.c - the features of a batch's records, after its images in
 * the staging memory.
 *
 * All records of a batch are parsed together.  If one lacks a feature, they are parsed one at a
 * time: those that fail leave gaps, which are closed as those of broken images are, and the
 * others are parsed again. */
#include <assert.h>

#include "base/error.h"
#include "pipeline/transfer/buffers.h"

/* The sample that the record of a place is of, unless a place before it had the same record and
 * failed too. */
static const struct tfr_feed_sample *sample_of(const struct tfr_staged_batch *b, uint32_t place)
{
	const uint8_t *data = b->records_at[place].data;

	for (uint32_t i = 0; i < place; i++)
		if (b->bad[i] && b->records_at[i].data == data)
			return NULL;
	for (uint32_t i = 0; i < b->assigned; i++)
		if (b->samples[i] && b->samples[i]->data == data)
			return b->samples[i];
	return NULL;
}

/* Leaves out the records that fail. */
static enum tfr_status leave_out(struct tfr_transfer *tr, struct tfr_batch_parser *parser,
	struct tfr_staged_batch *b, struct tfr_error *err)
{
	uint32_t count = b->records;

	for (uint32_t i = 0; i < count; i++) {
		const struct tfr_feed_sample *s;
		enum tfr_status status = tfr_batch_parse(parser, &b->records_at[i], 1, err);

		if (status == TFR_OK)
			continue;
		if (status != TFR_EDATA)
			return status;
		tfr_feature_error_alone(err->message);
		s = sample_of(b, i);
		assert(!b->bad[i] && b->records); /* gaps were closed before */
		b->bad[i] = true;
		b->records--;
		if (s) {
			b->payload_bytes -= s->size;
			tfr_feed_bad_record(tr->control, s, err);
		}
		if (!tr->set->opts.skip_bad)
			return TFR_ECANCELLED; /* the feed has failed with it */
	}
	tfr_staged_close_gaps(tr, b, count);
	return tfr_batch_parse(parser, b->records_at, b->records, err);
}

static enum tfr_status write_features(struct tfr_transfer *tr, struct tfr_batch_parser *parser,
	struct tfr_staged_batch *b, struct tfr_error *err)
{
	const struct tfr_batch_layout *y = &tr->layout;
	uint64_t bytes = tfr_feature_block_bytes(tr->set->features, parser);
	uint64_t before = (uint64_t)(b - b->home->batches) * y->stride;
	uint64_t need = y->features_at + bytes;
	enum tfr_status status;

	if (tr->set->opts.steps_per_transfer > 1 && need > y->stride)
		return tfr_staging_grow(b->home, b->home->capacity + need - y->stride, err);
	status = tfr_staging_grow(b->home, before + need, err);
	if (status)
		return status;
	tfr_staged_end_images(tr, b);
	tfr_feature_block_write(tr->set->features, parser,
		tfr_staged_memory(tr, b) + y->features_at, y->features_at,
		b->tensors + b->tensor_count);
	b->tensor_count += tr->set->features->tensors;
	b->used = need;
	return TFR_OK;
}

enum tfr_status tfr_staged_features(struct tfr_transfer *tr, struct tfr_staged_batch *b,
	struct tfr_batch_parser *parser, struct tfr_job_time *time, uint64_t *since,
	struct tfr_error *err)
{
	const struct tfr_feed_settings *set = tr->set;
	uint64_t start = *since, parsed;
	unsigned row = tfr_stage_list_find(&set->list, STAGE_PARSE);
	enum tfr_status status = tfr_batch_parse(parser, b->records_at, b->records, err);

	if (status == TFR_EDATA)
		status = leave_out(tr, parser, b, err);
	parsed = tfr_clock_ns();
	if (row < set->rows) {
		/* Where there are images, records are counted as they are searched for them. */
		tfr_job_time_add(time, row, parsed - start, set->images ? 0 : b->records,
			set->images ? 0 : b->payload_bytes);
		tfr_feed_trace(set, row, time->thread, start, parsed, b->number);
		*since = parsed;
	}
	return status ? status : write_features(tr, parser, b, err);
}
