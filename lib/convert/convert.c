/* convert/convert.c - converts an input to sets: fetches items one at a time, makes their
 * records on all threads, and writes them in order.
 *
 * Loaders run ahead in a bounded window.  The thread that has made the next record of a shard
 * writes it, directly from the buffer that the file was read into.  Shards are lanes: each gets
 * its items in order, and none waits for another.  Warnings and the quarantine are written in
 * the order of items, so that they are the same for any number of threads. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "convert/buffer_pool.h"
#include "convert/checkpoint.h"
#include "convert/dry_run.h"
#include "convert/findings.h"
#include "convert/folder/sibling_classes.h"
#include "convert/input.h"
#include "convert/labels_file.h"
#include "convert/output_sets.h"
#include "convert/own_items.h"
#include "convert/skip_counts.h"
#include "convert/skip_log.h"
#include "convert/tfds/tfds.h"
#include "shard/fractions.h"
#include "shard/set_writer.h"
#include "thread/threads.h"

enum { MEMORY = 256 << 20, WINDOW = 16 /* items in progress, per thread */ };
/* items for which handing them to a thread costs more than making them */
enum { SMALL_ITEM = 4 << 10 };

struct run {
	const struct tfr_convert_opts *opts;
	struct tfr_convert_report *report;
	struct tfr_input *in;
	struct tfr_sets *sets;
	struct tfr_labels labels;
	struct tfr_tfds tfds;
	struct tfr_notes notes;
	struct tfr_losses losses;
	struct tfr_findings findings;
	struct tfr_checkpoint checkpoint;
	uint64_t checked;	  /* items done at the last checkpoint */
	bool paused;		  /* to note it */
	bool sealed;		  /* everything is written and on disk */
	uint32_t *order;	  /* of a list's items, shuffled; NULL: the order of the list */
	struct tfr_own_items own; /* of a part, which are all that it takes */
	struct tfr_part_tally tally;
	uint64_t next; /* item to ask for */
	uint64_t end;  /* after the last one */
	unsigned threads;
	struct tfr_workbench *benches; /* one per thread */
	struct tfr_spares spares;      /* of item->file */
	/* a failure in a function that cannot return one, with its error */
	enum tfr_status late;
	atomic_bool hopeless; /* too many items are lost, which is that failure */
	struct tfr_error late_error;
};

/* --- one item --- */

/* Fetches the next item that goes to a set. */
static enum tfr_status pull(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct run *r = ctx;
	struct tfr_item *item = slot;
	struct tfr_room room = { lanes, i, r->in->groups };
	const uint32_t *order = r->opts->writer.parts ? r->own.numbers : r->order;
	enum tfr_status status;

	(void)worker;
	if (atomic_load(&r->hopeless))
		return tfr_fail(err, TFR_EDATA, "too many items are unusable");
	for (;;) {
		r->paused = r->next > r->checked && tfr_checkpoint_is_due(&r->checkpoint);
		if (r->next == r->end || r->paused)
			return TFR_END;
		status = tfr_item_start(item, order ? order[r->next] : r->next, err);
		tfr_spares_take(&r->spares, &item->file);
		r->in->order = order;
		r->in->place = r->next;
		if (!status)
			status = r->in->ops->next(r->in, item, &room, err);
		if (status)
			return status;
		if (r->opts->writer.parts)
			tfr_sets_place_again(r->sets, item, r->own.ranks[r->next], lane);
		r->next += item->records;
		r->report->files += item->records;
		if (r->opts->writer.parts)
			return TFR_OK;
		if (tfr_sets_place(r->sets, item, lane))
			return TFR_OK;
		r->report->left++;
		tfr_progress_add(r->opts->progress, 1, 0);
	}
}

static enum tfr_status refuse(struct run *r, const struct tfr_item *item, struct tfr_error *err)
{
	enum tfr_status status =
		item->why == TFR_ESYS || item->why == TFR_ENOMEM ? item->why : TFR_EDATA;

	return tfr_fail(err, status, "%s: '%s%s': %s", r->in->ops->refused,
		item->prefix ? item->prefix : r->in->prefix, (const char *)item->name.data,
		item->reason);
}

