/* convert/folder.c - a folder of pictures into sets: find, plan, then load and write at once.
 *
 * Loaders run ahead in a bounded window; whoever has loaded the picture that a shard waits for
 * writes it, straight from the buffer it was read into.  Shards are lanes: each gets its items in
 * order, none waits for another.  What is said about items (warnings, the quarantine) comes in
 * item order, so that it is the same for any number of threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/text.h>

#include "convert/labels.h"
#include "convert/picture.h"
#include "convert/plan.h"
#include "convert/scan.h"
#include "io/output.h"
#include "shard/shares.h"
#include "thread/threads.h"

enum { MEMORY = 256 << 20 };

struct run {
	const struct tfr_convert_opts *opts;
	struct tfr_convert_report *report;
	struct tfr_scan scan;
	struct tfr_plan plan;
	struct tfr_labels labels;
	struct tfr_output *quarantine;
	struct tfr_buf notes; /* the quarantine's lines that wait to be written */
	bool classes;
	unsigned threads;
	struct tfr_decoder **decoders;	 /* one a thread, with opts->verify */
	struct tfr_set_writer **writers; /* one a target */
	uint64_t **histograms;		 /* one a target: records of each class */
	size_t target;			 /* being written */
	enum tfr_status late; /* a failure where none could be returned, with its error */
	struct tfr_error late_error;
};

static const struct tfr_scan_item *item_of(const struct run *r, uint64_t i)
{
	return &r->scan.items[r->plan.order[r->plan.first[r->target] + i]];
}

static uint32_t class_of(const struct run *r, const struct tfr_scan_item *item)
{
	return r->classes ? r->scan.dirs[item->dir].class : (uint32_t)TFR_SCAN_NO_CLASS;
}

/* --- one item --- */

static void skip_for_fault(struct tfr_picture *p, int fault)
{
	switch (fault) {
	case TFR_SCAN_LOOP:
		tfr_picture_skip(p, TFR_EDATA, "a link to a folder that it lies in");
		break;
	case TFR_SCAN_SPECIAL:
		tfr_picture_skip(p, TFR_EDATA, "not a regular file");
		break;
	case TFR_SCAN_DEEP:
		tfr_picture_skip(p, TFR_EDATA, "folders nested too deep");
		break;
	default:
		tfr_picture_skip(p, TFR_ESYS, "cannot open: %s", strerror(fault));
	}
}

static enum tfr_status decode_whole(
	struct run *r, unsigned worker, struct tfr_picture *p, struct tfr_error *err)
{
	struct tfr_error why;

	if (!r->decoders[worker])
		r->decoders[worker] = tfr_decoder_new(NULL);
	if (!r->decoders[worker])
		return tfr_fail_nomem(err, "decoding pictures");
	if (tfr_decode_verify(r->decoders[worker], p->file.data, p->file.size, &why))
		tfr_picture_skip(p, TFR_EDATA, "%s", why.message);
	return TFR_OK;
}

static enum tfr_status make_record(struct run *r, const struct tfr_scan_item *item,
	struct tfr_picture *p, const struct tfr_image_info *info, struct tfr_error *err)
{
	uint32_t class = class_of(r, item);
	struct tfr_picture_class c = { 0 };

	if (r->classes && class == (uint32_t)TFR_SCAN_NO_CLASS) {
		tfr_picture_skip(
			p, TFR_EDATA, "a picture in no class folder, where others are in one");
		return TFR_OK;
	}
	if (r->classes) {
		c.label = r->opts->label_base + (int64_t) class;
		c.text = tfr_scan_name(&r->scan, r->scan.dirs[r->scan.classes[class]].name);
	}
	return tfr_picture_build(p, info, &c, err);
}

static enum tfr_status load(void *ctx, struct tfr_lanes_run *lanes, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct run *r = ctx;
	const struct tfr_scan_item *item = item_of(r, i);
	struct tfr_picture *p = slot;
	struct tfr_image_info info;
	enum tfr_status status = TFR_OK;

	p->skipped = false;
	p->size = 0;
	if (!tfr_scan_path(&r->scan, item, &p->path))
		return tfr_fail_nomem(err, "reading pictures");
	if (item->fault)
		skip_for_fault(p, item->fault);
	else
		status = tfr_picture_load(p, r->scan.root, lanes, i, &info, err);
	if (!status && !p->skipped && r->opts->verify)
		status = decode_whole(r, worker, p, err);
	if (!status && !p->skipped)
		status = make_record(r, item, p, &info, err);
	if (!status && p->skipped && r->opts->on_error == TFR_ON_ERROR_FAIL)
		return tfr_fail(err, p->why == TFR_ESYS ? TFR_ESYS : TFR_EDATA,
			"not a picture to use: '%s/%s': %s", r->opts->folder,
			(const char *)p->path.data, p->reason);
	return status;
}

