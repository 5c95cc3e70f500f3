/* convert/records.c - copies records into other shards without decoding them.
 *
 * An item is a run of complete records, with their bytes as in the file, or a fault between
 * records that is skipped.  One thread at a time reads runs, all threads verify them, and they are
 * written in order; each record is copied once, into the buffer of its shard.  A bad record takes
 * up one place like any other, and is a gap of its item if damage is skipped. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convert/input.h"
#include "io/path.h"
#include "record/framing.h"
#include "record/writer.h"
#include "shard/set_name.h"
#include "sweep/reading.h"
#include "thread/threads.h"

enum { KEEP = 1 << 20 }; /* a block up to this size is kept for the next run */

struct records {
	struct tfr_input in;
	struct tfr_set *set;
	struct tfr_fault_policy faults;
	struct tfr_reading reading;
	size_t file; /* number of the open file, or of the next one */
	bool skip;   /* damage is skipped */
	bool met;    /* the last run that was read is a fault */
	const struct tfr_room *room;
	uint64_t reserved;	    /* there, for the large record that is read */
	struct tfr_record_run rest; /* the last run that pass() read, and its position there */
};

/* The data of an item. */
struct held {
	struct tfr_record_run run;
	uint64_t first; /* the number of its first record in the file */
	struct tfr_buf sums, gaps;
};

static void free_held(void *own)
{
	struct held *h = own;

	tfr_record_run_clear(&h->run);
	tfr_buf_clear(&h->sums);
	tfr_buf_clear(&h->gaps);
	free(h);
}

static void trim_held(void *own)
{
	struct held *h = own;

	if (h->run.cap > KEEP)
		tfr_record_run_clear(&h->run);
}

/* --- what they are --- */

/* Whether the first header of a file verifies, after decompression if needed. */
static bool holds_records(const char *path, struct tfr_error *err)
{
	TFR_AUTO_READER reader = NULL;
	struct tfr_record_run run = { 0 };
	bool yes = !tfr_reader_open(&reader, path, NULL, err) &&
		   !tfr_reader_next_run(reader, &run, err);

	tfr_record_run_clear(&run);
	return yes;
}

/* Whether the first file of a set or of a pattern does.  Sets can also contain archives. */
static bool first_holds_records(const char *name, struct tfr_error *err)
{
	struct tfr_set_opts opts = { .inputs = &name, .count = 1, .allow_missing = true };
	TFR_AUTO_SET_NAME parsed = { 0 };
	TFR_AUTO_NAMES found = { 0 };
	struct tfr_set *set = NULL;
	bool yes;

	if (tfr_set_name_parse(&parsed, name, NULL) != TFR_OK)
		return !tfr_glob(name, &found, err) && found.n && holds_records(found.list[0], err);
	yes = !tfr_set_open(&set, &opts, err) && tfr_set_count(set) &&
	      holds_records(tfr_set_path(set, 0), err);
	tfr_set_close(set);
	return yes;
}

/* A file that cannot be read is an error: it may have records. */
static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	struct tfr_error why = { 0 };
	bool yes = false;

	(void)opts;
	if (offer->directory || !strcmp(offer->path, "-"))
		return false;
	if (offer->head_size >= TFR_RECORD_HEADER && tfr_header_verifies(offer->head))
		return true;
	if (offer->head_size)
		yes = (offer->head[0] == 0x1f || offer->head[0] == 0x78) &&
		      holds_records(offer->path, &why);
	else if (offer->missing)
		yes = first_holds_records(offer->path, &why);
	tfr_offer_failed(offer, &why);
	return yes;
}

/* --- reading --- */

static enum tfr_status add_gap(struct held *h, const struct tfr_error *fault, struct tfr_error *err)
{
	struct tfr_gap gap = { .place = fault->record - h->first, .why = TFR_EDATA };

	snprintf(gap.reason, sizeof(gap.reason), "%s, record %llu, offset %llu", TFR_PAYLOAD_FAULT,
		(unsigned long long)fault->record, (unsigned long long)fault->offset);
	TFR_NEED_MEMORY(tfr_buf_append(&h->gaps, &gap, sizeof(gap)), err, "reading records");
	return TFR_OK;
}

/* A bad record becomes a gap of its item.  Damage between records ends the call that reads, so that
 * it is an item before what follows it. */
