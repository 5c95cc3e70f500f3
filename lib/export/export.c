/* export/export.c - reads records one at a time, names them in order, converts them on all threads,
 * and writes them in order.
 *
 * Each record is copied once, because its view ends with the next record; everything that is made
 * of it points into that copy.  A dry run writes to /dev/null, so forms need not know of it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/media.h>
#include <tfr-private/text.h>

#include "base/error.h"
#include "base/suffix.h"
#include "export/form.h"
#include "io/output.h"
#include "thread/lanes.h"
#include "thread/threads.h"

enum { MEMORY = 256 << 20, KEEP = 1 << 20 };
enum { GROUP = 64, GROUP_BYTES = 64 << 10 }; /* records, and their bytes, at a time */

static const struct form *const forms[] = { &tfr_form_webdataset, &tfr_form_jsonl, &tfr_form_csv,
	&tfr_form_folder };

#define N_FORMS (sizeof(forms) / sizeof(*forms))

struct export_run {
	struct export e;
	struct tfr_select *records;
	struct tfr_export_report *report;
	/* For a group that is complete: the record after it, which is the last one read, and the
	 * status that ended the reading, which is reported next. */
	struct tfr_record last;
	bool held;
	enum tfr_status ended;
	struct tfr_error error;
};

/* --- which form --- */

static const struct form *find_form(const char *target, const char *to, struct tfr_error *err)
{
	static const char *const packed[] = { ".gz", ".tgz", ".xz", ".zst", ".bz2", ".zip" };
	struct tfr_suggestion meant;

	for (size_t i = 0; i < N_FORMS; i++)
		if (to ? !strcmp(forms[i]->name, to)
		       : (!forms[i]->ending || tfr_has_suffix(target, forms[i]->ending))) {
			for (size_t k = 0; !to && k < sizeof(packed) / sizeof(*packed); k++)
				if (!tfr_has_suffix(target, packed[k]))
					continue;
				else {
					tfr_fail(err, TFR_EUSAGE,
						"cannot write compressed output: '%s'", target);
					tfr_error_hint(err, "Write to standard output with -o - "
							    "and --to, and compress that.");
					return NULL;
				}
			return forms[i];
		}
	tfr_fail(err, TFR_EUSAGE, "unknown form of output '%s'", to);
	tfr_suggestion_init(&meant, to, strlen(to));
	for (size_t i = 0; i < N_FORMS; i++)
		tfr_suggestion_offer(&meant, forms[i]->name, strlen(forms[i]->name));
	tfr_suggestion_hint(&meant, err);
	return NULL;
}

const char *tfr_export_form(const char *target, const char *to, struct tfr_error *err)
{
	const struct form *form = find_form(target, to, err);

	if (form && !to && !strcmp(target, "-")) {
		tfr_fail(err, TFR_EUSAGE, "standard output needs --to");
		tfr_error_hint(err, "Use --to webdataset, --to jsonl or --to csv.");
		return NULL;
	}
	return form ? form->name : NULL;
}

/* --- for forms that are one file --- */

/* Whether a file of this name would be created or replaced, not written to directly. */
static bool is_file_target(const char *target)
{
	struct stat st;

	return strcmp(target, "-") && (tfr_stat(target, &st) || S_ISREG(st.st_mode));
}

enum tfr_status tfr_form_open_file(struct export *e, struct tfr_error *err)
{
	struct tfr_output_opts o = { .force = e->o->force, .temporaries = e->o->temporaries };
	struct tfr_output *probe = NULL;

	if (e->o->put)
		return TFR_OK;
	if (!e->o->dry_run)
		return tfr_output_open(&e->file, e->o->target, &o, err);
	/* Opening and closing the target checks that a run could write it. */
	if (is_file_target(e->o->target)) {
		TFR_TRY(tfr_output_open(&probe, e->o->target, &o, err));
		tfr_output_close(probe);
	}
	return tfr_output_open(&e->file, "/dev/null", &o, err);
}

enum tfr_status tfr_form_publish_file(struct export *e, struct tfr_error *err)
{
	if (e->o->put)
		return TFR_OK;
	TFR_TRY(tfr_output_seal(e->file, err));
	TFR_TRY(tfr_output_publish(e->file, err));
	return e->o->dry_run || !strcmp(e->o->target, "-")
		       ? TFR_OK
		       : tfr_sync_directory_of(e->o->target, err);
}

void tfr_form_close_file(struct export *e)
{
	tfr_output_close(e->file);
}

bool tfr_form_bytes(const struct export_item *w, const char *feature, struct tfr_bytes *value)
{
	return tfr_feature_bytes(tfr_example_get(w->example, feature), 0, value);
}

