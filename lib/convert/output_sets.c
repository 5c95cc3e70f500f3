/* convert/output_sets.c - one set writer per target, or in a dry run the sizes of its shards; the
 * shards of all sets are numbered as lanes.
 *
 * A set that fills one shard after another is one lane, since the shard of a record depends on
 * all earlier records.  So is a set whose records come many at a time: with several lanes they
 * would have to be separated.
 *
 * To divide by classes, the hashes of all items are sorted within their classes, and only the
 * bounds between the sets are kept. */
#include "convert/outputs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "convert/findings.h"
#include "record/framing.h"
#include "shard/set_name.h"

/* --- classes --- */

/* Packed, because there is one per item. */
struct __attribute__((packed)) mark {
	uint64_t hash;
	uint32_t class;
};

static int by_class_and_hash(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Items without a class, and strays, form one more. */
static uint32_t class_of(const struct tfr_input *in, const struct tfr_item *item)
{
	assert(item->class == TFR_NO_CLASS || item->class < in->n_classes);
	return item->class == TFR_NO_CLASS || tfr_is_stray(in, item) ? (uint32_t)in->n_classes
								     : item->class;
}

struct marking {
	const struct tfr_input *in;
	struct mark *marks;
};

static enum tfr_status mark_item(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct marking *m = ctx;

	(void)err;
	m->marks[item->number] = (struct mark){ tfr_item_hash(item), class_of(m->in, item) };
	return TFR_OK;
}

/* The items of one class, and how many of them have one hash. */
static void cut_class(struct tfr_sets *s, const struct mark *marks, size_t n)
{
	struct tfr_cut cut = {
		.stretches = &s->stretches,
		.records = n,
		.bounds = s->bounds + marks->class * s->stretches.n,
	};

	for (size_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n && marks[i + same].hash == marks[i].hash; same++)
			;
		tfr_cut_at(&cut, marks[i].hash, same);
	}
}

static void cut_classes(struct tfr_sets *s, const struct mark *marks, size_t n)
{
	for (size_t i = 0, of; i < n; i += of) {
		for (of = 1; i + of < n && marks[i + of].class == marks[i].class; of++)
			;
		cut_class(s, marks + i, of);
	}
}

static enum tfr_status refuse(const struct tfr_input *in, struct tfr_error *err)
{
	if (in->items != TFR_STREAM)
		return tfr_fail(err, TFR_EUSAGE,
			"--stratify-classes needs classes, and '%s' has none",
			in->opts->input.paths[0]);
	return tfr_fail_hint(err, TFR_EUSAGE,
		"Write one set, and divide it with 'tfr split --stratify FEATURE'.",
		"--stratify-classes cannot divide %s, which is read as a stream", in->ops->what);
}

/* Divides the items of a list class by class, so that each set gets its fraction of each class. The
 * rule is that of shard/fractions.h with the XXH3-64 of the name as the hash.  TFR_EUSAGE: the
 * input is a stream, or it has no classes. */
static enum tfr_status divide(struct tfr_sets *s, struct tfr_error *err)
{
	struct tfr_input *in = s->in;
	const struct tfr_convert_output *o = &in->opts->output;
	TFR_AUTO_FREE struct mark *marks = NULL;
	struct marking marking = { .in = in };

	if (in->items == TFR_STREAM || !in->n_classes)
		return refuse(in, err);
	marking.marks = marks = malloc((in->items + 1) * sizeof(*marks));
	if (!marks || !tfr_stretches_lay(&s->stretches, o->targets, o->target_count))
		return tfr_fail_nomem(err, "dividing the items");
	if (!s->stretches.n)
		return tfr_fail(err, TFR_EUSAGE,
			"no set has a fraction: there is nothing to divide by classes");
	s->bounds = calloc((in->n_classes + 1) * s->stretches.n + 1, sizeof(*s->bounds));
	TFR_NEED_MEMORY(s->bounds, err, "dividing the items");
	TFR_TRY(tfr_input_walk(in, NULL, mark_item, &marking, err));
	qsort(marks, (size_t)in->items, sizeof(*marks), by_class_and_hash);
	cut_classes(s, marks, (size_t)in->items);
	return TFR_OK;
}

