/* sweep/in_order.c - one stream over all inputs, with one run of records per item of the lanes.
 *
 * Items are read in order, examined in any order and settled in order.  An item keeps its warnings
 * and its bytes for the quarantine until it is settled, so that both follow the order of the
 * inputs. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "sweep/parts.h"
#include "thread/lanes.h"

struct slot {
	struct piece piece;
	struct tfr_buf keep;
};

static size_t stride_of(const struct tfr_sweep *s)
{
	return (sizeof(struct tfr_record) + s->verdict_size + 7) / 8 * 8;
}

static enum tfr_status read_in_order(struct run *r, struct piece *p, struct tfr_error *err)
{
	struct stream *st = &r->workers[0].stream;
	enum tfr_status status = TFR_END;

	while (status == TFR_END) {
		if (!st->reader) {
			if (r->next_file == r->files)
				return TFR_END;
			status = tfr_sweep_open(r, st, r->next_file++, err);
			if (status)
				return status;
		}
		status = tfr_sweep_read(r, st, p, err);
	}
	return status;
}

static enum tfr_status pull_item(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *data, uint32_t *lane, struct tfr_error *err)
{
	struct run *r = ctx;
	struct slot *slot = data;
	enum tfr_status status;

	(void)worker, (void)lane;
	slot->keep.size = 0;
	tfr_deferred_begin(&slot->piece.aside, &r->faults, lanes, i);
	status = read_in_order(r, &slot->piece, err);
	if (status == TFR_END) { /* this piece is never settled */
		r->last = slot->piece.aside;
		slot->piece.aside = (struct tfr_deferred_faults){ 0 };
	}
	return status;
}

static enum tfr_status examine_item(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *data, struct tfr_error *err)
{
	struct run *r = ctx;
	struct slot *slot = data;

	(void)lanes, (void)i;
	assert(worker < r->threads);
	return tfr_sweep_examine(r, &r->workers[worker], &slot->piece,
		r->s->settle ? &slot->keep : NULL, stride_of(r->s), err);
}

static enum tfr_status settle_item(void *ctx, uint64_t i, void *data, struct tfr_error *err)
{
	struct run *r = ctx;
	struct slot *slot = data;
	struct piece *p = &slot->piece;
	struct tfr_swept s = { .file = p->file, .path = sweep_path(r, p->file) };
	size_t stride = stride_of(r->s);
	enum tfr_status status = tfr_deferred_settle(&p->aside, err);

	(void)i;
	for (size_t at = 0; !status && at < slot->keep.size; at += stride) {
		const uint8_t *entry = slot->keep.data + at;

		status = tfr_deferred_put_records(&p->aside, at, err);
		memcpy(&s.rec, entry, sizeof(s.rec));
		if (!status)
			status = r->s->settle(r->s->ctx, &s, entry + sizeof(s.rec), err);
	}
	if (!status)
		status = tfr_deferred_put_records(&p->aside, SIZE_MAX, err);
	tfr_sweep_leave_gate(r, p);
	return status;
}

static void clear_slot(void *data)
{
	struct slot *slot = data;

	tfr_run_clear(&slot->piece.run);
	tfr_deferred_clear(&slot->piece.aside);
	tfr_buf_clear(&slot->keep);
}

enum tfr_status tfr_sweep_in_order(struct run *r, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = r->threads,
		.count = UINT64_MAX,
		.window = r->threads + 2,
		.budget = TFR_ASIDE_BUDGET,
		.slot_size = sizeof(struct slot),
		.pull = pull_item,
		.work = examine_item,
		.deliver = settle_item,
		.clear_slot = clear_slot,
	};
	enum tfr_status status = tfr_lanes_run(&lanes, r, err);

	tfr_fault_tell(&r->faults, &r->last.warnings);
	if (!status)
		status = tfr_deferred_settle(&r->last, err);
	tfr_deferred_clear(&r->last);
	return status;
}
