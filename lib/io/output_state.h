/* io/output_state.h - an output, for the files that implement it: output_temporary.c creates and
 * finds temporary files, output_object.c writes objects. */
#ifndef TFR_IO_OUTPUT_STATE_H
#define TFR_IO_OUTPUT_STATE_H

#include "io/object.h"
#include "io/output.h"

struct tfr_output {
	int fd;
	bool owned; /* we close fd */
	enum {
		TFR_OUTPUT_STREAM,
		TFR_OUTPUT_NAMELESS,  /* a file without a name */
		TFR_OUTPUT_TEMPORARY, /* a file under its temporary name */
		TFR_OUTPUT_OBJECT,    /* an upload */
		TFR_OUTPUT_PUBLISHED
	} state,
		before; /* `before` it was published */
	bool force, sealed;
	bool brief;	  /* no descriptor between writes */
	bool kept;	  /* closing leaves the temporary */
	bool discard;	  /* writes go nowhere, and no file is opened */
	uint64_t size;	  /* of a file, as far as it is written */
	uint64_t token;	  /* of the temporary name */
	struct stat held; /* the identity of the file; complete when it is sealed */
	char *path;
	char *called; /* the name that the temporary name is made of */
	char *temp;   /* NULL: it has no temporary name */
	struct tfr_temporaries *temporaries;
	void *noted; /* in them */
	struct tfr_upload *upload;
	const struct tfr_object_module *remote;
};

enum tfr_status tfr_output_exists(
	const struct tfr_output *o, struct tfr_error *err); /* TFR_EEXIST */
/* The name for messages; it belongs to the output. */
const char *tfr_output_called(const struct tfr_output *o);
void tfr_output_give_back(struct tfr_output *o); /* closes the descriptor */

/* Gives a file its temporary name, which is registered for the signal handler. */
enum tfr_status tfr_output_take_temporary(struct tfr_output *o, struct tfr_error *err);
/* Continues the temporary file of another run. */
enum tfr_status tfr_output_open_again(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err);

/* For an object, what tfr_output_open(), _writev(), _seal() and _place() do. */
enum tfr_status tfr_output_open_object(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err);
enum tfr_status tfr_output_write_object(
	struct tfr_output *o, const struct iovec *pieces, int n, struct tfr_error *err);
enum tfr_status tfr_output_seal_object(struct tfr_output *o, struct tfr_error *err);
enum tfr_status tfr_output_complete_object(struct tfr_output *o, struct tfr_error *err);

#endif
