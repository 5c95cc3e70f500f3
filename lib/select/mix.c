/* select/mix.c - draws a set and reads its next record.
 *
 * A set that has ended keeps its share of the draws, and its draws are ignored, as in tf.data
 * (tensorflow/core/kernels/data/experimental/directed_interleave_dataset_op.cc).  So the order of
 * the others does not depend on when it ended.  If nearly all draws would be ignored, only the
 * sets that are left are drawn, which has the same distribution. */
#include "select/mix.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/select.h>
#include <tfr/lookup.h>

#include "base/error.h"
#include "select/draws.h"
#include "select/number_list.h"
#include "sweep/fault_policy.h"
#include "sweep/interleave.h"
#include "thread/threads.h"

/* --- cycles --- */

/* Reads the records of all files of a set in the order of tf.data's interleave. With a cycle of 1,
 * one file follows another.
 *
 * Reads the files of a set in the order of sweep/interleave.h.
 *
 * That order follows from the numbers of records alone.  So if only some numbers are wanted, a
 * file whose index has its number of records is not read to get past the others.  Its order is
 * the same, and so are its records. */

enum { INDEXES_MOST = 128 };

/* The blocks of all open files together stay near this, for any number of files. */
enum { BLOCKS_TOTAL = 16 << 20, BLOCK_LEAST = 16 << 10, BLOCK_MOST = 512 << 10 };

/* Its file is open if one of the first two is not NULL. */
struct place {
	struct tfr_reader *reader;
	struct tfr_lookup *lookup; /* the file is read by its index */
	uint64_t number;	   /* of the next record in `lookup` */
	size_t file;		   /* SIZE_MAX: none is left */
	const char *path;
	bool any; /* it has a record or a fault */
};

struct inputs {
	const struct tfr_set *set;
	const struct tfr_select_opts *o;
	struct tfr_fault_policy *faults;
	struct number_list *wanted; /* NULL: all */
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
	struct inputs *in = ctx;
	enum tfr_status status = in->o->growing->wait(in->o->growing->ctx, err);

	in->stopped = status == TFR_END;
	return status;
}

/* Accepts NULL. */
static void cycle_close(struct inputs *in)
{
	if (!in)
		return;
	for (size_t i = 0; in->places && i < in->order.places; i++) {
		tfr_reader_close(in->places[i].reader);
		tfr_lookup_close(in->places[i].lookup);
	}
	free(in->places);
	free(in);
}

/* `wanted`: records whose numbers are not in it may be skipped without being read; NULL: all are
 * wanted.  `beside`: how many inputs are open at a time, including this one. */
static enum tfr_status cycle_open(struct inputs **out, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct tfr_fault_policy *faults,
	struct number_list *wanted, size_t beside, struct tfr_error *err)
{
	struct inputs *in = calloc(1, sizeof(*in));
	size_t share;

	TFR_NEED_MEMORY(in, err, "opening the inputs");
	in->set = set;
	in->o = opts;
	in->faults = faults;
	in->wanted = wanted;
	tfr_interleave_init(&in->order, tfr_set_count(set), opts->cycle, opts->block);
	/* Damage can only be reported if it is read, and a growing file has no index yet.  An index
	 * is one more open file per place. */
	in->by_index = wanted && opts->framing == TFR_FRAMING_RECORDS && !opts->skip_damaged &&
		       !opts->growing && in->order.places <= INDEXES_MOST;
	in->places = calloc(in->order.places, sizeof(*in->places));
	if (!in->places) {
		cycle_close(in);
		return tfr_fail_nomem(err, "opening the inputs");
	}
	for (size_t i = 0; i < in->order.places; i++)
		in->places[i].file = i;
	share = BLOCKS_TOTAL / (in->order.places * beside);
	share = share < BLOCK_LEAST ? BLOCK_LEAST : share > BLOCK_MOST ? BLOCK_MOST : share;
	in->reader_opts = (struct tfr_reader_opts){ opts->compression, share, opts->framing,
		faults->skip && faults->quarantine ? tfr_fault_put : NULL, faults };
	in->reader_opts.threads = tfr_thread_share(tfr_thread_count(0), in->order.places * beside);
	in->growing = (struct tfr_growing){ wait_for_more, in };
	if (opts->growing)
		in->reader_opts.growing = &in->growing;
	*out = in;
	return TFR_OK;
}

/* Counts `n` records that were read or skipped, no more than the block has left. */
static void count(struct inputs *in, struct place *p, uint64_t n)
{
	p->any = true;
	in->seen += n;
	tfr_interleave_take(&in->order, n);
}

/* An index that does not fit costs only time. */
static enum tfr_status try_index(struct inputs *in, struct place *p, struct tfr_error *err)
{
	enum tfr_status status;

