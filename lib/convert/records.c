/* convert/records.c - copies records into other shards without decoding them.
 *
 * An item is a run of complete records, with their bytes as in the file.  One thread at a time
 * reads runs, all threads verify them, and they are written in order; each record is copied
 * once, into the buffer of its shard.  If damage is to be skipped, it must be known before a run
 * gets its place, so that a bad record takes up one place like any other: then the reading
 * thread verifies as well. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convert/input.h"
#include "io/path.h"
#include "record/framing.h"
#include "record/record_run.h"
#include "record/writer.h"
#include "thread/threads.h"

enum { KEEP = 1 << 20 }; /* a block up to this size is kept for the next run */

struct records {
	struct tfr_input in;
	struct tfr_set *set;
	struct tfr_reader *reader; /* NULL: none open */
	size_t file;		   /* number of the reader, or of the next one */
	bool any;		   /* it has given a record or a fault */
	bool skip;		   /* damage is skipped */
	/* With `skip`: the rest of the last run after a bad record, and that record's fault. */
	struct tfr_record_run rest;
	struct tfr_error fault; /* status 0: none */
	bool over;		/* no record of the file can follow the fault */
};

/* The data of an item. */
struct held {
	struct tfr_record_run run;
	struct tfr_buf sums;
};

static void free_held(void *own)
{
	struct held *h = own;

	tfr_record_run_clear(&h->run);
	tfr_buf_clear(&h->sums);
	free(h);
}

static void trim_held(void *own)
{
	struct held *h = own;

	if (h->run.cap > KEEP)
		tfr_record_run_clear(&h->run);
}

static struct held *held_of(struct tfr_item *item)
{
	if (!item->own) {
		item->own = calloc(1, sizeof(struct held));
		item->free_own = free_held;
		item->trim_own = trim_held;
	}
	return item->own;
}

/* --- what they are --- */

/* Whether the first header of a file verifies, after decompression if needed. */
static bool holds_records(const char *path, struct tfr_error *err)
{
	struct tfr_reader *reader = NULL;
	struct tfr_record_run run = { 0 };
	bool yes = !tfr_reader_open(&reader, path, NULL, err) &&
		   !tfr_reader_next_run(reader, &run, err);

	tfr_record_run_clear(&run);
	tfr_reader_close(reader);
	return yes;
}

static bool pattern_finds_records(const char *pattern, struct tfr_error *err)
{
	TFR_AUTO_NAMES found = { 0 };

	return !tfr_glob(pattern, &found, err) && found.n && holds_records(found.list[0], err);
}

/* Sets can also contain archives. */
static bool set_holds_records(const char *name, struct tfr_error *err)
{
	struct tfr_set_opts opts = { .inputs = &name, .count = 1, .allow_missing = true };
	struct tfr_set *set = NULL;
	bool yes = !tfr_set_open(&set, &opts, err) && tfr_set_count(set) &&
		   holds_records(tfr_set_path(set, 0), err);

	tfr_set_close(set);
	return yes;
}

static bool finds_records(const struct tfr_offer *offer, struct tfr_error *err)
{
	struct tfr_set_name name;

	if (offer->directory || !strcmp(offer->path, "-"))
		return false;
	if (offer->head_size >= TFR_RECORD_HEADER && tfr_header_verifies(offer->head))
		return true;
	if (offer->head_size)
		return (offer->head[0] == 0x1f || offer->head[0] == 0x78) &&
		       holds_records(offer->path, err);
	if (!offer->missing)
		return false;
	if (tfr_set_name_parse(&name, offer->path, NULL) == TFR_OK) {
		tfr_set_name_clear(&name);
		return set_holds_records(offer->path, err);
	}
	return pattern_finds_records(offer->path, err);
}

/* A file that cannot be read is an error: it may have records. */
static bool recognises(const struct tfr_convert_opts *opts, const struct tfr_offer *offer)
{
	struct tfr_error why = { 0 };
	bool yes = finds_records(offer, &why);

	(void)opts;
	tfr_offer_failed(offer, &why);
	return yes;
}

