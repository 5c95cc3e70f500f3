/* convert/dry_run.c - places the items as a run would, without reading or writing.
 *
 * A list is traversed by the sizes of its files, in the order of a run; a stream has to be read. */
#include "convert/dry_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "convert/output_sets.h"
#include "record/framing.h"
#include "shard/set_name.h"

struct shard {
	uint64_t records, bytes;
};

struct target {
	struct tfr_set_name name; /* base NULL: a single file */
	const char *file;
	struct tfr_set_fill fill;
	uint64_t items;
	uint32_t shards; /* 0: it fills */
	struct shard *all;
	size_t count;
};

struct plan {
	struct tfr_input *in;
	struct tfr_convert_report *report;
	struct target *targets;
	struct tfr_division *division;
};

static enum tfr_status grow(struct target *t, struct tfr_error *err)
{
	if (TFR_ARRAY_ONE_MORE(t->all, t->count))
		return tfr_fail_nomem(err, "planning");
	t->all[t->count++] = (struct shard){ 0 };
	return TFR_OK;
}

static enum tfr_status open_target(
	struct plan *p, struct tfr_sizes *sizes, size_t k, struct tfr_error *err)
{
	struct target *t = &p->targets[k];
	TFR_AUTO_FREE char *name = NULL;
	enum tfr_status status;

	TFR_TRY(tfr_sizes_of_set(sizes, k, &name, &t->fill, err));
	t->file = p->in->opts->output.targets[k].set;
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
			t->file);
	t->shards = t->name.automatic ? 0 : t->name.base ? t->name.count : 1;
	while (t->count < (t->shards ? t->shards : 1))
		TFR_TRY(grow(t, err));
	return TFR_OK;
}

static enum tfr_status add_record(struct target *t, uint64_t bytes, struct tfr_error *err)
{
	struct shard *s;

	if (t->shards) {
		s = &t->all[t->items % t->shards];
	} else {
		s = &t->all[t->count - 1];
		if (s->records && ((t->fill.records && s->records == t->fill.records) ||
					  (t->fill.bytes && s->bytes + bytes > t->fill.bytes))) {
			TFR_TRY(grow(t, err));
			s = &t->all[t->count - 1];
		}
	}
	t->items++;
	s->records++;
	s->bytes += bytes;
	return TFR_OK;
}

static enum tfr_status add_item(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct plan *p = ctx;
	const struct tfr_framed *f = &item->framed;
	const uint8_t *at = f->data;
	size_t gaps = 0;
	size_t t = tfr_sets_choose(p->in->opts, p->division, item);

	p->report->files += item->records;
	if (t == p->in->opts->output.target_count) {
		p->report->left += item->records;
		return TFR_OK;
	}
	if (item->skipped) { /* the item keeps its place */
		p->report->skipped++;
		p->targets[t].items++;
		return TFR_OK;
	}
	for (uint64_t i = 0; i < item->records; i++) {
		if (gaps < f->n_gaps && f->gaps[gaps].place == i) {
			gaps++;
			p->report->skipped++;
			p->targets[t].items++;
			continue;
		}
		uint64_t bytes = at ? tfr_known_length(at) + TFR_RECORD_OVERHEAD : 0;

		if (!at)
			TFR_TRY(tfr_sizes_of_record(p->in, item, &bytes, err));
		TFR_TRY(add_record(&p->targets[t], bytes, err));
		p->report->records++;
		p->report->bytes += bytes;
		if (at)
			at += bytes;
	}
	return TFR_OK;
}

static enum tfr_status tell(struct plan *p, struct target *t, struct tfr_error *err)
{
	if (t->name.base)
		t->name.count = (uint32_t)t->count;
	for (size_t k = 0; k < t->count; k++) {
		TFR_AUTO_FREE char *file =
			t->name.base ? tfr_set_name_file(&t->name, (uint32_t)k) : strdup(t->file);
		struct tfr_planned_shard shard = { file, t->all[k].records, t->all[k].bytes };

		TFR_NEED_MEMORY(file, err, "planning");
		if (p->in->opts->run.planned)
			p->in->opts->run.planned(p->in->opts->run.ctx, &shard);
	}
	return TFR_OK;
}

enum tfr_status tfr_plan(struct tfr_input *in, const uint32_t *order,
	struct tfr_convert_report *report, struct tfr_error *err)
{
	size_t n = in->opts->output.target_count;
	struct plan p = { in, report, calloc(n, sizeof(*p.targets)) };
	struct tfr_sizes sizes = { .in = in };
	enum tfr_status status =
		p.targets ? tfr_input_is_lasting(in, "a dry run would consume it", err)
			  : tfr_fail_nomem(err, "planning");

	if (!status && in->opts->order.stratify)
		status = tfr_division_open(&p.division, in, err);
	for (size_t t = 0; !status && t < n; t++)
		status = open_target(&p, &sizes, t, err);
	if (!status)
		status = tfr_input_walk(in, order, add_item, &p, err);
	for (size_t t = 0; !status && t < n; t++)
		status = tell(&p, &p.targets[t], err);
	for (size_t t = 0; p.targets && t < n; t++) {
		tfr_set_name_clear(&p.targets[t].name);
		free(p.targets[t].all);
	}
	tfr_division_close(p.division);
	free(p.targets);
	return status;
}
