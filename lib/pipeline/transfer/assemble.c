/* pipeline/transfer/assemble.c - batches in staging memory, from their first place to the upload.
 *
 * A batch is open until its last place is assigned, closed until all its places are done, and
 * ready when it can be uploaded.  The thread that ends the last place of a closed batch finishes
 * it, or leaves it to a worker that completes it: gaps of broken images are closed, features
 * parsed, records copied.  A gap is filled with the batch's last image, the lowest place first: the
 * result is the same for any number of workers.  Features are in the final order of the images. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "device/stream_copy.h"
#include "pipeline/transfer/buffers.h"
#include "pipeline/transfer/feature_block.h"

static uint8_t *staged_memory(const struct tfr_transfer *tr, const struct tfr_staged_batch *b)
{
	return b->home->memory + (size_t)(b - b->home->batches) * tr->layout.stride;
}

/* ---- tensors ---- */

static void add_tensor(struct tfr_staged_batch *b, const char *name, enum tfr_dtype dtype,
	uint64_t offset, unsigned rank, const uint64_t *shape)
{
	struct tfr_tensor *t = &b->tensors[b->tensor_count++];
	int64_t stride = (int64_t)tfr_dtype_size(dtype);

	*t = (struct tfr_tensor){ .name = name, .dtype = dtype, .rank = rank, .offset = offset };
	memcpy(t->shape, shape, rank * sizeof(*shape));
	for (unsigned i = rank; i-- > 0;) {
		t->strides[i] = stride;
		stride *= (int64_t)shape[i];
	}
}

/* Audio is images without a height. */
static void add_images(struct tfr_staged_batch *b, const char *name, bool audio,
	const struct tfr_image_form *form, uint64_t offset)
{
	uint64_t shape[4] = { b->records };
	unsigned rank = 1;

	if (form->chw)
		shape[rank++] = form->channels;
	if (!audio)
		shape[rank++] = form->height;
	shape[rank++] = form->width;
	if (!form->chw)
		shape[rank++] = form->channels;
	add_tensor(b, name, form->dtype, offset, rank, shape);
}

static void describe_tensors(const struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	const struct tfr_batch_layout *l = &tr->layout;

	b->tensor_count = 0;
	if (l->images)
		add_images(b, l->audio ? "audio" : "image", l->audio, &l->image, 0);
	if (l->masks)
		add_images(b, "mask", false, &l->mask, l->mask_at);
	if (!l->images && !tr->settings->features) {
		uint64_t offsets = (uint64_t)b->records + 1;
		uint64_t bytes = b->used - offsets * sizeof(int64_t);

		add_tensor(b, "offsets", TFR_INT64, 0, 1, &offsets);
		add_tensor(b, "payload", TFR_UINT8, offsets * sizeof(int64_t), 1, &bytes);
	}
}

/* Sets the size of the batch and describes its tensors, without features. */
static void end_images(const struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	const struct tfr_batch_layout *l = &tr->layout;
	uint8_t *memory = staged_memory(tr, b);

	b->used = b->records * l->image_bytes;
	/* The bytes between tensors are uploaded, too, and are the same every time. */
	if (l->masks) {
		memset(memory + b->used, 0, l->mask_at - b->used);
		b->used = l->mask_at + b->records * l->mask_bytes;
	}
	if (tr->settings->features)
		memset(memory + b->used, 0, l->features_at - b->used);
	describe_tensors(tr, b);
}

/* ---- payloads: offsets, then the payloads one after the other ----
 *
 * Large payloads are copied as they come, a few at a time, while the block that they were read into
 * is in a cache, and past the caches, for the processor does not read them again.  A batch that
 * waited for its last record would hold all of its blocks, and they would come from memory again.
 * Payloads that do not fit into the planned memory, and small ones, are copied when the batch is
 * complete. */

/* Where the payloads begin in a batch of so many. */
static uint64_t payloads_at(uint32_t records)
{
	return ((uint64_t)records + 1) * sizeof(int64_t);
}

static bool end_pieces(const struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	uint64_t at = payloads_at(b->records);

	if (b->pieces < tr->settings->batch)
		return false;
	((int64_t *)staged_memory(tr, b))[b->records] = (int64_t)b->payload_bytes;
	b->used = at + b->payload_bytes;
	describe_tensors(tr, b);
	return true;
}

