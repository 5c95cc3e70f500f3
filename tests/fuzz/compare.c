/* tests/fuzz/compare.c - any bytes as the report of an earlier bench-feed: refused with a hint, or
 * compared. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench_feed/bench_feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void cmd_warn(struct cmd *c, const char *format, ...)
{
	(void)c;
	(void)format;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed_comparison *k = NULL;
	struct tfr_error err = { 0 };
	const struct feed_settings settings = { 0 };
	struct feed f = { .s = &settings };
	char path[64];
	int fd = memfd_create("report", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (feed_comparison_open(&k, path, &err)) {
		if (!err.message[0])
			abort();
	} else {
		struct tfr_json *j = tfr_json_new();

		feed_comparison_fits(k, "decode", &err);
		feed_comparison_warn(k, &f);
		feed_comparison_make(k, &f, 5);
		tfr_json_open_object(j, NULL);
		feed_comparison_json(k, j);
		tfr_json_close_object(j);
		if (!tfr_json_text(j, NULL))
			abort();
		tfr_json_free(j);
		feed_comparison_judge(k, &err);
	}
	feed_comparison_close(k);
	close(fd);
	return 0;
}
