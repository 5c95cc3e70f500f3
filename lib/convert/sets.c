/* convert/sets.c - a set writer for each target, their shards numbered through as lanes. */
#include "convert/sets.h"

#include <stdlib.h>

#include <xxhash.h>

#include "shard/shares.h"

struct target {
	struct tfr_set_writer *writer;
	uint64_t *histogram;   /* records of each class */
	uint64_t items;	       /* placed in it */
	uint32_t first, lanes; /* its lanes */
};

struct tfr_sets {
	const struct tfr_convert_opts *opts;
	const struct tfr_input *in;
	struct target *targets;
	size_t n;
};

static enum tfr_status open_target(struct tfr_sets *s, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = s->opts;
	struct target *t = &s->targets[s->n];
	enum tfr_status status;

	t->histogram = calloc(s->in->n_classes + 1, sizeof(*t->histogram));
	if (!t->histogram)
		return tfr_fail_nomem(err, "creating the sets");
	t->first = s->n ? t[-1].first + t[-1].lanes : 0;
	status = tfr_set_writer_open(
		&t->writer, o->targets[s->n].set, &o->writer, o->warn, o->ctx, err);
	s->n++;
	if (!status)
		t->lanes = tfr_set_writer_shards(t->writer);
	return status;
}

enum tfr_status tfr_sets_open(struct tfr_sets **out, const struct tfr_convert_opts *opts,
	const struct tfr_input *in, struct tfr_error *err)
{
	struct tfr_sets *s = calloc(1, sizeof(*s));
	enum tfr_status status = TFR_OK;

	*out = s;
	if (s)
		s->targets = calloc(opts->target_count, sizeof(*s->targets));
	if (!s || !s->targets)
		return tfr_fail_nomem(err, "creating the sets");
	s->opts = opts;
	s->in = in;
	while (!status && s->n < opts->target_count)
		status = open_target(s, err);
	return status;
}

uint32_t tfr_sets_lanes(const struct tfr_sets *s)
{
	return s->targets[s->n - 1].first + s->targets[s->n - 1].lanes;
}

bool tfr_sets_place(struct tfr_sets *s, struct tfr_item *item, uint32_t *lane)
{
	const struct tfr_share *shares = s->opts->targets;
	size_t t = 0;

	if (s->n > 1 || shares[0].fraction != 0)
		t = tfr_shares_choose(shares, s->n,
			item->hashed ? item->hash
				     : XXH3_64bits(item->name.data, item->name.size - 1));
	if (t == s->n)
		return false;
	item->target = (uint32_t)t;
	item->rank = s->targets[t].items++;
	*lane = s->targets[t].first + (uint32_t)(item->rank % s->targets[t].lanes);
	return true;
}

enum tfr_status tfr_sets_put(struct tfr_sets *s, const struct tfr_item *item, struct tfr_error *err)
{
	struct target *t = &s->targets[item->target];

	return tfr_set_writer_put(t->writer, (uint32_t)(item->rank % t->lanes), item->pieces,
		item->n_pieces, &item->digest, err);
}

void tfr_sets_tally(struct tfr_sets *s, const struct tfr_item *item)
{
	if (item->class != TFR_NO_CLASS)
		s->targets[item->target].histogram[item->class]++;
}

struct tfr_totals tfr_sets_totals(const struct tfr_sets *s)
{
	struct tfr_totals all = { 0 };

	for (size_t t = 0; t < s->n; t++) {
		struct tfr_totals totals = tfr_set_writer_totals(s->targets[t].writer);

		all.records += totals.records;
		all.sum += totals.sum;
	}
	return all;
}

static enum tfr_status publish_target(struct tfr_sets *s, struct target *t, struct tfr_error *err)
{
	const struct tfr_input *in = s->in;
	TFR_AUTO_FREE struct tfr_class_count *classes = calloc(in->n_classes + 1, sizeof(*classes));
	struct tfr_set_info info = {
		.command = s->opts->command,
		.seed = s->opts->seed,
		.classes = classes,
		.class_count = in->n_classes,
	};

	if (!classes)
		return tfr_fail_nomem(err, "writing a manifest");
	for (size_t k = 0; k < in->n_classes; k++)
		classes[k] = (struct tfr_class_count){ .label = in->classes[k].label,
			.text = in->classes[k].text,
			.records = t->histogram[k] };
	return tfr_set_writer_publish(t->writer, &info, err);
}

enum tfr_status tfr_sets_publish(struct tfr_sets *s, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t t = 0; !status && t < s->n; t++)
		status = tfr_set_writer_seal(s->targets[t].writer, err);
	for (size_t t = 0; !status && t < s->n; t++)
		status = publish_target(s, &s->targets[t], err);
	return status;
}

void tfr_sets_close(struct tfr_sets *s)
{
	if (!s)
		return;
	for (size_t t = 0; t < s->n; t++) {
		tfr_set_writer_close(s->targets[t].writer);
		free(s->targets[t].histogram);
	}
	free(s->targets);
	free(s);
}