static void weigh_payloads(struct tfr_staged_batch *b)
{
	enum { AHEAD = 16 };

	for (uint32_t i = b->pieces; i < b->assigned; i++) {
		if (i + AHEAD < b->assigned)
			__builtin_prefetch(b->samples[i + AHEAD]);
		b->payload_bytes += b->samples[i]->size;
		b->epoch = b->samples[i]->epoch;
	}
}

static enum tfr_status copy_payloads(
	struct tfr_transfer *tr, struct tfr_staged_batch *b, struct tfr_error *err)
{
	uint64_t at = payloads_at(b->records), offset = b->payload_bytes;
	int64_t *offsets;
	uint8_t *bytes;

	TFR_TRY(tfr_staging_grow(b->home,
		(uint64_t)(b - b->home->batches) * tr->layout.stride + at + b->payload_bytes, err));
	if (tr->settings->opts.steps_per_transfer > 1 && at + b->payload_bytes > tr->layout.stride)
		return tfr_staging_grow(b->home, b->home->capacity + b->payload_bytes, err);
	offsets = (int64_t *)staged_memory(tr, b);
	bytes = (uint8_t *)offsets + at;
	for (uint32_t i = b->pieces; i < b->records; i++)
		offset -= b->samples[i]->size;
	if (b->pieces) /* they are where those of a full batch are */
		memmove(bytes, (uint8_t *)offsets + payloads_at(tr->settings->batch), offset);
	for (uint32_t i = b->pieces; i < b->records; i++) {
		const struct tfr_pipeline_sample *s = b->samples[i];

		offsets[i] = (int64_t)offset;
		memcpy(bytes + offset, s->data, s->size);
		offset += s->size;
	}
	offsets[b->records] = (int64_t)offset;
	b->used = at + offset;
	return TFR_OK;
}

/* ---- from open to ready ---- */

static struct tfr_staged_batch *batch_at(const struct tfr_transfer *tr, uint64_t number)
{
	uint64_t transfer = number / tr->settings->opts.steps_per_transfer;
	struct tfr_uploader *l = &tr->uploaders[transfer % tr->uploader_count];
	struct tfr_staging_buffer *b =
		&l->staging[transfer / tr->uploader_count % tr->settings->plan.staging];

	return &b->batches[number % tr->settings->opts.steps_per_transfer];
}

static bool is_free(const struct tfr_transfer *tr, uint64_t number)
{
	const struct tfr_staged_batch *b = batch_at(tr, number);

	if (b->state != STAGED_EMPTY)
		return false;
	return b->home->state == STAGING_FREE ||
	       (b->home->state == STAGING_FILLING && (b > b->home->batches || b->unwanted));
}

bool tfr_transfer_room(const struct tfr_transfer *tr, unsigned ahead)
{
	uint64_t number = tr->next_number + (tr->open != NULL);
	unsigned more = ahead + (tr->open == NULL);

	for (unsigned i = 0; i < more; i++)
		if (!is_free(tr, number + i))
			return false;
	return true;
}

void tfr_transfer_open_batch(struct tfr_transfer *tr)
{
	struct tfr_staged_batch *b;

	if (tr->open)
		return;
	b = batch_at(tr, tr->next_number);
	assert(b->state == STAGED_EMPTY && !b->assigned);
	if (b == b->home->batches) {
		assert(b->home->state != STAGING_FLYING);
		b->home->ready = 0;
		b->home->state = STAGING_FILLING;
	}
	b->state = STAGED_OPEN;
	b->number = tr->next_number;
	b->done = b->records = b->pieces = 0;
	b->unwanted = b->gaps = false;
	b->payload_bytes = b->used = 0;
	b->tensor_count = 0;
	tr->open = b;
}

static void mark_ready(struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	b->state = STAGED_READY;
	b->home->ready++;
	assert(b->home->ready <= tr->settings->opts.steps_per_transfer);
	tr->assembled.now++;
	tfr_statistics_count(tr->statistics, tr->settings->batch_row, 1, b->used);
	tr->control->moves++;
	tfr_uploader_look(b->home->uploader);
}

/* All its places are done. */
static void finish_batch(struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	assert(b->state == STAGED_CLOSED && b->done == b->assigned);
	if (b->unwanted) {
		if (b->samples)
			tfr_samples_put(tr->pool, b->samples, b->assigned);
		b->assigned = 0;
		b->state = STAGED_EMPTY;
		memset(b->bad, 0, tr->settings->batch * sizeof(*b->bad));
		tfr_control_wake_workers(tr->control);
	} else if (b->pieces && end_pieces(tr, b)) {
		b->assigned = 0;
		mark_ready(tr, b);
	} else if (b->gaps || b->samples ||
		   (tr->layout.masks && b->records < tr->settings->batch)) {
		b->next = NULL;
		*tr->incomplete_end = b;
		tr->incomplete_end = &b->next;
		tfr_control_wake_workers(tr->control);
	} else {
		end_images(tr, b);
		b->assigned = 0;
		mark_ready(tr, b);
	}
}

