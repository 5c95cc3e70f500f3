/* inspect/check/check.c - verifies every checksum of every file and, on request, the contents of
 * the records.
 *
 * A plain file whose contents are not checked is first verified in pieces
 * (record/parallel_check.c). One sweep over the files (sweep/file_sweep.h) reads what is left.
 * Threads keep the faults of a file, in a small form, until it is that file's turn in the report.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/check.h>
#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "inspect/check/check.h"
#include "inspect/schema/schema_rules.h"
#include "io/source.h"
#include "record/count.h"
#include "record/framing.h"
#include "shard/dataset_info.h"
#include "shard/manifests.h"
#include "sweep/file_sweep.h"
#include "thread/threads.h"

/* --- the manifest --- */

/* Compares a file with its manifest entry: records, bytes, content sum, and the CRC-32C of the raw
 * file.  The modification time is not compared: a copy has another one, and the CRC is stronger
 * evidence. */

enum { BLOCK = 512 << 10 };

/* The size of a file and, unless `quick`, its CRC. */
static enum tfr_status measure_file(
	const char *path, bool quick, uint32_t *crc, uint64_t *bytes, struct tfr_error *err)
{
	TFR_AUTO_SOURCE source = NULL;
	TFR_AUTO_FREE uint8_t *block = NULL;
	size_t got;

	TFR_TRY(tfr_source_open(&source, path, err));
	*crc = 0;
	*bytes = quick ? tfr_source_left(source) : 0;
	if (quick)
		return TFR_OK;
	block = malloc(BLOCK);
	TFR_NEED_MEMORY(block, err, "checking");
	do {
		TFR_TRY(tfr_source_read_some(source, block, BLOCK, &got, err));
		*crc = tfr_crc32c(*crc, block, got);
		*bytes += got;
	} while (got);
	return TFR_OK;
}

/* TFR_EDATA lists all differences in one message.  A failure to read the file has another status.
 */
static enum tfr_status compare_with_manifest(const struct tfr_manifest_shard *shard,
	const struct tfr_check_file *found, bool quick, struct tfr_error *err)
{
	char counted[TFR_COUNTED_TEXT];
	TFR_AUTO_BUF text = { 0 };
	uint64_t bytes;
	uint32_t crc;
	bool good = true;

	TFR_TRY(measure_file(found->path, quick, &crc, &bytes, err));
	if (found->records != shard->records)
		good &= tfr_buf_printf(&text, ", %s where it has %llu",
			tfr_format_counted(found->records, "record", counted),
			(unsigned long long)shard->records);
	if (bytes != shard->bytes)
		good &= tfr_buf_printf(&text, ", %s where it has %llu",
			tfr_format_counted(bytes, "byte", counted),
			(unsigned long long)shard->bytes);
	if (!quick && found->sum != shard->sum)
		good &= tfr_buf_printf(&text, ", content sum %016llx where it has %016llx",
			(unsigned long long)found->sum, (unsigned long long)shard->sum);
	if (!quick && crc != shard->crc)
		good &= tfr_buf_printf(&text, ", CRC-32C %08x where it has %08x", crc, shard->crc);
	TFR_NEED_MEMORY(good, err, "checking");
	if (!text.size)
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "not what the manifest says: %.*s", (int)text.size - 2,
		(const char *)text.data + 2);
}

/* --- the check --- */

enum { MOST_KINDS = 1000 };

/* A stored fault.  The beginning of its error follows, `size` bytes without the path, which
 * report_faults() sets. */
struct kept_fault {
	struct tfr_check_kind kind; /* hash 0: reported alone */
	size_t size;
};

struct check_result {
	struct tfr_check_file file;
	struct tfr_buf faults;
	struct tfr_types types;
	struct tfr_buf kinds; /* struct kept_kind: the kinds of these faults */
	struct tfr_error fault; /* that keep_fault() and keep_kind() store */
};

struct check_worker {
	struct tfr_contents *contents; /* NULL: contents are not checked */
	void *memory;		       /* reused from file to file */
};

struct check_run {
	struct tfr_fault_policy faults;
	const struct tfr_set *set;
	const struct tfr_check_opts *opts;
	struct check_worker *workers;
	struct tfr_schema *schema;	 /* NULL: none */
	struct tfr_manifests *manifests; /* NULL: not requested */
	struct tfr_dataset_info info;
};

/* The offset in `faults` of the first fault of a kind. */
struct kept_kind {
	uint64_t hash;
	size_t at;
};

