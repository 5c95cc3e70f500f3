/* io/remote/http/exchange.c - one request and its answer in memory, for a caller that waits. */
#include <string.h>

#include "io/remote/http/engine.h"

struct exchange {
	struct tfr_buf body;
	size_t most;
	char url[300]; /* for messages */
};

void tfr_answer_clear(struct tfr_answer *a)
{
	tfr_buf_clear(&a->body);
}

/* Another attempt sends the body from its start, and the engine drops what was already taken. */
static enum tfr_status take(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct exchange *x = ctx;

	if (size > x->most - x->body.size)
		return tfr_fail_path(
			err, TFR_ESYS, x->url, "more than %zu bytes in the answer for", x->most);
	return tfr_buf_append(&x->body, data, size) ? TFR_OK
						    : tfr_fail_nomem(err, "reading an answer");
}

enum tfr_status tfr_exchange(struct tfr_store *s, const struct tfr_call *call,
	const struct tfr_request_body *content, size_t most, struct tfr_answer *a,
	struct tfr_error *err)
{
	struct exchange x = { .most = most };
	struct tfr_request_opts opts = { .store = s,
		.call = call,
		.patient = !strcmp(call->method, "POST"),
		.ctx = &x,
		.take = take };
	struct tfr_request *t = NULL;
	enum tfr_status status;

	*a = (struct tfr_answer){ 0 };
	if (content)
		opts.content = *content;
	tfr_store_show(s, call->key, x.url, sizeof(x.url));
	TFR_TRY(tfr_request_start(&t, &opts, err));
	status = tfr_request_wait(t, a, err);
	tfr_request_end(t);
	a->body = x.body;
	return status;
}
