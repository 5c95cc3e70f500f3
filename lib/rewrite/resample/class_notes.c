/* rewrite/resample/class_notes.c - the classes of records, from the parts of the first step to
 * those of the second.
 *
 * Whether a record is chosen depends on how many of its class were chosen before it.  So a part
 * needs the class and the place of every record of the parts before it, which takes 4 bytes of
 * notes a record: the place only where it does not follow from the record before. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rewrite/resample/by_class.h"
#include "shard/job/part_notes.h"

#define JUMP ((uint32_t)1 << 31) /* the place follows */

struct tfr_class_notes {
	struct tfr_part_notes *notes; /* in the first step */
	bool any;
	uint32_t file; /* of the next record, if it follows the last one */
	uint64_t record;

	struct tfr_unread *counted; /* of each part, in the second step: its classes */
};

enum tfr_status tfr_class_notes_open(struct tfr_by_class *b, struct tfr_error *err)
{
	b->noted = calloc(1, sizeof(*b->noted));
	if (!b->noted)
		return tfr_fail_nomem(err, "noting records");
	return tfr_job_act(b->job) == TFR_JOB_SHARE
		       ? tfr_part_notes_new(&b->noted->notes, b->job, 1, err)
		       : TFR_OK;
}

void tfr_class_notes_close(struct tfr_by_class *b)
{
	if (!b->noted)
		return;
	tfr_part_notes_free(b->noted->notes);
	free(b->noted->counted);
	free(b->noted);
}

/* --- the first step --- */

enum tfr_status tfr_class_notes_put(
	struct tfr_by_class *b, const struct tfr_swept *s, uint32_t class, struct tfr_error *err)
{
	struct tfr_class_notes *n = b->noted;
	uint8_t row[sizeof(class) + sizeof(n->file) + sizeof(n->record)];
	size_t size = sizeof(class);

	if (!n->any || s->file != n->file || s->rec.index != n->record) {
		class |= JUMP;
		memcpy(row + size, &s->file, sizeof(s->file));
		memcpy(row + size + sizeof(s->file), &s->rec.index, sizeof(s->rec.index));
		size = sizeof(row);
	}
	memcpy(row, &class, sizeof(class));
	n->any = true;
	n->file = s->file;
	n->record = s->rec.index + 1;
	return tfr_part_notes_put(n->notes, 0, row, size, err);
}

/* The first places of both kinds, what was looked for, and the classes. */
enum tfr_status tfr_class_notes_end(struct tfr_by_class *b, struct tfr_error *err)
{
	enum tfr_status status = tfr_part_notes_end(b->noted->notes, err);
	TFR_AUTO_BUF bytes = { 0 };
	bool good = true;

	for (unsigned k = 0; good && k < b->n_workers; k++)
		good = tfr_buf_append(&bytes, b->workers[k].first, sizeof(b->workers[k].first));
	if (status || !good)
		return status ? status : tfr_fail_nomem(err, "noting records");
	status = tfr_job_put(b->job, "first", bytes.data, bytes.size, err);
	bytes.size = 0;
	for (size_t rule = 0; good && rule < b->classing.n_rules; rule++) {
		struct tfr_feature_watch *all =
			tfr_where_lookout(b->workers[0].classifier.wheres[rule]);

		for (unsigned k = 1; k < b->n_workers; k++)
			tfr_feature_watch_merge(
				all, tfr_where_lookout(b->workers[k].classifier.wheres[rule]));
		good = tfr_feature_watch_save(all, &bytes);
	}
	good = good && tfr_classes_save(&b->classes, &bytes);
	if (!good)
		return tfr_fail_nomem(err, "noting records");
	return status ? status : tfr_job_put(b->job, "classes", bytes.data, bytes.size, err);
}

/* --- the second step --- */

static const char lacks[] = "lacks something";

static enum tfr_status take_first(struct tfr_by_class *b, uint32_t part, struct tfr_error *err)
{
	struct tfr_unread bytes = { 0 };
	enum tfr_status status = tfr_job_take(b->job, part, "first", &bytes, err);
	struct tfr_place theirs[2];

	while (!status && tfr_unread_copy(&bytes, theirs, sizeof(theirs)))
		for (unsigned i = 0; i < 2; i++) {
			if (theirs[i].file >= tfr_set_count(b->o->common.sweep.input))
				return tfr_job_bad_record(b->job, part, lacks, err);
			tfr_place_earlier(&b->workers[0].first[i], &theirs[i]);
		}
	return status;
}

