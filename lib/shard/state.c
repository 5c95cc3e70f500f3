/* shard/state.c - the body as it lies in memory, between a magic and a checksum. */
#include "shard/state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/cleanup.h"
#include "io/output.h"

enum tfr_status tfr_state_save(const char *path, const char *magic, const struct tfr_buf *body,
	struct tfr_temporaries *temporaries, struct tfr_error *err)
{
	struct tfr_output_opts opts = { .force = true, .temporaries = temporaries };
	uint64_t sum = XXH3_64bits(body->data, body->size);
	TFR_AUTO_BUF all = { 0 };

	if (!tfr_buf_append(&all, magic, TFR_STATE_MAGIC) ||
		!tfr_buf_append(&all, body->data, body->size) ||
		!tfr_buf_append(&all, &sum, sizeof(sum)))
		return tfr_fail_nomem(err, "noting how far a run is");
	return tfr_output_whole(path, &opts, all.data, all.size, err);
}

/* The whole file; nothing where there is none that could be ours. */
static bool read_file(const char *path, struct tfr_buf *buf)
{
	TFR_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t n = 0;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return true;
	if (!tfr_buf_reserve(buf, (size_t)st.st_size + 1))
		return false;
	while (buf->size < (size_t)st.st_size &&
		(n = read(fd, buf->data + buf->size, (size_t)st.st_size - buf->size)) > 0)
		buf->size += (size_t)n;
	return true;
}

enum tfr_status tfr_state_load(const char *path, const char *magic, struct tfr_buf *body,
	struct tfr_unread *unread, struct tfr_error *err)
{
	uint64_t sum;
	size_t size;

	body->size = 0;
	if (!read_file(path, body))
		return tfr_fail_nomem(err, "looking for what a run left");
	if (body->size < TFR_STATE_MAGIC + sizeof(sum) ||
		memcmp(body->data, magic, TFR_STATE_MAGIC))
		return TFR_END;
	size = body->size - TFR_STATE_MAGIC - sizeof(sum);
	memcpy(&sum, body->data + TFR_STATE_MAGIC + size, sizeof(sum));
	if (sum != XXH3_64bits(body->data + TFR_STATE_MAGIC, size))
		return TFR_END;
	*unread = (struct tfr_unread){ body->data + TFR_STATE_MAGIC,
		body->data + TFR_STATE_MAGIC + size };
	return TFR_OK;
}