static void finish_if_done(struct tfr_transfer *tr, struct tfr_staged_batch *b)
{
	if (b->state == STAGED_CLOSED && b->done == b->assigned)
		finish_batch(tr, b);
}

static void close_batch(struct tfr_transfer *tr, bool epoch_ends)
{
	struct tfr_staged_batch *b = tr->open;

	assert(b && b->state == STAGED_OPEN && b->assigned <= tr->settings->batch);
	b->unwanted = epoch_ends && tr->settings->opts.drop_remainder &&
		      b->assigned < tr->settings->batch;
	b->state = STAGED_CLOSED;
	tr->open = NULL;
	tr->next_number += !b->unwanted;
	finish_if_done(tr, b);
}

void tfr_transfer_end_epoch(struct tfr_transfer *tr)
{
	if (tr->open)
		close_batch(tr, true);
}

void tfr_transfer_end(struct tfr_transfer *tr)
{
	if (tr->ended)
		return;
	tr->ended = true;
	tr->control->moves++;
	for (unsigned i = 0; i < tr->uploader_count; i++)
		tfr_uploader_look(&tr->uploaders[i]);
	pthread_cond_signal(&tr->control->arrivals);
}

/* ---- images ---- */

struct tfr_batch_place tfr_transfer_next_place(struct tfr_transfer *tr, uint64_t epoch)
{
	struct tfr_batch_place place;

	tfr_transfer_open_batch(tr);
	place = (struct tfr_batch_place){ tr->open, tr->open->assigned++ };
	tr->open->epoch = epoch;
	if (tr->open->assigned == tr->settings->batch)
		close_batch(tr, false);
	return place;
}

uint8_t *tfr_transfer_place_memory(
	const struct tfr_transfer *tr, struct tfr_batch_place place, bool mask)
{
	const struct tfr_batch_layout *l = &tr->layout;
	uint8_t *memory = staged_memory(tr, place.batch);

	assert(place.at < tr->settings->batch);
	return mask ? memory + l->mask_at + place.at * l->mask_bytes
		    : memory + place.at * l->image_bytes;
}

void tfr_transfer_place_done(struct tfr_transfer *tr, struct tfr_batch_place place,
	struct tfr_pipeline_sample *record, bool good, uint64_t bytes)
{
	struct tfr_staged_batch *b = place.batch;

	assert(b->done < b->assigned && place.at < b->assigned);
	if (b->samples)
		b->samples[place.at] = record;
	b->done++;
	b->bad[place.at] = !good;
	b->gaps |= !good;
	if (good) {
		b->records++;
		b->payload_bytes += bytes;
	}
	finish_if_done(tr, b);
}

/* ---- records ---- */

struct tfr_pipeline_sample **tfr_transfer_sample_room(const struct tfr_transfer *tr)
{
	return tr->open ? tr->open->samples + tr->open->assigned : NULL;
}

unsigned tfr_transfer_places(const struct tfr_transfer *tr)
{
	return tr->settings->batch - (tr->open ? tr->open->assigned : 0);
}

static void assign_places(
	struct tfr_transfer *tr, struct tfr_pipeline_sample **samples, unsigned count)
{
	struct tfr_staged_batch *b = tr->open;

	assert(b && count <= tr->settings->batch - b->assigned);
	if (samples != b->samples + b->assigned)
		memcpy(b->samples + b->assigned, samples, count * sizeof(*samples));
	b->assigned += count;
	b->records = b->assigned;
	if (b->assigned == tr->settings->batch)
		close_batch(tr, false);
}

/* The samples are not looked at here, under the lock: they may be in no cache. */
void tfr_transfer_add_samples(
	struct tfr_transfer *tr, struct tfr_pipeline_sample **samples, unsigned count)
{
	if (!count)
		return;
	tr->open->done += count; /* before it is closed, which may end it */
	assign_places(tr, samples, count);
}

