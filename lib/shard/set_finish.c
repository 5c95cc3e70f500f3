/* shard/set_finish.c - completes a set that was written in parts: replaces the notes by a manifest.
 *
 * Nothing is written before every part and every shard is checked, and shards are never changed.  A
 * process that dies in between leaves a set that can be finished again: notes are removed last, and
 * the manifest replaces the notes that are already removed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/suffix.h"
#include "io/output.h"
#include "io/path.h"
#include "io/source.h"
#include "io/temporaries.h"
#include "shard/manifests.h"
#include "shard/set.h"
#include "shard/set_name.h"
#include "thread/lanes.h"
#include "thread/threads.h"

enum { BLOCK = 1 << 20 };

struct finishing {
	const struct tfr_finish_opts *opts;
	struct tfr_finish_report *report;
	struct tfr_set_name name;
	struct tfr_manifest *done;   /* the set's manifest; NULL: it has none */
	struct tfr_manifest **notes; /* one per part; NULL: it has none */
	uint32_t parts;
	bool replaced; /* `done` stands for parts without a note */
	struct tfr_manifest_shard *shards;
	uint64_t faults;
};

static void report_fault(struct finishing *f, const struct tfr_error *err)
{
	f->faults++;
	if (f->opts->fault)
		f->opts->fault(f->opts->ctx, err);
}

/* --- notes --- */

/* The number of parts in the name of a note; 0: not a note of the set. */
static uint32_t parts_of_name(const char *file, const char *prefix, uint32_t *part)
{
	unsigned i, n;
	int end = 0;

	if (strncmp(file, prefix, strlen(prefix)) ||
		sscanf(file + strlen(prefix), "%u-of-%u.json%n", &i, &n, &end) != 2 || !end ||
		file[strlen(prefix) + (size_t)end] || i >= n)
		return 0;
	*part = i;
	return n;
}

static enum tfr_status refuse_mixture(
	const struct finishing *f, uint32_t a, uint32_t b, struct tfr_error *err)
{
	return tfr_fail_hint(err, TFR_EDATA,
		"Remove the notes and shards of the run that you do not want.",
		"'%s@%u%s' has notes of %u and of %u parts", f->name.base, f->name.count,
		f->name.extension, a, b);
}

static enum tfr_status read_note(struct finishing *f, uint32_t part, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_set_name_note(&f->name, part, f->parts);
	TFR_AUTO_MANIFEST m = NULL;
	struct tfr_error why = { 0 };
	enum tfr_status status;

	TFR_NEED_MEMORY(path, err, "finishing a set");
	status = tfr_manifest_read(path, f->name.count, &m, &why);
	/* Another process that finishes the set has removed it. */
	if (status == TFR_ESYS && why.sys_errno == ENOENT)
		return TFR_OK;
	if (!status && (!m->note || m->note->part != part || m->note->parts != f->parts))
		status = tfr_fail(&why, TFR_EDATA, "it is the note of another part");
	if (status == TFR_EDATA) {
		tfr_fail_path(err, TFR_EDATA, path, "the note of part %u is damaged: %s:", part,
			why.message);
		tfr_error_hint(err, "Remove it, and run the part again with -f.");
		return TFR_EDATA;
	}
	if (status)
		return tfr_error_pass(&why, err);
	f->notes[part] = TFR_STEAL(m);
	return TFR_OK;
}

/* The names in the folder of the set; notes begin with *prefix.  The caller frees both. */
static enum tfr_status list_beside(const struct tfr_set_name *name, struct tfr_names *names,
	char **prefix, struct tfr_error *err)
{
	TFR_AUTO_FREE char *folder = tfr_folder_of(name->base);

	*prefix = tfr_set_name_beside(name, "part-");
	return *prefix && folder ? tfr_list_folder(folder, names, err)
				 : tfr_fail_nomem(err, "finishing a set");
}

