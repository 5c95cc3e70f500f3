/* sweep/parts.h - what the parts of a sweep share: its state, and how a piece is read and
 * examined whichever order the pieces come in. */
#ifndef TFR_SWEEP_PARTS_H
#define TFR_SWEEP_PARTS_H

#include <pthread.h>

#include "base/buf.h"
#include "example/content.h"
#include "record/record_run.h"
#include "sweep/deferred_faults.h"
#include "sweep/progress_ticker.h"
#include "sweep/sweep.h"

struct run;
struct piece;

/* A file that is being read. */
struct stream {
	pthread_mutex_t lock;
	struct tfr_reader *reader; /* NULL: none open */
	uint32_t file;
	uint64_t records;    /* of this file, as far as it was read */
	struct piece *piece; /* that is being read; NULL where nothing is put aside */
	struct run *run;
};

/* A run and where it is from. */
struct piece {
	struct tfr_run run;
	uint32_t file;
	bool large; /* holds the gate */
	/* In order: warnings wait here, each ended by a NUL, for those of the pieces before. */
	struct tfr_buf warnings;
	struct tfr_aside aside; /* likewise what goes into the quarantine */
};

struct worker {
	struct stream stream;
	struct piece piece;
	struct tfr_where *where;
	struct tfr_example *example;
	uint64_t records, bad, taken;
	struct tfr_content_counts types, failed; /* of those that were good, and of those not */
};

struct run {
	const struct tfr_sweep *s;
	const struct tfr_sweep_opts *o;
	struct worker *workers;
	unsigned threads;
	bool ordered; /* pieces are settled in order */
	bool aside;   /* bad spans are put aside, which has an order */
	size_t block_size;
	uint64_t max_record;
	uint32_t files, next_file;
	uint64_t bad; /* faults between records; those of records are with the workers */

	pthread_mutex_t lock;	/* of all below, and of warn() */
	pthread_cond_t changed; /* the gate */
	struct piece last;	/* without a run: what came behind the last one */
	bool large;		/* the gate is taken */
	uint32_t failed_file;	/* no order: nothing of this file or a later one is read any more */
	uint64_t failed_offset;
	enum tfr_status status;
	struct tfr_error *err;

	struct tfr_ticker ticker;
};

static inline const char *sweep_path(const struct run *r, uint32_t file)
{
	return tfr_set_path(r->o->input, file);
}

/* A line for the caller. */
void tfr_sweep_warn_now(struct run *r, const char *text);
enum tfr_status tfr_sweep_open(
	struct run *r, struct stream *st, uint32_t file, struct tfr_error *err);
/* The next run of a stream.  TFR_END: it has no more, and is closed. */
enum tfr_status tfr_sweep_read(
	struct run *r, struct stream *st, struct piece *p, struct tfr_error *err);
/* Shows every record of the piece to examine(); those that are taken go to `keep`, where that is
 * not NULL: struct tfr_record and verdict, one after the other, each `stride` bytes. */
enum tfr_status tfr_sweep_examine(struct run *r, struct worker *w, struct piece *p,
	struct tfr_buf *keep, size_t stride, struct tfr_error *err);
/* Gives back what only a large record needed. */
void tfr_sweep_leave_gate(struct run *r, struct piece *p);

/* types.c: where no record is an Example, the failure says so.  After a record that cannot be
 * parsed, and after all records have been. */
void tfr_sweep_explain_failure(const struct run *r, struct tfr_error *err);
enum tfr_status tfr_sweep_judge_types(
	struct run *r, struct tfr_sweep_report *report, struct tfr_error *err);

/* in_order.c: the whole of it. */
enum tfr_status tfr_sweep_in_order(struct run *r, struct tfr_error *err);

#endif