static enum tfr_status write_record(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct run *r = ctx;
	struct tfr_picture *p = slot;
	struct tfr_set_writer *w = r->writers[r->target];
	enum tfr_status status = TFR_OK;

	if (!p->skipped)
		status = tfr_set_writer_put(w, (uint32_t)(i % tfr_set_writer_shards(w)), p->pieces,
			p->n_pieces, &p->digest, err);
	tfr_picture_trim(p);
	return status;
}

/* --- what is said of items, in their order --- */

static void note_skipped(struct run *r, const struct tfr_picture *p)
{
	const struct tfr_convert_opts *o = r->opts;
	const char *path = (const char *)p->path.data;
	char text[8192], line[8192];

	r->report->skipped++;
	if (o->warn) {
		snprintf(text, sizeof(text), "skipped '%s/%s': %s", o->folder, path, p->reason);
		o->warn(o->ctx, text);
	}
	if (!r->quarantine || r->late)
		return;
	snprintf(text, sizeof(text), "%s/%s", o->folder, path);
	tfr_escape_line(line, sizeof(line), text);
	r->notes.size = 0;
	if (!tfr_buf_printf(&r->notes, "%s\t%s\n", line, p->reason))
		r->late = tfr_fail_nomem(&r->late_error, "writing the quarantine");
	else
		r->late = tfr_output_write(
			r->quarantine, r->notes.data, r->notes.size, &r->late_error);
}

static void retire(void *ctx, uint64_t i, void *slot)
{
	struct run *r = ctx;
	const struct tfr_picture *p = slot;
	uint32_t class = class_of(r, item_of(r, i));

	r->report->bytes += p->size;
	if (p->skipped)
		note_skipped(r, p);
	else if (class != (uint32_t)TFR_SCAN_NO_CLASS)
		r->histograms[r->target][class]++;
	tfr_progress_add(r->opts->progress, 1, p->size);
}

static void clear_picture(void *slot)
{
	tfr_picture_clear(slot);
}

static enum tfr_status write_target(struct run *r, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = r->threads,
		.lanes = tfr_set_writer_shards(r->writers[r->target]),
		.count = r->plan.first[r->target + 1] - r->plan.first[r->target],
		.budget = r->opts->memory ? r->opts->memory : MEMORY,
		.slot_size = sizeof(struct tfr_picture),
		.work = load,
		.deliver = write_record,
		.retire = retire,
		.clear_slot = clear_picture,
	};
	enum tfr_status status = tfr_lanes_run(&lanes, r, err);

	if (!status && r->late) {
		if (err)
			*err = r->late_error;
		return r->late;
	}
	return status;
}

/* --- before --- */

/* Whether records get classes: when there is a picture below the top folders.  Only where files lie
 * at the top as well is it worth a look inside. */
static enum tfr_status look_for_classes(struct run *r, struct tfr_error *err)
{
	struct tfr_picture p = { 0 };
	struct tfr_image_info info;
	enum tfr_status status = TFR_OK;
	bool at_top = false;

	for (size_t i = 0; i < r->scan.n_items && !at_top; i++)
		at_top = !r->scan.items[i].dir && !r->scan.items[i].fault;
	if (!at_top) {
		r->classes = r->scan.n_classes > 0;
		return TFR_OK;
	}
	for (size_t i = 0; !status && !r->classes && i < r->scan.n_items; i++) {
		const struct tfr_scan_item *item = &r->scan.items[i];

		if (!item->dir || item->fault)
			continue;
		if (!tfr_scan_path(&r->scan, item, &p.path))
			status = tfr_fail_nomem(err, "listing a folder");
		else
			status = tfr_picture_load(&p, r->scan.root, NULL, 0, &info, err);
		r->classes = !status && !p.skipped;
		tfr_picture_trim(&p);
	}
	tfr_picture_clear(&p);
	return status;
}

static enum tfr_status no_pictures(const struct run *r, struct tfr_error *err)
{
	return tfr_fail_path(err, TFR_EDATA, r->opts->folder, "no pictures in");
}

static enum tfr_status open_quarantine(struct run *r, struct tfr_error *err)
{
	struct tfr_output_opts opts = { .force = r->opts->writer.force,
		.temporaries = r->opts->writer.temporaries };

	if (r->opts->on_error != TFR_ON_ERROR_QUARANTINE)
		return TFR_OK;
	return tfr_output_open(&r->quarantine, r->opts->quarantine, &opts, err);
}

static enum tfr_status open_outputs(struct run *r, struct tfr_error *err)
{
	const struct tfr_convert_opts *o = r->opts;
	enum tfr_status status = TFR_OK;

