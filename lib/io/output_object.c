/* io/output_object.c - an output that is an object behind a URL. */
#include <assert.h>

#include "io/output_state.h"
#include "io/path.h"

/* An upload has the name of its object from the beginning, and belongs to the process. */
enum tfr_status tfr_output_open_object(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	const struct tfr_upload_opts how = { .force = o->force, .size = opts->expected };
	struct stat st;

	assert(!opts->resume);
	TFR_TRY(tfr_objects(&o->remote, o->path, err));
	if (o->discard)
		return !o->force && !tfr_stat(o->path, &st) ? tfr_output_exists(o, err) : TFR_OK;
	TFR_TRY(o->remote->upload(&o->upload, o->path, &how, err));
	o->state = TFR_OUTPUT_OBJECT;
	return TFR_OK;
}

enum tfr_status tfr_output_write_object(
	struct tfr_output *o, const struct iovec *pieces, int n, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (int i = 0; !status && i < n; i++) {
		status = o->remote->write(o->upload, pieces[i].iov_base, pieces[i].iov_len, err);
		o->size += status ? 0 : pieces[i].iov_len;
	}
	return status;
}

enum tfr_status tfr_output_seal_object(struct tfr_output *o, struct tfr_error *err)
{
	enum tfr_status status = o->remote->seal(o->upload, err);

	o->held = *o->remote->uploaded(o->upload);
	o->sealed = !status;
	return status;
}

enum tfr_status tfr_output_complete_object(struct tfr_output *o, struct tfr_error *err)
{
	TFR_TRY(o->remote->complete(o->upload, err));
	o->before = o->state;
	o->state = TFR_OUTPUT_PUBLISHED;
	return TFR_OK;
}