static enum tfr_status append_fault(
	struct check_result *slot, struct tfr_check_kind kind, struct tfr_error *err)
{
	const char *last = tfr_error_hint_text(&slot->fault), *end;
	struct kept_fault k = { .kind = kind };

	last = *last ? last : slot->fault.message;
	end = last + strlen(last) + 1;
	k.size = (size_t)(end - (const char *)&slot->fault);
	TFR_NEED_MEMORY(tfr_buf_append(&slot->faults, &k, sizeof(k)) &&
				tfr_buf_append(&slot->faults, &slot->fault, k.size),
		err, "checking");
	return TFR_OK;
}

static enum tfr_status keep_fault(struct check_result *slot, struct tfr_error *err)
{
	slot->file.faults++;
	return append_fault(slot, (struct tfr_check_kind){ 0, 1 }, err);
}

/* Keeps a fault in the contents of a record.  Faults of one kind are counted, and only the first is
 * kept. */
static enum tfr_status keep_kind(struct check_result *slot, uint64_t kind, struct tfr_error *err)
{
	const struct kept_kind *known = (struct kept_kind *)slot->kinds.data;
	size_t n = slot->kinds.size / sizeof(*known);
	struct kept_kind new = { kind, slot->faults.size };
	struct kept_fault k;

	if (!kind)
		return keep_fault(slot, err);
	slot->file.faults++;
	if (n >= MOST_KINDS)
		new.hash = 1;
	for (size_t i = 0; i < n; i++) {
		if (known[i].hash != kind && known[i].hash != new.hash)
			continue;
		memcpy(&k, slot->faults.data + known[i].at, sizeof(k));
		k.kind.records++;
		memcpy(slot->faults.data + known[i].at, &k, sizeof(k));
		return TFR_OK;
	}
	if (n == MOST_KINDS) {
		bool has_record = slot->fault.has_record;

		tfr_fail_record(&slot->fault, slot->fault.status, slot->file.path,
			slot->fault.record, slot->fault.offset,
			"more than %d kinds of faults, of which the others are not reported",
			MOST_KINDS);
		slot->fault.has_record = has_record;
	}
	TFR_NEED_MEMORY(tfr_buf_append(&slot->kinds, &new, sizeof(new)), err, "checking");
	return append_fault(slot, (struct tfr_check_kind){ new.hash, 1 }, err);
}

static void report_faults(const struct check_run *run, struct check_result *slot)
{
	for (size_t at = 0; at < slot->faults.size;) {
		struct kept_fault k;

		memcpy(&k, slot->faults.data + at, sizeof(k));
		memcpy(&slot->fault, slot->faults.data + at + sizeof(k), k.size);
		at += sizeof(k) + k.size;
		tfr_error_set_path(&slot->fault, slot->file.path);
		run->opts->fault(run->opts->ctx, slot->file.path, &slot->fault,
			k.kind.hash ? &k.kind : NULL);
	}
}

/* Handles a damaged length or a truncated file: searches for the next readable records, and reports
 * how many bytes were skipped. */
static void pass_over(struct tfr_reader *r, struct check_result *slot, bool *found)
{
	char counted[TFR_COUNTED_TEXT];
	uint64_t lost = 0;
	struct tfr_error ignored;
	enum tfr_status status = tfr_reader_resync(r, &lost, &ignored);

	*found = status == TFR_OK;
	slot->file.lost_bytes += lost;
	if (*found)
		tfr_error_append(&slot->fault, "; %s passed over",
			tfr_format_counted(lost, "byte", counted));
	else if (status == TFR_END && tfr_reader_fault(r) != TFR_FAULT_CUT)
		tfr_error_append(&slot->fault, "; no record found in the %s to the end",
			tfr_format_counted(lost, "byte", counted));
}

/* Keeps a failure of the reader.  TFR_END: no record follows. */
static enum tfr_status keep_reader_fault(
	struct tfr_reader *r, struct check_result *slot, bool strict, struct tfr_error *err)
{
	enum tfr_fault fault = tfr_reader_fault(r);
	bool whole = r->end - r->begin >= TFR_RECORD_HEADER, more = false;
	uint8_t header[TFR_RECORD_HEADER];

