/* tests/fuzz/inputs.c - any bytes as a file that shard reads: refused in words, or a set of whole
 * records.
 *
 * The first byte chooses the kind: archives as libarchive and our tar read them, NPZ, WebDatasets,
 * annotations of COCO and a table of metadata beside an image. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tfr-private/convert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct kind {
	const char *from, *file;
	bool folder; /* the input is the folder of the file */
};

static const struct kind kinds[] = {
	{ "archive", "a.tar", false },
	{ "archive", "a.zip", false },
	{ "webdataset", "w.tar", false },
	{ "numpy", "n.npz", false },
	{ "numpy", "n.npy", false },
	{ "metadata", "metadata.jsonl", true },
	{ "metadata", "metadata.csv", true },
	{ "coco", "_annotations.coco.json", true },
	{ "records", "r.tfrecord", false },
	{ "records", "r.tfrecord.gz", false },
};

/* A grey pixel, as PNG. */
static const uint8_t image[] = { 0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13, 'I', 'H', 'D',
	'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 10, 'I', 'D',
	'A', 'T', 0x78, 0x9c, 0x63, 0x68, 0, 0, 0, 0x82, 0, 0x81, 0x77, 0xcd, 0x72, 0xb6, 0, 0, 0,
	0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };

static void put(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void check(const char *path, uint64_t expected)
{
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	uint64_t n = 0;

	if (tfr_reader_open(&r, path, NULL, NULL))
		return;
	while (!tfr_reader_next(r, &rec, NULL))
		n++;
	if (n != expected)
		abort();
	tfr_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct kind *k = &kinds[size ? data[0] % (sizeof(kinds) / sizeof(*kinds)) : 0];
	char folder[64], file[128], path[128], out[64], labels[128];
	const char *input = k->folder ? folder : file;
	struct tfr_share target = { .set = out };
	struct tfr_convert_opts o = { .input.paths = &input,
		.input.count = 1,
		.input.from = k->from,
		.output.targets = &target,
		.output.target_count = 1,
		.run.threads = 1,
		.output.expect.allow_empty = true,
		.run.max_skipped = 100,
		.output.writer.force = true };
	struct tfr_convert_report report;
	struct tfr_error err = { 0 };

	snprintf(folder, sizeof(folder), "/dev/shm/fuzz-inputs-%d", (int)getpid());
	snprintf(file, sizeof(file), "%s/%s", folder, k->file);
	snprintf(path, sizeof(path), "%s/a.png", folder);
	snprintf(out, sizeof(out), "/dev/shm/fuzz-inputs-%d.out", (int)getpid());
	snprintf(labels, sizeof(labels), "/dev/shm/fuzz-inputs-%d.file-out.labels.txt",
		(int)getpid());
	mkdir(folder, 0700);
	put(file, size ? data + 1 : data, size ? size - 1 : 0);
	put(path, image, sizeof(image));
	if (!tfr_convert(&o, &report, &err))
		check(out, report.records);
	else if (!err.message[0])
		abort();
	unlink(file);
	unlink(path);
	rmdir(folder);
	unlink(out);
	unlink(labels);
	return 0;
}
