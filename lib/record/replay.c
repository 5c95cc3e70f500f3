/* record/replay.c - steps of fixed size for input and output, independent of the caller's buffer.
 */
#include "record/replay.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 64 << 10 };

struct tfr_replay {
	struct tfr_source *source;
	struct tfr_inflate *z;
	uint64_t skip;
	size_t in_at, in_size, out_at, out_size;
	uint8_t in[STEP], out[STEP];
};

enum tfr_status tfr_replay_open(struct tfr_replay **out, struct tfr_source *source,
	struct tfr_inflate *z, uint64_t skip, struct tfr_error *err)
{
	struct tfr_replay *r = calloc(1, sizeof(*r));

	if (!r) {
		tfr_inflate_free(z);
		return tfr_fail_nomem(err, "reading a file");
	}
	r->source = source;
	r->z = z;
	r->skip = skip;
	*out = r;
	return TFR_OK;
}

void tfr_replay_close(struct tfr_replay *r)
{
	if (!r)
		return;
	tfr_inflate_free(r->z);
	free(r);
}

/* Inflates the next step.  *ended: there is none. */
static enum tfr_status inflate_step(struct tfr_replay *r, bool *ended, struct tfr_error *err)
{
	struct tfr_codec_io io = { r->in + r->in_at, r->in_size - r->in_at, r->out, STEP };
	enum tfr_status status = tfr_inflate_run(r->z, &io, err);

	r->in_at = r->in_size - io.in_size;
	r->out_at = 0;
	r->out_size = STEP - io.out_size;
	if (r->out_size || status) /* a failure is reported again when all output is returned */
		return r->out_size ? TFR_OK : status;
	status = tfr_source_read(r->source, r->in, STEP, &r->in_size, err);
	r->in_at = 0;
	*ended = !status && !r->in_size;
	return status;
}

enum tfr_status tfr_replay_read(
	struct tfr_replay *r, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	bool ended = false;
	size_t have, pass;

	*got = 0;
	while (!status && !ended) {
		have = r->out_size - r->out_at;
		pass = r->skip < have ? (size_t)r->skip : have;
		r->skip -= pass;
		r->out_at += pass;
		have -= pass;
		if (have) {
			*got = have < size ? have : size;
			memcpy(buf, r->out + r->out_at, *got);
			r->out_at += *got;
			return TFR_OK;
		}
		status = inflate_step(r, &ended, err);
	}
	if (status || tfr_inflate_at_end(r->z))
		return status;
	return tfr_inflate_cut(r->z, err);
}

const struct tfr_inflate *tfr_replay_inflate(const struct tfr_replay *r)
{
	return r->z;
}