	if (whole) /* a resync moves the block */
		memcpy(header, r->block + r->begin, sizeof(header));
	if (slot->fault.status == TFR_EDATA &&
		(fault == TFR_FAULT_LENGTH || fault == TFR_FAULT_CUT))
		pass_over(r, slot, &more);
	if (strict && fault == TFR_FAULT_STREAM)
		tfr_strict_stream(r, slot->file.path, &slot->fault);
	else if (strict && slot->fault.status == TFR_EDATA)
		tfr_strict_record(fault, whole ? header : NULL, &slot->fault);
	TFR_TRY(keep_fault(slot, err));
	return more ? TFR_OK : TFR_END;
}

/* All faults are kept. */
static enum tfr_status meet_fault(
	struct tfr_fault_policy *p, const struct tfr_fault_met *fault, struct tfr_error *err)
{
	const struct check_run *run = p->ctx;
	struct check_result *slot = fault->result;

	slot->fault = *fault->why;
	if (fault->reader)
		return keep_reader_fault(fault->reader, slot, run->opts->strict, err);
	if (fault->bad && run->opts->strict)
		tfr_strict_record(TFR_FAULT_PAYLOAD, NULL, &slot->fault);
	TFR_TRY(keep_fault(slot, err));
	return fault->bad ? TFR_OK : TFR_END;
}

/* The place of a record that has a finding. */
struct place {
	const struct tfr_contents *contents;
	struct check_result *slot;
	const struct tfr_record *rec;
};

static enum tfr_status keep_difference(void *ctx, struct tfr_error *err)
{
	struct place *at = ctx;

	tfr_error_locate(&at->slot->fault, at->slot->file.path, at->rec->index, at->rec->offset);
	return keep_kind(at->slot, tfr_contents_kind(at->contents), err);
}

/* Adds a record whose CRCs verify. */
static enum tfr_status take_record(const struct check_run *run, struct tfr_contents *contents,
	struct check_result *slot, const struct tfr_record *rec, struct tfr_error *err)
{
	struct tfr_digest d;
	bool strange;

	if (run->manifests || run->opts->sum) {
		tfr_digest_record(rec, &d);
		slot->file.sum += d.sum;
	}
	slot->file.records++;
	slot->file.payload_bytes += rec->size;
	if (!contents)
		return TFR_OK;
	if (!tfr_contents_check(contents, rec->data, rec->size, &slot->file.images,
		    &slot->types.counts, &strange, &slot->fault))
		return tfr_contents_differences(contents, rec->data, rec->size, &slot->fault,
			keep_difference, &(struct place){ contents, slot, rec }, err);
	tfr_error_locate(&slot->fault, slot->file.path, rec->index, rec->offset);
	if (!strange)
		return keep_kind(slot, tfr_contents_kind(contents), err);
	tfr_types_note(&slot->types, tfr_contents_kind(contents), &slot->fault);
	return TFR_OK;
}

/* Whether the records of a file are verified and counted, and nothing else. */
static bool only_verifies(const struct check_run *run, const struct tfr_contents *contents)
{
	return !contents && !run->manifests && !run->opts->sum;
}

/* Counts the intact records at the start of a file whose contents are not checked.  False: the file
 * has more bytes, or a record that is not intact. */
static bool verify_in_parallel(
	const struct check_run *run, struct check_result *slot, unsigned threads, unsigned worker)
{
	struct tfr_parallel_check_opts how = { .threads = threads,
		.memory = &run->workers[worker].memory,
		.progress = run->opts->progress };
	struct tfr_intact intact;
	bool whole;

	if (!only_verifies(run, run->workers[worker].contents))
		return false;
	whole = tfr_parallel_check(slot->file.path, &how, &intact);
	slot->file.records = intact.records;
	slot->file.payload_bytes = intact.end - intact.records * TFR_RECORD_OVERHEAD;
	return whole;
}

static enum tfr_status check_by_hopping(const struct check_run *run, unsigned threads,
	struct check_result *slot, struct tfr_error *err)
{
	struct tfr_reader_opts reader_opts = { .threads = threads };
	struct stat st;

	if (tfr_count_records(slot->file.path, &reader_opts, &slot->file.records, &slot->fault))
		return keep_fault(slot, err);
	if (run->opts->progress && tfr_stat(slot->file.path, &st) == 0)
		tfr_progress_add(run->opts->progress, slot->file.records, (uint64_t)st.st_size);
	return TFR_OK;
}

/* Reports the records that are not Examples, after the last record of a file. */
static enum tfr_status judge_types(struct check_result *slot, struct tfr_error *err)
{
	struct tfr_stranger s;

