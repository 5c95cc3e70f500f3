/* tests/fuzz/lookup.c - a forged index beside a file that is whole: whatever FILE.idx and FILE.gzi
 * say, what is given as record n is a record of the file, at its own place, with its own bytes.
 *
 * The first byte says which file: a plain one, whose FILE.idx has lines as the other bytes move
 * them, or a GZIP one, whose FILE.gzi the other bytes are, or has its points as they move them. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <tfr-private/gzi.h>
#include <tfr/lookup.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { RECORDS = 300, SEGMENT = 50 << 10 };

static struct {
	uint64_t offset;
	size_t size;
	uint32_t crc;
} truth[RECORDS];

static struct tfr_gzi points;
static char folder[64];

static void remove_folder(void)
{
	static const char *const names[] = { "plain", "plain.idx", "packed", "packed.idx",
		"packed.gzi" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	rmdir(folder);
	tfr_gzi_clear(&points);
}

static void write_bytes(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	assert(f && fwrite(data, 1, size, f) == size && !fclose(f));
}

static void write_index(const char *path)
{
	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct tfr_index_report report;

	assert(!utimensat(AT_FDCWD, path, old, 0));
	assert(!tfr_index_write(path, NULL, &report, NULL));
}

/* Noise and rows of one byte, some records alike. */
static void write_plain(void)
{
	struct tfr_writer *w = NULL;
	static uint8_t payload[12000];
	uint64_t at = 0, draw = 1;

	assert(!tfr_writer_open(&w, "plain", NULL, NULL));
	for (int i = 0; i < RECORDS; i++) {
		size_t n = i % 7 ? (size_t)i % 5 * 10 : sizeof(payload) - (size_t)i;
		struct tfr_digest d;

		for (size_t k = 0; k < n; k++) {
			draw = draw * 6364136223846793005u + 1442695040888963407u;
			payload[k] = i % 7 ? (uint8_t)i : (uint8_t)(draw >> 33);
		}
		tfr_digest_pieces(&(struct iovec){ payload, n }, 1, &d);
		truth[i].offset = at;
		truth[i].size = n;
		truth[i].crc = d.crc;
		at += n + TFR_RECORD_OVERHEAD;
		assert(!tfr_writer_put(w, payload, n, NULL));
	}
	assert(!tfr_writer_publish(w, NULL));
	tfr_writer_close(w);
	write_index("plain");
}

/* The same in segments far smaller than ours, so that beginning at one costs little. */
static void write_packed(void)
{
	static uint8_t in[1 << 20], out[2 << 20];
	FILE *f = fopen("plain", "rb");
	size_t size = f ? fread(in, 1, sizeof(in), f) : 0;
	z_stream z = { .next_out = out, .avail_out = sizeof(out) };

	assert(size && size < sizeof(in) && !fclose(f));
	assert(!deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY));
	z.next_in = in;
	for (; size > SEGMENT; size -= SEGMENT) {
		z.avail_in = SEGMENT;
		deflate(&z, Z_SYNC_FLUSH);
		deflate(&z, Z_FULL_FLUSH);
	}
	z.avail_in = (uInt)size;
	assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
	write_bytes("packed", out, sizeof(out) - z.avail_out);
	deflateEnd(&z);
	write_index("packed");
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* On a RAM disk, where there is one: what is written is forced to disk. */
	snprintf(folder, sizeof(folder), "%s/tfr-fuzz-lookup-XXXXXX",
		access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	assert(mkdtemp(folder) && !chdir(folder));
	atexit(remove_folder);
	write_plain();
	write_packed();
	assert(!tfr_gzi_read(&points, "packed.gzi", NULL) && points.count > 3);
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each three bytes move one end: which, and by how much, or to another one. */
static void forge_lines(const uint8_t *data, size_t size)
{
	uint64_t ends[RECORDS], before = 0;
	char text[RECORDS * 24];
	size_t used = 0;

	for (int i = 0; i < RECORDS; i++)
		ends[i] = truth[i].offset + truth[i].size + TFR_RECORD_OVERHEAD;
	for (; size >= 3; data += 3, size -= 3) {
		unsigned i = data[0];

		ends[i] = data[1] & 1 ? ends[data[2]] : ends[i] + (uint64_t)data[1] / 2 * data[2];
		if (ends[i] > ends[RECORDS - 1])
			ends[i] = ends[RECORDS - 1];
	}
	qsort(ends, RECORDS, sizeof(*ends), compare);
	for (int i = 0; i < RECORDS; i++) {
		if (ends[i] - before < TFR_RECORD_OVERHEAD && i < RECORDS - 1)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%llu %llu\n",
			(unsigned long long)before, (unsigned long long)(ends[i] - before));
		before = ends[i];
	}
	write_bytes("plain.idx", text, used);
}

/* Each three bytes move one offset of one point: a little, or to where some record begins. */
static void forge_points(const uint8_t *data, size_t size)
{
	struct tfr_gzi_point moved[16];
	uint64_t count = points.count;
	FILE *f;

	assert(points.count <= 16);
	memcpy(moved, points.points, points.count * sizeof(*moved));
	for (; size >= 3; data += 3, size -= 3) {
		struct tfr_gzi_point *p = &moved[data[0] / 2 % points.count];
		uint64_t *offset = data[0] & 1 ? &p->compressed : &p->uncompressed;

		if (data[1] < 128)
			*offset = truth[data[2]].offset;
		else
			*offset += (uint64_t)(data[1] - 192) * data[2];
	}
	f = fopen("packed.gzi", "wb");
	assert(f && fwrite(&count, sizeof(count), 1, f) == 1);
	assert(fwrite(moved, sizeof(*moved), count, f) == count);
	fclose(f);
}

static void check(const struct tfr_record *rec)
{
	for (int i = 0; i < RECORDS; i++)
		if (truth[i].crc == rec->crc && truth[i].size == rec->size)
			return;
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool packed = size && data[0] & 1;
	const char *path = packed ? "packed" : "plain";
	struct tfr_reader_opts opts = { .threads = 1 };
	enum tfr_index_state state;
	struct tfr_lookup *l = NULL;
	struct tfr_record rec;
	struct tfr_error err = { 0 };

	if (packed && data[0] & 2)
		write_bytes("packed.gzi", data + 1, size - 1);
	else if (packed)
		forge_points(data + 1, size - 1);
	else
		forge_lines(data + (size != 0), size - (size != 0));
	assert(!tfr_lookup_open(&l, path, &opts, &state, &err));
	assert(!l == (state != TFR_INDEX_GOOD));
	/* A record in some, from both ends. */
	for (uint64_t n = 0; l && n < tfr_lookup_count(l); n += 8 + size % 7 + n % 3 * 12) {
		uint64_t at = n % 2 ? n : tfr_lookup_count(l) - 1 - n;
		enum tfr_status status = tfr_lookup_read(l, at, &rec, &err);

		assert(status == TFR_OK || status == TFR_EDATA);
		if (status)
			continue;
		check(&rec);
		assert(rec.index == at);
		/* A plain file says itself where it was read. */
		for (int i = 0; !packed && i < RECORDS; i++)
			if (truth[i].offset == rec.offset)
				assert(truth[i].crc == rec.crc && truth[i].size == rec.size);
	}
	tfr_lookup_close(l);
	return 0;
}
