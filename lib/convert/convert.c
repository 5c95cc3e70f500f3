/* convert/convert.c - converts an input to sets: fetches items one at a time, makes their
 * records on all threads, and writes them in order.
 *
 * Loaders run ahead in a bounded window.  The thread that has made the next record of a shard
 * writes it, directly from the buffer that the file was read into.  Shards are lanes: each gets
 * its items in order, and none waits for another.  Warnings and the quarantine are written in
 * the order of items, so that they are the same for any number of threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/rng.h"
#include "convert/findings.h"
#include "convert/outputs.h"
#include "thread/threads.h"

enum { MEMORY = 256 << 20, WINDOW = 16 /* items in progress, per thread */ };
/* items for which handing them to a thread costs more than making them */
enum { SMALL_ITEM = 4 << 10 };

/* --- reuse of buffers --- */

/* The buffers of written records, to read the next files: a stack under a lock, which is held for a
 * few instructions.  The last buffer returned is the first to be used again, because its bytes are
 * still in the processor's cache.  A buffer that waited its turn in the ring of items is not.
 * Reading into a cached buffer and writing from it saves the trip to memory, a fifth of all the
 * work. */
struct spares {
	pthread_mutex_t lock;
	struct tfr_buf *at;
	size_t count, most;
};

/* Exchanges an empty buffer for one with memory, if there is one.  Any thread may call it. */
static void take_spare(struct spares *s, struct tfr_buf *to)
{
	if (to->data)
		return;
	pthread_mutex_lock(&s->lock);
	if (s->count) {
		*to = s->at[--s->count];
		to->size = 0;
	}
	pthread_mutex_unlock(&s->lock);
}

/* Takes a buffer and leaves an empty one; if the pool is full, the buffer stays with the caller. */
static void give_spare(struct spares *s, struct tfr_buf *from)
{
	pthread_mutex_lock(&s->lock);
	if (from->data && s->count < s->most) {
		s->at[s->count++] = *from;
		*from = (struct tfr_buf){ 0 };
	}
	pthread_mutex_unlock(&s->lock);
}

struct run {
	const struct tfr_convert_opts *opts;
	struct tfr_convert_report *report;
	struct tfr_input *in;
	struct tfr_sets sets;
	struct tfr_labels labels;
	struct tfr_tfds tfds;
	struct tfr_findings findings;
	struct tfr_checkpoint checkpoint;
	uint64_t marks;		  /* the sum of those of the items */
	uint64_t checked;	  /* items done at the last checkpoint */
	bool paused;		  /* to note it */
	bool sealed;		  /* everything is written and on disk */
	uint32_t *order;	  /* of a list's items, shuffled; NULL: the order of the list */
	/* Of a part, whose items are those in `order`: their places in their sets.  Places follow
	 * from the order of all items, whether or not those before become records.  So each part
	 * finds its own items, and the bytes are those of one process. */
	uint64_t *ranks;
	size_t cap_ranks;
	uint64_t next; /* item to ask for */
	uint64_t end;  /* after the last one */
	unsigned threads;
	struct tfr_workbench *benches; /* one per thread */
	struct spares spares;	       /* of item->file */
	struct tfr_error late;	       /* a failure in a function that cannot return one */
	atomic_bool hopeless;	       /* too many items are lost, which is that failure */
};

/* --- one item --- */

/* Fetches the next item that goes to a set. */
static enum tfr_status pull(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct run *r = ctx;
	struct tfr_item *item = slot;
	struct tfr_room room = { lanes, i, r->in->groups };
	bool placed;

	(void)worker;
	if (atomic_load(&r->hopeless))
		return tfr_fail(err, TFR_EDATA, "too many items are unusable");
	for (;;) {
		r->paused = r->next > r->checked && tfr_checkpoint_is_due(&r->checkpoint);
		if (r->next == r->end || r->paused)
			return TFR_END;
		TFR_TRY(tfr_item_start(item, r->order ? r->order[r->next] : r->next, err));
		take_spare(&r->spares, &item->file);
		r->in->order = r->order;
		r->in->place = r->next;
		TFR_TRY(r->in->ops->next(r->in, item, &room, err));
		if (!item->prefix)
			item->prefix = r->in->prefix;
		placed = tfr_sets_place(&r->sets, item, r->ranks ? &r->ranks[r->next] : NULL, lane);
		r->next += item->records;
		r->report->files += item->records;
		if (placed)
			return TFR_OK;
		r->report->left++;
		tfr_progress_add(r->opts->run.progress, 1, 0);
	}
}

