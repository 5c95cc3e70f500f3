/* cmd/bench_feed/cold.c - drops the inputs from the page cache.
 *
 * The system drops the pages of a file on request, unless they are dirty or the file is in memory.
 * So dirty pages are written first.  Afterwards a few pages are read without waiting; those that
 * arrive at once were not dropped, and the user is warned that the run is not cold. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bench_feed/bench_feed.h"

enum { PROBES = 16 };

/* The share of some bytes, spread over the file, that are in memory. */
static double still_cached(int fd, uint64_t size)
{
	unsigned hits = 0, asked = 0;
	char byte;
	struct iovec one = { &byte, 1 };

	for (unsigned i = 0; i < PROBES; i++) {
		uint64_t at = size / PROBES * i + size / PROBES / 2;

		asked++;
		hits += preadv2(fd, &one, 1, (off_t)at, RWF_NOWAIT) == 1;
	}
	return (double)hits / asked;
}

/* The bytes that stay in memory. */
static uint64_t drop(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t kept = 0;

	if (fd < 0)
		return 0; /* reading it will report why */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size) {
		fdatasync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		kept = (uint64_t)(still_cached(fd, (uint64_t)st.st_size) * (double)st.st_size);
	}
	close(fd);
	return kept;
}

void feed_make_cold(struct cmd *c, const struct tfr_set *set)
{
	uint64_t kept = 0, all = tfr_set_bytes(set);
	char part[TFR_SIZE_TEXT], whole[TFR_SIZE_TEXT];

	for (size_t i = 0; i < tfr_set_count(set); i++)
		kept += drop(tfr_set_path(set, i));
	if (kept > all / 20)
		cmd_warn(c,
			"about %s of %s stay in memory: the system does not drop them, for "
			"example because the files are in a RAM disk",
			tfr_format_size(kept, part), tfr_format_size(all, whole));
}
