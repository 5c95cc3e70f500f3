/* rewrite/split.c - writes every record to the set that its hash selects.
 *
 * One sweep writes.  If classes get exact counts, an earlier sweep notes the class and hash of
 * every record to compute the bounds; its notes are compared with what the second sweep finds.
 * All sets are open before the first record is read, and all are sealed before the first is
 * published: after a failure no set has changed. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <tfr-private/rewrite.h>

#include "base/error.h"
#include "rewrite/pass.h"
#include "rewrite/record_key.h"
#include "rewrite/strata.h"
#include "shard/fractions.h"
#include "shard/set_writer.h"

/* --- the classes of a division --- */

/* The classes of a division, for the caller to keep.
 *
 * There may be a million: they stay where they were counted, with an array for their order.  A row
 * is assembled when it is requested. */

struct tfr_split_classes {
	struct tfr_strata *strata;
	size_t columns;		     /* the shares, and one for none */
	uint64_t *received, *wanted; /* one row per class */
	uint32_t *order;
};

/* Computes what is wanted.  A surplus in one set is a deficit in another: returns the surplus. */
static uint64_t compute_wanted(struct tfr_split_classes *c)
{
	const struct tfr_classes *all = tfr_strata_classes(c->strata);
	uint64_t off = 0;

	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < c->columns; k++) {
			uint64_t wanted = tfr_strata_wanted(c->strata, all->items[i].records, k);
			uint64_t received = c->received[i * c->columns + k];

			c->wanted[i * c->columns + k] = wanted;
			off += received > wanted ? received - wanted : 0;
		}
	return off;
}

struct tfr_split_class tfr_split_report_class(const struct tfr_split_report *report, size_t i)
{
	const struct tfr_split_classes *c = report->classes;
	struct tfr_counted_class class;
	size_t number;

	assert(i < report->class_count);
	number = c->order[i];
	class = tfr_classes_at(tfr_strata_classes(c->strata), number);
	return (struct tfr_split_class){
		.kind = class.kind,
		.label = class.number,
		.text = class.text,
		.records = tfr_strata_classes(c->strata)->items[number].records,
		.received = c->received + number * c->columns,
		.wanted = c->wanted + number * c->columns,
	};
}

void tfr_split_report_clear(struct tfr_split_report *report)
{
	struct tfr_split_classes *c = report->classes;

	if (c) {
		tfr_strata_free(c->strata);
		free(c->received);
		free(c->wanted);
		free(c->order);
		free(c);
	}
	free(report->sets);
	*report = (struct tfr_split_report){ 0 };
}

/* --- dividing --- */

#define MEMORY ((uint64_t)1 << 30)

struct split_run {
	const struct tfr_split_opts *opts;
	struct tfr_split_report *report;
	struct tfr_set_writer **writers; /* one per share */
	struct tfr_strata *strata;	 /* NULL: no classes */
	struct tfr_spill_folders folders;
	uint64_t *received; /* with classes: one row per class, with one count per share and one for
			       none */
	uint64_t noted, found_sum; /* likewise: records of the first sweep, hashes of the second */
};

/* The results of assign_record(). */
struct verdict {
	struct tfr_digest digest;
	uint64_t hash;
	uint32_t share, class;
};

/* --- one record --- */

static enum tfr_status hash_of(const struct split_run *r, const struct tfr_swept *s,
	const struct tfr_digest *digest, uint64_t *hash, struct tfr_error *err)
{
	uint64_t seed = r->opts->common.seed;
	const struct tfr_feature *key;

	if (r->opts->key) {
		TFR_TRY(tfr_key_find(s->example, r->opts->key, &key, err));
		*hash = tfr_key_hash(key, seed);
	} else if (seed || !digest) {
		*hash = XXH3_64bits_withSeed(s->rec.data, s->rec.size, seed);
	} else {
		*hash = digest->sum;
	}
	return TFR_OK;
}

static enum tfr_status class_of(const struct split_run *r, const struct tfr_swept *s,
	struct tfr_counted_class *class, struct tfr_error *err)
{
	const char *name = r->opts->stratify;
	const struct tfr_feature *f;

	TFR_TRY(tfr_key_find(s->example, name, &f, err));
	if (tfr_class_of(f, class))
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EDATA, "Stratify by a feature of int64 or bytes.",
		"feature '%s' holds floats, which are no classes", name);
}

static enum tfr_status note_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct split_run *r = ctx;
	struct tfr_counted_class class;
	uint64_t hash;

	(void)verdict;
	TFR_TRY(class_of(r, s, &class, err));
	TFR_TRY(hash_of(r, s, NULL, &hash, err));
	return tfr_strata_note(r->strata, worker, &class, hash, err);
}