static enum tfr_status load(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct run *r = ctx;
	struct tfr_item *item = slot;
	struct tfr_room room = { lanes, i, r->in->groups };
	enum tfr_status status = TFR_OK;

	if (!item->skipped)
		status = r->in->ops->load(r->in, item, &r->benches[worker], &room, err);
	if (!status && !item->skipped && !item->framed.data)
		status = tfr_item_gather(item, err);
	if (!status && item->skipped &&
		(r->opts->on_error == TFR_ON_ERROR_FAIL || item->why == TFR_ENOMEM))
		status = refuse(r, item, err);
	return status;
}

static enum tfr_status write_record(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct run *r = ctx;
	struct tfr_item *item = slot;
	enum tfr_status status = TFR_OK;

	(void)i;
	if (!item->skipped)
		status = tfr_sets_put(r->sets, item, err);
	tfr_item_trim(item);
	tfr_spares_give(&r->spares, &item->file);
	return status;
}

static void note_item(struct run *r, const struct tfr_item *item)
{
	if (atomic_load(&r->hopeless)) /* the number of further faults depends on the threads */
		return;
	if (!item->skipped)
		tfr_sets_tally(r->sets, item);
	else
		r->report->skipped++;
	if (item->skipped && !r->late)
		r->late = tfr_notes_skipped(&r->notes, item, &r->late_error);
	if (!r->late)
		r->late = tfr_findings_add(&r->findings, item, &r->late_error);
	if (!r->late) {
		r->late = tfr_losses_add(&r->losses, r->in, item, &r->late_error);
		atomic_store(&r->hopeless, r->late == TFR_EDATA);
	}
}

static void note_gap(struct run *r, struct tfr_item *item, const struct tfr_gap *gap)
{
	if (!tfr_item_name(item, gap->name, strlen(gap->name))) {
		r->late = r->late ? r->late : tfr_fail_nomem(&r->late_error, "skipping a row");
		return;
	}
	tfr_item_skip(item, gap->why, "%s", gap->reason);
	note_item(r, item);
	item->skipped = false;
}

/* Handles the places of an item one by one, as if each were an item: messages then do not depend
 * on how places are grouped. */
static void note_places(struct run *r, struct tfr_item *item)
{
	const struct tfr_framed *f = &item->framed;
	uint64_t places = item->records;
	size_t k = 0;

	item->records = 1;
	for (uint64_t at = 0; at < places; at++)
		if (k < f->n_gaps && f->gaps[k].place == at)
			note_gap(r, item, &f->gaps[k++]);
		else
			note_item(r, item);
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
	if (r->in->groups && !item->skipped)
		note_places(r, item);
	else
		note_item(r, item);
	tfr_progress_add(r->opts->progress, item->records, item->size);
}

static void clear_item(void *slot)
{
	tfr_item_clear(slot);
}

/* --- all of them --- */

static enum tfr_status write_items(struct run *r, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = r->threads,
		.lanes = tfr_sets_lanes(r->sets),
		.window = (uint64_t)WINDOW * r->threads,
		.count = r->in->items,
		.budget = r->opts->memory ? r->opts->memory : MEMORY,
		.slot_size = sizeof(struct tfr_item),
		.pull = pull,
		.work = load,
		.deliver = write_record,
		.retire = retire,
		.clear_slot = clear_item,
	};
	enum tfr_status status = tfr_lanes_run(&lanes, r, err);

	if ((!status && r->late) || atomic_load(&r->hopeless)) {
		if (err)
			*err = r->late_error;
		return r->late;
	}
	return status;
}

/* --- going on from where another run was --- */

/* The part of a checkpoint before that of the sets. */
struct place {
	uint64_t next, noted; /* items; bytes of the quarantine */
	uint64_t noted_token; /* of its temporary name */
	uint64_t sealed;
	struct tfr_convert_report report;
	struct tfr_losses losses;
};

/* Called while no item is in progress. */
static enum tfr_status note_place(struct run *r, struct tfr_error *err)
{
	TFR_AUTO_BUF body = { 0 };
	struct place p;

