/* pipeline/transfer/verify_upload.c - compares an upload with the staging memory, and floats
 * that the device made with those that this processor makes of the same bytes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/transfer/buffers.h"

static enum tfr_status differs(const struct tfr_uploader *l, const struct tfr_staged_batch *f,
	uint64_t byte, const char *what, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "batch %llu on %s is not what was sent: %s %llu differs",
		(unsigned long long)f->number, tfr_device_name(l->device), what,
		(unsigned long long)byte);
}

static enum tfr_status compare_bytes(struct tfr_uploader *l, const struct tfr_staging_buffer *b,
	const struct tfr_staged_batch *f, struct tfr_error *err)
{
	uint64_t at = (uint64_t)(f - b->batches) * l->transfer->layout.stride;
	const uint8_t *sent = b->memory + at, *got = l->check + at;
	uint64_t i = 0;

	assert(at + f->used <= l->check_capacity);
	if (!memcmp(sent, got, f->used))
		return TFR_OK;
	while (sent[i] == got[i]) /* one differs */
		i++;
	return differs(l, f, i, "byte", err);
}

static enum tfr_status compare_made(struct tfr_uploader *l, const struct tfr_staging_buffer *b,
	const struct tfr_device_buffer *t, const struct tfr_staged_batch *f, struct tfr_error *err)
{
	const struct tfr_transfer *tr = l->transfer;
	uint64_t number = (uint64_t)(f - b->batches), one = tr->layout.image_bytes;
	const uint8_t *sent = b->memory + number * tr->layout.stride;
	const uint8_t *got = l->check + t->made_at + number * tr->set->batch * one * sizeof(float);

	for (uint64_t i = 0; i < f->records * one; i++) {
		unsigned c = (unsigned)(i % tr->set->channels);
		float made = ((float)sent[i] - tr->set->mean[c]) / tr->set->std[c];

		if (memcmp(&made, got + i * sizeof(made), sizeof(made)))
			return differs(l, f, i * sizeof(made), "byte", err);
	}
	return TFR_OK;
}

/* A batch may be larger than planned. */
static enum tfr_status grow_check(struct tfr_uploader *l, uint64_t need, struct tfr_error *err)
{
	if (need <= l->check_capacity)
		return TFR_OK;
	free(l->check);
	l->check = malloc(need + need / 8);
	l->check_capacity = l->check ? need + need / 8 : 0;
	return l->check ? TFR_OK : tfr_fail_nomem(err, "making room for a batch copied back");
}

enum tfr_status tfr_upload_verify(struct tfr_uploader *l, const struct tfr_staging_buffer *b,
	const struct tfr_device_buffer *t, struct tfr_error *err)
{
	struct tfr_transfer *tr = l->transfer;
	enum tfr_status status =
		grow_check(l, tr->made_bytes ? t->made_at + tr->made_bytes : b->bytes, err);

	if (status == TFR_OK)
		status = tfr_device_download(l->device, l->check, t->memory, b->bytes, err);
	if (status == TFR_OK && tr->made_bytes)
		status = tfr_device_download(l->device, l->check + t->made_at,
			t->memory + t->made_at, tr->made_bytes, err);
	for (unsigned i = 0; status == TFR_OK && i < tr->set->opts.steps_per_transfer; i++) {
		const struct tfr_staged_batch *f = &b->batches[i];

		if (f->state != STAGED_READY || !f->records)
			continue;
		status = compare_bytes(l, b, f, err);
		if (status == TFR_OK && tr->made_bytes)
			status = compare_made(l, b, t, f, err);
	}
	return status;
}