enum tfr_status tfr_set_has_notes(const struct tfr_set_name *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *prefix = NULL;
	TFR_AUTO_NAMES names = { 0 };
	uint32_t part;

	TFR_TRY(list_beside(name, &names, &prefix, err));
	for (size_t i = 0; i < names.n; i++)
		if (parts_of_name(names.list[i], tfr_base_name(prefix), &part))
			return TFR_OK;
	return TFR_END;
}

static enum tfr_status find_notes(struct finishing *f, struct tfr_error *err)
{
	TFR_AUTO_FREE char *prefix = NULL;
	TFR_AUTO_NAMES names = { 0 };
	uint32_t part, parts;

	TFR_TRY(list_beside(&f->name, &names, &prefix, err));
	for (size_t i = 0; i < names.n; i++) {
		parts = parts_of_name(names.list[i], tfr_base_name(prefix), &part);
		if (parts && f->parts && parts != f->parts)
			return refuse_mixture(f, f->parts, parts, err);
		f->parts = parts ? parts : f->parts;
	}
	if (!f->parts)
		return TFR_OK;
	f->notes = calloc(f->parts, sizeof(*f->notes));
	TFR_NEED_MEMORY(f->notes, err, "finishing a set");
	for (size_t i = 0; i < names.n; i++)
		if (parts_of_name(names.list[i], tfr_base_name(prefix), &part))
			TFR_TRY(read_note(f, part, err));
	return TFR_OK;
}

/* TFR_EDATA: there is neither a note nor a manifest. */
static enum tfr_status open_all(struct finishing *f, struct tfr_error *err)
{
	enum tfr_status status;
	TFR_AUTO_FREE char *path = tfr_set_name_manifest(&f->name);

	TFR_TRY(find_notes(f, err));
	TFR_NEED_MEMORY(path, err, "finishing a set");
	/* Looked for after the notes: a process writes the manifest before it removes them. */
	status = tfr_manifest_look(path, f->name.count, &f->done, err);
	if (status == TFR_EDATA && f->parts) /* it is replaced */
		return TFR_OK;
	if (status != TFR_END)
		return status;
	if (f->parts)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EDATA,
		"Write the parts with 'tfr shard --part I/N'; see tfr-cluster(7).",
		"no part of '%s@%u%s' has finished", f->name.base, f->name.count,
		f->name.extension);
}

/* --- what parts have in common --- */

static const struct tfr_manifest *first_note(const struct finishing *f)
{
	for (uint32_t k = 0; k < f->parts; k++)
		if (f->notes[k])
			return f->notes[k];
	return f->done;
}