static enum tfr_status refuse(struct run *r, const struct tfr_item *item, struct tfr_error *err)
{
	enum tfr_status status =
		item->why == TFR_ESYS || item->why == TFR_ENOMEM ? item->why : TFR_EDATA;

	return tfr_fail(err, status, "%s: '%s%s': %s", r->in->ops->refused, item->prefix,
		(const char *)item->name.data, item->reason);
}

/* An item that is skipped may have files that were not opened.  One that cannot be read may be one
 * that cannot be looked at, in every run. */
static enum tfr_status mark_skipped(
	const struct run *r, struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_measure m;

	if (!item->skipped || !r->in->ops->measure)
		return TFR_OK;
	item->skipped = false;
	r->in->ops->measure(r->in, item, &m);
	item->skipped = true;
	item->mark = m.mark;
	if (m.fault && (item->why != TFR_ESYS || tfr_errno_of_process(m.fault)))
		return tfr_fail_errno(err, m.fault, (const char *)item->name.data, "cannot access");
	return TFR_OK;
}

static enum tfr_status load(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct run *r = ctx;
	struct tfr_item *item = slot;
	struct tfr_room room = { lanes, i, r->in->groups };

	if (!item->skipped) {
		TFR_TRY(r->in->ops->load(r->in, item, &r->benches[worker], &room, err));
		TFR_TRY(mark_skipped(r, item, err));
	}
	if (!item->skipped && !item->framed.data)
		TFR_TRY(tfr_item_gather(item, err));
	if (item->skipped &&
		(r->opts->run.on_error == TFR_ON_ERROR_FAIL || item->why == TFR_ENOMEM))
		return refuse(r, item, err);
	return TFR_OK;
}

static enum tfr_status write_record(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct run *r = ctx;
	struct tfr_item *item = slot;
	enum tfr_status status = TFR_OK;

	(void)i;
	if (!item->skipped)
		status = tfr_sets_put(&r->sets, item, err);
	tfr_item_trim(item);
	give_spare(&r->spares, &item->file);
	return status;
}

static void note_item(struct run *r, const struct tfr_item *item)
{
	if (atomic_load(&r->hopeless)) /* the number of further faults depends on the threads */
		return;
	if (item->skipped)
		r->report->skipped++;
	else if (item->class != TFR_NO_CLASS)
		r->sets.targets[item->target].histogram[item->class]++;
	if (!r->late.status)
		atomic_store(
			&r->hopeless, tfr_findings_add(&r->findings, item, &r->late) == TFR_EDATA);
}

static void note_gap(struct run *r, struct tfr_item *item, const struct tfr_gap *gap)
{
	if (*gap->name && !tfr_item_name(item, gap->name, strlen(gap->name))) {
		if (!r->late.status)
			tfr_fail_nomem(&r->late, "skipping a row");
		return;
	}
	item->records = 1;
	tfr_item_skip(item, gap->why, "%s", gap->reason);
	note_item(r, item);
	item->skipped = false;
}

/* Handles the gaps of an item, and the records between them.  Of an input whose items are many
 * rows, each record is handled as if it were an item: then messages do not depend on how rows are
 * grouped. */
static void note_places(struct run *r, struct tfr_item *item)
{
	const struct tfr_framed *f = &item->framed;
	uint64_t places = item->records, at = 0;

	for (size_t k = 0; k <= f->n_gaps; k++) {
		uint64_t end = k < f->n_gaps ? f->gaps[k].place : places;

		for (; at < end; at += item->records) {
			item->records = r->in->groups ? 1 : end - at;
			note_item(r, item);
		}
		if (k < f->n_gaps)
			note_gap(r, item, &f->gaps[k]);
		at++;
	}
	item->records = places;
}