/* --- the number of shards --- */

/* @auto: it follows from the sizes of the files, if these are known before reading.  A number known
 * beforehand is worth one stat() per file: all shards are then written at once and get equal sizes.
 * Filling one after another leaves a short one at the end. */

enum {
	AUTO_SIZE = 128 << 20,
	SHARDS_MOST = 1000000,
	FEATURES = 216,	    /* bytes of the other features */
	FEATURES_TFDS = 85, /* for a TFDS data set */
};

/* Zero-initialised except for `in`. */
struct sizes {
	struct tfr_input *in;
	bool known;
	size_t target;	       /* of items with a place, only those of this set count */
	uint64_t bytes, items; /* of all items that count */
};

/* The approximate size of an item as a record, with its framing. */
static enum tfr_status size_of_record(
	struct tfr_input *in, const struct tfr_item *item, uint64_t *bytes, struct tfr_error *err)
{
	struct tfr_measure m = { .bytes = item->file.size };

	if (in->ops->measure && !item->framed.data)
		in->ops->measure(in, item, &m);
	if (m.fault)
		return tfr_fail_errno(err, m.fault, (const char *)item->name.data, "cannot access");
	*bytes = m.bytes + item->name.size + (in->opts->output.tfds ? FEATURES_TFDS : FEATURES);
	if (item->framed.data)
		*bytes = item->framed.size;
	return TFR_OK;
}

static enum tfr_status add_size(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct sizes *s = ctx;
	uint64_t bytes = 0;

	if (item->placed && item->target != s->target)
		return TFR_OK;
	s->items++;
	TFR_TRY(size_of_record(s->in, item, &bytes, err));
	s->bytes += bytes;
	return TFR_OK;
}

/* The share of all bytes that goes to a set. */
static double part_of(const struct tfr_convert_opts *o, size_t target)
{
	double left = 1;

	if (o->output.targets[target].folder)
		return 1;
	if (o->output.targets[target].fraction != 0)
		return o->output.targets[target].fraction;
	for (size_t t = 0; t < o->output.target_count; t++)
		left -= o->output.targets[t].fraction;
	return left;
}

/* Makes "out/train@auto.tfrecord" with a number in place of the word. */
static enum tfr_status number_shards(struct sizes *s, size_t target,
	const struct tfr_set_name *name, char **out, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = s->in->opts;
	double wanted, part = part_of(o, target);
	uint64_t n;

	if (!s->known || o->output.targets[target].folder) {
		s->target = target;
		s->bytes = s->items = 0;
		TFR_TRY(tfr_input_walk(s->in, NULL, add_size, s, err));
	}
	s->known = true;
	wanted = (double)s->bytes * part / AUTO_SIZE + 0.5;
	if (o->output.tfds)
		wanted = (double)tfr_tfds_shards(
			(uint64_t)((double)s->bytes * part), (uint64_t)((double)s->items * part));
	n = wanted < SHARDS_MOST ? (uint64_t)wanted : SHARDS_MOST;
	n = n > s->items ? s->items : n;
	*out = tfr_asprintf(
		"%s@%llu%s", name->base, (unsigned long long)(n ? n : 1), name->extension);
	TFR_NEED_MEMORY(*out, err, "creating the sets");
	return TFR_OK;
}

/* Returns the name with which set `target` is opened, which the caller frees, and when a shard
 * of it is full.  Both limits are 0 if item k goes to shard k modulo the number of shards. */