static struct tfr_set_info terms_of(const struct tfr_manifest *m)
{
	return (struct tfr_set_info){ .command = m->command,
		.seed = m->seed,
		.options = m->options,
		.inputs = m->inputs,
		.classes = m->counts,
		.class_count = m->n_counts };
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_classes(const struct tfr_manifest *a, const struct tfr_manifest *b)
{
	if (a->n_counts != b->n_counts || !same_text(a->note->labels, b->note->labels))
		return false;
	for (size_t i = 0; i < a->n_counts; i++)
		if (a->counts[i].label != b->counts[i].label ||
			!same_text(a->counts[i].text, b->counts[i].text))
			return false;
	return true;
}

/* Compares the part with the first that has a note. */
static void compare_part(struct finishing *f, uint32_t part)
{
	const struct tfr_manifest *first = first_note(f), *m = f->notes[part];
	struct tfr_set_info terms = terms_of(m);
	struct tfr_error why, err;
	char which[32];

	snprintf(which, sizeof(which), "part %u", first->note->part);
	if (tfr_terms_compare(first, &terms, which, &why))
		tfr_fail(&err, TFR_EDATA, "part %u is from another run: %s", part, why.message);
	else if (!same_classes(first, m))
		tfr_fail(&err, TFR_EDATA, "part %u has other classes than %s", part, which);
	else
		return;
	report_fault(f, &err);
}

/* The entry of a shard in the note of its part; NULL: none. */
static const struct tfr_manifest_shard *entry_in(
	const struct finishing *f, const struct tfr_manifest *m, uint32_t shard, const char *file)
{
	size_t at = m->note ? shard / f->parts : shard;

	return at < m->count && !strcmp(m->shards[at].name, tfr_base_name(file)) ? &m->shards[at]
										 : NULL;
}

/* Whether the note of a part says that it is complete: a claim has no shards. */
static bool has_finished(const struct finishing *f, uint32_t part)
{
	const struct tfr_manifest *m = f->notes[part];
	uint32_t own = part < f->name.count ? (f->name.count - part - 1) / f->parts + 1 : 0;

	return m && m->count == own;
}

static bool manifest_stands_in(const struct finishing *f)
{
	const struct tfr_manifest *first = first_note(f);
	struct tfr_set_info terms = terms_of(first);

	return f->done && f->done->count == f->name.count &&
	       (first == f->done || !tfr_terms_compare(f->done, &terms, "", NULL));
}

static void check_parts(struct finishing *f)
{
	f->replaced = !f->parts;
	for (uint32_t k = 0; k < f->parts; k++) {
		struct tfr_error err;

		if (has_finished(f, k)) {
			compare_part(f, k);
		} else if (!f->notes[k] && manifest_stands_in(f)) {
			f->replaced = true;
		} else {
			tfr_fail(&err, TFR_EDATA, "part %u of %u has not finished", k, f->parts);
			report_fault(f, &err);
		}
	}
}

/* --- shards --- */

struct verified {
	struct tfr_error fault; /* TFR_OK: none */
	uint8_t *block;
};

static enum tfr_status sum_file(const struct finishing *f, const char *file, uint8_t *block,
	uint64_t *bytes, uint32_t *crc, struct tfr_error *err)
{
	TFR_AUTO_SOURCE s = NULL;
	size_t got = 1;

	*bytes = *crc = 0;
	TFR_TRY(tfr_source_open_regular(&s, file, err));
	while (got) {
		TFR_TRY(tfr_source_read(s, block, BLOCK, &got, err));
		*crc = tfr_crc32c(*crc, block, got);
		*bytes += got;
		tfr_progress_add(f->opts->progress, 0, got);
	}
	return TFR_OK;
}

static void fail_difference(const struct finishing *f, uint32_t shard, const char *file,
	const char *what, struct tfr_error *fault)
{
	if (f->parts)
		tfr_fail_path(fault, TFR_EDATA, file,
			"the %s differs from the note of part %u:", what, shard % f->parts);
	else
		tfr_fail_path(fault, TFR_EDATA, file, "the %s differs from the manifest:", what);
}

static enum tfr_status verify_shard(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t number, void *slot, struct tfr_error *err)
{
	const struct finishing *f = ctx;
	uint32_t shard = (uint32_t)number, crc = 0;
	const struct tfr_manifest_shard *s = &f->shards[shard];
	TFR_AUTO_FREE char *file = tfr_set_name_file(&f->name, shard);
	struct verified *v = slot;
	enum tfr_status status;
	uint64_t bytes = 0;
	struct stat st;

	(void)lanes, (void)worker;
	v->fault.status = TFR_OK;
	TFR_NEED_MEMORY(file, err, "verifying shards");
	status = tfr_look(file, &st, err);
	if (status == TFR_END) {
		tfr_fail_path(&v->fault, TFR_EDATA, file, "missing shard");
		return TFR_OK;
	}
	TFR_TRY(status);
	if ((uint64_t)st.st_size != s->bytes) {
		fail_difference(f, shard, file, "size", &v->fault);
		return TFR_OK;
	}
	if (f->opts->quick)
		return TFR_OK;
	if (!v->block)
		v->block = malloc(BLOCK);
	TFR_NEED_MEMORY(v->block, err, "verifying shards");
	TFR_TRY(sum_file(f, file, v->block, &bytes, &crc, err));
	if (bytes != s->bytes || crc != s->crc)
		fail_difference(f, shard, file, "checksum", &v->fault);
	return TFR_OK;
}

static enum tfr_status deliver_shard(void *ctx, uint64_t shard, void *slot, struct tfr_error *err)
{
	struct verified *v = slot;