bool tfr_transfer_add_piece(struct tfr_transfer *tr, struct tfr_pipeline_sample **samples,
	unsigned count, struct tfr_batch_piece *piece)
{
	struct tfr_staged_batch *b = tr->open;
	uint64_t bytes = 0, end, room;

	if (!count)
		return false;
	assert(b && b->samples && count <= tr->settings->batch - b->assigned);
	for (unsigned i = 0; i < count; i++)
		bytes += samples[i]->size;
	end = payloads_at(tr->settings->batch) + b->payload_bytes + bytes;
	/* The room of the batch in its transfer. */
	room = tr->settings->opts.steps_per_transfer > 1 ? tr->layout.stride : b->home->capacity;
	if (b->pieces < b->assigned || end > room) {
		tfr_transfer_add_samples(tr, samples, count);
		return false;
	}
	*piece = (struct tfr_batch_piece){ b, b->assigned, count, b->payload_bytes };
	b->payload_bytes += bytes;
	b->pieces += count;
	b->epoch = samples[0]->epoch;
	assign_places(tr, samples, count);
	return true;
}

void tfr_transfer_copy_piece(
	struct tfr_transfer *tr, const struct tfr_batch_piece *piece, struct tfr_work_time *time)
{
	struct tfr_staged_batch *b = piece->batch;
	struct tfr_pipeline_sample **samples = b->samples + piece->from;
	int64_t *offsets = (int64_t *)staged_memory(tr, b) + piece->from;
	uint8_t *to = staged_memory(tr, b) + payloads_at(tr->settings->batch);
	uint64_t start = tfr_clock_ns(), at = piece->at;

	for (unsigned i = 0; i < piece->count; i++) {
		offsets[i] = (int64_t)at;
		tfr_device_stream_store(to + at, samples[i]->data, samples[i]->size);
		at += samples[i]->size;
	}
	tfr_samples_put(tr->pool, samples, piece->count);
	memset(samples, 0, piece->count * sizeof(*samples));
	tfr_work_time_spend(time, tr->settings, tr->settings->batch_row, start, b->number);
}

void tfr_transfer_piece_done(struct tfr_transfer *tr, const struct tfr_batch_piece *piece)
{
	struct tfr_staged_batch *b = piece->batch;

	assert(piece->count <= b->assigned - b->done);
	b->done += piece->count;
	finish_if_done(tr, b);
}

/* ---- lists without batch ---- */

void tfr_transfer_begin_drop(struct tfr_transfer *tr)
{
	assert(!tr->settings->batches);
	tr->dropping++;
}

void tfr_transfer_end_drop(
	struct tfr_transfer *tr, uint64_t records, uint64_t bytes, uint64_t epoch)
{
	assert(tr->dropping);
	tr->dropping--;
	tr->dropped_records += records;
	tr->dropped_bytes += bytes;
	if (records && epoch > tr->dropped_epoch)
		tr->dropped_epoch = epoch;
	tfr_control_wake_workers(tr->control);
	pthread_cond_signal(&tr->control->arrivals);
}

/* ---- completing ---- */

struct tfr_staged_batch *tfr_transfer_take_incomplete(struct tfr_transfer *tr)
{
	struct tfr_staged_batch *b = tr->incomplete;

	if (!b)
		return NULL;
	assert(b->state == STAGED_CLOSED);
	tr->incomplete = b->next;
	if (!tr->incomplete)
		tr->incomplete_end = &tr->incomplete;
	tfr_control_wake_workers(tr->control);
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
	uint8_t *memory = staged_memory(tr, b), *masks = memory + l->mask_at;

	memcpy(memory + to * l->image_bytes, memory + from * l->image_bytes, l->image_bytes);
	if (l->masks)
		memcpy(masks + to * l->mask_bytes, masks + from * l->mask_bytes, l->mask_bytes);
	if (b->records_at)
		b->records_at[to] = b->records_at[from];
}

enum { LINE = 64, FETCHED = 512 };

