/* sweep/interleave.c - a turn that goes around the places, and a reader that follows it.
 *
 * The order follows from the numbers of records alone.  So if only some numbers are wanted, a file
 * whose index has its number of records is not read to get past the others. */
#include "sweep/interleave.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/lookup.h>

#include "base/error.h"
#include "sweep/reading.h"
#include "thread/threads.h"

void tfr_interleave_init(struct tfr_interleave *il, size_t files, struct tfr_interleaving order)
{
	*il = (struct tfr_interleave){
		.files = files,
		.places = order.cycle && files ? files : 1,
		.block = order.cycle ? order.block : UINT64_MAX,
	};
	if (order.cycle && order.cycle < il->places)
		il->places = (size_t)order.cycle;
	assert(il->block);
	tfr_interleave_start(il);
}

void tfr_interleave_start(struct tfr_interleave *il)
{
	assert(!il->busy);
	il->busy = il->next_file = il->files < il->places ? il->files : il->places;
	il->turn = 0;
	il->taken = 0;
}

void tfr_interleave_pass(struct tfr_interleave *il)
{
	il->taken = 0;
	il->turn = (il->turn + 1) % il->places;
}

size_t tfr_interleave_end(struct tfr_interleave *il)
{
	size_t file = il->next_file < il->files ? il->next_file++ : SIZE_MAX;

	assert(il->busy);
	il->busy -= file == SIZE_MAX;
	tfr_interleave_pass(il);
	return file;
}

void tfr_interleave_take(struct tfr_interleave *il, uint64_t n)
{
	assert(il->busy && n <= tfr_interleave_left(il));
	il->taken += n;
	if (il->taken == il->block)
		tfr_interleave_pass(il);
}

/* --- reading in this order --- */

enum { INDEXES_MOST = 128 };

/* The blocks of all open files together stay near this, for any number of files. */
enum { READ_TOTAL = 16 << 20, READ_LEAST = 16 << 10, READ_MOST = 512 << 10 };

/* Its file is open if it has a reader or a lookup. */
struct place {
	struct tfr_reading in;
	struct tfr_lookup *lookup; /* the file is read by its index */
	uint64_t number;	   /* of the next record in `lookup` */
	size_t file;		   /* SIZE_MAX: none is left */
};

struct tfr_cycle {
	const struct tfr_set *set;
	struct tfr_cycle_opts o;
	bool by_index;
	struct tfr_reader_opts reader_opts;
	struct place *places;
	struct tfr_interleave order;
	uint64_t seen, read;
	const char *path;
	struct tfr_growing growing;
	bool stopped; /* by growing.wait */
};

static enum tfr_status wait_for_more(void *ctx, struct tfr_error *err)
{
	struct tfr_cycle *c = ctx;
	enum tfr_status status = c->o.growing->wait(c->o.growing->ctx, err);

	c->stopped = status == TFR_END;
	return status;
}

void tfr_cycle_close(struct tfr_cycle *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->places && i < c->order.places; i++) {
		tfr_reading_end(&c->places[i].in);
		tfr_lookup_close(c->places[i].lookup);
	}
	free(c->places);
	free(c);
}

enum tfr_status tfr_cycle_open(struct tfr_cycle **out, const struct tfr_set *set,
	const struct tfr_cycle_opts *opts, struct tfr_error *err)
{
	struct tfr_cycle *c = calloc(1, sizeof(*c));
	struct tfr_fault_policy *faults = opts->faults;
	size_t share, open;

	TFR_NEED_MEMORY(c, err, "opening the inputs");
	*out = c;
	c->set = set;
	c->o = *opts;
	tfr_interleave_init(&c->order, tfr_set_count(set), opts->order);
	/* Damage can only be reported if it is read, and a growing file has no index yet.  An index
	 * is one more open file per place. */
	c->by_index = opts->next_wanted && opts->framing == TFR_FRAMING_RECORDS &&
		      faults->on_fault == TFR_ON_FAULT_FAIL && !opts->growing &&
		      c->order.places <= INDEXES_MOST;
	c->places = calloc(c->order.places, sizeof(*c->places));
	TFR_NEED_MEMORY(c->places, err, "opening the inputs");
	for (size_t i = 0; i < c->order.places; i++) {
		c->places[i].file = i;
		c->places[i].in.faults = faults;
	}
	open = c->order.places * opts->beside;
	share = READ_TOTAL / open;
	share = share < READ_LEAST ? READ_LEAST : share > READ_MOST ? READ_MOST : share;
	c->reader_opts = (struct tfr_reader_opts){
		.compression = opts->compression,
		.framing = opts->framing,
		.block_size = share,
		.threads = tfr_thread_share(tfr_thread_count(0), open),
	};
	if (faults->on_fault == TFR_ON_FAULT_SKIP && faults->quarantine) {
		c->reader_opts.lost = tfr_fault_put;
		c->reader_opts.ctx = faults;
	}
	c->growing = (struct tfr_growing){ wait_for_more, c };
	if (opts->growing)
		c->reader_opts.growing = &c->growing;
	return TFR_OK;
}

/* Counts `n` records that were read or passed, no more than the block has left. */
static void count_records(struct tfr_cycle *c, uint64_t n)
{
	c->seen += n;
	tfr_interleave_take(&c->order, n);
}