	(void)shard, (void)err;
	if (v->fault.status)
		report_fault(ctx, &v->fault);
	return TFR_OK;
}

static void clear_verified(void *slot)
{
	free(((struct verified *)slot)->block);
}

/* Takes the entries of all shards from the notes, or from the manifest in their place. */
static enum tfr_status list_shards(struct finishing *f, struct tfr_error *err)
{
	f->shards = calloc(f->name.count, sizeof(*f->shards));
	TFR_NEED_MEMORY(f->shards, err, "finishing a set");
	for (uint32_t k = 0; k < f->name.count; k++) {
		TFR_AUTO_FREE char *file = tfr_set_name_file(&f->name, k);
		const struct tfr_manifest *m = f->parts ? f->notes[k % f->parts] : NULL;
		const struct tfr_manifest_shard *entry;

		TFR_NEED_MEMORY(file, err, "finishing a set");
		entry = entry_in(f, m ? m : f->done, k, file);
		if (!entry)
			return tfr_fail_path(
				err, TFR_EDATA, file, "the note of its part does not name");
		f->shards[k] = *entry;
		if (f->opts->progress)
			f->opts->progress->total_bytes += entry->bytes;
	}
	return TFR_OK;
}

static enum tfr_status verify_shards(struct finishing *f, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(f->opts->threads),
		.count = f->name.count,
		.slot_size = sizeof(struct verified),
		.work = verify_shard,
		.deliver = deliver_shard,
		.clear_slot = clear_verified,
	};

	TFR_TRY(list_shards(f, err));
	return tfr_lanes_run(&lanes, f, err);
}

/* --- the sums of all parts --- */

static void add_tally(struct tfr_part_tally *all, const struct tfr_part_tally *t)
{
	all->read += t->read;
	all->skipped += t->skipped;
	all->left += t->left;
	all->bytes += t->bytes;
	all->expected += t->expected;
	all->lost += t->lost;
	all->most_lost = t->most_lost;
	if (!*all->first_lost)
		memcpy(all->first_lost, t->first_lost, sizeof(all->first_lost));
}

/* Adds up the classes of all parts in place, in the first note. */
static void add_up(struct finishing *f)
{
	const struct tfr_manifest *first = first_note(f);

	if (f->replaced)
		f->report->payload_bytes = f->done->payload_bytes;
	for (uint32_t k = 0; k < f->parts && !f->replaced; k++) {
		const struct tfr_manifest *m = f->notes[k];

		add_tally(&f->report->tally, &m->note->tally);
		f->report->payload_bytes += m->payload_bytes;
		for (size_t i = 0; m != first && i < m->n_counts; i++)
			if (m->counts[i].records != TFR_CLASS_UNCOUNTED)
				first->counts[i].records += m->counts[i].records;
	}
	for (uint32_t k = 0; k < f->name.count; k++) {
		f->report->records += f->shards[k].records;
		f->report->sum += f->shards[k].sum;
	}
}

static enum tfr_status judge_tally(struct finishing *f, struct tfr_error *err)
{
	const struct tfr_finish_opts *o = f->opts;
	const struct tfr_part_tally *all = &f->report->tally;

	TFR_TRY(tfr_expect_check(&o->expect, f->report->records, f->report->sum, err));
	if (o->judge && all->lost < all->expected)
		TFR_TRY(o->judge(all, err));
	if (!f->replaced)
		TFR_TRY(tfr_expect_some(&o->expect, all->read, f->report->records, err));
	return TFR_OK;
}

/* --- writing --- */

static enum tfr_status write_beside(
	struct finishing *f, const char *what, const void *text, size_t size, struct tfr_error *err)
{
	const struct tfr_output_opts opts = { .force = true, .temporaries = f->opts->temporaries };
	TFR_AUTO_FREE char *path = tfr_set_name_beside(&f->name, what);