/* --- reading --- */

static const char *path_of(const struct records *r)
{
	return tfr_set_path(r->set, r->file);
}

static enum tfr_status open_file(struct records *r, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .threads = tfr_thread_count(r->in.opts->run.threads) };

	r->any = false;
	return tfr_reader_open(&r->reader, path_of(r), &opts, err);
}

static void end_file(struct records *r)
{
	if (!r->any && strcmp(path_of(r), "-"))
		tfr_warn(r->in.opts, "'%s' holds no records", path_of(r));
	tfr_reader_close(r->reader);
	r->reader = NULL;
	r->file++;
}

/* Stores the bytes after place `at` of a run for later; `seen` records of the run come before
 * it. */
static enum tfr_status put_by(struct records *r, const struct tfr_record_run *run, size_t at,
	uint64_t seen, struct tfr_error *err)
{
	struct tfr_record_run *rest = &r->rest;
	size_t size = run->size - at;

	if (size > rest->cap) {
		tfr_record_run_clear(rest);
		rest->block = malloc(size);
		TFR_NEED_MEMORY(rest->block, err, "reading records");
		rest->cap = size;
	}
	if (size)
		memcpy(rest->block, run->data + at, size);
	rest->data = rest->block;
	rest->size = size;
	rest->records = run->records - seen;
	rest->index = run->index + seen;
	rest->offset = run->offset + at;
	rest->at = rest->seen = 0;
	return TFR_OK;
}

/* Makes the stored rest of the previous run a run of its own. */
static void take_rest(struct records *r, struct held *h)
{
	struct tfr_record_run rest = r->rest;

	r->rest = h->run;
	r->rest.records = 0;
	h->run = rest;
}

static enum tfr_status read_run(
	struct records *r, struct held *h, const struct tfr_room *room, struct tfr_error *err)
{
	if (r->rest.records) {
		take_rest(r, h);
		return TFR_OK;
	}
	TFR_TRY(tfr_reader_next_run(r->reader, &h->run, err));
	tfr_room_reserve(room, h->run.large ? h->run.large : h->run.size);
	return h->run.large ? tfr_reader_large_run(r->reader, &h->run, err) : TFR_OK;
}

static enum tfr_status give_run(struct records *r, struct tfr_item *item, struct tfr_error *err)
{
	struct held *h = item->own;

	r->any = true;
	item->records = h->run.records;
	item->framed = (struct tfr_framed){ h->run.data, h->run.size, NULL };
	item->size = h->run.size;
	return tfr_item_name(item, path_of(r), strlen(path_of(r)))
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading records");
}

/* --- reading past damage --- */

static enum tfr_status give_fault(struct records *r, struct tfr_item *item, struct tfr_error *err)
{
	const struct tfr_error *f = &r->fault;

	r->any = true;
	tfr_item_skip(item, f->status, "%s, record %llu, offset %llu", f->message,
		(unsigned long long)f->record, (unsigned long long)f->offset);
	r->fault = (struct tfr_error){ 0 };
	return tfr_item_name(item, path_of(r), strlen(path_of(r)))
		       ? TFR_OK
		       : tfr_fail_nomem(err, "reading records");
}

/* Cuts the run before its first bad record, and stores the rest for later. */
static enum tfr_status cut_run(struct records *r, struct tfr_record_run *run, struct tfr_error *err)
{
	struct tfr_record rec;
	enum tfr_status status;
	size_t good;

	do {
		good = run->at;
		status = tfr_record_run_next(run, &rec, &r->fault);
	} while (!status);
	if (status == TFR_END)
		return TFR_OK;
	status = put_by(r, run, run->at, run->seen, err);
	run->size = good;
	run->records = run->seen - 1;
	return status;
}

/* Returns a run without bad records, or a bad record: TFR_OK with r->fault and no run, or
 * TFR_END. */
static enum tfr_status next_past_damage(
	struct records *r, struct held *h, const struct tfr_room *room, struct tfr_error *err)
{
	struct tfr_error fault = { 0 };
	enum tfr_status status;
	uint64_t lost;