static void retire(void *ctx, uint64_t i, void *slot)
{
	struct run *r = ctx;
	struct tfr_item *item = slot;

	(void)i;
	if (atomic_load(&r->hopeless))
		return;
	r->report->bytes += item->size;
	if (r->in->ops->measure)
		r->marks += tfr_item_mark(item, item->mark);
	if ((r->in->groups || item->framed.n_gaps) && !item->skipped)
		note_places(r, item);
	else
		note_item(r, item);
	tfr_progress_add(r->opts->run.progress, item->records, item->size);
}

static void clear_item(void *slot)
{
	tfr_item_clear(slot);
}

/* --- all of them --- */

static enum tfr_status write_items(struct run *r, struct tfr_error *err)
{
	const struct tfr_output_set *last = &r->sets.targets[r->sets.n - 1];
	struct tfr_lanes lanes = {
		.threads = r->threads,
		.lanes = last->first + last->lanes,
		.window = (uint64_t)WINDOW * r->threads,
		.count = r->in->items,
		.budget = r->opts->run.memory ? r->opts->run.memory : MEMORY,
		.slot_size = sizeof(struct tfr_item),
		.pull = pull,
		.work = load,
		.deliver = write_record,
		.retire = retire,
		.clear_slot = clear_item,
	};
	enum tfr_status status = tfr_lanes_run(&lanes, r, err);

	return !status || atomic_load(&r->hopeless) ? tfr_error_pass(&r->late, err) : status;
}

/* --- continuing another run --- */

/* The part of a checkpoint before those of the findings and of the sets. */
struct place {
	uint64_t next; /* item */
	uint64_t sealed;
	struct tfr_convert_report report;
};

/* Called while no item is in progress. */
static enum tfr_status note_place(struct run *r, struct tfr_error *err)
{
	TFR_AUTO_BUF body = { 0 };
	struct place p;

	memset(&p, 0, sizeof(p)); /* including the padding between its members */
	p.next = r->next;
	p.sealed = r->sealed;
	p.report = *r->report;
	p.report.kind = p.report.kind_text = NULL;
	TFR_NEED_MEMORY(tfr_buf_append(&body, &p, sizeof(p)), err, "noting how far a run is");
	TFR_TRY(tfr_findings_mark(&r->findings, &body, err));
	TFR_TRY(tfr_sets_mark(&r->sets, &body, err));
	TFR_TRY(tfr_checkpoint_save(&r->checkpoint, &body, err));
	r->checked = r->next;
	return TFR_OK;
}

static enum tfr_status pass_items(struct run *r, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct tfr_item item = { 0 };
	uint64_t done = 0;

	if (r->in->items != TFR_STREAM || r->sealed)
		return TFR_OK;
	if (r->in->ops->pass)
		return r->in->ops->pass(r->in, r->next, err);
	while (!status && done < r->next) {
		status = tfr_item_start(&item, done, err);
		if (!status)
			status = r->in->ops->next(r->in, &item, &(struct tfr_room){ 0 }, err);
		tfr_item_trim(&item);
		done += item.records;
	}
	tfr_item_clear(&item);
	if (status == TFR_END || (!status && done != r->next))
		return tfr_fail_path(err, TFR_EDATA, r->opts->input.paths[0],
			"the input is shorter than the part that the run to be resumed has read");
	return status;
}

/* Checks the numbers of a checkpoint that belong to this file.  A shuffled list has a limited
 * number of places, and a sealed run has used all of them. */
static enum tfr_status take_place(struct run *r, struct place *p, struct tfr_error *err)
{
	if (!tfr_unread_copy(&r->checkpoint.found, p, sizeof(*p)) || p->next > r->in->items ||
		(p->sealed && r->in->items != TFR_STREAM && p->next != r->in->items))
		return tfr_fail(
			err, TFR_EDATA, "the saved position of the run to be resumed is invalid");
	p->report.complete = false; /* a damaged file can have any byte here */
	return TFR_OK;
}

/* Opens the outputs, from a checkpoint or from the start. */
static enum tfr_status open_outputs(struct run *r, struct tfr_error *err)
{
	bool resumes = r->checkpoint.resumes;
	struct tfr_unread *found = resumes ? &r->checkpoint.found : NULL;
	struct tfr_set_info terms = { 0 };
	struct place p = { 0 };

