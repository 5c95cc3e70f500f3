/* pipeline/transfer/tfr_staged_features.c - the features of a batch's records, in the staging block
 * behind its images.
 *
 * All records of a batch are parsed in one go.  Where one lacks a feature they are tried one by
 * one: those that fail leave gaps, which are closed as those of broken images are, and the rest
 * is parsed again. */
#include "base/error.h"
#include "pipeline/state.h"

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
static enum tfr_status leave_out(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_staged_batch *b)
{
	uint32_t count = b->records;

	for (uint32_t i = 0; i < count; i++) {
		const struct tfr_feed_sample *s;
		enum tfr_status status = tfr_batch_parse(w->parser, &b->records_at[i], 1, &w->err);

		if (status == TFR_OK)
			continue;
		if (status != TFR_EDATA)
			return status;
		tfr_feature_error_alone(w->err.message);
		s = sample_of(b, i);
		b->bad[i] = true;
		b->records--;
		if (s) {
			b->payload_bytes -= s->size;
			tfr_feed_bad_record(p, s, &w->err);
		}
		if (!p->opts.skip_bad)
			return TFR_ECANCELLED; /* the feed has failed with it */
	}
	tfr_staged_close_gaps(p, b, count);
	return tfr_batch_parse(w->parser, b->records_at, b->records, &w->err);
}

static enum tfr_status write_features(struct tfr_pipeline *p, struct tfr_worker *w,
	struct tfr_uploader *l, struct tfr_staged_batch *b)
{
	const struct tfr_batch_layout *y = &p->layout;
	uint64_t bytes = tfr_feature_block_bytes(p->features, w->parser);
	uint64_t before = (uint64_t)(b - b->home->fills) * y->stride;
	uint64_t need = y->features_at + bytes;
	enum tfr_status status;

	if (p->opts.steps_per_transfer > 1 && need > y->stride)
		return tfr_staging_grow(l, b->home, b->home->capacity + need - y->stride, &w->err);
	status = tfr_staging_grow(l, b->home, before + need, &w->err);
	if (status)
		return status;
	tfr_staged_end_images(p, b);
	tfr_feature_block_write(p->features, w->parser, tfr_staged_memory(p, b) + y->features_at,
		y->features_at, b->tensors + b->tensor_count);
	b->tensor_count += p->features->tensors;
	b->used = need;
	return TFR_OK;
}

enum tfr_status tfr_staged_features(struct tfr_pipeline *p, struct tfr_worker *w,
	struct tfr_uploader *l, struct tfr_staged_batch *b, uint64_t *since)
{
	uint64_t start = *since, parsed;
	unsigned row = tfr_stage_list_find(&p->list, STAGE_PARSE);
	enum tfr_status status = tfr_batch_parse(w->parser, b->records_at, b->records, &w->err);

	if (status == TFR_EDATA)
		status = leave_out(p, w, b);
	parsed = tfr_clock_ns();
	if (row < p->rows) {
		/* Where there are images its records are counted as they are looked into. */
		tfr_worker_spent(w, row, parsed - start, p->images ? 0 : b->records,
			p->images ? 0 : b->payload_bytes);
		tfr_feed_trace(p, row, w->number, start, parsed, b->number);
		*since = parsed;
	}
	return status ? status : write_features(p, w, l, b);
}
