/* tests/stress/rewrite.c - for ThreadSanitizer: sweeps and shuffles by several threads, over
 * several files and one, in memory, through temporary files, in more passes than two, and
 * cancelled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr/rewrite.h>

enum { FILES = 5, RECORDS = 6000 };

static void must(enum tfr_status status)
{
	if (status)
		abort();
}

static void write_files(void)
{
	char name[8], payload[3000];

	memset(payload, 'x', sizeof(payload));
	for (int f = 0; f < FILES; f++) {
		struct tfr_writer *w = NULL;

		snprintf(name, sizeof(name), "f%d", f);
		must(tfr_writer_open(&w, name, NULL, NULL));
		for (size_t i = 0; i < RECORDS; i++)
			must(tfr_writer_put(w, payload, i * 37 % sizeof(payload), NULL));
		must(tfr_writer_publish(w, NULL));
		tfr_writer_close(w);
	}
}

static bool go_on(void *ctx, const char *phase, const struct tfr_progress *p)
{
	int *calls = ctx;

	(void)phase;
	(void)p;
	return --*calls > 0;
}

static void shuffle(
	const char *inputs, const char *output, uint64_t memory, unsigned threads, int calls)
{
	struct tfr_set_opts set_opts = { .inputs = &inputs, .count = 1 };
	struct tfr_set *set = NULL;
	struct tfr_shuffle_report report;
	struct tfr_shuffle_opts o = {
		.common = { .threads = threads,
			.writer.force = true,
			.progress = go_on,
			.ctx = &calls },
		.output = output,
		.memory = memory,
	};
	enum tfr_status status;

	must(tfr_set_open(&set, &set_opts, NULL));
	o.common.input = set;
	status = tfr_shuffle(&o, &report, NULL);
	if (status != TFR_ECANCELLED) {
		must(status);
		if (report.common.records != report.common.written)
			abort();
	}
	tfr_set_close(set);
}

int main(void)
{
	char dir[] = "/tmp/tfr-stress-XXXXXX";
	char command[64];

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	write_files();
	for (unsigned threads = 2; threads <= 8; threads *= 2) {
		shuffle("f?", "out", 256 << 20, threads, 1 << 30);
		shuffle("f?", "set@7", 16 << 20, threads, 1 << 30);
		shuffle("f0", "out", 8 << 20, threads, 1 << 30);
		for (int calls = 1; calls < 4; calls++)
			shuffle("f?", "gone@3", 16 << 20, threads, calls);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}
