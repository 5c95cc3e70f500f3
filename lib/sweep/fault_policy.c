/* sweep/fault_policy.c - counts faults, words the warnings, and keeps bad spans and records
 * until their turn. */
#include "sweep/fault_policy.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

void tfr_fault_policy_init(struct tfr_fault_policy *p)
{
	if (!p->meet)
		p->meet = tfr_fault_skip;
	pthread_mutex_init(&p->lock, NULL);
}

void tfr_fault_policy_clear(struct tfr_fault_policy *p)
{
	pthread_mutex_destroy(&p->lock);
}

void tfr_fault_warn(struct tfr_fault_policy *p, struct tfr_buf *later, const char *text)
{
	if (!p->warn || (later && tfr_buf_append(later, text, strlen(text) + 1)))
		return;
	pthread_mutex_lock(&p->lock);
	p->warn(p->ctx, text);
	pthread_mutex_unlock(&p->lock);
}

void tfr_fault_tell(struct tfr_fault_policy *p, struct tfr_buf *later)
{
	for (size_t at = 0; at < later->size; at += strlen((char *)later->data + at) + 1)
		tfr_fault_warn(p, NULL, (char *)later->data + at);
	later->size = 0;
}

void tfr_fault_warn_empty(struct tfr_fault_policy *p, struct tfr_buf *later, const char *path)
{
	char text[4400];

	if (!strcmp(path, "-"))
		return;
	snprintf(text, sizeof(text), "'%s' holds no records", path);
	tfr_fault_warn(p, later, text);
}

enum tfr_status tfr_fault_skip_record(struct tfr_fault_policy *p, struct tfr_buf *later,
	enum tfr_status status, const struct tfr_error *why, const void *record, size_t size)
{
	char text[8192];

	if (status != TFR_EDATA || p->on_fault == TFR_ON_FAULT_FAIL)
		return status;
	__atomic_fetch_add(&p->faults, 1, __ATOMIC_RELAXED);
	if (p->skipped) {
		pthread_mutex_lock(&p->lock);
		p->skipped(p->ctx, why, record, size);
		pthread_mutex_unlock(&p->lock);
	} else {
		tfr_fault_warn(p, later, tfr_error_format(why, text, sizeof(text)));
	}
	return TFR_OK;
}

enum tfr_status tfr_fault_put(void *policy, const void *data, size_t size, struct tfr_error *err)
{
	struct tfr_fault_policy *p = policy;
	struct iovec piece = { (void *)(uintptr_t)data, size };

	return size ? tfr_stream_writer_put(p->quarantine, &piece, 1, err) : TFR_OK;
}

/* --- faults kept until their turn --- */

enum { SPANS_HELD = 1 << 20 };

struct bad_record {
	const uint8_t *data;
	uint64_t size;
	size_t before;
};

void tfr_deferred_begin(struct tfr_deferred_faults *a, struct tfr_fault_policy *policy,
	struct tfr_lanes_run *lanes, uint64_t item)
{
	a->policy = policy;
	a->lanes = lanes;
	a->item = item;
	a->turn = false;
	a->spans.size = a->records.size = a->given = a->before = 0;
}

static enum tfr_status put_spans(struct tfr_deferred_faults *a, struct tfr_error *err)
{
	size_t size = a->spans.size;

	a->spans.size = 0;
	return tfr_fault_put(a->policy, a->spans.data, size, err);
}

enum tfr_status tfr_deferred_span(
	struct tfr_deferred_faults *a, const void *data, size_t size, struct tfr_error *err)
{
	if (!a->turn && a->spans.size + size <= SPANS_HELD)
		return tfr_buf_append(&a->spans, data, size)
			       ? TFR_OK
			       : tfr_fail_nomem(err, "putting damage aside");
	if (!a->turn)
		tfr_lanes_reserve(a->lanes, a->item, TFR_DEFERRED_BUDGET + 1);
	a->turn = true;
	TFR_TRY(put_spans(a, err));
	return tfr_fault_put(a->policy, data, size, err);
}

/* The framed bytes of a record that belongs to a run. */
static struct bad_record framed(const struct tfr_record *rec, size_t before)
{
	return (struct bad_record){ rec->data - TFR_RECORD_HEADER, rec->size + TFR_RECORD_OVERHEAD,
		before };
}

/* The record stays where it is, in the memory of the piece. */
static enum tfr_status put_aside(
	struct tfr_deferred_faults *a, const struct tfr_record *rec, struct tfr_error *err)
{
	struct bad_record bad = framed(rec, a->before);

	TFR_NEED_MEMORY(
		tfr_buf_append(&a->records, &bad, sizeof(bad)), err, "putting damage aside");
	return TFR_OK;
}

enum tfr_status tfr_fault_skip(
	struct tfr_fault_policy *p, const struct tfr_fault_met *fault, struct tfr_error *err)
{
	struct tfr_deferred_faults *a = fault->result;
	uint64_t lost;

	if ((!fault->reader && !fault->bad) || tfr_fault_skip_record(p, a ? &a->warnings : NULL,
						       fault->why->status, fault->why, NULL, 0))
		return tfr_error_pass(fault->why, err);
	/* The reader has given the bytes to the quarantine itself.  After a bad payload it is past
	 * the record, and this does nothing. */
	if (fault->reader)
		return tfr_reader_resync(fault->reader, &lost, err);
	return a && p->quarantine ? put_aside(a, fault->bad, err) : TFR_OK;
}

enum tfr_status tfr_deferred_settle(struct tfr_deferred_faults *a, struct tfr_error *err)
{
	tfr_fault_tell(a->policy, &a->warnings);
	return put_spans(a, err);
}

enum tfr_status tfr_deferred_put_records(
	struct tfr_deferred_faults *a, size_t upto, struct tfr_error *err)
{
	for (; a->given < a->records.size; a->given += sizeof(struct bad_record)) {
		const struct bad_record *bad = (const void *)(a->records.data + a->given);

		if (bad->before > upto)
			break;
		TFR_TRY(tfr_fault_put(a->policy, bad->data, bad->size, err));
	}
	return TFR_OK;
}

void tfr_deferred_clear(struct tfr_deferred_faults *a)
{
	tfr_buf_clear(&a->warnings);
	tfr_buf_clear(&a->spans);
	tfr_buf_clear(&a->records);
}
