/* sweep/deferred_faults.c - bad spans and records kept until their turn. */
#include "sweep/deferred_faults.h"

#include "base/error.h"
#include "sweep/sweep.h"

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
	a->spans.size = a->records.size = a->given = 0;
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
	enum tfr_status status;

	if (!a->turn && a->spans.size + size <= SPANS_HELD)
		return tfr_buf_append(&a->spans, data, size)
			       ? TFR_OK
			       : tfr_fail_nomem(err, "putting damage aside");
	if (!a->turn)
		tfr_lanes_reserve(a->lanes, a->item, TFR_ASIDE_BUDGET + 1);
	a->turn = true;
	status = put_spans(a, err);
	return status ? status : tfr_fault_put(a->policy, data, size, err);
}

/* The framed bytes of a record that belongs to a run. */
static struct bad_record framed(const struct tfr_record *rec, size_t before)
{
	return (struct bad_record){ rec->data - TFR_RECORD_HEADER, rec->size + TFR_RECORD_OVERHEAD,
		before };
}

enum tfr_status tfr_deferred_record(struct tfr_deferred_faults *a, const struct tfr_record *rec,
	size_t before, struct tfr_error *err)
{
	struct bad_record bad = framed(rec, before);

	return tfr_buf_append(&a->records, &bad, sizeof(bad))
		       ? TFR_OK
		       : tfr_fail_nomem(err, "putting damage aside");
}

enum tfr_status tfr_deferred_settle(struct tfr_deferred_faults *a, struct tfr_error *err)
{
	tfr_fault_tell(a->policy, &a->warnings);
	return put_spans(a, err);
}

enum tfr_status tfr_deferred_put_records(
	struct tfr_deferred_faults *a, size_t upto, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (; !status && a->given < a->records.size; a->given += sizeof(struct bad_record)) {
		const struct bad_record *bad = (const void *)(a->records.data + a->given);

		if (bad->before > upto)
			break;
		status = tfr_fault_put(a->policy, bad->data, bad->size, err);
	}
	return status;
}

void tfr_deferred_clear(struct tfr_deferred_faults *a)
{
	tfr_buf_clear(&a->warnings);
	tfr_buf_clear(&a->spans);
	tfr_buf_clear(&a->records);
}