static enum tfr_status name_set(struct sizes *s, size_t target, char **name,
	struct tfr_set_fill *fill, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = s->in->opts;
	TFR_AUTO_SET_NAME parsed = { 0 };
	enum tfr_status status = tfr_set_name_parse(&parsed, o->output.targets[target].set, err);

	if (status > TFR_END)
		return status;
	*fill = (struct tfr_set_fill){ o->output.shard_size, o->output.records_per_shard };
	if (parsed.automatic && !fill->bytes && !fill->records) {
		if (s->in->ops->measure && s->in->items != TFR_STREAM)
			return number_shards(s, target, &parsed, name, err);
		fill->bytes = AUTO_SIZE;
	}
	*name = strdup(o->output.targets[target].set);
	TFR_NEED_MEMORY(*name, err, "creating the sets");
	return TFR_OK;
}

/* --- sets --- */

/* The part of a mark about a set, before that of its writer. */
static enum tfr_status take_up(const struct tfr_sets *s, struct tfr_output_set *t,
	struct tfr_unread *mark, struct tfr_error *err)
{
	if (!mark)
		return TFR_OK;
	if (tfr_unread_copy(mark, &t->items, sizeof(t->items)) &&
		tfr_unread_copy(mark, t->histogram, s->in->n_classes * sizeof(*t->histogram)))
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "the saved position of the run to be resumed is truncated");
}

static enum tfr_status open_target(struct tfr_sets *s, struct sizes *sizes, struct tfr_unread *mark,
	const struct tfr_set_info *terms, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = s->in->opts;
	size_t k = s->n++;
	struct tfr_output_set *t = &s->targets[k];
	TFR_AUTO_FREE char *name = NULL;
	struct tfr_set_fill fill;
	struct tfr_set_how how = { .mark = mark, .terms = terms };

	t->histogram = calloc(s->in->n_classes + 1, sizeof(*t->histogram));
	TFR_NEED_MEMORY(t->histogram, err, "creating the sets");
	t->first = k ? t[-1].first + t[-1].lanes : 0;
	TFR_TRY(name_set(sizes, k, &name, &fill, err));
	TFR_TRY(take_up(s, t, mark, err));
	how.fill = fill.bytes || fill.records ? &fill : NULL;
	TFR_TRY(tfr_set_writer_open_as(
		&t->writer, name, &o->output.writer, &how, o->run.warn, o->run.ctx, err));
	t->shards = how.fill ? 0 : tfr_set_writer_shards(t->writer);
	t->lanes = t->shards && !(s->in->ops->flags & TFR_INPUT_FRAMED) && !s->in->groups
			   ? t->shards
			   : 1;
	return TFR_OK;
}

static enum tfr_status start_sets(struct tfr_sets *s, struct tfr_input *in, struct tfr_error *err)
{
	*s = (struct tfr_sets){ .in = in };
	s->targets = calloc(in->opts->output.target_count, sizeof(*s->targets));
	TFR_NEED_MEMORY(s->targets, err, "creating the sets");
	return in->opts->order.stratify ? divide(s, err) : TFR_OK;
}

enum tfr_status tfr_sets_open(struct tfr_sets *s, struct tfr_input *in, struct tfr_unread *mark,
	const struct tfr_set_info *terms, struct tfr_error *err)
{
	struct sizes sizes = { .in = in };

	TFR_TRY(start_sets(s, in, err));
	while (s->n < in->opts->output.target_count)
		TFR_TRY(open_target(s, &sizes, mark, terms, err));
	return TFR_OK;
}

/* The number of an item's set; the number of sets for none. */
static size_t choose_set(const struct tfr_sets *s, const struct tfr_item *item)
{
	const struct tfr_convert_output *o = &s->in->opts->output;

	if (item->placed)
		return item->target;
	if (s->bounds)
		return tfr_stretches_choose(&s->stretches,
			s->bounds + class_of(s->in, item) * s->stretches.n, tfr_item_hash(item));
	if (o->target_count == 1 && o->targets[0].fraction == 0)
		return 0;
	return tfr_shares_choose(o->targets, o->target_count, tfr_item_hash(item));
}

