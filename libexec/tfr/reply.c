/* tfr/reply.c - receives requests and sends replies. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "read_hdf5.h"

/* Sends or receives all bytes.  A large body is sent in few calls: the socket accepts it as fast as
 * tfr reads. */
static void transfer(bool send, void *bytes, size_t size)
{
	char *p = bytes;

	while (size) {
		ssize_t n = send ? write(TFR_HDF5_SOCKET, p, size) : read(TFR_HDF5_SOCKET, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(0);
		p += n;
		size -= (size_t)n;
	}
}

void reply(enum tfr_hdf5_answer answer, uint32_t code, const void *body, size_t size)
{
	struct tfr_hdf5_reply head = { .answer = answer, .code = code, .size = size };

	transfer(true, &head, sizeof(head));
	transfer(true, (void *)(uintptr_t)body, size);
}

void reply_text(enum tfr_hdf5_answer answer, uint32_t code, const char *text)
{
	size_t size = strnlen(text, TFR_HDF5_REASON - 1);

	reply(answer, code, text, size);
}

void reply_damaged(const char *path, const char *reason)
{
	char body[TFR_HDF5_NAME + TFR_HDF5_REASON];
	size_t size = strnlen(path, TFR_HDF5_NAME - 1), more = strnlen(reason, TFR_HDF5_REASON - 1);

	memcpy(body, path, size);
	body[size] = '\0';
	memcpy(body + size + 1, reason, more);
	reply(TFR_HDF5_DAMAGED, 0, body, size + 1 + more);
}

static herr_t take_reason(unsigned n, const H5E_error2_t *e, void *ctx)
{
	(void)n;
	snprintf(ctx, TFR_HDF5_REASON, "%s", e->desc ? e->desc : "?");
	return 0;
}

void find_reason(char reason[TFR_HDF5_REASON])
{
	snprintf(reason, TFR_HDF5_REASON, "libhdf5 gives no reason");
	H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take_reason, reason);
}

void reply_reason(const char *path, const char *reason)
{
	if (file_errno())
		reply_text(TFR_HDF5_FAILED, (uint32_t)file_errno(), "read");
	else
		reply_damaged(path, reason);
}

void reply_refused(const char *path)
{
	char reason[TFR_HDF5_REASON];

	find_reason(reason);
	reply_reason(path, reason);
}

void receive(void *into, size_t size)
{
	transfer(false, into, size);
}
