/* readcrc.c - the yardstick of `tfr check`: read() blocks and CRC-32C them, nothing else.
 *
 * readcrc BLOCK_SIZE THREADS FILE...   prints one JSON object
 *
 * Each thread begins with a file of its own and takes its blocks one after the other; where the
 * files are done that nobody has begun, it takes blocks of those that others are at, so that all
 * threads are busy to the end, with one file too.  It knows nothing of records: `check` can come
 * close to it, not past it. */
#include <fcntl.h>
#include <isa-l/crc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct file {
	int fd;
	atomic_uint_fast64_t next; /* block */
};

static struct file *files;
static int file_count;
static size_t block_size;
static atomic_int begun;
static atomic_uint_fast64_t bytes;
static atomic_uint sum;

static void read_blocks(struct file *f, unsigned char *block)
{
	uint64_t i;
	ssize_t n;

	do {
		i = atomic_fetch_add(&f->next, 1);
		n = pread(f->fd, block, block_size, (off_t)(i * block_size));
		if (n > 0) {
			atomic_fetch_xor(&sum, crc32_iscsi(block, (int)n, 0));
			atomic_fetch_add(&bytes, (uint_fast64_t)n);
		}
	} while (n > 0);
}

static void *work(void *unused)
{
	unsigned char *block = aligned_alloc(4096, block_size);
	int first;

	(void)unused;
	while ((first = atomic_fetch_add(&begun, 1)) < file_count)
		read_blocks(&files[first], block);
	for (int i = 0; i < file_count; i++)
		read_blocks(&files[i], block);
	free(block);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	struct timespec start, end;
	int n;

	if (argc < 4 || (block_size = strtoul(argv[1], NULL, 10)) < 4096 || block_size % 4096 ||
		(n = atoi(argv[2])) < 1 || n > 64) {
		fprintf(stderr, "usage: readcrc BLOCK_SIZE THREADS FILE...\n");
		return 2;
	}
	file_count = argc - 3;
	files = calloc((size_t)file_count, sizeof(*files));
	for (int i = 0; i < file_count; i++) {
		files[i].fd = open(argv[3 + i], O_RDONLY | O_CLOEXEC);
		if (files[i].fd < 0) {
			perror(argv[3 + i]);
			return 3;
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 1; i < n; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	work(NULL);
	for (int i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	/* Not called `seconds`: what counts is the whole process, as it does of `check`. */
	printf("{\"loop_seconds\": %.6f, \"bytes\": %llu, \"crc\": %u}\n",
		(double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec),
		(unsigned long long)bytes, sum);
	free(files);
	return 0;
}
