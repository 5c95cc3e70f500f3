/* tests/stress/rewrite.c - for ThreadSanitizer: sweeps and shuffles by several threads, over
 * several files and one, in memory, through temporary files, in more passes than two, cancelled,
 * and with damage put aside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/rewrite.h>

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

static void shuffle(const char *inputs, const char *output, const char *aside, uint64_t memory,
	unsigned threads, int calls)
{
	struct tfr_writer_opts plain = { .compression = TFR_COMPRESSION_NONE, .force = true };
	struct tfr_set_opts set_opts = { .inputs = &inputs, .count = 1 };
	struct tfr_set *set = NULL;
	struct tfr_shuffle_report report;
	struct tfr_shuffle_opts o = {
		.common = { .sweep = { .threads = threads, .progress = go_on, .ctx = &calls },
			.writer.force = true },
		.output = output,
		.memory = memory,
	};
	enum tfr_status status;

	must(tfr_set_open(&set, &set_opts, NULL));
	o.common.sweep.input = set;
	if (aside) {
		must(tfr_stream_writer_open(&o.common.sweep.quarantine, aside, &plain, NULL));
		o.common.sweep.on_fault = TFR_ON_FAULT_SKIP;
	}
	status = tfr_shuffle(&o, &report, NULL);
	if (status != TFR_ECANCELLED) {
		must(status);
		if (report.common.records != report.common.written)
			abort();
	}
	tfr_stream_writer_close(o.common.sweep.quarantine);
	tfr_set_close(set);
}

/* Payloads here and there, and spans too large to be kept until their turn. */
static void damage(void)
{
	static char garbage[3 << 20];

	for (int f = 0; f < FILES; f += 2) {
		char name[8];
		FILE *file;

		snprintf(name, sizeof(name), "f%d", f);
		file = fopen(name, "r+b");
		for (long at = 100000; file && at < 3000000; at += 70000 + at % 777) {
			fseek(file, at, SEEK_SET);
			fputc('y', file);
		}
		if (!file || fseek(file, 4000000, SEEK_SET) ||
			fwrite(garbage, 1, sizeof(garbage), file) != sizeof(garbage) ||
			fclose(file))
			abort();
	}
}

int main(void)
{
	char dir[] = "/tmp/tfr-stress-XXXXXX";
	char command[64];

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	write_files();
	for (unsigned threads = 2; threads <= 8; threads *= 2) {
		shuffle("f?", "out", NULL, 256 << 20, threads, 1 << 30);
		shuffle("f?", "set@7", NULL, 16 << 20, threads, 1 << 30);
		shuffle("f0", "out", NULL, 8 << 20, threads, 1 << 30);
		for (int calls = 1; calls < 4; calls++)
			shuffle("f?", "gone@3", NULL, 16 << 20, threads, calls);
	}
	damage();
	shuffle("f?", "out", "aside1", 64 << 20, 1, 1 << 30);
	for (unsigned threads = 2; threads <= 8; threads *= 2) {
		shuffle("f?", "out", "aside", 64 << 20, threads, 1 << 30);
		if (system("cmp aside aside1"))
			abort();
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}