static enum tfr_status meet_fault(
	struct tfr_fault_policy *p, const struct tfr_fault_met *fault, struct tfr_error *err)
{
	struct records *r = p->ctx;
	struct tfr_item *item = fault->result; /* NULL: faults are passed */
	const struct tfr_error *why = fault->why;
	enum tfr_status status;
	uint64_t lost;

	if (!r->skip || why->status != TFR_EDATA || !(fault->reader || fault->bad))
		return tfr_error_pass(why, err);
	if (fault->bad)
		return add_gap(item->own, why, err);
	status = tfr_reader_resync(fault->reader, &lost, err);
	if (status && status != TFR_END)
		return status;
	r->reading.over = status;
	r->met = true;
	if (item)
		tfr_item_skip(item, TFR_EDATA, "%s, record %llu, offset %llu", why->message,
			(unsigned long long)why->record, (unsigned long long)why->offset);
	return TFR_EDATA;
}

static enum tfr_status admit_large(
	struct tfr_reading *in, const struct tfr_record_run *large, struct tfr_error *err)
{
	struct records *r = in->faults->ctx;

	(void)err;
	r->reserved = large->large;
	tfr_room_reserve(r->room, large->large);
	return TFR_OK;
}

static void end_file(struct records *r)
{
	if (!r->reading.seen && strcmp(r->reading.path, "-"))
		tfr_warn(r->in.opts, "'%s' holds no records", r->reading.path);
	tfr_reading_end(&r->reading);
	r->file++;
}

/* Reads the next run of any file, or a fault, which skips the item: then the run is empty. */
static enum tfr_status read_run(struct records *r, struct tfr_record_run *run,
	struct tfr_item *item, const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .threads = tfr_thread_count(r->in.opts->run.threads) };
	enum tfr_status status = TFR_END;

	r->reading.result = item;
	r->room = room;
	r->reserved = 0;
	r->met = false;
	while (status == TFR_END) {
		if (!r->reading.reader && r->file == tfr_set_count(r->set))
			return TFR_END;
		if (!r->reading.reader)
			TFR_TRY(tfr_reading_open(&r->reading, tfr_set_path(r->set, r->file),
				(uint32_t)r->file, NULL, &opts, err));
		status = r->reading.over ? TFR_END : tfr_reading_next_run(&r->reading, run, err);
		if (status == TFR_END)
			end_file(r);
	}
	if (!status)
		tfr_room_reserve(room, run->size - r->reserved);
	return r->met ? TFR_OK : status;
}

/* Verifies the records of a run.  A record that is skipped leaves a gap, and
 * those after it move up. */
static enum tfr_status verify(struct records *r, struct tfr_item *item, struct tfr_error *err)
{
	struct held *h = item->own;
	struct tfr_record_run *run = &h->run;
	struct tfr_record_run_origin of = { &r->faults, (const char *)item->name.data, item };
	uint8_t *first = run->block + (item->framed.data - run->block), *to = first;
	struct tfr_record rec;
	enum tfr_status status;
	uint64_t *sums;

	h->sums.size = h->gaps.size = 0;
	TFR_NEED_MEMORY(
		tfr_buf_reserve(&h->sums, run->records * sizeof(*sums)), err, "reading records");
	sums = (uint64_t *)(void *)h->sums.data;
	while (!(status = tfr_record_run_next_intact(&of, run, &rec, err))) {
		const uint8_t *from = rec.data - TFR_RECORD_HEADER;

		*sums++ = tfr_content_sum(rec.data, rec.size);
		if (to != from)
			memmove(to, from, rec.size + TFR_RECORD_OVERHEAD);
		to += rec.size + TFR_RECORD_OVERHEAD;
	}
	item->size = (size_t)(to - first);
	item->framed = (struct tfr_framed){ first, item->size,
		(const uint64_t *)(const void *)h->sums.data,
		(const struct tfr_gap *)(const void *)h->gaps.data,
		h->gaps.size / sizeof(struct tfr_gap) };
	return status == TFR_END ? TFR_OK : status;
}

