/* readcrc.c - the yardstick of `tfr check`: read() blocks and CRC-32C them, nothing else.
 *
 * readcrc BLOCK_SIZE THREADS FILE...   prints one JSON object
 *
 * Files are dealt to the threads as they ask.  It knows nothing of records: `check` can come close
 * to it, not past it. */
#include <fcntl.h>
#include <isa-l/crc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static char **files;
static int file_count;
static size_t block_size;
static atomic_int next_file;
static atomic_uint_fast64_t bytes;
static atomic_uint sum;

static void *work(void *unused)
{
	unsigned char *block = aligned_alloc(4096, block_size);
	int i;

	(void)unused;
	while ((i = atomic_fetch_add(&next_file, 1)) < file_count) {
		int fd = open(files[i], O_RDONLY | O_CLOEXEC);
		ssize_t n;

		if (fd < 0) {
			perror(files[i]);
			exit(3);
		}
		while ((n = read(fd, block, block_size)) > 0) {
			atomic_fetch_xor(&sum, crc32_iscsi(block, (int)n, 0));
			atomic_fetch_add(&bytes, (uint_fast64_t)n);
		}
		close(fd);
	}
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
	files = argv + 3;
	file_count = argc - 3;
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("{\"seconds\": %.6f, \"bytes\": %llu, \"crc\": %u}\n",
		(double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec),
		(unsigned long long)bytes, sum);
	return 0;
}
