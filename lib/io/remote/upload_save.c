/* io/remote/upload_save.c - an upload that another run continues.
 *
 * The state has the id of the upload, the tags of the parts that the server has, and the bytes that
 * fill the next part.  It is read by the same build on the same machine, from a file of this user.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/unread.h"
#include "io/remote/upload_state.h"

struct head {
	uint64_t part_size, size, waiting; /* bytes: of a part, of all, after the last part */
	uint32_t crc, parts;
	char id[TFR_UPLOAD_ID];
};

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "noting what is written");
}

static enum tfr_status save_pile(
	const struct tfr_pile *p, struct tfr_buf *state, struct tfr_error *err)
{
	size_t at = 0;

	if (!tfr_buf_reserve(state, p->size))
		return no_memory(err);
	if (p->fd < 0)
		return tfr_buf_append(state, p->data ?: (const uint8_t *)"", p->size)
			       ? TFR_OK
			       : no_memory(err);
	while (at < p->size) {
		ssize_t n = pread(p->fd, state->data + state->size, p->size - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return tfr_fail_errno(
				err, n ? errno : EIO, NULL, "cannot read a temporary file");
		state->size += (size_t)n;
		at += (size_t)n;
	}
	return TFR_OK;
}

enum tfr_status tfr_upload_save(struct tfr_upload *u, struct tfr_buf *state, struct tfr_error *err)
{
	struct head head = { .part_size = u->part_size, .crc = u->crc };
	enum tfr_status status = tfr_upload_settle(u, err);

	if (status)
		return status;
	head.size = u->size;
	head.waiting = u->pile.size;
	head.parts = u->parts;
	memcpy(head.id, u->id, sizeof(head.id));
	if (!tfr_buf_append(state, &head, sizeof(head)) ||
		!tfr_buf_append(state, u->sent ?: (void *)"", u->parts * sizeof(*u->sent)))
		return no_memory(err);
	return save_pile(&u->pile, state, err);
}

static enum tfr_status invalid(const struct tfr_upload *u, struct tfr_error *err)
{
	return tfr_fail_path(
		err, TFR_EDATA, u->url, "the saved position of the run to be resumed is invalid:");
}

enum tfr_status tfr_upload_restore(
	struct tfr_upload *u, const void *state, size_t size, struct tfr_error *err)
{
	struct tfr_unread from = { state, (const uint8_t *)state + size };
	const void *waiting, *sent;
	enum tfr_status status;
	struct head head;

	if (!tfr_unread_copy(&from, &head, sizeof(head)) || head.parts > TFR_PARTS_MOST ||
		!head.part_size || head.waiting > head.part_size ||
		!memchr(head.id, '\0', sizeof(head.id)) || (head.parts && !*head.id))
		return invalid(u, err);
	sent = tfr_unread_take(&from, head.parts * sizeof(*u->sent));
	waiting = sent ? tfr_unread_take(&from, head.waiting) : NULL;
	if (!waiting)
		return invalid(u, err);
	u->sent = calloc(head.parts + 1u, sizeof(*u->sent));
	if (!u->sent)
		return no_memory(err);
	memcpy(u->sent, sent, head.parts * sizeof(*u->sent));
	u->cap = head.parts + 1u;
	u->parts = head.parts;
	u->part_size = (size_t)head.part_size;
	u->size = head.size;
	u->crc = head.crc;
	u->resumed = true;
	status = tfr_pile_add(&u->pile, waiting, (size_t)head.waiting, u->part_size, true, err);
	if (status)
		return status;
	memcpy(u->id, head.id, sizeof(u->id));
	/* A failure of this run keeps what the other one has done. */
	u->kept = true;
	return TFR_OK;
}

void tfr_upload_keep(struct tfr_upload *u)
{
	u->kept = true;
	tfr_upload_forget(u);
}