	TFR_NEED_MEMORY(path, err, "finishing a set");
	return tfr_output_whole(path, &opts, text, size, err);
}

static enum tfr_status write_manifest(struct finishing *f, struct tfr_error *err)
{
	const struct tfr_manifest *from = f->replaced ? f->done : first_note(f);
	struct tfr_set_info info = terms_of(from);
	struct tfr_manifest m = { .shards = f->shards,
		.count = f->name.count,
		.payload_bytes = f->report->payload_bytes };
	const char *labels = from->note ? from->note->labels : NULL;
	TFR_AUTO_BUF text = { 0 };

	TFR_TRY(tfr_manifest_format(&text, &m, &info, err));
	if (labels)
		TFR_TRY(write_beside(f, "labels.txt", labels, strlen(labels), err));
	return write_beside(f, "manifest.json", text.data, text.size, err);
}

/* A note that was replaced meanwhile describes other shards than the manifest. */
static enum tfr_status remove_note(struct finishing *f, uint32_t part, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_set_name_note(&f->name, part, f->parts);
	TFR_AUTO_MANIFEST then = TFR_STEAL(f->notes[part]);
	const struct tfr_manifest *now;
	bool same = true;

	TFR_NEED_MEMORY(path, err, "finishing a set");
	TFR_TRY(read_note(f, part, err));
	now = f->notes[part];
	if (!now)
		return TFR_OK;
	for (size_t i = 0; same && i < then->count; i++)
		same = now->count == then->count && now->shards[i].mtime == then->shards[i].mtime &&
		       now->shards[i].crc == then->shards[i].crc;
	if (same)
		return tfr_file_remove(path, err);
	return tfr_fail_hint(err, TFR_EDATA, "Run 'tfr finish' again.",
		"part %u was written again in the meantime", part);
}

static enum tfr_status name_set(struct tfr_set_name *name, const char *set, struct tfr_error *err)
{
	enum tfr_status status = tfr_set_name_parse(name, set, err);

	if (status == TFR_END || (!status && !name->count && name->automatic))
		return tfr_fail(err, TFR_EUSAGE,
			"'%s' is not a set with a number of shards, such as train@16.tfrecord, or "
			"train@*.tfrecord",
			set);
	TFR_TRY(status);
	return name->count ? TFR_OK : tfr_set_name_count(name, set, err);
}

static enum tfr_status finish_parts(struct finishing *f, const char *set, struct tfr_error *err)
{
	TFR_TRY(name_set(&f->name, set, err));
	TFR_TRY(open_all(f, err));
	f->report->parts = f->parts;
	check_parts(f);
	if (!f->faults)
		TFR_TRY(verify_shards(f, err));
	if (f->faults)
		return tfr_fail_hint(err, TFR_EDATA,
			f->parts ? "Run these parts again, with the same command."
				 : "Run the parts that write these shards again, with -f.",
			"'%s@%u%s' is incomplete or damaged; nothing was written", f->name.base,
			f->name.count, f->name.extension);
	add_up(f);
	TFR_TRY(judge_tally(f, err));
	if (f->parts)
		TFR_TRY(write_manifest(f, err));
	for (uint32_t k = 0; k < f->parts; k++)
		if (f->notes[k])
			TFR_TRY(remove_note(f, k, err));
	return TFR_OK;
}

enum tfr_status tfr_set_finish(const char *set, const struct tfr_finish_opts *opts,
	struct tfr_finish_report *report, struct tfr_error *err)
{
	struct finishing f = { .opts = opts, .report = report };
	enum tfr_status status;

	*report = (struct tfr_finish_report){ 0 };
	status = finish_parts(&f, set, err);
	for (uint32_t k = 0; f.notes && k < f.parts; k++)
		tfr_manifest_free(f.notes[k]);
	tfr_manifest_free(f.done);
	free(f.notes);
	free(f.shards);
	tfr_set_name_clear(&f.name);
	return status;
}
