/* The note of a stopped run, forged: whatever it says, the next run goes on to where the first one
 * failed, or refuses and says how to begin again. */
#include "support/temp.h"

#include <tfr-private/convert.h>
#include <xxhash.h>

enum { MAGIC = 8, SUM = 8, IMAGES = 30 };

static char *dir;
static uint8_t *note, *mine;
static size_t size;
static bool filling; /* shards that fill one after another, compressed */

static enum tfr_status run(struct tfr_error *err)
{
	const struct tfr_share targets[2] = { { .set = filling ? "out/a@auto" : "out/a@3",
						      .fraction = 0.7 },
		{ .set = filling ? "out/b@auto" : "out/b@2", .fraction = 0.3 } };
	const char *const input = "in";
	const struct tfr_convert_opts o = { .input.from = "folder",
		.run.resume = true,
		.run.checkpoint = 1e-9,
		.run.threads = 1,
		.input.paths = &input,
		.input.count = 1,
		.output.targets = targets,
		.output.target_count = 2,
		.output.shard_size = filling ? 20000 : 0,
		.output.writer.compression = filling ? TFR_COMPRESSION_ZLIB : TFR_COMPRESSION_NONE,
		.run.report = "out/found.tsv",
		.run.on_error = TFR_ON_ERROR_FAIL };
	struct tfr_convert_report report;

	*err = (struct tfr_error){ 0 };
	return tfr_convert(&o, &report, err);
}

static void put_image(const char *class, int i, const uint8_t *bytes, size_t n)
{
	char path[64];

	snprintf(path, sizeof(path), "in/%s/%03d.jpg", class, i);
	temp_write(path, bytes, n);
}

/* Gray images, so that findings wait, and then one that ends the run. */
static void make_images(void)
{
	char path[4096];
	uint8_t bytes[1 << 16];
	size_t n;

	mkdir("in", 0755);
	mkdir("in/a", 0755);
	mkdir("in/b", 0755);
	snprintf(path, sizeof(path), "%s/media/gray.jpg", getenv("TFR_TEST_DATA"));
	n = temp_read(path, bytes, sizeof(bytes));
	for (int i = 0; i < IMAGES; i++)
		put_image(i % 2 ? "a" : "b", i, bytes, i == IMAGES / 2 ? n / 2 : n);
}

static void set_up(void)
{
	dir = temp_enter_fast();
	make_images();
	note = malloc(1 << 20);
	mine = malloc(1 << 20);
}

static const char *path_of_note(void)
{
	return filling ? "out/.a@auto.resume" : "out/.a@3.resume";
}

static void leave_note(void)
{
	struct tfr_error err;

	cr_assert_eq(system("rm -rf out left; mkdir out"), 0);
	cr_assert_eq(run(&err), TFR_EDATA, "%s", err.message);
	cr_assert(strstr(err.message, "015.jpg"), "%s", err.message);
	size = temp_read(path_of_note(), note, 1 << 20);
	cr_assert_lt(size, 1 << 20);
	cr_assert_eq(rename("out", "left"), 0);
}

static void tear_down(void)
{
	free(note);
	free(mine);
	temp_leave(dir);
}

TestSuite(checkpoint, .init = set_up, .fini = tear_down);

/* Goes on from `n` bytes of `mine`, with the checksum that an enemy would give them. */
static void go_on(size_t n)
{
	uint64_t sum = XXH3_64bits(mine + MAGIC, n - MAGIC - SUM);
	struct tfr_error err;

	memcpy(mine + n - SUM, &sum, SUM);
	cr_assert_eq(system("rm -rf out; cp -a left out"), 0);
	temp_write(path_of_note(), mine, n);
	cr_assert(run(&err), "the bad image is gone");
	cr_assert(err.status == TFR_EDATA || err.status == TFR_EUSAGE, "%d: %s", err.status,
		err.message);
	cr_assert(strstr(err.message, "015.jpg") ||
			  strstr(tfr_error_hint_text(&err), "to start again"),
		"%s",
		err.message);
}

static void forge_numbers(void)
{
	static const uint64_t forged[] = { 0, 1, 1000, UINT64_MAX / 2, UINT64_MAX };
	uint64_t said;
	size_t at;

	leave_note();
	memcpy(&said, note + MAGIC, 8);
	at = MAGIC + 16 + said;
	cr_assert_lt(at, size);
	for (unsigned n = 0; at + 8 <= size - SUM; at += 8, n++) {
		memcpy(mine, note, size);
		memcpy(mine + at, &forged[n % 5], 8);
		go_on(size);
	}
}

Test(checkpoint, every_number_forged)
{
	forge_numbers();
}

Test(checkpoint, every_number_of_a_set_that_fills)
{
	filling = true;
	forge_numbers();
}

Test(checkpoint, every_truncation)
{
	leave_note();
	for (size_t cut = MAGIC + SUM; cut < size; cut += cut < 40 ? 1 : 11) {
		memcpy(mine, note, cut);
		go_on(cut);
	}
}
