/* rewrite/resample/by_weight.c - chooses records by a weight stored in each of them.
 *
 * Systematic sampling: the weights are placed end to end on a line in input order, and the line
 * is divided into `size` equal steps.  Each step has one point, all at the same random position
 * within their step.  A record is written once for every point in its interval.  Both passes add
 * the same numbers in the same order, so that the second ends exactly where the first did and
 * meets exactly `size` points. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "rewrite/record_key.h"
#include "rewrite/resample/classify.h"
#include "rewrite/resample/resample.h"

struct by_weight {
	struct tfr_resampling *r;
	const struct tfr_resample_opts *o;
	double sum, max;   /* as counted */
	uint64_t positive; /* records with a weight above 0 */
	double start;	   /* position of each point in its step, in (0, 1) */

	double passed; /* sum of the weights so far */
	uint64_t met;  /* points met so far */
	uint64_t positive_left;
	uint64_t records_left;
};

static enum tfr_status weigh(
	const struct by_weight *b, const struct tfr_swept *s, double *weight, struct tfr_error *err)
{
	const char *name = b->o->weights;
	const struct tfr_feature *f;
	enum tfr_status status = tfr_key_find(s->example, name, &f, err);
	int64_t integer = 0;
	float real = 0;

	if (status)
		return status;
	if (f->kind == TFR_KIND_BYTES)
		return tfr_fail(
			err, TFR_EDATA, "feature '%s' is bytes, and a weight is a number", name);
	if (tfr_feature_int64(f, 0, &integer))
		*weight = (double)integer;
	else if (tfr_feature_float(f, 0, &real))
		*weight = real;
	if (isfinite(*weight) && *weight >= 0)
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "the weight '%s' is %g, and must be finite and not below 0",
		name, *weight);
}

/* --- the first pass --- */

static enum tfr_status note_weight(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct tfr_resample_verdict v = { 0 };
	enum tfr_status status = weigh(ctx, s, &v.weight, err);

	(void)worker;
	memcpy(verdict, &v, sizeof(v));
	return status;
}

static enum tfr_status add_weight(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct by_weight *b = ctx;
	const struct tfr_resample_verdict *v = verdict;

	(void)s;
	(void)err;
	b->sum += v->weight;
	b->max = v->weight > b->max ? v->weight : b->max;
	b->positive += v->weight > 0;
	return TFR_OK;
}

static enum tfr_status add_up(struct by_weight *b, struct tfr_error *err)
{
	struct tfr_sweep sweep = tfr_resample_sweep(b->r, "counting");

	sweep.verdict_size = sizeof(struct tfr_resample_verdict);
	sweep.examine = note_weight;
	sweep.settle = add_weight;
	sweep.ctx = b;
	return tfr_pass_run(&sweep, &b->r->report->common, err);
}

/* --- feasibility --- */

/* Most weights are floats, and 0.6f is not six times 0.1f: the heaviest record may slightly
 * exceed one step.  The second pass ensures that no record is taken twice. */
#define SPARE 1e-6

static enum tfr_status check_size(const struct by_weight *b, struct tfr_error *err)
{
	uint64_t size = b->o->size, largest;

	if (!size)
		return TFR_OK;
	if (!(b->sum > 0))
		return tfr_fail(err, TFR_EDATA,
			"a size of %llu cannot be had: no record has a weight above 0",
			(unsigned long long)size);
	if (size > (uint64_t)1 << 53)
		return tfr_fail(
			err, TFR_EUSAGE, "the size would be more than %llu records", 1ull << 53);
	if (b->o->method == TFR_RESAMPLE_OVERSAMPLE ||
		((double)size * b->max <= b->sum * (1 + SPARE) && size <= b->positive))
		return TFR_OK;
	largest = (uint64_t)(b->sum / b->max * (1 + SPARE));
	tfr_fail(err, TFR_EDATA,
		"a size of %llu cannot be had: the heaviest record, of weight %g of %g, would be "
		"taken "
		"more than once; the largest size is %llu",
		(unsigned long long)size, b->max, b->sum,
		(unsigned long long)(largest < b->positive ? largest : b->positive));
	tfr_error_hint(err, "With --method oversample records are repeated.");
	return TFR_EDATA;
}

