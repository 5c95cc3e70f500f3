/* tests/bench/pictures.h - pictures read into memory before a yardstick runs over them. */
#ifndef TFR_BENCH_PICTURES_H
#define TFR_BENCH_PICTURES_H

#include <stddef.h>
#include <stdint.h>

struct picture {
	uint8_t *data;
	size_t size;
};

struct pictures {
	struct picture *list;
	size_t count, capacity;
};

/* Reads a picture, the pictures directly in a folder, or those that a file names, one a line.  What
 * cannot be read, or is none, ends the process. */
void pictures_load(struct pictures *p, const char *path);

#endif
