/* io/remote/object_read_at.c - reads a part of an object by a request of its own. */
#include <string.h>

#include "io/remote/object_state.h"

struct part {
	struct tfr_object *o;
	uint8_t *to;
	size_t size, filled;
};

static enum tfr_status on_head(void *ctx, const struct tfr_answer *a, struct tfr_error *err)
{
	const struct part *p = ctx;

	if (a->status != 206)
		return tfr_object_wrong(p->o, "the server does not serve ranges any more for", err);
	return tfr_object_is_same(p->o, a) ? TFR_OK : tfr_object_replaced(p->o, err);
}

static enum tfr_status on_body(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct part *p = ctx;

	if (size > p->size - p->filled)
		return tfr_object_wrong(p->o, "the server sends more than it was asked for:", err);
	memcpy(p->to + p->filled, data, size);
	p->filled += size;
	return TFR_OK;
}

static enum tfr_status get(struct part *p, uint64_t position, struct tfr_error *err)
{
	const char *headers[] = { p->o->if_match };
	struct tfr_call call = { .method = "GET",
		.key = p->o->key,
		.headers = headers,
		.n_headers = *p->o->if_match ? 1 : 0,
		.empty = true };
	struct tfr_request_opts opts = { .store = p->o->store,
		.call = &call,
		.ranged = true,
		.first = position,
		.last = position + p->size - 1,
		.ctx = p,
		.head = on_head,
		.take = on_body };
	struct tfr_request *t = NULL;
	struct tfr_answer a = { 0 };
	enum tfr_status status;

	TFR_TRY(tfr_request_start(&t, &opts, err));
	status = tfr_request_wait(t, &a, err);
	tfr_request_end(t);
	return status == TFR_END || (status && a.status == 412) ? tfr_object_replaced(p->o, err)
								: status;
}

/* Any thread may wait for what the first range brings. */
static enum tfr_status copy(struct part *p, uint64_t position, struct tfr_error *err)
{
	struct tfr_object *o = p->o;

	pthread_mutex_lock(&o->lock);
	while (!o->head->ended)
		pthread_cond_wait(&o->arrived, &o->lock);
	pthread_mutex_unlock(&o->lock);
	if (o->head->filled < position + p->size)
		return tfr_object_why_ended(o, err);
	memcpy(p->to, o->head->data + position, p->size);
	return TFR_OK;
}

enum tfr_status tfr_object_read_at(struct tfr_object *o, uint64_t position, void *buf, size_t size,
	size_t *got, struct tfr_error *err)
{
	uint64_t left = position < o->size ? o->size - position : 0;
	struct part p = { o, buf, size < left ? size : (size_t)left, 0 };

	*got = p.size;
	if (!p.size)
		return TFR_OK;
	return o->resident ? copy(&p, position, err) : get(&p, position, err);
}