	for (size_t i = 0; tfr_types_fault(&slot->types, slot->file.path, i, &s, &slot->fault);
		i++) {
		slot->file.faults += slot->fault.has_record ? s.records : 1;
		TFR_TRY(append_fault(slot, (struct tfr_check_kind){ s.kind, s.records }, err));
	}
	return TFR_OK;
}

/* Compares the file with its manifest.  Faults of the manifest are reported with the first file of
 * a set. */
static enum tfr_status check_manifest(
	const struct check_run *run, struct check_result *slot, uint64_t i, struct tfr_error *err)
{
	const struct tfr_manifest_shard *shard;
	const struct tfr_error *why;
	bool first;

	shard = tfr_manifests_at(run->manifests, (size_t)i, &why, &first);
	if (why && first) {
		slot->fault = *why;
		TFR_TRY(keep_fault(slot, err));
	}
	if (shard && compare_with_manifest(shard, &slot->file, run->opts->quick, &slot->fault))
		return keep_fault(slot, err);
	return TFR_OK;
}

/* Compares the file with TFDS's dataset_info.json.  Damage has been reported with what it cost. */
static enum tfr_status compare_with_dataset_info(
	struct check_run *run, struct check_result *slot, struct tfr_error *err)
{
	char counted[TFR_COUNTED_TEXT];
	uint64_t records;
	enum tfr_status status =
		tfr_dataset_info_records(&run->info, slot->file.path, &records, &slot->fault);

	if (status == TFR_END || (!status && (slot->file.faults || records == slot->file.records)))
		return TFR_OK;
	if (!status)
		tfr_fail(&slot->fault, TFR_EDATA, "%s where dataset_info.json has %llu",
			tfr_format_counted(slot->file.records, "record", counted),
			(unsigned long long)records);
	return keep_fault(slot, err);
}

/* --- the sweep --- */

static const char *path_of(void *ctx, uint64_t file)
{
	const struct check_run *run = ctx;

	return tfr_set_path(run->set, (size_t)file);
}

static void start_check(void *ctx, uint64_t file, void *result)
{
	struct check_result *slot = result;

	slot->file = (struct tfr_check_file){ .path = path_of(ctx, file) };
	slot->faults.size = slot->kinds.size = 0;
	slot->types = (struct tfr_types){ 0 };
}

static enum tfr_status prepare_file(void *ctx, unsigned worker, unsigned threads, uint64_t file,
	void *result, struct tfr_file_start *from, struct tfr_error *err)
{
	const struct check_run *run = ctx;
	struct check_result *slot = result;

	(void)file;
	if (run->opts->quick) {
		TFR_TRY(check_by_hopping(run, threads, slot, err));
		return TFR_END;
	}
	if (verify_in_parallel(run, slot, threads, worker))
		return TFR_END;
	from->records = slot->file.records;
	from->offset = slot->file.payload_bytes + from->records * TFR_RECORD_OVERHEAD;
	return TFR_OK;
}

/* One call verifies the intact records up to the next bad one. */
static void verify_run(struct check_result *slot, struct tfr_record_run *records)
{
	size_t from = records->at;
	uint64_t passed = tfr_record_run_verify(records);

	slot->file.records += passed;
	slot->file.payload_bytes += records->at - from - passed * TFR_RECORD_OVERHEAD;
}

static enum tfr_status check_run_of_records(struct check_run *run, struct tfr_contents *contents,
	struct check_result *slot, struct tfr_record_run *records, struct tfr_error *err)
{
	const struct tfr_record_run_origin of = { &run->faults, slot->file.path, slot };
	enum tfr_status status;
	struct tfr_record rec;

	for (;;) {
		if (only_verifies(run, contents))
			verify_run(slot, records);
		status = tfr_record_run_next_intact(&of, records, &rec, err);
		if (status)
			return status == TFR_END ? TFR_OK : status;
		TFR_TRY(take_record(run, contents, slot, &rec, err));
	}
}

/* Progress is added run by run: all threads add to it. */
static enum tfr_status check_records(void *ctx, unsigned worker, void *result,
	struct tfr_record_run *records, struct tfr_error *err)
{
	struct check_run *run = ctx;
	struct check_result *slot = result;
	uint64_t before = slot->file.records, bytes = slot->file.payload_bytes;
	enum tfr_status status =
		check_run_of_records(run, run->workers[worker].contents, slot, records, err);
	uint64_t passed = slot->file.records - before;