	struct tfr_reader_opts opts = { .compression = in->o->compression,
		.threads = in->reader_opts.threads };
	enum tfr_index_state state;
	char text[8192];

	if (!strcmp(p->path, "-"))
		return TFR_OK;
	status = tfr_lookup_open(&p->lookup, p->path, &opts, &state, err);
	if (status == TFR_ESYS || status == TFR_ENOMEM)
		return status;
	p->number = 0;
	/* Reading the file reports what is wrong with it. */
	if (status || p->lookup || state == TFR_INDEX_MISSING || state == TFR_INDEX_NO_POINTS)
		return TFR_OK;
	snprintf(text, sizeof(text), "the index of '%s' is not used: %s", p->path,
		tfr_index_state_text(state));
	tfr_fault_warn(in->faults, NULL, text);
	return TFR_OK;
}

static enum tfr_status open_place(struct inputs *in, struct place *p, struct tfr_error *err)
{
	if (p->file == SIZE_MAX) {
		tfr_interleave_pass(&in->order);
		return TFR_OK;
	}
	p->path = tfr_set_path(in->set, p->file);
	p->any = false;
	if (in->by_index)
		TFR_TRY(try_index(in, p, err));
	return p->lookup ? TFR_OK : tfr_reader_open(&p->reader, p->path, &in->reader_opts, err);
}

static void end_place(struct inputs *in, struct place *p)
{
	if (!p->any)
		tfr_fault_warn_empty(in->faults, NULL, p->path);
	tfr_reader_close(p->reader);
	tfr_lookup_close(p->lookup);
	p->reader = NULL;
	p->lookup = NULL;
	p->file = tfr_interleave_end(&in->order);
}

/* Skips a fault.  A file that has no record after it ends. */
static enum tfr_status skip_fault(
	struct inputs *in, struct place *p, enum tfr_status status, struct tfr_error *err)
{
	p->any = true;
	status = tfr_fault_resync(in->faults, NULL, p->reader, status, err);
	if (!status)
		count(in, p, 1);
	else if (status == TFR_END)
		end_place(in, p);
	return status == TFR_END ? TFR_OK : status;
}

/* Bytes of a record besides its payload, accurate enough for progress. */
static uint64_t overhead(const struct inputs *in)
{
	return in->o->framing == TFR_FRAMING_RECORDS ? TFR_RECORD_OVERHEAD : 1;
}

/* Skips records of the block that are not wanted, by the index.  False: the next record is wanted,
 * or the file has no more. */
