/* pipeline/report/judge.h - the shares of time that a verdict is made of: between judge.c and
 * advice.c. */
#ifndef TFR_PIPELINE_JUDGE_H
#define TFR_PIPELINE_JUDGE_H

#include "pipeline/report/counters.h"

struct tfr_time_shares {
	const struct tfr_feed_facts *facts;
	double seconds;
	struct tfr_stage_counter spent[TFR_ROWS_MAX];
	double busy[TFR_ROWS_MAX]; /* seconds of threads */
	double pool_seconds;	   /* of them, by workers */
	/* Of the workers' time: at work with a processor and without one; idle, by cause. */
	double pool, waited, starved, blocked, serial;
	double link;	  /* share of the time that links were occupied */
	double flight;	  /* that an upload was under way */
	double consumer;  /* that the consumer did anything but wait for a batch */
	double under_way; /* seconds from the start of an upload to its arrival: mean */
	double hung;   /* seconds that uploads which have not arrived are under way: the longest */
	double others; /* share of the processors' time that other programs had */
	unsigned heaviest; /* row of the pool */
	double records;	   /* delivered meanwhile */
};

/* ---- rows ---- */

static inline enum tfr_stage_kind tfr_judge_kind(const struct tfr_statistics *p, unsigned row)
{
	return row < p->set->rows ? p->set->list.at[row].kind : STAGE_KINDS;
}

static inline const char *tfr_judge_name(const struct tfr_statistics *p, unsigned row)
{
	return row < p->set->rows ? p->set->list.at[row].row->name : "consumer";
}

/* Whether workers do it. */
static inline bool tfr_judge_is_pool(const struct tfr_statistics *p, unsigned row)
{
	enum tfr_stage_kind kind = tfr_judge_kind(p, row);

	return row < p->set->rows && kind != STAGE_READ && kind != STAGE_INFLATE &&
	       kind != STAGE_UPLOAD;
}

/* The row of uploading; that of the consumer where there is none. */
static inline unsigned tfr_judge_upload_row(const struct tfr_statistics *p)
{
	return p->set->uploads ? p->set->rows - 1 : p->set->rows;
}

static inline double tfr_judge_share(const struct tfr_time_shares *s, unsigned row)
{
	double share = s->seconds > 0 ? s->busy[row] / s->seconds : 0;

	return share < 1 ? share : 1;
}

static inline double tfr_judge_seconds(uint64_t ns)
{
	return (double)ns * 1e-9;
}

static inline int tfr_judge_percent(double share)
{
	return (int)(share * 100 + 0.5);
}

/* A limit is a row, or one of these. */
enum { LIMIT_MEMORY = TFR_ROWS_MAX, LIMIT_OTHERS, LIMIT_UNKNOWN };

/* advice.c: what would change the limit, and the next limit after it. */
void tfr_judge_advise(const struct tfr_statistics *p, const struct tfr_time_shares *s,
	unsigned limit, char *text, size_t size);

#endif
