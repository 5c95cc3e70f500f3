/* convert/buffer_pool.c - a stack of buffers under a lock, which is held for a few instructions. */
#include "convert/buffer_pool.h"

#include <stdlib.h>

bool tfr_spares_init(struct tfr_spares *s, size_t most)
{
	*s = (struct tfr_spares){ .at = calloc(most, sizeof(*s->at)), .most = most };
	pthread_mutex_init(&s->lock, NULL);
	return s->at;
}

void tfr_spares_clear(struct tfr_spares *s)
{
	if (!s->most)
		return;
	for (size_t i = 0; i < s->count; i++)
		tfr_buf_clear(&s->at[i]);
	free(s->at);
	pthread_mutex_destroy(&s->lock);
	*s = (struct tfr_spares){ .at = NULL };
}

void tfr_spares_take(struct tfr_spares *s, struct tfr_buf *to)
{
	if (to->data)
		return;
	pthread_mutex_lock(&s->lock);
	if (s->count) {
		*to = s->at[--s->count];
		to->size = 0;
	}
	pthread_mutex_unlock(&s->lock);
}

void tfr_spares_give(struct tfr_spares *s, struct tfr_buf *from)
{
	pthread_mutex_lock(&s->lock);
	if (from->data && s->count < s->most) {
		s->at[s->count++] = *from;
		*from = (struct tfr_buf){ 0 };
	}
	pthread_mutex_unlock(&s->lock);
}
