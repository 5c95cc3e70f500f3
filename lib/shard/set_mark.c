/* shard/set_mark.c - the position of every shard of a set, so that another run can continue there.
 *
 * A mark is taken while no thread writes, after everything up to it is on disk.  So the temporaries
 * always have at least that much, and a run that resumes cuts off the rest. */
#include "base/error.h"
#include "io/output.h"
#include "shard/set_writer_state.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* The head of the mark of a set; the marks of its open shards follow. */
struct head {
	uint32_t count;
	uint32_t sealed;
	uint64_t bytes, records; /* of the shard that fills now */
};

struct marking {
	struct tfr_set_writer *w;
	struct tfr_buf *all;
};

/* Each thread forces one shard to disk; the marks are joined in the order of the shards. */
static enum tfr_status mark_one(void *ctx, struct tfr_lanes_run *run, unsigned worker,
	uint64_t shard, void *slot, struct tfr_error *err)
{
	struct marking *m = ctx;
	struct tfr_buf *own = slot;

	(void)run;
	(void)worker;
	own->size = 0;
	return tfr_writer_mark_place(m->w->shards[shard], own, err);
}

static enum tfr_status add_one(void *ctx, uint64_t shard, void *slot, struct tfr_error *err)
{
	struct marking *m = ctx;
	struct tfr_buf *own = slot;

	(void)shard;
	return tfr_buf_append(m->all, own->data, own->size)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "noting what is written");
}

static void clear_slot(void *slot)
{
	tfr_buf_clear(slot);
}

enum tfr_status tfr_set_writer_mark(
	struct tfr_set_writer *w, struct tfr_buf *mark, struct tfr_error *err)
{
	struct head head = { w->count, w->sealed, w->bytes, w->records };
	struct marking m = { w, mark };
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(0),
		.count = w->count,
		.slot_size = sizeof(struct tfr_buf),
		.work = mark_one,
		.deliver = add_one,
		.clear_slot = clear_slot,
	};
	enum tfr_status status;

	if (!tfr_buf_append(mark, &head, sizeof(head)))
		return tfr_fail_nomem(err, "noting what is written");
	status = tfr_lanes_run(&lanes, &m, err);
	/* The temporary names too. */
	return status || !w->lock ? status : tfr_sync_directory_of(tfr_lock_path(w->lock), err);
}

static enum tfr_status resume_filling(struct tfr_set_writer *w, const struct head *head,
	struct tfr_unread *mark, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	w->name.count = head->count; /* the number in the names, if the set was already sealed */
	while (!status && w->count < head->count) {
		status = tfr_set_fill_grow(w, mark, err);
		if (!status && w->count < head->count)
			status = tfr_writer_end(w->shards[w->count - 1], w->count > 1, err);
	}
	return status;
}

enum tfr_status tfr_set_writer_resume(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct head head;

	if (!tfr_unread_copy(mark, &head, sizeof(head)) || !head.count ||
		(!w->fills && head.count != w->count))
		return tfr_fail(err, TFR_EDATA, "the saved state does not fit the set");
	w->sealed = head.sealed;
	if (w->fills)
		status = resume_filling(w, &head, mark, err);
	for (uint32_t k = 0; !w->fills && !status && k < w->count; k++)
		status = tfr_set_writer_open_shard(w, k, mark, err);
	w->bytes = head.bytes;
	w->records = head.records;
	return status;
}

void tfr_set_writer_keep(struct tfr_set_writer *w)
{
	for (uint32_t k = 0; k < w->count; k++)
		tfr_writer_keep(w->shards[k]);
}