	TFR_TRY(tfr_notes_sync(&r->notes, err));
	memset(&p, 0, sizeof(p)); /* including the padding between its members */
	p.next = r->next;
	p.noted = r->notes.written;
	p.noted_token = r->notes.token;
	p.sealed = r->sealed;
	p.report = *r->report;
	p.losses = r->losses;
	if (!tfr_buf_append(&body, &p, sizeof(p)))
		return tfr_fail_nomem(err, "noting how far a run is");
	TFR_TRY(tfr_findings_mark(&r->findings, &body, err));
	TFR_TRY(tfr_sets_mark(r->sets, &body, err));
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
		return tfr_fail_path(err, TFR_EDATA, r->opts->inputs[0],
			"the input is shorter than the part that the run to be resumed has read");
	return status;
}

/* Checks the numbers of a checkpoint that belong to this file.  A shuffled list has a limited
 * number of places, and a sealed run has used all of them. */
static enum tfr_status take_place(struct run *r, struct place *p, struct tfr_error *err)
{
	if (!tfr_unread_copy(&r->checkpoint.found, p, sizeof(*p)) || p->next > r->in->items ||
		(p->sealed && r->in->items != TFR_STREAM && p->next != r->in->items) ||
		!memchr(p->losses.first, 0, sizeof(p->losses.first)))
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
	enum tfr_status status = resumes ? take_place(r, &p, err) : TFR_OK;

	if (!status && r->opts->writer.parts)
		status = tfr_checkpoint_said(&r->checkpoint, &terms.options, &terms.inputs, err);

	if (!status)
		status = tfr_findings_open(
			&r->findings, r->opts, r->in->prefix, found, p.sealed, err);
	if (!status)
		status = tfr_tfds_open(&r->tfds, r->in, resumes && p.sealed, err);
	if (!status)
		status = tfr_sets_open(&r->sets, r->opts, r->in, found, &terms, err);
	if (!status)
		tfr_checkpoint_begin(&r->checkpoint);
	if (!status && r->in->n_classes && !r->opts->tfds)
		status = tfr_labels_open(&r->labels, r->in, r->sets, err);
	if (!status && r->in->n_classes && !resumes)
		status = tfr_classes_beside(r->in, r->sets, err);
	if (!status)
		status = tfr_notes_open(&r->notes, r->opts, r->in->prefix,
			resumes ? &p.noted : NULL, p.noted_token, p.sealed, err);
	if (status || !resumes)
		return status;
	*r->report = p.report;
	r->losses = p.losses;
	r->next = r->checked = r->report->resumed = p.next;
	r->sealed = p.sealed;
	tfr_progress_add(r->opts->progress, p.next, p.report.bytes);
	return pass_items(r, err);
}

/* Whether the items are shuffled: if requested, or if they have no order but that of their
 * paths, because shards in the order of classes mix badly. */
static bool is_shuffled(const struct run *r)
{
	return r->opts->shuffle || (r->in->by_path && !r->opts->keep_order);
}

static enum tfr_status make_order(struct run *r, struct tfr_error *err)
{
	struct tfr_rng rng;
	size_t n = (size_t)r->in->items;

	if (r->opts->shuffle && r->opts->keep_order)
		return tfr_fail(
			err, TFR_EUSAGE, "the items cannot be shuffled and keep their order");
	if (!is_shuffled(r))
		return TFR_OK;
	if (r->in->items == TFR_STREAM) {
		tfr_fail(err, TFR_EUSAGE, "%s is read as a stream, which cannot be shuffled",
			r->in->ops->what);
		tfr_error_hint(err, "Write the set, and shuffle it with 'tfr shuffle-to-disk'.");
		return TFR_EUSAGE;
	}
	r->order = malloc((n + 1) * sizeof(*r->order));
	if (!r->order)
		return tfr_fail_nomem(err, "ordering the items");
	for (size_t i = 0; i < n; i++)
		r->order[i] = (uint32_t)i;
	tfr_rng_init(&rng, r->opts->seed, 0);
	tfr_rng_shuffle(&rng, r->order, n, sizeof(*r->order));
	return TFR_OK;
}

