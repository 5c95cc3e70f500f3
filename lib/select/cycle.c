/* select/cycle.c - places in a cycle, each with a file that is open.
 *
 * The turn goes from place to place.  A place without a file takes the next one when its turn
 * comes, and a file that ends passes the turn on, so that an empty file takes up one visit: that is
 * what tf.data does, and why its order can be told from the numbers alone.
 *
 * So where only some numbers are wanted, a file whose index says how many records it has need not
 * be read to get past the others.  Its order is the same, and so are its records. */
#include "select/cycle.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/lookup.h>

#include "base/error.h"
#include "select/number_list.h"
#include "thread/threads.h"

enum { INDEXES_MOST = 128 };

/* Blocks of all open files together stay near this, however many there are. */
enum { BLOCKS_TOTAL = 16 << 20, BLOCK_LEAST = 16 << 10, BLOCK_MOST = 512 << 10 };

/* It has a file where one of the first two is not NULL. */
struct place {
	struct tfr_reader *reader;
	struct tfr_lookup *lookup; /* the file is read by its index */
	uint64_t number;	   /* there: of the record that comes next */
	const char *path;
	bool any; /* it has a record or a fault */
};

struct inputs {
	const struct tfr_set *set;
	const struct tfr_select_opts *o;
	struct number_list *wanted; /* NULL: all */
	bool by_index;
	struct tfr_reader_opts reader_opts;
	struct place *places;
	size_t count, open, turn, next_file;
	uint64_t taken, block; /* of the block at `turn` */
	uint64_t seen, read, bad;
	const char *path;
	struct tfr_growing growing;
	bool stopped; /* by growing.wait */
	bool again;   /* all files were read before */
};

static enum tfr_status wait_for_more(void *ctx, struct tfr_error *err)
{
	struct inputs *in = ctx;
	enum tfr_status status = in->o->growing->wait(in->o->growing->ctx, err);

	in->stopped = status == TFR_END;
	return status;
}

enum tfr_status tfr_cycle_open(struct inputs **out, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct number_list *wanted, size_t beside,
	struct tfr_error *err)
{
	struct inputs *in = calloc(1, sizeof(*in));
	size_t files = tfr_set_count(set), share;

	if (!in)
		return tfr_fail_nomem(err, "opening the inputs");
	in->set = set;
	in->o = opts;
	in->wanted = wanted;
	in->block = opts->cycle ? opts->block : UINT64_MAX;
	in->count = opts->cycle ? files : 1;
	if (opts->cycle && opts->cycle < in->count)
		in->count = (size_t)opts->cycle;
	/* Damage that is to be told of has to be met, and what grows has no index yet.  An index is
	 * one more open file a place. */
	in->by_index = wanted && opts->framing == TFR_FRAMING_RECORDS && !opts->skip_damaged &&
		       !opts->growing && in->count <= INDEXES_MOST;
	in->places = calloc(in->count ? in->count : 1, sizeof(*in->places));
	if (!in->places) {
		tfr_cycle_close(in);
		return tfr_fail_nomem(err, "opening the inputs");
	}
	share = BLOCKS_TOTAL / ((in->count ? in->count : 1) * beside);
	share = share < BLOCK_LEAST ? BLOCK_LEAST : share > BLOCK_MOST ? BLOCK_MOST : share;
	in->reader_opts = (struct tfr_reader_opts){ opts->compression, share, opts->framing,
		opts->skip_damaged ? opts->lost : NULL, opts->ctx };
	in->reader_opts.threads = tfr_thread_share(tfr_thread_count(0), in->count * beside);
	in->growing = (struct tfr_growing){ wait_for_more, in };
	if (opts->growing)
		in->reader_opts.growing = &in->growing;
	*out = in;
	return TFR_OK;
}

void tfr_cycle_close(struct inputs *in)
{
	if (!in)
		return;
	for (size_t i = 0; in->places && i < in->count; i++) {
		tfr_reader_close(in->places[i].reader);
		tfr_lookup_close(in->places[i].lookup);
	}
	free(in->places);
	free(in);
}

static void warn(struct inputs *in, const char *text)
{
	if (in->o->warn)
		in->o->warn(in->o->ctx, text);
}

static void advance(struct inputs *in)
{
	in->taken = 0;
	in->turn = (in->turn + 1) % in->count;
}

/* Their places in the stream are over; n is no more than the block has left. */
static void count(struct inputs *in, struct place *p, uint64_t n)
{
	p->any = true;
	in->seen += n;
	in->taken += n;
	if (in->taken == in->block)
		advance(in);
}

/* An index that cannot be used, whatever the reason, costs nothing but time. */
static void try_index(struct inputs *in, struct place *p)
{
	struct tfr_reader_opts opts = { .compression = in->o->compression,
		.threads = in->reader_opts.threads };
	enum tfr_index_state state;
	struct tfr_error err;
	char text[8192];

	if (!strcmp(p->path, "-") || tfr_lookup_open(&p->lookup, p->path, &opts, &state, &err))
		return; /* what is wrong with the file is told when it is read */
	p->number = 0;
	if (p->lookup || state == TFR_INDEX_MISSING || state == TFR_INDEX_NO_POINTS)
		return;
	snprintf(text, sizeof(text), "the index of '%s' is not used: %s", p->path,
		tfr_index_state_text(state));
	warn(in, text);
}