	tfr_progress_add(run->opts->progress, passed,
		slot->file.payload_bytes - bytes + passed * TFR_RECORD_OVERHEAD);
	return status;
}

static enum tfr_status merge_piece(void *ctx, void *file, void *piece, struct tfr_error *err)
{
	struct check_result *all = file, *slot = piece;

	(void)err;
	report_faults(ctx, slot);
	tfr_types_merge(&all->types, &slot->types);
	tfr_check_file_add(&all->file, &slot->file);
	return TFR_OK;
}

static enum tfr_status end_file(
	void *ctx, unsigned worker, struct tfr_reading *in, void *result, struct tfr_error *err)
{
	const struct check_run *run = ctx;
	struct check_result *slot = result;

	(void)worker;
	for (unsigned i = 0; in->reader && run->opts->strict && i < TFR_STRICT_FILE; i++)
		if (tfr_strict_file(in->reader, &slot->file, i, &slot->fault))
			TFR_TRY(keep_fault(slot, err));
	TFR_TRY(judge_types(slot, err));
	return run->manifests ? check_manifest(run, slot, in->file, err) : TFR_OK;
}

static enum tfr_status deliver_file(void *ctx, uint64_t file, void *result, struct tfr_error *err)
{
	struct check_run *run = ctx;
	struct check_result *slot = result;

	(void)file;
	TFR_TRY(compare_with_dataset_info(run, slot, err));
	report_faults(run, slot);
	if (run->opts->file)
		run->opts->file(run->opts->ctx, &slot->file);
	return TFR_OK;
}

static void clear_slot(void *slot_memory)
{
	tfr_buf_clear(&((struct check_result *)slot_memory)->faults);
	tfr_buf_clear(&((struct check_result *)slot_memory)->kinds);
}

static void warn_unchecked(const struct check_run *run)
{
	const char *names = tfr_schema_unchecked(run->schema);
	char text[1500];

	snprintf(text, sizeof(text), "these fields of the schema are not checked:%.*s",
		(int)strlen(names) - 1, names);
	if (*names && run->opts->warn)
		run->opts->warn(run->opts->ctx, text);
}

static void clear_run(struct check_run *run, unsigned threads)
{
	tfr_manifests_close(run->manifests);
	tfr_dataset_info_clear(&run->info);
	for (unsigned i = 0; run->workers && i < threads; i++) {
		tfr_contents_free(run->workers[i].contents);
		free(run->workers[i].memory);
	}
	free(run->workers);
	tfr_schema_close(run->schema);
}

static enum tfr_status open_run(struct check_run *run, unsigned threads, struct tfr_error *err)
{
	const struct tfr_check_opts *o = run->opts;
	bool of_contents = o->example || o->decode || o->strict || o->schema;

	if (o->schema) {
		TFR_TRY(tfr_schema_open(&run->schema, o->schema, err));
		warn_unchecked(run);
	}
	run->workers = calloc(threads, sizeof(*run->workers));
	TFR_NEED_MEMORY(run->workers, err, "checking");
	for (unsigned i = 0; of_contents && i < threads; i++) {
		run->workers[i].contents = tfr_contents_new(o, run->schema);
		TFR_NEED_MEMORY(run->workers[i].contents, err, "checking");
	}
	return o->manifest ? tfr_manifests_open(&run->manifests, run->set, err) : TFR_OK;
}

enum tfr_status tfr_check_set(
	const struct tfr_set *set, const struct tfr_check_opts *opts, struct tfr_error *err)
{
	struct check_run run = { .set = set, .opts = opts };
	struct tfr_file_sweep sweep = {
		.files = tfr_set_count(set),
		.path = path_of,
		.faults = &run.faults,
		.threads = tfr_thread_count(opts->threads),
		.divides = !opts->quick,
		.result_size = sizeof(struct check_result),
		.start = start_check,
		.prepare = prepare_file,
		.records = check_records,
		.merge = merge_piece,
		.end = end_file,
		.deliver = deliver_file,
		.clear_result = clear_slot,
	};
	enum tfr_status status;

	run.faults = (struct tfr_fault_policy){ .meet = meet_fault, .ctx = &run };
	status = open_run(&run, sweep.threads, err);
	if (!status)
		status = tfr_file_sweep_run(&sweep, &run, err);
	clear_run(&run, sweep.threads);
	return status;
}