	if (resumes)
		TFR_TRY(take_place(r, &p, err));
	if (r->opts->output.writer.parts)
		TFR_TRY(tfr_checkpoint_said(&r->checkpoint, &terms.options, &terms.inputs, err));
	TFR_TRY(tfr_findings_open(&r->findings, r->in, found, p.sealed, err));
	TFR_TRY(tfr_tfds_open(&r->tfds, r->in, resumes && p.sealed, err));
	TFR_TRY(tfr_sets_open(&r->sets, r->in, found, &terms, err));
	tfr_checkpoint_begin(&r->checkpoint);
	TFR_TRY(tfr_labels_open(&r->labels, &r->sets, resumes, err));
	TFR_TRY(tfr_findings_open_quarantine(&r->findings, err));
	if (!resumes)
		return TFR_OK;
	p.report.kind = r->in->ops->name;
	p.report.kind_text = r->in->ops->what;
	*r->report = p.report;
	r->next = r->checked = r->report->resumed = p.next;
	r->sealed = p.sealed;
	tfr_progress_add(r->opts->run.progress, p.next, p.report.bytes);
	return pass_items(r, err);
}

/* Items are shuffled if that is requested, or if they have no order but that of their paths,
 * because shards in the order of classes mix badly. */
static enum tfr_status make_order(struct run *r, struct tfr_error *err)
{
	const struct tfr_convert_order *o = &r->opts->order;
	struct tfr_rng rng;
	size_t n = (size_t)r->in->items;

	if (o->shuffle && o->keep)
		return tfr_fail(
			err, TFR_EUSAGE, "the items cannot be shuffled and keep their order");
	if (!o->shuffle && (!r->in->by_path || o->keep))
		return TFR_OK;
	if (r->in->items == TFR_STREAM)
		return tfr_fail_hint(err, TFR_EUSAGE,
			"Write the set, and shuffle it with 'tfr shuffle-to-disk'.",
			"%s is read as a stream, which cannot be shuffled", r->in->ops->what);
	r->order = malloc((n + 1) * sizeof(*r->order));
	TFR_NEED_MEMORY(r->order, err, "ordering the items");
	for (size_t i = 0; i < n; i++)
		r->order[i] = (uint32_t)i;
	tfr_rng_init(&rng, o->seed, 0);
	tfr_rng_shuffle(&rng, r->order, n, sizeof(*r->order));
	return TFR_OK;
}

/* The quarantine and the list of findings are published with the sets. */
static enum tfr_status add_report(struct run *r, struct tfr_output *file, struct tfr_error *err)
{
	return file ? tfr_set_writer_company(tfr_sets_last(&r->sets), file, false, err) : TFR_OK;
}

static void add_up(struct run *r)
{
	struct tfr_part_tally *t = &r->findings.state.tally;

	t->read = r->report->files - r->report->left;
	t->skipped = r->report->skipped;
	t->left = r->report->left;
	t->bytes = r->report->bytes;
}

/* Gives the note of a part what it says beside its shards. */
static enum tfr_status fill_note(struct run *r, struct tfr_error *err)
{
	const char *labels = NULL;

	if (r->in->n_classes) {
		TFR_NEED_MEMORY(
			tfr_buf_append(&r->labels.text, "", 1), err, "writing the note of a part");
		labels = (const char *)r->labels.text.data;
	}
	for (size_t t = 0; t < r->sets.n; t++)
		tfr_set_writer_tally(r->sets.targets[t].writer, &r->findings.state.tally, labels);
	return TFR_OK;
}

/* Whether the sets may be published.  Only the end of all parts can say that of them. */
static enum tfr_status check_total(struct run *r, struct tfr_error *err)
{
	const struct tfr_expect *expect = &r->opts->output.expect;