/* Opens the quarantine and the list of findings, which are published with the sets. */
static enum tfr_status add_reports(struct run *r, struct tfr_error *err)
{
	struct tfr_output *const files[] = { r->notes.quarantine, r->findings.output };
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < sizeof(files) / sizeof(*files); i++)
		if (files[i])
			status = tfr_set_writer_company(
				tfr_sets_last(r->sets), files[i], false, err);
	return status;
}

static void add_up(struct run *r)
{
	const struct tfr_losses *l = &r->losses;

	r->tally = (struct tfr_part_tally){
		.read = r->report->files - r->report->left,
		.skipped = r->report->skipped,
		.left = r->report->left,
		.bytes = r->report->bytes,
		.expected = l->expected,
		.lost = l->lost,
		.most_lost = tfr_losses_most(r->opts),
	};
	memcpy(r->tally.first_lost, l->first, sizeof(l->first));
}

/* Gives the note of a part what it says beside its shards. */
static enum tfr_status fill_note(struct run *r, struct tfr_error *err)
{
	const char *labels = NULL;

	if (r->in->n_classes) {
		if (!tfr_buf_append(&r->labels.text, "", 1))
			return tfr_fail_nomem(err, "writing the note of a part");
		labels = (const char *)r->labels.text.data;
	}
	for (size_t t = 0; t < r->opts->target_count; t++)
		tfr_set_writer_tally(tfr_sets_writer(r->sets, t), &r->tally, labels);
	return TFR_OK;
}

/* Whether the sets may be published.  Only the end of all parts can say that of them. */
static enum tfr_status check_total(
	struct run *r, const struct tfr_totals *totals, struct tfr_error *err)
{
	if (r->opts->writer.parts)
		return fill_note(r, err);
	TFR_TRY(tfr_expect_check(&r->opts->expect, totals->records, totals->sum, err));
	if (!tfr_expect_some(&r->opts->expect, r->report->files, totals->records, NULL))
		return TFR_OK;
	tfr_fail_path(err, TFR_EDATA,
		strcmp(r->opts->inputs[0], "-") ? r->opts->inputs[0] : "standard input", "%s",
		r->in->ops->nothing);
	tfr_error_hint(err, "Nothing is written.  An output without records needs --allow-empty.");
	return TFR_EDATA;
}

static enum tfr_status publish(struct run *r, struct tfr_error *err)
{
	struct tfr_totals totals = tfr_sets_totals(r->sets);
	const char *said = NULL;
	uint64_t inputs = 0;
	enum tfr_status status;

	r->report->records = totals.records;
	r->report->payload_bytes = totals.payload_bytes;
	r->report->sum = totals.sum;
	status = check_total(r, &totals, err);
	if (!status)
		status = tfr_sets_seal(r->sets, err);
	if (!status)
		status = tfr_labels_seal(&r->labels, r->sets, err);
	if (!status)
		status = tfr_tfds_seal(&r->tfds, r->sets, err);
	if (!status)
		status = tfr_notes_seal(&r->notes, err);
	if (!status)
		status = tfr_findings_seal(&r->findings, r->report, err);
	if (!status)
		status = add_reports(r, err);
	r->sealed = !status;
	/* A run that is killed between two renames continues with the others. */
	if (!status && r->checkpoint.saved)
		status = note_place(r, err);
	if (!status)
		status = tfr_checkpoint_said(&r->checkpoint, &said, &inputs, err);
	if (!status)
		status = tfr_sets_publish(r->sets, said, inputs, err);
	if (!status)
		tfr_checkpoint_done(&r->checkpoint);
	return status;
}

/* Parts take items by their places, so those must be known. */
static enum tfr_status check_parts(const struct run *r, struct tfr_error *err)
{
	const struct tfr_input *in = r->in;
	bool rows = in->ops->columns && in->ops != &tfr_input_metadata;

	if (!in->ops->framed && in->items != TFR_STREAM && !in->groups &&
		(!rows || r->opts->embed_count))
		return TFR_OK;
	tfr_fail(err, TFR_EUSAGE, "%s cannot be converted in parts", in->ops->what);
	tfr_error_hint(err,
		"Folders, with or without annotations, uncompressed tar files and lists with "
		"--embed can be.  Without --part, one process converts this input.");
	return TFR_EUSAGE;
}