	h->run.records = 0;
	status = read_run(r, h, room, &fault);
	if (!status)
		return cut_run(r, &h->run, err);
	if (status == TFR_END)
		return TFR_END;
	if (status != TFR_EDATA) {
		if (err)
			*err = fault;
		return status;
	}
	r->fault = fault;
	r->fault.status = status;
	status = tfr_reader_resync(r->reader, &lost, err);
	r->over = status == TFR_END;
	return r->over ? TFR_OK : status;
}

static enum tfr_status next_careful(struct records *r, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct held *h = item->own;

	if (r->fault.status)
		return give_fault(r, item, err);
	if (r->over) {
		r->over = false;
		return TFR_END;
	}
	TFR_TRY(next_past_damage(r, h, room, err));
	return h->run.records ? give_run(r, item, err) : give_fault(r, item, err);
}

/* --- one item --- */

static enum tfr_status next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err)
{
	struct records *r = (struct records *)in;
	struct held *h = held_of(item);
	enum tfr_status status;

	TFR_NEED_MEMORY(h, err, "reading records");
	for (;;) {
		if (!r->reader && r->file == tfr_set_count(r->set))
			return TFR_END;
		if (!r->reader)
			TFR_TRY(open_file(r, err));
		if (r->skip) {
			status = next_careful(r, item, room, err);
		} else {
			status = read_run(r, h, room, err);
			if (!status)
				status = give_run(r, item, err);
		}
		if (status != TFR_END)
			return status;
		end_file(r);
	}
}

/* Skips records by their lengths; the run that has written them verified them. */
static enum tfr_status pass(struct tfr_input *in, uint64_t items, struct tfr_error *err)
{
	struct records *r = (struct records *)in;
	enum tfr_status status = TFR_OK;
	struct tfr_item item = { 0 };

	while (!status && items) {
		status = tfr_item_start(&item, 0, err);
		if (!status)
			status = next(in, &item, &(struct tfr_room){ 0 }, err);
		if (!status && item.records > items) {
			const struct tfr_record_run *run = &((struct held *)item.own)->run;
			size_t at = 0;

			for (uint64_t i = 0; i < items; i++)
				at += tfr_known_length(run->data + at) + TFR_RECORD_OVERHEAD;
			status = put_by(r, run, at, items, err);
			break;
		}
		items -= item.records;
		tfr_item_trim(&item);
	}
	tfr_item_clear(&item);
	if (status == TFR_END)
		return tfr_fail_path(err, TFR_EDATA, in->opts->input.paths[0],
			"there are fewer records than the run to be resumed has read");
	return status;
}

static enum tfr_status load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err)
{
	struct held *h = item->own;
	struct tfr_record rec;
	enum tfr_status status;
	uint64_t *sums;

	(void)in;
	(void)bench;
	(void)room;
	h->sums.size = 0;
	TFR_NEED_MEMORY(
		tfr_buf_reserve(&h->sums, h->run.records * sizeof(*sums)), err, "reading records");
	sums = (uint64_t *)(void *)h->sums.data;
	h->run.at = h->run.seen = 0;
	while (!(status = tfr_record_run_next(&h->run, &rec, err)))
		*sums++ = tfr_content_sum(rec.data, rec.size);
	item->framed.sums = (const uint64_t *)(void *)h->sums.data;
	if (status == TFR_END)
		return TFR_OK;
	tfr_error_locate(err, (const char *)item->name.data, rec.index, rec.offset);
	return status;
}

/* --- all of them --- */

static enum tfr_status check(const struct tfr_convert_opts *o, struct tfr_error *err)
{
	const char *what = o->images.verify				? "--verify-images"
			   : o->classes.base				? "--label-base"
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

	tfr_reader_close(r->reader);
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
	.several = true,
	.framed = true,
	.recognises = recognises,
	.open = open_records,
	.next = next,
	.load = load,
	.pass = pass,
	.close = close_records,
};
