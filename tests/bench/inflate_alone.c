/* inflate_alone.c - the yardstick of reading GZIP: read() and ISA-L's inflate on one thread,
 * nothing else.
 *
 * inflate_alone FILE   prints one JSON object
 *
 * It looks at nothing that comes out.  A file without flush points has to be inflated from its
 * beginning to its end, so `check` can come close to it there; one that has them can be inflated by
 * all threads, each about as fast as this. */
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { IN = 256 << 10, OUT = 512 << 10 };

/* What the file had.  -1: it is no whole GZIP member. */
static long long inflate_file(int fd, uint8_t *in, uint8_t *out)
{
	struct inflate_state z;
	long long bytes = 0;
	ssize_t n;

	isal_inflate_init(&z);
	z.crc_flag = ISAL_GZIP;
	while ((n = read(fd, in, IN)) > 0) {
		z.next_in = in;
		z.avail_in = (uint32_t)n;
		do {
			z.next_out = out;
			z.avail_out = OUT;
			if (isal_inflate(&z) != ISAL_DECOMP_OK)
				return -1;
			bytes += OUT - z.avail_out;
		} while (z.avail_in || !z.avail_out);
	}
	return z.block_state == ISAL_BLOCK_FINISH ? bytes : -1;
}

int main(int argc, char **argv)
{
	uint8_t *in = malloc(IN), *out = malloc(OUT);
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	long long bytes;

	if (fd < 0 || !in || !out) {
		fprintf(stderr, "usage: inflate_alone FILE\n");
		return 2;
	}
	bytes = inflate_file(fd, in, out);
	if (bytes < 0) {
		fprintf(stderr, "inflate_alone: '%s' is no whole GZIP member\n", argv[1]);
		return 1;
	}
	printf("{\"bytes\": %lld}\n", bytes);
	free(in);
	free(out);
	return 0;
}
