/* pipeline/transfer/complete.c - the last work on a batch whose places are done: gaps of broken
 * images are closed, features parsed, records copied; then its tensors are described.
 *
 * A gap is filled with the batch's last image, the lowest place first: the result is the same
 * for any number of workers.  Features are in the final order of the images. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/transfer/buffers.h"

struct tfr_staged_batch *tfr_transfer_take_incomplete(struct tfr_transfer *tr)
{
	struct tfr_staged_batch *b = tr->incomplete;

	if (!b)
		return NULL;
	assert(b->state == STAGED_CLOSED);
	tr->incomplete = b->next;
	if (!tr->incomplete)
		tr->incomplete_end = &tr->incomplete;
	tfr_feed_wake_workers(tr->control);
	return b;
}

bool tfr_transfer_has_incomplete(const struct tfr_transfer *tr)
{
	return tr->incomplete;
}

static void move_place(
	const struct tfr_transfer *tr, struct tfr_staged_batch *b, uint32_t to, uint32_t from)
{
	const struct tfr_batch_layout *l = &tr->layout;
	uint8_t *memory = tfr_staged_memory(tr, b), *masks = memory + l->mask_at;

	memcpy(memory + to * l->image_bytes, memory + from * l->image_bytes, l->image_bytes);
	if (l->masks)
		memcpy(masks + to * l->mask_bytes, masks + from * l->mask_bytes, l->mask_bytes);
	if (b->records_at)
		b->records_at[to] = b->records_at[from];
}

enum { LINE = 64, FETCHED = 512 };

/* Samples from a shuffle buffer are in no cache; varints are decoded 64 bytes at a time, beyond
 * the last one. */
static void fetch(const uint8_t *data, size_t size)
{
	for (size_t at = 0; at <= size && at < FETCHED; at += LINE)
		__builtin_prefetch(data + at);
}

/* The record of every place: copies of an image have that of the first. */
static void note_records(struct tfr_staged_batch *b)
{
	const struct tfr_feed_sample *last = NULL;

	for (uint32_t i = 0; i < b->assigned; i++) {
		if (b->samples[i])
			last = b->samples[i];
		if (last)
			fetch(last->data, last->size);
		b->records_at[i] = last ? (struct tfr_bytes){ last->data, last->size }
					: (struct tfr_bytes){ NULL, 0 };
	}
}

/* Fills the gaps among the first `end` places, the lowest first, with the last good ones. */
static void close_gaps(const struct tfr_transfer *tr, struct tfr_staged_batch *b, uint32_t end)
{
	for (uint32_t i = 0; i < end; i++) {
		if (!b->bad[i])
			continue;
		while (end > i + 1 && b->bad[end - 1])
			end--;
		end--;
		assert(end >= i); /* the place itself is a gap */
		if (end > i)
			move_place(tr, b, i, end);
	}
	memset(b->bad, 0, tr->set->batch * sizeof(*b->bad));
}

/* ---- tensors ---- */

static void strides_of(struct tfr_tensor *t)
{
	int64_t stride = (int64_t)tfr_dtype_size(t->dtype);

	for (unsigned i = t->rank; i-- > 0;) {
		t->strides[i] = stride;
		stride *= (int64_t)t->shape[i];
	}
}

static void add_tensor(struct tfr_staged_batch *b, const char *name, enum tfr_dtype dtype,
	uint64_t offset, unsigned rank, const uint64_t *shape)
{
	struct tfr_tensor *t = &b->tensors[b->tensor_count++];

	*t = (struct tfr_tensor){ .name = name, .dtype = dtype, .rank = rank, .offset = offset };
	memcpy(t->shape, shape, rank * sizeof(*shape));
	strides_of(t);
}

static void add_images(struct tfr_staged_batch *b, const char *name,
	const struct tfr_image_form *form, uint64_t offset)
{
	uint64_t hwc[] = { b->records, form->height, form->width, form->channels };
	uint64_t chw[] = { b->records, form->channels, form->height, form->width };

	add_tensor(b, name, form->dtype, offset, 4, form->chw ? chw : hwc);
}

static void add_audio(struct tfr_staged_batch *b, const struct tfr_image_form *form)
{
	uint64_t last[] = { b->records, form->width, form->channels };
	uint64_t first[] = { b->records, form->channels, form->width };

	add_tensor(b, "audio", form->dtype, 0, 3, form->chw ? first : last);
}