static enum tfr_status assign_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct split_run *r = ctx;
	struct tfr_counted_class class;
	struct verdict v = { 0 };

	(void)worker;
	if (r->strata)
		TFR_TRY(class_of(r, s, &class, err));
	tfr_digest_record(&s->rec, &v.digest);
	TFR_TRY(hash_of(r, s, &v.digest, &v.hash, err));
	if (r->strata) {
		v.class = tfr_classes_find(tfr_strata_classes(r->strata), &class);
		if (v.class != TFR_CLASS_NONE)
			v.share = (uint32_t)tfr_strata_choose(r->strata, v.class, v.hash);
	} else {
		v.share =
			(uint32_t)tfr_shares_choose(r->opts->shares, r->opts->share_count, v.hash);
	}
	memcpy(verdict, &v, sizeof(v));
	return TFR_OK;
}

static enum tfr_status write_record(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct iovec piece = { (void *)(uintptr_t)s->rec.data, s->rec.size };
	struct split_run *r = ctx;
	struct tfr_split_report *report = r->report;
	struct tfr_split_set *set;
	struct tfr_set_writer *w;
	struct verdict v;
	uint32_t shard;

	memcpy(&v, verdict, sizeof(v));
	report->common.taken_sum += v.digest.sum;
	if (r->strata) {
		if (v.class == TFR_CLASS_NONE)
			return tfr_pass_changed(err);
		r->found_sum += v.hash;
		r->received[v.class * (r->opts->share_count + 1) + v.share]++;
	}
	if (v.share == r->opts->share_count) {
		report->left++;
		return TFR_OK;
	}
	set = &report->sets[v.share];
	w = r->writers[v.share];
	shard = (uint32_t)(set->records++ % tfr_set_writer_shards(w));
	set->bytes += v.digest.size;
	set->sum += v.digest.sum;
	return tfr_set_writer_put(w, shard, &piece, 1, &v.digest, err);
}

/* --- the sweeps --- */

/* Temporary files are beside the first set, unless the caller names a folder. */
static enum tfr_status open_strata(struct split_run *r, struct tfr_error *err)
{
	const struct tfr_split_opts *o = r->opts;
	size_t first = o->share_count > 1 && !strcmp(o->shares[0].set, "-");

	if (tfr_spill_folders_choose(
		    &r->folders, o->tmpdirs, o->tmpdir_count, o->shares[first].set))
		r->strata = tfr_strata_new(o->shares, o->share_count,
			tfr_sweep_threads(o->common.sweep.threads), o->memory ? o->memory : MEMORY,
			&r->folders);
	return r->strata ? TFR_OK : tfr_fail_nomem(err, "counting the classes");
}

static enum tfr_status note_all(struct split_run *r, struct tfr_error *err)
{
	const struct tfr_split_opts *o = r->opts;
	struct tfr_sweep sweep = { .opts = o->common.sweep,
		.phase = "counting",
		.parse = true,
		.examine = note_record,
		.ctx = r };
	size_t rows;

	TFR_TRY(open_strata(r, err));
	TFR_TRY(tfr_pass_run(&sweep, &r->report->common, err));
	TFR_TRY(tfr_strata_draw(r->strata, err));
	r->noted = r->report->common.taken;
	rows = tfr_strata_classes(r->strata)->n * (o->share_count + 1);
	r->received = calloc(rows + 1, sizeof(*r->received));
	return r->received ? TFR_OK : tfr_fail_nomem(err, "counting the classes");
}

/* The sum of the hashes detects changes that leave the counts equal. */
static enum tfr_status check_unchanged(const struct split_run *r, struct tfr_error *err)
{
	const struct tfr_classes *classes = tfr_strata_classes(r->strata);
	size_t columns = r->opts->share_count + 1;

	if (r->report->common.taken != r->noted || r->found_sum != tfr_strata_sum(r->strata))
		return tfr_pass_changed(err);
	for (size_t c = 0; c < classes->n; c++) {
		uint64_t found = 0;

		for (size_t i = 0; i < columns; i++)
			found += r->received[c * columns + i];
		if (found != classes->items[c].records)
			return tfr_pass_changed(err);
	}
	return TFR_OK;
}

static enum tfr_status write_sets(struct split_run *r, struct tfr_error *err)
{
	const struct tfr_split_opts *o = r->opts;
	struct tfr_sweep sweep = {
		.opts = o->common.sweep,
		.phase = "writing",
		.parse = o->key || o->stratify,
		.again = r->strata,
		.last = true,
		.verdict_size = sizeof(struct verdict),
		.examine = assign_record,
		.settle = write_record,
		.ctx = r,
	};
	enum tfr_status status = tfr_pass_run(&sweep, &r->report->common, err);