	if (r->opts->output.writer.parts)
		return fill_note(r, err);
	TFR_TRY(tfr_expect_check(expect, r->report->records, r->report->sum, err));
	if (!tfr_expect_some(expect, r->report->files, r->report->records, NULL))
		return TFR_OK;
	tfr_fail_path(err, TFR_EDATA,
		strcmp(r->opts->input.paths[0], "-") ? r->opts->input.paths[0] : "standard input",
		"%s", r->in->ops->nothing);
	tfr_error_hint(err, "Nothing is written.  An output without records needs --allow-empty.");
	return TFR_EDATA;
}

static enum tfr_status publish(struct run *r, struct tfr_error *err)
{
	const char *said = NULL;
	uint64_t inputs = 0;

	r->report->records = r->report->payload_bytes = r->report->sum = 0;
	for (size_t t = 0; t < r->sets.n; t++) {
		struct tfr_totals totals = tfr_set_writer_totals(r->sets.targets[t].writer);

		r->report->records += totals.records;
		r->report->payload_bytes += totals.payload_bytes;
		r->report->sum += totals.sum;
	}
	TFR_TRY(check_total(r, err));
	for (size_t t = 0; t < r->sets.n; t++)
		TFR_TRY(tfr_set_writer_seal(r->sets.targets[t].writer, err));
	TFR_TRY(tfr_labels_open_named(&r->labels, &r->sets, err));
	TFR_TRY(tfr_tfds_seal(&r->tfds, &r->sets, err));
	TFR_TRY(tfr_findings_seal(&r->findings, r->report, err));
	TFR_TRY(add_report(r, r->findings.quarantine, err));
	TFR_TRY(add_report(r, r->findings.list, err));
	r->sealed = true;
	/* A run that is killed between two renames continues with the others. */
	if (r->checkpoint.saved)
		TFR_TRY(note_place(r, err));
	if (!r->report->resumed && !r->report->left && !r->opts->output.writer.parts)
		r->checkpoint.items = &r->marks;
	TFR_TRY(tfr_checkpoint_said(&r->checkpoint, &said, &inputs, err));
	TFR_TRY(tfr_sets_publish(&r->sets, said, inputs, err));
	tfr_checkpoint_done(&r->checkpoint);
	return TFR_OK;
}

/* Parts take items by their places, so those must be known. */
static enum tfr_status check_parts(const struct run *r, struct tfr_error *err)
{
	const struct tfr_input *in = r->in;
	bool rows = in->ops->flags & TFR_INPUT_COLUMNS && !in->ops->tree;

	if (!(in->ops->flags & TFR_INPUT_FRAMED) && in->items != TFR_STREAM && !in->groups &&
		(!rows || r->opts->tables.embed_count))
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EUSAGE,
		"Folders, archives with annotations, uncompressed tar files and lists with "
		"--embed can be.  Without --part, one process converts this input.",
		"%s cannot be converted in parts", in->ops->what);
}

static enum tfr_status choose_item(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct run *r = ctx;
	const struct tfr_output_set *t;
	uint32_t lane;

	if (!tfr_sets_place(&r->sets, item, NULL, &lane)) {
		if (!r->opts->output.writer.part) { /* which counts them for all parts */
			r->report->left++;
			r->report->files++;
		}
		return TFR_OK;
	}
	t = &r->sets.targets[item->target];
	if (!tfr_set_writer_owns(t->writer, (uint32_t)(item->rank % t->shards)))
		return TFR_OK;
	if (TFR_ARRAY_RESERVE(r->ranks, r->cap_ranks, r->end + 1))
		return tfr_fail_nomem(err, "dividing the items");
	r->order[r->end] = (uint32_t)item->number;
	r->ranks[r->end++] = item->rank;
	return TFR_OK;
}

/* Places all items once, without reading them, and keeps those of the part: in the same array, of
 * which the walk has passed as many. */
static enum tfr_status find_own(struct run *r, struct tfr_error *err)
{
	const uint32_t *shuffled = r->order;

	if (!shuffled)
		r->order = malloc((r->in->items + 1) * sizeof(*r->order));
	TFR_NEED_MEMORY(r->order, err, "dividing the items");
	r->end = 0;
	TFR_TRY(tfr_input_walk(r->in, shuffled, choose_item, r, err));
	for (size_t t = 0; t < r->sets.n; t++)
		if (r->sets.targets[t].shards > r->report->shards)
			r->report->shards = r->sets.targets[t].shards;
	return TFR_OK;
}