/* --- one item --- */

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct records *r = (struct records *)in;
	struct held *h;

	if (!item->own) {
		item->own = calloc(1, sizeof(*h));
		item->free_own = free_held;
		item->trim_own = trim_held;
	}
	h = item->own;
	TFR_NEED_MEMORY(h, err, "reading records");
	if (r->rest.seen < r->rest.records) {
		assert(!h->run.block);
		h->run = r->rest;
		r->rest = (struct tfr_record_run){ 0 };
	} else {
		TFR_TRY(read_run(r, &h->run, item, room, err));
	}
	TFR_NEED_MEMORY(tfr_item_name(item, r->reading.path, strlen(r->reading.path)), err,
		"reading records");
	if (item->skipped)
		return TFR_OK;
	h->first = h->run.index + h->run.seen;
	item->records = h->run.records - h->run.seen;
	item->size = h->run.size - h->run.at;
	item->framed = (struct tfr_framed){ .data = h->run.data + h->run.at, .size = item->size };
	/* Items that are only looked at are not loaded. */
	return r->skip && !room->lanes ? verify(r, item, err) : TFR_OK;
}

/* Skips records by their lengths; the run that has written them verified them. */
static enum tfr_status pass(struct tfr_input *in, uint64_t items, struct tfr_error *err)
{
	struct records *r = (struct records *)in;
	struct tfr_record_run *run = &r->rest;
	enum tfr_status status = TFR_OK;

	while (items && !(status = read_run(r, run, NULL, &(struct tfr_room){ 0 }, err))) {
		items -= !run->records; /* a fault */
		for (; items && run->at < run->size; items--) {
			run->at += tfr_known_length(run->data + run->at) + TFR_RECORD_OVERHEAD;
			run->seen++;
		}
	}
	if (status == TFR_END)
		return tfr_fail_path(err, TFR_EDATA, in->opts->input.paths[0],
			"there are fewer records than the run to be resumed has read");
	return status;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct held *h = item->own;

	(void)bench;
	TFR_TRY(verify((struct records *)in, item, err));
	if (h->gaps.size)
		tfr_room_reserve(room, h->gaps.size);
	return TFR_OK;
}

/* --- all of them --- */

static enum tfr_status check(const struct tfr_convert_opts *o, struct tfr_error *err)
{
	const char *what = o->images.verify				? "--verify-images"
			   : o->run.on_error == TFR_ON_ERROR_QUARANTINE ? "--on-error quarantine"
									: NULL;

	if (what) {
		tfr_fail(err, TFR_EUSAGE, "%s has no effect on records, which are not decoded",
			what);
		if (o->run.on_error == TFR_ON_ERROR_QUARANTINE)
			tfr_error_hint(err,
				"Use 'tfr cat --on-error quarantine=FILE' to keep damaged bytes.");
		return TFR_EUSAGE;
	}
	if (o->output.target_count == 1 && o->output.targets[0].fraction == 0)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EUSAGE, "Use 'tfr split' to divide records.",
		"records can be written to one set only, without a fraction");
}

static void close_records(struct tfr_input *in)
{
	struct records *r = (struct records *)in;

	tfr_reading_end(&r->reading);
	tfr_set_close(r->set);
	tfr_record_run_clear(&r->rest);
	free(r);
}

static enum tfr_status open_records(
	struct tfr_input **in, const struct tfr_convert_opts *opts, struct tfr_error *err)
{
	struct tfr_set_opts set = { .inputs = opts->input.paths,
		.count = opts->input.count,
		.allow_missing = opts->input.allow_missing,
		.warn = opts->run.warn,
		.ctx = opts->run.ctx };
	struct records *r = calloc(1, sizeof(*r));

	TFR_NEED_MEMORY(r, err, "reading records");
	*in = &r->in;
	r->in.ops = &tfr_input_records;
	r->in.opts = opts;
	r->in.items = TFR_STREAM;
	r->in.prefix = "";
	r->faults = (struct tfr_fault_policy){ .meet = meet_fault, .ctx = r };
	r->reading = (struct tfr_reading){ .faults = &r->faults, .admit = admit_large };
	r->skip = opts->run.on_error == TFR_ON_ERROR_SKIP;
	TFR_TRY(check(opts, err));
	TFR_TRY(tfr_set_open(&r->set, &set, err));
	r->in.files = r->set;
	if (opts->run.progress)
		opts->run.progress->total_bytes = tfr_set_bytes(r->set);
	return TFR_OK;
}

const struct tfr_input_ops tfr_input_records = {
	.name = "records",
	.what = "a set of records",
	.nothing = "no records in",
	.refused = "damaged",
	.flags = TFR_INPUT_SEVERAL | TFR_INPUT_FRAMED,
	.recognises = recognises,
	.open = open_records,
	.next = next,
	.load = load,
	.pass = pass,
	.close = close_records,
};
