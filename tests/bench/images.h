/* tests/bench/images.h - images read into memory before a yardstick runs over them. */
#ifndef TFR_BENCH_IMAGES_H
#define TFR_BENCH_IMAGES_H

#include <stddef.h>
#include <stdint.h>

struct image {
	uint8_t *data;
	size_t size;
};

struct images {
	struct image *list;
	size_t count, capacity;
};

/* Reads an image, the images directly in a folder, or those that a file names, one a line.  What
 * cannot be read, or is none, ends the process. */
void images_load(struct images *p, const char *path);

#endif