/* --- the second pass --- */

static enum tfr_status look_again(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct by_weight *b = ctx;
	struct tfr_resample_verdict v = { .draw = tfr_resample_draw(
						  b->o->common.seed, s->file, s->rec.index) };
	struct tfr_digest digest;
	enum tfr_status status = weigh(b, s, &v.weight, err);

	(void)worker;
	tfr_digest_record(&s->rec, &digest);
	v.sum = digest.sum;
	memcpy(verdict, &v, sizeof(v));
	return status;
}

/* The number of points before the current position on the line. */
static uint64_t points_before(const struct by_weight *b)
{
	double at = b->passed / b->sum * (double)b->o->size;

	if (b->passed >= b->sum)
		return b->o->size;
	return at > b->start ? (uint64_t)ceil(at - b->start) : 0;
}

static uint64_t points_met(struct by_weight *b, double weight)
{
	uint64_t points, before, size = b->o->size;

	b->passed += weight;
	if (!(weight > 0))
		return 0;
	before = points_before(b);
	points = before > b->met ? before - b->met : 0;
	if (b->o->method == TFR_RESAMPLE_EXACT) {
		/* If rounding puts a second point on a record, that point goes to the next
		 * record.  When as many points as records are left, each record gets one. */
		points = points > 0 || size - b->met >= b->positive_left;
	}
	b->met += points;
	b->positive_left--;
	return points;
}

static enum tfr_status choose(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct by_weight *b = ctx;
	const struct tfr_resample_verdict *v = verdict;
	uint64_t copies;

	if (!b->records_left-- || (v->weight > 0 && !b->positive_left))
		return tfr_pass_changed(err);
	if (b->o->method == TFR_RESAMPLE_REJECT) {
		b->passed += v->weight;
		b->positive_left -= v->weight > 0;
		copies = v->weight > 0 && tfr_draw_accepts(v->draw, v->weight / b->max);
	} else {
		copies = points_met(b, v->weight);
	}
	b->r->report->common.taken_sum += v->sum;
	return copies ? tfr_resample_put(b->r, s, v->sum, copies, err) : TFR_OK;
}

static enum tfr_status write_chosen(struct by_weight *b, struct tfr_error *err)
{
	struct tfr_sweep sweep = tfr_resample_sweep(b->r, "writing");
	enum tfr_status status;

	sweep.again = true;
	sweep.last = true;
	sweep.verdict_size = sizeof(struct tfr_resample_verdict);
	sweep.examine = look_again;
	sweep.settle = choose;
	sweep.ctx = b;
	b->positive_left = b->positive;
	b->records_left = b->r->report->common.taken;
	/* The middle of one of 2^32 parts of a step, where rounding cannot move it to another
	 * step. */
	b->start = ldexp(
		(double)(uint32_t)tfr_resample_draw(b->o->common.seed, UINT32_MAX, UINT64_MAX) +
			0.5,
		-32);
	status = tfr_pass_run(&sweep, &b->r->report->common, err);
	if (!status && (b->passed != b->sum || b->records_left))
		status = tfr_pass_changed(err);
	return status;
}

enum tfr_status tfr_resample_by_weight(struct tfr_resampling *r, struct tfr_error *err)
{
	struct by_weight b = { .r = r, .o = r->o };
	enum tfr_status status = tfr_resample_check_twice(r, err);

	if (!status)
		status = add_up(&b, err);
	if (!status)
		status = check_size(&b, err);
	r->report->size = r->o->size;
	r->report->weight_sum = b.sum;
	r->report->weight_max = b.max;
	r->report->expected = r->o->size ? (double)r->o->size : b.max > 0 ? b.sum / b.max : 0;
	return status ? status : write_chosen(&b, err);
}