void tfr_staged_describe(const struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	const struct tfr_batch_layout *l = &tr->layout;

	b->tensor_count = 0;
	if (l->images && l->audio)
		add_audio(b, &l->image);
	else if (l->images)
		add_images(b, "image", &l->image, 0);
	if (l->masks)
		add_images(b, "mask", &l->mask, l->mask_at);
	if (!l->images && !tr->set->features) {
		uint64_t offsets = (uint64_t)b->records + 1;
		uint64_t bytes = b->used - offsets * sizeof(int64_t);

		add_tensor(b, "offsets", TFR_INT64, 0, 1, &offsets);
		add_tensor(b, "payload", TFR_UINT8, offsets * sizeof(int64_t), 1, &bytes);
	}
}

/* ---- features, after the images in the staging memory ----
 *
 * All records of a batch are parsed together.  If one lacks a feature, they are parsed one at a
 * time: those that fail leave gaps, which are closed as those of broken images are, and the
 * others are parsed again. */

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
	close_gaps(tr, b, count);
	return tfr_batch_parse(parser, b->records_at, b->records, err);
}

static enum tfr_status write_features(struct tfr_transfer *tr, struct tfr_batch_parser *parser,
	struct tfr_staged_batch *b, struct tfr_error *err)
{
	const struct tfr_batch_layout *y = &tr->layout;
	uint64_t bytes = tfr_feature_block_bytes(tr->set->features, parser);
	uint64_t before = (uint64_t)(b - b->home->batches) * y->stride;
	uint64_t need = y->features_at + bytes;

	if (tr->set->opts.steps_per_transfer > 1 && need > y->stride)
		return tfr_staging_grow(b->home, b->home->capacity + need - y->stride, err);
	TFR_TRY(tfr_staging_grow(b->home, before + need, err));
	tfr_staged_end_images(tr, b);
	tfr_feature_block_write(tr->set->features, parser,
		tfr_staged_memory(tr, b) + y->features_at, y->features_at,
		b->tensors + b->tensor_count);
	b->tensor_count += tr->set->features->tensors;
	b->used = need;
	return TFR_OK;
}

/* Parses and writes the features of the batch's records; on the account of parse up to `since`,
 * which it moves. */
static enum tfr_status put_features(struct tfr_transfer *tr, struct tfr_staged_batch *b,
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

/* ---- the job ---- */

/* Sets *start to the time from which on the work is that of batch. */
static enum tfr_status complete(struct tfr_transfer *tr, struct tfr_staged_batch *b,
	struct tfr_batch_parser *parser, struct tfr_job_time *time, uint64_t *start,
	struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (!tr->set->images)
		tfr_staged_weigh(b);
	if (b->records_at)
		note_records(b);
	if (b->gaps)
		close_gaps(tr, b, b->assigned);
	if (tr->set->features) {
		status = put_features(tr, b, parser, time, start, err);
	} else if (b->samples) {
		status = tfr_staged_copy_payloads(tr, b, err);
		tfr_staged_describe(tr, b);
	} else {
		tfr_staged_end_images(tr, b);
	}
	return status;
}

enum tfr_status tfr_transfer_complete(struct tfr_transfer *tr, struct tfr_staged_batch *b,
	struct tfr_batch_parser *parser, struct tfr_job_time *time, struct tfr_error *err)
{
	uint64_t start = tfr_clock_ns(), end;
	enum tfr_status status = complete(tr, b, parser, time, &start, err);

	if (b->samples) {
		tfr_samples_put(tr->pool, b->samples, b->assigned);
		memset(b->samples, 0, tr->set->batch * sizeof(struct tfr_feed_sample *));
	}
	end = tfr_clock_ns();
	tfr_job_time_add(time, tr->set->batch_row, end - start, 0, 0);
	tfr_feed_trace(tr->set, tr->set->batch_row, time->thread, start, end, b->number);
	return status;
}

void tfr_transfer_completed(struct tfr_transfer *tr, struct tfr_staged_batch *b, bool good)
{
	b->assigned = 0;
	if (good)
		tfr_staged_ready(tr, b);
}