bool tfr_sets_place(struct tfr_sets *s, struct tfr_item *item, const uint64_t *rank, uint32_t *lane)
{
	size_t k = choose_set(s, item);
	struct tfr_output_set *t = &s->targets[k];

	if (k == s->n)
		return false;
	item->target = (uint32_t)k;
	item->rank = rank ? *rank : t->items;
	t->items += rank ? 0 : item->records;
	*lane = t->first + (uint32_t)(item->rank % t->lanes);
	return true;
}

/* Writes record by record, because the next one goes to another shard.  A gap keeps its place. */
static enum tfr_status put_framed(
	struct tfr_output_set *t, const struct tfr_item *item, struct tfr_error *err)
{
	const struct tfr_framed *f = &item->framed;
	const uint8_t *p = f->data;
	size_t gaps = 0;

	for (uint64_t i = 0; i < item->records; i++) {
		if (gaps < f->n_gaps && f->gaps[gaps].place == i) {
			gaps++;
			continue;
		}
		uint64_t size = tfr_known_length(p);
		struct iovec piece = { (void *)(uintptr_t)p, size + TFR_RECORD_OVERHEAD };
		struct tfr_totals add = { 1, size, f->sums[i - gaps], 0, 0 };

		TFR_TRY(t->shards ? tfr_set_writer_put_framed(t->writer,
					    (uint32_t)((item->rank + i) % t->shards), &piece, 1,
					    &add, err)
				  : tfr_set_writer_append_framed(t->writer, &piece, &add, err));
		p += piece.iov_len;
	}
	assert(p == f->data + f->size);
	return TFR_OK;
}

enum tfr_status tfr_sets_put(struct tfr_sets *s, struct tfr_item *item, struct tfr_error *err)
{
	struct tfr_output_set *t = &s->targets[item->target];
	enum tfr_status status;

	assert(item->target < s->n);
	if (item->framed.data)
		return put_framed(t, item, err);
	item->shard = t->shards ? (uint32_t)(item->rank % t->shards) : 0;
	status = t->shards ? tfr_set_writer_put(t->writer, item->shard, item->pieces,
				     item->n_pieces, &item->digest, err)
			   : tfr_set_writer_append(
				     t->writer, item->pieces, item->n_pieces, &item->digest, err);
	if (status)
		return status;
	if (!t->shards)
		item->shard = tfr_set_writer_filling(t->writer);
	item->record = tfr_set_writer_records(t->writer, item->shard) - 1;
	return TFR_OK;
}

/* Options and inputs go to the manifest of a set; a single file has one only with opts->run.resume.
 */
static bool has_terms(const struct tfr_convert_opts *o, size_t target)
{
	TFR_AUTO_SET_NAME name = { 0 };

	return o->run.resume ||
	       tfr_set_name_parse(&name, o->output.targets[target].set, NULL) != TFR_END;
}

enum tfr_status tfr_sets_mark(struct tfr_sets *s, struct tfr_buf *mark, struct tfr_error *err)
{
	for (size_t t = 0; t < s->n; t++) {
		struct tfr_output_set *target = &s->targets[t];

		if (!tfr_buf_append(mark, &target->items, sizeof(target->items)) ||
			!tfr_buf_append(mark, target->histogram,
				s->in->n_classes * sizeof(*target->histogram)))
			return tfr_fail_nomem(err, "noting how far a run is");
		TFR_TRY(tfr_set_writer_mark(target->writer, mark, err));
		if (s->in->opts->run.resume)
			tfr_set_writer_keep(target->writer);
	}
	return TFR_OK;
}