	for (size_t i = 0; i < o->share_count; i++) {
		r->report->common.written += r->report->sets[i].records;
		r->report->common.bytes += r->report->sets[i].bytes;
		r->report->common.sum += r->report->sets[i].sum;
	}
	return !status && r->strata ? check_unchanged(r, err) : status;
}

/* Fills the report's classes, which take the strata and the counts. */
static enum tfr_status report_classes(struct split_run *r, struct tfr_error *err)
{
	struct tfr_split_classes *c = calloc(1, sizeof(*c));
	const struct tfr_classes *all = tfr_strata_classes(r->strata);

	TFR_NEED_MEMORY(c, err, "reporting the classes");
	r->report->classes = c;
	c->columns = r->opts->share_count + 1;
	c->received = TFR_STEAL(r->received);
	c->strata = TFR_STEAL(r->strata);
	c->wanted = calloc(all->n * c->columns + 1, sizeof(*c->wanted));
	c->order = calloc(all->n + 1, sizeof(*c->order));
	TFR_NEED_MEMORY(c->wanted && c->order, err, "reporting the classes");
	tfr_classes_order(all, c->order);
	r->report->class_count = all->n;
	r->report->off = compute_wanted(c);
	r->report->temp_bytes = tfr_strata_spilled(c->strata);
	return TFR_OK;
}

/* --- around them --- */

static enum tfr_status open_sets(struct split_run *r, struct tfr_error *err)
{
	const struct tfr_split_opts *o = r->opts;

	r->writers = calloc(o->share_count, sizeof(struct tfr_set_writer *));
	r->report->sets = calloc(o->share_count, sizeof(*r->report->sets));
	TFR_NEED_MEMORY(r->writers && r->report->sets, err, "creating the sets");
	r->report->set_count = o->share_count;
	for (size_t i = 0; i < o->share_count; i++) {
		r->report->sets[i].set = o->shares[i].set;
		r->report->sets[i].fraction = o->shares[i].fraction;
		TFR_TRY(tfr_set_writer_open(&r->writers[i], o->shares[i].set, &o->common.writer,
			o->common.sweep.warn, o->common.sweep.ctx, err));
	}
	return TFR_OK;
}

static enum tfr_status publish_sets(struct split_run *r, struct tfr_error *err)
{
	const struct tfr_split_opts *o = r->opts;
	TFR_AUTO_FREE struct tfr_set_info *infos = calloc(o->share_count, sizeof(*infos));
	TFR_AUTO_SET_INFO info = { .command = o->common.command, .seed = o->common.seed };

	TFR_TRY(tfr_pass_expected(&o->common, &r->report->common, err));
	TFR_TRY(tfr_set_info_carry(&info, o->common.sweep.input, err));
	TFR_NEED_MEMORY(infos, err, "publishing the sets");
	for (size_t i = 0; i < o->share_count; i++)
		infos[i] = info;
	infos[o->share_count - 1].beside[0] = o->common.sweep.quarantine;
	return tfr_set_writers_publish(r->writers, infos, o->share_count, err);
}

static enum tfr_status run_split(struct split_run *r, struct tfr_error *err)
{
	const struct tfr_split_opts *o = r->opts;

	TFR_TRY(tfr_shares_check(o->shares, o->share_count, err));
	if (o->shares[0].folder)
		return tfr_fail(err, TFR_EUSAGE, "records have no folder '%s' to divide them by",
			o->shares[0].folder);
	if (o->stratify)
		TFR_TRY(tfr_pass_refuse_by(o->common.sweep.input,
			"standard input cannot be read twice", "cannot read a pipe twice:",
			"Classes are counted before they are divided.  Put the records into a "
			"file first.",
			err));
	TFR_TRY(open_sets(r, err));
	if (o->stratify)
		TFR_TRY(note_all(r, err));
	TFR_TRY(write_sets(r, err));
	if (r->strata)
		TFR_TRY(report_classes(r, err));
	return publish_sets(r, err);
}

enum tfr_status tfr_split(
	const struct tfr_split_opts *opts, struct tfr_split_report *report, struct tfr_error *err)
{
	struct split_run r = { .opts = opts, .report = report };
	enum tfr_status status;

	*report = (struct tfr_split_report){ 0 };
	status = run_split(&r, err);
	for (size_t i = 0; r.writers && i < opts->share_count; i++)
		tfr_set_writer_close(r.writers[i]);
	free((void *)r.writers);
	free(r.received);
	tfr_strata_free(r.strata);
	tfr_spill_folders_clear(&r.folders);
	return status;
}