/* The record of every place: copies of an image have that of the first. */
static void note_records(struct tfr_staged_batch *b)
{
	const struct tfr_pipeline_sample *last = NULL;

	for (uint32_t i = 0; i < b->assigned; i++) {
		if (b->samples[i])
			last = b->samples[i];
		/* Samples from a shuffle buffer are in no cache; varints are decoded 64 bytes at
		 * a time, beyond the last one. */
		for (size_t at = 0; last && at <= last->size && at < FETCHED; at += LINE)
			__builtin_prefetch(last->data + at);
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
	memset(b->bad, 0, tr->settings->batch * sizeof(*b->bad));
}

/* ---- features, after the images in the staging memory ----
 *
 * All records of a batch are parsed together.  If one lacks a feature, they are parsed one at a
 * time: those that fail leave gaps, which are closed as those of broken images are, and the
 * others are parsed again. */

/* The sample that the record of a place is of, unless a place before it had the same record and
 * failed too. */
static const struct tfr_pipeline_sample *sample_of(const struct tfr_staged_batch *b, uint32_t place)
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
		const struct tfr_pipeline_sample *s;
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
			tfr_control_bad_record(tr->control, s, err);
		}
		if (!tr->settings->opts.skip_bad)
			return TFR_ECANCELLED; /* the feed has failed with it */
	}
	close_gaps(tr, b, count);
	return tfr_batch_parse(parser, b->records_at, b->records, err);
}

static enum tfr_status write_features(struct tfr_transfer *tr, struct tfr_batch_parser *parser,
	struct tfr_staged_batch *b, struct tfr_error *err)
{
	const struct tfr_batch_layout *y = &tr->layout;
	uint64_t bytes = tfr_feature_block_bytes(tr->settings->features, parser);
	uint64_t before = (uint64_t)(b - b->home->batches) * y->stride;
	uint64_t need = y->features_at + bytes;

	if (tr->settings->opts.steps_per_transfer > 1 && need > y->stride)
		return tfr_staging_grow(b->home, b->home->capacity + need - y->stride, err);
	TFR_TRY(tfr_staging_grow(b->home, before + need, err));
	end_images(tr, b);
	tfr_feature_block_write(tr->settings->features, parser,
		staged_memory(tr, b) + y->features_at, y->features_at,
		b->tensors + b->tensor_count);
	b->tensor_count += tr->settings->features->tensors;
	b->used = need;
	return TFR_OK;
}

/* Parses and writes the features of the batch's records; on the account of parse up to `since`,
 * which it moves. */
static enum tfr_status put_features(struct tfr_transfer *tr, struct tfr_staged_batch *b,
	struct tfr_batch_parser *parser, struct tfr_work_time *time, uint64_t *since,
	struct tfr_error *err)
{
	const struct tfr_settings *settings = tr->settings;
	unsigned row = tfr_stage_list_find(&settings->list, STAGE_PARSE);
	enum tfr_status status = tfr_batch_parse(parser, b->records_at, b->records, err);

	if (status == TFR_EDATA)
		status = leave_out(tr, parser, b, err);
	if (row < settings->rows) {
		/* Where there are images, records are counted as they are searched for them. */
		if (!settings->images)
			tfr_work_time_add(time, row, 0, b->records, b->payload_bytes);
		*since = tfr_work_time_spend(time, settings, row, *since, b->number);
	}
	return status ? status : write_features(tr, parser, b, err);
}

/* Sets *start to the time from which on the work is that of batch. */
static enum tfr_status complete_content(struct tfr_transfer *tr, struct tfr_staged_batch *b,
	struct tfr_batch_parser *parser, struct tfr_work_time *time, uint64_t *start,
	struct tfr_error *err)
{
	if (!tr->settings->images)
		weigh_payloads(b);
	if (b->records_at)
		note_records(b);
	if (b->gaps)
		close_gaps(tr, b, b->assigned);
	if (tr->settings->features)
		return put_features(tr, b, parser, time, start, err);
	if (!b->samples) {
		end_images(tr, b);
		return TFR_OK;
	}
	TFR_TRY(copy_payloads(tr, b, err));
	describe_tensors(tr, b);
	return TFR_OK;
}

enum tfr_status tfr_transfer_complete(struct tfr_transfer *tr, struct tfr_staged_batch *b,
	struct tfr_batch_parser *parser, struct tfr_work_time *time, struct tfr_error *err)
{
	uint64_t start = tfr_clock_ns();
	enum tfr_status status = complete_content(tr, b, parser, time, &start, err);

	if (b->samples) {
		tfr_samples_put(tr->pool, b->samples, b->assigned);
		memset(b->samples, 0, tr->settings->batch * sizeof(struct tfr_pipeline_sample *));
	}
	tfr_work_time_spend(time, tr->settings, tr->settings->batch_row, start, b->number);
	return status;
}

void tfr_transfer_completed(struct tfr_transfer *tr, struct tfr_staged_batch *b, bool good)
{
	b->assigned = 0;
	if (good)
		mark_ready(tr, b);
}