static bool pass_over(struct inputs *in, struct place *p)
{
	uint64_t left = tfr_lookup_count(p->lookup) - p->number;
	uint64_t n = tfr_number_list_next(in->wanted, in->seen) - in->seen;

	if (n > left)
		n = left;
	if (n > tfr_interleave_left(&in->order))
		n = tfr_interleave_left(&in->order);
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

/* One step in the order: opens or ends a file, skips records, or reads a record, which sets *got.
 */
static enum tfr_status step(
	struct inputs *in, struct tfr_record *rec, bool *got, struct tfr_error *err)
{
	struct place *p = &in->places[in->order.turn];
	enum tfr_status status;

	if (!p->reader && !p->lookup)
		return open_place(in, p, err);
	if (p->lookup && pass_over(in, p))
		return TFR_OK;
	status = read_place(p, rec, err);
	if (in->stopped) /* the next record is not complete yet */
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
	return skip_fault(in, p, status, err);
}

/* Reads the next record, a view until the next call.  With `skip_damaged`, faults are skipped. */
static enum tfr_status cycle_next(struct inputs *in, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	bool got = false;

	while (!status && !got && tfr_interleave_more(&in->order))
		status = step(in, rec, &got, err);
	return got || status ? status : TFR_END;
}

/* How many records were read or skipped so far; a skipped fault counts as one.  The last record's
 * number is one less. */
static uint64_t cycle_seen(const struct inputs *in)
{
	return in->seen;
}

/* The file of the last record. */
static const char *cycle_path(const struct inputs *in)
{
	return strcmp(in->path, "-") ? in->path : "standard input";
}

static uint64_t cycle_read(const struct inputs *in)
{
	return in->read;
}

/* --- mixing --- */

/* If on average fewer than one of so many draws counts, the weights are set again. */
enum { DRAWS_LOST_MOST = 4096 };

struct mix {
	struct inputs **sources; /* those with a weight */
	double *weights;	 /* 0: at its end */
	size_t count, left;
	bool until_first;
	struct draws draws;
	double drawn; /* the sum of the weights that draws are made by, and of those left */
	double alive;
	struct inputs *last; /* where the last record came from */
	uint64_t seen;
	bool over;
};

static bool can_be_weight(double w)
{
	return w == 0 || (w > 0 && isnormal((float)w));
}

static enum tfr_status check(const struct tfr_mix *mix, struct tfr_error *err)
{
	size_t drawn = 0;

	for (size_t i = 0; i < mix->count; i++) {
		if (!can_be_weight(mix->weights[i]))
			return tfr_fail(err, TFR_EUSAGE,
				"a weight is 0 or from 1e-37 to 1e38, not %g", mix->weights[i]);
		drawn += mix->weights[i] > 0;
	}
	if (!drawn)
		return tfr_fail(err, TFR_EUSAGE, "no set of the mix has a weight above 0");
	return TFR_OK;
}

static enum tfr_status add(struct mix *m, const struct tfr_set *set, double weight,
	const struct tfr_select_opts *opts, struct tfr_fault_policy *faults,
	struct number_list *wanted, size_t beside, struct tfr_error *err)
{
	m->weights[m->count] = weight;
	m->alive += weight;
	return cycle_open(&m->sources[m->count++], set, opts, faults, wanted, beside, err);
}

static enum tfr_status fill(struct mix *m, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct tfr_fault_policy *faults,
	struct number_list *wanted, struct tfr_error *err)
{
	const struct tfr_mix *mix = opts->mix;
	enum tfr_status status = mix ? check(mix, err) : TFR_OK;

	if (!mix)
		return add(m, set, 1, opts, faults, wanted, 1, err);
	m->until_first = mix->until_first;
	/* Numbers count over all sets, so the index of a file does not help. */
	for (size_t i = 0; !status && i < mix->count; i++)
		if (mix->weights[i] > 0)
			status = add(m, mix->sets[i], mix->weights[i], opts, faults, NULL,
				mix->count, err);
	return status;
}

enum tfr_status tfr_mix_open(struct mix **out, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct tfr_fault_policy *faults,
	struct number_list *wanted, struct tfr_error *err)
{
	size_t places = opts->mix && opts->mix->count ? opts->mix->count : 1;
	struct mix *m = calloc(1, sizeof(*m));
	enum tfr_status status;

	if (m) {
		m->sources = calloc(places, sizeof(*m->sources));
		m->weights = calloc(places, sizeof(*m->weights));
	}
	if (!m || !m->sources || !m->weights)
		status = tfr_fail_nomem(err, "opening the inputs");
	else
		status = fill(m, set, opts, faults, wanted, err);
	if (!status)
		status = tfr_draws_init(&m->draws, m->weights, m->count, opts->seed, err);
	if (status) {
		tfr_mix_close(m);
		return status;
	}
	m->left = m->count;
	m->drawn = m->alive;
	m->last = m->sources[0];
	*out = m;
	return TFR_OK;
}

void tfr_mix_close(struct mix *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++)
		cycle_close(m->sources[i]);
	tfr_draws_clear(&m->draws);
	free(m->sources);
	free(m->weights);
	free(m);
}

/* If one set is left, it is not drawn. */
static size_t draw(struct mix *m)
{
	size_t i = 0;

	if (m->left > 1) {
		do
			i = tfr_draws_next(&m->draws);
		while (!m->weights[i]);
		return i;
	}
	while (!m->weights[i])
		i++;
	return i;
}

/* Sums are computed again: the remainder may be far smaller than the rounding error of a
 * difference. */
static void drop(struct mix *m, size_t i)
{
	assert(m->left && m->weights[i] > 0);
	m->weights[i] = 0;
	m->left--;
	m->alive = 0;
	for (size_t k = 0; k < m->count; k++)
		m->alive += m->weights[k];
	if (m->left < 2 || m->alive * DRAWS_LOST_MOST >= m->drawn)
		return;
	tfr_draws_set(&m->draws, m->weights);
	m->drawn = m->alive;
}

enum tfr_status tfr_mix_next(struct mix *m, struct tfr_record *rec, struct tfr_error *err)
{
	while (!m->over) {
		size_t i = draw(m);
		struct inputs *in = m->sources[i];
		uint64_t before = cycle_seen(in);
		enum tfr_status status = cycle_next(in, rec, err);

		m->last = in;
		m->seen += cycle_seen(in) - before;
		if (status != TFR_END)
			return status;
		drop(m, i);
		m->over = !m->left || m->until_first;
	}
	return TFR_END;
}

uint64_t tfr_mix_seen(const struct mix *m)
{
	return m->seen;
}

const char *tfr_mix_path(const struct mix *m)
{
	return cycle_path(m->last);
}

uint64_t tfr_mix_read(const struct mix *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->count; i++)
		n += cycle_read(m->sources[i]);
	return n;
}