static enum tfr_status open_place(struct inputs *in, struct place *p, struct tfr_error *err)
{
	p->path = tfr_set_path(in->set, in->next_file);
	p->any = false;
	in->next_file++;
	in->open++;
	if (in->by_index)
		try_index(in, p);
	return p->lookup ? TFR_OK : tfr_reader_open(&p->reader, p->path, &in->reader_opts, err);
}

static void end_place(struct inputs *in, struct place *p)
{
	char text[4400];

	/* Standard input may well be empty, and an empty file is told of once. */
	if (!p->any && strcmp(p->path, "-") && !in->again) {
		snprintf(text, sizeof(text), "'%s' holds no records", p->path);
		warn(in, text);
	}
	tfr_reader_close(p->reader);
	tfr_lookup_close(p->lookup);
	p->reader = NULL;
	p->lookup = NULL;
	in->open--;
	advance(in);
}

void tfr_cycle_pass_over(struct inputs *in, const struct tfr_error *err)
{
	char text[8192];

	in->bad++;
	warn(in, tfr_error_format(err, text, sizeof(text)));
}

/* Gets behind a fault; a file that has nothing behind it ends. */
static enum tfr_status get_behind(struct inputs *in, struct place *p, struct tfr_error *err)
{
	enum tfr_fault fault = tfr_reader_fault(p->reader);
	enum tfr_status status = TFR_OK;
	uint64_t lost;

	tfr_cycle_pass_over(in, err);
	p->any = true;
	if (fault != TFR_FAULT_PAYLOAD)
		status = tfr_reader_resync(p->reader, &lost, err);
	if (!status)
		count(in, p, 1);
	else if (status == TFR_END)
		end_place(in, p);
	return status == TFR_END ? TFR_OK : status;
}

/* Bytes of a record beside its payload, near enough to see how far it is. */
static uint64_t overhead(const struct inputs *in)
{
	return in->o->framing == TFR_FRAMING_RECORDS ? TFR_RECORD_OVERHEAD : 1;
}

/* Passes over what the index says is there and nobody wants, as far as the block goes.  False: the
 * next one is wanted, or there is none. */
static bool pass_over(struct inputs *in, struct place *p)
{
	uint64_t left = tfr_lookup_count(p->lookup) - p->number;
	uint64_t n = tfr_number_list_next(in->wanted, in->seen) - in->seen;

	if (n > left)
		n = left;
	if (n > in->block - in->taken)
		n = in->block - in->taken;
	if (!n)
		return false;
	p->number += n;
	count(in, p, n);
	return true;
}

/* The next record of the place's file.  TFR_END: it has no more. */
static enum tfr_status read_place(struct place *p, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status;

	if (!p->lookup)
		return tfr_reader_next(p->reader, rec, err);
	status = tfr_lookup_read(p->lookup, p->number, rec, err);
	p->number += !status;
	return status;
}

/* A step in the order: a file opened or ended, or a record read, which *got says, or passed over.
 */
static enum tfr_status step(
	struct inputs *in, struct tfr_record *rec, bool *got, struct tfr_error *err)
{
	struct place *p = &in->places[in->turn];
	enum tfr_status status;

	if (!p->reader && !p->lookup) {
		if (in->next_file < tfr_set_count(in->set))
			return open_place(in, p, err);
		advance(in);
		return TFR_OK;
	}
	if (p->lookup && pass_over(in, p))
		return TFR_OK;
	status = read_place(p, rec, err);
	if (in->stopped) /* what lies there is not whole yet */
		return TFR_END;
	if (!status) {
		in->read++;
		in->path = p->path;
		count(in, p, 1);
		tfr_progress_add(in->o->progress, 1, rec->size + overhead(in));
		*got = true;
		return TFR_OK;
	}
	if (status == TFR_END) {
		end_place(in, p);
		return TFR_OK;
	}
	return status == TFR_EDATA && in->o->skip_damaged ? get_behind(in, p, err) : status;
}

enum tfr_status tfr_cycle_next(struct inputs *in, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	bool got = false;

	while (!status && !got && (in->open || in->next_file < tfr_set_count(in->set)))
		status = step(in, rec, &got, err);
	return got || status ? status : TFR_END;
}

void tfr_cycle_again(struct inputs *in)
{
	assert(!in->open && in->next_file == tfr_set_count(in->set));
	in->next_file = in->turn = 0;
	in->taken = 0;
	in->again = true;
}

uint64_t tfr_cycle_seen(const struct inputs *in)
{
	return in->seen;
}

const char *tfr_cycle_path(const struct inputs *in)
{
	return strcmp(in->path, "-") ? in->path : "standard input";
}

uint64_t tfr_cycle_read(const struct inputs *in)
{
	return in->read;
}

uint64_t tfr_cycle_bad(const struct inputs *in)
{
	return in->bad;
}
