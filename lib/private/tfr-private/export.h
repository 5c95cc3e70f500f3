/* tfr-private/export.h - writes records back to files: a folder of images, a WebDataset archive,
 * lines of JSON, or a table.
 *
 * "folder": each record's image (image/encoded, value 0) becomes a file with the same bytes.  Its
 * name is image/filename made safe: no part is ".." or empty, and control characters become "_". If
 * the record has a class (image/class/text, else image/class/label) and the name has no folder of
 * that class, the file goes into one.  Without a name, the record's number and .jpg or .png is the
 * name.
 *
 * "webdataset": each record is a sample of an uncompressed tar archive, as webdataset's TarWriter
 * writes it (mode 0444, user and group "bigdata", fields sorted; webdataset, writer.py).  Times are
 * 0, so that the same records give the same bytes.  The key is image/key, else image/filename up to
 * the first dot of its last part, else the record's number.  The fields are the image as jpg, jpeg
 * or png; image/class/label as cls; and each feature of one bytes value under its own name, if that
 * is a valid name of a field.  The other features, except those that can be derived from the image,
 * are in features.json.
 *
 * "jsonl": one line per record, as tfr_printer_json() writes it; bytes that are not text in base64.
 *
 * "csv": a line of names, then one line per record (RFC 4180, lines end in LF).  A cell is empty if
 * the feature is absent.  One value is written as it is; any other number of values is a JSON
 * array, and so is a text that is empty or begins like JSON.  Bytes that are not UTF-8 are
 * {"base64": "…"}.
 *
 * If several records have the same name, the second is numbered, "1-2.jpg", in the order of the
 * records, the same for any number of threads.  Outputs appear complete or not at all: a folder is
 * written as `.NAME.tmp` beside the target, forced to disk and renamed. */
#ifndef TFR_PRIVATE_EXPORT_H
#define TFR_PRIVATE_EXPORT_H

#include <tfr-private/select.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_export_opts {
	const char *target; /* "-" is standard output, for all but "folder" */
	const char *to;	    /* the form; NULL: by the ending .tar, .jsonl or .csv, else folder */
	/* For "csv", required: the columns.  A feature need not exist. */
	const char *const *columns;
	size_t column_count;
	unsigned threads; /* 0: one per processor.  The output does not depend on it */
	/* Replaces an existing file, and moves an existing folder aside, to NAME.old. */
	bool force;
	/* Does everything but write: the report is that of a run, and no file is created. */
	bool dry_run;
	struct tfr_expect expect;	     /* compared with the exported records */
	struct tfr_temporaries *temporaries; /* of files; may be NULL */
	/* Checked before each record.  Once it is true, nothing is published and the result is
	 * TFR_ECANCELLED.  May be NULL. */
	const volatile bool *interrupted;
	void (*warn)(void *ctx, const char *text); /* one line; may be NULL */
	/* Of "jsonl": how records are printed; NULL: bytes that are not text in base64.  A record
	 * that is not what print->as says is TFR_EDATA; print->describe is called by many threads. */
	const struct tfr_print_opts *print;
	/* Of "jsonl": receives the lines, in order, in place of the target.  TFR_END: it needs no
	 * more of them.  NULL: they go to the target. */
	enum tfr_status (*put)(void *ctx, const void *lines, size_t size, struct tfr_error *err);
	void *ctx;
};

struct tfr_export_report {
	uint64_t written;      /* records */
	uint64_t bytes;	       /* of their payloads */
	uint64_t sum;	       /* their content sum */
	uint64_t output_bytes; /* of the file, or of all files in the folder */
};

/* Returns the form that `to`, or else the ending of `target` selects: "folder", "webdataset",
 * "jsonl" or "csv".  NULL: there is none; `err` has TFR_EUSAGE. */
const char *tfr_export_form(const char *target, const char *to, struct tfr_error *err);

/* Writes all selected records.  A record that the form cannot hold is a fault, which the options of
 * `records` skip or not.
 *   TFR_EDATA   a record is damaged, or the form cannot hold it; or there is no record
 *   TFR_EEXIST  the target exists
 *   TFR_EUSAGE  there is no such form, or the target cannot have it
 *   TFR_ECANCELLED  *interrupted is true */
enum tfr_status tfr_export(struct tfr_select *records, const struct tfr_export_opts *opts,
	struct tfr_export_report *report, struct tfr_error *err);

/* Returns the names of all features of all selected records, for the columns of a table: sorted,
 * NUL-terminated, to be freed with tfr_export_columns_free().  Names that contain a NUL are left
 * out. */
enum tfr_status tfr_export_columns(
	struct tfr_select *records, char ***columns, size_t *count, struct tfr_error *err);
void tfr_export_columns_free(char **columns, size_t count);

#ifdef __cplusplus
}
#endif

#endif
