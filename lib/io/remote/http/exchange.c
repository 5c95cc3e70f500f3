/* io/remote/http/exchange.c - one request and its answer in memory, for a caller that waits. */
#include <pthread.h>
#include <string.h>

#include "io/remote/http/engine.h"

struct exchange {
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool ended;
	enum tfr_status status;
	struct tfr_answer *answer;
	struct tfr_buf body;
	size_t most;
	struct tfr_error err;
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

static void done(
	void *ctx, enum tfr_status status, const struct tfr_answer *a, const struct tfr_error *err)
{
	struct exchange *x = ctx;

	pthread_mutex_lock(&x->lock);
	*x->answer = *a;
	x->status = status;
	if (status && status != TFR_END)
		x->err = *err;
	x->ended = true;
	pthread_cond_signal(&x->over);
	pthread_mutex_unlock(&x->lock);
}

enum tfr_status tfr_exchange(struct tfr_store *s, const struct tfr_call *call,
	const struct tfr_request_body *content, size_t most, struct tfr_answer *a,
	struct tfr_error *err)
{
	struct exchange x = { .lock = PTHREAD_MUTEX_INITIALIZER,
		.over = PTHREAD_COND_INITIALIZER,
		.answer = a,
		.most = most };
	struct tfr_request_opts opts = { .store = s,
		.call = call,
		.patient = !strcmp(call->method, "POST"),
		.ctx = &x,
		.take = take,
		.done = done };
	struct tfr_request *t = NULL;
	enum tfr_status status;

	*a = (struct tfr_answer){ 0 };
	if (content)
		opts.content = *content;
	tfr_store_show(s, call->key, x.url, sizeof(x.url));
	status = tfr_request_start(&t, &opts, err);
	if (status)
		return status;
	pthread_mutex_lock(&x.lock);
	while (!x.ended)
		pthread_cond_wait(&x.over, &x.lock);
	pthread_mutex_unlock(&x.lock);
	tfr_request_end(t);
	a->body = x.body;
	if (x.status && x.status != TFR_END && err)
		*err = x.err;
	return x.status;
}
