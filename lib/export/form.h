/* export/form.h - the forms of output: each is one `const struct form` and its row in export.c.
 *
 * Records are named in order, converted by many threads at once, and written in order. */
#ifndef TFR_EXPORT_FORM_H
#define TFR_EXPORT_FORM_H

#include <tfr-private/export.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash_index.h"

struct tfr_output;

/* One record in progress.  It is reused, so that memory is allocated only while it grows. */
struct export_item {
	uint64_t number;       /* in the output, from 0 */
	struct tfr_buf record; /* its payload, or those of a group one after another */
	struct tfr_bytes payload;    /* of the record being made */
	struct tfr_digest digest;    /* of all of them */
	struct tfr_example *example; /* of the record being made, where the form parses */
	struct tfr_buf group;	     /* struct grouped_record of the group */
	struct tfr_example **examples;
	size_t n_examples;
	bool made;		     /* as soon as it was read, by collected() */
	struct tfr_buf name;	     /* with its NUL */
	struct tfr_buf out;	     /* the bytes to write, if there are no pieces */
	struct iovec *pieces;	     /* in the record and in `out` */
	int n_pieces;
	struct tfr_printer *printer;
	struct tfr_builder *builder;
	struct tfr_buf fields; /* for the form's own use */
	uint64_t own_bytes;    /* that make() itself has written to a file of its own */
};

/* A record of a group: where it is in the copy, and where it was read. */
struct grouped_record {
	size_t at, size;
	const char *path;
	uint64_t index, offset;
};

struct given_name {
	size_t text;   /* offset in names->text */
	uint32_t last; /* the last number given to a name that was in use */
	bool folder;
};

/* All names given so far, of files and folders.  The number that a name gets depends only on the
 * names before it. */
struct unique_names {
	struct tfr_buf text; /* the names, each with its NUL */
	struct given_name *list;
	size_t n, cap;
	struct tfr_hash_index index;
};

struct export
{
	const struct form *form;
	const struct tfr_export_opts *o;
	struct unique_names names;
	struct tfr_output *file; /* of a form that is one file */
	uint64_t written;	 /* bytes of the output */
	struct tfr_printer *printer; /* of the first records, by which the type of others is known */
	void *own;
};

struct form {
	const char *name, *ending;
	bool groups; /* records are small and need no names: many are made at a time, by make() each */
	bool parses; /* each record is an Example: parsed before name() */
	enum tfr_status (*open)(struct export *e, struct tfr_error *err);
	/* Names the record; one at a time, in order.  TFR_EDATA: the form cannot hold the record.
	 * May be NULL. */
	enum tfr_status (*name_it)(struct export *e, struct export_item *w, struct tfr_error *err);
	/* For a group, after all its records are copied; one at a time, in order.  May be NULL. */
	enum tfr_status (*collected)(
		struct export *e, struct export_item *w, struct tfr_error *err);
	/* Many at a time: fills w->out or w->pieces, or writes a file of its own.  It is called for
	 * each record of a group, and appends to w->out. */
	enum tfr_status (*make)(struct export *e, struct export_item *w, struct tfr_error *err);
	/* After the last record.  publish() and close() may be NULL. */
	enum tfr_status (*publish)(struct export *e, struct tfr_error *err);
	void (*close)(struct export *e);
};

extern const struct form tfr_form_folder, tfr_form_webdataset, tfr_form_jsonl, tfr_form_csv;

/* The output file of a form that is one file. */
enum tfr_status tfr_form_open_file(struct export *e, struct tfr_error *err);
enum tfr_status tfr_form_publish_file(struct export *e, struct tfr_error *err);
void tfr_form_close_file(struct export *e);

/* --- names: unique_names.c --- */

/* Appends `size` bytes as a path below a folder, without a NUL.  Names that are empty or "." are
 * dropped, ".." becomes "_", and so do control characters.  A name has at most 200 bytes (its
 * ending is kept), a path at most 16 names.  False: out of memory. */
bool tfr_unique_names_clean(struct tfr_buf *path, const void *bytes, size_t size);
/* The same for a single name of at most 200 bytes: slashes become "_". */
bool tfr_unique_names_clean_name(struct tfr_buf *path, const void *bytes, size_t size);

/* Adds `path`, which ends in NUL; if it is in use, it becomes "a-2.jpg", "a-3.jpg" and so on.
 * `folder` receives each new folder, an outer one before an inner one; a folder with the name of a
 * file is changed in the same way.  NULL: paths are plain names, without folders. */
enum tfr_status tfr_unique_names_take(struct unique_names *names, struct tfr_buf *path,
	enum tfr_status (*folder)(void *ctx, const char *path, struct tfr_error *err), void *ctx,
	struct tfr_error *err);
void tfr_unique_names_clear(struct unique_names *names);

/* --- records --- */

/* Calls make() for each record of a group. */
enum tfr_status tfr_export_make_group(
	struct export *e, struct export_item *w, struct tfr_error *err);

/* Value 0 of a bytes feature of the record's Example.  False: there is none. */
bool tfr_form_bytes(const struct export_item *w, const char *feature, struct tfr_bytes *value);
/* "jpg" or "png" by the first bytes, or NULL. */
const char *tfr_form_image_ending(const struct tfr_bytes *image);

#endif