/* An index that does not fit costs only time. */
static enum tfr_status try_index(
	struct tfr_cycle *c, struct place *p, const char *path, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .compression = c->o.compression,
		.threads = c->reader_opts.threads };
	enum tfr_index_state state;
	enum tfr_status status;
	char text[8192];

	if (!strcmp(path, "-"))
		return TFR_OK;
	status = tfr_lookup_open(&p->lookup, path, &opts, &state, err);
	if (status == TFR_ESYS || status == TFR_ENOMEM)
		return status;
	p->number = 0;
	/* Reading the file reports what is wrong with it. */
	if (status || p->lookup || state == TFR_INDEX_MISSING || state == TFR_INDEX_NO_POINTS)
		return TFR_OK;
	snprintf(text, sizeof(text), "the index of '%s' is not used: %s", path,
		tfr_index_state_text(state));
	tfr_fault_warn(c->o.faults, NULL, text);
	return TFR_OK;
}

static void end_place(struct tfr_cycle *c, struct place *p)
{
	if (!p->in.seen)
		tfr_fault_warn_empty(c->o.faults, NULL, p->in.path);
	tfr_reading_end(&p->in);
	tfr_lookup_close(p->lookup);
	p->lookup = NULL;
	p->file = tfr_interleave_end(&c->order);
}

static enum tfr_status open_place(struct tfr_cycle *c, struct place *p, struct tfr_error *err)
{
	const char *path;
	enum tfr_status status;

	if (p->file == SIZE_MAX) {
		tfr_interleave_pass(&c->order);
		return TFR_OK;
	}
	path = tfr_set_path(c->set, p->file);
	if (c->by_index)
		TFR_TRY(try_index(c, p, path, err));
	if (p->lookup) {
		tfr_reading_begin(&p->in, path, (uint32_t)p->file);
		return TFR_OK;
	}
	status = tfr_reading_open(&p->in, path, (uint32_t)p->file, NULL, &c->reader_opts, err);
	if (status == TFR_END)
		end_place(c, p);
	return status == TFR_END ? TFR_OK : status;
}

/* Bytes of a record besides its payload, accurate enough for progress. */
static uint64_t framing_bytes(const struct tfr_cycle *c)
{
	return c->o.framing == TFR_FRAMING_RECORDS ? TFR_RECORD_OVERHEAD : 1;
}

/* Passes records of the block that are not wanted, by the index.  False: the next record is wanted,
 * or the file has no more. */
static bool pass_unwanted(struct tfr_cycle *c, struct place *p)
{
	uint64_t left = tfr_lookup_count(p->lookup) - p->number;
	uint64_t n = c->o.next_wanted(c->o.ctx, c->seen) - c->seen;

	if (n > left)
		n = left;
	if (n > tfr_interleave_left(&c->order))
		n = tfr_interleave_left(&c->order);
	if (!n)
		return false;
	p->number += n;
	p->in.seen += n;
	count_records(c, n);
	return true;
}

/* The next record of the place's file.  TFR_END: it has no more. */
static enum tfr_status read_place(struct place *p, struct tfr_record *rec)
{
	enum tfr_status status;

	if (!p->lookup)
		return tfr_reader_next(p->in.reader, rec, &p->in.why);
	status = tfr_lookup_read(p->lookup, p->number, rec, &p->in.why);
	p->number += !status;
	return status;
}

/* A failure before the next record.  A file that has no record after it ends.  Each fault takes one
 * place in the block, which tfr_reading_next() would not show. */
static enum tfr_status meet_fault(struct tfr_cycle *c, struct place *p, struct tfr_error *err)
{
	enum tfr_status status = tfr_reading_meet(&p->in, err);

	if (!status)
		count_records(c, 1);
	else if (status == TFR_END)
		end_place(c, p);
	return status == TFR_END ? TFR_OK : status;
}

/* One step in the order: opens or ends a file, passes records, or reads a record, which sets *got.
 */
static enum tfr_status step(
	struct tfr_cycle *c, struct tfr_record *rec, bool *got, struct tfr_error *err)
{
	struct place *p = &c->places[c->order.turn];
	enum tfr_status status;

	if (!p->in.reader && !p->lookup)
		return open_place(c, p, err);
	if (p->lookup && pass_unwanted(c, p))
		return TFR_OK;
	status = read_place(p, rec);
	if (c->stopped) /* the next record is not complete yet */
		return TFR_END;
	if (status > TFR_END)
		return meet_fault(c, p, err);
	if (status == TFR_END) {
		end_place(c, p);
		return TFR_OK;
	}
	p->in.seen++;
	c->read++;
	c->path = p->in.path;
	count_records(c, 1);
	tfr_progress_add(c->o.progress, 1, rec->size + framing_bytes(c));
	*got = true;
	return TFR_OK;
}

enum tfr_status tfr_cycle_next(struct tfr_cycle *c, struct tfr_record *rec, struct tfr_error *err)
{
	bool got = false;

	while (!got) {
		if (!tfr_interleave_more(&c->order))
			return TFR_END;
		TFR_TRY(step(c, rec, &got, err));
	}
	return TFR_OK;
}

uint64_t tfr_cycle_seen(const struct tfr_cycle *c)
{
	return c->seen;
}

uint64_t tfr_cycle_records_read(const struct tfr_cycle *c)
{
	return c->read;
}

const char *tfr_cycle_path(const struct tfr_cycle *c)
{
	return strcmp(c->path, "-") ? c->path : "standard input";
}
