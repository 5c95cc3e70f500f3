/* sweep/sweep_types.c - if no record is an Example, a sweep that parses them names their type.
 *
 * Each worker counts the types of its records, and the sum decides.  The counts of a sweep that
 * ends at a record it cannot parse depend on where the workers stopped.  So the first records of
 * that file are read again, and the same input gives the same message. */
#include <sys/stat.h>

#include "base/error.h"
#include "record/reader.h"
#include "sweep/parts.h"

enum { FIRST_RECORDS = 1000, FIRST_BYTES = 64 << 20 };

/* Counts the types of the first records of a file.  Any failure ends the count. */
static void count_first(const char *path, struct tfr_content_counts *counts)
{
	struct tfr_reader_opts opts = { .threads = 1 };
	struct tfr_reader *reader = NULL;
	struct tfr_record rec;
	uint64_t bytes = 0;

	if (tfr_reader_open(&reader, path, &opts, NULL))
		return;
	for (int i = 0; i < FIRST_RECORDS && bytes < FIRST_BYTES; i++) {
		if (tfr_reader_next(reader, &rec, NULL))
			break;
		counts->records[tfr_likeness_of(rec.data, rec.size)]++;
		bytes += rec.size;
	}
	tfr_reader_close(reader);
}

void tfr_sweep_explain_failure(struct tfr_error *err)
{
	struct tfr_content_counts counts = { 0 };
	struct tfr_content_result result;
	struct tfr_error why = { 0 };
	const char *path = err ? tfr_error_path(err) : "";
	struct stat st;

	if (!err || !err->has_record || tfr_stat(path, &st) || !S_ISREG(st.st_mode))
		return;
	count_first(path, &counts);
	result = tfr_content_settle(&counts);
	if (tfr_content_refuse(&result, path, &why))
		*err = why;
}

/* A bad record has a warning of its own, so it does not count for a mixture. */
enum tfr_status tfr_sweep_judge_types(
	struct run *r, struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct tfr_content_counts counts = { 0 };
	struct tfr_content_result parsed, all;
	char text[TFR_CONTENT_TEXT];
	enum tfr_status status;

	for (unsigned k = 0; k < r->threads; k++)
		tfr_content_merge(&counts, &r->workers[k].types);
	parsed = tfr_content_settle(&counts);
	report->others = parsed.all - parsed.records[TFR_CONTENT_EXAMPLE];
	for (unsigned k = 0; k < r->threads; k++)
		tfr_content_merge(&counts, &r->workers[k].failed);
	all = tfr_content_settle(&counts);
	status = tfr_content_refuse(&all, r->files == 1 ? sweep_path(r, 0) : NULL, err);
	if (!status && tfr_content_mixture(text, &parsed))
		tfr_fault_warn(&r->faults, NULL, text);
	return status;
}
