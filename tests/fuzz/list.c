/* Any list, as CSV, TSV and JSON lines: refused in words, or a set of
 * whole Examples. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tfr-private/convert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void read_back(const char *path, uint64_t expected)
{
	struct tfr_example *ex = FUZZ_SAFE(tfr_example_new());
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	uint64_t n = 0;

	check(!FUZZ_SAFE(tfr_reader_open(&r, path, NULL, NULL)));
	while (!tfr_reader_next(r, &rec, NULL)) {
		check(!tfr_example_parse(ex, rec.data, rec.size, NULL));
		n++;
	}
	check(n == expected);
	tfr_reader_close(r);
	tfr_example_free(ex);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kinds[] = { "csv", "tsv", "jsonl" };
	char in[64], out[64];
	int fd = memfd_create("list", 0);

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(in, sizeof(in), "/proc/self/fd/%d", fd);
	snprintf(out, sizeof(out), "/dev/shm/fuzz-list-%d", (int)getpid());
	for (unsigned k = 0; k < 3; k++) {
		const char *inputs[] = { in };
		struct tfr_share target = { .set = out };
		struct tfr_convert_opts o = { .input.paths = inputs,
			.input.count = 1,
			.input.from = kinds[k],
			.output.targets = &target,
			.output.target_count = 1,
			.run.threads = 1,
			.output.writer.force = true };
		struct tfr_convert_report report;
		struct tfr_error err = { 0 };

		if (tfr_convert(&o, &report, &err))
			check(err.message[0] && err.status != TFR_ESYS);
		else
			read_back(out, report.records);
		unlink(out);
	}
	close(fd);
	return 0;
}