enum tfr_status tfr_sets_publish(
	struct tfr_sets *s, const char *options, uint64_t inputs, struct tfr_error *err)
{
	const struct tfr_input *in = s->in;
	struct tfr_set_info base = { .command = in->opts->output.command,
		.seed = in->opts->order.seed,
		.inputs = inputs,
		.class_count = in->n_classes };
	TFR_AUTO_FREE struct tfr_set_writer **writers = calloc(s->n, sizeof(*writers));
	TFR_AUTO_FREE struct tfr_set_info *infos = calloc(s->n, sizeof(*infos));
	TFR_AUTO_FREE struct tfr_class_count *counts =
		calloc(s->n * in->n_classes + 1, sizeof(*counts));
	struct tfr_class_count *count = counts;
	const bool copied = in->ops->flags & TFR_INPUT_FRAMED;
	enum tfr_status status = TFR_OK;

	if (!writers || !infos || !counts)
		return tfr_fail_nomem(err, "writing the manifests");
	/* Records that are copied unchanged keep the classes of their sets. */
	if (copied)
		status = tfr_set_info_carry(&base, in->files, err);
	for (size_t t = 0; t < s->n; t++) {
		writers[t] = s->targets[t].writer;
		infos[t] = base;
		infos[t].options = has_terms(in->opts, t) ? options : NULL;
		if (!copied)
			infos[t].classes = count;
		for (size_t k = 0; k < in->n_classes; k++)
			*count++ = (struct tfr_class_count){ .label = in->classes[k].label,
				.text = in->classes[k].text,
				.records = s->targets[t].histogram[k] };
	}
	if (!status)
		status = tfr_set_writers_publish(writers, infos, s->n, err);
	if (copied)
		tfr_set_info_clear(&base);
	return status;
}

void tfr_sets_close(struct tfr_sets *s)
{
	for (size_t t = 0; t < s->n; t++) {
		tfr_set_writer_close(s->targets[t].writer);
		free(s->targets[t].histogram);
	}
	tfr_stretches_clear(&s->stretches);
	free(s->bounds);
	free(s->targets);
	*s = (struct tfr_sets){ 0 };
}

/* --- a dry run --- */

/* A list is traversed by the sizes of its files, in the order of a run; a stream has to be read. */

struct shard {
	uint64_t records, bytes;
};

/* A set, beside its struct tfr_output_set. */
struct planned_set {
	struct tfr_set_name name; /* base NULL: a single file */
	struct tfr_set_fill fill;
	struct shard *all;
	size_t count;
};

struct plan {
	struct tfr_sets sets;
	struct tfr_convert_report *report;
	struct planned_set *planned;
};

static enum tfr_status grow(struct planned_set *t, struct tfr_error *err)
{
	if (TFR_ARRAY_ONE_MORE(t->all, t->count))
		return tfr_fail_nomem(err, "planning");
	t->all[t->count++] = (struct shard){ 0 };
	return TFR_OK;
}

static enum tfr_status plan_set(struct plan *p, struct sizes *sizes, struct tfr_error *err)
{
	size_t k = p->sets.n++;
	const char *file = sizes->in->opts->output.targets[k].set;
	struct planned_set *t = &p->planned[k];
	TFR_AUTO_FREE char *name = NULL;
	enum tfr_status status;
	uint32_t shards;

	TFR_TRY(name_set(sizes, k, &name, &t->fill, err));
	status = tfr_set_name_parse_target(&t->name, name, err);
	if (status != TFR_OK && status != TFR_END)
		return status;
	if ((t->fill.bytes || t->fill.records) != t->name.automatic ||
		(t->name.base && !t->name.automatic && !t->name.count))
		return tfr_fail(err, TFR_EUSAGE,
			t->name.automatic || t->name.base
				? "a set whose shards fill one after another is named like "
				  "'train@auto.tfrecord', not '%s'"
				: "'%s' is one file, not a set with @auto",
			file);
	shards = t->name.automatic ? 0 : t->name.base ? t->name.count : 1;
	p->sets.targets[k].shards = shards;
	p->sets.targets[k].lanes = 1;
	while (t->count < (shards ? shards : 1))
		TFR_TRY(grow(t, err));
	return TFR_OK;
}

