/* export/form.h - what records become: a form is one `const struct form` and its row in export.c.
 *
 * A record is named in order, made by many threads at once, and put in order. */
#ifndef TFR_EXPORT_FORM_H
#define TFR_EXPORT_FORM_H

#include <tfr/export.h>

#include "base/buf.h"
#include "export/unique_names.h"

struct tfr_output;

/* A record on its way; reused, so that memory is allocated only while it grows. */
struct work {
	uint64_t number;       /* in the output, from 0 */
	struct tfr_buf record; /* its payload */
	struct tfr_digest digest;
	struct tfr_example *example; /* of it, where the form parses */
	struct tfr_buf name;	     /* with its NUL */
	struct tfr_buf out;	     /* what is put, where there are no pieces */
	struct iovec *pieces;	     /* in the record and in `out` */
	int n_pieces;
	struct tfr_printer *printer, *raw_printer;
	struct tfr_builder *builder;
	struct tfr_buf fields; /* of the form's own */
};

struct export
{
	const struct form *form;
	const struct tfr_export_opts *o;
	struct names names;
	struct tfr_output *file; /* of a form that is one */
	uint64_t written;	 /* bytes, to it */
	void *own;
};

struct form {
	const char *name, *ending;
	bool parses; /* each record is an Example: parsed before name() */
	enum tfr_status (*open)(struct export *e, struct tfr_error *err);
	/* One at a time, in order.  TFR_EDATA: the record cannot be of this form.  May be NULL. */
	enum tfr_status (*name_it)(struct export *e, struct work *w, struct tfr_error *err);
	/* Many at a time: fills w->out, or w->pieces, or does it all. */
	enum tfr_status (*make)(struct export *e, struct work *w, struct tfr_error *err);
	/* After the last.  May be NULL, as may close(). */
	enum tfr_status (*publish)(struct export *e, struct tfr_error *err);
	void (*close)(struct export *e);
};

extern const struct form tfr_form_folder, tfr_form_webdataset, tfr_form_jsonl, tfr_form_csv;

/* A file that is whole or absent, for forms that are one. */
enum tfr_status tfr_form_open_file(struct export *e, struct tfr_error *err);
enum tfr_status tfr_form_publish_file(struct export *e, struct tfr_error *err);
void tfr_form_close_file(struct export *e);

/* Of an Example: value 0 of a feature of bytes.  False: there is none. */
bool tfr_form_bytes(const struct work *w, const char *feature, struct tfr_bytes *value);
/* "jpg", "png" by its first bytes, or NULL. */
const char *tfr_form_image_ending(const struct tfr_bytes *image);

#endif