	r->writers = calloc(o->target_count, sizeof(*r->writers));
	r->histograms = calloc(o->target_count, sizeof(*r->histograms));
	r->decoders = calloc(r->threads, sizeof(*r->decoders));
	if (!r->writers || !r->histograms || !r->decoders)
		return tfr_fail_nomem(err, "creating the sets");
	for (size_t t = 0; !status && t < o->target_count; t++) {
		r->histograms[t] = calloc(r->scan.n_classes + 1, sizeof(**r->histograms));
		if (!r->histograms[t])
			return tfr_fail_nomem(err, "creating the sets");
		status = tfr_set_writer_open(
			&r->writers[t], o->targets[t].set, &o->writer, o->warn, o->ctx, err);
	}
	if (!status && r->classes)
		status = tfr_labels_open(&r->labels, &r->scan, o, err);
	return status ? status : open_quarantine(r, err);
}

/* --- after --- */

static enum tfr_status publish_target(struct run *r, size_t t, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_class_count *classes = NULL;
	struct tfr_set_info info = { .command = r->opts->command, .seed = r->opts->seed };

	if (r->classes) {
		classes = calloc(r->scan.n_classes, sizeof(*classes));
		if (!classes)
			return tfr_fail_nomem(err, "writing a manifest");
		info.classes = classes;
		info.class_count = r->scan.n_classes;
	}
	for (size_t k = 0; k < info.class_count; k++)
		classes[k] = (struct tfr_class_count){
			.label = r->opts->label_base + (int64_t)k,
			.text = tfr_scan_name(&r->scan, r->scan.dirs[r->scan.classes[k]].name),
			.records = r->histograms[t][k],
		};
	return tfr_set_writer_publish(r->writers[t], &info, err);
}

static enum tfr_status publish(struct run *r, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t t = 0; !status && t < r->opts->target_count; t++)
		status = tfr_set_writer_seal(r->writers[t], err);
	for (size_t t = 0; !status && t < r->opts->target_count; t++)
		status = publish_target(r, t, err);
	if (!status && r->classes)
		status = tfr_labels_publish(&r->labels, err);
	if (!status && r->quarantine) {
		status = tfr_output_seal(r->quarantine, err);
		if (!status)
			status = tfr_output_publish(r->quarantine, err);
	}
	return status;
}

static void add_up(struct run *r)
{
	r->report->records = r->report->sum = 0;
	for (size_t t = 0; t < r->opts->target_count; t++) {
		struct tfr_totals totals = tfr_set_writer_totals(r->writers[t]);

		r->report->records += totals.records;
		r->report->sum += totals.sum;
	}
}

static enum tfr_status convert(struct run *r, struct tfr_error *err)
{
	enum tfr_status status = look_for_classes(r, err);

	r->report->files = r->scan.n_items;
	r->report->classes = r->classes ? r->scan.n_classes : 0;
	if (!status)
		status = tfr_plan_make(&r->plan, &r->scan, r->opts, err);
	if (!status)
		status = open_outputs(r, err);
	if (status)
		return status;
	r->report->left = r->plan.left;
	if (r->opts->progress)
		r->opts->progress->total_items = r->scan.n_items - r->plan.left;
	for (r->target = 0; !status && r->target < r->opts->target_count; r->target++)
		status = write_target(r, err);
	if (status)
		return status;
	add_up(r);
	return r->report->records ? publish(r, err) : no_pictures(r, err);
}

static void clear(struct run *r)
{
	for (size_t t = 0; r->writers && t < r->opts->target_count; t++)
		tfr_set_writer_close(r->writers[t]);
	for (size_t t = 0; r->histograms && t < r->opts->target_count; t++)
		free(r->histograms[t]);
	for (unsigned k = 0; r->decoders && k < r->threads; k++)
		tfr_decoder_free(r->decoders[k]);
	free(r->writers);
	free(r->histograms);
	free(r->decoders);
	tfr_labels_close(&r->labels);
	tfr_output_close(r->quarantine);
	tfr_buf_clear(&r->notes);
	tfr_plan_clear(&r->plan);
	tfr_scan_clear(&r->scan);
}

enum tfr_status tfr_convert_folder(const struct tfr_convert_opts *opts,
	struct tfr_convert_report *report, struct tfr_error *err)
{
	struct run *r = calloc(1, sizeof(*r));
	enum tfr_status status;

	*report = (struct tfr_convert_report){ 0 };
	if (!r)
		return tfr_fail_nomem(err, "converting a folder");
	r->opts = opts;
	r->report = report;
	r->scan.root = -1;
	r->threads = tfr_thread_count(opts->threads);
	status = tfr_shares_check(opts->targets, opts->target_count, err);
	if (!status)
		status = tfr_scan_folder(&r->scan, opts->folder, err);
	if (!status)
		status = r->scan.n_items ? convert(r, err) : no_pictures(r, err);
	clear(r);
	free(r);
	return status;
}