/* Plans a record with this place in its set. */
static enum tfr_status add_record(
	struct plan *p, size_t set, uint64_t rank, uint64_t bytes, struct tfr_error *err)
{
	struct planned_set *t = &p->planned[set];
	uint32_t shards = p->sets.targets[set].shards;
	struct shard *s = &t->all[shards ? rank % shards : t->count - 1];

	if (!shards && s->records &&
		((t->fill.records && s->records == t->fill.records) ||
			(t->fill.bytes && s->bytes + bytes > t->fill.bytes))) {
		TFR_TRY(grow(t, err));
		s = &t->all[t->count - 1];
	}
	s->records++;
	s->bytes += bytes;
	p->report->records++;
	p->report->bytes += bytes;
	return TFR_OK;
}

static enum tfr_status plan_item(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct plan *p = ctx;
	const struct tfr_framed *f = &item->framed;
	const uint8_t *at = f->data;
	size_t gaps = 0;
	uint64_t bytes = 0;
	uint32_t lane;

	p->report->files += item->records;
	if (!tfr_sets_place(&p->sets, item, NULL, &lane)) {
		p->report->left += item->records;
		return TFR_OK;
	}
	if (item->skipped) {
		p->report->skipped++;
		return TFR_OK;
	}
	for (uint64_t i = 0; i < item->records; i++) {
		if (gaps < f->n_gaps && f->gaps[gaps].place == i) {
			gaps++;
			p->report->skipped++;
			continue;
		}
		if (at) {
			bytes = tfr_known_length(at) + TFR_RECORD_OVERHEAD;
			at += bytes;
		} else {
			TFR_TRY(size_of_record(p->sets.in, item, &bytes, err));
		}
		TFR_TRY(add_record(p, item->target, item->rank + i, bytes, err));
	}
	return TFR_OK;
}

static enum tfr_status report_planned(struct plan *p, size_t k, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = p->sets.in->opts;
	struct planned_set *t = &p->planned[k];

	if (t->name.base)
		t->name.count = (uint32_t)t->count;
	for (size_t i = 0; i < t->count; i++) {
		TFR_AUTO_FREE char *file = t->name.base ? tfr_set_name_file(&t->name, (uint32_t)i)
							: strdup(o->output.targets[k].set);
		struct tfr_planned_shard shard = { file, t->all[i].records, t->all[i].bytes };

		TFR_NEED_MEMORY(file, err, "planning");
		if (o->run.planned)
			o->run.planned(o->run.ctx, &shard);
	}
	return TFR_OK;
}

static enum tfr_status make_plan(
	struct plan *p, struct tfr_input *in, const uint32_t *order, struct tfr_error *err)
{
	struct sizes sizes = { .in = in };
	size_t n = in->opts->output.target_count;

	p->planned = calloc(n, sizeof(*p->planned));
	TFR_NEED_MEMORY(p->planned, err, "planning");
	TFR_TRY(tfr_input_is_lasting(in, "a dry run would consume it", err));
	TFR_TRY(start_sets(&p->sets, in, err));
	while (p->sets.n < n)
		TFR_TRY(plan_set(p, &sizes, err));
	TFR_TRY(tfr_input_walk(in, order, plan_item, p, err));
	for (size_t k = 0; k < n; k++)
		TFR_TRY(report_planned(p, k, err));
	return TFR_OK;
}

enum tfr_status tfr_plan(struct tfr_input *in, const uint32_t *order,
	struct tfr_convert_report *report, struct tfr_error *err)
{
	struct plan p = { .report = report };
	enum tfr_status status = make_plan(&p, in, order, err);

	for (size_t k = 0; k < p.sets.n; k++) {
		tfr_set_name_clear(&p.planned[k].name);
		free(p.planned[k].all);
	}
	free(p.planned);
	tfr_sets_close(&p.sets);
	return status;
}