const char *tfr_form_image_ending(const struct tfr_bytes *image)
{
	enum tfr_image_format format = tfr_image_sniff(image->data, image->size);

	if (format == TFR_IMAGE_JPEG)
		return "jpg";
	return tfr_image_is_decoded(format) ? tfr_image_format_name(format) : NULL;
}

/* --- one record --- */

static bool have_examples(struct export_item *w, size_t n)
{
	struct tfr_example **examples;

	if (n <= w->n_examples)
		return true;
	examples = reallocarray(w->examples, n, sizeof(struct tfr_example *));
	if (!examples)
		return false;
	w->examples = examples;
	for (; w->n_examples < n; w->n_examples++) {
		examples[w->n_examples] = tfr_example_new();
		if (!examples[w->n_examples])
			return false;
	}
	return true;
}

/* Makes record `k` of the group the current one. */
static void select_record(struct export_item *w, size_t k)
{
	const struct grouped_record *m =
		(const struct grouped_record *)(const void *)w->group.data + k;

	assert(m->at + m->size <= w->record.size);
	w->payload = (struct tfr_bytes){ w->record.data + m->at, m->size };
	w->example = k < w->n_examples ? w->examples[k] : NULL;
}

static size_t group_count(const struct export_item *w)
{
	return w->group.size / sizeof(struct grouped_record);
}

/* Views of the earlier records must remain valid: memory is moved for the first one only. */
static enum tfr_status copy_record(struct export_run *r, struct export_item *w,
	const struct tfr_record *rec, struct tfr_error *err)
{
	struct grouped_record m = { w->record.size, rec->size, tfr_select_path(r->records),
		rec->index, rec->offset };

	TFR_NEED_MEMORY(tfr_buf_append(&w->record, rec->data, rec->size) &&
				tfr_buf_append(&w->group, &m, sizeof(m)),
		err, "copying a record");
	TFR_NEED_MEMORY((!r->e.form->parses || have_examples(w, group_count(w))) &&
				(w->builder || (w->builder = tfr_builder_new())),
		err, "reading records");
	select_record(w, group_count(w) - 1);
	return TFR_OK;
}

static enum tfr_status take_record(struct export_run *r, struct export_item *w,
	const struct tfr_record *rec, struct tfr_error *err)
{
	const struct form *form = r->e.form;

	TFR_TRY(copy_record(r, w, rec, err));
	if (form->parses)
		TFR_TRY(tfr_example_parse(w->example, w->payload.data, w->payload.size, err));
	return form->name_it ? form->name_it(&r->e, w, err) : TFR_OK;
}

/* Adds a record.  One that the form cannot hold is skipped if damage is skipped. */
static enum tfr_status add_record(struct export_run *r, struct export_item *w,
	const struct tfr_record *rec, struct tfr_error *err)
{
	size_t bytes = w->record.size, entries = w->group.size;
	struct tfr_digest digest;
	enum tfr_status status = take_record(r, w, rec, err);

	if (!status) {
		tfr_digest_record(rec, &digest);
		w->digest.size += digest.size;
		w->digest.sum += digest.sum;
		return TFR_OK;
	}
	/* The group ends before a record that failed, whatever was already added of it. */
	w->record.size = bytes;
	w->group.size = entries;
	return status == TFR_EDATA ? tfr_select_reject(r->records, rec, status, err) : status;
}

static enum tfr_status next_record(
	struct export_run *r, struct tfr_record *rec, struct tfr_error *err)
{
	if (r->held) {
		r->held = false;
		*rec = r->last;
		return TFR_OK;
	}
	if (r->ended) {
		if (err)
			*err = r->error;
		return r->ended;
	}
	if (r->e.o->interrupted && *r->e.o->interrupted)
		return tfr_fail(err, TFR_ECANCELLED, "interrupted");
	return tfr_select_next(r->records, rec, err);
}

/* A record that does not fit beside the others is held until the next call. */
static bool fits_group(const struct export_item *w, const struct tfr_record *rec)
{
	return !group_count(w) ||
	       (group_count(w) < GROUP && rec->size <= w->record.cap - w->record.size);
}

/* Reads the next records that the form can hold: one, or a group.  The status that ended a group is
 * reported after it. */
static enum tfr_status pull_records(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, uint32_t *lane, struct tfr_error *err)
{
	struct export_run *r = ctx;
	struct export_item *w = slot;
	enum tfr_status status = TFR_OK;

