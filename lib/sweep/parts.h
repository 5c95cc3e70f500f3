/* sweep/parts.h - the state of a sweep, and how a piece is read and examined, in either order. */
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
	uint64_t records;    /* of this file, so far */
	struct piece *piece; /* that is being read; NULL without a quarantine */
	struct run *run;
};

/* A run and its origin. */
struct piece {
	struct tfr_run run;
	uint32_t file;
	bool large;			  /* holds the gate */
	struct tfr_deferred_faults aside; /* in order: until the earlier pieces are settled */
};

struct worker {
	struct stream stream;
	struct piece piece;
	struct tfr_where *where;
	struct tfr_example *example;
	uint64_t records, taken;
	struct tfr_content_counts types, failed; /* of the good records, and of the bad ones */
};

struct run {
	const struct tfr_sweep *s;
	const struct tfr_sweep_opts *o;
	struct worker *workers;
	unsigned threads;
	bool ordered; /* pieces are settled in order */
	bool aside;   /* bad spans go to the quarantine, in order */
	size_t block_size;
	uint64_t max_record;
	uint32_t files, next_file;
	struct tfr_fault_policy faults;

	pthread_mutex_t lock;		 /* of all fields below */
	pthread_cond_t changed;		 /* the gate */
	struct tfr_deferred_faults last; /* what came after the last run */
	bool large;			 /* the gate is taken */
	uint32_t failed_file; /* no order: this file and later ones are not read any more */
	uint64_t failed_offset;
	enum tfr_status status;
	struct tfr_error *err;

	struct tfr_ticker ticker;
};

static inline const char *sweep_path(const struct run *r, uint32_t file)
{
	return tfr_set_path(r->o->input, file);
}

enum tfr_status tfr_sweep_open(
	struct run *r, struct stream *st, uint32_t file, struct tfr_error *err);
/* Reads the next run of a stream.  TFR_END: it has no more, and is closed. */
enum tfr_status tfr_sweep_read(
	struct run *r, struct stream *st, struct piece *p, struct tfr_error *err);
/* Passes every record of the piece to examine().  Records that are taken are appended to `keep`
 * (may be NULL) as struct tfr_record and verdict, `stride` bytes each. */
enum tfr_status tfr_sweep_examine(struct run *r, struct worker *w, struct piece *p,
	struct tfr_buf *keep, size_t stride, struct tfr_error *err);
/* Releases what only a large record needed. */
void tfr_sweep_leave_gate(struct run *r, struct piece *p);

/* sweep_types.c: if no record is an Example, the failure says so.  For use after a record that
 * cannot be parsed, and after the last record. */
void tfr_sweep_explain_failure(struct tfr_error *err);
enum tfr_status tfr_sweep_judge_types(
	struct run *r, struct tfr_sweep_report *report, struct tfr_error *err);

/* in_order.c: the whole sweep. */
enum tfr_status tfr_sweep_in_order(struct run *r, struct tfr_error *err);

#endif
