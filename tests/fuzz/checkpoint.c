/* tests/fuzz/checkpoint.c - any bytes as the saved position of a run, with the checksum that makes it
 * valid: shard --resume goes on, or refuses and says why.
 *
 * The input is laid over the numbers that a stopped run has saved, so that it begins with valid
 * ones.  Its first byte chooses how shards fill, compression, and whether the rest is cut off. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/convert.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAGIC = 8, SUM = 8, IMAGES = 6, MOST = 1 << 16 };

/* A grey pixel, as PNG. */
static const uint8_t image[] = { 0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D',
	'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 10, 'I', 'D',
	'A', 'T', 0x78, 0x9c, 0x63, 0x68, 0, 0, 0, 0x82, 0, 0x81, 0x77, 0xcd, 0x72, 0xb6, 0, 0, 0,
	0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };

static void put(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
}

/* The last image but one is no image: it ends the run. */
static void set_up(void)
{
	static char folder[64];
	char path[32];

	if (*folder)
		return;
	snprintf(folder, sizeof(folder), "/dev/shm/fuzz-checkpoint-%d", (int)getpid());
	if (mkdir(folder, 0700) || chdir(folder) || mkdir("in", 0700) || mkdir("out", 0700))
		abort();
	for (int i = 0; i < IMAGES; i++) {
		snprintf(path, sizeof(path), "in/%d.png", i);
		put(path, image, i == IMAGES - 2 ? 20 : sizeof(image));
	}
}

static void empty(void)
{
	DIR *d = opendir("out");
	const struct dirent *e;

	while ((e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

static enum tfr_status run(unsigned how, struct tfr_error *err)
{
	const struct tfr_share targets[2] = {
		{ .set = how & 1 ? "out/a@auto" : "out/a@2", .fraction = 0.6 },
		{ .set = how & 1 ? "out/b@auto" : "out/b@1", .fraction = 0.4 }
	};
	const char *const input = "in";
	const struct tfr_convert_opts o = { .input.from = "folder",
		.run.resume = true,
		.run.checkpoint = 1e-9,
		.run.threads = 1,
		.order.keep = true,
		.input.paths = &input,
		.input.count = 1,
		.output.targets = targets,
		.output.target_count = 2,
		.output.records_per_shard = how & 1 ? 2 : 0,
		.output.writer.compression = how & 2 ? TFR_COMPRESSION_GZIP : TFR_COMPRESSION_NONE,
		.run.report = "out/found.tsv",
		.run.quarantine = "out/bad.tfrecord",
		.run.on_error = TFR_ON_ERROR_FAIL };
	struct tfr_convert_report report;

	*err = (struct tfr_error){ 0 };
	return tfr_convert(&o, &report, err);
}

/* Lays the input over what was saved, and makes the checksum right. */
static void forge(const char *path, const uint8_t *data, size_t size, bool cut)
{
	static uint8_t note[MOST];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, note, sizeof(note) - SUM);
	uint64_t said, sum;
	size_t at, end;

	if (n < MAGIC + 16 + SUM)
		abort();
	close(fd);
	memcpy(&said, note + MAGIC, sizeof(said));
	at = MAGIC + 16 + (size_t)said;
	end = (size_t)n - SUM;
	for (size_t i = 0; i < size && at + i < sizeof(note) - SUM; i++) {
		note[at + i] = (at + i < end ? note[at + i] : 0) ^ data[i];
		end = at + i < end ? end : at + i + 1;
	}
	end = cut && at + size < end ? at + size : end;
	sum = XXH3_64bits(note + MAGIC, end - MAGIC);
	memcpy(note + end, &sum, SUM);
	put(path, note, end + SUM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_error err;

	if (!size)
		return 0;
	FUZZ_SAFE((set_up(), empty(), 0));
	if (!FUZZ_SAFE(run(data[0], &err)))
		abort();
	FUZZ_SAFE((forge(data[0] & 1 ? "out/.a@auto.resume" : "out/.a@2.resume", data + 1, size - 1,
			   data[0] & 4),
		0));
	if (run(data[0], &err) && !err.message[0])
		abort();
	return 0;
}