/* Finds the items of a part, which are all that it takes. */
static enum tfr_status find_own(struct run *r, struct tfr_error *err)
{
	TFR_TRY(tfr_own_items_find(&r->own, r->in, r->order, r->sets, err));
	r->end = r->own.n;
	r->report->shards = tfr_sets_most_shards(r->sets);
	if (!r->opts->writer.part) { /* which counts them for all parts */
		r->report->left = r->own.left;
		r->report->files = r->own.left;
	}
	return TFR_OK;
}

static enum tfr_status convert(struct run *r, struct tfr_error *err)
{
	bool in_part = r->opts->writer.parts;
	enum tfr_status status = in_part ? check_parts(r, err) : TFR_OK;

	if (!status)
		status = make_order(r, err);
	r->report->classes = r->in->n_classes;
	r->end = r->in->items;
	if (!status && r->opts->dry_run)
		return tfr_plan(r->in, r->order, r->report, err);
	for (size_t t = 0; !in_part && t < r->opts->target_count; t++)
		tfr_set_recover(r->opts->targets[t].set, r->opts->writer.temporaries, r->opts->warn,
			r->opts->ctx);
	if (!status)
		status = tfr_checkpoint_open(&r->checkpoint, r->opts, r->in, err);
	if (!status)
		status = tfr_checkpoint_finished(
			&r->checkpoint, &r->report->complete, r->report, err);
	if (!status && r->report->complete)
		return tfr_expect_check(&r->opts->expect, r->report->records, r->report->sum, err);
	if (status)
		return status;
	status = open_outputs(r, err);
	if (status)
		tfr_checkpoint_hint(&r->checkpoint, status, err);
	if (!status && in_part)
		status = find_own(r, err);
	if (r->opts->progress && r->in->items != TFR_STREAM)
		r->opts->progress->total_items = r->end;
	r->in->ahead = r->end;
	do {
		r->paused = false; /* if there is nothing to pull, no other code checks this */
		if (!status && !r->sealed)
			status = write_items(r, err);
		if (!status && r->paused)
			status = note_place(r, err);
	} while (!status && r->paused);
	tfr_notes_end(&r->notes);
	add_up(r);
	if (!status && !in_part && r->losses.lost < r->losses.expected)
		status = tfr_convert_judge(&r->tally, err);
	return status ? status : publish(r, err);
}

static void clear(struct run *r)
{
	for (unsigned k = 0; r->benches && k < r->threads; k++)
		tfr_workbench_clear(&r->benches[k]);
	free(r->benches);
	tfr_spares_clear(&r->spares);
	free(r->order);
	tfr_own_items_clear(&r->own);
	tfr_sets_close(r->sets);
	tfr_labels_close(&r->labels);
	tfr_notes_close(&r->notes);
	tfr_findings_close(&r->findings);
	tfr_checkpoint_close(&r->checkpoint);
	if (r->in)
		r->in->ops->close(r->in);
	tfr_tfds_close(&r->tfds);
}

enum tfr_status tfr_convert(const struct tfr_convert_opts *opts, struct tfr_convert_report *report,
	struct tfr_error *err)
{
	struct run *r = calloc(1, sizeof(*r));
	enum tfr_status status;

	*report = (struct tfr_convert_report){ 0 };
	if (!r)
		return tfr_fail_nomem(err, "making records");
	r->opts = opts;
	r->report = report;
	r->threads = tfr_thread_count(opts->threads);
	r->benches = calloc(r->threads, sizeof(*r->benches));
	status = r->benches && tfr_spares_init(&r->spares, (size_t)WINDOW * r->threads)
			 ? tfr_tfds_name(&r->tfds, &r->opts, err)
			 : tfr_fail_nomem(err, "making records");
	if (!status)
		status = tfr_shares_check(r->opts->targets, r->opts->target_count, err);
	if (!status)
		status = tfr_input_open(&r->in, r->opts, err);
	if (!status && r->in->item_bytes && r->in->item_bytes < SMALL_ITEM)
		r->threads = 1;
	if (!status)
		status = convert(r, err);
	clear(r);
	free(r);
	return status;
}