	(void)worker, (void)lane;
	w->number = i;
	w->record.size = w->group.size = w->name.size = w->out.size = 0;
	w->digest = (struct tfr_digest){ 0 };
	w->n_pieces = 0;
	w->made = false;
	if (r->e.form->groups && !tfr_buf_reserve(&w->record, GROUP_BYTES))
		return tfr_fail_nomem(err, "copying a record");
	while (!status && (r->e.form->groups || !group_count(w))) {
		status = next_record(r, &r->last, err);
		if (!status && !fits_group(w, &r->last)) {
			r->held = true;
			break;
		}
		if (!status)
			status = add_record(r, w, &r->last, err);
	}
	if (status && group_count(w) && !r->held) {
		r->ended = status;
		if (err)
			r->error = *err;
		status = TFR_OK;
	}
	if (status)
		return status;
	tfr_lanes_reserve(lanes, i, w->record.size);
	return r->e.form->collected ? r->e.form->collected(&r->e, w, err) : TFR_OK;
}

enum tfr_status tfr_export_make_group(
	struct export *e, struct export_item *w, struct tfr_error *err)
{
	const struct grouped_record *m = (const struct grouped_record *)(const void *)w->group.data;

	for (size_t k = 0; k < group_count(w); k++) {
		enum tfr_status status;

		select_record(w, k);
		status = e->form->make(e, w, err);
		if (status == TFR_EDATA)
			tfr_error_locate(err, m[k].path, m[k].index, m[k].offset);
		TFR_TRY(status);
	}
	return TFR_OK;
}

static enum tfr_status make_item(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct export_run *r = ctx;
	struct export_item *w = slot;

	(void)lanes;
	(void)worker;
	(void)i;
	if (w->made)
		return TFR_OK;
	return r->e.form->groups ? tfr_export_make_group(&r->e, w, err)
				 : r->e.form->make(&r->e, w, err);
}

static enum tfr_status write_item(void *ctx, uint64_t i, void *slot, struct tfr_error *err)
{
	struct export_run *r = ctx;
	struct export_item *w = slot;
	enum tfr_status status = TFR_OK;

	(void)i;
	assert(w->number == i && (r->e.form->groups || r->report->written == i));
	r->e.written += w->own_bytes;
	for (int k = 0; k < w->n_pieces; k++)
		r->e.written += w->pieces[k].iov_len;
	if (r->e.o->put)
		status = r->e.o->put(r->e.o->ctx, w->out.data, w->out.size, err);
	else if (w->n_pieces)
		status = tfr_output_writev(r->e.file, w->pieces, w->n_pieces, err);
	else if (w->out.size)
		status = tfr_output_write(r->e.file, w->out.data, w->out.size, err);
	if (!w->n_pieces)
		r->e.written += w->out.size;
	r->report->written += group_count(w);
	r->report->bytes += w->digest.size;
	r->report->sum += w->digest.sum;
	if (w->record.cap > KEEP)
		tfr_buf_clear(&w->record);
	if (w->out.cap > KEEP)
		tfr_buf_clear(&w->out);
	return status;
}

static void clear_item(void *slot)
{
	struct export_item *w = slot;

	tfr_buf_clear(&w->record);
	tfr_buf_clear(&w->name);
	tfr_buf_clear(&w->out);
	tfr_buf_clear(&w->fields);
	tfr_buf_clear(&w->group);
	for (size_t k = 0; k < w->n_examples; k++)
		tfr_example_free(w->examples[k]);
	free(w->examples);
	tfr_printer_free(w->printer);
	tfr_builder_free(w->builder);
	free(w->pieces);
}

/* --- all records --- */

static enum tfr_status export_records(struct export_run *r, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(r->e.o->threads),
		.count = UINT64_MAX,
		.budget = MEMORY,
		.slot_size = sizeof(struct export_item),
		.pull = pull_records,
		.work = make_item,
		.deliver = write_item,
		.clear_slot = clear_item,
	};

	TFR_TRY(r->e.form->open(&r->e, err));
	TFR_TRY(tfr_lanes_run(&lanes, r, err));
	TFR_TRY(tfr_expect_check(&r->e.o->expect, r->report->written, r->report->sum, err));
	TFR_TRY(tfr_expect_some(
		&r->e.o->expect, tfr_select_records_read(r->records), r->report->written, err));
	return r->e.form->publish(&r->e, err);
}

enum tfr_status tfr_export(struct tfr_select *records, const struct tfr_export_opts *opts,
	struct tfr_export_report *report, struct tfr_error *err)
{
	struct export_run r = { .e = { .o = opts }, .records = records, .report = report };
	enum tfr_status status;

	*report = (struct tfr_export_report){ 0 };
	if (!tfr_export_form(opts->target, opts->to, err))
		return TFR_EUSAGE;
	r.e.form = find_form(opts->target, opts->to, err);
	assert(r.e.form);
	status = export_records(&r, err);
	report->output_bytes = r.e.written;
	if (r.e.form->close)
		r.e.form->close(&r.e);
	tfr_unique_names_clear(&r.e.names);
	return status;
}
