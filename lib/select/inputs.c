/* select/inputs.c - places in a cycle, each with a file that is open.
 *
 * The turn goes from place to place.  A place without a file takes the next one when its turn
 * comes, and a file that ends passes the turn on, so that an empty file takes up one visit: that is
 * what tf.data does, and why its order can be told from the numbers alone. */
#include "select/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "thread/threads.h"

/* Blocks of all open files together stay near this, however many there are. */
enum { BLOCKS_TOTAL = 16 << 20, BLOCK_LEAST = 16 << 10, BLOCK_MOST = 512 << 10 };

struct place {
	struct tfr_reader *reader; /* NULL: has no file now */
	const char *path;
	bool any; /* a record or a fault came out of it */
};

struct inputs {
	const struct tfr_set *set;
	const struct tfr_select_opts *o;
	struct tfr_reader_opts reader_opts;
	struct place *places;
	size_t count, open, turn, next_file;
	uint64_t taken, block; /* of the block at `turn` */
	uint64_t seen, read, bad;
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

enum tfr_status inputs_open(struct inputs **out, const struct tfr_set *set,
	const struct tfr_select_opts *opts, struct tfr_error *err)
{
	struct inputs *in = calloc(1, sizeof(*in));
	size_t files = tfr_set_count(set), share;

	if (!in)
		return tfr_fail_nomem(err, "opening the inputs");
	in->set = set;
	in->o = opts;
	in->block = opts->cycle ? opts->block : 1;
	in->count = opts->cycle ? files : 1;
	if (opts->cycle && opts->cycle < in->count)
		in->count = (size_t)opts->cycle;
	in->places = calloc(in->count ? in->count : 1, sizeof(*in->places));
	if (!in->places) {
		inputs_close(in);
		return tfr_fail_nomem(err, "opening the inputs");
	}
	share = BLOCKS_TOTAL / (in->count ? in->count : 1);
	share = share < BLOCK_LEAST ? BLOCK_LEAST : share > BLOCK_MOST ? BLOCK_MOST : share;
	in->reader_opts = (struct tfr_reader_opts){ opts->compression, share, opts->framing,
		opts->skip_damaged ? opts->lost : NULL, opts->ctx };
	in->reader_opts.threads = tfr_thread_share(tfr_thread_count(0), in->count);
	in->growing = (struct tfr_growing){ wait_for_more, in };
	if (opts->growing)
		in->reader_opts.growing = &in->growing;
	*out = in;
	return TFR_OK;
}

void inputs_close(struct inputs *in)
{
	if (!in)
		return;
	for (size_t i = 0; in->places && i < in->count; i++)
		tfr_reader_close(in->places[i].reader);
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

static void count_one(struct inputs *in, struct place *p)
{
	p->any = true;
	in->seen++;
	if (++in->taken == in->block)
		advance(in);
}

static enum tfr_status open_place(struct inputs *in, struct place *p, struct tfr_error *err)
{
	p->path = tfr_set_path(in->set, in->next_file);
	p->any = false;
	in->next_file++;
	in->open++;
	return tfr_reader_open(&p->reader, p->path, &in->reader_opts, err);
}

static void end_place(struct inputs *in, struct place *p)
{
	char text[4400];

	if (!p->any && strcmp(p->path, "-")) { /* standard input may well be empty */
		snprintf(text, sizeof(text), "'%s' holds no records", p->path);
		warn(in, text);
	}
	tfr_reader_close(p->reader);
	p->reader = NULL;
	in->open--;
	advance(in);
}

void inputs_pass_over(struct inputs *in, const struct tfr_error *err)
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

	inputs_pass_over(in, err);
	p->any = true;
	if (fault != TFR_FAULT_PAYLOAD)
		status = tfr_reader_resync(p->reader, &lost, err);
	if (!status)
		count_one(in, p);
	else if (status == TFR_END)
		end_place(in, p);
	return status == TFR_END ? TFR_OK : status;
}

/* Bytes of a record beside its payload, near enough to see how far it is. */
static uint64_t overhead(const struct inputs *in)
{
	return in->o->framing == TFR_FRAMING_RECORDS ? TFR_RECORD_OVERHEAD : 1;
}

enum tfr_status inputs_next(struct inputs *in, struct tfr_record *rec, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	while (!status && (in->open || in->next_file < tfr_set_count(in->set))) {
		struct place *p = &in->places[in->turn];

		if (!p->reader) {
			if (in->next_file == tfr_set_count(in->set))
				advance(in);
			else
				status = open_place(in, p, err);
			continue;
		}
		status = tfr_reader_next(p->reader, rec, err);
		if (in->stopped) /* what lies there is not whole yet */
			return TFR_END;
		if (!status) {
			in->read++;
			in->path = p->path;
			count_one(in, p);
			tfr_progress_add(in->o->progress, 1, rec->size + overhead(in));
			return TFR_OK;
		}
		if (status == TFR_END) {
			end_place(in, p);
			status = TFR_OK;
		} else if (status == TFR_EDATA && in->o->skip_damaged) {
			status = get_behind(in, p, err);
		}
	}
	return status ? status : TFR_END;
}

uint64_t inputs_seen(const struct inputs *in)
{
	return in->seen;
}

const char *inputs_path(const struct inputs *in)
{
	return strcmp(in->path, "-") ? in->path : "standard input";
}

uint64_t inputs_read(const struct inputs *in)
{
	return in->read;
}

uint64_t inputs_bad(const struct inputs *in)
{
	return in->bad;
}