static enum tfr_status take_classes(struct tfr_by_class *b, uint32_t part, struct tfr_error *err)
{
	struct tfr_unread *counted = &b->noted->counted[part], bytes = { 0 };
	enum tfr_status status = tfr_job_take(b->job, part, "classes", &bytes, err);
	struct tfr_counted_class class;
	bool good = true;
	uint64_t records;

	if (status)
		return status;
	for (size_t rule = 0; good && rule < b->classing.n_rules; rule++)
		good = tfr_feature_watch_load(
			tfr_where_lookout(b->workers[0].classifier.wheres[rule]), &bytes);
	*counted = bytes;
	while (!status && good && bytes.p != bytes.end) {
		good = tfr_classes_load(&bytes, &class, &records);
		if (good)
			status = tfr_classes_add(&b->classes, &class, records, NULL, err);
	}
	return status || good ? status : tfr_job_bad_record(b->job, part, lacks, err);
}

enum tfr_status tfr_class_notes_take(struct tfr_by_class *b, struct tfr_error *err)
{
	uint32_t parts = tfr_job_parts(b->job);
	enum tfr_status status = TFR_OK;

	b->noted->counted = calloc(parts, sizeof(*b->noted->counted));
	if (!b->noted->counted)
		return tfr_fail_nomem(err, "noting records");
	for (uint32_t k = 0; !status && k < parts; k++) {
		status = take_first(b, k, err);
		if (!status)
			status = take_classes(b, k, err);
	}
	return status;
}

/* A walk over the notes of a part. */
struct walk {
	struct tfr_by_class *b;
	uint32_t part;
	uint32_t *numbers; /* of its classes, in the common table */
	size_t count;
	uint32_t file;
	uint64_t record;
};

static enum tfr_status pass_record(struct walk *w, uint32_t class, struct tfr_error *err)
{
	const struct tfr_resample_opts *o = w->b->o;
	struct tfr_class_plan *p;

	if (class >= w->count)
		return tfr_job_bad_record(w->b->job, w->part, "notes another class", err);
	if (w->numbers[class] == TFR_CLASS_NONE)
		return TFR_OK; /* of a kind that is left out */
	p = &w->b->plans[w->numbers[class]];
	if (!p->unseen)
		return tfr_job_bad_record(w->b->job, w->part, "notes too many records", err);
	if (o->method != TFR_RESAMPLE_REJECT)
		p->wanted -= tfr_draw_selects(tfr_resample_draw(o->common.seed, w->file, w->record),
			p->unseen, p->wanted);
	p->unseen--;
	return TFR_OK;
}

static enum tfr_status pass_notes(
	void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct tfr_unread notes = { data, data + size };
	enum tfr_status status = TFR_OK;
	struct walk *w = ctx;
	uint32_t class;

	while (!status && tfr_unread_copy(&notes, &class, sizeof(class))) {
		if (class & JUMP &&
			(!tfr_unread_copy(&notes, &w->file, sizeof(w->file)) ||
				!tfr_unread_copy(&notes, &w->record, sizeof(w->record))))
			return tfr_job_bad_record(w->b->job, w->part, lacks, err);
		status = pass_record(w, class & ~JUMP, err);
		w->record++;
	}
	return status;
}

static enum tfr_status pass_part(struct tfr_by_class *b, uint32_t part, struct tfr_error *err)
{
	struct tfr_unread counted = b->noted->counted[part];
	TFR_AUTO_FREE uint32_t *numbers = calloc(TFR_CLASSES_MAX, sizeof(*numbers));
	struct walk w = { .b = b, .part = part, .numbers = numbers };
	bool later = part > tfr_job_part(b->job);
	struct tfr_counted_class class;
	uint64_t records;

	if (!numbers)
		return tfr_fail_nomem(err, "noting records");
	while (w.count < TFR_CLASSES_MAX && tfr_classes_load(&counted, &class, &records)) {
		uint32_t number = tfr_classes_find(&b->classes, &class);

		numbers[w.count++] = number;
		if (later && number != TFR_CLASS_NONE)
			b->plans[number].later += records;
	}
	return later ? TFR_OK : tfr_part_notes_read(b->job, part, 0, pass_notes, &w, err);
}

enum tfr_status tfr_class_notes_pass(struct tfr_by_class *b, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (uint32_t k = 0; !status && k < tfr_job_parts(b->job); k++)
		if (k != tfr_job_part(b->job))
			status = pass_part(b, k, err);
	return status;
}
