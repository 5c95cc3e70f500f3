/* tfr/export.h - records back to files: a folder of images, a WebDataset archive, lines of JSON,
 * a table.
 *
 * "folder": each record's image (image/encoded, value 0) is a file, its bytes as they are.  Its
 * name is image/filename made safe: no part of it is "..", none empty, control characters are "_".
 * Where the record has a class (image/class/text, else image/class/label) that the name does not
 * lie in, it is put into a folder of that name.  Without a name it is the record's number and .jpg
 * or .png.
 *
 * "webdataset": each record is a sample of an uncompressed tar archive, as webdataset's TarWriter
 * writes it (mode 0444, user and group "bigdata", fields sorted; webdataset, writer.py), the time 0
 * so that the same records give the same bytes.  The key is image/key, else image/filename up to
 * the first dot of its last part, else the record's number.  Fields: the image as jpg, jpeg or
 * png; image/class/label as cls; each feature of one bytes value under its own name, where that can
 * be a field's; what is left, but for what the image itself tells, as features.json.
 *
 * "jsonl": a line a record, as tfr_printer_json() has it, bytes that are not text in base64.
 *
 * "csv": a line of names, then a line a record (RFC 4180, lines end in LF).  A cell is empty where
 * the feature is absent; one value is that value; any other number of values is a JSON array, and
 * so is a text that is empty or begins like JSON; bytes that are not UTF-8 are {"base64": "…"}.
 *
 * Two records of one name: the second is numbered, "1-2.jpg", in the order of the records, the same
 * for any number of threads.  Everything appears whole or not at all: a folder is written as
 * `.NAME.tmp` beside its place, forced to disk and renamed. */
#ifndef TFR_EXPORT_H
#define TFR_EXPORT_H

#include <tfr/select.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_export_opts {
	const char *target; /* "-" is standard output, for all but "folder" */
	const char *to; /* the form; NULL: .tar, .jsonl or .csv at the target's end, else folder */
	/* Of "csv": the columns, features that need not be there; needed. */
	const char *const *columns;
	size_t column_count;
	unsigned threads; /* 0: one a processor.  The output does not depend on it */
	/* A file that exists is replaced; a folder is moved aside, to NAME.old. */
	bool force;
	struct tfr_expect expect;	     /* held to the records that are exported */
	struct tfr_temporaries *temporaries; /* of files; may be NULL */
	/* Looked at before each record: once true, nothing is published, TFR_ECANCELLED.  May be
	 * NULL. */
	const volatile bool *interrupted;
	void (*warn)(void *ctx, const char *text); /* one line; may be NULL */
	void *ctx;
};

struct tfr_export_report {
	uint64_t written; /* records */
	uint64_t bytes;	  /* of their payloads */
	uint64_t sum;	  /* content sum of them */
};

/* The form that `target` and `to` name: "folder", "webdataset", "jsonl", "csv".  NULL, and
 * TFR_EUSAGE in `err`: there is none. */
TFR_API const char *tfr_export_form(const char *target, const char *to, struct tfr_error *err);

/* Writes all that is selected.  A record that cannot be of the form is a fault that `records`
 * passes over or not, as its options have it.
 *   TFR_EDATA   a record that cannot be of the form, or is damaged; no record at all
 *   TFR_EEXIST  the target is there
 *   TFR_EUSAGE  no such form; a target that cannot be one
 *   TFR_ECANCELLED  *interrupted */
TFR_API enum tfr_status tfr_export(struct tfr_select *records, const struct tfr_export_opts *opts,
	struct tfr_export_report *report, struct tfr_error *err);

/* The names of all features of all that is selected, sorted, each NUL-terminated, freed with
 * tfr_export_columns_free(): the columns of a table.  Names with a NUL in them are left out. */
TFR_API enum tfr_status tfr_export_columns(
	struct tfr_select *records, char ***columns, size_t *count, struct tfr_error *err);
TFR_API void tfr_export_columns_free(char **columns, size_t count);

#ifdef __cplusplus
}
#endif

#endif