static enum tfr_status convert(struct run *r, struct tfr_error *err)
{
	const struct tfr_part_tally *tally = &r->findings.state.tally;
	bool in_part = r->opts->output.writer.parts;
	enum tfr_status status;

	if (in_part)
		TFR_TRY(check_parts(r, err));
	TFR_TRY(make_order(r, err));
	r->report->classes = r->in->n_classes;
	r->report->kind = r->in->ops->name;
	r->report->kind_text = r->in->ops->what;
	r->end = r->in->items;
	if (r->opts->output.dry_run)
		return tfr_plan(r->in, r->order, r->report, err);
	for (size_t t = 0; !in_part && t < r->opts->output.target_count; t++)
		tfr_set_recover(r->opts->output.targets[t].set, r->opts->output.writer.temporaries,
			r->opts->run.warn, r->opts->run.ctx);
	TFR_TRY(tfr_checkpoint_open(&r->checkpoint, r->opts, r->in, err));
	TFR_TRY(tfr_checkpoint_finished(&r->checkpoint, &r->report->complete, r->report, err));
	if (r->report->complete)
		return tfr_expect_check(
			&r->opts->output.expect, r->report->records, r->report->sum, err);
	status = open_outputs(r, err);
	if (status)
		tfr_checkpoint_hint(&r->checkpoint, status, err);
	if (!status && in_part)
		status = find_own(r, err);
	if (r->opts->run.progress && r->in->items != TFR_STREAM)
		r->opts->run.progress->total_items = r->end;
	r->in->ahead = r->end;
	do {
		r->paused = false; /* if there is nothing to pull, no other code checks this */
		if (!status && !r->sealed)
			status = write_items(r, err);
		if (!status && r->paused)
			status = note_place(r, err);
	} while (!status && r->paused);
	tfr_findings_warn(&r->findings);
	add_up(r);
	if (!status && !in_part && tally->lost < tally->expected)
		status = tfr_convert_judge(tally, err);
	return status ? status : publish(r, err);
}

static void clear(struct run *r)
{
	for (unsigned k = 0; r->benches && k < r->threads; k++)
		tfr_workbench_clear(&r->benches[k]);
	free(r->benches);
	for (size_t i = 0; i < r->spares.count; i++)
		tfr_buf_clear(&r->spares.at[i]);
	free(r->spares.at);
	free(r->order);
	free(r->ranks);
	tfr_sets_close(&r->sets);
	tfr_labels_close(&r->labels);
	tfr_findings_close(&r->findings);
	tfr_checkpoint_close(&r->checkpoint);
	if (r->in)
		tfr_input_close(r->in);
	tfr_tfds_close(&r->tfds);
}

static enum tfr_status open_and_convert(struct run *r, struct tfr_error *err)
{
	size_t window = (size_t)WINDOW * r->threads;

	r->benches = calloc(r->threads, sizeof(*r->benches));
	r->spares = (struct spares){ .lock = PTHREAD_MUTEX_INITIALIZER,
		.at = calloc(window, sizeof(*r->spares.at)),
		.most = window };
	if (!r->benches || !r->spares.at)
		return tfr_fail_nomem(err, "making records");
	TFR_TRY(tfr_tfds_name(&r->tfds, &r->opts, err));
	TFR_TRY(tfr_shares_check(r->opts->output.targets, r->opts->output.target_count, err));
	TFR_TRY(tfr_input_open(&r->in, r->opts, err));
	if (r->in->item_bytes && r->in->item_bytes < SMALL_ITEM)
		r->threads = 1;
	return convert(r, err);
}

enum tfr_status tfr_convert(const struct tfr_convert_opts *opts, struct tfr_convert_report *report,
	struct tfr_error *err)
{
	struct run *r = calloc(1, sizeof(*r));
	enum tfr_status status;

	*report = (struct tfr_convert_report){ 0 };
	TFR_NEED_MEMORY(r, err, "making records");
	r->opts = opts;
	r->report = report;
	r->threads = tfr_thread_count(opts->run.threads);
	status = open_and_convert(r, err);
	clear(r);
	free(r);
	return status;
}
